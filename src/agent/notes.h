/* SPDX-License-Identifier: MIT
 *
 * The notes of an ending, in words.
 */
#ifndef AGENT_NOTES_H
#define AGENT_NOTES_H

#include "base/buf.h"

/* Appends one note, a checked JSON object, in words and without a line end. */
void notes_put(struct buf *out, struct bytes note);

#endif
