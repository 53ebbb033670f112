/* SPDX-License-Identifier: MIT
 *
 * What a return says to a model, in this order: the ending or that the script runs, its calls, its
 * value, its output since the return before.
 *
 * The whole is held to the agent's inline_chars: what the first three leave goes to the output.
 * Where they leave it no room, the return is cut as any long text is. No escape codes, no JSON
 * where a sentence is shorter, nothing said twice.
 */
#include "agent/inside.h"
#include "agent/notes.h"
#include "agent/words.h"

#include "base/clock.h"
#include "base/mem.h"
#include "host/utf8.h"
#include "json/json.h"

#include <inttypes.h>

enum {
    TEXT_BYTES = 64 * 1024 * 1024,
    VALUE_CHARS = 8000,
    GLIMPSE_CHARS = 300,
    MAX_NAMED = 10,
    MAX_FRAMES = 10,
    LEAST_OUTPUT_CHARS = 200, /* less is no room */
};

/* ---- 1: the ending ---- */

static void put_kind(struct buf *out, const struct ending *e)
{
    static const char *const verbs[ENDING_COUNT] = {
        [ENDING_FINISHED] = "finished",
        [ENDING_FAILED] = "failed",
        [ENDING_OVERSIZE] = "ended without its value, which is too large",
        [ENDING_CRASHED] = "crashed",
        [ENDING_EXPIRED] = "was ended: its time is up",
        [ENDING_STOPPED] = "was stopped",
    };

    buf_put_str(out, verbs[e->kind]);
    if (e->kind == ENDING_FAILED && bytes_is(e->reason, "stalled")) {
        buf_put_str(out, " (it waits for what nothing can bring)");
    }
}

/* "TypeError: x is not a function"; nothing where there is nothing to add. */
static void put_error(struct buf *out, const struct ending *e, uint64_t max_chars)
{
    bool is_plain_stop = e->kind == ENDING_STOPPED && bytes_is(e->error_message, "it was stopped");

    if ((e->error_name.len == 0 && e->error_message.len == 0) || is_plain_stop) {
        return;
    }
    buf_put_str(out, ": ");
    if (e->error_name.len > 0) {
        buf_put_bytes(out, e->error_name);
        buf_put_str(out, e->error_message.len > 0 ? ": " : "");
    }
    words_put_first(out, e->error_message, max_chars);
}

static void put_frames(struct buf *out, const struct ending *e)
{
    struct bytes frame;
    size_t at = 0;
    int n = 0;

    while (e->frames.len > 0 && n < MAX_FRAMES && json_next(e->frames, &at, NULL, &frame)) {
        struct bytes function = json_get(frame, "function");
        struct bytes times = json_get(frame, "times");

        buf_put_str(out, "  at ");
        if (!json_is(function, "") && json_text(function, out) == 0) {
            buf_put_str(out, " ");
        }
        buf_put_str(out, "line ");
        buf_put_bytes(out, json_get(frame, "line"));
        buf_put_str(out, ":");
        buf_put_bytes(out, json_get(frame, "column"));
        if (times.len > 0) {
            buf_put_str(out, " (");
            buf_put_bytes(out, times);
            buf_put_str(out, " times)");
        }
        buf_put_str(out, "\n");
        n++;
    }
}

static void put_ending(struct buf *out, const struct script *script)
{
    const struct ending *e = run_ending(script->run);

    buf_printf(out, "Script %s ", script->id);
    if (e == NULL) {
        buf_put_str(out, "is still running after ");
        words_put_ms(out, clock_now_ms() - script->started_ms);
        buf_printf(out,
                   ". To go on waiting for it, use the action \"wait\" with script_id \"%s\"; "
                   "to end it, \"stop\".\n",
                   script->id);
        return;
    }
    put_kind(out, e);
    put_error(out, e, UINT64_MAX);
    if (out->data != NULL && out->data[out->len - 1] != '.') {
        buf_put_str(out, ".");
    }
    buf_put_str(out, "\n");
    put_frames(out, e);
}

/* ---- 2: its calls ---- */

/* "12 calls were answered: files.read 10, git.log 2." */
static void put_state(struct buf *out, const struct ending *e, const char *before,
                      const char *after, const enum call_state *states, size_t n_states)
{
    uint64_t total = 0;
    const char *comma = "";

    for (size_t i = 0; i < e->n_tools; i++) {
        for (size_t k = 0; k < n_states; k++) {
            total += e->tools[i].counts[states[k]];
        }
    }
    if (total == 0) {
        return;
    }
    buf_put_str(out, before);
    words_put_count(out, total, "call", "calls");
    buf_put_str(out, after);
    for (size_t i = 0; i < e->n_tools; i++) {
        uint64_t n = 0;

        for (size_t k = 0; k < n_states; k++) {
            n += e->tools[i].counts[states[k]];
        }
        if (n > 0) {
            buf_put_str(out, comma);
            buf_put_bytes(out, e->tools[i].name);
            if (n > 1) {
                buf_printf(out, " (%" PRIu64 ")", n);
            }
            comma = ", ";
        }
    }
    buf_put_str(out, ".\n");
}

static bool is_unseen(enum call_state state)
{
    return state == CALL_TIMED_OUT || state == CALL_TOO_LARGE || state == CALL_UNSEEN ||
           state == CALL_RUNNING;
}

static const char *fate_of(enum call_state state)
{
    switch (state) {
    case CALL_TIMED_OUT:
        return "no answer in time; it may have taken effect";
    case CALL_TOO_LARGE:
        return "it took effect; its answer was too large for the script";
    case CALL_UNSEEN:
        return "it took effect; the script ended before it saw the answer";
    default:
        return "not answered when the script ended; it may have taken effect";
    }
}

static uint64_t count_unseen(const struct ending *e)
{
    uint64_t n = 0;

    for (size_t i = 0; i < e->n_tools; i++) {
        for (int state = 0; state < CALL_STATES; state++) {
            n += is_unseen((enum call_state)state) ? e->tools[i].counts[state] : 0;
        }
    }
    return n;
}

/* Each by name with its arguments, up to ten; the others are counted. */
static void put_unseen(struct buf *out, const struct ending *e)
{
    uint64_t total = count_unseen(e);
    uint64_t named = 0;

    if (total == 0) {
        return;
    }
    words_put_count(out, total, "call's answer was not seen", "calls' answers were not seen");
    buf_put_str(out, ":\n");
    for (size_t i = 0; i < e->n_calls && named < MAX_NAMED; i++) {
        const struct record_call *call = &e->calls[i];

        if (is_unseen(call->state)) {
            buf_put_str(out, "  ");
            buf_put_bytes(out, call->tool);
            buf_put_str(out, " ");
            utf8_put_clean(out, call->arguments);
            buf_printf(out, ": %s\n", fate_of(call->state));
            named++;
        }
    }
    if (named < total) {
        buf_printf(out, "  and %" PRIu64 " more\n", total - named);
    }
}

static void put_wakes(struct buf *out, const struct ending *e)
{
    uint32_t lost = e->wakes_sent - e->wakes_delivered;

    if (lost > 0) {
        buf_printf(out, "%u of its %u wakes %s not delivered.\n", lost, e->wakes_sent,
                   lost == 1 ? "was" : "were");
    }
}

static void put_notes(struct buf *out, const struct ending *e)
{
    struct bytes note;
    size_t at = 0;

    while (e->notes.len > 0 && json_next(e->notes, &at, NULL, &note)) {
        buf_put_str(out, "Note: ");
        notes_put(out, note);
        buf_put_str(out, ".\n");
    }
}

static void put_running_calls(struct buf *out, const struct script *script)
{
    struct run_counts counts = run_counts(script->run);

    if (counts.calls > 0) {
        words_put_count(out, counts.calls, "call so far", "calls so far");
        buf_printf(out, ", %" PRIu64 " answered, %" PRIu64 " under way.\n", counts.answered,
                   counts.out);
    }
}

static void put_calls(struct buf *out, const struct script *script)
{
    static const enum call_state answered[] = {CALL_ANSWERED, CALL_FAILED};
    static const enum call_state failed[] = {CALL_FAILED};
    static const enum call_state refused[] = {CALL_REFUSED};
    static const enum call_state never_sent[] = {CALL_NEVER_SENT};
    const struct ending *e = run_ending(script->run);

    if (e == NULL) {
        put_running_calls(out, script);
        return;
    }
    put_state(out, e, "", " answered: ", answered, ARRAY_SIZE(answered));
    put_state(out, e, "Of these, ", " with an error of the tool's: ", failed, ARRAY_SIZE(failed));
    put_unseen(out, e);
    put_state(out, e, "", " refused, with nothing done: ", refused, ARRAY_SIZE(refused));
    put_state(out, e, "", " never sent: ", never_sent, ARRAY_SIZE(never_sent));
    put_wakes(out, e);
    put_notes(out, e);
}

/* ---- 3: its value ---- */

static void put_value(struct buf *out, const struct ending *e)
{
    _cleanup_(buf_done) struct buf text = buf_max(TEXT_BYTES);
    struct cut cut = {.tail = bytes_none()};

    if (e == NULL || e->value.len == 0) {
        return;
    }
    if (json_kind(e->value) != JSON_STRING || json_text(e->value, &text) < 0) {
        buf_clear(&text);
        buf_put_bytes(&text, e->value);
    }
    cut.head = buf_bytes(&text);
    buf_put_str(out, memchr(cut.head.ptr, '\n', cut.head.len) == NULL ? "Value: " : "Value:\n");
    words_put_cut(out, &cut, VALUE_CHARS);
    if (out->data[out->len - 1] != '\n') {
        buf_put_str(out, "\n");
    }
}

/* ---- 4: its output, and the whole ---- */

static void put_output(struct buf *out, const struct watch *watch, const struct output_part *output,
                       uint64_t room)
{
    struct cut cut = {
        .head = output->head, .tail = output->tail, .dropped = output->dropped_characters};

    if (output->head.len + output->tail.len == 0 && output->dropped_characters == 0) {
        return;
    }
    buf_put_str(out, watch->script->has_returned ? "Output since the last return:\n" : "Output:\n");
    words_put_cut(out, &cut, room);
}

void text_return(struct buf *out, const struct watch *watch, const struct output_part *output)
{
    _cleanup_(buf_done) struct buf facts = buf_max(TEXT_BYTES);
    uint64_t max = watch->agent->options.inline_chars;
    uint64_t used;

    put_ending(&facts, watch->script);
    put_calls(&facts, watch->script);
    put_value(&facts, run_ending(watch->script->run));
    if (run_ending(watch->script->run) != NULL && run_ending(watch->script->run)->may_lack_output) {
        buf_put_str(&facts, "It was killed, so its output may lack its end.\n");
    }
    used = utf8_count(buf_bytes(&facts)) + 32; /* and the output's heading */
    if (used + LEAST_OUTPUT_CHARS <= max) {
        buf_put_bytes(out, buf_bytes(&facts));
        put_output(out, watch, output, max - used);
        return;
    }
    put_output(&facts, watch, output, UINT64_MAX);
    words_put_cut(out, &(struct cut){.head = buf_bytes(&facts), .tail = bytes_none()}, max);
}

/* ---- lists, notices, wakes ---- */

static void put_glimpse(struct buf *out, const struct script *script)
{
    const struct ending *e = run_ending(script->run);

    put_kind(out, e);
    put_error(out, e, GLIMPSE_CHARS);
    if (e->kind == ENDING_FINISHED && e->value.len > 0) {
        buf_put_str(out, ", value ");
        words_put_first(out, e->value, GLIMPSE_CHARS);
    }
}

static void put_item(struct buf *out, const struct script *script)
{
    struct run_counts counts = run_counts(script->run);
    bool is_running = run_ending(script->run) == NULL;
    int64_t now_ms = clock_now_ms();

    buf_printf(out, "%s: ", script->id);
    if (is_running) {
        buf_put_str(out, "running for ");
        words_put_ms(out, now_ms - script->started_ms);
    } else {
        put_glimpse(out, script);
        buf_put_str(out, ", ");
        words_put_ms(out, now_ms - script->ended_ms);
        buf_put_str(out, " ago");
    }
    buf_put_str(out, "; ");
    words_put_count(out, counts.calls, "call", "calls");
    if (counts.wakes_delivered > 0) {
        buf_put_str(out, ", ");
        words_put_count(out, counts.wakes_delivered, "wake", "wakes");
    }
    if (is_running) {
        buf_put_str(out, ", ");
        words_put_size(out, counts.memory_bytes);
    }
    buf_put_str(out, "; ");
    buf_put_bytes(out, buf_bytes(&script->first_line));
    buf_put_str(out, "\n");
}

void text_list(struct buf *out, const struct agent *agent)
{
    _cleanup_(buf_done) struct buf all = buf_max(TEXT_BYTES);

    if (agent->scripts == NULL) {
        buf_put_str(out, "You have no scripts.\n");
        return;
    }
    for (const struct script *s = agent->scripts; s != NULL; s = s->next) {
        put_item(&all, s);
    }
    words_put_cut(out, &(struct cut){.head = buf_bytes(&all), .tail = bytes_none()},
                  agent->options.inline_chars);
}

void text_running(struct buf *out, const struct agent *agent)
{
    const char *comma = " Running: ";

    for (const struct script *s = agent->scripts; s != NULL; s = s->next) {
        if (s->end_order == 0) {
            buf_printf(out, "%s%s (", comma, s->id);
            words_put_ms(out, clock_now_ms() - s->started_ms);
            buf_put_str(out, ", ");
            buf_put_bytes(out, buf_bytes(&s->first_line));
            buf_put_str(out, ")");
            comma = ", ";
        }
    }
    if (comma[0] == ',') {
        buf_put_str(out, ".");
    }
}

void text_notice(struct buf *out, const struct script *script)
{
    buf_printf(out, "Script %s ", script->id);
    put_kind(out, run_ending(script->run));
    put_error(out, run_ending(script->run), GLIMPSE_CHARS);
    buf_printf(out, ". The action \"wait\" with script_id \"%s\" tells all of it.", script->id);
}

void text_wake(struct buf *out, const struct script *script, struct bytes payload)
{
    buf_printf(out, "Script %s says: ", script->id);
    if (json_kind(payload) != JSON_STRING || json_text(payload, out) < 0) {
        buf_put_bytes(out, payload);
    }
}
