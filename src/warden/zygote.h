/* SPDX-License-Identifier: MIT
 *
 * The zygote: holds a ready engine and forks cells from it. And its parent's side.
 */
#ifndef WARDEN_ZYGOTE_H
#define WARDEN_ZYGOTE_H

#include "warden/packet.h"
#include "warden/warden.h"

#include <sys/types.h>

/* What a zygote is asked: descriptors are the cell's socket and its page. */
struct zygote_request {
    uint32_t slot; /* named again in the reply */
    uint32_t memory_bytes;
    uint32_t uid;
};

enum zygote_word {
    ZYGOTE_READY = 1, /* it can fork cells */
    ZYGOTE_BROKEN,    /* it cannot be made; sentence says why, error is an errno */
    ZYGOTE_MADE,      /* slot's cell has this pid */
    ZYGOTE_FAILED,    /* slot's cell could not be forked; error is an errno */
    ZYGOTE_LOST,      /* never sent: it is gone (nursery.h) */
};

struct zygote_reply {
    uint32_t word; /* enum zygote_word */
    uint32_t slot;
    uint32_t pid;
    uint32_t error;
    struct bytes sentence; /* borrowed from the packet */
};

/* Starts a zygote: this program once more, as `torno-warden --zygote`. 0 with its pid and the
 * socket to it, or -errno. */
int zygote_start(const struct warden *w, pid_t *ret_pid, int *ret_socket);

/* Sends a request; never blocks: as packet_send(). */
int zygote_ask(int socket, const struct zygote_request *request, const int *fds);

/* The program of a zygote: the pid of its parent, and letters for what that has found (see
 * zygote_start). */
__attribute__((noreturn)) void zygote_main(pid_t parent, const char *letters);

/* Takes a reply apart; 0 or -EBADMSG. */
int zygote_read(struct bytes data, struct zygote_reply *ret);

#endif
