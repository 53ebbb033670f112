/* SPDX-License-Identifier: MIT
 *
 * Cells ahead of need: how many are wanted, which run gets which, and what becomes of a cell.
 */
#ifndef HOST_POOL_H
#define HOST_POOL_H

#include "host/inside.h"

/* Gives ready cells to waiting runs, asks the warden for what is missing, ends what is too much. */
void pool_balance(struct host *host);

/* The host's timer for the pool: shrinks it, retries, ends cells that hang. */
void pool_tick(struct host *host);

/* A frame of a cell that no run has: its hello, or a breach. */
void pool_frame(struct cell *cell, const struct frame *frame);

/* A cell that no run has broke the protocol or closed its channel. */
void pool_fault(struct cell *cell);

/* Has a cell killed. */
void pool_kill(struct cell *cell);

/* The warden's word on a cell's death. */
void pool_died(struct host *host, const struct wire_died *died);

/* Every cell is gone, since the warden is. */
void pool_all_died(struct host *host);

#endif
