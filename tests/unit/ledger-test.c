/* SPDX-License-Identifier: MIT
 *
 * The ledger of calls: places, ids, timeouts, breaches; then random sequences against a plain
 * model of what must hold after every step.
 */
#include "host/ledger.h"

#include "unit/t.h"

#include <stdlib.h>

static void test_places(void)
{
    struct ledger l;
    int slot = -1;

    T_EQ(ledger_init(&l, 2, 1, 0), 0);
    T_EQ(ledger_next_start(&l), -1);
    T_EQ(ledger_call(&l, 10, 0, &slot), LEDGER_FINE);
    T_EQ(ledger_call(&l, 11, 0, &slot), LEDGER_FINE);
    T_EQ(ledger_call(&l, 12, 0, &slot), LEDGER_TOO_MANY);
    T_EQ(l.n_out, 2);
    slot = ledger_next_start(&l);
    T_EQ(l.slots[slot].id, 10);      /* in order of arrival */
    T_EQ(ledger_next_start(&l), -1); /* one place at the tools */
    T_OK(ledger_answered(&l, slot));
    slot = ledger_next_start(&l);
    T_EQ(l.slots[slot].id, 11);                           /* its place was free at once */
    T_EQ(ledger_call(&l, 12, 0, &slot), LEDGER_TOO_MANY); /* but it is out until it is seen */
    ledger_done(&l);
}

static void test_ids(void)
{
    struct ledger l;
    int slot = -1;
    int seen = -1;

    T_EQ(ledger_init(&l, 4, 4, 0), 0);
    T_EQ(ledger_call(&l, 7, 0, &slot), LEDGER_FINE);
    T_EQ(ledger_call(&l, 7, 0, &slot), LEDGER_ID_REUSED);
    T_EQ(ledger_seen(&l, 7, &seen), LEDGER_SEEN_EARLY); /* waiting */
    T_EQ(ledger_next_start(&l), slot);
    T_EQ(ledger_seen(&l, 7, &seen), LEDGER_SEEN_EARLY); /* at its tool */
    T_OK(ledger_answered(&l, slot));
    T_EQ(ledger_seen(&l, 7, &seen), LEDGER_SEEN_EARLY); /* queued, not written */
    T_EQ(ledger_call(&l, 7, 0, &slot), LEDGER_ID_REUSED);
    ledger_written(&l, slot);
    T_EQ(ledger_call(&l, 7, 0, &slot), LEDGER_ID_REUSED); /* written, not seen */
    T_EQ(ledger_seen(&l, 8, &seen), LEDGER_SEEN_UNKNOWN);
    T_EQ(ledger_seen(&l, 7, &seen), LEDGER_FINE);
    T_EQ(seen, slot);
    T_EQ(ledger_seen(&l, 7, &seen), LEDGER_SEEN_UNKNOWN); /* twice */
    T_EQ(l.n_out, 0);
    T_EQ(ledger_call(&l, 7, 0, &slot), LEDGER_FINE); /* free again */
    ledger_done(&l);
}

static void test_timeouts(void)
{
    struct ledger l;
    int one = -1;
    int two = -1;
    int again = -1;
    int slot = -1;
    bool was_sent = false;

    T_EQ(ledger_init(&l, 2, 1, 100), 0);
    T_OK(ledger_deadline_ms(&l) == INT64_MAX);
    T_EQ(ledger_call(&l, 1, 1000, &one), LEDGER_FINE);
    T_EQ(ledger_call(&l, 2, 1050, &two), LEDGER_FINE);
    T_EQ(ledger_next_start(&l), one);
    T_EQ(ledger_deadline_ms(&l), 1100);
    T_EQ(ledger_next_expired(&l, 1099, &was_sent), -1);
    T_EQ(ledger_next_expired(&l, 1100, &was_sent), one);
    T_OK(was_sent);
    T_EQ(ledger_next_expired(&l, 1100, &was_sent), -1); /* once */
    T_EQ(ledger_next_start(&l), -1);                    /* it keeps its place */
    T_EQ(ledger_next_expired(&l, 1150, &was_sent), two);
    T_OK(!was_sent); /* it waited for that place */
    T_EQ(ledger_next_start(&l), -1);
    ledger_written(&l, one);
    ledger_written(&l, two);
    T_EQ(ledger_seen(&l, 1, &slot), LEDGER_FINE);
    T_EQ(ledger_seen(&l, 2, &slot), LEDGER_FINE);
    T_EQ(l.n_out, 0);
    T_EQ(l.n_at_tool, 1);
    /* Its id may come again although the tool still works on the old call. */
    T_EQ(ledger_call(&l, 1, 1200, &again), LEDGER_FINE);
    T_OK(again != one);
    T_EQ(ledger_next_start(&l), -1);
    T_OK(!ledger_answered(&l, one)); /* the late answer is dropped, and frees the place */
    T_EQ(l.slots[one].phase, LEDGER_FREE);
    T_EQ(ledger_next_start(&l), again);
    ledger_done(&l);
}

static void test_late_before_seen(void)
{
    struct ledger l;
    int slot = -1;
    int seen = -1;
    bool was_sent = false;

    T_EQ(ledger_init(&l, 1, 1, 100), 0);
    T_EQ(ledger_call(&l, 1, 0, &slot), LEDGER_FINE);
    T_EQ(ledger_next_start(&l), slot);
    T_EQ(ledger_next_expired(&l, 100, &was_sent), slot);
    T_OK(!ledger_answered(&l, slot)); /* between the timeout and its seen */
    T_EQ(l.slots[slot].phase, LEDGER_DONE);
    ledger_written(&l, slot);
    T_EQ(ledger_seen(&l, 1, &seen), LEDGER_FINE);
    T_EQ(l.slots[slot].phase, LEDGER_FREE);
    ledger_done(&l);
}

static void test_no_timeout(void)
{
    struct ledger l;
    int slot = -1;
    bool was_sent = false;

    T_EQ(ledger_init(&l, 1, 1, 0), 0);
    T_EQ(ledger_call(&l, 1, 0, &slot), LEDGER_FINE);
    T_OK(ledger_deadline_ms(&l) == INT64_MAX);
    T_EQ(ledger_next_expired(&l, INT64_MAX - 1, &was_sent), -1);
    ledger_done(&l);
}

static void test_refused(void)
{
    struct ledger l;
    int slot = -1;
    int seen = -1;

    T_EQ(ledger_init(&l, 1, 1, 100), 0);
    T_EQ(ledger_call(&l, 1, 0, &slot), LEDGER_FINE);
    ledger_refused(&l, slot);
    T_EQ(ledger_next_start(&l), -1);
    T_OK(ledger_deadline_ms(&l) == INT64_MAX);
    ledger_written(&l, slot);
    T_EQ(ledger_seen(&l, 1, &seen), LEDGER_FINE);
    T_EQ(l.slots[slot].phase, LEDGER_FREE);
    ledger_done(&l);
}

static void test_close(void)
{
    struct ledger l;
    int one = -1;
    int two = -1;
    bool was_sent = false;

    T_EQ(ledger_init(&l, 2, 1, 100), 0);
    T_EQ(ledger_call(&l, 1, 0, &one), LEDGER_FINE);
    T_EQ(ledger_call(&l, 2, 0, &two), LEDGER_FINE);
    T_EQ(ledger_next_start(&l), one);
    ledger_close(&l);
    T_EQ(ledger_next_turned_down(&l), two);
    T_EQ(ledger_next_turned_down(&l), -1);
    T_EQ(l.n_out, 1);
    T_EQ(ledger_next_expired(&l, 1000, &was_sent), -1);
    T_OK(ledger_deadline_ms(&l) == INT64_MAX);
    T_OK(!ledger_answered(&l, one)); /* nobody listens */
    T_EQ(ledger_next_start(&l), -1);
    ledger_done(&l);
}

/* ---- random sequences ---- */

enum { MODEL_IDS = 6, STEPS = 200000 };

static uint32_t seed = 12345;

static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void check_sums(const struct ledger *l)
{
    uint32_t out = 0;
    uint32_t waiting = 0;
    uint32_t at_tool = 0;

    for (size_t i = 0; i < l->n_slots; i++) {
        const struct ledger_slot *s = &l->slots[i];

        out += s->is_out ? 1 : 0;
        waiting += s->phase == LEDGER_WAITING ? 1 : 0;
        at_tool += s->phase == LEDGER_AT_TOOL ? 1 : 0;
        if (s->phase == LEDGER_FREE && s->is_out) {
            T_FAIL("a free slot is out");
        }
        if (s->phase == LEDGER_DONE && !s->is_out) {
            T_FAIL("a done slot lingers");
        }
    }
    if (out != l->n_out || waiting != l->n_waiting || at_tool != l->n_at_tool || out > l->max_out ||
        at_tool > l->max_held) {
        T_FAIL("the sums hold");
    }
}

/* Which slot has this id out, looked for in the plainest way. */
static int slot_of(const struct ledger *l, uint32_t id)
{
    for (size_t i = 0; i < l->n_slots; i++) {
        if (l->slots[i].is_out && l->slots[i].id == id) {
            return (int)i;
        }
    }
    return -1;
}

static int64_t breaches[LEDGER_SEEN_EARLY + 1];

static void step_call(struct ledger *l, int64_t now_ms)
{
    uint32_t id = draw(MODEL_IDS);
    int had = slot_of(l, id);
    uint32_t out = l->n_out;
    int slot = -1;
    enum ledger_breach b = ledger_call(l, id, now_ms, &slot);

    breaches[b]++;
    if (had >= 0) {
        T_EQ(b, LEDGER_ID_REUSED);
    } else if (out >= l->max_out) {
        T_EQ(b, LEDGER_TOO_MANY);
    } else {
        T_EQ(b, LEDGER_FINE);
        T_EQ(l->slots[slot].phase, LEDGER_WAITING);
    }
}

static void step_seen(struct ledger *l)
{
    uint32_t id = draw(MODEL_IDS);
    int had = slot_of(l, id);
    bool is_written = had >= 0 && l->slots[had].answer == LEDGER_WRITTEN;
    int slot = -1;
    enum ledger_breach b = ledger_seen(l, id, &slot);

    breaches[b]++;
    T_EQ(b, had < 0 ? LEDGER_SEEN_UNKNOWN : is_written ? LEDGER_FINE : LEDGER_SEEN_EARLY);
}

static void step_answer(struct ledger *l)
{
    size_t i = draw((uint32_t)l->n_slots);

    if (l->slots[i].phase == LEDGER_AT_TOOL) {
        bool is_first = l->slots[i].answer == LEDGER_NO_ANSWER;

        T_EQ(ledger_answered(l, (int)i), is_first);
    } else if (l->slots[i].answer == LEDGER_QUEUED && l->slots[i].is_out) {
        ledger_written(l, (int)i);
    }
}

static void test_sequences(void)
{
    struct ledger l;
    int64_t now_ms = 0;
    bool was_sent;

    T_EQ(ledger_init(&l, 3, 2, 50), 0);
    for (int i = 0; i < STEPS; i++) {
        switch (draw(6)) {
        case 0:
            step_call(&l, now_ms);
            break;
        case 1:
            step_seen(&l);
            break;
        case 2:
        case 3:
            step_answer(&l);
            break;
        case 4:
            (void)ledger_next_start(&l);
            break;
        default:
            now_ms += draw(20);
            (void)ledger_next_expired(&l, now_ms, &was_sent);
        }
        check_sums(&l);
    }
    for (size_t b = 0; b < sizeof breaches / sizeof breaches[0]; b++) {
        T_OK(breaches[b] > 100); /* the sequences reach every verdict */
    }
    ledger_done(&l);
}

static void test_words(void)
{
    T_STR(ledger_breach_text(LEDGER_FINE), "");
    for (int b = LEDGER_TOO_MANY; b <= LEDGER_SEEN_EARLY; b++) {
        T_OK(strlen(ledger_breach_text((enum ledger_breach)b)) > 10);
    }
}

int main(void)
{
    test_places();
    test_ids();
    test_timeouts();
    test_late_before_seen();
    test_no_timeout();
    test_refused();
    test_close();
    test_sequences();
    test_words();
    return T_DONE("ledger");
}
