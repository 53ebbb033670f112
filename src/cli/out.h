/* SPDX-License-Identifier: MIT
 *
 * stdout of a command that runs on a loop: in order, never blocking the loop for good.
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include "base/buf.h"

#include <uv.h>

struct out {
    int fd;
    int epoll_fd; /* -1: a file, which takes everything at once */
    bool is_socket;
    bool is_polling;
    bool is_behind;     /* the reader is: much waits */
    bool has_text;      /* something was put */
    bool at_line_start; /* what was put ended with a newline, or nothing was */
    int fault;          /* 0, or -errno of the first write that failed: nothing is written after */
    size_t written;     /* bytes at the start of queue that are out already */
    struct buf queue;
    uv_poll_t poll;
    void (*on_fault)(void *arg, int error);     /* once, from out_put() or from the loop */
    void (*on_pace)(void *arg, bool is_behind); /* the reader fell behind, or caught up */
    void *arg;
};

/* Makes it. 0 or -errno. */
int out_init(struct out *out, uv_loop_t *loop, int fd);

/* Writes as much as the reader takes now; the rest goes out from the loop. */
void out_put(struct out *out, struct bytes text);

/* What still waits is dropped, and all that comes; how many bytes waited. */
size_t out_drop(struct out *out);

/* Whether nothing waits. */
bool out_is_empty(const struct out *out);

/* Closes what it opened once nothing waits or it was dropped; fd itself stays open. */
void out_close(struct out *out);

#endif
