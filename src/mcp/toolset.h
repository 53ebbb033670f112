/* SPDX-License-Identifier: MIT
 *
 * The tools of one server, taken from the pages of tools/list.
 */
#ifndef MCP_TOOLSET_H
#define MCP_TOOLSET_H

#include "base/buf.h"
#include "mcp/mcp.h"

enum {
    TOOLSET_MAX_TOOLS = 5000,
    TOOLSET_MAX_BYTES = 64 << 20,
    TOOLSET_MAX_NAME = 256,
};

struct toolset {
    struct mcp_tool **list;
    size_t n;
    size_t cap;
    size_t bytes;
    size_t left_out;   /* tools that were not taken */
    struct buf reason; /* one sentence for each of the first few of them, newline after each */
};

/* Takes the good tools of one page (the checked result of tools/list). 0 with the raw cursor of
 * the next page, empty where this was the last; -EBADMSG where it is no page, -EMSGSIZE past a
 * maximum (what fits is taken), or -ENOMEM. */
int toolset_add_page(struct toolset *set, const char *server, struct bytes result,
                     struct bytes *ret_cursor);

/* Frees the tools and leaves an empty set. */
void toolset_done(struct toolset *set);

#endif
