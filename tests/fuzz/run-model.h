/* SPDX-License-Identifier: MIT
 *
 * The owner of the tools and agent in tests/fuzz/run-fuzz.c, and what must hold of a run as it
 * sees it: it answers calls, knows of each what became of it, and holds the host's promises and the
 * record against that. Included by that file alone.
 */
#ifndef FUZZ_RUN_MODEL_H
#define FUZZ_RUN_MODEL_H

#include "base/clock.h"
#include "host/utf8.h"
#include "unit/run-play.h"
#include "json/json.h"

enum { MAX_CALLS = 1024 };

static const char *const names[] = {"add", "look", NULL};

enum cancel { NOT_CANCELLED, CANCELLED_IN_TIME, CANCELLED_AT_END };

/* A call as its owner sees it. */
struct held {
    struct call *call; /* NULL: given back */
    uint32_t id;
    enum call_state state; /* what it was answered as */
    enum cancel cancel;
};

static struct fuzz {
    struct play play;
    struct bytes in;
    struct limits limits;
    struct held calls[MAX_CALLS];
    size_t n_calls;
    size_t n_held;
    struct buf late; /* the rest of a frame that was sent in part */
    unsigned policy; /* what the owner does inside on_call */
    uint8_t flip_at; /* of the next frame */
    uint8_t flip;
    uint8_t split_at; /* of the next frame; 0: whole */
    unsigned n_ended;
    unsigned n_wakes;
    unsigned n_frames; /* a call or a seen is one of them at most */
    int64_t next_wake_ms;
    uint64_t chars_out;
    uint64_t chars_taken;
    bool is_inside; /* of a function of the host's: nothing may be called back */
    bool may_start;
    bool has_wake;
    bool frees_early;
    bool is_freed;
} f;

static uint8_t take(void)
{
    uint8_t byte = f.in.len == 0 ? 0 : f.in.ptr[0];

    f.in = bytes_from(f.in, 1);
    return byte;
}

static void give_back(struct held *h, enum call_state state)
{
    assert(h->call != NULL);
    h->call = NULL;
    f.n_held--;
    if (h->cancel == NOT_CANCELLED) {
        h->state = state;
    }
}

static void answer(struct held *h, unsigned how)
{
    static char large[2 * 1024 * 1024];
    struct call *call = h->call;
    _cleanup_(buf_done) struct buf b = buf_max(65536);

    f.is_inside = true;
    switch (how % 8) {
    case 0:
        give_back(h, CALL_ANSWERED);
        call_reply(call, bytes_str("{\"content\":[]}"));
        break;
    case 1:
        give_back(h, CALL_FAILED);
        call_reply(call, bytes_str("{\"content\":[],\"isError\":true}"));
        break;
    case 2:
        give_back(h, CALL_FAILED);
        call_fail(call, "its owner was \xff lost");
        break;
    case 3:
        give_back(h, CALL_REFUSED);
        call_refuse(call, "not now");
        break;
    case 4:
        give_back(h, CALL_TOO_LARGE);
        call_reply(call, bytes_of(large, sizeof large));
        break;
    case 5:
        give_back(h, CALL_TOO_LARGE);
        call_reply(call, bytes_str("{\"content\":"));
        break;
    default:
        give_back(h, CALL_ANSWERED);
        buf_put_str(&b, "{\"content\":[\"");
        memset(buf_grow(&b, 6000), 'x', 6000);
        buf_put_str(&b, "\"]}");
        call_reply(call, buf_bytes(&b));
        break;
    }
    f.is_inside = false;
}

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct held *h = &f.calls[f.n_calls];

    (void)arg;
    assert(!f.is_inside && f.may_start && f.n_ended == 0 && f.n_calls < MAX_CALLS);
    assert(run == f.play.run && call_run(call) == run && run->cause == CAUSE_NONE);
    assert(run->breach.len == 0 && !run->has_said && call_tool(call).len > 0);
    assert(json_kind(call_arguments(call)) == JSON_OBJECT);
    *h = (struct held){.call = call, .id = call_id(call), .state = CALL_RUNNING};
    f.n_calls++;
    f.n_held++;
    assert(f.n_held <= (size_t)f.limits.max_calls_out);
    if (f.policy < 8) {
        answer(h, f.policy);
    } else if (f.policy == 8) {
        f.may_start = false;
        run_stop(run);
    } else if (f.policy == 9) {
        f.may_start = false;
        run_kill(run);
    }
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    struct held *h = NULL;

    (void)arg;
    assert(!f.is_inside && f.n_ended == 0);
    for (size_t i = 0; i < f.n_calls; i++) {
        if (f.calls[i].call == call) {
            h = &f.calls[i];
        }
    }
    assert(h != NULL && h->cancel == NOT_CANCELLED);
    h->cancel = run->is_over ? CANCELLED_AT_END : CANCELLED_IN_TIME;
    if (f.policy % 3 == 1) {
        answer(h, f.policy);
    }
}

static void on_output(void *arg, struct run *run, struct bytes text)
{
    (void)arg;
    (void)run;
    assert(!f.is_inside && f.n_ended == 0 && utf8_fault(text) == text.len);
    f.chars_out += utf8_count(text);
}

static void wake_done(bool is_delivered)
{
    f.has_wake = false;
    f.next_wake_ms = clock_now_ms() + f.limits.wake_spacing;
    f.is_inside = true;
    run_wake_done(f.play.run, is_delivered);
    f.is_inside = false;
}

static void on_wake(void *arg, struct run *run, struct bytes payload)
{
    (void)arg;
    assert(!f.is_inside && f.n_ended == 0 && !f.has_wake && run->cause == CAUSE_NONE);
    assert(clock_now_ms() >= f.next_wake_ms && f.n_wakes < f.limits.max_wakes);
    assert(json_check(payload, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL) == 0);
    f.n_wakes++;
    f.has_wake = true;
    if (f.policy % 2 == 0) {
        wake_done(f.policy % 4 == 0);
    }
}

static void take_output(void)
{
    struct output_part part = run_take_output(f.play.run);

    assert(utf8_fault(part.head) == part.head.len && utf8_fault(part.tail) == part.tail.len);
    assert(utf8_count(part.head) <= (uint64_t)f.limits.output_head);
    assert(utf8_count(part.tail) <= (uint64_t)f.limits.output_tail);
    f.chars_taken += utf8_count(part.head) + utf8_count(part.tail) + part.dropped_characters;
}

/* ---- what must hold ---- */

static bool is_lost(enum call_state state)
{
    return state == CALL_NEVER_SENT || state == CALL_REFUSED;
}

/* What the record may say of a call that went out. */
static void check_call(const struct held *h, const struct record_call *r)
{
    if (h->cancel == CANCELLED_IN_TIME) {
        assert(r->state == CALL_TIMED_OUT && r->effect == EFFECT_POSSIBLE);
    } else if (h->cancel == CANCELLED_AT_END) {
        assert(r->state == CALL_RUNNING && r->effect == EFFECT_POSSIBLE);
    } else if (h->state == CALL_ANSWERED) {
        assert(r->effect == EFFECT_DONE && (r->state == CALL_ANSWERED || r->state == CALL_UNSEEN ||
                                            r->state == CALL_TOO_LARGE));
    } else if (h->state == CALL_FAILED) {
        assert(r->effect == EFFECT_POSSIBLE &&
               (r->state == CALL_FAILED || r->state == CALL_UNSEEN));
    } else {
        assert(h->state == r->state);
    }
}

/* The calls with this id that went out are those of the record that did, in the same order. */
static void check_id(const struct ending *e, uint32_t id)
{
    size_t at = 0;

    for (size_t i = 0; i < f.n_calls; i++) {
        const struct held *h = &f.calls[i];

        if (h->id != id || (h->cancel == NOT_CANCELLED && h->state == CALL_REFUSED)) {
            continue;
        }
        while (at < e->n_calls && (e->calls[at].id != id || is_lost(e->calls[at].state))) {
            at++;
        }
        assert(at < e->n_calls);
        check_call(h, &e->calls[at]);
        at++;
    }
    for (; at < e->n_calls; at++) {
        assert(e->calls[at].id != id || is_lost(e->calls[at].state));
    }
}

static void check_record(const struct ending *e)
{
    uint32_t sums[CALL_STATES] = {0};
    size_t total = 0;

    for (size_t i = 0; i < e->n_tools; i++) {
        for (size_t state = 0; state < CALL_STATES; state++) {
            sums[state] += e->tools[i].counts[state];
            total += e->tools[i].counts[state];
        }
    }
    assert(total == e->calls_total && e->n_calls == total && total <= f.n_frames);
    for (size_t i = 0; i < e->n_calls; i++) {
        assert(e->calls[i].arguments.len == 0 || record_is_lost(e->calls[i].state));
        sums[e->calls[i].state]--;
        check_id(e, e->calls[i].id);
    }
    for (size_t state = 0; state < CALL_STATES; state++) {
        assert(sums[state] == 0);
    }
}

static void on_ended(void *arg, struct run *run, const struct ending *e)
{
    (void)arg;
    assert(!f.is_inside && f.n_ended == 0 && run_ending(run) == e);
    assert((unsigned)e->kind < ENDING_COUNT);
    assert(utf8_fault(e->error_message) == e->error_message.len);
    assert(e->kind != ENDING_CRASHED || (e->reason.len > 0 && e->error_message.len > 0));
    for (size_t i = 0; i < f.n_calls; i++) { /* an owner that still has one was told */
        assert(f.calls[i].call == NULL || f.calls[i].cancel != NOT_CANCELLED);
    }
    check_record(e);
    assert(e->wakes_handed == f.n_wakes);
    f.n_ended++;
    take_output();
    assert(f.chars_out == f.chars_taken);
    if (f.frees_early) {
        f.is_freed = true;
        run_free(run);
    }
}

static void check_ledger(const struct ledger *l)
{
    uint32_t out = 0;
    uint32_t waiting = 0;
    uint32_t at_tool = 0;

    for (size_t i = 0; i < l->n_slots; i++) {
        out += l->slots[i].is_out;
        waiting += l->slots[i].phase == LEDGER_WAITING;
        at_tool += l->slots[i].phase == LEDGER_AT_TOOL;
        assert((f.play.run->calls[i] != NULL) == (l->slots[i].phase != LEDGER_FREE));
    }
    assert(out == l->n_out && waiting == l->n_waiting && at_tool == l->n_at_tool);
    assert(out <= l->max_out && at_tool <= l->max_held && at_tool == f.n_held);
}

static void check_all(void)
{
    size_t frames = 0;

    if (!f.is_freed && f.n_ended == 0) {
        check_ledger(&f.play.run->ledger);
    }
    if (f.play.cell != NULL) {
        for (struct out_frame *o = f.play.cell->out; o != NULL; o = o->next) {
            frames++;
        }
        assert(frames <= (size_t)(f.limits.max_calls_out + f.limits.max_wakes + 3));
        assert(f.play.cell->in.len <= (size_t)f.limits.max_frame + FRAME_HEADER_BYTES);
    }
}

#endif
