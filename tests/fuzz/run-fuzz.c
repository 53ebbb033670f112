/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: a sequence of events for one real run of src/host (tests/unit/run-play.h: no
 * process, and a clock of its own). The bytes say the settings, then event after event: frames of
 * the cell, whole, broken or in halves; answers of the tools' owner in any order and from within
 * its callbacks; stops, kills, time that passes, the end of the channel, the obituary.
 *
 * After each event the ledger must add up and what is buffered be bounded; at the end there was
 * exactly one ending, every call has been settled once, in the record as what the owner saw of it
 * (fuzz/run-model.h), and nothing is left. tests/fuzz/corpus/run holds the sequences.
 */
#include "fuzz/run-model.h"

#include <stdio.h>

enum { MAX_EVENTS = 160 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void send_frame(struct buf *b)
{
    size_t now = f.split_at == 0 || f.split_at > b->len ? b->len : f.split_at;

    assert(buf_fault(b) == 0);
    if (b->len > 0) {
        b->data[f.flip_at % b->len] ^= f.flip;
    }
    f.n_frames++;
    f.flip = 0;
    f.split_at = 0;
    play_send(&f.play, buf_bytes(&f.late));
    buf_clear(&f.late);
    play_send(&f.play, bytes_first(buf_bytes(b), now));
    buf_put_bytes(&f.late, bytes_from(buf_bytes(b), now));
    buf_done(b);
}

/* An object of len bytes. */
static struct bytes filled(size_t len)
{
    static char text[2048];

    snprintf(text, sizeof text, "{\"a\":\"%0*d\"}", (int)len - 8, 0);
    return bytes_of(text, len);
}

static struct bytes text_of(unsigned which)
{
    static const char *const texts[] = {
        "{}",   "{\"a\":1}", "{\"b\":\"\xc3\xa9\xe2\x82\xac\"}", "[]",
        "[1]",  "\"s\"",     "{\"a\":[1,2,3,4,5,6,7,8,9]}",      "{",
        "\xff", "",
    };

    which %= 16;
    if (which < ARRAY_SIZE(texts)) {
        return bytes_str(texts[which]);
    }
    return which == 14 ? filled(1200) : which == 15 ? filled(700) : bytes_str("{\"a\":2}");
}

static void send_call(void)
{
    struct buf b = buf_max(65536);
    unsigned which = take();
    struct wire_call m = {.id = which % 8, .args = text_of(take())};

    m.name = bytes_str(which % 64 == 63 ? "none" : names[which / 8 % 2]);
    wire_put_call(&b, &m);
    send_frame(&b);
}

static void send_seen(void)
{
    struct buf b = buf_max(65536);
    unsigned which = take();
    struct wire_seen m = {.id = which % 8, .how = 1 + which / 8 % 2};

    m.how = which > 250 ? which : m.how;
    wire_put_seen(&b, &m);
    send_frame(&b);
}

static void send_output(void)
{
    struct buf b = buf_max(65536);
    struct wire_output m = {.text = bytes_first(f.in, take() % 32)};

    wire_put_output(&b, &m);
    f.in = bytes_from(f.in, m.text.len);
    send_frame(&b);
}

static void send_sleep(void)
{
    struct buf b = buf_max(65536);
    struct wire_sleep m = {.ms = take()};

    m.ms = m.ms > 250 ? WIRE_SLEEP_NONE : m.ms;
    wire_put_sleep(&b, &m);
    send_frame(&b);
}

static void send_wake(void)
{
    struct buf b = buf_max(65536);
    unsigned which = take();
    struct wire_wake m = {.id = which % 8, .payload = text_of(which / 8)};

    wire_put_wake(&b, &m);
    send_frame(&b);
}

static void send_ending(void)
{
    struct buf b = buf_max(65536);
    unsigned which = take();
    unsigned text = take();
    struct wire_ending m = {.kind = which % 8,
                            .name = bytes_str("TypeError"),
                            .message = text_of(text),
                            .frames = bytes_str("[]"),
                            .notes = which > 200 ? text_of(text / 4) : bytes_none(),
                            .value = text_of(text / 16)};

    wire_put_ending(&b, &m);
    send_frame(&b);
}

/* A frame of any type with any body, its length told right. */
static void send_any(void)
{
    struct buf b = buf_max(65536);
    struct bytes body;

    buf_put_u32(&b, 0);
    buf_put_u8(&b, take());
    body = bytes_first(f.in, take() % 32);
    f.in = bytes_from(f.in, body.len);
    buf_put_bytes(&b, body);
    buf_set_u32(&b, 0, (uint32_t)b.len - 4);
    send_frame(&b);
}

/* Bytes that are no frame, or zeros enough for one past max_frame. */
static void send_raw(void)
{
    static const uint8_t zeros[65536];
    struct bytes raw = bytes_first(f.in, take() % 16);

    f.in = bytes_from(f.in, raw.len);
    play_send(&f.play, raw);
    for (unsigned i = 0; raw.len == 7 && i < 5; i++) {
        play_send(&f.play, bytes_of(zeros, sizeof zeros));
    }
}

/* ---- the events ---- */

static void answer_one(void)
{
    unsigned how = take();

    for (size_t i = 0; i < f.n_calls; i++) {
        struct held *h = &f.calls[(how / 8 + i) % f.n_calls];

        if (h->call != NULL) {
            answer(h, how);
            return;
        }
    }
}

static void stop(void)
{
    bool is_kill = take() % 4 == 0;

    if (f.is_freed) {
        return;
    }
    f.is_inside = true;
    f.may_start = false;
    if (is_kill) {
        run_kill(f.play.run);
    } else {
        run_stop(f.play.run);
    }
    f.is_inside = false;
}

static void die(int status)
{
    f.may_start = false;
    play_die(&f.play, status);
}

static void maybe_die(void)
{
    static const int statuses[] = {0, 3 << 8, 104 << 8, SIGKILL, SIGSEGV, SIGSYS};

    if (take() % 8 == 0) {
        die(statuses[take() % ARRAY_SIZE(statuses)]);
    }
}

static void maybe_hang_up(void)
{
    if (take() % 8 == 0) {
        f.may_start = false;
        play_hang_up(&f.play);
    }
}

static void flip_next(void)
{
    f.flip_at = take();
    f.flip = take();
}

static void split_next(void)
{
    f.split_at = take();
}

static void read_some(void)
{
    play_read(&f.play, (size_t)take() * 64);
}

static void read_all(void)
{
    play_read_all(&f.play);
}

static void change_policy(void)
{
    f.policy = take() % 32;
}

static void maybe_wake_done(void)
{
    if (f.has_wake && !f.is_freed) {
        wake_done(take() % 2 == 0);
    }
}

static void pass(void)
{
    play_pass(&f.play, take());
}

static void pass_long(void)
{
    play_pass(&f.play, (int64_t)take() * 64);
}

/* By weight. A new one goes to the end: the corpus keeps its sense. */
static void (*const events[])(void) = {
    send_call, send_call,     send_call,   send_seen,       send_seen, send_output, send_sleep,
    send_wake, send_ending,   send_any,    send_raw,        flip_next, split_next,  read_some,
    read_all,  answer_one,    answer_one,  change_policy,   maybe_die, stop,        pass,
    pass_long, maybe_hang_up, take_output, maybe_wake_done,
};

static void set_up(void)
{
    struct run_callbacks callbacks = {.on_call = on_call,
                                      .on_cancel = on_cancel,
                                      .on_output = on_output,
                                      .on_wake = on_wake,
                                      .on_ended = on_ended};
    unsigned which = take();
    int room = 4096;

    f.limits = limits_default();
    f.limits.memory = 4 * 1024 * 1024;
    f.limits.max_frame = 256 * 1024;
    f.limits.max_args_bytes = 1024;
    f.limits.max_args_values = 8;
    f.limits.max_calls_out = 1 + which % 4;
    f.limits.call_timeout = which / 4 % 4 * 100;
    f.limits.stop_grace = which / 16 % 2 * 500;
    f.limits.timers = which / 32 % 2;
    f.limits.max_wakes = which / 64 * 2;
    which = take();
    f.limits.lifetime = which % 2 == 0 ? 3600000 : 3000;
    f.limits.output_head = which / 2 % 4 * 5;
    f.limits.output_tail = which / 8 % 4 * 5;
    f.frees_early = which / 32 % 2 == 0;
    f.policy = which / 64 * 5;
    if (which / 64 == 3) {
        callbacks.on_wake = NULL;
    }
    play_open(&f.play, names);
    play_start(&f.play, &f.limits, &callbacks, NULL);
    setsockopt(f.play.cell->socket, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f = (struct fuzz){.in = bytes_of(data, size), .late = buf_max(1 << 20), .may_start = true};
    set_up();
    for (int i = 0; i < MAX_EVENTS && f.in.len > 0 && f.n_ended == 0; i++) {
        unsigned op = take();

        events[op % ARRAY_SIZE(events)]();
        if (op < 192) {
            play_turn(&f.play);
        }
        check_all();
    }
    die(0);
    play_turn(&f.play);
    assert(f.n_ended == 1);
    for (unsigned i = 0; i < f.n_calls; i++) { /* some are answered when the run is gone */
        if (f.calls[i].call != NULL && i % 3 != 2) {
            answer(&f.calls[i], i);
        }
    }
    if (!f.is_freed) {
        run_free(f.play.run);
        f.is_freed = true;
    }
    for (unsigned i = 0; i < f.n_calls; i++) {
        if (f.calls[i].call != NULL && i % 2 != 0) {
            answer(&f.calls[i], i);
        }
    }
    play_turn(&f.play);
    assert(f.n_ended == 1);
    play_close(&f.play);
    buf_done(&f.late);
    return 0;
}
