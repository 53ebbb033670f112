/* SPDX-License-Identifier: MIT
 *
 * The MCP client: many servers, one list of tools, calls. The only header of this room that
 * others read.
 *
 *     mcp_new(&options, &m);
 *     mcp_load(m, "servers.json");           for each file; a fault is a sentence in mcp_error()
 *     mcp_connect(m, on_connected, arg);     starts and lists every server, all at once
 *     ... run the loop: on_connected comes when each is listed or has failed
 *     mcp_find(m, bytes_str("files.read_file")), mcp_tool_at(m, i), mcp_server_at(m, i)
 *     mcp_call(m, name, args, on_end, arg, &call);
 *     ... run the loop: on_end comes once, unless mcp_cancel(call) came first
 *     mcp_close(m, on_closed, arg);          on_closed: every process is gone
 *     mcp_free(m);
 *
 * Rules: one thread, one loop. No callback comes from inside a function called here but
 * mcp_close(); every function but mcp_free() may be called from a callback. A server that has died
 * is started again by the next call to it, later each time where it keeps dying. What servers
 * send (descriptions, schemas, results, messages) is untrusted; JSON is checked: legal, nested
 * at most JSON_MAX_DEPTH deep.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include "base/bytes.h"

#include <uv.h>

struct mcp;
struct mcp_call;

struct mcp_options {
    uv_loop_t *loop;
    const char *client_name; /* told to the servers, with the version */
    const char *client_version;
    char *const *keeper;   /* words put before each server's command, NULL at the end; NULL: none.
                              Borrowed for the life of the mcp. See rpc/child.h. */
    int64_t start_ms;      /* for initialize, and for each page of tools; 0: 30 s */
    int64_t call_ms;       /* for each call, from its sending; 0: no limit of ours */
    size_t max_line_bytes; /* of one message from a server; 0: 32 MiB */
    /* A sentence for people: an ignored key, a tool left out, garbage. May be NULL. */
    void (*on_note)(void *arg, const char *sentence);
    /* A server changed its tools: the list is new, and what mcp_tool_at() and mcp_find() gave
     * before dies when this returns. NULL: the list stays as mcp_connect() found it. */
    void (*on_tools)(void *arg);
    void *arg;
};

/* Strings and slices are valid until the list changes or mcp_free(). */
struct mcp_tool {
    const char *name;           /* exact: "server.tool" */
    const char *server;         /* "server" */
    const char *own_name;       /* "tool" */
    struct bytes description;   /* UTF-8, or empty */
    struct bytes input_schema;  /* a JSON object, as the server wrote it */
    struct bytes output_schema; /* a JSON object, or empty */
    struct bytes annotations;   /* a JSON object, or empty */
};

enum mcp_state {
    MCP_WAITING,  /* not settled yet */
    MCP_LISTED,   /* its tools are in the list */
    MCP_FAILED,   /* it could not be started or listed, or used at all: see sentence */
    MCP_DISABLED, /* by its config */
};

struct mcp_server {
    const char *name;
    const char *file; /* the config that describes it */
    unsigned line;
    enum mcp_state state;
    size_t tools;
    const char *sentence; /* why it failed; "" otherwise */
};

enum mcp_end_kind {
    MCP_END_RESULT,    /* result is set; it may tell of an error by "isError": see is_error */
    MCP_END_ERROR,     /* the server refused by a JSON-RPC error: code and message are set */
    MCP_END_TOO_LARGE, /* the answer was over max_line_bytes and is lost; the call took effect */
    MCP_END_TIMED_OUT, /* no answer in the time for calls; the server was told to give up */
    MCP_END_LOST,      /* the server died, answered with nonsense, or could not be started */
};

/* How a call ended; borrowed for the callback. */
struct mcp_end {
    enum mcp_end_kind kind;
    struct bytes result;  /* the bytes of the result object, untouched and checked */
    bool is_error;        /* of a result */
    bool may_have_run;    /* false: the call surely never reached the tool */
    int64_t code;         /* of an error */
    struct bytes message; /* of an error: UTF-8 text */
    const char *sentence; /* for all but a result: names the server and what is known */
};

/* A client with no servers. Strings of the options are copied, keeper is not. 0 or -ENOMEM. */
int mcp_new(const struct mcp_options *options, struct mcp **ret);

/* Adds the servers of a config file; before mcp_connect() only. 0, or -errno with the sentence in
 * mcp_error(), which names the file and line, and nothing added. */
int mcp_load(struct mcp *m, const char *path);

/* Whether the command of each server that can be used is there: 0, or -ENOENT or -EACCES with the
 * sentence in mcp_error(), which names file, line and server. Nothing is started. */
int mcp_check(struct mcp *m);

/* The sentence of the last fault, borrowed. */
const char *mcp_error(const struct mcp *m);

/* Starts all enabled servers at once and lists their tools. on_connected comes once, from the
 * loop, also where there are none. 0 or -ENOMEM. */
int mcp_connect(struct mcp *m, void (*on_connected)(void *arg), void *arg);

/* The servers, in the order of their configs. */
size_t mcp_server_count(const struct mcp *m);
struct mcp_server mcp_server_at(const struct mcp *m, size_t i);

/* The tools of all listed servers, sorted by exact name; borrowed. */
size_t mcp_tool_count(const struct mcp *m);
const struct mcp_tool *mcp_tool_at(const struct mcp *m, size_t i);

/* The tool of an exact name, or NULL. */
const struct mcp_tool *mcp_find(const struct mcp *m, struct bytes name);

/* Calls a tool by its exact name with the bytes of a JSON object; both are copied as needed. 0
 * with *ret, the caller's until on_end came or mcp_cancel(); or -ENOENT (no such tool), -EINVAL
 * (args are no legal JSON object), -ENOBUFS (the server reads too slowly), -EPIPE (it is just
 * ending), -ESHUTDOWN (after mcp_close()), -ENOMEM; then on_end does not come. */
int mcp_call(struct mcp *m, struct bytes name, struct bytes args,
             void (*on_end)(void *arg, const struct mcp_end *end), void *arg,
             struct mcp_call **ret);

/* Gives a call up: the server is told, on_end will not come, the handle is gone. */
void mcp_cancel(struct mcp_call *call);

/* Tells the server that the answer is no longer wanted, and goes on waiting for it: a server may
 * work on all the same, and on_end says when it no longer does. False, and nothing done, where
 * the call was not sent yet. */
bool mcp_ask_cancel(struct mcp_call *call);

/* Ends all servers (see rpc_child_stop() for the times) and all calls, which end as lost.
 * on_closed comes once, when every process is reaped and every handle closed: from the loop, or
 * at once where mcp_connect() was never called. */
void mcp_close(struct mcp *m, void (*on_closed)(void *arg), void *arg);

/* Frees; only before mcp_connect() or after on_closed. NULL is fine. */
void mcp_free(struct mcp *m);

#endif
