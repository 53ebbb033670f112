/* SPDX-License-Identifier: MIT
 *
 * What may cross between host, warden and cell: types, codecs and framing.
 *
 * A frame is a little-endian u32 length of what follows, a u8 type, and the
 * fields of that type in order: U32 is four bytes, BYTES and TAIL are a u32 length
 * and that many bytes. Received structs borrow from the frame they were read from.
 *
 * Three faults exist and all of them mean that the sender is to be ended:
 * -EBADMSG (malformed), -EMSGSIZE (over a maximum), -EPROTO (not allowed now).
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include "base/buf.h"
#include "wire/messages.h"

#include <stdatomic.h>

enum wire_sender { WIRE_HOST = 1, WIRE_CELL, WIRE_WARDEN };

/* States of a cell's channel (new, hello said, script started, ending said), and of the
 * warden's. */
enum wire_state {
    WIRE_ST_NEW = 1,
    WIRE_ST_READY = 2,
    WIRE_ST_RUNNING = 4,
    WIRE_ST_ENDED = 8,
    WIRE_ST_BUILDING = 16,
    WIRE_ST_UP = 32,
};

enum wire_language { WIRE_JAVASCRIPT = 1, WIRE_PYTHON };

/* Bits of a start's flags. */
enum wire_start_flag { WIRE_START_TIMERS = 1 }; /* the script has timers */

/* Kinds of a call's answer. Only WIRE_RES_ANSWER carries JSON, else payload is a sentence. */
enum wire_result_kind {
    WIRE_RES_ANSWER = 1,
    WIRE_RES_REFUSED,    /* ToolRefused, effect none */
    WIRE_RES_FAILED,     /* ToolFailed, effect possible: the tool's owner was lost in the call */
    WIRE_RES_TIMED_OUT,  /* CallTimeout, effect possible */
    WIRE_RES_NEVER_SENT, /* CallTimeout, effect none */
    WIRE_RES_TOO_LARGE,  /* ResultTooLarge, effect done */
    WIRE_RES_LAST = WIRE_RES_TOO_LARGE,
};

/* What became of an answer inside the cell. */
enum wire_seen_how {
    WIRE_SEEN_WHOLE = 1,
    WIRE_SEEN_TOO_LARGE, /* became a ResultTooLarge there: no memory, too deep, or not JSON */
    WIRE_SEEN_LAST = WIRE_SEEN_TOO_LARGE,
};

/* What became of a wake. */
enum wire_woken_how {
    WIRE_WOKEN_DELIVERED = 1,
    WIRE_WOKEN_NOBODY, /* nobody takes wakes here; none was sent */
    WIRE_WOKEN_LOST,   /* it was handed over and could not be delivered */
    WIRE_WOKEN_DEEP,   /* its payload is nested deeper than the host reads; none was sent */
    WIRE_WOKEN_LAST = WIRE_WOKEN_DEEP,
};

/* How a script can say that it ended. */
enum wire_ending_kind {
    WIRE_END_FINISHED = 1,
    WIRE_END_FAILED,
    WIRE_END_STALLED,
    WIRE_END_STOPPED,
    WIRE_END_OVERSIZE,
    WIRE_END_TRAPPED, /* the engine trapped; message is the trap's name and what it wrote */
    WIRE_END_LAST = WIRE_END_TRAPPED,
};

/* Walls that a cell reports standing. */
enum wire_wall {
    WIRE_WALL_SECCOMP = 1,
    WIRE_WALL_LANDLOCK = 2,
    WIRE_WALL_NO_NEW_PRIVS = 4,
    WIRE_WALL_LIMITS = 8,
    WIRE_WALL_NO_CAPS = 16,
    WIRE_WALL_PID_NS = 32,
};

/* Exit statuses of a cell whose start failed: WIRE_EXIT_START + the number of the step. */
enum { WIRE_EXIT_START = 100, WIRE_EXIT_LAST = 120 };

/* The page that host and cell share. stop is the host's; the rest are the cell's claims. */
struct wire_page {
    _Atomic uint32_t stop;
    uint8_t host_side[60];
    _Atomic uint32_t memory_kib;
    _Atomic uint32_t memory_peak_kib;
    uint8_t cell_side[56];
};
enum { WIRE_PAGE_BYTES = 4096 };

#define WIRE_ENUM_ROW(name, number, sender, states, fields) WIRE_MSG_##name = (number),
enum wire_type { WIRE_MESSAGES(WIRE_ENUM_ROW) };

#define WIRE_STRUCT_U32(name)        uint32_t name;
#define WIRE_STRUCT_BYTES(name, max) struct bytes name;
#define WIRE_STRUCT_ROW(name, number, sender, states, fields)                                      \
    struct wire_##name {                                                                           \
        fields(WIRE_STRUCT_U32, WIRE_STRUCT_BYTES, WIRE_STRUCT_BYTES)                              \
    };
WIRE_MESSAGES(WIRE_STRUCT_ROW)

/* For each message: wire_put_X appends a whole frame; wire_head_X appends a frame without
 * the content of its TAIL, which the caller writes right after; wire_get_X reads a frame's
 * body (type left out), borrowing from it, and answers 0, -EBADMSG or -EMSGSIZE. A put of a
 * field over its maximum is our own mistake and faults the buf with -EMSGSIZE. */
#define WIRE_CODEC_ROW(name, number, sender, states, fields)                                       \
    void wire_put_##name(struct buf *out, const struct wire_##name *m);                            \
    void wire_head_##name(struct buf *out, const struct wire_##name *m);                           \
    int wire_get_##name(struct bytes body, struct wire_##name *ret);
WIRE_MESSAGES(WIRE_CODEC_ROW)

/* The message's name for logs, or "unknown". */
const char *wire_name(uint32_t type);

/* 0 where sender may send this type in this state, else -EPROTO. */
int wire_check(uint32_t type, enum wire_sender sender, enum wire_state state);

enum { FRAME_HEADER_BYTES = 5, FRAME_E_AGAIN = 1 };

struct frame {
    uint32_t type;
    struct bytes body;
    size_t size; /* bytes it takes in the input, header included */
};

/* Looks for one frame at the start of in: 0 with *ret (borrowing from in), FRAME_E_AGAIN
 * where more bytes are needed, -EMSGSIZE where it is longer than max, -EBADMSG where its
 * length is zero. */
int frame_next(struct bytes in, size_t max, struct frame *ret);

#endif
