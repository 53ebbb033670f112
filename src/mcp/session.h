/* SPDX-License-Identifier: MIT
 *
 * The protocol with one server, without process, clock or loop: lines go in, lines and events
 * come out, so that every case can be tried by bytes alone.
 *
 * A session outlives connections: session_start() begins one, session_lose() tells that it is
 * gone. Calls that were not sent yet wait for the next. Legacy era (initialize) only.
 *
 * Events may call session_call() and session_cancel(); only on_failed and on_ready may be used to
 * drop the connection, which the owner does after the function that raised them returned.
 */
#ifndef MCP_SESSION_H
#define MCP_SESSION_H

#include "mcp/toolset.h"

#include <sys/queue.h>

enum { SESSION_MAX_PAGES = 1000, SESSION_RELIST_MS = 200 };

enum session_state {
    SESSION_DOWN,
    SESSION_STARTING, /* initialize is out */
    SESSION_OPEN,     /* calls may be sent */
};

struct session_events {
    int (*send)(void *arg, struct bytes line);          /* one message; 0 or -errno */
    void (*on_ready)(void *arg);                        /* open, and the tools are listed */
    void (*on_failed)(void *arg, const char *sentence); /* this connection is of no use */
    void (*on_tools)(void *arg, struct toolset *old);   /* later: s->tools has changed */
    void (*on_note)(void *arg, const char *sentence);   /* for people */
};

struct mcp_call {
    TAILQ_ENTRY(mcp_call) entry;
    struct session *session;
    uint64_t serial; /* grows along the list */
    int64_t id;      /* 0: not sent yet */
    int64_t due_ms;  /* INT64_MAX: never */
    struct buf params;
    void (*on_end)(void *arg, const struct mcp_end *end);
    void *arg;
};

TAILQ_HEAD(call_list, mcp_call);

struct session {
    const char *name; /* of the server; borrowed */
    const struct session_events *events;
    void *arg;
    const char *client_name;
    const char *client_version;
    int64_t start_ms;
    int64_t call_ms; /* 0: never */
    bool may_relist; /* follow changes of the list after the first listing */
    enum session_state state;
    int64_t last_id;
    uint64_t last_serial;
    int64_t start_id;  /* of initialize; 0: none is out */
    int64_t list_id;   /* of tools/list; 0: none is out */
    int64_t due_ms;    /* of whichever of the two is out */
    int64_t relist_ms; /* when to list again; INT64_MAX: never */
    unsigned pages;
    unsigned repeats;
    bool is_listed;   /* once, on any connection */
    bool is_list_old; /* a change came while listing */
    struct toolset tools;
    struct toolset fresh;   /* while listing */
    struct call_list calls; /* those that were sent first */
    uint64_t garbage;       /* lines that were no message */
    uint64_t overlong;      /* messages that were too large, and nobody's answer */
    uint64_t strays;        /* answers that nobody waits for */
    uint64_t answered;      /* calls */
    struct buf out;         /* the message that is being built */
};

/* An empty session; the caller has set name to call_ms and may_relist. */
void session_init(struct session *s);

/* Frees the tools; there must be no calls left. */
void session_done(struct session *s);

/* A connection is there: sends initialize. */
void session_start(struct session *s, int64_t now_ms);

/* Takes one line, or the ends of one that was too long. */
void session_line(struct session *s, int64_t now_ms, struct bytes line);
void session_overlong(struct session *s, int64_t now_ms, struct bytes ends);

/* The connection is gone: calls that were sent end as lost, those that were not as well where
 * is_final. */
void session_lose(struct session *s, const char *sentence, bool is_final);

/* When session_tick() is due; INT64_MAX: never. */
int64_t session_due(const struct session *s);
void session_tick(struct session *s, int64_t now_ms);

/* Sends a call, or keeps it until the session is open. args is a checked object. 0 or -errno. */
int session_call(struct session *s, int64_t now_ms, const char *tool, struct bytes args,
                 void (*on_end)(void *arg, const struct mcp_end *end), void *arg,
                 struct mcp_call **ret);
void session_cancel(struct mcp_call *call);
/* Tells the server to cancel, and keeps the call. False where it was not sent yet. */
bool session_ask_cancel(struct mcp_call *call);

/* For the files of the session only. */

/* "server "NAME" " and the rest, as a note; and as the fault that ends the connection. */
__attribute__((format(printf, 2, 3))) void session_note(struct session *s, const char *format, ...);
__attribute__((format(printf, 2, 3))) void session_fail(struct session *s, const char *format, ...);

/* Sends s->out and empties it; 0 or -errno. */
int session_send(struct session *s);

/* The listing: begins it; takes its answers. */
void listing_begin(struct session *s, int64_t now_ms);
void listing_take(struct session *s, int64_t now_ms, struct bytes result);
void listing_fault(struct session *s, const char *why);
void listing_changed(struct session *s, int64_t now_ms);

/* The calls: finds one that was sent; ends it; sends those that wait; gives up those overdue. */
struct mcp_call *mcp_calls_find(struct session *s, int64_t id);
void mcp_calls_end(struct mcp_call *call, const struct mcp_end *end);
void mcp_calls_lose(struct mcp_call *call, enum mcp_end_kind kind, bool may_have_run,
                    const char *sentence);
void mcp_calls_flush(struct session *s, int64_t now_ms);
void mcp_calls_tick(struct session *s, int64_t now_ms);

#endif
