/* SPDX-License-Identifier: MIT
 *
 * The second wall around files, ports and signals: a Landlock domain that allows nothing.
 */
#ifndef CELL_LANDLOCK_H
#define CELL_LANDLOCK_H

enum { CELL_LANDLOCK_ABSENT = 1 };

/* Puts the calling thread into a domain with no path, no port and no way to other processes,
 * as far as the kernel's version goes. Needs no_new_privs and one free descriptor. 0,
 * CELL_LANDLOCK_ABSENT where the kernel has none, or -errno. */
int cell_landlock_raise(void);

#endif
