/* SPDX-License-Identifier: MIT
 *
 * Ending every descendant of a keeper.
 */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include <sys/types.h>

/* Kills the process group of leader and every descendant of this process, which must be a
 * subreaper, and reaps them; returns when none is left, or after a few seconds where some
 * cannot be killed. Writes leader's wait status where it was among them. May block. */
void keep_kill_all(pid_t leader, int *ret_status);

#endif
