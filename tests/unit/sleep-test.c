/* SPDX-License-Identifier: MIT
 *
 * When a cell is woken: never less than the time it asked for, and never less than a millisecond,
 * after its sleep; once; and not at all where that is pointless. The frames themselves are shown by
 * tests/hostile. No time is waited for, and only that something is not early is asserted.
 */
#include "host/sleep.h"

#include "base/clock.h"
#include "unit/t.h"

enum { TRIES = 2000 };

static struct run run;
static struct buf breach;

static void begin(void)
{
    run = (struct run){.limits = limits_default(), .tick_at_ms = INT64_MAX};
    buf_clear(&breach);
}

/* How many of many sleeps for ms would be woken too early. */
static int count_early(uint32_t ms, int64_t least_us)
{
    int n = 0;

    for (int i = 0; i < TRIES; i++) {
        int64_t asked_us = clock_now_us();

        sleep_take(&run, ms, &breach);
        n += run.tick_at_ms * 1000 - asked_us < least_us ? 1 : 0;
    }
    return n;
}

static void test_never_early(void)
{
    begin();
    T_EQ(count_early(0, 1000), 0); /* the floor: a flood of sleeps is no flood of ticks */
    T_EQ(count_early(1, 1000), 0);
    T_EQ(count_early(7, 7000), 0);
    T_EQ(count_early(WIRE_SLEEP_NONE - 1, (int64_t)(WIRE_SLEEP_NONE - 1) * 1000), 0);
    T_EQ(breach.len, 0);
}

static void test_one_time(void)
{
    begin();
    sleep_take(&run, 60000, &breach);
    T_OK(run.tick_at_ms < INT64_MAX);
    sleep_take(&run, WIRE_SLEEP_NONE, &breach);
    T_EQ(run.tick_at_ms, INT64_MAX);
    sleep_take(&run, 60000, &breach);
    run.tick_at_ms = 1000;
    sleep_due(&run, 999);
    T_EQ(run.tick_at_ms, 1000);
    sleep_due(&run, 1000);
    T_EQ(run.tick_at_ms, INT64_MAX);
}

static void test_none(void)
{
    begin();
    run.cause = CAUSE_STOP;
    sleep_take(&run, 1, &breach);
    T_EQ(run.tick_at_ms, INT64_MAX);
    T_EQ(breach.len, 0);
    begin();
    run.limits.timers = 0;
    sleep_take(&run, 1, &breach);
    T_EQ(run.tick_at_ms, INT64_MAX);
    T_OK(breach.len > 0);
}

int main(void)
{
    breach = buf_max(1000);
    test_never_early();
    test_one_time();
    test_none();
    buf_done(&breach);
    return T_DONE("sleep");
}
