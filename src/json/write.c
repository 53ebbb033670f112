/* SPDX-License-Identifier: MIT
 *
 * Writers: JSON into a buf, whose fault is the only one there is.
 *
 * Process: the host side. What is written is always legal, whatever bytes come in: each byte
 * that is no part of legal UTF-8 becomes U+FFFD.
 */
#include "json/json.h"

static bool is_tail(const uint8_t *at, const uint8_t *end)
{
    return at < end && (*at & 0xc0) == 0x80;
}

/* Of the second byte: overlong forms, surrogates and what lies past U+10FFFF are not legal. */
static bool is_second(uint8_t first, uint8_t second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0;
    case 0xed:
        return second < 0xa0;
    case 0xf0:
        return second >= 0x90;
    case 0xf4:
        return second < 0x90;
    default:
        return true;
    }
}

size_t json_utf8_len(const uint8_t *at, const uint8_t *end)
{
    size_t len;

    if (at == end) {
        return 0;
    }
    if (*at < 0x80) {
        return 1;
    }
    if (*at < 0xc2 || *at > 0xf4 || !is_tail(at + 1, end) || !is_second(at[0], at[1])) {
        return 0;
    }
    len = *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    for (size_t i = 2; i < len; i++) {
        if (!is_tail(at + i, end)) {
            return 0;
        }
    }
    return len;
}

static void put_escape(struct buf *out, uint8_t c)
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    static const char hex[] = "0123456789abcdef";
    const char *found = memchr(from, c, sizeof from - 1);

    if (found != NULL) {
        buf_put_u8(out, '\\');
        buf_put_u8(out, (uint8_t)to[found - from]);
        return;
    }
    buf_put_str(out, "\\u00");
    buf_put_u8(out, (uint8_t)hex[c >> 4]);
    buf_put_u8(out, (uint8_t)hex[c & 15]);
}

/* How many bytes from at on may be written as they are. */
static size_t count_plain(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *begin = at;

    while (at < end) {
        size_t len = json_utf8_len(at, end);

        if (len == 0 || *at < 0x20 || *at == '"' || *at == '\\') {
            break;
        }
        at += len;
    }
    return (size_t)(at - begin);
}

void json_put_str(struct buf *out, struct bytes text)
{
    const uint8_t *at = text.ptr;
    const uint8_t *end = at + text.len;

    buf_put_u8(out, '"');
    while (at < end) {
        size_t n = count_plain(at, end);

        buf_put(out, at, n);
        at += n;
        if (at == end) {
            break;
        }
        if (*at < 0x80) {
            put_escape(out, *at);
        } else {
            buf_put_str(out, "\xef\xbf\xbd");
        }
        at++;
    }
    buf_put_u8(out, '"');
}

void json_put_cstr(struct buf *out, const char *str)
{
    json_put_str(out, bytes_str(str));
}

void json_put_int(struct buf *out, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

    do {
        at--;
        digits[at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) {
        at--;
        digits[at] = '-';
    }
    buf_put(out, digits + at, sizeof digits - at);
}

void json_put_bool(struct buf *out, bool value)
{
    buf_put_str(out, value ? "true" : "false");
}

void json_put_comma(struct buf *out)
{
    uint8_t last = out->len == 0 ? '[' : out->data[out->len - 1];

    if (last != '[' && last != '{') {
        buf_put_u8(out, ',');
    }
}

void json_put_key(struct buf *out, const char *key)
{
    json_put_comma(out);
    json_put_cstr(out, key);
    buf_put_u8(out, ':');
}
