/* SPDX-License-Identifier: MIT
 *
 * A run's calls: from their frame to the record.
 */
#ifndef HOST_CALLS_H
#define HOST_CALLS_H

#include "host/inside.h"

/* A call frame: through the gate into the ledger; "" or what is a breach, in breach. */
void calls_arrive(struct run *run, const struct wire_call *m, struct buf *breach);

/* A seen frame; likewise. */
void calls_seen(struct run *run, const struct wire_seen *m, struct buf *breach);

/* Starts what may start. */
void calls_start(struct run *run);

/* Tells the script of each call whose time has passed. */
void calls_expire(struct run *run, int64_t now_ms);

/* A stop was asked: what waits for room is turned down. */
void calls_stop(struct run *run);

/* The process is gone: every call is settled in the record, and cancelled at its tool. */
void calls_end(struct run *run);

/* Sends the events of answers. */
void calls_announce(struct run *run);

/* Takes the run's name off the calls that are still at a tool. */
void calls_orphan(struct run *run);

/* Frees every call of the host, answered or not. */
void calls_free_all(struct host *host);

#endif
