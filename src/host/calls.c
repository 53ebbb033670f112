/* SPDX-License-Identifier: MIT
 *
 * A run's calls; see host/calls.h.
 *
 * The ledger decides, this file does: it holds the texts, asks the gate, calls the tool's owner,
 * encodes answers once, straight into the frame that goes to the cell, and tells the record.
 * A call lives in the host's list from its arrival until the script has seen its answer and its
 * owner has given it back; after the run it lives on alone until its owner answers.
 */
#include "host/calls.h"

#include "base/clock.h"
#include "base/mem.h"
#include "host/gate.h"
#include "host/link.h"
#include "host/runs.h"
#include "host/toolset.h"
#include "host/utf8.h"
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>

enum {
    MAX_ANSWER_SENTENCE = 64 * 1024,
    RESULT_HEAD_BYTES = 64,
    ENVELOPE_BYTES = 80,  /* {"content":[{"type":"text","text":""}]} and some */
    MAX_ESCAPE_BYTES = 6, /* of one character in JSON text */
};

static void free_call(struct call *call)
{
    if (call->run != NULL) {
        call->run->calls[call->slot] = NULL;
    }
    if (call->prev != NULL) {
        call->prev->next = call->next;
    } else {
        call->host->calls = call->next;
    }
    if (call->next != NULL) {
        call->next->prev = call->prev;
    }
    mem_free(call->args);
    mem_free(call);
}

void calls_free_all(struct host *host)
{
    while (host->calls != NULL) {
        if (host->calls->free_owner != NULL) {
            host->calls->free_owner(host->calls->owner);
        }
        free_call(host->calls);
    }
}

static void settle(struct call *call, enum call_state state, enum call_effect effect)
{
    struct record_fact fact = {
        .index = call->record_index,
        .tool = call->tool_index,
        .id = call->id,
        .state = state,
        .effect = effect,
        .ms = (clock_now_us() - call->arrived_us) / 1000,
        .arguments = bytes_of(call->args, call->args_len),
    };

    if (!call->is_settled) {
        call->is_settled = true;
        record_settle(&call->run->record, &fact);
    }
}

static void announce(struct call *call)
{
    struct event event = {
        .type = EVENT_ANSWERED,
        .mono_us = call->answered_us,
        .wall_ms = clock_wall_ms() - (clock_now_us() - call->answered_us) / 1000,
        .run = call->run->id,
        .cell = call->run->cell == NULL ? 0 : call->run->cell->id,
        .number = call->id,
        .text = bytes_str(call_state_name(call->state)),
    };

    if (call->answered_us != 0 && !call->is_announced) {
        call->is_announced = true;
        event_send_at(call->host, &event);
    }
}

void calls_announce(struct run *run)
{
    for (size_t i = 0; i < run->ledger.n_slots; i++) {
        if (run->calls[i] != NULL) {
            announce(run->calls[i]);
        }
    }
}

/* Sends an answer's frame; its payload is copied here, for the only time. */
static void send_answer(struct call *call, enum wire_result_kind kind, struct bytes payload)
{
    _cleanup_(buf_done) struct buf head = buf_max(RESULT_HEAD_BYTES);
    struct wire_result m = {.id = call->id, .kind = kind, .payload = payload};
    struct out_frame *f;

    wire_head_result(&head, &m);
    f = buf_fault(&head) < 0 ? NULL : link_frame_room(buf_bytes(&head), payload.len, call->slot);
    if (f == NULL) {
        run_breach(call->run, "the host had no memory for an answer");
        return;
    }
    memcpy(f->head + head.len, payload.ptr, payload.len);
    link_send_take(call->run->cell, f);
}

/* Legal UTF-8, and no longer than a sentence may be. */
static void send_sentence(struct call *call, enum wire_result_kind kind, struct bytes text)
{
    _cleanup_(buf_done) struct buf clean = buf_max(4 * (size_t)MAX_ANSWER_SENTENCE);
    struct bytes cut = bytes_first(text, MAX_ANSWER_SENTENCE);

    while (cut.len < text.len && cut.len > 0 && (text.ptr[cut.len] & 0xC0) == 0x80) {
        cut.len--;
    }
    utf8_put_clean(&clean, cut);
    if (cut.len < text.len) {
        buf_put_str(&clean, "...");
    }
    send_answer(call, kind, buf_bytes(&clean));
}

/* The arguments are needed no more, but for the record. */
static void cut_arguments(struct call *call)
{
    struct bytes cut = utf8_first(bytes_of(call->args, call->args_len), RECORD_ARGUMENT_CHARS);

    if (cut.len < call->args_len) {
        char *copy = mem_str(cut);

        if (copy != NULL) {
            mem_free(call->args);
            call->args = copy;
            call->args_len = cut.len;
        }
    }
}

/* The owner gave the call back. True: the script is to be told, in this state. */
static bool give_back(struct call *call, enum call_state state, enum call_effect effect)
{
    struct run *run = call->run;

    if (run == NULL) {
        free_call(call);
        return false;
    }
    call->is_at_tool = false;
    cut_arguments(call);
    host_wake(run->host);
    if (ledger_answered(&run->ledger, call->slot)) {
        call->state = state;
        call->effect = effect;
        call->answered_us = clock_now_us();
        return run->cell != NULL;
    }
    if (!call->is_settled && !run->is_over) {
        call->state = state; /* a stop came first: it counts as unseen when the script is gone */
        call->effect = effect;
    } else if (run->is_over || run->ledger.slots[call->slot].phase == LEDGER_FREE) {
        free_call(call);
    }
    return false;
}

static void put_too_large(struct buf *out, size_t len, int64_t memory)
{
    buf_printf(out,
               "the result is %zu bytes of JSON, past a third of the script's memory (%" PRId64
               " bytes); the call took effect",
               len, memory / 3);
}

/* Why a result cannot go to the script, or nothing. */
static void judge_result(const struct run *run, struct bytes result, struct buf *out)
{
    size_t max_depth = (size_t)run->limits.max_result_depth;
    struct json_fault fault;
    int r;

    if (result.len > (size_t)(run->limits.memory / 3)) {
        put_too_large(out, result.len, run->limits.memory);
        return;
    }
    r = json_check(result, 0, max_depth, SIZE_MAX, NULL, &fault);
    if (r == -EMSGSIZE) {
        buf_printf(out, "the result is nested more than %zu deep; the call took effect", max_depth);
    } else if (r < 0) {
        buf_printf(out, "the result isn't JSON: %s (byte %zu); the call took effect",
                   fault.sentence, fault.offset);
    } else if (json_kind(result) != JSON_OBJECT) {
        buf_put_str(out, "the result isn't a JSON object; the call took effect");
    }
}

static bool is_error(struct bytes result)
{
    bool is_true = false;

    return json_bool(json_get(result, "isError"), &is_true) == 0 && is_true;
}

int call_reply(struct call *call, struct bytes result)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(WIRE_MAX_SENTENCE);

    if (call->run == NULL || call->run->is_over) {
        give_back(call, CALL_UNSEEN, EFFECT_DONE);
        return 0;
    }
    judge_result(call->run, result, &sentence);
    if (sentence.len > 0) {
        if (give_back(call, CALL_TOO_LARGE, EFFECT_DONE)) {
            send_sentence(call, WIRE_RES_TOO_LARGE, buf_bytes(&sentence));
        }
        return -EINVAL;
    }
    if (is_error(result)) {
        if (give_back(call, CALL_FAILED, EFFECT_POSSIBLE)) {
            send_answer(call, WIRE_RES_ANSWER, result);
        }
    } else if (give_back(call, CALL_ANSWERED, EFFECT_DONE)) {
        send_answer(call, WIRE_RES_ANSWER, result);
    }
    return 0;
}

void call_fail(struct call *call, const char *sentence)
{
    if (give_back(call, CALL_FAILED, EFFECT_POSSIBLE)) {
        send_sentence(call, WIRE_RES_FAILED, bytes_str(sentence));
    }
}

void call_refuse(struct call *call, const char *sentence)
{
    if (give_back(call, CALL_REFUSED, EFFECT_NONE)) {
        send_sentence(call, WIRE_RES_REFUSED, bytes_str(sentence));
    }
}

static struct call *new_call(struct run *run, const struct wire_call *m, int slot, int tool)
{
    struct call *call = mem_new(sizeof *call);

    if (call == NULL) {
        return NULL;
    }
    *call = (struct call){
        .host = run->host,
        .next = run->host->calls,
        .run = run,
        .tool = &run->tools->tools[tool],
        .args = mem_str(m->args),
        .args_len = m->args.len,
        .id = m->id,
        .slot = slot,
        .tool_index = tool,
        .record_index = record_arrive(&run->record, tool, m->id),
        .arrived_us = clock_now_us(),
        .state = CALL_RUNNING,
        .effect = EFFECT_POSSIBLE,
    };
    if (call->args == NULL) {
        mem_free(call);
        return NULL;
    }
    if (call->next != NULL) {
        call->next->prev = call;
    }
    run->host->calls = call;
    run->calls[slot] = call;
    return call;
}

/* It arrived after the end had come: counted, and that is all. */
static void count_late(struct run *run, const struct wire_call *m, int tool)
{
    struct record_fact fact = {
        .index = record_arrive(&run->record, tool, m->id),
        .tool = tool,
        .id = m->id,
        .state = run->cause == CAUSE_NONE ? CALL_NEVER_SENT : CALL_REFUSED,
        .effect = EFFECT_NONE,
    };

    record_settle(&run->record, &fact);
}

static void enter(struct run *run, const struct wire_call *m, int tool, struct bytes refusal,
                  struct buf *breach)
{
    struct call *call;
    int slot = -1;
    enum ledger_breach b = ledger_call(&run->ledger, m->id, clock_now_ms(), &slot);

    if (b != LEDGER_FINE) {
        buf_put_str(breach, ledger_breach_text(b));
        return;
    }
    call = new_call(run, m, slot, tool);
    if (call == NULL) {
        buf_put_str(breach, "the host had no memory for its call");
        return;
    }
    if (refusal.len > 0) {
        ledger_refused(&run->ledger, slot);
        call->state = CALL_REFUSED;
        call->effect = EFFECT_NONE;
        call->answered_us = clock_now_us();
        send_sentence(call, WIRE_RES_REFUSED, refusal);
    }
}

void calls_arrive(struct run *run, const struct wire_call *m, struct buf *breach)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(WIRE_MAX_SENTENCE);
    struct gate_call call = {
        .tools = run->tools,
        .limits = &run->limits,
        .name = m->name,
        .args = m->args,
        .is_stopping = run->ledger.is_closed,
    };
    int tool = -1;
    enum gate_verdict verdict = gate_judge(&call, &tool, &sentence);

    if (verdict == GATE_BREACH) {
        buf_put_bytes(breach, buf_bytes(&sentence));
    } else if (run->ledger.is_closed) {
        count_late(run, m, tool);
    } else {
        enter(run, m, tool, verdict == GATE_REFUSE ? buf_bytes(&sentence) : bytes_none(), breach);
    }
}

void calls_start(struct run *run)
{
    for (;;) {
        int slot = ledger_next_start(&run->ledger);
        struct call *call;

        if (slot < 0) {
            break;
        }
        call = run->calls[slot];
        call->is_at_tool = true;
        if (run->first_call_us < 0) {
            run->first_call_us = clock_now_us() - run->started_us;
        }
        event_send(run->host, EVENT_CALL, run, run->cell, call->id, call->tool->name);
        run->callbacks.on_call(run->arg, run, call);
    }
}

void calls_seen(struct run *run, const struct wire_seen *m, struct buf *breach)
{
    enum ledger_breach b;
    struct call *call;
    bool is_ours;
    int slot = -1;

    if (m->how < WIRE_SEEN_WHOLE || m->how > WIRE_SEEN_LAST) {
        buf_put_str(breach, "it said \"seen\" in a way that there is not");
        return;
    }
    b = ledger_seen(&run->ledger, m->id, &slot);
    if (b != LEDGER_FINE) {
        buf_put_str(breach, ledger_breach_text(b));
        return;
    }
    call = run->calls[slot];
    is_ours = !call->is_at_tool;
    run->answered++;
    if (m->how == WIRE_SEEN_TOO_LARGE && call->state == CALL_ANSWERED) {
        call->state = CALL_TOO_LARGE;
    }
    settle(call, call->state, call->effect);
    announce(call); /* its owner may answer it in there, and that frees it */
    if (is_ours) {
        free_call(call);
    }
}

static void put_duration(struct buf *out, int64_t ms)
{
    if (ms % 1000 == 0) {
        buf_printf(out, "%" PRId64 " s", ms / 1000);
    } else {
        buf_printf(out, "%" PRId64 " ms", ms);
    }
}

static void expire(struct call *call, bool was_sent)
{
    _cleanup_(buf_done) struct buf s = buf_max(WIRE_MAX_SENTENCE);

    buf_put_str(&s, "no answer within ");
    put_duration(&s, call->run->limits.call_timeout);
    buf_put_str(&s, was_sent
                        ? "; the tool may still act, and its late answer is dropped"
                        : "; it was never sent: it waited for a place among the calls that run");
    call->state = was_sent ? CALL_TIMED_OUT : CALL_NEVER_SENT;
    call->effect = was_sent ? EFFECT_POSSIBLE : EFFECT_NONE;
    call->answered_us = clock_now_us();
    settle(call, call->state, call->effect);
    send_sentence(call, was_sent ? WIRE_RES_TIMED_OUT : WIRE_RES_NEVER_SENT, buf_bytes(&s));
}

void calls_expire(struct run *run, int64_t now_ms)
{
    for (;;) {
        bool was_sent = false;
        int slot = ledger_next_expired(&run->ledger, now_ms, &was_sent);

        if (slot < 0 || run->cell == NULL) {
            break;
        }
        expire(run->calls[slot], was_sent);
        if (was_sent) {
            run->callbacks.on_cancel(run->arg, run, run->calls[slot]);
        }
    }
}

void calls_stop(struct run *run)
{
    ledger_close(&run->ledger);
    for (;;) {
        int slot = ledger_next_turned_down(&run->ledger);

        if (slot < 0) {
            break;
        }
        if (run->calls[slot] == NULL) {
            continue; /* there was no memory for it */
        }
        settle(run->calls[slot], run->cause == CAUSE_NONE ? CALL_NEVER_SENT : CALL_REFUSED,
               EFFECT_NONE);
        free_call(run->calls[slot]);
    }
}

static void end_call(struct run *run, struct call *call)
{
    bool was_cancelled = call->is_settled; /* its time had passed */

    if (call->is_at_tool) {
        settle(call, CALL_RUNNING, EFFECT_POSSIBLE);
        if (was_cancelled) {
            announce(call); /* nothing of it may be touched after either: it may be answered */
        } else {
            run->callbacks.on_cancel(run->arg, run, call);
        }
        return;
    }
    announce(call);
    if (call->state == CALL_ANSWERED || call->state == CALL_FAILED) {
        settle(call, CALL_UNSEEN, call->effect);
    } else {
        settle(call, call->state, call->effect);
    }
    free_call(call);
}

void calls_end(struct run *run)
{
    calls_stop(run);
    for (size_t i = 0; i < run->ledger.n_slots; i++) {
        if (run->calls[i] != NULL) {
            end_call(run, run->calls[i]);
        }
    }
}

void calls_orphan(struct run *run)
{
    for (size_t i = 0; run->calls != NULL && i < run->ledger.n_slots; i++) {
        if (run->calls[i] != NULL) {
            run->calls[i]->run = NULL;
            run->calls[i]->tool = NULL;
        }
    }
}

uint32_t call_id(const struct call *call)
{
    return call->id;
}

struct bytes call_tool(const struct call *call)
{
    return call->tool == NULL ? bytes_none() : call->tool->name;
}

void *call_tool_data(const struct call *call)
{
    return call->tool == NULL ? NULL : call->tool->data;
}

struct bytes call_arguments(const struct call *call)
{
    return bytes_of(call->args, call->args_len);
}

void call_set_owner(struct call *call, void *owner, void (*free_owner)(void *owner))
{
    call->owner = owner;
    call->free_owner = free_owner;
}

struct run *call_run(const struct call *call)
{
    return call->run;
}

size_t call_result_max_chars(const struct call *call)
{
    int64_t bound = call->run == NULL ? 0 : call->run->limits.memory / 3;

    return bound <= ENVELOPE_BYTES ? 0 : (size_t)(bound - ENVELOPE_BYTES) / MAX_ESCAPE_BYTES;
}
