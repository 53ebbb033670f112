/* SPDX-License-Identifier: MIT
 *
 * The processor time of a cell, by the host's own look at the kernel's clock of it.
 */
#ifndef HOST_CPU_H
#define HOST_CPU_H

#include "host/inside.h"

/* Holds on to the cell's process, so that its clock can be told from a later process's with the
 * same number. 0, or -errno where the system does not let the host see it. */
int cpu_watch(struct cell *cell);

/* Milliseconds of a watched cell's process, 0 once it is gone. */
int64_t cpu_used_ms(const struct cell *cell);

#endif
