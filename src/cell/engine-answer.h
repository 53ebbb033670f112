/* SPDX-License-Identifier: MIT
 *
 * The reading of a tool's answer into the script's memory.
 */
#ifndef CELL_ENGINE_ANSWER_H
#define CELL_ENGINE_ANSWER_H

#include "wire/wire.h"

/* The answer's JSON as a value of the guest's, and *ret_how says that it came whole; where it
 * can't be one (too deep, no memory, not JSON), the sentence that says why, and *ret_how stays. */
uint64_t answer_read(struct bytes payload, uint32_t max_depth, enum wire_seen_how *ret_how);

#endif
