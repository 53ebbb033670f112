/* SPDX-License-Identifier: MIT
 *
 * What the cell's runtime found worth saying of a script, in words: calls that nobody awaited,
 * rejections that nobody handled, timers that were dropped. The notes are the cell's claims: a kind
 * that is not known here is shown as it is.
 */
#include "agent/notes.h"

#include "base/mem.h"
#include "host/utf8.h"
#include "json/json.h"

static void put_member(struct buf *out, struct bytes note, const char *before, const char *key)
{
    struct bytes value = json_get(note, key);

    if (value.len > 0) {
        buf_put_str(out, before);
        if (json_kind(value) != JSON_STRING || json_text(value, out) < 0) {
            buf_put_bytes(out, value);
        }
    }
}

/* Calls of one tool and one fate that nobody awaited. */
static void put_not_awaited(struct buf *out, struct bytes note)
{
    static const struct {
        const char *state;
        const char *words;
    } fates[] = {
        {"not sent", "never sent"},
        {"out", "not answered yet"},
        {"answered", "answered"},
        {"failed", "answered with isError"},
    };
    bool are_many = json_get(note, "count").len > 0;
    struct bytes state = json_get(note, "state");
    const char *words = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(fates); i++) {
        words = json_is(state, fates[i].state) ? fates[i].words : words;
    }
    put_member(out, note, "", "count");
    put_member(out, note, are_many ? " calls of " : "the call ", "tool");
    buf_put_str(out, are_many ? " were not awaited: " : " was not awaited: ");
    if (words == NULL) {
        put_member(out, note, "rejected with ", "state");
    } else {
        buf_put_str(out, words);
    }
}

void notes_put(struct buf *out, struct bytes note)
{
    struct bytes kind = json_get(note, "note");

    if (json_is(kind, "not_awaited")) {
        put_not_awaited(out, note);
    } else if (json_is(kind, "unhandled_rejection")) {
        buf_put_str(out, "nothing handled the rejection");
        put_member(out, note, json_is(json_get(note, "name"), "") ? "" : " ", "name");
        put_member(out, note, ": ", "message");
        put_member(out, note, " (line ", "line");
        put_member(out, note, ", column ", "column");
        buf_put_str(out, json_get(note, "column").len > 0 ? ")" : "");
    } else if (json_is(kind, "timers_dropped")) {
        put_member(out, note,
                   "timers that had not fired when the script returned, dropped: ", "count");
    } else if (json_is(kind, "more")) {
        put_member(out, note, "more of these: ", "count");
    } else {
        buf_put_bytes(out, note);
    }
}
