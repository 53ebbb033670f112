/* SPDX-License-Identifier: MIT
 *
 * Cells ahead of need; see host/pool.h.
 *
 * A cell is made here (its socket and its page), forked by the warden, ready when its hello has
 * come, used by one run, and gone when the warden has told its death. The number wanted ready
 * starts at the option, grows by one with each run that finds none, and shrinks while no run comes.
 * Cells that die before they are ready slow the next fork, and after a few in a row the runs
 * that wait are ended with what the warden said.
 */
#include "host/pool.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/control.h"
#include "host/link.h"
#include "host/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_READY = 8,
    MAX_YOUNG_DEATHS = 3,
    YOUNG_DELAY_MS = 50,
    REFILL_DELAY_MS = 5,
    HELLO_MS = 30000,   /* from the wish for a cell to its hello */
    OBITUARY_MS = 5000, /* from a kill to the warden's word that it is done */
    LATE_LOOK_MS = 500, /* what waits in the channel is read first */
    SHRINK_MS = 9000,   /* without a script, until one less is kept ready */
};

#define WALLS_NEEDED ((uint32_t)WIRE_WALL_SECCOMP | WIRE_WALL_NO_NEW_PRIVS | WIRE_WALL_LIMITS)

/* Past a file-size limit, making the page would be a signal, and might end the program we are in.
 */
static bool may_make_page(void)
{
    struct rlimit most;

    return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur >= WIRE_PAGE_BYTES;
}

static int make_page(struct cell *c)
{
    void *page;

    if (!may_make_page()) {
        return -EFBIG;
    }
    c->page_fd = memfd_create("torno-page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (c->page_fd < 0 || ftruncate(c->page_fd, WIRE_PAGE_BYTES) < 0 ||
        fcntl(c->page_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        return -errno;
    }
    page = mmap(NULL, WIRE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, c->page_fd, 0);
    if (page == MAP_FAILED) {
        return -errno;
    }
    c->page = page;
    return 0;
}

static int make_socket(struct cell *c)
{
    int pair[2];
    int yes = 1;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        return -errno;
    }
    c->socket = pair[0];
    c->remote_socket = pair[1];
    /* The kernel then tells with the hello which process sent it. */
    if (setsockopt(c->socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) < 0) {
        return -errno;
    }
    return fd_set_nonblock(c->socket, true);
}

static void free_unmade(struct cell *c)
{
    fd_close(c->socket);
    fd_close(c->remote_socket);
    fd_close(c->page_fd);
    if (c->page != NULL) {
        munmap(c->page, WIRE_PAGE_BYTES);
    }
    mem_free(c);
}

/* The oldest first: they are used first. */
static void append(struct host *host, struct cell *cell)
{
    struct cell **at = &host->cells;

    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = cell;
}

static int make_cell(struct host *host, uint32_t memory_bytes)
{
    struct cell *c = mem_new(sizeof *c);
    int r;

    if (c == NULL) {
        return -ENOMEM;
    }
    *c = (struct cell){.host = host,
                       .id = ++host->next_cell,
                       .memory_bytes = memory_bytes,
                       .state = WIRE_ST_NEW,
                       .socket = -1,
                       .remote_socket = -1,
                       .page_fd = -1,
                       .pidfd = -1,
                       .kill_at_ms = clock_now_ms() + HELLO_MS,
                       .died_sentence = buf_max(WIRE_MAX_SENTENCE),
                       .wants_spawn = true};
    r = make_socket(c);
    if (r == 0) {
        r = make_page(c);
    }
    if (r == 0) {
        r = link_open(c);
    }
    if (r < 0) {
        free_unmade(c);
        return r;
    }
    append(host, c);
    return 0;
}

static struct cell *find_cell(const struct host *host, uint32_t id)
{
    for (struct cell *c = host->cells; c != NULL; c = c->next) {
        if (c->id == id) {
            return c;
        }
    }
    return NULL;
}

static bool is_spare(const struct cell *c)
{
    return c->run == NULL && !c->was_killed && !c->is_dead && c->is_open &&
           (c->state == WIRE_ST_NEW || c->state == WIRE_ST_READY);
}

static unsigned count_spare(const struct host *host, uint32_t memory_bytes)
{
    unsigned n = 0;

    for (const struct cell *c = host->cells; c != NULL; c = c->next) {
        n += is_spare(c) && c->memory_bytes == memory_bytes ? 1 : 0;
    }
    return n;
}

static bool is_waiting(const struct run *r)
{
    return r->start != NULL && !r->is_gone;
}

static unsigned count_waiting(const struct host *host, uint32_t memory_bytes)
{
    unsigned n = 0;

    for (const struct run *r = host->runs; r != NULL; r = r->next) {
        n += is_waiting(r) && r->limits.memory == memory_bytes ? 1 : 0;
    }
    return n;
}

static struct cell *find_ready(const struct host *host, uint32_t memory_bytes)
{
    for (struct cell *c = host->cells; c != NULL; c = c->next) {
        if (is_spare(c) && c->state == WIRE_ST_READY && c->memory_bytes == memory_bytes) {
            return c;
        }
    }
    return NULL;
}

/* A run of the usual budget found no cell: one more is kept ready from now on. */
static void grow(struct host *host, const struct run *run)
{
    if (run->limits.memory == host->options.memory && host->had_ready &&
        host->ready_target < MAX_READY) {
        host->ready_target++;
    }
}

/* Sooner than the timer would, or as it would. */
static void look_again_in(struct host *host, int64_t ms)
{
    uint64_t wait_ms = ms < 0 ? 0 : (uint64_t)ms;

    uv_update_time(host->loop);
    if (uv_timer_get_due_in(&host->pool_timer) > wait_ms) {
        uv_timer_start(&host->pool_timer, host->pool_timer.timer_cb, wait_ms,
                       uv_timer_get_repeat(&host->pool_timer));
    }
}

/* What is too early now is looked at again: the timer may come for another reason before. */
static bool is_early(struct host *host, int64_t at_ms)
{
    int64_t left = at_ms - clock_now_ms();

    if (left > 0) {
        look_again_in(host, left + 1);
    }
    return left > 0;
}

static void wait_to_refill(struct host *host)
{
    host->refill_after_ms = clock_now_ms() + REFILL_DELAY_MS;
    is_early(host, host->refill_after_ms);
}

static void assign(struct host *host)
{
    for (struct run *r = host->runs; r != NULL; r = r->next) {
        struct cell *c = is_waiting(r) ? find_ready(host, (uint32_t)r->limits.memory) : NULL;

        if (c != NULL) {
            c->run = r;
            run_take_cell(r, c);
            wait_to_refill(host);
        } else if (is_waiting(r) && !r->has_missed) {
            r->has_missed = true;
            grow(host, r);
        }
    }
}

/* How many cells of a budget are wanted without a script. */
static unsigned wanted(const struct host *host, uint32_t memory_bytes)
{
    unsigned n = count_waiting(host, memory_bytes);

    return memory_bytes == (uint32_t)host->options.memory ? n + host->ready_target : n;
}

/* No cell came of a try: the next one waits, and after a few in a row the runs that wait are told
 * why. */
static void note_failure(struct host *host, const char *sentence)
{
    host->young_deaths++;
    host->failed_cell = host->next_cell;
    host->spawn_after_ms = clock_now_ms() + ((int64_t)YOUNG_DELAY_MS
                                             << (host->young_deaths < 6 ? host->young_deaths : 6));
    if (host->young_deaths < MAX_YOUNG_DEATHS) {
        return;
    }
    for (struct run *r = host->runs; r != NULL; r = r->next) {
        if (is_waiting(r)) {
            run_end_early(r, "wall", sentence);
        }
    }
}

static void note_unmade(struct host *host, int error)
{
    _cleanup_(buf_done) struct buf s = buf_max(WIRE_MAX_SENTENCE);

    buf_printf(&s, "the host could make no channel to a process for it: %s%s", strerror(error),
               error == EFBIG    ? " (ulimit -f)"
               : error == EMFILE ? " (ulimit -n)"
                                 : "");
    note_failure(host, buf_str(&s));
}

static void fill(struct host *host, uint32_t memory_bytes)
{
    while (count_spare(host, memory_bytes) < wanted(host, memory_bytes) &&
           !is_early(host, host->spawn_after_ms)) {
        int r = make_cell(host, memory_bytes);

        if (r < 0) {
            note_unmade(host, -r);
        }
    }
}

/* Ends what is ready and not wanted. */
static void trim(struct host *host)
{
    for (struct cell *c = host->cells; c != NULL; c = c->next) {
        if (is_spare(c) && count_spare(host, c->memory_bytes) > wanted(host, c->memory_bytes)) {
            pool_kill(c);
        }
    }
}

void pool_balance(struct host *host)
{
    if (host->is_lost || host->is_closing || !host->is_up) {
        return;
    }
    assign(host);
    if (!is_early(host, host->refill_after_ms)) {
        fill(host, (uint32_t)host->options.memory);
    }
    for (struct run *r = host->runs; r != NULL; r = r->next) {
        if (is_waiting(r)) {
            fill(host, (uint32_t)r->limits.memory);
        }
    }
    trim(host);
    control_pump(host);
}

/* A cell without a hello is killed. A warden that is told to kill and does not say that it did is
 * stopped or stuck: it ends too, and every cell with it. */
static void look_at_late(struct host *host, int64_t now)
{
    bool is_stuck = false;

    for (struct cell *c = host->cells; c != NULL; c = c->next) {
        if (c->kill_at_ms <= now && c->was_killed) {
            is_stuck = is_stuck || c->is_late;
            c->is_late = true;
            c->kill_at_ms = now + LATE_LOOK_MS;
        } else if (c->kill_at_ms <= now) {
            pool_kill(c);
        }
        if (c->kill_at_ms != INT64_MAX) {
            look_again_in(host, c->kill_at_ms - now);
        }
    }
    if (is_stuck) {
        control_lose(host, "the warden does not answer: it was stopped, or hangs");
    }
}

/* The timer comes early where something is due: that is no sign of idleness. */
static void shrink(struct host *host, int64_t now)
{
    if (now < host->shrink_at_ms) {
        return;
    }
    if (!host->was_used && host->ready_target > host->options.ready_cells) {
        host->ready_target--;
    }
    host->was_used = false;
    host->shrink_at_ms = now + SHRINK_MS;
}

void pool_tick(struct host *host)
{
    look_at_late(host, clock_now_ms());
    shrink(host, clock_now_ms());
    pool_balance(host);
}

void pool_kill(struct cell *c)
{
    if (!c->was_killed && !c->is_dead) {
        c->was_killed = true;
        c->wants_kill = true;
        c->kill_at_ms = clock_now_ms() + OBITUARY_MS;
        look_again_in(c->host, OBITUARY_MS);
        control_pump(c->host);
    }
}

void pool_fault(struct cell *c)
{
    if (c->state == WIRE_ST_ENDED) {
        return; /* its run has ended: only its death is waited for */
    }
    pool_kill(c);
}

void pool_frame(struct cell *c, const struct frame *frame)
{
    struct wire_hello hello;

    if (wire_get_hello(frame->body, &hello) < 0 || hello.version != WIRE_VERSION ||
        (hello.walls & WALLS_NEEDED) != WALLS_NEEDED) {
        buf_printf(&c->died_sentence, "its process did not report the walls that it needs");
        link_shut(c);
        pool_kill(c);
        return;
    }
    c->state = WIRE_ST_READY;
    c->kill_at_ms = INT64_MAX;
    c->host->young_deaths = 0;
    c->host->had_ready = true;
    event_send(c->host, EVENT_CELL_READY, NULL, c, hello.walls, bytes_none());
    pool_balance(c->host);
}

static void unlink_cell(struct cell *cell)
{
    struct cell **at = &cell->host->cells;

    while (*at != cell) {
        at = &(*at)->next;
    }
    *at = cell->next;
}

/* Young: dead before its script began. Cells that were made before the last failure was known are
 * of the same try (their zygote died, say), which counts once. */
static void note_young_death(struct cell *c)
{
    _cleanup_(buf_done) struct buf s = buf_max(2 * WIRE_MAX_SENTENCE);

    if (c->id <= c->host->failed_cell) {
        return;
    }
    if (c->died_sentence.len > 0) {
        buf_put_bytes(&s, buf_bytes(&c->died_sentence));
    } else if (WIFSIGNALED(c->status)) {
        buf_printf(&s, "its process was ended by signal %d at its start", WTERMSIG(c->status));
    } else {
        buf_printf(&s, "its process exited with status %d at its start", WEXITSTATUS(c->status));
    }
    note_failure(c->host, buf_str(&s));
}

static void bury(struct cell *c)
{
    struct host *host = c->host;
    bool is_young = (c->state == WIRE_ST_NEW || c->state == WIRE_ST_READY) &&
                    (!c->was_killed || c->died_sentence.len > 0);

    c->is_dead = true;
    host->refill_after_ms = 0;
    link_drain(c);
    event_send(host, EVENT_CELL_DIED, c->run, c, c->status, buf_bytes(&c->died_sentence));
    unlink_cell(c);
    if (c->run != NULL) {
        run_cell_gone(c->run);
        c->run = NULL;
    } else if (is_young && !host->is_closing && !host->is_lost) {
        note_young_death(c);
    }
    link_close(c);
}

void pool_died(struct host *host, const struct wire_died *died)
{
    struct cell *c = find_cell(host, died->cell);

    if (c == NULL) {
        return;
    }
    c->status = (int)died->status;
    c->cpu_ms = died->cpu_ms;
    c->peak_bytes = (int64_t)died->peak_kib * 1024;
    if (c->died_sentence.len == 0) {
        buf_put_bytes(&c->died_sentence, died->sentence);
    }
    bury(c);
    pool_balance(host);
    host_wake(host);
}

void pool_all_died(struct host *host)
{
    while (host->cells != NULL) {
        bury(host->cells);
    }
    host_wake(host);
}
