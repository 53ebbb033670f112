/* SPDX-License-Identifier: MIT
 *
 * What walls this machine can raise, found by raising them.
 */
#ifndef WARDEN_PROBE_H
#define WARDEN_PROBE_H

/* Tries each wall in a child of its own and prints name=value lines on stdout; probe.c's head
 * lists them. The exit status: 0 where a cell can be made, else 1. */
int probe_main(void);

#endif
