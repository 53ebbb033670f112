/* SPDX-License-Identifier: MIT
 *
 * Timers, seen from the loop: the queue lives in the guest (engine/timers.js), the waiting is the
 * host's. All of it runs inside rt_enter().
 */
#ifndef CELL_ENGINE_TIMERS_H
#define CELL_ENGINE_TIMERS_H

#include "cell/engine.h"

/* Takes what it needs of the functions that the prelude returned. */
void timers_init(uint64_t prelude_result);

/* Before the script waits: asks the owner for a tick when the next timer is due, unless it is asked
 * already. True where there is a timer to wait for. */
bool timers_ask(const struct engine_hooks *hooks);

/* The tick came: the next timers_ask() asks again. */
void timers_ticked(void);

/* Runs the callback of the first timer that was due at this time of rt_clock_ms(): JS_TRUE,
 * JS_FALSE where there is none, or the exception that came out of it. */
uint64_t timers_fire(double now_ms);

#endif
