/* SPDX-License-Identifier: MIT
 *
 * The filter of JavaScript cells: seven system calls, every other one kills the process.
 */
#ifndef CELL_SECCOMP_H
#define CELL_SECCOMP_H

/* Builds the filter once, before any fork; 0 or -errno, and then *ret_sentence says what
 * could not be made. */
int cell_filter_build(const char **ret_sentence);

#endif
