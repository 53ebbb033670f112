/* SPDX-License-Identifier: MIT
 *
 * The cell's end of its socket: whole frames in and out, by read and write alone.
 *
 * One channel per process, blocking, on one descriptor. What is sent waits in static
 * memory and goes out before a blocking read, when enough has gathered, or at
 * channel_flush(). Frames leave in the order they were sent; text joins into output frames
 * and keeps its place before the frame that follows it. Once the host is gone, or a frame of
 * our own broke a maximum, sending does nothing and channel_next() says so.
 */
#ifndef CELL_CHANNEL_H
#define CELL_CHANNEL_H

#include "wire/wire.h"

/* Most of a frame's body that is kept where there was no room for it. */
enum { CHANNEL_HEAD_BYTES = 64, CHANNEL_E_CLOSED = 1 };

/* Room for the body of a start or result frame, NULL: none. */
typedef uint8_t *(*channel_take)(size_t len);

struct channel_frame {
    uint32_t type;
    struct bytes body; /* in the room from take, or in static memory until the next frame */
    size_t len;        /* of the whole body */
    bool has_room;     /* false: body is only its first bytes, the rest was thrown away */
};

/* Uses this descriptor from now on, and take for the bodies of start and result frames. */
void channel_init(int fd, channel_take take);

/* Sends one frame of the type; borrowed slices are written or copied before it returns. */
void channel_hello(const struct wire_hello *m);
void channel_call(const struct wire_call *m);
void channel_seen(const struct wire_seen *m);
void channel_wake(const struct wire_wake *m);
void channel_sleep(const struct wire_sleep *m);
void channel_ending(const struct wire_ending *m);

/* Sends text of any length, cut in frames between characters. */
void channel_output(struct bytes text);

/* Writes what has waited for a while, and only then. */
void channel_pulse(void);

/* Writes what waits. 0, CHANNEL_E_CLOSED, or -EMSGSIZE after a frame over its maximum. */
int channel_flush(void);

/* Flushes, then blocks for the next frame that a host may send. 0, CHANNEL_E_CLOSED, or
 * -EBADMSG, -EMSGSIZE, -EPROTO, -errno. */
int channel_next(struct channel_frame *ret);

#endif
