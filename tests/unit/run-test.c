/* SPDX-License-Identifier: MIT
 *
 * What a run does at moments that a real process cannot be made to hit: a call read after the
 * process's death, a deadline between that death and the ending. The clock is the test's.
 */
#include "host/link.h"
#include "unit/run-play.h"
#include "unit/t.h"

static const char *const names[] = {"add", "look", NULL};

enum { MAX_HELD = 8 };

struct owner {
    struct play *hangs_up; /* at the first output */
    struct call *held[MAX_HELD];
    int started;
    int cancelled;
    int ended;
    enum ending_kind kind;
    size_t n_calls;
    enum call_state states[MAX_HELD];
    enum call_effect effects[MAX_HELD];
};

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct owner *o = arg;

    (void)run;
    o->held[o->started] = call;
    o->started++;
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    (void)run;
    (void)call;
    ((struct owner *)arg)->cancelled++;
}

static void on_output(void *arg, struct run *run, struct bytes text)
{
    struct owner *o = arg;

    (void)run;
    (void)text;
    if (o->hangs_up != NULL) {
        play_hang_up(o->hangs_up);
    }
}

static void on_ended(void *arg, struct run *run, const struct ending *e)
{
    struct owner *o = arg;

    (void)run;
    o->ended++;
    o->kind = e->kind;
    o->n_calls = e->n_calls;
    for (size_t i = 0; i < e->n_calls && i < MAX_HELD; i++) {
        o->states[i] = e->calls[i].state;
        o->effects[i] = e->calls[i].effect;
    }
}

static struct limits usual(int64_t max_out)
{
    struct limits limits = limits_default();

    limits.max_calls_out = max_out;
    limits.call_timeout = 1000;
    return limits;
}

static void begin_with(struct play *p, struct owner *o, const struct limits *limits)
{
    struct run_callbacks callbacks = {
        .on_call = on_call, .on_cancel = on_cancel, .on_output = on_output, .on_ended = on_ended};

    *o = (struct owner){0};
    play_open(p, names);
    play_start(p, limits, &callbacks, o);
}

static void begin(struct play *p, struct owner *o, int64_t max_out)
{
    struct limits limits = usual(max_out);

    begin_with(p, o, &limits);
}

static void end(struct play *p, struct owner *o)
{
    play_die(p, 0);
    play_turn(p);
    T_EQ(o->ended, 1);
    T_OK(run_ending(p->run) != NULL);
    run_free(p->run);
    play_close(p);
}

static void send_call(struct play *p, uint32_t id)
{
    _cleanup_(buf_done) struct buf b = buf_max(1024);
    struct wire_call m = {.id = id, .name = bytes_str("add"), .args = bytes_str("{}")};

    wire_put_call(&b, &m);
    play_send(p, buf_bytes(&b));
}

static void send_seen(struct play *p, uint32_t id)
{
    _cleanup_(buf_done) struct buf b = buf_max(64);
    struct wire_seen m = {.id = id, .how = WIRE_SEEN_WHOLE};

    wire_put_seen(&b, &m);
    play_send(p, buf_bytes(&b));
}

/* What the socket still holds when the process is dead is heard, and goes nowhere. */
static void test_read_after_death(void)
{
    struct play p;
    struct owner o;

    begin(&p, &o, 4);
    send_call(&p, 1);
    end(&p, &o);
    T_EQ(o.started, 0);
    T_EQ(o.cancelled, 0);
    T_EQ(o.kind, ENDING_CRASHED);
    T_EQ(o.n_calls, 1);
    T_EQ(o.states[0], CALL_NEVER_SENT);
    T_EQ(o.effects[0], EFFECT_NONE);
}

/* The same where the channel's end is seen before the warden's word comes. */
static void test_read_after_hang_up(void)
{
    struct play p;
    struct owner o;

    begin(&p, &o, 4);
    send_call(&p, 1);
    play_hang_up(&p);
    play_turn(&p);
    T_EQ(o.started, 0);
    end(&p, &o);
    T_EQ(o.states[0], CALL_NEVER_SENT);
}

/* A call that waits for room when the process goes: the place that an answer frees after it is
 * not for that call any more. */
static void test_room_after_death(bool has_word)
{
    struct play p;
    struct owner o;

    begin(&p, &o, 2);
    send_call(&p, 1);
    send_call(&p, 2);
    play_turn(&p);
    play_pass(&p, 1000); /* both time out, and keep their places */
    T_EQ(o.cancelled, 2);
    play_read_all(&p);
    send_seen(&p, 1);
    send_call(&p, 3);
    play_turn(&p);
    T_EQ(o.started, 2);
    if (has_word) {
        play_die(&p, 0);
    } else {
        play_hang_up(&p);
        play_turn(&p);
    }
    call_fail(o.held[0], "too late");
    play_turn(&p);
    T_EQ(o.started, 2);
    end(&p, &o);
    T_EQ(o.states[0], CALL_TIMED_OUT);
    T_EQ(o.states[1], CALL_TIMED_OUT);
    T_EQ(o.states[2], CALL_NEVER_SENT);
    T_EQ(o.effects[2], EFFECT_NONE);
}

/* The same where the end comes right behind a read that was full: no event tells of it. */
static void test_room_after_full_read(void)
{
    static uint8_t text[LINK_READ_BYTES];
    _cleanup_(buf_done) struct buf b = buf_max(2 * sizeof text);
    struct wire_seen seen = {.id = 1, .how = WIRE_SEEN_WHOLE};
    struct wire_call call = {.id = 3, .name = bytes_str("add"), .args = bytes_str("{}")};
    struct wire_output output;
    struct play p;
    struct owner o;

    begin(&p, &o, 2);
    send_call(&p, 1);
    send_call(&p, 2);
    play_turn(&p);
    play_pass(&p, 1000);
    play_read_all(&p);
    wire_put_seen(&b, &seen);
    wire_put_call(&b, &call);
    output.text = bytes_of(text, sizeof text - b.len - FRAME_HEADER_BYTES - 4);
    wire_put_output(&b, &output);
    T_EQ(b.len, LINK_READ_BYTES);
    o.hangs_up = &p;
    play_send(&p, buf_bytes(&b));
    play_turn(&p);
    T_EQ(p.fd, -1);
    call_fail(o.held[0], "too late");
    play_turn(&p);
    T_EQ(o.started, 2);
    end(&p, &o);
    T_EQ(o.states[2], CALL_NEVER_SENT);
}

/* Its time passes between the death and the ending: it was never sent, and nothing else. */
static void test_deadline_after_death(void)
{
    struct play p;
    struct owner o;

    begin(&p, &o, 1);
    send_call(&p, 1);
    play_turn(&p);
    play_pass(&p, 1000);
    play_read_all(&p);
    send_seen(&p, 1);
    send_call(&p, 2);
    play_turn(&p);
    T_EQ(o.started, 1);
    play_die(&p, 0);
    play_pass(&p, 1000);
    end(&p, &o);
    T_EQ(o.states[0], CALL_TIMED_OUT);
    T_EQ(o.states[1], CALL_NEVER_SENT);
    T_EQ(o.effects[1], EFFECT_NONE);
    T_EQ(o.cancelled, 1);
}

/* Deadlines that pass when the process is dead and the ending is due are not looked at again and
 * again: the loop would never come to the ending. */
static void test_kill_due_after_death(void)
{
    struct limits limits = usual(1);
    struct play p;
    struct owner o;

    limits.stop_grace = 0;
    begin_with(&p, &o, &limits);
    run_stop(p.run);
    end(&p, &o);
    T_EQ(o.ended, 1);
}

static void test_lifetime_due_after_death(void)
{
    struct limits limits = usual(1);
    struct play p;
    struct owner o;

    limits.lifetime = 500;
    begin_with(&p, &o, &limits);
    play_die(&p, 0);
    play_pass(&p, 500);
    end(&p, &o);
    T_EQ(o.kind, ENDING_CRASHED);
}

int main(void)
{
    alarm(20); /* for a loop that never ends */
    test_read_after_death();
    test_read_after_hang_up();
    test_room_after_death(false);
    test_room_after_death(true);
    test_room_after_full_read();
    test_deadline_after_death();
    test_kill_due_after_death();
    test_lifetime_due_after_death();
    return T_DONE("run");
}
