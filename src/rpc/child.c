/* SPDX-License-Identifier: MIT
 *
 * A child that speaks in lines; see rpc/child.h.
 *
 * Process: the host side. Owns the process, our ends of its three streams, one timer. Stdin is a
 * socket pair written with MSG_NOSIGNAL, so that a child that is gone raises no SIGPIPE in a
 * program that embeds us. A death is told when stdout and stderr are read to their ends too, or
 * a little later where somebody else holds them open. The group is killed when its leader has
 * ended: what the leader left behind goes with it.
 */
#include "rpc/child.h"

#include "base/fd.h"
#include "base/mem.h"
#include "rpc/command.h"
#include "rpc/lines.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

enum {
    STOP_MS = 2000,  /* between the steps of a stop */
    DRAIN_MS = 250,  /* for the rest of stdout after the end */
    SILENT_MS = 500, /* for the end after stdout or stdin was closed */
    CHUNK_BYTES = 65536,
    LAST_LINES = 16, /* of stderr that are looked through for an error */
};

struct rpc_child {
    uv_process_t process;
    uv_pipe_t out;
    uv_pipe_t err;
    uv_poll_t in;
    uv_timer_t timer;
    int in_fd; /* ours; -1 once closed */
    unsigned open_handles;
    unsigned stop_steps;
    bool has_keeper;
    bool has_process;
    bool has_exited;
    bool has_out_ended;
    bool has_err_ended;
    bool is_stopping;
    bool is_closing;
    bool is_out_of_memory;
    int spawn_fault;
    int64_t status;
    int signal;
    struct lines lines;
    struct buf queue;
    size_t sent; /* of queue */
    struct buf tail;
    const struct rpc_child_events *events;
    void *arg;
    char chunk[CHUNK_BYTES];
};

static void on_closed(uv_handle_t *handle)
{
    struct rpc_child *c = handle->data;

    c->open_handles--;
    if (c->open_handles > 0) {
        return;
    }
    c->events->on_gone(c->arg);
    lines_done(&c->lines);
    buf_done(&c->queue);
    buf_done(&c->tail);
    mem_free(c);
}

static void close_stdin(struct rpc_child *c)
{
    if (c->in_fd < 0) {
        return;
    }
    uv_close((uv_handle_t *)&c->in, on_closed);
    fd_close(steal_fd(&c->in_fd));
}

static void close_all(struct rpc_child *c)
{
    if (c->is_closing) {
        return;
    }
    c->is_closing = true;
    close_stdin(c);
    uv_close((uv_handle_t *)&c->out, on_closed);
    uv_close((uv_handle_t *)&c->err, on_closed);
    uv_close((uv_handle_t *)&c->timer, on_closed);
    uv_close((uv_handle_t *)&c->process, on_closed);
}

static void kill_group(const struct rpc_child *c, int number)
{
    if (c->has_process) {
        kill(-c->process.pid, number);
    }
}

/* Takes the last line off the text, the blank ones after it included; empty at its start. */
static struct bytes take_last_line(struct bytes *text)
{
    struct bytes line;
    size_t end = text->len;
    size_t begin;

    while (end > 0 && text->ptr[end - 1] <= ' ') {
        end--;
    }
    begin = end;
    while (begin > 0 && text->ptr[begin - 1] != '\n') {
        begin--;
    }
    line = bytes_of(text->ptr + begin, end - begin);
    *text = bytes_first(*text, begin);
    return line;
}

static bool has_text(struct bytes line, const char *text)
{
    return line.len > 0 && memmem(line.ptr, line.len, text, strlen(text)) != NULL;
}

/* One line of stderr for people: of the last few the last that speaks of an error, since a runtime
 * ends its report with a trace and more (node with its version); else the last not blank. */
static void put_last_words(struct buf *out, struct bytes tail)
{
    struct bytes last = take_last_line(&tail);
    struct bytes line = last;

    for (int n = 1; n < LAST_LINES && line.len > 0 && !has_text(line, "rror"); n++) {
        line = take_last_line(&tail);
    }
    line = has_text(line, "rror") ? line : last;
    if (line.len > 0) {
        buf_put_str(out, "; its stderr says: ");
        rpc_put_clean(out, line, 300);
    }
}

static void put_death(struct buf *out, const struct rpc_child *c)
{
    int64_t number = c->signal;

    if (number == 0 && c->has_keeper && c->status > 128 && c->status < 128 + 65) {
        number = c->status - 128;
    }
    if (c->spawn_fault != 0) {
        buf_printf(out, "could not be started: %s", uv_strerror(c->spawn_fault));
    } else if (c->is_out_of_memory) {
        buf_put_str(out, "sent more than there is memory for");
    } else if (!c->has_exited) {
        buf_put_str(out, "closed its end of the connection");
    } else if (number != 0) {
        buf_printf(out, "was ended by signal %d (%s)", (int)number, strsignal((int)number));
    } else {
        buf_printf(out, "ended with status %d", (int)c->status);
    }
    put_last_words(out, buf_bytes(&c->tail));
}

static void die(struct rpc_child *c)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(1024);

    if (c->is_stopping) {
        return;
    }
    put_death(&sentence, c);
    /* A stop first: nothing but on_gone may follow the event, whatever its receiver does. */
    rpc_child_stop(c);
    c->events->on_death(c->arg, buf_str(&sentence));
}

static void on_timer(uv_timer_t *timer)
{
    struct rpc_child *c = timer->data;
    bool is_asked_again = c->has_keeper && c->stop_steps == 1;

    if (!c->is_stopping) {
        die(c);
        return;
    }
    kill_group(c, c->stop_steps == 0 || is_asked_again ? SIGTERM : SIGKILL);
    c->stop_steps++;
    uv_timer_start(timer, on_timer, STOP_MS, 0);
}

void rpc_child_stop(struct rpc_child *c)
{
    if (c->is_stopping) {
        return;
    }
    c->is_stopping = true;
    close_stdin(c);
    if (c->has_exited || !c->has_process) {
        close_all(c);
        return;
    }
    uv_timer_start(&c->timer, on_timer, STOP_MS, 0);
}

static void on_exit(uv_process_t *process, int64_t status, int number)
{
    struct rpc_child *c = process->data;

    c->has_exited = true;
    c->status = status;
    c->signal = number;
    kill_group(c, SIGKILL);
    if (c->is_stopping) {
        close_all(c);
    } else if (c->has_out_ended && c->has_err_ended) {
        die(c);
    } else {
        uv_timer_start(&c->timer, on_timer, DRAIN_MS, 0);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret)
{
    struct rpc_child *c = handle->data;

    (void)suggested;
    *ret = uv_buf_init(c->chunk, sizeof c->chunk);
}

/* A stream ended: what is known now may be all that will be. */
static void note_end(struct rpc_child *c)
{
    if (c->is_stopping) {
        return;
    }
    if (c->has_exited && c->has_out_ended && c->has_err_ended) {
        die(c);
    } else if (c->has_out_ended && !c->has_exited) {
        uv_timer_start(&c->timer, on_timer, SILENT_MS, 0);
    }
}

static void tell_lines(struct rpc_child *c)
{
    while (!c->is_stopping) {
        struct bytes line;

        switch (lines_next(&c->lines, &line)) {
        case LINES_LINE:
            c->events->on_line(c->arg, line);
            break;
        case LINES_OVERLONG:
            c->events->on_overlong(c->arg, line);
            break;
        default:
            return;
        }
    }
}

static void on_out(uv_stream_t *stream, ssize_t n, const uv_buf_t *chunk)
{
    struct rpc_child *c = stream->data;

    if (n > 0 && !c->is_stopping) {
        if (lines_feed(&c->lines, bytes_of(chunk->base, (size_t)n)) < 0) {
            c->is_out_of_memory = true;
            die(c);
            return;
        }
        tell_lines(c);
    } else if (n < 0) {
        uv_read_stop(stream);
        c->has_out_ended = true;
        note_end(c);
    }
}

static void on_err(uv_stream_t *stream, ssize_t n, const uv_buf_t *chunk)
{
    struct rpc_child *c = stream->data;

    if (n > 0) {
        struct bytes fresh = bytes_of(chunk->base, (size_t)n);

        if (fresh.len > RPC_STDERR_BYTES) {
            fresh = bytes_from(fresh, fresh.len - RPC_STDERR_BYTES);
        }
        if (c->tail.len + fresh.len > RPC_STDERR_BYTES) {
            buf_drop(&c->tail, c->tail.len + fresh.len - RPC_STDERR_BYTES);
        }
        buf_put_bytes(&c->tail, fresh);
    } else if (n < 0) {
        uv_read_stop(stream);
        c->has_err_ended = true;
        note_end(c);
    }
}

/* Sends what the socket takes; returns whether some is left, or -errno. */
static int flush(struct rpc_child *c)
{
    while (c->sent < c->queue.len) {
        ssize_t n = send(c->in_fd, c->queue.data + c->sent, c->queue.len - c->sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EAGAIN) {
            return 1;
        }
        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        c->sent += n > 0 ? (size_t)n : 0;
    }
    buf_clear(&c->queue);
    c->sent = 0;
    if (c->queue.cap > CHUNK_BYTES * 16) {
        buf_done(&c->queue);
    }
    return 0;
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    struct rpc_child *c = poll->data;
    int left = status < 0 ? status : flush(c);

    (void)events;
    if (left == 0) {
        uv_poll_stop(poll);
    } else if (left < 0) {
        close_stdin(c);
        if (!c->is_stopping && !c->has_exited) {
            uv_timer_start(&c->timer, on_timer, SILENT_MS, 0);
        }
    }
}

int rpc_child_send(struct rpc_child *c, struct bytes line)
{
    if (c->in_fd < 0 || c->is_stopping) {
        return -EPIPE;
    }
    if (line.len >= RPC_QUEUE_BYTES - (c->queue.len - c->sent)) {
        return -ENOBUFS;
    }
    if (c->sent > RPC_QUEUE_BYTES / 2) {
        buf_drop(&c->queue, c->sent);
        c->sent = 0;
    }
    buf_put_bytes(&c->queue, line);
    buf_put_u8(&c->queue, '\n');
    if (buf_fault(&c->queue) != 0) {
        return buf_fault(&c->queue);
    }
    uv_poll_start(&c->in, UV_WRITABLE, on_writable);
    return 0;
}

/* Handles that count: each is closed once, by on_closed. */
static void init_handles(struct rpc_child *c, uv_loop_t *loop)
{
    uv_pipe_init(loop, &c->out, 0);
    uv_pipe_init(loop, &c->err, 0);
    uv_timer_init(loop, &c->timer);
    uv_poll_init(loop, &c->in, c->in_fd);
    c->out.data = c;
    c->err.data = c;
    c->timer.data = c;
    c->in.data = c;
    c->process.data = c;
    c->open_handles = 5;
}

static void spawn(struct rpc_child *c, const struct rpc_child_options *o, char **argv, char **env,
                  int child_fd)
{
    uv_stdio_container_t stdio[] = {
        {.flags = UV_INHERIT_FD, .data.fd = child_fd},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&c->out},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&c->err},
    };
    uv_process_options_t options = {
        .exit_cb = on_exit,
        .file = argv[0],
        .args = argv,
        .env = env,
        .cwd = o->cwd,
        .flags = UV_PROCESS_DETACHED,
        .stdio_count = 3,
        .stdio = stdio,
    };

    c->spawn_fault = uv_spawn(o->loop, &c->process, &options);
    c->has_process = c->spawn_fault == 0;
    if (c->has_process) {
        uv_read_start((uv_stream_t *)&c->out, on_alloc, on_out);
        uv_read_start((uv_stream_t *)&c->err, on_alloc, on_err);
    } else {
        uv_timer_start(&c->timer, on_timer, 0, 0);
    }
}

int rpc_child_start(const struct rpc_child_options *options, struct rpc_child **ret,
                    struct buf *ret_why)
{
    _cleanup_(free_p) char **argv = rpc_command_argv(options->keeper, options->argv);
    _cleanup_(free_p) char **env = rpc_command_env(options->env);
    int fds[2];
    int result = argv == NULL || env == NULL ? -ENOMEM : 0;
    struct rpc_child *c;

    if (result == 0) {
        result = rpc_command_find(options->argv[0], options->shown, env, options->cwd, ret_why);
    }
    if (result != 0) {
        return result;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
        result = -errno;
        buf_printf(ret_why, "could not be started: %s", strerror(errno));
        return result;
    }
    c = mem_new(sizeof *c);
    if (c == NULL) {
        fd_close(fds[0]);
        fd_close(fds[1]);
        return -ENOMEM;
    }
    c->in_fd = fds[0];
    fd_set_nonblock(c->in_fd, true);
    c->has_keeper = options->keeper != NULL && options->keeper[0] != NULL;
    c->events = options->events;
    c->arg = options->arg;
    c->queue = buf_max(RPC_QUEUE_BYTES * (size_t)2);
    c->tail = buf_max(RPC_STDERR_BYTES);
    lines_init(&c->lines, options->max_line_bytes);
    init_handles(c, options->loop);
    spawn(c, options, argv, env, fds[1]);
    fd_close(fds[1]);
    *ret = c;
    return 0;
}
