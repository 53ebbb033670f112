/* SPDX-License-Identifier: MIT
 *
 * A script's messages to its agent; see host/wake.h.
 *
 * What waits is bounded by max_wakes, which counts every wake that the cell sends. The
 * owner has one at a time, and the next goes out wake_spacing after that one was delivered, by
 * the monotonic clock. Once a stop was asked, the script has said its end or its process is
 * gone, nothing goes out any more: what waits is dropped, and the counts tell.
 */
#include "host/wake.h"

#include "base/clock.h"
#include "base/mem.h"
#include "host/link.h"
#include "host/runs.h"
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>

struct wake {
    struct wake *next;
    uint32_t id;
    size_t len;
    uint8_t payload[];
};

/* What a process had sent before it went is read after that, in order: a wake among it goes out,
 * or it would hang on who is quicker whether a script's last wake does. */
static bool is_over(const struct run *run)
{
    return run->cause != CAUSE_NONE || run->has_said || run->cell == NULL || run->breach.len > 0;
}

static void answer(struct run *run, uint32_t id, enum wire_woken_how how)
{
    _cleanup_(buf_done) struct buf head = buf_max(WIRE_MAX_PACKET);
    struct wire_woken m = {.id = id, .how = how};
    struct out_frame *f;

    if (is_over(run)) {
        return;
    }
    wire_put_woken(&head, &m);
    f = link_frame(buf_bytes(&head), bytes_none(), FRAME_OTHER);
    if (f == NULL) {
        run_breach(run, "the host had no memory for a wake's answer");
        return;
    }
    link_send_take(run->cell, f);
}

static bool is_waiting(const struct run *run, uint32_t id)
{
    for (const struct wake *w = run->wakes.first; w != NULL; w = w->next) {
        if (w->id == id) {
            return true;
        }
    }
    return run->wakes.is_out && run->wakes.out_id == id;
}

static void enqueue(struct run *run, const struct wire_wake *m, struct buf *breach)
{
    struct wake *w = mem_new(sizeof *w + m->payload.len);
    struct wake **at = &run->wakes.first;

    if (w == NULL) {
        buf_put_str(breach, "the host had no memory for its wake");
        return;
    }
    w->id = m->id;
    w->len = m->payload.len;
    memcpy(w->payload, m->payload.ptr, m->payload.len);
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = w;
}

void wake_arrive(struct run *run, const struct wire_wake *m, struct buf *breach)
{
    int r = json_check(m->payload, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL);

    if (run->wakes.sent >= run->limits.max_wakes) {
        buf_printf(breach, "it sent more wakes than max_wakes (%" PRId64 ")",
                   run->limits.max_wakes);
    } else if (is_waiting(run, m->id)) {
        buf_put_str(breach, "it used a wake's id again before the wake was answered");
    } else if (r < 0 && r != -EMSGSIZE) {
        buf_put_str(breach, "its wake was not JSON");
    }
    if (breach->len > 0) {
        return;
    }
    run->wakes.sent++;
    if (is_over(run)) {
        return;
    }
    if (r < 0) {
        answer(run, m->id, WIRE_WOKEN_DEEP);
    } else if (run->callbacks.on_wake == NULL) {
        answer(run, m->id, WIRE_WOKEN_NOBODY);
    } else {
        enqueue(run, m, breach);
    }
}

int64_t wake_deadline_ms(const struct run *run)
{
    bool is_due = run->wakes.first != NULL && !run->wakes.is_out && !is_over(run);

    return is_due ? run->wakes.next_at_ms : INT64_MAX;
}

void wake_start(struct run *run)
{
    struct wake *w;

    if (wake_deadline_ms(run) > clock_now_ms()) {
        return;
    }
    w = run->wakes.first;
    run->wakes.first = w->next;
    run->wakes.is_out = true;
    run->wakes.out_id = w->id;
    run->wakes.handed++;
    event_send(run->host, EVENT_WAKE, run, run->cell, w->id, bytes_of(w->payload, w->len));
    run->callbacks.on_wake(run->arg, run, bytes_of(w->payload, w->len));
    mem_free(w);
}

void run_wake_done(struct run *run, bool is_delivered)
{
    struct wakes *wakes = &run->wakes;

    if (!wakes->is_out) {
        return;
    }
    wakes->is_out = false;
    wakes->delivered += is_delivered;
    wakes->next_at_ms = clock_now_ms() + run->limits.wake_spacing;
    answer(run, wakes->out_id, is_delivered ? WIRE_WOKEN_DELIVERED : WIRE_WOKEN_LOST);
    run_arm(run);
}

void wake_drop(struct run *run)
{
    while (run->wakes.first != NULL) {
        struct wake *w = run->wakes.first;

        run->wakes.first = w->next;
        mem_free(w);
    }
}
