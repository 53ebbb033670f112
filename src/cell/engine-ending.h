/* SPDX-License-Identifier: MIT
 *
 * How a script ends: compiling it, reading its value or error, and what the host is told.
 *
 * The first ending is kept. It is fixed once it is known, and over once nothing of the
 * script may run any more. All but the getters run inside rt_enter(), but ending_trap()
 * and ending_stop(), which touch nothing of the guest.
 */
#ifndef CELL_ENGINE_ENDING_H
#define CELL_ENGINE_ENDING_H

#include "wire/wire.h"

/* Takes what it needs of the functions that the prelude returned. */
void ending_init(uint64_t prelude_result);

/* The script as an async function. Where it doesn't compile, the ending is over, and an
 * exception is returned. */
uint64_t ending_compile(struct bytes script);

/* Fixes the ending, unless it is fixed: the body returned (a value, or none), or threw reason;
 * nothing can settle what it waits for. */
void ending_return(bool has_value);
void ending_fail(uint64_t reason);
void ending_stall(void);

/* Reads the value that the body returned, after ending_return(). The prelude is closed then, until
 * the jobs that the reading queued have run too. */
void ending_read_value(uint64_t value);

/* Ends the script as failed by the pending exception, at once, whatever was before. */
void ending_escape(void);

/* A stop came: stopped, unless the ending was fixed. Over. */
void ending_stop(void);

/* The engine trapped. Over. */
void ending_trap(const char *name, struct bytes engine_wrote);

/* Nothing is left to wait for: collects the notes and is over. */
void ending_close(void);

/* A part of a failure, from the prelude: 0 name, 1 message, 2 frames as JSON. */
void ending_tell(uint32_t part, struct bytes text);

bool ending_is_fixed(void);
bool ending_is_over(void);
const struct wire_ending *ending_get(void);

#endif
