/* SPDX-License-Identifier: MIT
 *
 * stdout may be a pipe or a terminal whose reader is slow or stopped. The loop must go on
 * meanwhile (Ctrl-C, timeouts), and O_NONBLOCK would change the descriptor for whoever else
 * holds it. So: at most PIPE_BUF bytes are written at a time, and only after poll() said that
 * there is room for them, which never blocks while we are the only writer. To hear of room from
 * the loop the descriptor sits in an epoll of our own, which libuv may make non-blocking.
 *
 * Where much is queued the owner is told, so that it can hold back whoever writes.
 */
#include "cli/out.h"

#include "base/fd.h"
#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_QUEUE = 1 << 20, MAX_BYTES = 1 << 29 };

int out_init(struct out *out, uv_loop_t *loop, int fd)
{
    struct epoll_event event = {.events = EPOLLOUT};
    struct stat info;
    int r;

    *out = (struct out){.fd = fd,
                        .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
                        .at_line_start = true,
                        .queue = buf_max(MAX_BYTES)};
    if (out->epoll_fd < 0) {
        return -errno;
    }
    out->is_socket = fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode);
    if (epoll_ctl(out->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
        fd_close(steal_fd(&out->epoll_fd));
        return 0;
    }
    r = uv_poll_init(loop, &out->poll, out->epoll_fd);
    if (r < 0) {
        fd_close(steal_fd(&out->epoll_fd));
        return r;
    }
    out->poll.data = out;
    return 0;
}

static void set_fault(struct out *out, int error)
{
    if (out->fault == 0) {
        out->fault = error;
        buf_clear(&out->queue);
        out->written = 0;
        if (out->on_fault != NULL) {
            out->on_fault(out->arg, error);
        }
    }
}

static bool has_room(const struct out *out)
{
    struct pollfd room = {.fd = out->fd, .events = POLLOUT};

    return out->epoll_fd < 0 || (poll(&room, 1, 0) == 1 && room.revents != 0);
}

static ssize_t write_some(const struct out *out, struct bytes text)
{
    if (out->epoll_fd >= 0) {
        text = bytes_first(text, PIPE_BUF);
    }
    return out->is_socket ? send(out->fd, text.ptr, text.len, MSG_DONTWAIT | MSG_NOSIGNAL)
                          : write(out->fd, text.ptr, text.len);
}

/* Writes while there is room. */
static void pump(struct out *out)
{
    while (out->written < out->queue.len && has_room(out)) {
        ssize_t n = write_some(out, bytes_from(buf_bytes(&out->queue), out->written));

        if (n < 0 && errno == EAGAIN) {
            break;
        }
        if (n < 0 && errno != EINTR) {
            set_fault(out, -errno);
            return;
        }
        out->written += n > 0 ? (size_t)n : 0;
    }
    /* Moving what is left costs its length: only where at least as much has gone. */
    if (out->written >= out->queue.len - out->written) {
        buf_drop(&out->queue, out->written);
        out->written = 0;
    }
}

static size_t waiting(const struct out *out)
{
    return out->queue.len - out->written;
}

static void update_poll(struct out *out);
static void judge_pace(struct out *out);

static void on_room(uv_poll_t *poll, int status, int events)
{
    struct out *out = poll->data;

    (void)events;
    if (status < 0) {
        set_fault(out, status);
    } else {
        pump(out);
    }
    update_poll(out);
    judge_pace(out);
}

static void update_poll(struct out *out)
{
    bool is_wanted = !out_is_empty(out) && out->epoll_fd >= 0;

    if (is_wanted && !out->is_polling) {
        uv_poll_start(&out->poll, UV_READABLE, on_room);
    } else if (!is_wanted && out->is_polling) {
        uv_poll_stop(&out->poll);
    }
    out->is_polling = is_wanted;
}

/* Tells the owner where the reader has fallen behind, or has caught up. */
static void judge_pace(struct out *out)
{
    size_t bound = out->is_behind ? MAX_QUEUE / 2 : MAX_QUEUE;
    bool is_behind = out->fault == 0 && waiting(out) > bound;

    if (is_behind != out->is_behind) {
        out->is_behind = is_behind;
        if (out->on_pace != NULL) {
            out->on_pace(out->arg, is_behind);
        }
    }
}

void out_put(struct out *out, struct bytes text)
{
    if (text.len == 0 || out->fault != 0) {
        return;
    }
    out->has_text = true;
    out->at_line_start = text.ptr[text.len - 1] == '\n';
    buf_put_bytes(&out->queue, text);
    if (buf_fault(&out->queue) != 0) {
        set_fault(out, buf_fault(&out->queue));
        return;
    }
    pump(out);
    update_poll(out);
    judge_pace(out);
}

size_t out_drop(struct out *out)
{
    size_t dropped = waiting(out);

    out->fault = out->fault == 0 ? -ECANCELED : out->fault;
    buf_clear(&out->queue);
    out->written = 0;
    update_poll(out);
    return dropped;
}

bool out_is_empty(const struct out *out)
{
    return waiting(out) == 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct out *out = handle->data;

    fd_close(steal_fd(&out->epoll_fd));
}

void out_close(struct out *out)
{
    buf_done(&out->queue);
    if (out->epoll_fd >= 0 && !uv_is_closing((uv_handle_t *)&out->poll)) {
        uv_close((uv_handle_t *)&out->poll, on_closed);
    }
}
