/* SPDX-License-Identifier: MIT
 *
 * What a return says to a model, in this order: the ending or that the script runs, its calls, its
 * value, its output since the return before.
 *
 * The whole is held to the agent's inline_chars: what the first three leave goes to the output.
 * Where they leave it no room, the return is cut as any long text is. No escape codes, no JSON
 * where a sentence is shorter, nothing said twice. Words that are not ours are made plain before
 * they are counted; an error's further lines are indented, so that none looks like one of ours.
 */
#include "agent/inside.h"
#include "agent/words.h"

#include "base/clock.h"
#include "base/mem.h"
#include "host/utf8.h"
#include "json/json.h"

#include <inttypes.h>

enum {
    TEXT_BYTES = 64 * 1024 * 1024,
    VALUE_CHARS = 8000, /* and an error's message */
    GLIMPSE_CHARS = 300,
    NAME_CHARS = 200,
    MAX_FRAMES = 10,
    LEAST_OUTPUT_CHARS = 200, /* a cut output of less is no room */
};

/* ---- 1: the ending ---- */

static void put_kind(struct buf *out, const struct ending *e)
{
    static const char *const verbs[ENDING_COUNT] = {
        [ENDING_FINISHED] = "finished",
        [ENDING_FAILED] = "failed",
        [ENDING_OVERSIZE] = "ended without its value",
        [ENDING_CRASHED] = "crashed",
        [ENDING_EXPIRED] = "expired",
        [ENDING_STOPPED] = "was stopped",
    };

    buf_put_str(out, bytes_is(e->reason, "stalled") ? "stalled" : verbs[e->kind]);
    if (e->kind == ENDING_FINISHED && e->value.len == 0) {
        buf_put_str(out, " without a value");
    }
}

/* The error's words as far as the kind has not said them: " before it began" of a stop's, ": no
 * such file" of others. */
static struct bytes rest_of_message(const struct ending *e, bool *ret_goes_on)
{
    static const char said[] = "it was stopped";
    size_t len = sizeof said - 1;

    *ret_goes_on = e->kind == ENDING_STOPPED && e->error_message.len >= len &&
                   memcmp(e->error_message.ptr, said, len) == 0;
    return *ret_goes_on ? bytes_from(e->error_message, len) : e->error_message;
}

/* ": TypeError: x is not a function", without blanks at its end. */
static void put_error(struct buf *out, const struct ending *e, enum words_lines lines)
{
    bool goes_on;
    struct bytes message = rest_of_message(e, &goes_on);

    while (message.len > 0 && words_is_blank(message.ptr[message.len - 1])) {
        message.len--;
    }
    if (goes_on) {
        words_put_plain(out, message, lines);
        return;
    }
    if (e->error_name.len > 0) {
        buf_put_str(out, ": ");
        words_put_first(out, e->error_name, NAME_CHARS, WORDS_ONE_LINE);
    }
    if (message.len > 0) {
        _cleanup_(buf_done) struct buf text = buf_max(TEXT_BYTES);

        buf_put_str(out, ": ");
        if (lines == WORDS_ONE_LINE) {
            words_put_first(out, message, GLIMPSE_CHARS, lines);
            return;
        }
        words_put_plain(&text, message, lines);
        words_put_cut(out, &(struct cut){.head = buf_bytes(&text), .tail = bytes_none()},
                      VALUE_CHARS);
    }
}

/* ", line 3, column 5"; nothing where the frame has no line. */
static bool put_place(struct buf *out, struct bytes frame, const char *before)
{
    int64_t line = 0;
    int64_t column = 0;

    if (json_int(json_get(frame, "line"), 1, INT32_MAX, &line) < 0) {
        return false;
    }
    buf_printf(out, "%sline %" PRId64, before, line);
    if (json_int(json_get(frame, "column"), 1, INT32_MAX, &column) == 0) {
        buf_printf(out, ", column %" PRId64, column);
    }
    return true;
}

static bool put_frame(struct buf *out, struct bytes frame)
{
    _cleanup_(buf_done) struct buf function = buf_max(TEXT_BYTES);
    int64_t times = 0;
    size_t from = out->len;

    if (json_text(json_get(frame, "function"), &function) < 0) {
        buf_clear(&function);
    }
    buf_put_str(out, "  at ");
    words_put_first(out, buf_bytes(&function), NAME_CHARS, WORDS_ONE_LINE);
    if (!put_place(out, frame, function.len > 0 ? ", " : "") && function.len == 0) {
        out->len = from;
        return false;
    }
    if (json_int(json_get(frame, "times"), 2, INT32_MAX, &times) == 0) {
        buf_printf(out, " (%" PRId64 " times)", times);
    }
    buf_put_str(out, "\n");
    return true;
}

static void put_frames(struct buf *out, const struct ending *e)
{
    struct bytes frame;
    size_t at = 0;
    int n = 0;

    while (e->frames.len > 0 && json_next(e->frames, &at, NULL, &frame)) {
        if (n == MAX_FRAMES) {
            buf_put_str(out, "  and more\n");
            return;
        }
        n += put_frame(out, frame);
    }
}

static void put_running(struct buf *out, const struct script *script)
{
    buf_put_str(out, "is still running after ");
    words_put_ms(out, clock_now_ms() - script->started_ms);
    buf_printf(out,
               ". To go on waiting for it, use the action \"wait\" with script_id \"%s\"; to end "
               "it, \"stop\".\n",
               script->id);
}

static void put_ending(struct buf *out, const struct script *script)
{
    const struct ending *e = run_ending(script->run);
    size_t from = out->len;

    buf_printf(out, "Script %s ", script->id);
    if (e == NULL) {
        put_running(out, script);
        return;
    }
    put_kind(out, e);
    put_error(out, e, WORDS_INDENTED);
    words_put_stop(out, from);
    buf_put_str(out, "\n");
    put_frames(out, e);
}

/* ---- 3: its value ---- */

static void put_value(struct buf *out, const struct ending *e)
{
    _cleanup_(buf_done) struct buf text = buf_max(TEXT_BYTES);
    _cleanup_(buf_done) struct buf plain = buf_max(TEXT_BYTES);
    struct cut cut = {.tail = bytes_none()};

    if (e == NULL || e->value.len == 0) {
        return;
    }
    if (json_is(e->value, "") || json_kind(e->value) != JSON_STRING ||
        json_text(e->value, &text) < 0) {
        buf_clear(&text);
        buf_put_bytes(&text, e->value);
    }
    words_put_plain(&plain, buf_bytes(&text), WORDS_AS_IS);
    cut.head = buf_bytes(&plain);
    buf_put_str(out, memchr(cut.head.ptr, '\n', cut.head.len) == NULL ? "Value: " : "Value:\n");
    words_put_cut(out, &cut, VALUE_CHARS);
    if (out->data[out->len - 1] != '\n') {
        buf_put_str(out, "\n");
    }
}

/* ---- 4: its output, and the whole ---- */

/* One cut text, held to what an agent is told at once. */
static void put_all(struct buf *out, const struct agent *agent, const struct buf *all)
{
    words_put_cut(out, &(struct cut){.head = buf_bytes(all), .tail = bytes_none()},
                  agent->options.inline_chars);
}

/* facts, the heading and the output, where they fit: false, and nothing written, where they do not.
 */
static bool put_with_output(struct buf *out, const struct buf *facts, const struct cut *output,
                            uint64_t max)
{
    uint64_t used = utf8_count(buf_bytes(facts));
    uint64_t room = used > max ? 0 : max - used;

    if (room < LEAST_OUTPUT_CHARS) {
        return false;
    }
    buf_put_bytes(out, buf_bytes(facts));
    words_put_cut(out, output, room);
    return true;
}

void text_return(struct buf *out, const struct watch *watch, const struct output_part *output)
{
    _cleanup_(buf_done) struct buf facts = buf_max(TEXT_BYTES);
    _cleanup_(buf_done) struct buf head = buf_max(TEXT_BYTES);
    _cleanup_(buf_done) struct buf tail = buf_max(TEXT_BYTES);
    const struct script *script = watch->script;
    struct cut cut = {.dropped = output->dropped_characters};

    put_ending(&facts, script);
    text_calls(&facts, script);
    put_value(&facts, run_ending(script->run));
    words_put_plain(&head, output->head, WORDS_AS_IS);
    words_put_plain(&tail, output->tail, WORDS_AS_IS);
    cut.head = buf_bytes(&head);
    cut.tail = buf_bytes(&tail);
    if (head.len + tail.len > 0 || cut.dropped > 0) {
        buf_put_str(&facts, script->has_returned ? "Output since the last return:\n" : "Output:\n");
    }
    if (!put_with_output(out, &facts, &cut, watch->agent->options.inline_chars)) {
        buf_put_bytes(&facts, cut.head);
        cut.head = buf_bytes(&facts);
        words_put_cut(out, &cut, watch->agent->options.inline_chars);
    }
}

void text_refusal(struct buf *out, const struct watch *watch)
{
    _cleanup_(buf_done) struct buf plain = buf_max(TEXT_BYTES);

    words_put_plain(&plain, buf_bytes(&watch->refusal), WORDS_AS_IS);
    put_all(out, watch->agent, &plain);
}

/* ---- lists, notices, wakes ---- */

void text_glimpse(struct buf *out, const struct ending *e)
{
    put_kind(out, e);
    put_error(out, e, WORDS_ONE_LINE);
    if (e->kind == ENDING_FINISHED && e->value.len > 0) {
        buf_put_str(out, ": ");
        words_put_first(out, e->value, GLIMPSE_CHARS, WORDS_ONE_LINE);
    }
}

/* "; 2 calls, 1 wake, 4.0 MiB": what is not nothing. */
static void put_uses(struct buf *out, const struct script *script)
{
    const struct ending *e = run_ending(script->run);
    struct run_counts counts = run_counts(script->run);
    int64_t memory = e == NULL ? counts.memory_bytes : e->memory_peak_bytes;
    const char *comma = "; ";

    if (counts.calls > 0) {
        buf_put_str(out, comma);
        words_put_count(out, counts.calls, "call", "calls");
        comma = ", ";
    }
    if (counts.wakes_delivered > 0) {
        buf_put_str(out, comma);
        words_put_count(out, counts.wakes_delivered, "wake", "wakes");
        comma = ", ";
    }
    if (memory > 0) {
        buf_printf(out, "%s%s", comma, e == NULL ? "" : "at most ");
        words_put_size(out, memory);
    }
}

/* "t-3: running for 12.0 s; 2 calls, 4.0 MiB; code: await tools.a()", and how it ended below. */
static void put_item(struct buf *out, const struct script *script)
{
    const struct ending *e = run_ending(script->run);

    buf_printf(out, "%s: %s ", script->id, e == NULL ? "running for" : "ended");
    words_put_ms(out, clock_now_ms() - (e == NULL ? script->started_ms : script->ended_ms));
    buf_put_str(out, e == NULL ? "" : " ago");
    put_uses(out, script);
    if (script->first_line.len > 0) {
        buf_put_str(out, "; code: ");
        buf_put_bytes(out, buf_bytes(&script->first_line));
    }
    buf_put_str(out, "\n");
    if (e != NULL) {
        buf_put_str(out, "  ");
        text_glimpse(out, e);
        buf_put_str(out, "\n");
    }
}

void text_list(struct buf *out, const struct agent *agent)
{
    _cleanup_(buf_done) struct buf all = buf_max(TEXT_BYTES);

    for (const struct script *s = agent->scripts; s != NULL; s = s->next) {
        put_item(&all, s);
    }
    if (agent->scripts == NULL) {
        buf_put_str(&all, "You have no scripts.\n");
    }
    put_all(out, agent, &all);
}

void text_running(struct buf *out, const struct agent *agent)
{
    const char *comma = " Running: ";

    for (const struct script *s = agent->scripts; s != NULL; s = s->next) {
        if (s->end_order == 0) {
            buf_printf(out, "%s%s (", comma, s->id);
            words_put_ms(out, clock_now_ms() - s->started_ms);
            buf_put_str(out, ", code: ");
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
    size_t from = out->len;

    buf_printf(out, "Script %s ", script->id);
    put_kind(out, run_ending(script->run));
    put_error(out, run_ending(script->run), WORDS_ONE_LINE);
    words_put_stop(out, from);
    buf_printf(out, " The action \"wait\" with script_id \"%s\" tells all of it.", script->id);
}

void text_wake(struct buf *out, const struct script *script, struct bytes payload)
{
    _cleanup_(buf_done) struct buf text = buf_max(TEXT_BYTES);

    if (json_kind(payload) != JSON_STRING || json_text(payload, &text) < 0) {
        buf_clear(&text);
        buf_put_bytes(&text, payload);
    }
    buf_printf(out, "Script %s says: ", script->id);
    words_put_plain(out, buf_bytes(&text), WORDS_AS_IS);
}
