/* SPDX-License-Identifier: MIT
 *
 * From a script's source to its compiled body: a fence of Markdown is taken off, types are taken
 * off TypeScript, and what can't be compiled is told in the way that helps most.
 */
#ifndef CELL_ENGINE_SOURCE_H
#define CELL_ENGINE_SOURCE_H

#include "base/bytes.h"

/* Why a source was refused, beside the pending exception. */
struct source_refusal {
    uint64_t text; /* what the exception's lines and columns count in, as a string; or undefined */
    uint64_t why;  /* a better message, as a string; or undefined */
};

/* How many characters stand before the script's first one on its first line. */
size_t source_opening_len(void);

/* Compiles the script as an async function without running it: what JS_EvalFunction takes. Where
 * it doesn't compile, an exception, and *ret_refusal, whose values are the caller's. */
uint64_t source_compile(struct bytes script, struct source_refusal *ret_refusal);

#endif
