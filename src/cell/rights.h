/* SPDX-License-Identifier: MIT
 *
 * Ids and capabilities: how a cell becomes nobody.
 */
#ifndef CELL_RIGHTS_H
#define CELL_RIGHTS_H

#include <stdint.h>

/* Leaves every group and becomes this uid and gid for good; 0 or -errno. */
int cell_rights_become(uint32_t uid);

/* Gives up every capability, ambient ones too, and whatever an exec could have brought back
 * where that may be given up; 0 or -errno. */
int cell_rights_drop(void);

#endif
