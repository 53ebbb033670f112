/* SPDX-License-Identifier: MIT
 *
 * Timers, seen from the loop (see engine-timers.h).
 *
 * What the host was asked is kept here as the due time it was asked for, so that an answer which
 * changes nothing about the timers costs no frame.
 */
#include "cell/engine-timers.h"

#include "cell/engine-js.h"

enum { NOTHING_ASKED = -1 };

static struct {
    uint64_t due, fire;
} prelude;

static double asked_ms = NOTHING_ASKED;

void timers_init(uint64_t prelude_result)
{
    prelude.due = js_get(prelude_result, "timerDue");
    prelude.fire = js_get(prelude_result, "timerFire");
}

/* When the next timer is due, or -1. */
static double next_due(void)
{
    uint64_t value = js_call(prelude.due, 0, NULL);

    if (js_is_exception(value)) {
        js_free(qjs(JS_GetException, js_ctx)); /* no memory, or a stop: asked again at once */
        return rt_clock_ms();
    }
    return js_number(value, -1); /* a number owns nothing */
}

/* Rounded up, so that a tick finds its timer due. */
static uint32_t delay_until(double due_ms)
{
    double delay = due_ms - rt_clock_ms();
    uint32_t whole;

    if (delay <= 0) {
        return 0;
    }
    if (delay >= WIRE_SLEEP_NONE - 1) {
        return WIRE_SLEEP_NONE - 1;
    }
    whole = (uint32_t)delay;
    return whole < delay ? whole + 1 : whole;
}

bool timers_ask(const struct engine_hooks *hooks)
{
    double due = next_due();

    if (due < 0 && asked_ms >= 0) {
        asked_ms = NOTHING_ASKED;
        hooks->sleep(hooks->arg, WIRE_SLEEP_NONE);
    } else if (due >= 0 && due != asked_ms) {
        asked_ms = due;
        hooks->sleep(hooks->arg, delay_until(due));
    }
    return due >= 0;
}

void timers_ticked(void)
{
    asked_ms = NOTHING_ASKED;
}

uint64_t timers_fire(double now_ms)
{
    uint64_t now = qjs(JS_NewNumber, js_ctx, now_ms);

    return js_call(prelude.fire, 1, &now);
}
