/* SPDX-License-Identifier: MIT
 *
 * The waiting that a cell may not do itself; see host/sleep.h.
 *
 * A run holds one time, and its one timer stands for it: a flood of sleeps moves that time and
 * costs nothing more than any other frame. No second tick is queued while one waits to be written,
 * so a cell that does not read makes the queue one frame longer at most; and a tick is never sent
 * less than a millisecond after the frame that asked for it.
 */
#include "host/sleep.h"

#include "base/clock.h"
#include "base/mem.h"
#include "host/link.h"

enum { RETRY_MS = 100 }; /* where there was no memory for a tick */

/* Rounded up: a script must never see a timer that fired early. */
static int64_t time_after(uint32_t ms)
{
    return (clock_now_us() + (int64_t)(ms == 0 ? 1 : ms) * 1000 + 999) / 1000;
}

void sleep_take(struct run *run, uint32_t ms, struct buf *breach)
{
    if (run->limits.timers == 0) {
        buf_put_str(breach, "it asked to be woken, and its script has no timers");
        return;
    }
    run->sleep_ms = ms;
    run->tick_at_ms =
        ms == WIRE_SLEEP_NONE || run->cause != CAUSE_NONE ? INT64_MAX : time_after(ms);
}

static void send_tick(struct run *run)
{
    _cleanup_(buf_done) struct buf head = buf_max(WIRE_MAX_PACKET);
    struct wire_tick m = {.ms = run->sleep_ms};
    struct out_frame *f;

    wire_put_tick(&head, &m);
    f = link_frame(buf_bytes(&head), bytes_none(), FRAME_TICK);
    if (f == NULL) {
        run->tick_at_ms = clock_now_ms() + RETRY_MS;
        return;
    }
    link_send_take(run->cell, f);
}

void sleep_due(struct run *run, int64_t now_ms)
{
    if (run->tick_at_ms > now_ms) {
        return;
    }
    run->tick_at_ms = INT64_MAX;
    if (run->cell == NULL || run->cause != CAUSE_NONE || run->has_said || run->breach.len > 0 ||
        link_holds(run->cell, FRAME_TICK)) {
        return;
    }
    send_tick(run);
}
