/* SPDX-License-Identifier: MIT
 *
 * A signalfd rather than libuv's handlers: whoever waits outside the loop (out.c) can poll it too.
 */
#include "cli/signals.h"

#include "base/fd.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct signals *signals = poll->data;
    struct signalfd_siginfo info;

    (void)events;
    while (status == 0 && read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
        signals->on_signal(signals->arg, (int)info.ssi_signo);
    }
}

static int open_fd(void)
{
    struct sigaction hangup = {0};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    /* A blocked signal is never ignored, so nohup has to be asked for. */
    sigaction(SIGHUP, NULL, &hangup);
    if (hangup.sa_handler != SIG_IGN) {
        sigaddset(&set, SIGHUP);
    }
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) {
        return -errno;
    }
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_init(struct signals *signals, uv_loop_t *loop, void (*on_signal)(void *arg, int number),
                 void *arg)
{
    int r;

    *signals = (struct signals){.fd = open_fd(), .on_signal = on_signal, .arg = arg};
    if (signals->fd < 0) {
        return -errno;
    }
    r = uv_poll_init(loop, &signals->poll, signals->fd);
    if (r < 0) {
        fd_close(steal_fd(&signals->fd));
        return r;
    }
    signals->poll.data = signals;
    uv_unref((uv_handle_t *)&signals->poll);
    return uv_poll_start(&signals->poll, UV_READABLE, on_readable);
}

static void on_closed(uv_handle_t *handle)
{
    struct signals *signals = handle->data;

    fd_close(steal_fd(&signals->fd));
}

void signals_close(struct signals *signals)
{
    if (signals->fd >= 0 && !uv_is_closing((uv_handle_t *)&signals->poll)) {
        uv_close((uv_handle_t *)&signals->poll, on_closed);
    }
}
