/* SPDX-License-Identifier: MIT
 *
 * Look-ups in checked text; each answers with slices of that text.
 *
 * Process: the host side. Owns nothing. Text that was not checked gives senseless answers, yet
 * nothing here reads outside its slice or loops for ever on it.
 */
#include "json/json.h"

#include "json/inner.h"

#include <errno.h>

/* A string's content, piece by piece: runs without escapes as they stand, escapes decoded. */
struct decoder {
    const uint8_t *at;
    const uint8_t *end;
    uint8_t decoded[4];
};

/* The first backslash or quote from at on, or end. */
static const uint8_t *find_stop(const uint8_t *at, const uint8_t *end)
{
    while (end - at >= 8) {
        uint64_t eight = json_load8(at);

        if ((json_match8(eight, '"') | json_match8(eight, '\\')) != 0) {
            break;
        }
        at += 8;
    }
    while (at < end && *at != '"' && *at != '\\') {
        at++;
    }
    return at;
}

/* From the opening quote to past the closing one. */
static const uint8_t *skip_string(const uint8_t *at, const uint8_t *end)
{
    at++;
    for (;;) {
        at = find_stop(at, end);
        if (at == end) {
            return end;
        }
        if (*at == '"') {
            return at + 1;
        }
        if (end - at < 2) {
            return end;
        }
        at += 2;
    }
}

static bool ends_scalar(uint8_t c)
{
    return c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' || c == '\n' || c == '\t' ||
           c == '\r';
}

static const uint8_t *skip_container(const uint8_t *at, const uint8_t *end)
{
    size_t depth = 0;

    while (at < end) {
        uint8_t c = *at;

        if (c == '"') {
            at = skip_string(at, end);
            continue;
        }
        at++;
        if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
            if (depth == 0) {
                return at;
            }
        }
    }
    return end;
}

static const uint8_t *skip_value(const uint8_t *at, const uint8_t *end)
{
    if (at < end && *at == '"') {
        return skip_string(at, end);
    }
    if (at < end && (*at == '{' || *at == '[')) {
        return skip_container(at, end);
    }
    while (at < end && !ends_scalar(*at)) {
        at++;
    }
    return at;
}

enum json_kind json_kind(struct bytes value)
{
    const uint8_t *end = value.ptr + value.len;
    const uint8_t *at = json_skip_space(value.ptr, end);

    if (at == end) {
        return JSON_NONE;
    }
    switch (*at) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
    case 'f':
        return JSON_BOOL;
    case 'n':
        return JSON_NULL;
    default:
        return *at == '-' || (*at >= '0' && *at <= '9') ? JSON_NUMBER : JSON_NONE;
    }
}

/* Past the bracket or comma before the next item; NULL where none follows. */
static const uint8_t *find_item(struct bytes value, size_t offset)
{
    const uint8_t *end = value.ptr + value.len;
    const uint8_t *at = json_skip_space(value.ptr + offset, end);

    if (at == end || *at == ']' || *at == '}') {
        return NULL;
    }
    if (offset == 0 ? *at != '[' && *at != '{' : *at != ',') {
        return NULL;
    }
    at = json_skip_space(at + 1, end);
    return at == end || *at == ']' || *at == '}' ? NULL : at;
}

bool json_next(struct bytes value, size_t *at, struct bytes *ret_key, struct bytes *ret_item)
{
    const uint8_t *end = value.ptr + value.len;
    const uint8_t *item = *at > value.len ? NULL : find_item(value, *at);
    const uint8_t *after;

    if (item == NULL) {
        return false;
    }
    if (json_kind(value) == JSON_OBJECT) {
        const uint8_t *key = item;

        if (*key != '"') {
            return false;
        }
        item = skip_string(key, end);
        if (ret_key != NULL) {
            *ret_key = bytes_of(key, (size_t)(item - key));
        }
        item = json_skip_space(item, end);
        if (item == end || *item != ':') {
            return false;
        }
        item = json_skip_space(item + 1, end);
    } else if (ret_key != NULL) {
        *ret_key = bytes_none();
    }
    after = skip_value(item, end);
    if (after == item) {
        return false;
    }
    *ret_item = bytes_of(item, (size_t)(after - item));
    *at = (size_t)(after - value.ptr);
    return true;
}

static uint32_t read_hex4(const uint8_t *at)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        uint8_t c = at[i];
        uint32_t digit = c <= '9' ? (uint32_t)c - '0' : (uint32_t)(c | 0x20) - 'a' + 10;

        value = value << 4 | (digit & 15);
    }
    return value;
}

static size_t encode(uint32_t code, uint8_t ret[4])
{
    if (code < 0x80) {
        ret[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        ret[0] = (uint8_t)(0xc0 | code >> 6);
        ret[1] = (uint8_t)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        ret[0] = (uint8_t)(0xe0 | code >> 12);
        ret[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        ret[2] = (uint8_t)(0x80 | (code & 0x3f));
        return 3;
    }
    ret[0] = (uint8_t)(0xf0 | code >> 18);
    ret[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
    ret[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    ret[3] = (uint8_t)(0x80 | (code & 0x3f));
    return 4;
}

/* At "\u": takes it, and its other half where it is a pair. */
static uint32_t take_unicode(struct decoder *d)
{
    uint32_t code;
    uint32_t low;

    if (d->end - d->at < 6) {
        d->at = d->end;
        return 0xfffd;
    }
    code = read_hex4(d->at + 2);
    d->at += 6;
    if (code < 0xd800 || code > 0xdfff) {
        return code;
    }
    if (code > 0xdbff || d->end - d->at < 6 || d->at[0] != '\\' || d->at[1] != 'u') {
        return 0xfffd;
    }
    low = read_hex4(d->at + 2);
    if (low < 0xdc00 || low > 0xdfff) {
        return 0xfffd;
    }
    d->at += 6;
    return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
}

static size_t decode_escape(struct decoder *d)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char *found;

    if (d->end - d->at < 2) {
        d->at = d->end;
        return 0;
    }
    if (d->at[1] == 'u') {
        return encode(take_unicode(d), d->decoded);
    }
    found = memchr(from, d->at[1], sizeof from - 1);
    d->decoded[0] = found == NULL ? d->at[1] : (uint8_t)to[found - from];
    d->at += 2;
    return 1;
}

/* Starts at a string's content; false where value is no string. */
static bool decode_start(struct bytes value, struct decoder *ret)
{
    const uint8_t *end = value.ptr + value.len;
    const uint8_t *at = json_skip_space(value.ptr, end);

    if (at == end || *at != '"') {
        return false;
    }
    *ret = (struct decoder){.at = at + 1, .end = end};
    return true;
}

/* The next piece, valid until the next call; empty at the end of the string. */
static struct bytes decode_next(struct decoder *d)
{
    const uint8_t *begin = d->at;

    d->at = find_stop(d->at, d->end);
    if (d->at > begin) {
        return bytes_of(begin, (size_t)(d->at - begin));
    }
    if (d->at == d->end || *d->at == '"') {
        return bytes_none();
    }
    return bytes_of(d->decoded, decode_escape(d));
}

int json_text(struct bytes string, struct buf *out)
{
    struct decoder d;
    struct bytes piece;

    if (!decode_start(string, &d)) {
        return -EINVAL;
    }
    for (piece = decode_next(&d); piece.len > 0; piece = decode_next(&d)) {
        buf_put_bytes(out, piece);
    }
    return buf_fault(out);
}

bool json_is(struct bytes string, const char *str)
{
    struct bytes rest = bytes_str(str);
    struct decoder d;
    struct bytes piece;

    if (!decode_start(string, &d)) {
        return false;
    }
    for (piece = decode_next(&d); piece.len > 0; piece = decode_next(&d)) {
        if (!bytes_equal(piece, bytes_first(rest, piece.len))) {
            return false;
        }
        rest = bytes_from(rest, piece.len);
    }
    return rest.len == 0;
}

int json_compare_strings(struct bytes a, struct bytes b)
{
    struct decoder one;
    struct decoder other;
    struct bytes left = bytes_none();
    struct bytes right = bytes_none();

    if (!decode_start(a, &one) || !decode_start(b, &other)) {
        return bytes_compare(a, b);
    }
    for (;;) {
        size_t n;
        int order;

        left = left.len > 0 ? left : decode_next(&one);
        right = right.len > 0 ? right : decode_next(&other);
        if (left.len == 0 || right.len == 0) {
            return (int)(left.len > 0) - (int)(right.len > 0);
        }
        n = left.len < right.len ? left.len : right.len;
        order = memcmp(left.ptr, right.ptr, n);
        if (order != 0) {
            return order;
        }
        left = bytes_from(left, n);
        right = bytes_from(right, n);
    }
}

struct bytes json_get(struct bytes object, const char *key)
{
    struct bytes found = bytes_none();
    struct bytes name;
    struct bytes item;
    size_t at = 0;

    if (json_kind(object) != JSON_OBJECT) {
        return found;
    }
    while (json_next(object, &at, &name, &item)) {
        if (json_is(name, key)) {
            found = item;
        }
    }
    return found;
}

/* The value without the white space around it. */
static struct bytes trim(struct bytes value)
{
    const uint8_t *end = value.ptr + value.len;
    const uint8_t *at = json_skip_space(value.ptr, end);

    return bytes_of(at, (size_t)(skip_value(at, end) - at));
}

int json_int(struct bytes number, int64_t min, int64_t max, int64_t *ret)
{
    struct bytes digits = trim(number);
    bool is_negative = digits.len > 0 && digits.ptr[0] == '-';
    int64_t value = 0;

    digits = is_negative ? bytes_from(digits, 1) : digits;
    if (digits.len == 0) {
        return -EINVAL;
    }
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9') {
            return -EINVAL;
        }
    }
    for (size_t i = 0; i < digits.len; i++) {
        int64_t digit = digits.ptr[i] - '0';

        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, is_negative ? -digit : digit, &value)) {
            return -ERANGE;
        }
    }
    if (value < min || value > max) {
        return -ERANGE;
    }
    *ret = value;
    return 0;
}

int json_bool(struct bytes value, bool *ret)
{
    struct bytes word = trim(value);

    if (!bytes_is(word, "true") && !bytes_is(word, "false")) {
        return -EINVAL;
    }
    *ret = word.ptr[0] == 't';
    return 0;
}
