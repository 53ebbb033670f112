/* SPDX-License-Identifier: MIT
 *
 * A child process that is spoken to by lines over its stdin and stdout, on a libuv loop.
 *
 * It runs in a session and process group of its own, with a short environment. Its stdout is
 * told line by line, of its stderr the last bytes are kept. What is sent to it is queued up to
 * a maximum, never waited for. rpc_child_stop() ends it: stdin closed, 2 s, SIGTERM to the group,
 * 2 s, SIGKILL to the group.
 *
 * Life: after rpc_child_start() answered 0, on_gone comes exactly once, as the last event; the
 * object is freed when it returns. on_death comes at most once, and never after a stop.
 */
#ifndef RPC_CHILD_H
#define RPC_CHILD_H

#include "base/buf.h"

#include <uv.h>

enum { RPC_STDERR_BYTES = 4096, RPC_QUEUE_BYTES = 64 << 20 };

struct rpc_child;

struct rpc_child_events {
    void (*on_line)(void *arg, struct bytes line);     /* borrowed for the call */
    void (*on_overlong)(void *arg, struct bytes ends); /* see lines.h */
    void (*on_death)(void *arg, const char *sentence); /* it ended, or left its end of the talk */
    void (*on_gone)(void *arg);                        /* reaped, and every handle is closed */
};

struct rpc_child_options {
    uv_loop_t *loop;
    char *const *keeper; /* words put before the command; NULL: none. See below. */
    char *const *argv;   /* the command and its arguments, NULL at the end */
    const char *shown;   /* the command as sentences may name it */
    char *const *env;    /* "NAME=value", NULL at the end; over the short environment */
    const char *cwd;     /* NULL: ours */
    size_t max_line_bytes;
    const struct rpc_child_events *events;
    void *arg;
};

/* Starts it. 0 with *ret; or -errno with one sentence in ret_why ("its command x is not found
 * ...") and nothing left behind. Strings are borrowed for the call only. A keeper is a program
 * that runs the command and ends all of its descendants when we die: it is asked twice by SIGTERM
 * before it is killed. */
int rpc_child_start(const struct rpc_child_options *options, struct rpc_child **ret,
                    struct buf *ret_why);

/* Queues one line (a newline is added; it must hold none). 0, -EPIPE where the child reads no
 * more, -ENOBUFS where RPC_QUEUE_BYTES wait already, or -ENOMEM. */
int rpc_child_send(struct rpc_child *c, struct bytes line);

/* Begins to end it; nothing but on_gone comes any more. */
void rpc_child_stop(struct rpc_child *c);

#endif
