/* SPDX-License-Identifier: MIT
 *
 * The life of a script: start, calls and answers, ending. It stands between the channel
 * (frames) and the engine (JavaScript), and keeps no state of its own but the answer that is
 * being delivered.
 *
 * An answer that arrives while the engine computes is read later; a stop then reaches the
 * engine through the shared page. `seen` goes out before the calls that the answer's
 * continuation makes, so that the host's count of calls out never passes the maximum.
 */
#include "cell/script.h"

#include "cell/channel.h"
#include "cell/engine.h"

#include <errno.h>

/* The answer in delivery: how is zero until the engine has told it. */
static struct {
    uint32_t id;
    enum wire_seen_how how;
    bool is_told;
} answer = {.is_told = true};

static void tell_seen(void)
{
    struct wire_seen m = {.id = answer.id, .how = answer.how};

    if (!answer.is_told && answer.how != 0) {
        answer.is_told = true;
        channel_seen(&m);
    }
}

static void on_call(void *arg, uint32_t id, struct bytes name, struct bytes args)
{
    struct wire_call m = {.id = id, .name = name, .args = args};

    (void)arg;
    tell_seen();
    channel_call(&m);
}

static void on_output(void *arg, struct bytes text)
{
    (void)arg;
    channel_output(text);
}

static void on_wake(void *arg, uint32_t id, struct bytes payload)
{
    struct wire_wake m = {.id = id, .payload = payload};

    (void)arg;
    tell_seen();
    channel_wake(&m);
}

static void on_pulse(void *arg)
{
    (void)arg;
    channel_pulse();
}

static void on_sleep(void *arg, uint32_t ms)
{
    struct wire_sleep m = {.ms = ms};

    (void)arg;
    channel_sleep(&m);
}

/* An ending of our own, where the engine never ran. */
static int end_without_room(void)
{
    static const char message[] = "the script and the list of its tools do not fit its memory";
    struct wire_ending m = {.kind = WIRE_END_FAILED,
                            .name = bytes_str("InternalError"),
                            .message = bytes_str(message),
                            .frames = bytes_none(),
                            .notes = bytes_none(),
                            .value = bytes_none()};

    channel_ending(&m);
    return channel_flush();
}

static int deliver(const struct channel_frame *frame, enum engine_state *ret_state)
{
    struct reader r = reader_of(frame->body);
    struct wire_result m;
    int fault;

    if (!frame->has_room) {
        m.id = reader_u32(&r);
        m.kind = reader_u32(&r);
        answer.id = m.id;
        answer.how = 0;
        answer.is_told = false;
        *ret_state =
            engine_answer_no_room(m.id, (enum wire_result_kind)m.kind, reader_u32(&r), &answer.how);
        tell_seen();
        return 0;
    }
    fault = wire_get_result(frame->body, &m);
    if (fault != 0 || m.kind < WIRE_RES_ANSWER || m.kind > WIRE_RES_LAST) {
        return fault != 0 ? fault : -EBADMSG;
    }
    answer.id = m.id;
    answer.how = 0;
    answer.is_told = false;
    *ret_state = engine_answer(m.id, (enum wire_result_kind)m.kind, m.payload, &answer.how);
    tell_seen();
    return 0;
}

/* One frame of the host's while the script waits. */
static int serve(enum engine_state *ret_state)
{
    struct channel_frame frame;
    int r = channel_next(&frame);

    if (r == 0) {
        r = wire_check(frame.type, WIRE_HOST, WIRE_ST_RUNNING);
    }
    if (r != 0) {
        return r;
    }
    if (frame.type == WIRE_MSG_stop) {
        *ret_state = engine_stop();
        return 0;
    }
    if (frame.type == WIRE_MSG_woken) {
        struct wire_woken m;

        r = wire_get_woken(frame.body, &m);
        if (r == 0 && (m.how < WIRE_WOKEN_DELIVERED || m.how > WIRE_WOKEN_LAST)) {
            r = -EBADMSG;
        }
        if (r == 0) {
            *ret_state = engine_woken(m.id, (enum wire_woken_how)m.how);
        }
        return r;
    }
    if (frame.type == WIRE_MSG_tick) {
        struct wire_tick m;

        r = wire_get_tick(frame.body, &m);
        if (r == 0) {
            *ret_state = engine_tick();
        }
        return r;
    }
    return deliver(&frame, ret_state);
}

static int start(struct wire_page *page, enum engine_state *ret_state)
{
    static struct engine_hooks hooks;
    struct channel_frame frame;
    struct wire_start m;
    int r = channel_next(&frame);

    if (r == 0) {
        r = wire_check(frame.type, WIRE_HOST, WIRE_ST_READY);
    }
    if (r != 0) {
        return r;
    }
    if (!frame.has_room && engine_ending()->kind != 0) {
        *ret_state = ENGINE_ENDED; /* a stop came before the script did */
        return 0;
    }
    if (!frame.has_room) {
        r = end_without_room();
        return r != 0 ? r : SCRIPT_E_CLOSED;
    }
    r = wire_get_start(frame.body, &m);
    if (r != 0) {
        return r;
    }
    hooks = (struct engine_hooks){.call = on_call,
                                  .output = on_output,
                                  .sleep = on_sleep,
                                  .wake = on_wake,
                                  .pulse = on_pulse,
                                  .page = page};
    *ret_state = engine_start(&hooks, &m);
    return 0;
}

int script_run(struct wire_page *page)
{
    enum engine_state state = ENGINE_WAITING;
    int r = start(page, &state);

    while (r == 0 && state == ENGINE_WAITING) {
        r = serve(&state);
    }
    if (r != 0) {
        return r;
    }
    channel_ending(engine_ending());
    return channel_flush();
}
