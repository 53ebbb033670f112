/* SPDX-License-Identifier: MIT
 *
 * The facts of a return as a JSON object, for programs (the structuredContent of the tool).
 *
 * Every key is always there, null or empty where there is nothing to say. Texts that the return's
 * text cuts are whole here, but for the output, which is its first and last characters.
 */
#include "agent/inside.h"

#include "base/clock.h"
#include "base/mem.h"
#include "json/json.h"

#include <inttypes.h>

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

/* {"tool": {"answered": 2, ...}}: the counts that are not 0. */
static void put_tools(struct buf *out, const struct ending *e)
{
    json_put_key(out, "tools");
    buf_put_str(out, "{");
    for (size_t i = 0; e != NULL && i < e->n_tools; i++) {
        uint64_t total = 0;

        for (int state = 0; state < CALL_STATES; state++) {
            total += e->tools[i].counts[state];
        }
        if (total == 0) {
            continue;
        }
        json_put_comma(out);
        json_put_str(out, e->tools[i].name);
        buf_put_str(out, ":{");
        for (int state = 0; state < CALL_STATES; state++) {
            if (e->tools[i].counts[state] > 0) {
                put_number(out, call_state_name((enum call_state)state), e->tools[i].counts[state]);
            }
        }
        buf_put_str(out, "}");
    }
    buf_put_str(out, "}");
}

/* Every call of the record whose answer the script did not see. */
static void put_unseen(struct buf *out, const struct ending *e)
{
    json_put_key(out, "unseen");
    buf_put_str(out, "[");
    for (size_t i = 0; e != NULL && i < e->n_calls; i++) {
        const struct record_call *call = &e->calls[i];

        if (call->state == CALL_ANSWERED || call->state == CALL_FAILED ||
            call->state == CALL_REFUSED) {
            continue;
        }
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
        if (call->cause != NULL) {
            put_string(out, "cause", bytes_str(call->cause));
        }
        buf_put_str(out, "}");
    }
    buf_put_str(out, "]");
}

static void put_state(struct buf *out, const struct script *script)
{
    const struct ending *e = run_ending(script->run);

    put_string(out, "script_id", bytes_str(script->id));
    put_string(out, "state", bytes_str(e == NULL ? "running" : ending_name(e->kind)));
    put_string(out, "reason", e == NULL ? bytes_none() : e->reason);
}

static void put_stats(struct buf *out, const struct script *script)
{
    const struct ending *e = run_ending(script->run);
    struct run_counts counts = run_counts(script->run);

    json_put_key(out, "stats");
    buf_put_str(out, "{");
    put_number(out, "wall_ms", e == NULL ? clock_now_ms() - script->started_ms : e->wall_ms);
    put_number(out, "cpu_ms", e == NULL ? 0 : e->cpu_ms);
    put_number(out, "memory", e == NULL ? counts.memory_bytes : e->memory_peak_bytes);
    put_number(out, "calls", (int64_t)counts.calls);
    put_number(out, "wakes", (int64_t)counts.wakes_delivered);
    buf_put_str(out, "}");
}

void structure_return(struct buf *out, const struct watch *watch, const struct output_part *output)
{
    const struct script *script = watch->script;
    const struct ending *e = run_ending(script->run);

    buf_put_str(out, "{");
    put_state(out, script);
    put_raw(out, "value", e == NULL ? bytes_none() : e->value, "null");
    put_error(out, e);
    put_tools(out, e);
    put_unseen(out, e);
    put_output(out, output);
    json_put_key(out, "may_lack_output");
    json_put_bool(out, e != NULL && e->may_lack_output);
    put_raw(out, "notes", e == NULL ? bytes_none() : e->notes, "[]");
    put_string(out, "walls", e == NULL || e->walls == NULL ? bytes_none() : bytes_str(e->walls));
    put_stats(out, script);
    put_round(out, watch);
    buf_put_str(out, "}");
}

void structure_ending(struct buf *out, const struct ending *e)
{
    buf_put_str(out, "{");
    put_string(out, "state", bytes_str(ending_name(e->kind)));
    put_string(out, "reason", e->reason);
    put_raw(out, "value", e->value, "null");
    put_error(out, e);
    put_tools(out, e);
    put_unseen(out, e);
    put_raw(out, "notes", e->notes, "[]");
    put_string(out, "walls", bytes_str(e->walls == NULL ? "" : e->walls));
    put_number(out, "wall_ms", e->wall_ms);
    put_number(out, "cpu_ms", e->cpu_ms);
    put_number(out, "memory", e->memory_peak_bytes);
    buf_put_str(out, "}");
}

void structure_list(struct buf *out, const struct agent *agent)
{
    buf_put_str(out, "{\"scripts\":[");
    for (const struct script *s = agent->scripts; s != NULL; s = s->next) {
        json_put_comma(out);
        buf_put_str(out, "{");
        put_state(out, s);
        put_number(out, "age_ms", clock_now_ms() - s->started_ms);
        put_string(out, "code", buf_bytes(&s->first_line));
        put_error(out, run_ending(s->run));
        put_stats(out, s);
        buf_put_str(out, "}");
    }
    buf_put_str(out, "]}");
}
