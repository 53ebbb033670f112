/* SPDX-License-Identifier: MIT
 *
 * The small forms of a play's lines (tests/returns/README): words, escapes, repeats.
 */
#ifndef UNIT_RETURNS_FORM_H
#define UNIT_RETURNS_FORM_H

#include "base/mem.h"
#include "host/utf8.h"

#include <assert.h>
#include <stdlib.h>

enum { RUN_CHARS = 20, PLAY_BYTES = 1 << 26 };

static inline struct bytes word_take(struct bytes *rest)
{
    const uint8_t *space = memchr(rest->ptr, ' ', rest->len);
    size_t len = space == NULL ? rest->len : (size_t)(space - rest->ptr);
    struct bytes word = bytes_first(*rest, len);

    *rest = bytes_from(*rest, len + 1);
    return word;
}

static inline int64_t play_number(struct bytes digits)
{
    int64_t n = 0;

    for (size_t i = 0; i < digits.len; i++) {
        assert(digits.ptr[i] >= '0' && digits.ptr[i] <= '9' && n < PLAY_BYTES);
        n = n * 10 + digits.ptr[i] - '0';
    }
    return n;
}

static inline int64_t number_take(struct bytes *rest)
{
    return play_number(word_take(rest));
}

/* %{N*TEXT}: N times. */
static inline void play_expand(struct buf *out, struct bytes line)
{
    while (line.len > 0) {
        const uint8_t *at = memmem(line.ptr, line.len, "%{", 2);
        const uint8_t *end =
            at == NULL ? NULL : memchr(at, '}', line.len - (size_t)(at - line.ptr));
        int64_t n;
        const uint8_t *star = end == NULL ? NULL : memchr(at, '*', (size_t)(end - at));

        if (star == NULL) {
            buf_put_bytes(out, line);
            return;
        }
        buf_put(out, line.ptr, (size_t)(at - line.ptr));
        n = play_number(bytes_of(at + 2, (size_t)(star - at) - 2));
        for (; n > 0; n--) {
            buf_put(out, star + 1, (size_t)(end - star - 1));
        }
        line = bytes_from(line, (size_t)(end + 1 - line.ptr));
    }
}

/* \n \t \r \e \\ and \xHH. */
static inline void play_unescape(struct buf *out, struct bytes text)
{
    static const char from[] = "ntre\\";
    static const char to[] = "\n\t\r\x1b\\";

    for (size_t i = 0; i < text.len; i++) {
        const char *known = i + 1 < text.len ? strchr(from, text.ptr[i + 1]) : NULL;

        if (text.ptr[i] == '\\' && known != NULL) {
            buf_put_u8(out, (uint8_t)to[known - from]);
            i++;
        } else if (text.ptr[i] == '\\' && i + 3 < text.len && text.ptr[i + 1] == 'x') {
            char hex[3] = {(char)text.ptr[i + 2], (char)text.ptr[i + 3], '\0'};

            buf_put_u8(out, (uint8_t)strtoul(hex, NULL, 16));
            i += 3;
        } else {
            buf_put_u8(out, text.ptr[i]);
        }
    }
}

static inline size_t run_of(struct bytes text, size_t at, size_t len)
{
    size_t n = 1;

    while (at + (n + 1) * len <= text.len &&
           memcmp(text.ptr + at, text.ptr + at + n * len, len) == 0) {
        n++;
    }
    return n;
}

/* One line as it stands in a play: control characters as \xHH, long runs of one character short. */
static inline void put_shown(struct buf *out, struct bytes line)
{
    for (size_t i = 0; i < line.len;) {
        size_t len = utf8_width(line.ptr[i]) == 0 ? 1 : utf8_width(line.ptr[i]);
        size_t n = i + len <= line.len ? run_of(line, i, len) : 1;

        if (line.ptr[i] < 0x20 || line.ptr[i] == 0x7F) {
            buf_printf(out, "\\x%02x", line.ptr[i]);
            n = 1;
        } else if (n >= RUN_CHARS) {
            buf_printf(out, "%%{%zu*", n);
            buf_put(out, line.ptr + i, len);
            buf_put_str(out, "}");
        } else {
            buf_put(out, line.ptr + i, n * len);
        }
        i += n * len;
    }
}

static inline bool is_plain(struct bytes text)
{
    bool is_fine = utf8_fault(text) == text.len;

    for (size_t i = 0; i < text.len; i++) {
        bool is_c1 = text.ptr[i] == 0xC2 && i + 1 < text.len && text.ptr[i + 1] < 0xA0;

        is_fine = is_fine && !is_c1 && text.ptr[i] != 0x7F &&
                  (text.ptr[i] >= 0x20 || text.ptr[i] == '\n' || text.ptr[i] == '\t');
    }
    return is_fine;
}

#endif
