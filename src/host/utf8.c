/* SPDX-License-Identifier: MIT
 *
 * Legal UTF-8 out of any bytes; see host/utf8.h.
 */
#include "host/utf8.h"

size_t utf8_width(uint8_t lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2) {
        return 0;
    }
    if (lead < 0xE0) {
        return 2;
    }
    if (lead < 0xF0) {
        return 3;
    }
    return lead < 0xF5 ? 4 : 0;
}

/* Whether byte may stand second after lead: no overlong form, no surrogate, none past 10FFFF. */
static bool may_follow(uint8_t lead, uint8_t byte)
{
    if (lead == 0xE0) {
        return byte >= 0xA0 && byte <= 0xBF;
    }
    if (lead == 0xED) {
        return byte >= 0x80 && byte <= 0x9F;
    }
    if (lead == 0xF0) {
        return byte >= 0x90 && byte <= 0xBF;
    }
    if (lead == 0xF4) {
        return byte >= 0x80 && byte <= 0x8F;
    }
    return byte >= 0x80 && byte <= 0xBF;
}

enum utf8_verdict utf8_look(struct bytes text, size_t *ret_len)
{
    size_t width = utf8_width(text.ptr[0]);

    *ret_len = 1;
    if (width == 0) {
        return UTF8_ILLEGAL;
    }
    for (size_t i = 1; i < width; i++) {
        if (i == text.len) {
            return UTF8_SHORT;
        }
        if (i == 1 ? !may_follow(text.ptr[0], text.ptr[1]) : (text.ptr[i] & 0xC0) != 0x80) {
            return UTF8_ILLEGAL;
        }
        *ret_len = i + 1;
    }
    return UTF8_LEGAL;
}

uint64_t utf8_count(struct bytes text)
{
    uint64_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += (text.ptr[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    return n;
}

/* The first byte at or after at that is not ASCII, eight bytes at a time. */
static size_t skip_ascii(struct bytes text, size_t at)
{
    uint64_t eight;

    while (text.len - at >= sizeof eight) {
        memcpy(&eight, text.ptr + at, sizeof eight);
        if ((eight & UINT64_C(0x8080808080808080)) != 0) {
            break;
        }
        at += sizeof eight;
    }
    while (at < text.len && text.ptr[at] < 0x80) {
        at++;
    }
    return at;
}

size_t utf8_fault(struct bytes text)
{
    size_t at = skip_ascii(text, 0);
    size_t len;

    while (at < text.len) {
        if (text.ptr[at] < 0x80) {
            at = skip_ascii(text, at);
        } else if (utf8_look(bytes_from(text, at), &len) == UTF8_LEGAL) {
            at += len;
        } else {
            return at;
        }
    }
    return at;
}

void utf8_put_clean(struct buf *out, struct bytes text)
{
    while (text.len > 0) {
        size_t good = utf8_fault(text);
        size_t len = 0;

        buf_put_bytes(out, bytes_first(text, good));
        text = bytes_from(text, good);
        if (text.len > 0) {
            utf8_look(text, &len);
            buf_put_str(out, UTF8_REPLACEMENT);
            text = bytes_from(text, len);
        }
    }
}

struct bytes utf8_first(struct bytes text, uint64_t max)
{
    size_t at = 0;

    while (at < text.len && max > 0) {
        size_t len = utf8_width(text.ptr[at]);

        at += len == 0 ? 1 : len;
        max--;
    }
    return bytes_first(text, at);
}
