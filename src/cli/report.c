/* SPDX-License-Identifier: MIT
 *
 * An ending as lines for people. The names of frames, messages, tools and arguments come from
 * the script: whoever writes these lines to a terminal cleans them (cli_put_clean).
 */
#include "cli/report.h"

#include "agent/notes.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "json/json.h"

#include <inttypes.h>

enum { MAX_TEXT = 1 << 20, MAX_SOURCE_LINE = 160 };

void report_put_words(struct buf *out, struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        buf_put_u8(out, text.ptr[i]);
        if (text.ptr[i] == '\n') {
            buf_put_str(out, "  ");
        }
    }
}

static void put_text_of(struct buf *out, struct bytes string)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_TEXT);

    if (json_kind(string) == JSON_STRING && json_text(string, &text) == 0) {
        report_put_words(out, buf_bytes(&text));
    }
}

/* ret_line and ret_column are 0 where the frame has none. */
static void frame_place(struct bytes frame, int64_t *ret_line, int64_t *ret_column)
{
    *ret_line = 0;
    *ret_column = 0;
    (void)json_int(json_get(frame, "line"), 0, INT32_MAX, ret_line);
    (void)json_int(json_get(frame, "column"), 0, INT32_MAX, ret_column);
}

static void put_frame(struct buf *out, struct bytes frame, const struct source *source)
{
    struct bytes function = json_get(frame, "function");
    bool has_name = json_kind(function) == JSON_STRING && !json_is(function, "");
    int64_t line;
    int64_t column;

    frame_place(frame, &line, &column);
    buf_put_str(out, "    at ");
    if (has_name) {
        put_text_of(out, function);
    }
    if (line > 0) {
        buf_printf(out, "%s%s:%" PRId64, has_name ? " (" : "", source->name, line);
        if (column > 0) {
            buf_printf(out, ":%" PRId64, column);
        }
        buf_put_str(out, has_name ? ")" : "");
    }
    buf_put_str(out, "\n");
}

/* The source line of the first frame, with a mark under its column where that is on the screen. */
static void put_source_line(struct buf *out, struct bytes frames, const struct source *source)
{
    struct bytes frame = bytes_none();
    struct bytes text;
    int64_t line;
    int64_t column;
    size_t at = 0;

    if (!json_next(frames, &at, NULL, &frame)) {
        return;
    }
    frame_place(frame, &line, &column);
    text = source_line(source, line);
    if (text.len == 0 || text.len > MAX_SOURCE_LINE) {
        return;
    }
    buf_printf(out, "%6" PRId64 " | %.*s\n", line, (int)text.len, (const char *)text.ptr);
    if (column < 1 || (size_t)column > text.len) {
        return;
    }
    buf_put_str(out, "       | ");
    for (int64_t i = 0; i < column - 1; i++) {
        /* A tab as a tab, so that the mark stands under its place; the bytes that continue a
         * character take no room. */
        if ((text.ptr[i] & 0xc0) != 0x80) {
            buf_put_u8(out, text.ptr[i] == '\t' ? '\t' : ' ');
        }
    }
    buf_put_str(out, "^\n");
}

/* Whether a message ends with a mark under a source line of its own, as a syntax error's does. */
static bool shows_source_line(struct bytes message)
{
    size_t at = message.len;

    if (at == 0 || message.ptr[--at] != '^') {
        return false;
    }
    while (at > 0 && message.ptr[at - 1] == ' ') {
        at--;
    }
    return at > 0 && message.ptr[at - 1] == '\n';
}

static void put_frames(struct buf *out, const struct ending *ending, const struct source *source)
{
    struct bytes frame;
    size_t at = 0;

    if (ending->frames.len == 0 || json_kind(ending->frames) != JSON_ARRAY) {
        return;
    }
    if (!shows_source_line(ending->error_message)) {
        put_source_line(out, ending->frames, source);
    }
    while (json_next(ending->frames, &at, NULL, &frame)) {
        put_frame(out, frame, source);
    }
}

/* "failed", with its reason where the script's error does not say it already. */
static void put_kind(struct buf *out, const struct ending *ending)
{
    buf_put_str(out, ending_name(ending->kind));
    if (ending->reason.len > 0) {
        buf_put_str(out, " (");
        buf_put_bytes(out, ending->reason);
        buf_put_str(out, ")");
    }
}

static void put_error(struct buf *out, const struct ending *ending)
{
    if (ending->kind == ENDING_STOPPED && bytes_is(ending->error_message, "it was stopped")) {
        return; /* whoever stopped it has said so */
    }
    if (ending->error_name.len > 0) {
        buf_put_str(out, ": ");
        report_put_words(out, ending->error_name);
    }
    if (ending->error_message.len > 0) {
        buf_put_str(out, ": ");
        report_put_words(out, ending->error_message);
    }
}

void report_value(struct buf *out, const struct ending *ending)
{
    if (ending->value.len == 0) {
        return;
    }
    if (json_kind(ending->value) != JSON_STRING || json_text(ending->value, out) < 0) {
        buf_put_bytes(out, ending->value);
    }
    if (out->len == 0 || out->data[out->len - 1] != '\n') {
        buf_put_str(out, "\n");
    }
}

static void put_note(struct buf *out, struct bytes note)
{
    _cleanup_(buf_done) struct buf words = buf_max(MAX_TEXT);

    notes_put(&words, note);
    buf_put_str(out, "torno: ");
    report_put_words(out, buf_bytes(&words));
    buf_put_str(out, "\n");
}

static void put_notes(struct buf *out, const struct ending *ending)
{
    struct bytes note;
    size_t at = 0;

    if (ending->notes.len == 0 || json_kind(ending->notes) != JSON_ARRAY) {
        return;
    }
    while (json_next(ending->notes, &at, NULL, &note)) {
        put_note(out, note);
    }
}

/* Those that still waited for their spacing, or that nobody could be given. */
static void put_wakes(struct buf *out, const struct ending *ending)
{
    uint32_t n = ending->wakes_sent - ending->wakes_delivered;

    if (n > 0) {
        buf_printf(out, "torno: %u of its %u wake%s %s not delivered: the script ended before\n", n,
                   ending->wakes_sent, ending->wakes_sent == 1 ? "" : "s", n == 1 ? "was" : "were");
    }
}

void report_text(struct buf *out, const struct ending *ending, const struct source *source)
{
    if (ending->kind != ENDING_FINISHED || ending->reason.len > 0) {
        buf_put_str(out, "torno: ");
        buf_put_str(out, source->name);
        buf_put_str(out, " ");
        put_kind(out, ending);
        put_error(out, ending);
        buf_put_str(out, "\n");
        put_frames(out, ending, source);
    }
    put_notes(out, ending);
    report_unseen(out, ending);
    put_wakes(out, ending);
    if (ending->may_lack_output) {
        buf_put_str(out, "torno: the script was killed, so its output may lack its end\n");
    }
}
