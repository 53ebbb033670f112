/* SPDX-License-Identifier: MIT
 *
 * The tools of an agent as its runs share them: found by name, and told to cells as JSON.
 */
#ifndef HOST_TOOLSET_H
#define HOST_TOOLSET_H

#include "host/host.h"

struct toolset {
    struct tool *tools; /* sorted by name; slices lie in text */
    size_t n;
    char *text;
    struct buf names;     /* JSON array of the names, in the order they were declared */
    struct buf catalogue; /* JSON array of {name, description, inputSchema, outputSchema?} */
};

/* The index of the tool with exactly this name; -1: none. set may be NULL. */
int toolset_find(const struct toolset *set, struct bytes name);

#endif
