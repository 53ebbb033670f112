/* SPDX-License-Identifier: MIT
 *
 * The tools of all servers; see mcp/catalogue.h.
 *
 * Process: the host side. Owns the list only. Two servers "a" and "a.b" can have tools of one exact
 * name ("b.c" and "c"); only the first can be called.
 */
#include "mcp/catalogue.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>

int catalogue_add(struct catalogue *c, const struct toolset *set)
{
    if (mem_reserve(&c->list, &c->cap, c->n + set->n, sizeof *c->list) < 0) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < set->n; i++) {
        c->list[c->n] = set->list[i];
        c->n++;
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct mcp_tool *const *one = a;
    const struct mcp_tool *const *other = b;
    int order = strcmp((*one)->name, (*other)->name);

    return order != 0 ? order : strcmp((*one)->server, (*other)->server);
}

void catalogue_sort(struct catalogue *c, void (*on_note)(void *arg, const char *sentence),
                    void *arg)
{
    size_t kept = 0;

    if (c->n > 1) {
        qsort(c->list, c->n, sizeof *c->list, compare);
    }
    for (size_t i = 0; i < c->n; i++) {
        if (kept > 0 && strcmp(c->list[kept - 1]->name, c->list[i]->name) == 0) {
            _cleanup_(buf_done) struct buf sentence = buf_max(4096);

            buf_printf(&sentence,
                       "tool %s of server \"%s\" is left out: server \"%s\" has one of "
                       "the same exact name",
                       c->list[i]->own_name, c->list[i]->server, c->list[kept - 1]->server);
            on_note(arg, buf_str(&sentence));
            continue;
        }
        c->list[kept] = c->list[i];
        kept++;
    }
    c->n = kept;
}

const struct mcp_tool *catalogue_find(const struct catalogue *c, struct bytes name)
{
    size_t low = 0;
    size_t high = c->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = bytes_compare(name, bytes_str(c->list[middle]->name));

        if (order == 0) {
            return c->list[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

void catalogue_done(struct catalogue *c)
{
    mem_free(c->list);
    *c = (struct catalogue){0};
}
