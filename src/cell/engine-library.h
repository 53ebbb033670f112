/* SPDX-License-Identifier: MIT
 *
 * JavaScript of ours that is compiled to bytecode at build time: the prelude, and the parts of
 * the library (engine/library), which are read when a script first uses them.
 */
#ifndef CELL_ENGINE_LIBRARY_H
#define CELL_ENGINE_LIBRARY_H

#include "base/bytes.h"

/* Evaluates the part of this name; its value, or an exception where there is no memory. What it
 * takes counts against the script's budget. */
uint64_t library_load(struct bytes name);

/* Puts the natives that the library's parts use on an object. */
void library_add_natives(uint64_t native);

#endif
