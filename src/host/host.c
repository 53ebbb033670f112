/* SPDX-License-Identifier: MIT
 *
 * A host: its life on the caller's loop, and the tick in which callbacks run that functions of
 * the caller's have caused.
 *
 * Closing goes in steps, each with a deadline: every run is killed; the warden's channel is
 * closed; the warden is killed (its cells end with it). When it was reaped the runs that are left
 * get their ending, the handles close, and the caller hears of it from the last close callback.
 */
#include "host/host.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/calls.h"
#include "host/control.h"
#include "host/inside.h"
#include "host/pool.h"
#include "host/runs.h"

#include <errno.h>

enum {
    POOL_TICK_MS = 10000,
    CLOSE_TICK_MS = 50,
    CLOSE_CELLS_MS = 1000,
    CLOSE_WARDEN_MS = 3000,
    MAX_CELLS = 1024,
};

static void close_handles(struct host *host);

static void free_host(struct host *host)
{
    calls_free_all(host);
    fd_close(host->control);
    fd_close(host->words);
    fd_close(host->warden_pidfd);
    buf_done(&host->walls);
    buf_done(&host->error);
    buf_done(&host->last_words);
    mem_free((void *)(uintptr_t)host->options.warden_path);
    mem_free(host);
}

void host_opened(struct host *host)
{
    host->handles++;
}

void host_handle_closed(struct host *host)
{
    host->handles--;
    if (host->handles > 0 || !host->is_closing) {
        return;
    }
    if (host->is_unborn) {
        free_host(host);
    } else if (host->on_closed != NULL) {
        host->on_closed(host->on_closed_arg);
    }
}

/* Up to this one: what endings start and end at once is another tick's, or the loop would be kept.
 */
static struct run *take_gone(struct host *host, uint32_t last)
{
    for (struct run **at = &host->runs; *at != NULL; at = &(*at)->next) {
        struct run *run = *at;

        if (run->is_gone && run->id <= last) {
            *at = run->next;
            if (host->runs_end == &run->next) {
                host->runs_end = at;
            }
            return run;
        }
    }
    return NULL;
}

/* The next step of a close whose deadline has passed. */
static void close_step(struct host *host)
{
    int64_t late_ms = clock_now_ms() - host->close_deadline_ms;

    if (host->is_warden_gone) {
        host_wake(host);
        return;
    }
    if (host->cells == NULL || late_ms >= 0) {
        control_hang_up(host);
    }
    if (late_ms >= CLOSE_WARDEN_MS) {
        control_kill(host);
    }
}

static void on_idle(uv_idle_t *idle)
{
    struct host *host = idle->data;
    struct run *gone;
    uint32_t last = host->next_run;

    uv_idle_stop(idle);
    host->is_ticking = false;
    for (struct run *r = host->runs; r != NULL; r = r->next) {
        run_tick(r); /* ends none: a run leaves the list below alone */
    }
    while ((gone = take_gone(host, last)) != NULL) {
        run_finish(gone);
    }
    if (host->is_closing && host->is_warden_gone && host->runs == NULL) {
        close_handles(host);
    } else if (host->is_closing) {
        close_step(host);
    } else {
        pool_balance(host);
    }
}

void host_wake(struct host *host)
{
    if (!host->is_ticking && !uv_is_closing((uv_handle_t *)&host->idle)) {
        host->is_ticking = true;
        uv_idle_start(&host->idle, on_idle);
    }
}

static void on_handle_closed(uv_handle_t *handle)
{
    host_handle_closed(handle->data);
}

static void close_handles(struct host *host)
{
    if (uv_is_closing((uv_handle_t *)&host->idle)) {
        return;
    }
    control_close(host);
    uv_close((uv_handle_t *)&host->pool_timer, on_handle_closed);
    uv_close((uv_handle_t *)&host->idle, on_handle_closed);
}

static void on_pool_timer(uv_timer_t *timer)
{
    struct host *host = timer->data;

    if (host->is_closing) {
        close_step(host);
    } else {
        pool_tick(host);
    }
}

void host_is_up(struct host *host)
{
    host->is_up = true;
    event_send(host, EVENT_WALLS_UP, NULL, NULL, 0, buf_bytes(&host->walls));
    pool_balance(host);
    control_pump(host);
}

static void end_waiting(struct host *host, const char *reason)
{
    for (struct run *r = host->runs; r != NULL; r = r->next) {
        if (r->cell == NULL && !r->is_gone) {
            run_end_early(r, reason, host_error(host));
        }
    }
}

void host_lost(struct host *host, const char *sentence)
{
    if (!host->is_lost) {
        host->is_lost = true;
        buf_put_str(&host->error, sentence);
    }
    end_waiting(host, host->is_warden_gone ? "warden" : "wall");
}

void host_warden_gone(struct host *host)
{
    _cleanup_(buf_done) struct buf s = buf_max((size_t)2 * LAST_WORDS_BYTES);

    host->is_warden_gone = true;
    buf_printf(&s, "the warden is gone%s", host->warden_end);
    if (host->last_words.len > 0) {
        buf_put_str(&s, "; its last words: ");
        buf_put_bytes(&s, buf_bytes(&host->last_words));
    }
    host_lost(host, buf_str(&s));
    pool_all_died(host);
}

static int check_options(const struct host_options *options, struct buf *ret_sentence)
{
    struct limits limits = limits_default();
    char tier = options->max_tier;

    if (options->loop == NULL || options->warden_path == NULL) {
        buf_put_str(ret_sentence, "a host needs a loop and the path of the warden");
        return -EINVAL;
    }
    if (options->max_cells < 1 || options->max_cells > MAX_CELLS ||
        options->ready_cells > options->max_cells) {
        buf_printf(ret_sentence,
                   "max_cells goes from 1 to %d, and ready_cells from 0 to max_cells; they are %u "
                   "and %u",
                   MAX_CELLS, options->max_cells, options->ready_cells);
        return -ERANGE;
    }
    if (tier != '\0' && (tier < 'A' || tier > 'C')) {
        buf_put_str(ret_sentence, "max_tier is A, B or C, or 0 for the best there is");
        return -EINVAL;
    }
    limits.memory = options->memory;
    return limits_check(&limits, ret_sentence);
}

static struct host *make_host(const struct host_options *options)
{
    struct host *host = mem_new(sizeof *host);

    if (host == NULL) {
        return NULL;
    }
    host->options = *options;
    host->options.warden_path = mem_str(bytes_str(options->warden_path));
    host->loop = options->loop;
    host->control = -1;
    host->words = -1;
    host->warden_pidfd = -1;
    host->runs_end = &host->runs;
    host->ready_target = options->ready_cells;
    host->walls = buf_max((size_t)4 * WIRE_MAX_SENTENCE);
    host->error = buf_max((size_t)4 * LAST_WORDS_BYTES);
    host->last_words = buf_max(LAST_WORDS_BYTES);
    if (host->options.warden_path == NULL) {
        mem_free(host);
        return NULL;
    }
    return host;
}

static void open_handles(struct host *host)
{
    uv_idle_init(host->loop, &host->idle);
    uv_timer_init(host->loop, &host->pool_timer);
    host->idle.data = host;
    host->pool_timer.data = host;
    host->handles += 2;
    uv_timer_start(&host->pool_timer, on_pool_timer, POOL_TICK_MS, POOL_TICK_MS);
}

/* What was opened closes later, from the loop, and takes the host with it. */
static void give_up_birth(struct host *host)
{
    control_abandon(host);
    if (host->handles == 0) {
        free_host(host);
        return;
    }
    host->is_closing = true;
    host->is_unborn = true;
    control_close(host);
}

int host_new(const struct host_options *options, struct host **ret, struct buf *ret_sentence)
{
    struct host *host;
    int r = check_options(options, ret_sentence);

    if (r < 0) {
        return r;
    }
    host = make_host(options);
    if (host == NULL) {
        buf_put_str(ret_sentence, "there is no memory for a host");
        return -ENOMEM;
    }
    r = control_start(host, ret_sentence);
    if (r < 0) {
        give_up_birth(host);
        return r;
    }
    open_handles(host);
    *ret = host;
    return 0;
}

void host_close(struct host *host, void (*on_closed)(void *arg), void *arg)
{
    if (host->is_closing) {
        return;
    }
    host->on_closed = on_closed;
    host->on_closed_arg = arg;
    for (struct run *r = host->runs; r != NULL; r = r->next) {
        run_kill(r);
    }
    for (struct cell *c = host->cells; c != NULL; c = c->next) {
        pool_kill(c);
    }
    host->is_closing = true;
    host->close_deadline_ms = clock_now_ms() + (host->is_up ? CLOSE_CELLS_MS : 0);
    uv_timer_start(&host->pool_timer, on_pool_timer, 0, CLOSE_TICK_MS);
    host_wake(host);
}

void host_free(struct host *host)
{
    if (host != NULL) {
        free_host(host);
    }
}

const char *host_walls(const struct host *host)
{
    struct buf *walls = (struct buf *)(uintptr_t)&host->walls;

    return host->is_lost ? host_error(host) : buf_str(walls);
}

const char *host_error(const struct host *host)
{
    return buf_str((struct buf *)(uintptr_t)&host->error);
}
