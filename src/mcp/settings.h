/* SPDX-License-Identifier: MIT
 *
 * The settings of one server in a config file; for config.c only.
 */
#ifndef MCP_SETTINGS_H
#define MCP_SETTINGS_H

#include "mcp/config.h"

/* Where the reading stands. */
struct settings {
    const char *file;
    struct bytes text;                /* the file as plain JSON */
    struct bytes at;                  /* what a sentence would be about, a slice of text */
    struct mcp_config_server *server; /* or NULL */
    struct buf *error;
    void (*on_note)(void *arg, const char *sentence);
    void *arg;
};

/* The line of a slice of the text. */
unsigned settings_line(const struct settings *s, struct bytes slice);

/* Composes "FILE:LINE: server "NAME": ..." as the error; returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int settings_refuse(struct settings *s, const char *format,
                                                          ...);

/* Fills s->server from its object. 0 (s->server->fault tells what cannot be used here), or
 * -errno with the error composed. */
int settings_read_server(struct settings *s, struct bytes object);

#endif
