/* SPDX-License-Identifier: MIT
 *
 * One real run of src/host without a warden and without a process: the test writes and reads the
 * cell's end of the socket itself, tells its death, and says what time it is.
 *
 * The monotonic clock is the test's own (clock_gettime() is defined here, for this program and for
 * libuv): it stands until play_pass() moves it. Failures of the play itself abort.
 */
#ifndef UNIT_RUN_PLAY_H
#define UNIT_RUN_PLAY_H

#include "base/fd.h"
#include "base/mem.h"
#include "host/inside.h"
#include "host/pool.h"
#include "host/runs.h"
#include "host/toolset.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PLAY_START_MS = 1000 * 1000, PLAY_TURNS = 4 };

/* Ready cells are of another budget than any run asks for, so that none is made ahead. */
#define PLAY_HOST_MEMORY ((int64_t)64 * 1024 * 1024)

struct play {
    uv_loop_t loop;
    struct host *host;
    struct toolset *tools;
    struct run *run;
    struct cell *cell; /* NULL: none yet, or its death was told */
    int fd;            /* the cell's end; -1: closed */
    bool is_closed;
};

static int64_t play_now_us = (int64_t)PLAY_START_MS * 1000;

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *t)
{
    if (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_COARSE) {
        return (int)syscall(SYS_clock_gettime, id, t);
    }
    *t =
        (struct timespec){.tv_sec = play_now_us / 1000000, .tv_nsec = play_now_us % 1000000 * 1000};
    return 0;
}

/* A few turns of the loop, none of which waits. */
static inline void play_turn(struct play *p)
{
    for (int i = 0; i < PLAY_TURNS; i++) {
        uv_run(&p->loop, UV_RUN_NOWAIT);
    }
}

static inline void play_pass(struct play *p, int64_t ms)
{
    play_now_us += ms * 1000;
    play_turn(p);
}

static inline void play_on_closed(void *arg)
{
    ((struct play *)arg)->is_closed = true;
}

/* A host on a loop of its own, its walls up; names ends with NULL. */
static inline void play_open(struct play *p, const char *const *names)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct tool tools[8] = {0};
    size_t n = 0;

    for (; n < ARRAY_SIZE(tools) && names[n] != NULL; n++) {
        tools[n] = (struct tool){.name = bytes_str(names[n]),
                                 .description = bytes_none(),
                                 .input_schema = bytes_none(),
                                 .output_schema = bytes_none()};
    }
    *p = (struct play){.fd = -1};
    assert(uv_loop_init(&p->loop) == 0);
    assert(toolset_new(tools, n, &p->tools, &sentence) == 0);
    p->host = mem_new(sizeof *p->host);
    assert(p->host != NULL);
    *p->host = (struct host){
        .options = {.loop = &p->loop, .max_cells = 4, .memory = PLAY_HOST_MEMORY},
        .loop = &p->loop,
        .control = -1,
        .words = -1,
        .warden_pidfd = -1,
        .is_up = true,
        .handles = 2,
        .walls = buf_max(64),
        .error = buf_max(64),
        .last_words = buf_max(64),
    };
    p->host->runs_end = &p->host->runs;
    uv_idle_init(&p->loop, &p->host->idle);
    uv_timer_init(&p->loop, &p->host->pool_timer);
    p->host->idle.data = p->host;
    p->host->pool_timer.data = p->host;
}

static inline void play_send(struct play *p, struct bytes bytes);

/* Starts a run and says hello for its cell; the limits may be any but for the memory above. */
static inline void play_start(struct play *p, const struct limits *limits,
                              const struct run_callbacks *callbacks, void *arg)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    _cleanup_(buf_done) struct buf hello = buf_max(64);
    struct wire_hello m = {.version = WIRE_VERSION, .walls = 63};
    struct run_input input = {
        .code = bytes_str("0"),
        .language = WIRE_JAVASCRIPT,
        .tools = p->tools,
        .limits = *limits,
        .callbacks = *callbacks,
        .arg = arg,
    };

    assert(limits->memory != PLAY_HOST_MEMORY);
    assert(run_start(p->host, &input, &p->run, &sentence) == 0);
    p->cell = p->host->cells;
    assert(p->cell != NULL && p->cell->next == NULL && p->cell->wants_spawn);
    p->cell->wants_spawn = false;
    p->fd = steal_fd(&p->cell->remote_socket);
    wire_put_hello(&hello, &m);
    play_send(p, buf_bytes(&hello));
    play_turn(p);
    assert(p->run->cell == p->cell);
}

/* The cell writes; the loop turns where the socket is full; what a host that listens no more does
 * not take is lost. */
static inline void play_send(struct play *p, struct bytes bytes)
{
    int idle = 0;

    while (p->fd >= 0 && bytes.len > 0 && idle < 8) {
        ssize_t n = send(p->fd, bytes.ptr, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN) {
            break;
        }
        idle = n < 0 ? idle + 1 : 0;
        bytes = bytes_from(bytes, n < 0 ? 0 : (size_t)n);
        if (bytes.len > 0) {
            play_turn(p);
        }
    }
}

/* The cell reads what is there, at most max bytes of it; how much. */
static inline size_t play_read(struct play *p, size_t max)
{
    static uint8_t junk[65536];
    size_t total = 0;

    while (p->fd >= 0 && total < max) {
        size_t want = max - total < sizeof junk ? max - total : sizeof junk;
        ssize_t n = recv(p->fd, junk, want, MSG_DONTWAIT);

        if (n <= 0) {
            break;
        }
        total += (size_t)n;
    }
    return total;
}

/* Reads as long as the host writes. */
static inline void play_read_all(struct play *p)
{
    while (play_read(p, SIZE_MAX) > 0) {
        play_turn(p);
    }
}

static inline void play_hang_up(struct play *p)
{
    fd_close(steal_fd(&p->fd));
}

/* The warden tells its death. Once. */
static inline void play_die(struct play *p, int status)
{
    struct wire_died m = {.status = (uint32_t)status, .sentence = bytes_none()};

    if (p->cell != NULL) {
        m.cell = p->cell->id;
        play_hang_up(p);
        p->cell = NULL;
        pool_died(p->host, &m);
    }
}

/* After the run's ending: nothing is left on the loop. The run is freed by its owner, before. */
static inline void play_close(struct play *p)
{
    assert(p->cell == NULL && p->host->cells == NULL);
    p->host->is_warden_gone = true;
    host_close(p->host, play_on_closed, p);
    for (int i = 0; i < 8 && !p->is_closed; i++) {
        play_turn(p);
    }
    assert(p->is_closed);
    host_free(p->host);
    toolset_free(p->tools);
    assert(uv_loop_close(&p->loop) == 0);
}

#endif
