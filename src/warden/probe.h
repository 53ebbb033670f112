/* SPDX-License-Identifier: MIT
 *
 * What this machine allows, found by doing it.
 */
#ifndef WARDEN_PROBE_H
#define WARDEN_PROBE_H

/* Tries each thing in a child of its own and prints name=value lines on stdout; probe.c's head
 * lists them. The exit status: 0. */
int probe_main(void);

#endif
