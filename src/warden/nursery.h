/* SPDX-License-Identifier: MIT
 *
 * The init's zygotes: the one that is asked for cells, and the one that follows it.
 */
#ifndef WARDEN_NURSERY_H
#define WARDEN_NURSERY_H

#include "warden/zygote.h"

enum {
    NURSERY_ZYGOTES = 2,
    /* Cells of one zygote share its address layout and its stack canary: after so many the next
     * one, a program of its own, brings others. One start costs about as much as ten forks. */
    NURSERY_FORKS = 1000,
};

/* What a zygote has said, or, with the word ZYGOTE_LOST, that it is gone. */
struct nursery_event {
    struct zygote_reply reply;
    uint32_t zygote; /* its number */
};

/* Starts the first zygote; 0 or -errno. */
int nursery_start(const struct warden *w);

/* Asks for a cell. NULL with the number of the zygote, or a sentence on why there is none. */
const char *nursery_ask(const struct zygote_request *request, const int *fds, uint32_t *ret_number);

/* The next event, whose sentence lives in p; false where there is none now. */
bool nursery_next(struct packet *p, struct nursery_event *ret);

/* Whether this child is a zygote; a dead one is then told by nursery_next(). */
bool nursery_mark_dead(pid_t pid);

/* Whether any zygote lives, and so may have replies to give. */
bool nursery_is_alive(void);

/* What to poll: the socket of one, or -1. */
int nursery_fd(size_t at);

/* Milliseconds until nursery_tick() has something to do; -1: nothing. */
int nursery_timeout(void);
void nursery_tick(void);

/* Ends them; what they had said is then told by nursery_next(). */
void nursery_kill(void);

#endif
