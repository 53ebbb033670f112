/* SPDX-License-Identifier: MIT
 *
 * One MCP server as we use it: a session, the child that carries it now, and when the next one
 * may be started.
 *
 * Life: upstream_init(), then anything, then upstream_close(); on_closed comes once, from the loop;
 * after it upstream_done().
 */
#ifndef MCP_UPSTREAM_H
#define MCP_UPSTREAM_H

#include "mcp/config.h"
#include "mcp/session.h"
#include "rpc/child.h"

struct upstream;

struct upstream_events {
    void (*on_settled)(void *arg, struct upstream *u); /* first start: listed, or u->fault told */
    void (*on_tools)(void *arg, struct upstream *u);   /* later: its tools have changed */
    void (*on_note)(void *arg, const char *sentence);
    void (*on_closed)(void *arg, struct upstream *u);
};

struct upstream {
    const struct mcp_config_server *config;
    const struct mcp_options *options;
    const struct upstream_events *events;
    void *arg;
    struct session session;
    struct rpc_child *child; /* the one that is in use, or NULL */
    unsigned children;       /* that are not gone yet */
    uv_timer_t timer;
    int64_t start_at_ms; /* when to start a child; INT64_MAX: nobody wants one */
    int64_t ended_ms;    /* when the last one ended */
    unsigned failures;   /* ends in a row, with no call answered between */
    uint64_t answered;   /* session.answered when that was last looked at */
    bool is_settled;
    bool is_closing;
    bool has_timer;
    struct buf fault; /* why it is not listed */
};

/* Prepares it; nothing runs yet. config and options are borrowed for its life. */
void upstream_init(struct upstream *u, const struct mcp_config_server *config,
                   const struct mcp_options *options, const struct upstream_events *events,
                   void *arg);

/* Starts the server, unless it runs or is about to; from the loop, later where it keeps dying. */
void upstream_start(struct upstream *u);

/* As mcp_call(), for a tool's own name and checked args. */
int upstream_call(struct upstream *u, const char *tool, struct bytes args,
                  void (*on_end)(void *arg, const struct mcp_end *end), void *arg,
                  struct mcp_call **ret);

/* Sets the timer anew; after a cancel. */
void upstream_rearm(struct upstream *u);

/* Ends its calls and its child. */
void upstream_close(struct upstream *u);

/* Frees what it holds. */
void upstream_done(struct upstream *u);

#endif
