/* SPDX-License-Identifier: MIT
 *
 * The live line at the bottom of a terminal while a command waits.
 */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "cli/out.h"

struct live {
    uv_timer_t timer;
    const struct out *out;
    bool is_on;       /* stderr is a terminal that can overwrite a line */
    bool may_disturb; /* stdout is a terminal too: no line in the middle of one of its lines */
    bool is_shown;
    /* Writes the line's text, without line end. */
    void (*compose)(void *arg, struct buf *line);
    void *arg;
};

/* Starts it; does nothing where stderr is no terminal. 0 or -errno. */
int live_init(struct live *live, uv_loop_t *loop, const struct out *out,
              void (*compose)(void *arg, struct buf *line), void *arg);

/* Takes the line away, so that something else can be written; it comes back by itself. */
void live_hide(struct live *live);

/* Takes it away for good and closes the timer. */
void live_close(struct live *live);

#endif
