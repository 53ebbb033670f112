/* SPDX-License-Identifier: MIT
 *
 * One run from its values to its ending.
 *
 * A run waits for a cell, runs in it, and is due when the warden has told the death of the cell's
 * process and all that it had sent was read. Whatever comes before (a breach, a stop, the end of
 * its time) only leads to that. The ending is decided once, by ending_decide().
 *
 * What the host holds for a script is bounded by its limits: host/bound.c.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "host/calls.h"
#include "host/cpu.h"
#include "host/link.h"
#include "host/pool.h"
#include "host/runs.h"
#include "host/sleep.h"
#include "host/utf8.h"
#include "host/wake.h"
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>

enum { CLOSED_GRACE_MS = 250, CPU_LOOK_MS = 5 };

static void on_timer(uv_timer_t *timer);

static int64_t first_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t lifetime_deadline(const struct run *run)
{
    bool is_over = run->cause != CAUSE_NONE || run->has_said || run->breach.len > 0;

    return is_over ? INT64_MAX : (run->started_us + 999) / 1000 + run->limits.lifetime;
}

void run_arm(struct run *run)
{
    int64_t at = first_of(lifetime_deadline(run), run->kill_at_ms);
    int64_t wait;

    at = first_of(at, first_of(run->next_cpu_ms, run->tick_at_ms));
    at = first_of(at, first_of(ledger_deadline_ms(&run->ledger), wake_deadline_ms(run)));
    if (run->timer == NULL || at == INT64_MAX || at >= run->armed_ms || run->is_gone) {
        return; /* a timer that fires early looks again; once it is gone nothing more is due */
    }
    run->armed_ms = at;
    wait = at - clock_now_ms();
    uv_update_time(run->host->loop);
    uv_timer_start(run->timer, on_timer, wait < 0 ? 0 : (uint64_t)wait, 0);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct host *host = handle->data;

    mem_free(handle);
    host_handle_closed(host);
}

static void close_timer(struct run *run)
{
    uv_timer_t *timer = steal_ptr(&run->timer);

    if (timer != NULL) {
        timer->data = run->host;
        uv_close((uv_handle_t *)timer, on_timer_closed);
    }
}

static void send_stop(struct run *run)
{
    _cleanup_(buf_done) struct buf head = buf_max(WIRE_MAX_PACKET);
    struct wire_stop m = {.reason = (uint32_t)run->cause};
    struct out_frame *f;

    link_drop_queued(run->cell);
    wire_put_stop(&head, &m);
    f = link_frame(buf_bytes(&head), bytes_none(), FRAME_OTHER);
    if (f != NULL) {
        link_send_take(run->cell, f);
    }
}

static void set_gone(struct run *run)
{
    run->is_gone = true;
    host_wake(run->host);
}

static void stop_for(struct run *run, enum end_cause cause)
{
    if (run->is_gone || run->cause != CAUSE_NONE || run->breach.len > 0) {
        return;
    }
    run->cause = cause;
    calls_stop(run);
    if (run->cell == NULL) {
        set_gone(run);
        return;
    }
    /* The flag first: a computing script sees it at once, whatever the socket holds. */
    atomic_store(&run->cell->page->stop, 1);
    run_hold(run, false);
    if (!run->has_said) {
        send_stop(run);
        run->kill_at_ms = first_of(run->kill_at_ms, clock_now_ms() + run->limits.stop_grace);
        run_arm(run);
    }
}

void run_hold(struct run *run, bool is_held)
{
    if (run->cell != NULL && (run->cause == CAUSE_NONE || !is_held)) {
        link_hold(run->cell, is_held);
        host_wake(run->host); /* for what was read and not taken */
    }
}

void run_stop(struct run *run)
{
    stop_for(run, CAUSE_STOP);
}

void run_end_now(struct run *run, enum end_cause cause)
{
    if (run->is_gone) {
        return;
    }
    if (run->cause == CAUSE_NONE || run->cause == CAUSE_STOP) {
        run->cause = cause;
    }
    calls_stop(run);
    if (run->cell == NULL) {
        set_gone(run);
        return;
    }
    run->was_killed = true;
    pool_kill(run->cell);
}

void run_kill(struct run *run)
{
    run_end_now(run, CAUSE_KILL);
}

void run_breach(struct run *run, const char *sentence)
{
    if (run->breach.len == 0) {
        buf_put_str(&run->breach, sentence);
    }
    calls_stop(run);
    if (run->cell != NULL) {
        link_shut(run->cell);
        pool_kill(run->cell);
    }
}

void run_eof(struct run *run)
{
    run->has_closed = true;
    run->kill_at_ms = first_of(run->kill_at_ms, clock_now_ms() + CLOSED_GRACE_MS);
    run_arm(run);
}

/* One thread uses at most the time that passes, so it is looked at again when it could be over. */
static void look_at_cpu(struct run *run, int64_t now_ms)
{
    int64_t left;

    if (run->next_cpu_ms > now_ms) {
        return;
    }
    run->next_cpu_ms = INT64_MAX;
    if (run->cell == NULL || run->cause != CAUSE_NONE || run->has_said) {
        return;
    }
    left = run->limits.cpu_time - cpu_used_ms(run->cell);
    if (left <= 0) {
        stop_for(run, CAUSE_CPU);
    } else {
        run->next_cpu_ms = now_ms + (left > CPU_LOOK_MS ? left : CPU_LOOK_MS);
    }
}

static void on_deadlines(struct run *run, int64_t now_ms)
{
    if (lifetime_deadline(run) <= now_ms) {
        stop_for(run, CAUSE_LIFETIME);
    }
    look_at_cpu(run, now_ms);
    sleep_due(run, now_ms);
    if (run->kill_at_ms <= now_ms && run->cell != NULL) {
        run->kill_at_ms = INT64_MAX;
        run->was_killed = true;
        calls_stop(run);
        pool_kill(run->cell);
    }
    calls_expire(run, now_ms);
    wake_start(run);
}

static void on_timer(uv_timer_t *timer)
{
    struct run *run = timer->data;

    run->armed_ms = INT64_MAX;
    on_deadlines(run, clock_now_ms());
    run_arm(run);
}

void run_answer_written(struct run *run, int slot)
{
    ledger_written(&run->ledger, slot);
}

void run_take_cell(struct run *run, struct cell *cell)
{
    struct out_frame *start = steal_ptr(&run->start); /* from here on it waits for no cell */

    run->cell = cell;
    run->has_process = true;
    cell->run = run;
    cell->state = WIRE_ST_RUNNING;
    cell->max_frame = (size_t)run->limits.max_frame;
    if (run->limits.cpu_time > 0) {
        run->next_cpu_ms = clock_now_ms() + run->limits.cpu_time;
        if (cpu_watch(cell) < 0) {
            mem_free(start);
            run_breach(run, "its processor time is bounded, and cannot be read here");
            return;
        }
    }
    link_send_take(cell, start);
    run_arm(run);
}

static void take_output(struct run *run, struct bytes text)
{
    struct bytes clean = output_add(&run->output, text);

    event_send(run->host, EVENT_OUTPUT, run, run->cell, (int64_t)clean.len, bytes_none());
    if (run->callbacks.on_output != NULL && clean.len > 0) {
        run->callbacks.on_output(run->arg, run, clean);
    }
}

static bool is_array_or_none(struct bytes text)
{
    return text.len == 0 || (json_check(text, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL) == 0 &&
                             json_kind(text) == JSON_ARRAY);
}

/* A value that is nested too deep for the host is past its cap; one that is not JSON is a lie. */
static void judge_value(struct wire_ending *m, struct buf *breach)
{
    int r = m->value.len == 0 ? 0 : json_check(m->value, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL);

    if (r == -EMSGSIZE) {
        m->kind = WIRE_END_OVERSIZE;
        m->message = bytes_str("its value is nested more than 2,000 deep");
        m->value = bytes_none();
    } else if (r < 0) {
        buf_put_str(breach, "its value was not JSON");
    }
}

static struct bytes keep_clean(struct buf *out, struct bytes text)
{
    size_t at = out->len;

    utf8_put_clean(out, text);
    return bytes_of(out->data + at, out->len - at);
}

/* The most that an ending's texts take once they are legal UTF-8. */
static size_t said_max(const struct wire_ending *m)
{
    return 3 * (m->name.len + m->message.len) + m->frames.len + m->notes.len + m->value.len;
}

static struct bytes keep(struct buf *out, struct bytes bytes)
{
    size_t at = out->len;

    buf_put_bytes(out, bytes);
    return bytes_of(out->data + at, out->len - at);
}

static int keep_said(struct run *run, const struct wire_ending *m)
{
    size_t max = said_max(m);

    run->said_bytes = buf_max(max + 1);
    if (buf_grow(&run->said_bytes, max) == NULL && max > 0) {
        return -ENOMEM;
    }
    buf_clear(&run->said_bytes); /* it has its room: nothing moves from here on */
    run->said = (struct wire_ending){
        .kind = m->kind,
        .name = keep_clean(&run->said_bytes, m->name),
        .message = keep_clean(&run->said_bytes, m->message),
        .frames = keep(&run->said_bytes, m->frames),
        .notes = keep(&run->said_bytes, m->notes),
        .value = keep(&run->said_bytes, m->value),
    };
    return 0;
}

static void take_ending(struct run *run, const struct wire_ending *said, struct buf *breach)
{
    struct wire_ending m = *said;

    if (m.kind < WIRE_END_FINISHED || m.kind > WIRE_END_LAST) {
        buf_put_str(breach, "it ended its script in a way that there is not");
    } else if (m.kind == WIRE_END_STOPPED && run->cause == CAUSE_NONE) {
        buf_put_str(breach, "it said that it was stopped, which nobody had asked for");
    } else if (!is_array_or_none(m.frames) || !is_array_or_none(m.notes)) {
        buf_put_str(breach, "its ending's frames or notes were no JSON array");
    } else {
        judge_value(&m, breach);
    }
    if (breach->len > 0) {
        return;
    }
    if (keep_said(run, &m) < 0) {
        buf_put_str(breach, "the host had no memory for its ending");
        return;
    }
    run->has_said = true;
    run->was_cut = run->cause != CAUSE_NONE;
    run->cell->state = WIRE_ST_ENDED;
    link_drop_queued(run->cell);
    run->kill_at_ms = first_of(run->kill_at_ms, clock_now_ms() + run->limits.stop_grace);
    run_arm(run);
}

void run_oversize(struct run *run)
{
    _cleanup_(buf_done) struct buf s = buf_max(WIRE_MAX_SENTENCE);
    struct wire_ending m = {.kind = WIRE_END_OVERSIZE,
                            .name = bytes_none(),
                            .frames = bytes_none(),
                            .notes = bytes_none(),
                            .value = bytes_none()};

    buf_printf(&s, "its value is longer than max_frame (%" PRId64 " bytes) lets through",
               run->limits.max_frame);
    m.message = buf_bytes(&s);
    run->has_said = keep_said(run, &m) == 0;
    calls_stop(run);
    pool_kill(run->cell);
}

static int take_frame(struct run *run, const struct frame *frame, struct buf *breach)
{
    struct wire_call call;
    struct wire_seen seen;
    struct wire_output output;
    struct wire_ending ending;
    struct wire_sleep nap;
    struct wire_wake wake;
    int r;

    switch ((enum wire_type)frame->type) {
    case WIRE_MSG_call:
        r = wire_get_call(frame->body, &call);
        if (r == 0) {
            calls_arrive(run, &call, breach);
        }
        return r;
    case WIRE_MSG_seen:
        r = wire_get_seen(frame->body, &seen);
        if (r == 0) {
            calls_seen(run, &seen, breach);
        }
        return r;
    case WIRE_MSG_output:
        r = wire_get_output(frame->body, &output);
        if (r == 0) {
            take_output(run, output.text);
        }
        return r;
    case WIRE_MSG_sleep:
        r = wire_get_sleep(frame->body, &nap);
        if (r == 0) {
            sleep_take(run, nap.ms, breach);
        }
        return r;
    case WIRE_MSG_wake:
        r = wire_get_wake(frame->body, &wake);
        if (r == 0) {
            wake_arrive(run, &wake, breach);
        }
        return r;
    case WIRE_MSG_ending:
        r = wire_get_ending(frame->body, &ending);
        if (r == 0) {
            take_ending(run, &ending, breach);
        }
        return r;
    default:
        return -EPROTO; /* wire_check() lets nothing else through */
    }
}

static void announce(struct run *run)
{
    if (!run->is_announced) {
        run->is_announced = true;
        event_send(run->host, EVENT_RUN_STARTED, run, run->cell, 0, bytes_none());
    }
}

void run_frame(struct run *run, const struct frame *frame)
{
    _cleanup_(buf_done) struct buf breach = buf_max((size_t)4 * WIRE_MAX_SENTENCE);
    int r;

    announce(run);
    r = take_frame(run, frame, &breach);
    if (r < 0) {
        buf_printf(&breach, "its \"%s\" %s", wire_name(frame->type),
                   r == -EMSGSIZE ? "held a field past its cap" : "did not decode");
    }
    if (breach.len > 0) {
        run_breach(run, buf_str(&breach));
        return;
    }
    calls_start(run);
    wake_start(run);
    run_arm(run);
}

void run_cell_gone(struct run *run)
{
    struct cell *cell = run->cell;

    run->status = cell->status;
    run->cpu_ms = cell->cpu_ms;
    run->peak_bytes = cell->peak_bytes;
    buf_put_bytes(&run->died_sentence, buf_bytes(&cell->died_sentence));
    run->cell = NULL;
    set_gone(run);
}

void run_end_early(struct run *run, const char *reason, const char *sentence)
{
    run->early_reason = reason;
    buf_put_str(&run->early, sentence);
    set_gone(run);
}

void run_tick(struct run *run)
{
    if (run->cell != NULL) {
        announce(run);
        link_resume(run->cell);
    }
    if (run->cell != NULL) {
        calls_announce(run);
        calls_start(run);
        run_arm(run);
    }
}

static void fill_ending(struct run *run)
{
    struct host *host = run->host;
    struct ending *e = &run->ending;
    struct end_facts facts = {
        .breach = buf_str(&run->breach),
        .said = run->has_said ? &run->said : NULL,
        .cause = run->cause,
        .was_cut = run->was_cut,
        .was_killed = run->was_killed,
        .has_process = run->has_process,
        .has_closed = run->has_closed && run->was_killed,
        .early = buf_str(&run->early),
        .early_reason = run->early_reason,
        .is_warden_lost = host->is_warden_gone && run->died_sentence.len == 0 && run->status == 0,
        .warden_end = host->warden_end,
        .warden_text = buf_str(&host->last_words),
        .status = run->status,
        .died_sentence = buf_bytes(&run->died_sentence),
        .limits = &run->limits,
    };

    *e = (struct ending){
        .value = bytes_none(),
        .error_name = bytes_none(),
        .frames = bytes_none(),
        .notes = bytes_none(),
        .exit_status = run->status,
        .memory_peak_bytes = run->peak_bytes,
        .cpu_ms = run->cpu_ms,
        .wall_ms = (clock_now_us() - run->started_us) / 1000,
        .first_call_us = run->first_call_us,
        .walls = host_walls(host),
        .calls = run->record.calls,
        .n_calls = run->record.n,
        .calls_total = run->record.total,
        .calls_dropped = run->record.total - run->record.n,
        .tools = run->record.tools,
        .n_tools = run->record.n_tools,
        .wakes_sent = run->wakes.sent,
        .wakes_handed = run->wakes.handed,
        .wakes_delivered = run->wakes.delivered,
    };
    ending_decide(&facts, &run->message, e);
}

void run_finish(struct run *run)
{
    _cleanup_(buf_done) struct buf text = buf_max(WIRE_MAX_SENTENCE);
    struct bytes late = output_finish(&run->output);

    announce(run);
    if (late.len > 0 && run->callbacks.on_output != NULL) {
        run->callbacks.on_output(run->arg, run, late);
    }
    run->is_over = true;
    calls_end(run);
    close_timer(run);
    run->has_ended = true;
    fill_ending(run);
    buf_put_str(&text, ending_name(run->ending.kind));
    if (run->ending.reason.len > 0) {
        buf_put_str(&text, " ");
        buf_put_bytes(&text, run->ending.reason);
    }
    event_send(run->host, EVENT_RUN_ENDED, run, NULL, 0, buf_bytes(&text));
    run->callbacks.on_ended(run->arg, run, &run->ending);
}

void run_free(struct run *run)
{
    if (run == NULL) {
        return;
    }
    calls_orphan(run);
    wake_drop(run);
    close_timer(run);
    mem_free(run->calls);
    mem_free(run->start);
    ledger_done(&run->ledger);
    record_done(&run->record);
    output_done(&run->output);
    buf_done(&run->said_bytes);
    buf_done(&run->breach);
    buf_done(&run->message);
    buf_done(&run->early);
    buf_done(&run->died_sentence);
    mem_free(run);
}

uint32_t run_id(const struct run *run)
{
    return run->id;
}

const struct ending *run_ending(const struct run *run)
{
    return run->has_ended ? &run->ending : NULL;
}

struct output_part run_take_output(struct run *run)
{
    struct output_part part;

    output_take(&run->output, &part.head, &part.tail, &part.dropped_characters);
    return part;
}

struct run_counts run_counts(const struct run *run)
{
    uint32_t kib = run->cell == NULL ? 0 : atomic_load(&run->cell->page->memory_kib);

    return (struct run_counts){
        .calls = run->record.total,
        .answered = run->answered,
        .out = run->ledger.n_out,
        .wakes_delivered = run->wakes.delivered,
        .memory_bytes = (int64_t)kib * 1024,
    };
}

struct run_record run_record(const struct run *run)
{
    return (struct run_record){.calls = run->record.calls,
                               .n_calls = run->record.n,
                               .tools = run->record.tools,
                               .n_tools = run->record.n_tools};
}
