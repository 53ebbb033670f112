/* SPDX-License-Identifier: MIT
 *
 * The resource limits of a JavaScript cell.
 */
#ifndef CELL_LIMITS_H
#define CELL_LIMITS_H

#include <stddef.h>

/* Lowers every limit to what a cell needs; none is ever raised, a stricter inherited one
 * stays. data_bytes bounds private writable memory. 0 or -errno. */
int cell_limits_raise(size_t data_bytes);

#endif
