/* SPDX-License-Identifier: MIT
 *
 * The socket of one cell; see host/link.h.
 *
 * Reads grow with what has come, never by a length that was announced; a frame's type and size
 * are judged as soon as its head is there. Reading stops after a share, so that a flood in one
 * cell leaves time for the others. Writes never wait: what the socket does not take goes when it
 * is writable. A write error is no fault: the cell's death is told by the warden.
 */
#include "host/link.h"

#include "base/fd.h"
#include "base/mem.h"
#include "host/calls.h"
#include "host/pool.h"
#include "host/runs.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum {
    READ_SHARE_BYTES = 1024 * 1024,
    KEEP_BYTES = 1024 * 1024, /* of input memory between frames */
};

static void on_poll(uv_poll_t *poll, int status, int events);

struct out_frame *link_frame_room(struct bytes head, size_t len, int slot)
{
    struct out_frame *f = mem_new(sizeof *f + head.len + len);

    if (f == NULL) {
        return NULL;
    }
    memcpy(f->head, head.ptr, head.len);
    f->head_len = head.len + len;
    f->tail = bytes_none();
    f->slot = slot;
    return f;
}

struct out_frame *link_frame(struct bytes head, struct bytes tail, int slot)
{
    struct out_frame *f = link_frame_room(head, 0, slot);

    if (f != NULL) {
        f->tail = tail;
    }
    return f;
}

static void poll_for(struct cell *c)
{
    int events = 0;

    if (c->is_open && !c->has_eof && !c->is_held) {
        events |= UV_READABLE | UV_DISCONNECT;
    }
    if (c->is_open && c->out != NULL) {
        events |= UV_WRITABLE;
    }
    if (events != 0) {
        uv_poll_start(&c->poll, events, on_poll);
    } else {
        uv_poll_stop(&c->poll);
    }
}

static void drop_frame(struct cell *c)
{
    struct out_frame *f = c->out;

    c->out = f->next;
    if (c->out == NULL) {
        c->out_end = &c->out;
    }
    mem_free(f);
}

/* Writes what is left of a frame: 1 whole, 0 later, -errno. */
static int write_frame(const struct cell *c, struct out_frame *f)
{
    for (;;) {
        struct bytes head = bytes_from(bytes_of(f->head, f->head_len), f->at);
        struct bytes tail = bytes_from(f->tail, f->at < f->head_len ? 0 : f->at - f->head_len);
        struct iovec parts[2] = {
            {.iov_base = (void *)(uintptr_t)head.ptr, .iov_len = head.len},
            {.iov_base = (void *)(uintptr_t)tail.ptr, .iov_len = tail.len},
        };
        struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
        ssize_t n;

        if (head.len + tail.len == 0) {
            return 1;
        }
        n = sendmsg(c->socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
        }
        f->at += (size_t)n;
    }
}

static void write_some(struct cell *c)
{
    while (c->is_open && c->out != NULL) {
        int slot = c->out->slot;
        int r = write_frame(c, c->out);

        if (r == 0) {
            break;
        }
        if (r < 0) {
            while (c->out != NULL) {
                drop_frame(c);
            }
            break;
        }
        drop_frame(c);
        if (slot >= 0 && c->run != NULL) {
            run_answer_written(c->run, slot);
        }
    }
}

void link_send_take(struct cell *c, struct out_frame *f)
{
    if (!c->is_open) {
        mem_free(f);
        return;
    }
    *c->out_end = f;
    c->out_end = &f->next;
    if (c->out == f) {
        write_some(c);
        if (c->out != NULL) {
            poll_for(c);
        }
    }
}

bool link_holds(const struct cell *c, enum frame_kind kind)
{
    for (const struct out_frame *f = c->out; f != NULL; f = f->next) {
        if (f->slot == (int)kind) {
            return true;
        }
    }
    return false;
}

void link_drop_queued(struct cell *c)
{
    struct out_frame **at = &c->out;

    if (*at != NULL && (*at)->at > 0) {
        at = &(*at)->next;
    }
    while (*at != NULL) {
        struct out_frame *f = *at;

        *at = f->next;
        mem_free(f);
    }
    c->out_end = at;
}

static void fault(struct cell *c, const char *sentence)
{
    link_shut(c);
    if (c->run != NULL) {
        run_breach(c->run, sentence);
    } else {
        pool_fault(c);
    }
}

static void fault_state(struct cell *c, uint32_t type)
{
    _cleanup_(buf_done) struct buf s = buf_max(WIRE_MAX_SENTENCE);

    if (c->state == WIRE_ST_ENDED) {
        buf_printf(&s, "it sent \"%s\" after it had said how the script ended", wire_name(type));
    } else if (strcmp(wire_name(type), "unknown") == 0) {
        buf_printf(&s, "it sent a message of unknown type %u", type);
    } else {
        buf_printf(&s, "it sent \"%s\", which is not its to send now", wire_name(type));
    }
    fault(c, buf_str(&s));
}

static void fault_frame(struct cell *c, int code)
{
    _cleanup_(buf_done) struct buf s = buf_max(WIRE_MAX_SENTENCE);

    if (code == -EMSGSIZE) {
        buf_printf(&s, "it sent a message longer than max_frame (%zu bytes)", c->max_frame);
    } else {
        buf_put_str(&s, "it sent a message of no length");
    }
    fault(c, buf_str(&s));
}

static void deliver(struct cell *c, const struct frame *f)
{
    if (c->run != NULL) {
        run_frame(c->run, f);
    } else {
        pool_frame(c, f);
    }
}

/* An ending past max_frame, but not past what a cell may know of: its value is too long, and it
 * cannot know that. */
static bool is_long_ending(const struct cell *c, struct bytes rest)
{
    struct reader r = reader_of(rest);

    return c->run != NULL && rest.ptr[4] == WIRE_MSG_ending &&
           reader_u32(&r) <= WIRE_MAX_FRAME_FROM_CELL + 1;
}

/* One frame at the start of rest: its size, or 0 where there is none (any more). */
static size_t take_frame(struct cell *c, struct bytes rest)
{
    struct frame f;
    int r = frame_next(rest, c->max_frame, &f);

    if (rest.len < FRAME_HEADER_BYTES && r != -EBADMSG) {
        return 0;
    }
    if (rest.len >= FRAME_HEADER_BYTES && wire_check(rest.ptr[4], WIRE_CELL, c->state) < 0) {
        fault_state(c, rest.ptr[4]);
        return 0;
    }
    if (r == -EMSGSIZE && is_long_ending(c, rest)) {
        link_shut(c);
        run_oversize(c->run);
        return 0;
    }
    if (r < 0) {
        fault_frame(c, r);
        return 0;
    }
    if (r == FRAME_E_AGAIN) {
        return 0;
    }
    deliver(c, &f);
    return f.size;
}

static void take_frames(struct cell *c)
{
    size_t at = 0;

    while (c->is_open && !c->is_held) {
        size_t n = take_frame(c, bytes_from(buf_bytes(&c->in), at));

        if (n == 0) {
            break;
        }
        at += n;
    }
    buf_drop(&c->in, at);
    if (c->in.len == 0 && c->in.cap > KEEP_BYTES) {
        buf_done(&c->in);
    }
}

/* As recv(); the first bytes of a cell also tell its process. */
static ssize_t receive(struct cell *c, uint8_t *at)
{
    union {
        char space[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr align;
    } control;
    struct iovec part = {.iov_base = at, .iov_len = LINK_READ_BYTES};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control.space,
                       .msg_controllen = sizeof control.space};
    struct cmsghdr *head;
    ssize_t n;

    if (c->pid != 0) {
        return recv(c->socket, at, LINK_READ_BYTES, MSG_DONTWAIT);
    }
    n = recvmsg(c->socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    head = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_CREDENTIALS) {
        struct ucred who;

        memcpy(&who, CMSG_DATA(head), sizeof who);
        c->pid = who.pid;
    }
    return n;
}

/* Reads once: 1 more may be there, 0 not now, -1 the end. */
static int read_once(struct cell *c, size_t *ret_n)
{
    uint8_t *at = buf_grow(&c->in, LINK_READ_BYTES);
    ssize_t n;

    if (at == NULL) {
        fault(c, "the host had no memory for its message");
        return 0;
    }
    n = receive(c, at);
    c->in.len -= LINK_READ_BYTES - (n > 0 ? (size_t)n : 0);
    *ret_n = n > 0 ? (size_t)n : 0;
    if (n > 0) {
        return 1;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return 0;
    }
    return -1;
}

/* Reads at most about max bytes; how many came. */
static size_t read_some(struct cell *c, size_t max)
{
    size_t total = 0;

    while (c->is_open && !c->has_eof && !c->is_held && total < max) {
        size_t n = 0;
        int r = read_once(c, &n);

        total += n;
        if (r < 0) {
            c->has_eof = true;
        } else if (r == 0) {
            break;
        } else {
            take_frames(c);
            if (n < LINK_READ_BYTES) {
                break;
            }
        }
    }
    return total;
}

/* Its process is gone or hears nothing more: what it asked goes nowhere from now on, read already
 * or not. */
static void stop_calls(struct cell *c)
{
    if (c->run != NULL) {
        calls_stop(c->run);
    }
}

static void tell_eof(struct cell *c)
{
    if (c->is_dead) {
        return;
    }
    stop_calls(c);
    if (c->run != NULL) {
        run_eof(c->run);
    } else {
        pool_fault(c);
    }
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct cell *c = poll->data;
    bool had_eof = c->has_eof;

    if (status < 0 || (events & UV_DISCONNECT) != 0) {
        stop_calls(c);
        events |= UV_READABLE;
    }
    if ((events & UV_WRITABLE) != 0) {
        write_some(c);
    }
    if ((events & UV_READABLE) != 0) {
        read_some(c, READ_SHARE_BYTES);
    }
    if (uv_is_closing((uv_handle_t *)&c->poll)) {
        return;
    }
    poll_for(c);
    if (c->has_eof && !had_eof && c->is_open) {
        tell_eof(c);
    }
}

int link_open(struct cell *c)
{
    c->in = buf_max((size_t)WIRE_MAX_FRAME_FROM_CELL + 2 * (size_t)LINK_READ_BYTES);
    c->out_end = &c->out;
    if (uv_poll_init(c->host->loop, &c->poll, c->socket) < 0) {
        return -ENOMEM;
    }
    host_opened(c->host);
    c->poll.data = c;
    c->is_open = true;
    c->max_frame = WIRE_MAX_PACKET;
    poll_for(c);
    return 0;
}

void link_hold(struct cell *c, bool is_held)
{
    c->is_held = is_held;
    if (c->is_open && !uv_is_closing((uv_handle_t *)&c->poll)) {
        poll_for(c);
    }
}

void link_resume(struct cell *c)
{
    if (c->in.len > 0) {
        take_frames(c);
    }
}

void link_drain(struct cell *c)
{
    stop_calls(c);
    c->is_held = false;
    link_resume(c); /* what was held back came first */
    while (c->is_open && !c->has_eof && read_some(c, READ_SHARE_BYTES) > 0) {
    }
}

void link_shut(struct cell *c)
{
    c->is_open = false;
    while (c->out != NULL) {
        drop_frame(c);
    }
    if (!uv_is_closing((uv_handle_t *)&c->poll)) {
        uv_poll_stop(&c->poll);
    }
}

static void on_closed(uv_handle_t *handle)
{
    struct cell *c = handle->data;
    struct host *host = c->host;

    fd_close(c->socket);
    fd_close(c->remote_socket);
    fd_close(c->page_fd);
    fd_close(c->pidfd);
    if (c->page != NULL) {
        munmap(c->page, WIRE_PAGE_BYTES);
    }
    buf_done(&c->in);
    buf_done(&c->died_sentence);
    mem_free(c);
    host_handle_closed(host);
}

void link_close(struct cell *c)
{
    link_shut(c);
    uv_close((uv_handle_t *)&c->poll, on_closed);
}
