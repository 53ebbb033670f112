/* SPDX-License-Identifier: MIT
 *
 * Where a stalled script waits. All of it runs inside rt_enter().
 */
#ifndef CELL_ENGINE_WAIT_H
#define CELL_ENGINE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* Looks at how the engine lays its promises out, once the runtime has its built-ins. Where that is
 * not as this file knows it, nothing will ever be found. */
void wait_init(void);

/* The getter that Promise.prototype.constructor must have: QuickJS calls it at each await. */
uint64_t wait_constructor_getter(void);

/* Forgets promises that are settled, so that nothing they hold is kept. */
void wait_forget_settled(void);

/* For a script that nothing can wake: an array of errors, each with the stack of one function that
 * waits, those that wait for no other first. It ends those functions: no job may run after it. */
uint64_t wait_find(void);

#endif
