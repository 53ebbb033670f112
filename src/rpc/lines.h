/* SPDX-License-Identifier: MIT
 *
 * Framing: one message per line, out of chunks of any size.
 *
 * It owns its buffer, and the reader asks again until no whole line is left, so that messages
 * which arrive together are all seen. A line over the maximum is thrown away as it comes and
 * told once, by its ends.
 */
#ifndef RPC_LINES_H
#define RPC_LINES_H

#include "base/buf.h"

enum { LINES_MAX_BYTES = 32 << 20, LINES_END_BYTES = 1024 };

enum lines_event {
    LINES_NONE = 0, /* no whole line is left */
    LINES_LINE,     /* one line, without its newline; never blank */
    LINES_OVERLONG, /* a line over the maximum: its first and last LINES_END_BYTES, joined */
};

struct lines {
    struct buf in;
    size_t begin;   /* where the next line starts */
    size_t scanned; /* up to here there is no newline */
    size_t max_bytes;
    bool is_overlong; /* the line that comes in is over the maximum; in holds its ends */
};

/* An empty framing that refuses lines over max_bytes (at least 2 * LINES_END_BYTES). */
void lines_init(struct lines *l, size_t max_bytes);

/* Frees the buffer. */
void lines_done(struct lines *l);

/* Appends what was read; 0 or -ENOMEM. Call lines_next() until LINES_NONE after it. */
int lines_feed(struct lines *l, struct bytes chunk);

/* The next whole line, borrowed until the next feed. */
enum lines_event lines_next(struct lines *l, struct bytes *ret_line);

#endif
