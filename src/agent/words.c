/* SPDX-License-Identifier: MIT
 *
 * Small forms that the texts of this room are made of; see agent/words.h. No cut splits a
 * character.
 */
#include "agent/words.h"

#include "base/mem.h"
#include "host/utf8.h"

#include <inttypes.h>

enum {
    MARK_CHARS = 60, /* the longest mark of a cut */
    PLAIN_BYTES = 128 * 1024 * 1024,
    ESCAPE = 0x1B,
};

static bool is_one_of(uint8_t c, const char *of)
{
    return c != '\0' && strchr(of, c) != NULL;
}

/* The end of a control string that begins with ESC and one of ]PX^_: the string goes up to its
 * terminator; where there is none on the line, it is not taken for one, so that it hides nothing.
 */
static size_t string_len(struct bytes text)
{
    for (size_t i = 2; i < text.len; i++) {
        if (text.ptr[i] == '\a') {
            return i + 1;
        }
        if (text.ptr[i] == ESCAPE && i + 1 < text.len && text.ptr[i + 1] == '\\') {
            return i + 2;
        }
        if (text.ptr[i] < ' ') {
            break;
        }
    }
    return 2;
}

static size_t count_between(struct bytes text, size_t at, uint8_t first, uint8_t last)
{
    size_t n = 0;

    while (at + n < text.len && text.ptr[at + n] >= first && text.ptr[at + n] <= last) {
        n++;
    }
    return n;
}

/* The bytes of the escape code at the start of text, which is an ESC; what was cut off counts. */
static size_t escape_len(struct bytes text)
{
    bool is_control = text.len > 1 && text.ptr[1] == '[';
    size_t at = is_control ? 2 : 1;

    if (text.len > 1 && is_one_of(text.ptr[1], "]PX^_")) {
        return string_len(text);
    }
    at += count_between(text, at, ' ', is_control ? '?' : '/');
    if (at == text.len) {
        return at;
    }
    if (count_between(text, at, is_control ? '@' : '0', '~') > 0) {
        return at + 1;
    }
    return is_control ? 2 : 1;
}

static const char *line_end(enum words_lines lines)
{
    switch (lines) {
    case WORDS_INDENTED:
        return "\n  ";
    case WORDS_ONE_LINE:
        return " ";
    default:
        return "\n";
    }
}

/* Whether text begins with a control character: ASCII's, or one of U+0080 to U+009F. */
static bool is_control(struct bytes text)
{
    bool is_late = text.ptr[0] == 0xC2 && text.len > 1 && text.ptr[1] < 0xA0;

    return (text.ptr[0] < ' ' && text.ptr[0] != '\t') || text.ptr[0] == 0x7F || is_late;
}

/* Appends what stands for the control character at the start of legal text; its length. */
static size_t put_control(struct buf *out, struct bytes text, enum words_lines lines)
{
    if (text.ptr[0] == ESCAPE) {
        return escape_len(text);
    }
    if (text.ptr[0] == '\n' || text.ptr[0] == '\r') {
        buf_put_str(out, line_end(lines));
        return text.ptr[0] == '\r' && text.len > 1 && text.ptr[1] == '\n' ? 2 : 1;
    }
    buf_put_str(out, UTF8_REPLACEMENT);
    return utf8_width(text.ptr[0]);
}

static void put_legal(struct buf *out, struct bytes text, enum words_lines lines)
{
    size_t from = 0;
    size_t at = 0;

    while (at < text.len) {
        if (!is_control(bytes_from(text, at))) {
            at++;
            continue;
        }
        buf_put(out, text.ptr + from, at - from);
        at += put_control(out, bytes_from(text, at), lines);
        from = at;
    }
    buf_put(out, text.ptr + from, at - from);
}

void words_put_plain(struct buf *out, struct bytes text, enum words_lines lines)
{
    _cleanup_(buf_done) struct buf legal = buf_max(PLAIN_BYTES);

    if (utf8_fault(text) == text.len) {
        put_legal(out, text, lines);
        return;
    }
    utf8_put_clean(&legal, text);
    put_legal(out, buf_bytes(&legal), lines);
}

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

/* As many characters of each as there are, and what one does not need for the other. */
static void share_room(uint64_t room, uint64_t n_head, uint64_t n_tail, uint64_t *ret_head,
                       uint64_t *ret_tail)
{
    uint64_t half = (room + 1) / 2;

    if (n_tail < half) {
        *ret_tail = n_tail;
        *ret_head = room - n_tail < n_head ? room - n_tail : n_head;
    } else {
        *ret_head = half < n_head ? half : n_head;
        *ret_tail = room - *ret_head < n_tail ? room - *ret_head : n_tail;
    }
}

void words_put_cut(struct buf *out, const struct cut *cut, uint64_t room)
{
    _cleanup_(buf_done) struct buf whole = buf_max(cut->head.len + cut->tail.len);
    uint64_t n_head = utf8_count(cut->head);
    uint64_t n_tail = utf8_count(cut->tail);
    uint64_t all = n_head + n_tail;
    struct bytes head = cut->head;
    struct bytes tail = cut->tail;

    if (words_cut_chars(cut) <= room) {
        put_parts(out, head, tail, cut->dropped);
        return;
    }
    if (cut->dropped == 0) { /* one text in two pieces: its ends may lie in either */
        buf_put_bytes(&whole, head);
        buf_put_bytes(&whole, tail);
        head = buf_bytes(&whole);
        tail = head;
        n_head = all;
        n_tail = all;
    }
    share_room(room <= MARK_CHARS ? 0 : room - MARK_CHARS, n_head, n_tail, &n_head, &n_tail);
    put_parts(out, utf8_first(head, n_head), last_chars(tail, n_tail),
              cut->dropped + all - n_head - n_tail);
}

void words_put_first(struct buf *out, struct bytes text, uint64_t max, enum words_lines lines)
{
    _cleanup_(buf_done) struct buf plain = buf_max(PLAIN_BYTES);
    struct bytes first;

    words_put_plain(&plain, text, lines);
    first = utf8_first(buf_bytes(&plain), max);
    buf_put_bytes(out, first);
    if (first.len < plain.len) {
        buf_put_str(out, "...");
    }
}

void words_put_stop(struct buf *out, size_t from)
{
    struct bytes said = bytes_from(buf_bytes(out), from);

    if (said.len > 0 && !is_one_of(said.ptr[said.len - 1], ".!?") &&
        memchr(said.ptr, '\n', said.len) == NULL) {
        buf_put_str(out, ".");
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
