/* SPDX-License-Identifier: MIT
 *
 * limits_host_bytes() is what a host holds for one script at most: each flood that a lying cell can
 * make drives a host up to it. The host's own allocations are measured, after every step, and must
 * stay within the sum; where a flood is what its settings are mostly about, the sum must be no more
 * than four times what was measured, so that it says something. A script's end gives all of it
 * back.
 */
#include "base/clock.h"
#include "unit/run-play.h"
#include "unit/t.h"

#include <fcntl.h>
#include <malloc.h>
#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

enum { LOOSE = 4, REST_BYTES = 192 * 1024, FLOOD = 100 * 1000, MANY = 10 * 1000 };

/* Of real memory: what the allocator keeps of what was freed, and the play's own stack and pages.
 */
enum { SLACK_BYTES = 1024 * 1024 };

static const char *const names[] = {"add", NULL};

static struct play p;
static struct limits limits;
static struct call *held[1024];
static size_t n_held;
static bool answers_at_once;
static bool takes_wakes;
static size_t n_ended;
static size_t base;
static size_t peak;
static size_t base_resident;
static size_t peak_resident;
static uint8_t frame[26 * 1024 * 1024 + 64]; /* what is sent */
static char text[8 * 1024 * 1024];           /* what is answered, or asked */

static size_t held_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
    return __sanitizer_get_current_allocated_bytes();
#else
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
#endif
}

/* What the process has in real memory; 0 where a sanitizer has its own idea of that. */
static size_t resident_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
    char line[128] = "";
    unsigned long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, line, sizeof line - 1);

    fd_close(fd);
    return n > 0 && sscanf(line, "%*u %lu", &pages) == 1 ? pages * 4096 : 0;
#endif
}

static void sample(void)
{
    static unsigned n;
    size_t now = held_bytes();
    bool is_new = now > base && now - base > peak;

    if (is_new) {
        peak = now - base;
    }
    n++;
    if (is_new || n % 64 == 0) {
        now = resident_bytes();
        peak_resident = now > base_resident + peak_resident ? now - base_resident : peak_resident;
    }
}

static void on_call(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    if (answers_at_once) {
        call_reply(call, bytes_str("{\"content\":[]}"));
    } else {
        held[n_held] = call;
        n_held++;
    }
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    (void)call;
}

static void on_wake(void *arg, struct run *run, struct bytes payload)
{
    (void)arg;
    (void)run;
    (void)payload;
}

static void on_ended(void *arg, struct run *run, const struct ending *e)
{
    (void)arg;
    (void)run;
    (void)e;
    sample();
    n_ended++;
}

/* ---- what the cell sends ---- */

static void copy(void *to, struct bytes a)
{
    memcpy(to, a.ptr, a.len);
}

/* A frame whose last field is len bytes that begin with start, go on with unit and end with end. */
static size_t make_filled(const struct buf *head, size_t len, const char *start, const char *unit,
                          const char *end)
{
    uint8_t *at = frame + head->len;
    size_t width = strlen(unit);

    copy(frame, buf_bytes(head));
    copy(at, bytes_str(start));
    for (size_t i = strlen(start); i + width + strlen(end) <= len; i += width) {
        copy(at + i, bytes_str(unit));
    }
    copy(at + len - strlen(end), bytes_str(end));
    return head->len + len;
}

static void send_frame(size_t len)
{
    play_send(&p, bytes_of(frame, len));
    play_turn(&p);
    sample();
}

/* head is encoded with a TAIL that is only counted: its bytes are made in the frame. */
static void send_call(uint32_t id, size_t len, const char *unit)
{
    _cleanup_(buf_done) struct buf head = buf_max(4096);
    struct wire_call m = {.id = id, .name = bytes_str("add"), .args = bytes_of(text, len)};

    wire_head_call(&head, &m);
    send_frame(make_filled(&head, len, "{\"a\":\"", unit, "\"}"));
}

static void send_seen(uint32_t id, uint32_t how)
{
    _cleanup_(buf_done) struct buf b = buf_max(64);
    struct wire_seen m = {.id = id, .how = how};

    wire_put_seen(&b, &m);
    play_send(&p, buf_bytes(&b));
}

/* ---- the floods ---- */

static void set_calls(void)
{
    limits.max_calls_out = 8;
    limits.max_args_bytes = 2 * 1024 * 1024;
    limits.max_frame = 2304 * 1024;
    limits.call_timeout = 1000;
}

/* Twice as many as may be out: the first half times out at its tools, which keep the texts. */
static void flood_calls(void)
{
    for (uint32_t id = 0; id < 8; id++) {
        send_call(id, (size_t)limits.max_args_bytes, "x");
    }
    play_pass(&p, 1000);
    play_read_all(&p);
    for (uint32_t id = 0; id < 8; id++) {
        send_seen(id, WIRE_SEEN_WHOLE);
    }
    for (uint32_t id = 8; id < 16; id++) {
        send_call(id, (size_t)limits.max_args_bytes, "x");
    }
    T_EQ(p.run->ledger.n_out, 8);
    T_EQ(p.run->ledger.n_at_tool, 8);
    T_EQ(p.run->ledger.n_waiting, 8);
}

static void set_answers(void)
{
    limits.memory = 16 * 1024 * 1024;
    limits.max_calls_out = 8;
}

/* Nobody reads what the tools answer. */
static void flood_answers(void)
{
    size_t len = (size_t)limits.memory / 3;

    for (uint32_t id = 0; id < 8; id++) {
        send_call(id, 16, "x");
    }
    T_EQ(n_held, 8);
    memset(text, 'x', len);
    copy(text, bytes_str("{\"content\":[\""));
    copy(text + len - 3, bytes_str("\"]}"));
    while (n_held > 0) {
        n_held--;
        call_reply(held[n_held], bytes_of(text, len));
        play_turn(&p);
        sample();
    }
    T_OK(p.cell->out != NULL);
}

static void set_output(void)
{
    limits.output_head = 300 * 1000;
    limits.output_tail = 300 * 1000;
}

/* Characters of four bytes, and bytes that are none, which become three. */
static void flood_output(void)
{
    for (int take = 0; take < 3; take++) {
        for (int i = 0; i < 64; i++) {
            _cleanup_(buf_done) struct buf head = buf_max(4096);
            struct wire_output m = {.text = bytes_of(text, WIRE_MAX_OUTPUT)};

            wire_head_output(&head, &m);
            send_frame(
                make_filled(&head, WIRE_MAX_OUTPUT, "", i == 9 ? "\xff" : "\xf0\x9f\x98\x80", ""));
        }
        run_take_output(p.run);
        sample();
    }
    T_OK(p.run->breach.len == 0);
}

static void set_frame(void)
{
    limits.max_frame = 25 * 1024 * 1024;
}

/* An ending with every field at its maximum, in pieces of 4 KiB, and its last byte late. */
static void flood_frame(void)
{
    static uint8_t junk[WIRE_MAX_ERROR_MESSAGE];
    static char array[WIRE_MAX_NOTES];
    size_t value = (size_t)limits.max_frame - 256 * 1024;
    _cleanup_(buf_done) struct buf head = buf_max(sizeof junk * 8);
    struct wire_ending m = {
        .kind = WIRE_END_FINISHED,
        .name = bytes_of(junk, WIRE_MAX_ERROR_NAME),
        .message = bytes_of(junk, sizeof junk),
        .frames = bytes_of(array, sizeof array),
        .notes = bytes_of(array, sizeof array),
        .value = bytes_of(frame, value < WIRE_MAX_VALUE ? value : WIRE_MAX_VALUE),
    };
    size_t len;
    size_t at = 0;

    memset(junk, 0xff, sizeof junk);
    memset(array, ' ', sizeof array);
    copy(array, bytes_str("[]"));
    wire_head_ending(&head, &m);
    len = make_filled(&head, m.value.len, "\"", "x", "\"");
    for (; len - at > 4096; at += 4096) {
        play_send(&p, bytes_of(frame + at, 4096));
        if (at % (1024 * 1024) == 0) {
            play_turn(&p);
            sample();
        }
    }
    T_OK(!p.run->has_said);
    play_send(&p, bytes_of(frame + at, len - at));
    play_turn(&p);
    sample();
    T_OK(p.run->has_said);
}

static void set_record(void)
{
    limits.max_calls_out = 1;
    limits.max_args_bytes = 4096;
    limits.call_timeout = 0;
    answers_at_once = true;
}

/* Calls whose answers the script could not take, with arguments of the longest characters. */
static void flood_record(void)
{
    for (uint32_t id = 0; id < FLOOD; id++) {
        if (id < 3000 || id % 16 == 0) {
            send_call(id, 1400, "\xf0\x9f\x98\x80");
        } else {
            send_call(id, 16, "x");
        }
        play_read_all(&p);
        send_seen(id, WIRE_SEEN_TOO_LARGE);
    }
    play_turn(&p);
    T_EQ(p.run->record.total, FLOOD);
    T_EQ(p.run->record.n, RECORD_FIRST + RECORD_LOST);
}

static void set_wakes(void)
{
    limits.max_wakes = 400;
    takes_wakes = true;
}

static void flood_wakes(void)
{
    for (uint32_t id = 0; id < limits.max_wakes; id++) {
        _cleanup_(buf_done) struct buf head = buf_max(4096);
        struct wire_wake m = {.id = id, .payload = bytes_of(text, WIRE_MAX_WAKE)};

        wire_head_wake(&head, &m);
        send_frame(make_filled(&head, WIRE_MAX_WAKE, "\"", "x", "\""));
    }
    T_EQ(p.run->wakes.sent, limits.max_wakes);
}

static void set_nothing(void)
{
}

/* Wakes that nobody takes: each is answered, and nobody reads it. */
static void flood_refused_wakes(void)
{
    for (uint32_t id = 0; id < limits.max_wakes; id++) {
        _cleanup_(buf_done) struct buf b = buf_max(4096);
        struct wire_wake m = {.id = id, .payload = bytes_str("1")};

        wire_put_wake(&b, &m);
        play_send(&p, buf_bytes(&b));
    }
    play_turn(&p);
    sample();
    T_EQ(p.run->wakes.sent, limits.max_wakes);
}

static void set_all(void)
{
    set_record();
    limits.max_args_bytes = 1024 * 1024;
    limits.max_frame = 1280 * 1024;
    limits.call_timeout = 1000;
    limits.output_head = 20 * 1000;
    limits.output_tail = 20 * 1000;
    takes_wakes = true;
    limits.max_wakes = 10;
}

/* All parts of the sum at once, none of them much more than the others. */
static void flood_all(void)
{
    size_t len = (size_t)limits.memory / 3;

    for (uint32_t id = 0; id < RECORD_FIRST + RECORD_LOST; id++) {
        send_call(id, 1400, "\xf0\x9f\x98\x80");
        play_read_all(&p);
        send_seen(id, WIRE_SEEN_TOO_LARGE);
    }
    answers_at_once = false;
    send_call(1, (size_t)limits.max_args_bytes, "x");
    play_pass(&p, 1000);
    play_read_all(&p);
    send_seen(1, WIRE_SEEN_WHOLE);
    send_call(2, (size_t)limits.max_args_bytes, "x");
    T_EQ(p.run->ledger.n_waiting, 1);
    call_fail(held[0], "late");
    play_turn(&p);
    T_EQ(n_held, 2);
    memset(text, 'x', len);
    copy(text, bytes_str("{\"content\":[\""));
    copy(text + len - 3, bytes_str("\"]}"));
    call_reply(held[1], bytes_of(text, len));
    flood_wakes();
    flood_output();
    flood_frame();
}

/* A time for each, and nobody reads the ticks. */
static void flood_sleeps(void)
{
    for (int i = 0; i < MANY; i++) {
        _cleanup_(buf_done) struct buf b = buf_max(64);
        struct wire_sleep m = {.ms = 1};

        wire_put_sleep(&b, &m);
        play_send(&p, buf_bytes(&b));
        if (i % 4 == 0) {
            play_pass(&p, 2);
            sample();
        }
    }
}

static void flood_seens(void)
{
    for (uint32_t id = 0; id < MANY; id++) {
        send_seen(id, WIRE_SEEN_WHOLE);
    }
    play_turn(&p);
    sample();
    T_OK(p.run->breach.len > 0);
}

static const struct flood {
    const char *name;
    void (*set)(void);
    void (*run)(void);
    bool dominates; /* its settings are mostly about it */
    size_t most;    /* of a flood that is to come to nothing; 0: the bound */
} floods[] = {
    {"calls", set_calls, flood_calls, true, 0},
    {"answers", set_answers, flood_answers, true, 0},
    {"output", set_output, flood_output, true, 0},
    {"a long frame", set_frame, flood_frame, true, 0},
    {"the record", set_record, flood_record, true, 0},
    {"wakes", set_wakes, flood_wakes, true, 0},
    {"all", set_all, flood_all, true, 0},
    {"refused wakes", set_nothing, flood_refused_wakes, false, REST_BYTES},
    {"sleeps", set_nothing, flood_sleeps, false, REST_BYTES},
    {"seens", set_nothing, flood_seens, false, REST_BYTES},
};

static void set_small(void)
{
    limits = limits_default();
    limits.memory = 4 * 1024 * 1024;
    limits.max_frame = 256 * 1024;
    limits.max_args_bytes = 1024;
    limits.max_calls_out = 1;
    limits.max_code = 1024;
    limits.max_wakes = 0;
    limits.lifetime = 24 * 3600 * 1000;
    limits.output_head = 100;
    limits.output_tail = 100;
    n_held = 0;
    n_ended = 0;
    peak = 0;
    peak_resident = 0;
    answers_at_once = false;
    takes_wakes = false;
}

static void test_flood(const struct flood *flood)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct run_callbacks callbacks = {
        .on_call = on_call, .on_cancel = on_cancel, .on_ended = on_ended};
    size_t bound;

    set_small();
    if (flood->most > 0) {
        limits.max_wakes = 200;
    }
    flood->set();
    if (takes_wakes) {
        callbacks.on_wake = on_wake;
    }
    T_EQ(limits_check(&limits, &sentence), 0);
    play_open(&p, names);
#ifndef __SANITIZE_ADDRESS__
    malloc_trim(0); /* what an earlier flood left is none of this one's */
#endif
    base = held_bytes();
    base_resident = resident_bytes();
    play_start(&p, &limits, &callbacks, NULL);
    sample();
    flood->run();
    play_die(&p, 0);
    play_turn(&p);
    T_EQ(n_ended, 1);
    bound = (size_t)limits_host_bytes(&limits, p.tools);
    printf("%-14s %9zu bytes (%9zu resident) of %9zu\n", flood->name, peak, peak_resident, bound);
    T_OK(peak <= (flood->most > 0 ? flood->most : bound));
    T_OK(peak_resident <= (flood->most > 0 ? flood->most : bound) + SLACK_BYTES);
    T_OK(!flood->dominates || bound <= LOOSE * peak);
    run_free(p.run);
    play_turn(&p);
    while (p.host->calls != NULL) {
        call_fail(p.host->calls, "gone");
    }
    T_OK(held_bytes() <= base + 16 * 1024);
    play_close(&p);
}

/* Each limit that bounds memory has its part in the sum, and tools have theirs. */
static void test_terms(void)
{
    static const char *const two[] = {"a", "b", NULL};
    struct limits small;
    int64_t least;

    set_small();
    small = limits;
    least = limits_host_bytes(&small, NULL);
#define GROWS(name, by)                                                                            \
    limits = small;                                                                                \
    limits.name += (by);                                                                           \
    T_OK(limits_host_bytes(&limits, NULL) >= least + (by));
    GROWS(max_calls_out, 1)
    GROWS(max_args_bytes, 1000)
    GROWS(max_frame, 1024 * 1024)
    GROWS(output_head, 1000)
    GROWS(output_tail, 1000)
    GROWS(max_code, 100000)
    GROWS(max_wakes, 1)
#undef GROWS
    limits = small;
    limits.memory += 3 * 65536;
    T_EQ(limits_host_bytes(&limits, NULL), least + 65536);
    play_open(&p, two);
    T_OK(limits_host_bytes(&small, p.tools) > least);
    play_close(&p);
    limits = limits_default();
    T_OK(limits_host_bytes(&limits, NULL) < (int64_t)WIRE_MIB * 1024);
    printf("by default     %9" PRId64 " bytes\n", limits_host_bytes(&limits, NULL));
}

int main(void)
{
    memset(frame, 1, sizeof frame); /* the test's own, in real memory from the start */
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < ARRAY_SIZE(floods); i++) {
        test_flood(&floods[i]);
    }
    test_terms();
    return T_DONE("bound");
}
