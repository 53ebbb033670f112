/* SPDX-License-Identifier: MIT
 *
 * A script's wakes in the host (src/host/wake.c): order, spacing, cap, breaches, and what ends
 * them. A run made by hand stands on one end of a socket; its time is set, not waited for.
 */
#include "host/wake.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/runs.h"
#include "unit/t.h"

#include <sys/socket.h>

static struct host host;
static struct cell cell;
static struct run run;
static struct buf handed; /* payloads, with spaces */
static struct buf breach;
static int far_end = -1;

static void on_wake(void *arg, struct run *of, struct bytes payload)
{
    (void)arg;
    (void)of;
    buf_put_bytes(&handed, payload);
    buf_put_str(&handed, " ");
}

static void begin(int64_t max_wakes)
{
    int pair[2];

    T_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    far_end = pair[1];
    cell = (struct cell){.host = &host, .run = &run, .socket = pair[0], .is_open = true};
    cell.out_end = &cell.out;
    run = (struct run){.host = &host, .cell = &cell, .limits = limits_default()};
    run.callbacks.on_wake = on_wake;
    run.limits.max_wakes = max_wakes;
    handed = buf_max(4096);
    breach = buf_max(4096);
}

static void end(void)
{
    wake_drop(&run);
    fd_close(cell.socket);
    fd_close(far_end);
    buf_done(&handed);
    buf_done(&breach);
}

static void arrive(uint32_t id, const char *payload)
{
    struct wire_wake m = {.id = id, .payload = bytes_str(payload)};

    wake_arrive(&run, &m, &breach);
    if (breach.len == 0) {
        wake_start(&run);
    }
}

/* The next answer that went to the cell as id * 10 + how; 0: none. */
static uint32_t answered(void)
{
    uint8_t bytes[64];
    struct frame f;
    struct wire_woken m = {0};
    ssize_t n = recv(far_end, bytes, FRAME_HEADER_BYTES + 8, 0);

    if (n <= 0 || frame_next(bytes_of(bytes, (size_t)n), sizeof bytes, &f) != 0 ||
        f.type != WIRE_MSG_woken || wire_get_woken(f.body, &m) != 0) {
        return 0;
    }
    return m.id * 10 + m.how;
}

static void test_one_after_the_other(void)
{
    int64_t before;

    begin(10);
    T_EQ(wake_deadline_ms(&run), INT64_MAX);
    arrive(7, "1");
    arrive(3, "2");
    arrive(9, "3");
    T_STR(buf_str(&handed), "1 ");
    T_EQ(answered(), 0);
    T_EQ(wake_deadline_ms(&run), INT64_MAX); /* the owner has one: no time brings the next */
    before = clock_now_ms();
    run_wake_done(&run, true);
    T_EQ(answered(), 71);
    T_OK(wake_deadline_ms(&run) >= before + run.limits.wake_spacing);
    T_OK(wake_deadline_ms(&run) <= clock_now_ms() + run.limits.wake_spacing);
    wake_start(&run);
    T_STR(buf_str(&handed), "1 ");
    run.wakes.next_at_ms = clock_now_ms(); /* the time has passed */
    wake_start(&run);
    T_STR(buf_str(&handed), "1 2 ");
    run_wake_done(&run, false);
    T_EQ(answered(), 33);
    T_OK(wake_deadline_ms(&run) > clock_now_ms()); /* a lost one has its spacing too */
    run_wake_done(&run, true);                     /* there is none to be done */
    T_EQ(answered(), 0);
    T_EQ(run.wakes.sent, 3);
    T_EQ(run.wakes.handed, 2);
    T_EQ(run.wakes.delivered, 1);
    end();
}

static void breaks(const char *part)
{
    T_OK(strstr(buf_str(&breach), part) != NULL);
    buf_clear(&breach);
}

static void test_breaches(void)
{
    begin(3);
    arrive(1, "{\"a\":");
    breaks("not JSON");
    T_EQ(run.wakes.sent, 0);
    arrive(1, "1");
    arrive(1, "2");
    breaks("id again"); /* while the owner has it */
    arrive(2, "2");
    arrive(2, "3");
    breaks("id again"); /* while it waits */
    run_wake_done(&run, true);
    arrive(1, "3"); /* answered: the id is free */
    T_EQ(breach.len, 0);
    arrive(4, "4");
    breaks("more wakes than max_wakes (3)");
    end();
    begin(0);
    arrive(1, "1");
    breaks("more wakes than max_wakes (0)");
    end();
}

static void test_refused(void)
{
    _cleanup_(buf_done) struct buf deep = buf_max(8192);

    begin(2);
    for (int i = 0; i < 2001; i++) {
        buf_put_str(&deep, "[");
    }
    for (int i = 0; i < 2001; i++) {
        buf_put_str(&deep, "]");
    }
    arrive(1, buf_str(&deep));
    T_EQ(answered(), 14);
    run.callbacks.on_wake = NULL;
    arrive(2, "1");
    T_EQ(answered(), 22);
    arrive(3, "1"); /* refused ones count */
    breaks("more wakes than max_wakes (2)");
    T_EQ(run.wakes.handed, 0);
    end();
}

/* What comes or waits once the end has begun goes nowhere. */
static void test_ends(void)
{
    begin(10);
    arrive(1, "1");
    arrive(2, "2");
    run.cause = CAUSE_STOP;
    arrive(3, "3");
    run_wake_done(&run, true);
    T_EQ(answered(), 0);
    T_EQ(wake_deadline_ms(&run), INT64_MAX);
    T_STR(buf_str(&handed), "1 ");
    T_EQ(run.wakes.sent, 3);
    T_EQ(run.wakes.delivered, 1);
    end();
    begin(10);
    run.has_said = true;
    arrive(1, "1");
    T_EQ(handed.len, 0);
    end();
    begin(10);
    arrive(1, "1");
    run.cell = NULL;
    run_wake_done(&run, true); /* delivered after the process went */
    T_EQ(run.wakes.delivered, 1);
    end();
}

int main(void)
{
    test_one_after_the_other();
    test_breaches();
    test_refused();
    test_ends();
    return T_DONE("wake");
}
