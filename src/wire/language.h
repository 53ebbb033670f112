/* SPDX-License-Identifier: MIT
 *
 * Whether a source is Python that was sent as JavaScript: asked by the command before anything is
 * started, and by the cell, for every door, of what does not compile.
 */
#ifndef WIRE_LANGUAGE_H
#define WIRE_LANGUAGE_H

#include "base/bytes.h"

/* Whether no line of JavaScript reads so, and one of Python may. */
bool language_is_python_line(struct bytes line);

/* Whether the first line that says anything is such a line. */
bool language_is_python(struct bytes source);

/* The text of a line (1-based) without its end; empty where there is none. */
struct bytes language_line(struct bytes source, uint64_t line);

#endif
