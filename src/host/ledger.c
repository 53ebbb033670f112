/* SPDX-License-Identifier: MIT
 *
 * The bookkeeping of calls; see host/ledger.h. Slots are few (512 at most), so they are
 * walked: no index to keep true.
 */
#include "host/ledger.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>

int ledger_init(struct ledger *l, uint32_t max_out, uint32_t max_held, int64_t timeout_ms)
{
    *l = (struct ledger){
        .n_slots = (size_t)max_out + max_held,
        .max_out = max_out,
        .max_held = max_held,
        .timeout_ms = timeout_ms,
    };
    l->slots = mem_array(l->n_slots, sizeof *l->slots);
    return l->slots == NULL ? -ENOMEM : 0;
}

void ledger_done(struct ledger *l)
{
    mem_free(l->slots);
    *l = (struct ledger){0};
}

static int find_out(const struct ledger *l, uint32_t id)
{
    for (size_t i = 0; i < l->n_slots; i++) {
        if (l->slots[i].is_out && l->slots[i].id == id) {
            return (int)i;
        }
    }
    return -1;
}

static int find_phase(const struct ledger *l, enum ledger_phase phase)
{
    int best = -1;

    for (size_t i = 0; i < l->n_slots; i++) {
        if (l->slots[i].phase == phase && (best < 0 || l->slots[i].order < l->slots[best].order)) {
            best = (int)i;
            if (phase == LEDGER_FREE) {
                break;
            }
        }
    }
    return best;
}

static void move(struct ledger *l, struct ledger_slot *s, enum ledger_phase phase)
{
    l->n_waiting -= s->phase == LEDGER_WAITING ? 1 : 0;
    l->n_at_tool -= s->phase == LEDGER_AT_TOOL ? 1 : 0;
    s->phase = phase;
    l->n_waiting += phase == LEDGER_WAITING ? 1 : 0;
    l->n_at_tool += phase == LEDGER_AT_TOOL ? 1 : 0;
}

static void free_if_over(struct ledger *l, struct ledger_slot *s)
{
    if (!s->is_out && s->phase != LEDGER_AT_TOOL) {
        move(l, s, LEDGER_FREE);
    }
}

static void leave_out(struct ledger *l, struct ledger_slot *s)
{
    s->is_out = false;
    l->n_out--;
}

enum ledger_breach ledger_call(struct ledger *l, uint32_t id, int64_t now_ms, int *ret_slot)
{
    struct ledger_slot *s;
    int slot;

    assert(!l->is_closed);
    if (find_out(l, id) >= 0) {
        return LEDGER_ID_REUSED;
    }
    if (l->n_out >= l->max_out) {
        return LEDGER_TOO_MANY;
    }
    slot = find_phase(l, LEDGER_FREE);
    assert(slot >= 0); /* out and held together never exceed the slots */
    s = &l->slots[slot];
    *s = (struct ledger_slot){
        .id = id,
        .is_out = true,
        .order = l->arrived,
        .deadline_ms = l->timeout_ms == 0 ? INT64_MAX : now_ms + l->timeout_ms,
    };
    move(l, s, LEDGER_WAITING);
    l->arrived++;
    l->n_out++;
    *ret_slot = slot;
    return LEDGER_FINE;
}

void ledger_refused(struct ledger *l, int slot)
{
    assert(l->slots[slot].phase == LEDGER_WAITING);
    move(l, &l->slots[slot], LEDGER_DONE);
    l->slots[slot].answer = LEDGER_QUEUED;
}

int ledger_next_start(struct ledger *l)
{
    int slot;

    if (l->is_closed || l->n_waiting == 0 || l->n_at_tool >= l->max_held) {
        return -1;
    }
    slot = find_phase(l, LEDGER_WAITING);
    move(l, &l->slots[slot], LEDGER_AT_TOOL);
    return slot;
}

static bool is_timed(const struct ledger_slot *s)
{
    return (s->phase == LEDGER_WAITING || s->phase == LEDGER_AT_TOOL) &&
           s->answer == LEDGER_NO_ANSWER;
}

int ledger_next_expired(struct ledger *l, int64_t now_ms, bool *ret_was_sent)
{
    for (size_t i = 0; i < l->n_slots && !l->is_closed; i++) {
        struct ledger_slot *s = &l->slots[i];

        if (is_timed(s) && s->deadline_ms <= now_ms) {
            *ret_was_sent = s->phase == LEDGER_AT_TOOL;
            s->answer = LEDGER_QUEUED;
            if (!*ret_was_sent) {
                move(l, s, LEDGER_DONE);
            }
            return (int)i;
        }
    }
    return -1;
}

int64_t ledger_deadline_ms(const struct ledger *l)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < l->n_slots && !l->is_closed; i++) {
        if (is_timed(&l->slots[i]) && l->slots[i].deadline_ms < first) {
            first = l->slots[i].deadline_ms;
        }
    }
    return first;
}

bool ledger_answered(struct ledger *l, int slot)
{
    struct ledger_slot *s = &l->slots[slot];
    bool is_wanted = s->answer == LEDGER_NO_ANSWER;

    assert(s->phase == LEDGER_AT_TOOL);
    move(l, s, LEDGER_DONE);
    if (is_wanted) {
        s->answer = LEDGER_QUEUED;
    }
    free_if_over(l, s);
    return is_wanted && !l->is_closed;
}

void ledger_written(struct ledger *l, int slot)
{
    assert(l->slots[slot].answer == LEDGER_QUEUED);
    l->slots[slot].answer = LEDGER_WRITTEN;
}

enum ledger_breach ledger_seen(struct ledger *l, uint32_t id, int *ret_slot)
{
    int slot = find_out(l, id);
    struct ledger_slot *s;

    if (slot < 0) {
        return LEDGER_SEEN_UNKNOWN;
    }
    s = &l->slots[slot];
    if (s->answer != LEDGER_WRITTEN) {
        return LEDGER_SEEN_EARLY;
    }
    s->answer = LEDGER_SEEN;
    leave_out(l, s);
    free_if_over(l, s);
    *ret_slot = slot;
    return LEDGER_FINE;
}

void ledger_close(struct ledger *l)
{
    l->is_closed = true;
}

int ledger_next_turned_down(struct ledger *l)
{
    int slot = l->n_waiting == 0 ? -1 : find_phase(l, LEDGER_WAITING);

    assert(l->is_closed);
    if (slot >= 0) {
        leave_out(l, &l->slots[slot]);
        move(l, &l->slots[slot], LEDGER_FREE);
    }
    return slot;
}

const char *ledger_breach_text(enum ledger_breach breach)
{
    switch (breach) {
    case LEDGER_FINE:
        return "";
    case LEDGER_TOO_MANY:
        return "it had more calls out than max_calls_out";
    case LEDGER_ID_REUSED:
        return "it used a call's id again before it had seen the answer";
    case LEDGER_SEEN_UNKNOWN:
        return "it said that it had seen the answer of a call that is not out";
    case LEDGER_SEEN_EARLY:
        return "it said that it had seen an answer that was not yet written";
    }
    return "";
}
