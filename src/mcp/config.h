/* SPDX-License-Identifier: MIT
 *
 * Config files: which MCP servers there are, and how each is started.
 *
 * The JSON that editors and agents already have: an object "mcpServers" (or "servers", "mcp") of
 * servers by name; comments and trailing commas are allowed. A file that is wrong is refused as
 * a whole with one sentence. A server that is well described but cannot be used here (a variable
 * that is not set, HTTP) keeps its place with a fault of its own. No value is ever put into a
 * sentence: values hold secrets.
 */
#ifndef MCP_CONFIG_H
#define MCP_CONFIG_H

#include "base/buf.h"

enum { MCP_CONFIG_MAX_BYTES = 4 << 20, MCP_CONFIG_MAX_NAME = 128 };

struct mcp_config_server {
    char *name;
    char *file;
    unsigned line;    /* of its object in the file */
    char **argv;      /* the command and its arguments, expanded; NULL at the end */
    char **env;       /* "NAME=value"; NULL at the end */
    char *cwd;        /* or NULL */
    char *shown;      /* the command as the file spells it */
    char *fault;      /* why it cannot be used, or NULL; then argv and env are not whole */
    int64_t start_ms; /* 0: not set */
    int64_t call_ms;  /* 0: not set */
    bool is_disabled;
};

struct mcp_config {
    struct mcp_config_server *servers;
    size_t n;
    size_t cap;
    void (*on_note)(void *arg, const char *sentence); /* keys that are ignored; may be NULL */
    void *arg;
};

/* Adds the servers of a file. 0; or -errno with one sentence in ret_error, the config unchanged. */
int mcp_config_load(struct mcp_config *c, const char *path, struct buf *ret_error);

/* The same for a text; file is what sentences call it. */
int mcp_config_read(struct mcp_config *c, const char *file, struct bytes text,
                    struct buf *ret_error);

/* Frees what it holds. */
void mcp_config_done(struct mcp_config *c);

#endif
