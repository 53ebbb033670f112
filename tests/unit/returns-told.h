/* SPDX-License-Identifier: MIT
 *
 * One play's state, and what the agent is told in it; see unit/returns-play.h.
 */
#ifndef UNIT_RETURNS_TOLD_H
#define UNIT_RETURNS_TOLD_H

#include "unit/agent-play.h"
#include "unit/returns-form.h"
#include "unit/t.h"
#include "json/json.h"

enum { MAX_PENDING = 64, MAX_SCRIPTS = 64, MAX_TOOLS = 8 };

/* One play. */
struct returns {
    struct stage stage;
    struct agent *agent; /* NULL: settings yet */
    struct agent_options options;
    unsigned places;
    bool is_deaf;
    char tools[MAX_TOOLS][2048];
    bool is_auto[MAX_TOOLS];
    size_t n_tools;
    struct tool_call *pending[MAX_PENDING];
    uint32_t last_call[MAX_SCRIPTS]; /* ids that each script's cell used */
    unsigned script;                 /* whose cell acts */
    struct watch *last;
    size_t n_waiting;
    uint64_t turn;
    char shown[512]; /* paths of the structure, a space behind each */
    struct buf frames;
    struct buf notes;
    struct buf have;
    void (*on_structure)(struct bytes structure);
};

/* ---- what the agent is told ---- */

static inline void put_told(struct returns *r, struct bytes text)
{
    while (text.len > 0) {
        const uint8_t *end = memchr(text.ptr, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.ptr);

        buf_put_str(&r->have, len == 0 ? "|" : "| ");
        put_shown(&r->have, bytes_first(text, len));
        buf_put_str(&r->have, "\n");
        text = bytes_from(text, len + 1);
    }
}

static inline void show_path(struct returns *r, struct bytes path, struct bytes structured)
{
    struct bytes at = structured;
    struct bytes left = path;

    while (left.len > 0) {
        const uint8_t *dot = memchr(left.ptr, '.', left.len);
        size_t len = dot == NULL ? left.len : (size_t)(dot - left.ptr);
        char key[128] = "";

        assert(len < sizeof key);
        memcpy(key, left.ptr, len);
        at = json_get(at, key);
        left = bytes_from(left, len + 1);
    }
    buf_put_str(&r->have, "@ ");
    buf_put_bytes(&r->have, path);
    buf_put_str(&r->have, ": ");
    put_shown(&r->have, at);
    buf_put_str(&r->have, "\n");
}

static inline void returns_on_return(void *arg, const struct agent_return *ret)
{
    struct returns *r = arg;
    uint64_t n = utf8_count(ret->text);
    struct bytes paths = bytes_str(r->shown);

    r->last = NULL;
    r->n_waiting--;
    buf_printf(&r->have, "= return%s%s%s", ret->script_id[0] == '\0' ? "" : " ", ret->script_id,
               ret->is_error ? " error" : "");
    if (n > 1000) {
        buf_printf(&r->have, ", %ju characters", (uintmax_t)n);
    }
    buf_put_str(&r->have, "\n");
    put_told(r, ret->text);
    while (paths.len > 0) {
        show_path(r, word_take(&paths), ret->structured);
    }
    T_OK(ret->text.len > 0);
    T_OK(n <= r->options.inline_chars);
    T_OK(is_plain(ret->text));
    T_EQ(json_check(ret->structured, JSON_UNIQUE_KEYS, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL), 0);
    r->on_structure(ret->structured);
}

static inline void returns_on_message(void *arg, struct agent *agent,
                                      const struct agent_message *message)
{
    struct returns *r = arg;

    (void)agent;
    buf_printf(&r->have, "= %s %s\n", message->is_notice ? "notice" : "wake", message->script_id);
    put_told(r, message->text);
    T_OK(is_plain(message->text));
}

/* The object of torno_run()'s ending is held to the same rules. */
static inline void returns_on_ended(void *arg, const char *script_id, const struct ending *ending)
{
    _cleanup_(buf_done) struct buf out = buf_max(PLAY_BYTES);
    struct returns *r = arg;
    int64_t calls = -1;

    (void)script_id;
    structure_ending(&out, ending);
    T_EQ(json_check(buf_bytes(&out), JSON_UNIQUE_KEYS, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL), 0);
    T_OK(json_is(json_get(buf_bytes(&out), "state"), ending_name(ending->kind)));
    T_OK(
        bytes_is(json_get(buf_bytes(&out), "has_value"), ending->value.len > 0 ? "true" : "false"));
    T_EQ(json_int(json_get(json_get(buf_bytes(&out), "stats"), "calls"), 0, INT64_MAX, &calls), 0);
    T_EQ(calls, ending->calls_total);
    r->on_structure(buf_bytes(&out));
}

static inline void returns_on_call(void *arg, struct tool_call *call)
{
    struct returns *r = arg;
    size_t i = 0;

    for (size_t k = 0; k < r->n_tools; k++) {
        if (r->is_auto[k] && bytes_is(tool_call_name(call), r->tools[k])) {
            tool_reply(call, bytes_str("{\"content\":[]}"));
            return;
        }
    }
    while (r->pending[i] != NULL) {
        i++;
        assert(i < MAX_PENDING);
    }
    r->pending[i] = call;
}

static inline void returns_on_cancel(void *arg, struct tool_call *call)
{
    (void)arg;
    (void)call;
}

#endif
