/* SPDX-License-Identifier: MIT
 *
 * The facts of a return as a JSON object, for programs (the structuredContent of the tool).
 *
 * Every key is always there, null or empty where there is nothing to say; doc/returns.md tells them
 * all. Texts that the return's text cuts are whole here and keep their control characters, but for
 * the output, which is its first and last characters, and arguments, which the record cuts.
 */
#include "agent/inside.h"

#include "base/clock.h"
#include "base/mem.h"
#include "host/utf8.h"
#include "json/json.h"

#include <inttypes.h>

enum { CAUSE_CHARS = 1000, GLIMPSE_BYTES = 8192, VALUE_DEPTH = JSON_MAX_DEPTH - 100 };

/* What a structure tells of; NULL and empty where there is none. */
struct facts {
    const char *state; /* of what is no script's */
    struct bytes refusal;
    const struct script *script;
    const struct watch *watch;
    struct output_part output;
    bool has_list;
};

static void put_string(struct buf *out, const char *key, struct bytes text)
{
    json_put_key(out, key);
    json_put_str(out, text);
}

static void put_number(struct buf *out, const char *key, int64_t number)
{
    json_put_key(out, key);
    json_put_int(out, number);
}

static void put_raw(struct buf *out, const char *key, struct bytes json, const char *otherwise)
{
    json_put_key(out, key);
    buf_put_bytes(out, json.len == 0 ? bytes_str(otherwise) : json);
}

static void put_error(struct buf *out, const struct ending *e)
{
    json_put_key(out, "error");
    if (e == NULL || (e->error_name.len == 0 && e->error_message.len == 0)) {
        buf_put_str(out, "null");
        return;
    }
    buf_put_str(out, "{");
    put_string(out, "name", e->error_name);
    put_string(out, "message", e->error_message);
    put_raw(out, "frames", e->frames, "[]");
    buf_put_str(out, "}");
}

/* Its value as it is. One that is nested nearly as deep as a text may be could not stand inside
 * another: a string holds its text. */
static void put_value(struct buf *out, const struct ending *e)
{
    bool has_value = e != NULL && e->value.len > 0;

    json_put_key(out, "has_value");
    json_put_bool(out, has_value);
    if (has_value && json_check(e->value, 0, VALUE_DEPTH, SIZE_MAX, NULL, NULL) < 0) {
        put_string(out, "value", e->value);
    } else {
        put_raw(out, "value", has_value ? e->value : bytes_none(), "null");
    }
}

/* {"tool": {"answered": 2, ...}}: the counts that are not 0. */
static void put_tools(struct buf *out, const struct run_record *rec)
{
    json_put_key(out, "tools");
    buf_put_str(out, "{");
    for (size_t i = 0; i < rec->n_tools; i++) {
        const struct record_tool *tool = &rec->tools[i];
        bool is_used = false;

        for (int state = 0; state < CALL_STATES; state++) {
            if (tool->counts[state] == 0) {
                continue;
            }
            if (!is_used) {
                json_put_comma(out);
                json_put_str(out, tool->name);
                buf_put_str(out, ":{");
                is_used = true;
            }
            put_number(out, call_state_name((enum call_state)state), tool->counts[state]);
        }
        buf_put_str(out, is_used ? "}" : "");
    }
    buf_put_str(out, "}");
}

/* Every call of the record whose answer the script did not see, and how many it does not hold. */
static void put_unseen(struct buf *out, const struct run_record *rec)
{
    int64_t more = (int64_t)record_count_unseen(rec);

    json_put_key(out, "unseen");
    buf_put_str(out, "[");
    for (size_t i = 0; i < rec->n_calls; i++) {
        const struct record_call *call = &rec->calls[i];

        if (!call_is_unseen(call->state)) {
            continue;
        }
        more--;
        json_put_comma(out);
        buf_put_str(out, "{");
        put_number(out, "id", call->id);
        put_string(out, "tool", call->tool);
        put_string(out, "arguments", call->arguments);
        put_string(out, "state", bytes_str(call_state_name(call->state)));
        put_string(out, "effect", bytes_str(call_effect_name(call->effect)));
        buf_put_str(out, "}");
    }
    buf_put_str(out, "]");
    put_number(out, "unseen_left_out", more);
}

static void put_output(struct buf *out, const struct output_part *output)
{
    json_put_key(out, "output");
    buf_put_str(out, "{");
    put_string(out, "head", output->head);
    put_string(out, "tail", output->tail);
    put_number(out, "dropped", (int64_t)output->dropped_characters);
    buf_put_str(out, "}");
}

static void put_round(struct buf *out, const struct watch *watch)
{
    json_put_key(out, "round");
    buf_put_str(out, "[");
    for (size_t i = 0; i < watch->n_calls; i++) {
        const struct round_call *call = &watch->calls[i];

        json_put_comma(out);
        buf_put_str(out, "{");
        put_string(out, "tool", bytes_str(call->tool));
        json_put_key(out, "refused");
        json_put_bool(out, call->is_refused);
        json_put_key(out, "cause");
        if (call->cause == NULL) {
            buf_put_str(out, "null");
        } else {
            json_put_str(out, utf8_first(bytes_str(call->cause), CAUSE_CHARS));
        }
        buf_put_str(out, "}");
    }
    buf_put_str(out, "]");
}

static void put_wakes(struct buf *out, const struct script *script, const struct ending *e)
{
    int64_t delivered = e != NULL ? e->wakes_delivered : 0;

    if (e == NULL && script != NULL) {
        delivered = (int64_t)run_counts(script->run).wakes_delivered;
    }
    put_number(out, "wakes_delivered", delivered);
    put_number(out, "wakes_lost", e == NULL ? 0 : e->wakes_sent - e->wakes_delivered);
}

static void put_stats(struct buf *out, const struct script *script, const struct ending *e)
{
    struct run_counts counts = {0};
    int64_t wall_ms = 0;

    if (e != NULL) {
        wall_ms = e->wall_ms;
        counts.memory_bytes = e->memory_peak_bytes;
        counts.calls = e->calls_total;
    } else if (script != NULL) {
        wall_ms = clock_now_ms() - script->started_ms;
        counts = run_counts(script->run);
    }
    json_put_key(out, "stats");
    buf_put_str(out, "{");
    put_number(out, "wall_ms", wall_ms);
    put_number(out, "cpu_ms", e == NULL ? 0 : e->cpu_ms);
    put_number(out, "memory", counts.memory_bytes);
    put_number(out, "calls", (int64_t)counts.calls);
    buf_put_str(out, "}");
}

/* What an ending itself tells, and so much of it as is known of a script that runs. */
static void put_ending(struct buf *out, const struct script *script, const struct ending *e,
                       const struct run_record *rec)
{
    put_string(out, "reason", e == NULL ? bytes_none() : e->reason);
    put_value(out, e);
    put_error(out, e);
    put_tools(out, rec);
    put_unseen(out, rec);
    put_wakes(out, script, e);
    put_raw(out, "notes", e == NULL ? bytes_none() : e->notes, "[]");
    json_put_key(out, "may_lack_output");
    json_put_bool(out, e != NULL && e->may_lack_output);
    put_string(out, "walls", e == NULL || e->walls == NULL ? bytes_none() : bytes_str(e->walls));
    put_stats(out, script, e);
}

/* One of a list: what is true of every script, and not what only its return tells. */
static void put_item(struct buf *out, const struct script *script)
{
    _cleanup_(buf_done) struct buf glimpse = buf_max(GLIMPSE_BYTES);
    const struct ending *e = run_ending(script->run);
    int64_t now_ms = clock_now_ms();

    if (e != NULL) {
        text_glimpse(&glimpse, e);
    }
    json_put_comma(out);
    buf_put_str(out, "{");
    put_string(out, "script_id", bytes_str(script->id));
    put_string(out, "state", bytes_str(e == NULL ? "running" : ending_name(e->kind)));
    put_string(out, "reason", e == NULL ? bytes_none() : e->reason);
    put_number(out, "age_ms", now_ms - script->started_ms);
    json_put_key(out, "ended_ms");
    if (e == NULL) {
        buf_put_str(out, "null");
    } else {
        json_put_int(out, now_ms - script->ended_ms);
    }
    put_string(out, "code", buf_bytes(&script->first_line));
    put_string(out, "glimpse", buf_bytes(&glimpse));
    put_wakes(out, script, e);
    put_stats(out, script, e);
    buf_put_str(out, "}");
}

static void put_list(struct buf *out, const struct facts *facts)
{
    json_put_key(out, "scripts");
    buf_put_str(out, "[");
    if (facts->has_list) {
        for (const struct script *s = facts->watch->agent->scripts; s != NULL; s = s->next) {
            put_item(out, s);
        }
    }
    buf_put_str(out, "]");
}

static void put_facts(struct buf *out, const struct facts *facts)
{
    const struct script *script = facts->script;
    const struct ending *e = script == NULL ? NULL : run_ending(script->run);
    struct run_record rec = {0};
    const char *state = facts->state;

    if (script != NULL) {
        rec = run_record(script->run);
        state = e == NULL ? "running" : ending_name(e->kind);
    }
    buf_put_str(out, "{");
    put_string(out, "script_id", bytes_str(watch_script_id(facts->watch)));
    put_string(out, "state", bytes_str(state));
    put_string(out, "refusal", facts->refusal);
    put_number(out, "under_way", script == NULL ? 0 : (int64_t)script_under_way(script));
    put_ending(out, script, e, &rec);
    put_output(out, &facts->output);
    put_round(out, facts->watch);
    put_list(out, facts);
    buf_put_str(out, "}");
}

/* The facts, whole or not at all: a host without the memory says so. */
static void put_whole(struct buf *out, const struct facts *facts)
{
    struct facts none = {
        .state = "refused",
        .refusal = bytes_str("the host has no memory for the facts of this return"),
        .watch = &(struct watch){0},
        .output = {.head = bytes_none(), .tail = bytes_none()},
    };

    put_facts(out, facts);
    if (buf_fault(out) < 0) {
        buf_clear(out);
        put_facts(out, &none);
    }
}

void structure_return(struct buf *out, const struct watch *watch, const struct output_part *output)
{
    put_whole(out, &(struct facts){.script = watch->script,
                                   .refusal = bytes_none(),
                                   .watch = watch,
                                   .output = *output});
}

void structure_refusal(struct buf *out, const struct watch *watch)
{
    bool had_script = watch_script_id(watch)[0] != '\0';

    put_whole(out, &(struct facts){.state = had_script ? "left" : "refused",
                                   .refusal = buf_bytes(&watch->refusal),
                                   .watch = watch,
                                   .output = {.head = bytes_none(), .tail = bytes_none()}});
}

void structure_list(struct buf *out, const struct watch *watch)
{
    put_whole(out, &(struct facts){.state = "list",
                                   .refusal = bytes_none(),
                                   .watch = watch,
                                   .output = {.head = bytes_none(), .tail = bytes_none()},
                                   .has_list = true});
}

void structure_ending(struct buf *out, const struct ending *e)
{
    struct run_record rec = {
        .calls = e->calls, .n_calls = e->n_calls, .tools = e->tools, .n_tools = e->n_tools};

    buf_put_str(out, "{");
    put_string(out, "state", bytes_str(ending_name(e->kind)));
    put_ending(out, NULL, e, &rec);
    buf_put_str(out, "}");
}
