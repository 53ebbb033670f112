/* SPDX-License-Identifier: MIT
 *
 * Framing by newlines; see rpc/lines.h.
 *
 * Process: the host side. Fails with -ENOMEM only. A last line without its newline is not told:
 * it was cut off.
 */
#include "rpc/lines.h"

enum { KEEP_BYTES = 1 << 20 }; /* an empty buffer larger than this is given back */

void lines_init(struct lines *l, size_t max_bytes)
{
    *l = (struct lines){.in = buf_max(SIZE_MAX / 2), .max_bytes = max_bytes};
}

void lines_done(struct lines *l)
{
    buf_done(&l->in);
}

/* Moves what is not told yet to the front. */
static void compact(struct lines *l)
{
    if (l->begin > 0) {
        buf_drop(&l->in, l->begin);
    }
    l->scanned -= l->begin;
    l->begin = 0;
    if (l->in.len == 0 && l->in.cap > KEEP_BYTES) {
        buf_done(&l->in);
    }
}

/* Cuts the middle out of a line that is too long already. */
static void cut_middle(struct lines *l)
{
    size_t ends = 2 * LINES_END_BYTES;

    l->is_overlong = true;
    if (l->in.len > ends) {
        memmove(l->in.data + LINES_END_BYTES, l->in.data + l->in.len - LINES_END_BYTES,
                LINES_END_BYTES);
        l->in.len = ends;
    }
    l->scanned = l->in.len;
}

int lines_feed(struct lines *l, struct bytes chunk)
{
    compact(l);
    buf_put_bytes(&l->in, chunk);
    return buf_fault(&l->in);
}

static bool is_blank(struct bytes line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != ' ' && line.ptr[i] != '\t') {
            return false;
        }
    }
    return true;
}

/* The line that ends at newline, and past it. */
static struct bytes take_line(struct lines *l, const uint8_t *newline)
{
    const uint8_t *begin = l->in.data + l->begin;
    struct bytes line = bytes_of(begin, (size_t)(newline - begin));

    l->begin += line.len + 1;
    l->scanned = l->begin;
    if (line.len > 0 && line.ptr[line.len - 1] == '\r') {
        line = bytes_first(line, line.len - 1);
    }
    return line;
}

static struct bytes take_ends(struct lines *l, struct bytes line)
{
    uint8_t *begin = l->in.data + (line.ptr - l->in.data);

    l->is_overlong = false;
    if (line.len <= 2 * (size_t)LINES_END_BYTES) {
        return line;
    }
    memmove(begin + LINES_END_BYTES, line.ptr + line.len - LINES_END_BYTES, LINES_END_BYTES);
    return bytes_of(begin, 2 * (size_t)LINES_END_BYTES);
}

enum lines_event lines_next(struct lines *l, struct bytes *ret_line)
{
    for (;;) {
        size_t left = l->in.len - l->scanned;
        const uint8_t *newline = left == 0 ? NULL : memchr(l->in.data + l->scanned, '\n', left);
        struct bytes line;

        if (newline == NULL) {
            l->scanned = l->in.len;
            if (l->is_overlong || l->in.len - l->begin > l->max_bytes) {
                compact(l);
                cut_middle(l);
            }
            return LINES_NONE;
        }
        line = take_line(l, newline);
        if (l->is_overlong || line.len > l->max_bytes) {
            *ret_line = take_ends(l, line);
            return LINES_OVERLONG;
        }
        if (!is_blank(line)) {
            *ret_line = line;
            return LINES_LINE;
        }
    }
}
