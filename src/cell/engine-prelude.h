/* SPDX-License-Identifier: MIT
 *
 * The prelude (engine/prelude.js) and the native functions that it is given.
 */
#ifndef CELL_ENGINE_PRELUDE_H
#define CELL_ENGINE_PRELUDE_H

#include "cell/engine.h"

/* Evaluates the prelude; the object of its functions, or an exception, said on stderr. */
uint64_t prelude_eval(void);

/* From here on calls and output go to these hooks, which must stay. */
void prelude_connect(const struct engine_hooks *hooks);

/* Where the catalogue's JSON lies in the guest, with a NUL behind it; len 0 for none. */
void prelude_set_catalogue(uint32_t at, size_t len);

/* How many calls went out so far, and how many wakes. */
uint32_t prelude_calls_sent(void);
uint32_t prelude_wakes_sent(void);

#endif
