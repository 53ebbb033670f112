/* SPDX-License-Identifier: MIT
 *
 * The warden as the host sees it: a program that is started once, and a channel.
 *
 * It is started as PATH HOST_PID [--walls=TIER] in a session of its own, with an empty environment,
 * all signals default and none blocked, the channel (SOCK_SEQPACKET, a frame a packet) as
 * descriptor 3, /dev/null as 0 and 1, and a pipe to the host as 2. TIER is a letter, A, B or C:
 * raise no more than that; none: the best there is.
 */
#ifndef HOST_CONTROL_H
#define HOST_CONTROL_H

#include "host/inside.h"

/* Starts the warden and watches it: 0, or -errno with one sentence;
 * control_abandon() then takes away what was started. */
int control_start(struct host *host, struct buf *ret_sentence);

/* Sends what cells want (spawns, kills); what the channel does not take now, goes later. */
void control_pump(struct host *host);

/* Asks the warden to end by closing its channel. */
void control_hang_up(struct host *host);

/* Kills the warden; its cells end with it. */
void control_kill(struct host *host);

/* The same, where the host is lost by it: no run starts any more, and the sentence says why. */
void control_lose(struct host *host, const char *sentence);

/* After a start that failed: kills and reaps what was started. */
void control_abandon(struct host *host);

/* Closes the handles that are left, after the warden is gone. */
void control_close(struct host *host);

#endif
