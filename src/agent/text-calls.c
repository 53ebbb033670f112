/* SPDX-License-Identifier: MIT
 *
 * The second part of a return: a script's calls, in this order: those that were answered, those
 * whose answer it did not see, one by one, with what that means, those never sent, those refused,
 * those under way; then its wakes and what the cell's runtime noted.
 */
#include "agent/inside.h"
#include "agent/notes.h"
#include "agent/words.h"

#include "base/mem.h"
#include "host/utf8.h"
#include "json/json.h"

#include <inttypes.h>

enum { MAX_NAMED = 10, MAX_TOOLS = 40, MAX_NOTES = 12, NAME_CHARS = 200, NOTE_CHARS = 1000 };

static uint64_t count_of(const struct record_tool *tool, const enum call_state *states, size_t n)
{
    uint64_t total = 0;

    for (size_t i = 0; i < n; i++) {
        total += tool->counts[states[i]];
    }
    return total;
}

static void put_tool(struct buf *out, const struct record_tool *tool, uint64_t n)
{
    words_put_first(out, tool->name, NAME_CHARS, WORDS_ONE_LINE);
    if (n > 1) {
        buf_printf(out, " (%" PRIu64 ")", n);
    }
}

/* "12 calls answered: files.read (10), git.log (2).", or "2 of these ..." */
static void put_states(struct buf *out, const struct run_record *rec, const char *how,
                       const enum call_state *states, size_t n_states)
{
    uint64_t total = 0;
    uint64_t rest = 0;
    int named = 0;

    for (size_t i = 0; i < rec->n_tools; i++) {
        total += count_of(&rec->tools[i], states, n_states);
    }
    if (total == 0) {
        return;
    }
    if (strncmp(how, "of these", 8) == 0) {
        buf_printf(out, "%" PRIu64 " %s", total, how);
    } else {
        words_put_count(out, total, "call ", "calls ");
        buf_put_str(out, how);
    }
    for (size_t i = 0; i < rec->n_tools; i++) {
        uint64_t n = count_of(&rec->tools[i], states, n_states);

        if (n > 0 && named < MAX_TOOLS) {
            buf_put_str(out, named++ == 0 ? ": " : ", ");
            put_tool(out, &rec->tools[i], n);
        } else {
            rest += n;
        }
    }
    if (rest > 0) {
        buf_printf(out, ", other tools (%" PRIu64 ")", rest);
    }
    buf_put_str(out, ".\n");
}

static void put_state(struct buf *out, const struct run_record *rec, const char *how,
                      enum call_state state)
{
    put_states(out, rec, how, &state, 1);
}

bool call_is_unseen(enum call_state state)
{
    return state == CALL_TIMED_OUT || state == CALL_TOO_LARGE || state == CALL_UNSEEN ||
           state == CALL_RUNNING;
}

uint64_t record_count_unseen(const struct run_record *rec)
{
    uint64_t n = 0;

    for (size_t i = 0; i < rec->n_tools; i++) {
        for (int state = 0; state < CALL_STATES; state++) {
            n += call_is_unseen((enum call_state)state) ? rec->tools[i].counts[state] : 0;
        }
    }
    return n;
}

/* "mail.send {...}", cut as the record cut it. */
static void put_call(struct buf *out, const struct record_call *call)
{
    buf_put_str(out, "  ");
    words_put_first(out, call->tool, NAME_CHARS, WORDS_ONE_LINE);
    if (call->arguments.len > 0) {
        buf_put_str(out, " ");
        words_put_plain(out, call->arguments, WORDS_ONE_LINE);
        if (json_check(call->arguments, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL) < 0) {
            buf_put_str(out, "...");
        }
    }
    if (call->state == CALL_UNSEEN && call->effect != EFFECT_DONE) {
        buf_put_str(out, ": with an error, so it may have taken effect or not");
    }
    buf_put_str(out, "\n");
}

/* The calls of one state past the first n of the record: how many, by tool. */
static void put_rest(struct buf *out, const struct run_record *rec, enum call_state state, size_t n,
                     uint64_t total)
{
    const char *comma = "  ";

    if (n > 0) {
        buf_printf(out, "  and %" PRIu64 " more", total);
        comma = ": ";
    }
    for (size_t i = 0; i < rec->n_tools; i++) {
        uint64_t left = rec->tools[i].counts[state];

        for (size_t k = 0; left > 0 && k < n; k++) {
            left -=
                rec->calls[k].state == state && bytes_equal(rec->calls[k].tool, rec->tools[i].name);
        }
        if (left > 0) {
            buf_put_str(out, comma);
            put_tool(out, &rec->tools[i], left);
            comma = ", ";
        }
    }
    buf_put_str(out, "\n");
}

/* Those of one fate: what it means, each by name while *named is not at its end, then counts. */
static void put_fate(struct buf *out, const struct run_record *rec, enum call_state state,
                     const char *const words[2], uint64_t *named)
{
    uint64_t total = 0;
    uint64_t rest;
    size_t at = 0;

    for (size_t i = 0; i < rec->n_tools; i++) {
        total += rec->tools[i].counts[state];
    }
    if (total == 0) {
        return;
    }
    words_put_count(out, total, words[0], words[1]);
    buf_put_str(out, ":\n");
    for (rest = total; at < rec->n_calls && *named < MAX_NAMED; at++) {
        if (rec->calls[at].state == state) {
            put_call(out, &rec->calls[at]);
            (*named)++;
            rest--;
        }
    }
    if (rest > 0) {
        put_rest(out, rec, state, rest < total ? at : 0, rest);
    }
}

/* Those whose answer the script did not see, what may have taken effect first. */
static void put_unseen(struct buf *out, const struct run_record *rec)
{
    static const struct {
        enum call_state state;
        const char *words[2]; /* of one, of many */
    } fates[] = {
        {CALL_RUNNING,
         {"call had no answer when the script ended; it may have taken effect",
          "calls had no answer when the script ended; they may have taken effect"}},
        {CALL_TIMED_OUT,
         {"call got no answer in time; it may have taken effect",
          "calls got no answer in time; they may have taken effect"}},
        {CALL_UNSEEN,
         {"call was answered as the script ended, which did not see it; it took effect",
          "calls were answered as the script ended, which did not see it; they took effect"}},
        {CALL_TOO_LARGE,
         {"call's answer could not go to the script (too large, too deep, or no JSON object); it "
          "took effect",
          "calls' answers could not go to the script (too large, too deep, or no JSON object); "
          "they took effect"}},
    };
    uint64_t named = 0;

    for (size_t i = 0; i < ARRAY_SIZE(fates); i++) {
        put_fate(out, rec, fates[i].state, fates[i].words, &named);
    }
}

static void put_wakes(struct buf *out, const struct ending *e)
{
    uint32_t lost = e->wakes_sent - e->wakes_delivered;

    if (lost == 0) {
        return;
    }
    if (e->wakes_sent == 1) {
        buf_put_str(out, "Its wake was not delivered.\n");
    } else {
        buf_printf(out, "%u of its %u wakes %s not delivered.\n", lost, e->wakes_sent,
                   lost == 1 ? "was" : "were");
    }
}

static void put_notes(struct buf *out, const struct ending *e)
{
    _cleanup_(buf_done) struct buf words = buf_max(1024 * 1024);
    struct bytes note;
    size_t at = 0;
    uint64_t n = 0;

    while (e->notes.len > 0 && json_next(e->notes, &at, NULL, &note)) {
        if (n++ < MAX_NOTES) {
            size_t from = out->len;

            buf_clear(&words);
            notes_put(&words, note);
            buf_put_str(out, "Note: ");
            words_put_first(out, buf_bytes(&words), NOTE_CHARS, WORDS_INDENTED);
            words_put_stop(out, from);
            buf_put_str(out, "\n");
        }
    }
    if (n > MAX_NOTES) {
        buf_printf(out, "And %" PRIu64 " more notes.\n", n - MAX_NOTES);
    }
}

uint64_t script_under_way(const struct script *script)
{
    struct run_record rec = run_record(script->run);
    uint64_t n = run_counts(script->run).calls;

    for (size_t i = 0; i < rec.n_tools; i++) {
        for (int state = 0; state < CALL_STATES; state++) {
            n -= rec.tools[i].counts[state];
        }
    }
    return n;
}

void text_calls(struct buf *out, const struct script *script)
{
    static const enum call_state answered[] = {CALL_ANSWERED, CALL_FAILED};
    const struct ending *e = run_ending(script->run);
    struct run_record rec = run_record(script->run);
    uint64_t under_way = script_under_way(script);

    put_states(out, &rec, e == NULL ? "answered so far" : "answered", answered,
               ARRAY_SIZE(answered));
    put_state(out, &rec, "of these with an error, and may have done something", CALL_FAILED);
    put_unseen(out, &rec);
    put_state(out, &rec, "never sent", CALL_NEVER_SENT);
    put_state(out, &rec, "refused, with nothing done", CALL_REFUSED);
    if (under_way > 0) {
        words_put_count(out, under_way, "call under way.\n", "calls under way.\n");
    }
    if (e != NULL) {
        put_wakes(out, e);
        put_notes(out, e);
    }
}
