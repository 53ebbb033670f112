/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: a stream of frames from a cell, cut in pieces by its first byte; every frame that
 * decodes must encode again to the same bytes.
 */
#include "wire/wire.h"

#include "base/mem.h"

#include <assert.h>

#define ROUND_CASE(name, number, sender, states, fields)                                           \
    case number: {                                                                                 \
        struct wire_##name m;                                                                      \
        if (wire_get_##name(frame->body, &m) == 0) {                                               \
            wire_put_##name(out, &m);                                                              \
        }                                                                                          \
        break;                                                                                     \
    }

static void round_trip(const struct frame *frame, struct buf *out)
{
    switch (frame->type) {
        WIRE_MESSAGES(ROUND_CASE)
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_(buf_done) struct buf in = buf_max(1 << 22);
    struct bytes stream = bytes_of(data, size);
    size_t piece = size == 0 ? 1 : 1 + (size_t)data[0] * 16;
    uint32_t max = WIRE_MAX_PACKET;

    stream = bytes_from(stream, 1);
    while (stream.len > 0) {
        struct frame frame;

        buf_put_bytes(&in, bytes_first(stream, piece));
        stream = bytes_from(stream, piece);
        for (;;) {
            int r = frame_next(buf_bytes(&in), max, &frame);
            _cleanup_(buf_done) struct buf out = buf_max(1 << 22);

            if (r < 0) {
                return 0;
            }
            if (r == FRAME_E_AGAIN) {
                break;
            }
            assert(frame.size <= in.len && frame.body.len <= max);
            round_trip(&frame, &out);
            assert(buf_fault(&out) == 0);
            assert(out.len == 0 ||
                   bytes_equal(buf_bytes(&out), bytes_first(buf_bytes(&in), frame.size)));
            (void)wire_check(frame.type, WIRE_CELL, WIRE_ST_RUNNING);
            buf_drop(&in, frame.size);
        }
    }
    return 0;
}
