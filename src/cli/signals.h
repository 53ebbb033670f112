/* SPDX-License-Identifier: MIT
 *
 * SIGINT, SIGTERM and SIGHUP as events of a loop.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <uv.h>

struct signals {
    int fd; /* readable while a signal waits */
    uv_poll_t poll;
    void (*on_signal)(void *arg, int number);
    void *arg;
};

/* From now on the three signals no longer end the process (SIGHUP stays ignored under nohup). They
 * do not keep the loop alive. 0 or -errno. */
int signals_init(struct signals *signals, uv_loop_t *loop, void (*on_signal)(void *arg, int number),
                 void *arg);
void signals_close(struct signals *signals);

#endif
