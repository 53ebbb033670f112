/* SPDX-License-Identifier: MIT
 *
 * What native code in a broken engine would try, made inside real cells of this machine.
 */
#ifndef CLI_ESCAPES_H
#define CLI_ESCAPES_H

#include "base/buf.h"

struct escape {
    const char *name;     /* as in wire/attempts.tbl.h */
    const char *wall;     /* filter, limits, descriptors, memory */
    const char *wants;    /* how it must end: one of these words */
    const char *sentence; /* what a script's process could do where it is not stopped */
    bool is_tried;
    bool is_stopped;
    char came_to[48]; /* a signal's or an errno's name, a result, or how the script ended */
};

struct escapes {
    struct escape *rows; /* all of the table */
    size_t n;
    size_t tried;
    size_t stopped;
    struct buf sentence; /* why they could not be tried (to the end); empty */
};

/* Makes each in a cell of its own, but for those that only end by hand. Blocks for about a second,
 * and longer where something is wrong. escapes_done() frees. */
void escapes_try(const char *warden_path, struct escapes *ret);
void escapes_done(struct escapes *escapes);

#endif
