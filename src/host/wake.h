/* SPDX-License-Identifier: MIT
 *
 * A script's messages to its agent: they wait here for their spacing, one goes out at a time.
 */
#ifndef HOST_WAKE_H
#define HOST_WAKE_H

#include "host/inside.h"

/* A wake frame: into the queue, refused, or what is a breach, in breach. */
void wake_arrive(struct run *run, const struct wire_wake *m, struct buf *breach);

/* Hands the first one to the owner where its time has come. */
void wake_start(struct run *run);

/* When wake_start() is to be called again; INT64_MAX: no wake waits for a time. */
int64_t wake_deadline_ms(const struct run *run);

/* Frees those that wait. */
void wake_drop(struct run *run);

#endif
