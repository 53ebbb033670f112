/* SPDX-License-Identifier: MIT
 *
 * Small forms that the texts of this room are made of; see agent/words.h. No cut splits a
 * character.
 */
#include "agent/words.h"

#include "host/utf8.h"

#include <inttypes.h>

enum { MARK_CHARS = 60 }; /* the longest mark of a cut */

/* The end of legal UTF-8 with at most max characters. */
static struct bytes last_chars(struct bytes text, uint64_t max)
{
    size_t at = text.len;

    while (at > 0 && max > 0) {
        at--;
        while (at > 0 && (text.ptr[at] & 0xC0) == 0x80) {
            at--;
        }
        max--;
    }
    return bytes_from(text, at);
}

uint64_t words_cut_chars(const struct cut *cut)
{
    uint64_t n = utf8_count(cut->head) + utf8_count(cut->tail);

    return cut->dropped > 0 ? n + MARK_CHARS : n;
}

static void put_parts(struct buf *out, struct bytes head, struct bytes tail, uint64_t dropped)
{
    buf_put_bytes(out, head);
    if (dropped > 0) {
        if (head.len > 0 && head.ptr[head.len - 1] != '\n') {
            buf_put_str(out, "\n");
        }
        buf_printf(out, "[... %" PRIu64 " character%s left out ...]\n", dropped,
                   dropped == 1 ? "" : "s");
    }
    buf_put_bytes(out, tail);
}

void words_put_cut(struct buf *out, const struct cut *cut, uint64_t room)
{
    uint64_t all = utf8_count(cut->head) + utf8_count(cut->tail);
    uint64_t half = room <= MARK_CHARS ? 0 : (room - MARK_CHARS) / 2;
    struct bytes head = cut->head;
    struct bytes tail = cut->tail;
    uint64_t kept;

    if (words_cut_chars(cut) <= room) {
        put_parts(out, head, tail, cut->dropped);
        return;
    }
    if (cut->dropped == 0) { /* one text in two pieces: its ends may lie in either */
        struct buf whole = buf_max(head.len + tail.len);

        buf_put_bytes(&whole, head);
        buf_put_bytes(&whole, tail);
        put_parts(out, utf8_first(buf_bytes(&whole), half), last_chars(buf_bytes(&whole), half),
                  all - 2 * half);
        buf_done(&whole);
        return;
    }
    head = utf8_first(head, half);
    tail = last_chars(tail, half);
    kept = utf8_count(head) + utf8_count(tail);
    put_parts(out, head, tail, cut->dropped + all - kept);
}

void words_put_first(struct buf *out, struct bytes text, uint64_t max)
{
    struct bytes first = utf8_first(text, max);

    buf_put_bytes(out, first);
    if (first.len < text.len) {
        buf_put_str(out, "...");
    }
}

void words_put_ms(struct buf *out, int64_t ms)
{
    if (ms < 1000) {
        buf_printf(out, "%" PRId64 " ms", ms);
    } else if (ms < 60000) {
        buf_printf(out, "%" PRId64 ".%" PRId64 " s", ms / 1000, ms % 1000 / 100);
    } else if (ms < 3600000) {
        buf_printf(out, "%" PRId64 " min %" PRId64 " s", ms / 60000, ms % 60000 / 1000);
    } else {
        buf_printf(out, "%" PRId64 " h %" PRId64 " min", ms / 3600000, ms % 3600000 / 60000);
    }
}

void words_put_size(struct buf *out, int64_t bytes)
{
    if (bytes < 1024 * 1024) {
        buf_printf(out, "%" PRId64 " KiB", (bytes + 1023) / 1024);
    } else {
        buf_printf(out, "%" PRId64 ".%" PRId64 " MiB", bytes >> 20, (bytes & 0xFFFFF) * 10 >> 20);
    }
}

void words_put_count(struct buf *out, uint64_t n, const char *one, const char *many)
{
    buf_printf(out, "%" PRIu64 " %s", n, n == 1 ? one : many);
}
