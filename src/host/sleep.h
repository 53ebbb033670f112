/* SPDX-License-Identifier: MIT
 *
 * The waiting that a cell may not do itself: it asks to be woken, the run's timer wakes it.
 */
#ifndef HOST_SLEEP_H
#define HOST_SLEEP_H

#include "host/inside.h"

/* The cell asks for a tick in so many milliseconds, in place of what it asked before. */
void sleep_take(struct run *run, uint32_t ms, struct buf *breach);

/* Sends the tick where its time has come. */
void sleep_due(struct run *run, int64_t now_ms);

#endif
