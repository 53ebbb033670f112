/* SPDX-License-Identifier: MIT
 *
 * In the script's place in a cell of a warden that was started with --attempts: one escape.
 */
#ifndef CELL_ATTEMPT_H
#define CELL_ATTEMPT_H

#include <stdint.h>

/* Waits for a start frame, takes the script's text as the name of one attempt
 * (wire/attempts.tbl.h) and makes it. Where it comes back the script ends as finished, its value a
 * string: the name of the errno, or the result. Any other text ends it as failed. Answers as
 * script_run(). memory_bytes is the budget that the limits were set for. */
int attempt_serve(uint32_t memory_bytes);

#endif
