/* SPDX-License-Identifier: MIT
 *
 * The object of `torno run --json`. Its shape is a promise (torno.1): every key is always there,
 * null where there is nothing to say.
 */
#include "cli/report.h"

#include "base/mem.h"
#include "json/json.h"

static void put_raw(struct buf *out, struct bytes json)
{
    if (json.len == 0) {
        buf_put_str(out, "null");
    } else {
        buf_put_bytes(out, json);
    }
}

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

static void put_error(struct buf *out, const struct ending *ending)
{
    json_put_key(out, "error");
    if (ending->error_name.len == 0 && ending->error_message.len == 0) {
        buf_put_str(out, "null");
        return;
    }
    buf_put_str(out, "{");
    put_string(out, "name", ending->error_name);
    put_string(out, "message", ending->error_message);
    json_put_key(out, "frames");
    buf_put_bytes(out, ending->frames.len == 0 ? bytes_str("[]") : ending->frames);
    buf_put_str(out, "}");
}

static bool is_seen(enum call_state state)
{
    return state == CALL_ANSWERED || state == CALL_FAILED || state == CALL_REFUSED;
}

static void put_calls(struct buf *out, const struct ending *ending)
{
    json_put_key(out, "calls");
    buf_put_str(out, "[");
    for (size_t i = 0; i < ending->n_calls; i++) {
        const struct record_call *call = &ending->calls[i];

        json_put_comma(out);
        buf_put_str(out, "{");
        put_number(out, "id", call->id);
        put_string(out, "tool", call->tool);
        put_string(out, "state", bytes_str(call_state_name(call->state)));
        put_string(out, "effect", bytes_str(call_effect_name(call->effect)));
        put_number(out, "ms", call->ms);
        if (!is_seen(call->state)) {
            put_string(out, "arguments", call->arguments);
        }
        buf_put_str(out, "}");
    }
    buf_put_str(out, "]");
    put_number(out, "calls_dropped", (int64_t)ending->calls_dropped);
}

static void put_output(struct buf *out, const struct output_part *output)
{
    _cleanup_(buf_done) struct buf text = buf_max(SIZE_MAX / 2);

    buf_put_bytes(&text, output->head);
    buf_put_bytes(&text, output->tail);
    put_string(out, "output", buf_bytes(&text));
    put_number(out, "dropped", (int64_t)output->dropped_characters);
}

/* Microseconds as milliseconds with three digits, or null. */
static void put_ms(struct buf *out, const char *key, int64_t us)
{
    json_put_key(out, key);
    if (us < 0) {
        buf_put_str(out, "null");
        return;
    }
    json_put_int(out, us / 1000);
    buf_put_str(out, ".");
    for (int64_t unit = 100; unit >= 1; unit /= 10) {
        buf_put_u8(out, (uint8_t)('0' + us / unit % 10));
    }
}

static void put_stats(struct buf *out, const struct ending *ending)
{
    json_put_key(out, "stats");
    buf_put_str(out, "{");
    put_number(out, "wall_ms", ending->wall_ms);
    put_number(out, "cpu_ms", ending->cpu_ms);
    put_number(out, "memory_peak", ending->memory_peak_bytes);
    put_ms(out, "first_call_ms", ending->first_call_us);
    buf_put_str(out, "}");
}

static void put_notes(struct buf *out, struct bytes notes, struct bytes more)
{
    struct bytes note;
    size_t at = 0;

    json_put_key(out, "notes");
    buf_put_str(out, "[");
    while (notes.len > 0 && json_next(notes, &at, NULL, &note)) {
        json_put_comma(out);
        buf_put_bytes(out, note);
    }
    if (more.len > 0) {
        json_put_comma(out);
        buf_put_bytes(out, more);
    }
    buf_put_str(out, "]");
}

static void put_wakes(struct buf *out, const struct ending *ending, struct bytes payloads)
{
    json_put_key(out, "wakes");
    buf_put_str(out, "{");
    put_number(out, "sent", ending->wakes_sent);
    put_number(out, "delivered", ending->wakes_delivered);
    json_put_key(out, "payloads");
    buf_put_str(out, "[");
    buf_put_bytes(out, payloads);
    buf_put_str(out, "]}");
}

void report_json(struct buf *out, const struct ending *ending, const struct output_part *output,
                 struct bytes wakes, struct bytes more_notes)
{
    buf_put_str(out, "{");
    put_string(out, "ending", bytes_str(ending_name(ending->kind)));
    put_string(out, "reason", ending->reason);
    json_put_key(out, "value");
    put_raw(out, ending->value);
    put_error(out, ending);
    put_calls(out, ending);
    put_output(out, output);
    put_string(out, "walls", bytes_str(ending->walls == NULL ? "" : ending->walls));
    put_stats(out, ending);
    put_wakes(out, ending, wakes);
    put_notes(out, ending->notes, more_notes);
    buf_put_str(out, "}\n");
}
