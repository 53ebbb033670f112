/* SPDX-License-Identifier: MIT
 *
 * A tool's schemas as one line of TypeScript.
 */
#ifndef CLI_SIGNATURE_H
#define CLI_SIGNATURE_H

#include "base/buf.h"

/* Appends "name({ a: string, b?: number = 3 }): { c: string }". The schemas are checked JSON or
 * empty; what cannot be told is unknown, what is too long ends in an ellipsis. */
void signature_put(struct buf *out, struct bytes name, struct bytes input_schema,
                   struct bytes output_schema);

#endif
