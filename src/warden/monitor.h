/* SPDX-License-Identifier: MIT
 *
 * The monitor: the warden's outer process, from its start to its end.
 */
#ifndef WARDEN_MONITOR_H
#define WARDEN_MONITOR_H

#include <stdbool.h>
#include <sys/types.h>

/* Raises the best walls that there are, none above max_tier ('A', 'B' or 'C'), serves the host
 * on descriptor 3, and returns when everything below it is gone. host is the process whose
 * death ends all; is_for_attempts: its cells make escapes, no scripts. The exit status: 0, or 1
 * where nothing could be raised. */
int monitor_main(pid_t host, char max_tier, bool is_for_attempts);

#endif
