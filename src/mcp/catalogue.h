/* SPDX-License-Identifier: MIT
 *
 * The tools of all servers as one list, sorted by exact name.
 */
#ifndef MCP_CATALOGUE_H
#define MCP_CATALOGUE_H

#include "mcp/toolset.h"

struct catalogue {
    const struct mcp_tool **list;
    size_t n;
    size_t cap;
};

/* Adds the tools of a set, borrowed as long as the catalogue holds them; then sort it. 0 or
 * -ENOMEM. */
int catalogue_add(struct catalogue *c, const struct toolset *set);

/* Sorts; of two tools with one exact name the later one is dropped and told as a note. */
void catalogue_sort(struct catalogue *c, void (*on_note)(void *arg, const char *sentence),
                    void *arg);

/* The tool of an exact name, or NULL; in a sorted catalogue. */
const struct mcp_tool *catalogue_find(const struct catalogue *c, struct bytes name);

/* Frees the list and leaves an empty one. */
void catalogue_done(struct catalogue *c);

#endif
