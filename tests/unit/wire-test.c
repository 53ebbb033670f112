/* SPDX-License-Identifier: MIT
 *
 * The wire: every message survives a round trip, every truncation is refused, every single-bit
 * flip is refused or still within its maxima, wrong sender and wrong state are told, and
 * framing does not care how its input was cut.
 */
#include "wire/wire.h"

#include "base/mem.h"
#include "unit/t.h"

#include <errno.h>
#include <stdlib.h>

/* A get of each message by its number; the struct is thrown away. */
#define GET_CASE(name, number, sender, states, fields)                                             \
    case number: {                                                                                 \
        struct wire_##name m;                                                                      \
        return wire_get_##name(body, &m);                                                          \
    }
static int get_any(uint32_t type, struct bytes body)
{
    switch (type) {
        WIRE_MESSAGES(GET_CASE)
    default:
        return -EPROTO;
    }
}

#define FILL_U32(field)        m.field = 0x01020304;
#define FILL_BYTES(field, max) m.field = bytes_str("some text");
#define PUT_ROW(name, number, sender, states, fields)                                              \
    {                                                                                              \
        struct wire_##name m;                                                                      \
        fields(FILL_U32, FILL_BYTES, FILL_BYTES) wire_put_##name(out, &m);                         \
        return;                                                                                    \
    }
static void put_any(uint32_t type, struct buf *out)
{
#define PUT_CASE(name, number, sender, states, fields)                                             \
    case number:                                                                                   \
        PUT_ROW(name, number, sender, states, fields)
    switch (type) {
        WIRE_MESSAGES(PUT_CASE)
    default:
        return;
    }
}

#define NUMBER_ROW(name, number, sender, states, fields) number,
static const uint32_t types[] = {WIRE_MESSAGES(NUMBER_ROW)};

static void test_round_trip(void)
{
    _Static_assert(ARRAY_SIZE(types) == 17, "the table grew: look at the tests below too");
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        _cleanup_(buf_done) struct buf out = buf_max(1 << 20);
        struct frame frame;

        put_any(types[i], &out);
        T_EQ(buf_fault(&out), 0);
        T_EQ(frame_next(buf_bytes(&out), WIRE_MAX_FRAME_FROM_CELL, &frame), 0);
        T_EQ(frame.type, types[i]);
        T_EQ(frame.size, out.len);
        T_EQ(get_any(frame.type, frame.body), 0);
        T_OK(strcmp(wire_name(types[i]), "unknown") != 0);
    }
}

static void test_fields_arrive(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(1 << 20);
    struct wire_call call = {7, bytes_str("add"), bytes_str("{\"a\":1}")};
    struct wire_call got;
    struct frame frame;

    wire_put_call(&out, &call);
    T_EQ(frame_next(buf_bytes(&out), 1000, &frame), 0);
    T_EQ(wire_get_call(frame.body, &got), 0);
    T_EQ(got.id, 7);
    T_OK(bytes_is(got.name, "add"));
    T_OK(bytes_is(got.args, "{\"a\":1}"));
}

/* A frame whose tail is written separately is the same bytes. */
static void test_head_and_tail(void)
{
    _cleanup_(buf_done) struct buf whole = buf_max(1 << 20);
    _cleanup_(buf_done) struct buf parts = buf_max(1 << 20);
    struct wire_result result = {3, WIRE_RES_ANSWER, bytes_str("{\"content\":[]}")};

    wire_put_result(&whole, &result);
    wire_head_result(&parts, &result);
    T_OK(parts.len < whole.len);
    buf_put_bytes(&parts, result.payload);
    T_OK(bytes_equal(buf_bytes(&whole), buf_bytes(&parts)));
}

static void test_truncations(void)
{
    size_t refused = 0;
    size_t tried = 0;

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        _cleanup_(buf_done) struct buf out = buf_max(1 << 20);
        struct bytes body;

        put_any(types[i], &out);
        body = bytes_from(buf_bytes(&out), FRAME_HEADER_BYTES);
        for (size_t len = 0; len < body.len; len++, tried++) {
            refused += get_any(types[i], bytes_first(body, len)) == -EBADMSG;
        }
        buf_put_u8(&out, 0);
        body = bytes_from(buf_bytes(&out), FRAME_HEADER_BYTES);
        T_ERR(get_any(types[i], body), EBADMSG);
    }
    T_OK(tried > 200);
    T_EQ(refused, tried);
}

/* A flipped bit in a number stays legal; one in a length never does, since lengths add up to
 * the body's length exactly. No flip may make a slice leave the body (the sanitizer looks). */
static void test_bit_flips(void)
{
    size_t refused = 0;

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        _cleanup_(buf_done) struct buf out = buf_max(1 << 20);

        put_any(types[i], &out);
        for (size_t bit = FRAME_HEADER_BYTES * 8; bit < out.len * 8; bit++) {
            _cleanup_(free_p) uint8_t *copy = mem_new(out.len);
            int r;

            memcpy(copy, out.data, out.len);
            copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
            r = get_any(types[i],
                        bytes_of(copy + FRAME_HEADER_BYTES, out.len - FRAME_HEADER_BYTES));
            T_OK(r == 0 || r == -EBADMSG || r == -EMSGSIZE);
            refused += r != 0;
        }
    }
    /* Each BYTES or TAIL field has 32 length bits, and all of them matter. */
#define COUNT_NONE(field)                               +0
#define COUNT_BYTES(field, max)                         +1
#define COUNT_ROW(name, number, sender, states, fields) fields(COUNT_NONE, COUNT_BYTES, COUNT_BYTES)
    T_EQ(refused, 32 * (WIRE_MESSAGES(COUNT_ROW)));
}

static void test_maxima(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(1 << 20);
    _cleanup_(free_p) char *name = mem_new(WIRE_MAX_TOOL_NAME + 1);
    struct wire_call call = {1, bytes_of(name, WIRE_MAX_TOOL_NAME), bytes_str("{}")};
    struct frame frame;
    struct wire_call got;

    wire_put_call(&out, &call);
    T_EQ(buf_fault(&out), 0);
    T_EQ(frame_next(buf_bytes(&out), WIRE_MAX_FRAME_FROM_CELL, &frame), 0);
    T_EQ(wire_get_call(frame.body, &got), 0);

    buf_clear(&out);
    call.name.len++;
    wire_put_call(&out, &call);
    T_ERR(buf_fault(&out), EMSGSIZE);

    /* The same from the other side: written by hand, one byte over. */
    buf_clear(&out);
    buf_put_u32(&out, 1);
    buf_put_u32(&out, WIRE_MAX_TOOL_NAME + 1);
    buf_put(&out, name, WIRE_MAX_TOOL_NAME + 1);
    buf_put_u32(&out, 0);
    T_ERR(wire_get_call(buf_bytes(&out), &got), EMSGSIZE);
}

static void test_rules(void)
{
    enum wire_state states[] = {WIRE_ST_NEW,   WIRE_ST_READY,    WIRE_ST_RUNNING,
                                WIRE_ST_ENDED, WIRE_ST_BUILDING, WIRE_ST_UP};
    enum wire_sender senders[] = {WIRE_HOST, WIRE_CELL, WIRE_WARDEN};
    size_t allowed = 0;

    T_EQ(wire_check(WIRE_MSG_hello, WIRE_CELL, WIRE_ST_NEW), 0);
    T_ERR(wire_check(WIRE_MSG_hello, WIRE_CELL, WIRE_ST_RUNNING), EPROTO);
    T_ERR(wire_check(WIRE_MSG_call, WIRE_CELL, WIRE_ST_READY), EPROTO);
    T_ERR(wire_check(WIRE_MSG_call, WIRE_HOST, WIRE_ST_RUNNING), EPROTO);
    T_ERR(wire_check(WIRE_MSG_ending, WIRE_CELL, WIRE_ST_ENDED), EPROTO);
    T_EQ(wire_check(WIRE_MSG_sleep, WIRE_CELL, WIRE_ST_RUNNING), 0);
    T_ERR(wire_check(WIRE_MSG_sleep, WIRE_CELL, WIRE_ST_ENDED), EPROTO);
    T_ERR(wire_check(WIRE_MSG_sleep, WIRE_HOST, WIRE_ST_RUNNING), EPROTO);
    T_EQ(wire_check(WIRE_MSG_tick, WIRE_HOST, WIRE_ST_RUNNING), 0);
    T_ERR(wire_check(WIRE_MSG_tick, WIRE_CELL, WIRE_ST_RUNNING), EPROTO);
    T_ERR(wire_check(0, WIRE_CELL, WIRE_ST_RUNNING), EPROTO);
    T_ERR(wire_check(255, WIRE_CELL, WIRE_ST_RUNNING), EPROTO);
    for (uint32_t type = 0; type < 300; type++) {
        for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
            for (size_t k = 0; k < ARRAY_SIZE(senders); k++) {
                allowed += wire_check(type, senders[k], states[i]) == 0;
            }
        }
    }
    T_EQ(allowed, 18); /* seventeen messages, one of them in two states */
}

/* Feeds a stream of frames in pieces of one size and counts what comes out. */
static size_t feed(struct bytes stream, size_t piece)
{
    _cleanup_(buf_done) struct buf in = buf_max(1 << 20);
    size_t count = 0;

    while (stream.len > 0) {
        struct frame frame;

        buf_put_bytes(&in, bytes_first(stream, piece));
        stream = bytes_from(stream, piece);
        while (frame_next(buf_bytes(&in), WIRE_MAX_FRAME_FROM_CELL, &frame) == 0) {
            T_EQ(get_any(frame.type, frame.body), 0);
            buf_drop(&in, frame.size);
            count++;
        }
    }
    T_EQ(in.len, 0);
    return count;
}

static void test_pieces(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(1 << 22);

    for (size_t n = 0; n < 40; n++) {
        for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
            put_any(types[i], &out);
        }
    }
    T_EQ(feed(buf_bytes(&out), 1), 40 * ARRAY_SIZE(types));
    T_EQ(feed(buf_bytes(&out), 137), 40 * ARRAY_SIZE(types));
    T_EQ(feed(buf_bytes(&out), 4096), 40 * ARRAY_SIZE(types));
}

static void test_frame_faults(void)
{
    static const uint8_t zero[] = {0, 0, 0, 0, 1};
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 17};
    static const uint8_t over[] = {0x03, 0x04, 0, 0, 17};
    struct frame frame;

    T_ERR(frame_next(bytes_of(zero, sizeof zero), 1024, &frame), EBADMSG);
    T_ERR(frame_next(bytes_of(huge, sizeof huge), 1024, &frame), EMSGSIZE);
    T_ERR(frame_next(bytes_of(huge, 4), 1024, &frame), EMSGSIZE);
    T_EQ(frame_next(bytes_of(over, sizeof over), 1026, &frame), FRAME_E_AGAIN);
    T_ERR(frame_next(bytes_of(over, sizeof over), 1025, &frame), EMSGSIZE);
    T_EQ(frame_next(bytes_of(huge, 3), 1024, &frame), FRAME_E_AGAIN);
    T_EQ(frame_next(bytes_none(), 1024, &frame), FRAME_E_AGAIN);
}

int main(void)
{
    test_round_trip();
    test_fields_arrive();
    test_head_and_tail();
    test_truncations();
    test_bit_flips();
    test_maxima();
    test_rules();
    test_pieces();
    test_frame_faults();
    return T_DONE("wire");
}
