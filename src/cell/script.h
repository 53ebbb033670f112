/* SPDX-License-Identifier: MIT
 *
 * The life of a script in its cell.
 */
#ifndef CELL_SCRIPT_H
#define CELL_SCRIPT_H

#include "wire/wire.h"

enum { SCRIPT_E_CLOSED = 1 };

/* Waits for the script, runs it to its ending and sends that. 0, SCRIPT_E_CLOSED where the
 * host is gone, or -errno where a frame of either side broke the protocol. */
int script_run(struct wire_page *page);

#endif
