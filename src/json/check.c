/* SPDX-License-Identifier: MIT
 *
 * The validator: one pass over the text, one bit of memory per open bracket.
 *
 * Process: the host side. Owns nothing but the list of keys of JSON_UNIQUE_KEYS, for the time
 * of the call. Fails with the first fault it meets. Nesting deeper than JSON_MAX_DEPTH is
 * refused whatever the caller allows. An escape that is half of a surrogate pair is legal
 * here (RFC 8259 allows it and Node's servers write it); json_text() makes U+FFFD of it.
 */
#include "json/json.h"

#include "base/mem.h"
#include "json/inner.h"

#include <errno.h>
#include <stdlib.h>

struct scan {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    size_t depth;
    size_t max_depth;
    size_t values;
    size_t max_values;
    int code;
    const char *sentence;
    uint8_t is_object[JSON_MAX_DEPTH / 8 + 1]; /* a bit per open bracket */
};

static bool fail(struct scan *s, int code, const char *sentence)
{
    s->code = code;
    s->sentence = sentence;
    return false;
}

static bool is_digit(const struct scan *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool scan_digits(struct scan *s, const char *sentence)
{
    if (!is_digit(s)) {
        return fail(s, -EBADMSG, sentence);
    }
    while (is_digit(s)) {
        s->at++;
    }
    return true;
}

static bool scan_exponent(struct scan *s)
{
    s->at++;
    if (s->at < s->end && (*s->at == '+' || *s->at == '-')) {
        s->at++;
    }
    return scan_digits(s, "a digit is missing in the exponent of a number");
}

static bool scan_number(struct scan *s)
{
    s->at += *s->at == '-' ? 1 : 0;
    if (s->at < s->end && *s->at == '0') {
        s->at++;
        if (is_digit(s)) {
            return fail(s, -EBADMSG, "a number must not begin with 0");
        }
    } else if (!scan_digits(s, "a digit is missing after the minus sign")) {
        return false;
    }
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (!scan_digits(s, "a digit is missing after the decimal point")) {
            return false;
        }
    }
    if (s->at < s->end && (*s->at | 0x20) == 'e') {
        return scan_exponent(s);
    }
    return true;
}

static bool scan_word(struct scan *s, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0) {
        return fail(s, -EBADMSG, "a value is expected: true, false and null are the only words");
    }
    s->at += len;
    return true;
}

static bool is_hex(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* At the backslash. */
static bool scan_escape(struct scan *s)
{
    size_t left = (size_t)(s->end - s->at);

    if (left >= 2 && s->at[1] != '\0' && strchr("\"\\/bfnrt", s->at[1]) != NULL) {
        s->at += 2;
        return true;
    }
    if (left >= 2 && s->at[1] != 'u') {
        return fail(s, -EBADMSG,
                    "an escape in a string must be one of \\\" \\\\ \\/ \\b \\f \\n "
                    "\\r \\t \\uXXXX");
    }
    if (left < 6 || !is_hex(s->at[2]) || !is_hex(s->at[3]) || !is_hex(s->at[4]) ||
        !is_hex(s->at[5])) {
        return fail(s, -EBADMSG, "an escape in a string is not complete");
    }
    s->at += 6;
    return true;
}

static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Passes what needs no look: eight bytes at a time, then one by one. */
static void scan_plain(struct scan *s)
{
    const uint8_t *at = s->at;
    const uint8_t *end = s->end;

    while (end - at >= 8) {
        uint64_t eight = json_load8(at);

        if ((json_match8(eight, '"') | json_match8(eight, '\\') | json_control8(eight) |
             (eight & UINT64_C(0x8080808080808080))) != 0) {
            break;
        }
        at += 8;
    }
    while (at < end && is_plain(*at)) {
        at++;
    }
    s->at = at;
}

/* At the opening quote. */
static bool scan_string(struct scan *s)
{
    s->at++;
    for (;;) {
        scan_plain(s);
        if (s->at == s->end) {
            return fail(s, -EBADMSG, "a string is not closed");
        }
        if (*s->at == '"') {
            s->at++;
            return true;
        }
        if (*s->at == '\\') {
            if (!scan_escape(s)) {
                return false;
            }
        } else if (*s->at < 0x20) {
            return fail(s, -EBADMSG, "a control character in a string must be escaped");
        } else {
            size_t len = json_utf8_len(s->at, s->end);

            if (len == 0) {
                return fail(s, -EBADMSG, "a string is not legal UTF-8");
            }
            s->at += len;
        }
    }
}

static bool in_object(const struct scan *s)
{
    size_t top = s->depth - 1;

    return (s->is_object[top / 8] >> top % 8 & 1) != 0;
}

static bool push(struct scan *s, bool is_object)
{
    size_t top = s->depth;

    if (top >= s->max_depth) {
        return fail(s, -EMSGSIZE, "arrays and objects are nested too deep");
    }
    s->depth++;
    s->is_object[top / 8] = (uint8_t)(s->is_object[top / 8] & ~(1U << top % 8));
    s->is_object[top / 8] = (uint8_t)(s->is_object[top / 8] | (unsigned)is_object << top % 8);
    s->at = json_skip_space(s->at + 1, s->end);
    return true;
}

/* A key and its colon; leaves the scan where the value must begin. */
static bool scan_key(struct scan *s)
{
    if (s->at == s->end || *s->at != '"') {
        return fail(s, -EBADMSG, "a key in double quotes is expected");
    }
    if (!scan_string(s)) {
        return false;
    }
    s->at = json_skip_space(s->at, s->end);
    if (s->at == s->end || *s->at != ':') {
        return fail(s, -EBADMSG, "a colon is missing after a key");
    }
    s->at = json_skip_space(s->at + 1, s->end);
    return true;
}

/* Opens a container. Tells whether a value must follow, or the container was empty. */
static bool scan_open(struct scan *s, bool *ret_is_whole)
{
    bool is_object = *s->at == '{';

    if (!push(s, is_object)) {
        return false;
    }
    if (s->at < s->end && *s->at == (is_object ? '}' : ']')) {
        s->at++;
        s->depth--;
        *ret_is_whole = true;
        return true;
    }
    *ret_is_whole = false;
    return is_object ? scan_key(s) : true;
}

static bool scan_value(struct scan *s, bool *ret_is_whole)
{
    if (s->values == s->max_values) {
        return fail(s, -EMSGSIZE, "there are too many values");
    }
    s->values++;
    *ret_is_whole = true;
    if (s->at == s->end) {
        return fail(s, -EBADMSG, "a value is missing at the end of the text");
    }
    switch (*s->at) {
    case '"':
        return scan_string(s);
    case '{':
    case '[':
        return scan_open(s, ret_is_whole);
    case 't':
        return scan_word(s, "true");
    case 'f':
        return scan_word(s, "false");
    case 'n':
        return scan_word(s, "null");
    default:
        if (*s->at == '-' || is_digit(s)) {
            return scan_number(s);
        }
        return fail(s, -EBADMSG, "a value is expected");
    }
}

/* After a whole value: closes what ends here, up to the comma before the next value. */
static bool scan_after(struct scan *s)
{
    while (s->depth > 0) {
        bool is_object = in_object(s);

        s->at = json_skip_space(s->at, s->end);
        if (s->at < s->end && *s->at == ',') {
            s->at = json_skip_space(s->at + 1, s->end);
            return is_object ? scan_key(s) : true;
        }
        if (s->at == s->end || *s->at != (is_object ? '}' : ']')) {
            return fail(s, -EBADMSG,
                        is_object ? "a comma or } is expected" : "a comma or ] is expected");
        }
        s->at++;
        s->depth--;
    }
    s->at = json_skip_space(s->at, s->end);
    return s->at == s->end ? true : fail(s, -EBADMSG, "there is text after the value");
}

static bool scan_text(struct scan *s)
{
    s->at = json_skip_space(s->at, s->end);
    do {
        bool is_whole;

        if (!scan_value(s, &is_whole)) {
            return false;
        }
        if (is_whole && !scan_after(s)) {
            return false;
        }
    } while (s->depth > 0);
    return true;
}

/* By decoded content, and by place where that is the same. */
static int compare_keys(const void *a, const void *b)
{
    const struct bytes *one = a;
    const struct bytes *other = b;
    int order = json_compare_strings(*one, *other);

    if (order != 0) {
        return order;
    }
    return one->ptr < other->ptr ? -1 : one->ptr > other->ptr;
}

/* Sorted, so that a million keys cost no square. */
static bool check_keys(struct scan *s, struct bytes text)
{
    _cleanup_(free_p) struct bytes *keys = NULL;
    size_t n = 0;
    size_t cap = 0;
    size_t at = 0;
    struct bytes key;
    struct bytes item;

    if (json_kind(text) != JSON_OBJECT) {
        return true;
    }
    while (json_next(text, &at, &key, &item)) {
        if (mem_reserve(&keys, &cap, n + 1, sizeof *keys) < 0) {
            return fail(s, -ENOMEM, "there is no memory left");
        }
        keys[n] = key;
        n++;
    }
    if (n > 1) {
        qsort(keys, n, sizeof *keys, compare_keys);
    }
    for (size_t i = 1; i < n; i++) {
        if (json_compare_strings(keys[i - 1], keys[i]) == 0) {
            s->at = keys[i].ptr;
            return fail(s, -EBADMSG, "a key stands here for the second time");
        }
    }
    return true;
}

void json_place(struct bytes text, size_t offset, unsigned *ret_line, unsigned *ret_column)
{
    unsigned line = 1;
    size_t begin = 0;

    for (size_t i = 0; i < offset && i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    *ret_line = line;
    *ret_column = (unsigned)(offset - begin) + 1;
}

int json_check(struct bytes text, unsigned flags, size_t max_depth, size_t max_values,
               size_t *ret_values, struct json_fault *ret)
{
    struct scan s = {
        .start = text.ptr,
        .at = text.ptr,
        .end = text.ptr + text.len,
        .max_depth = max_depth < JSON_MAX_DEPTH ? max_depth : JSON_MAX_DEPTH,
        .max_values = max_values,
    };
    bool is_good = scan_text(&s);

    if (is_good && (flags & JSON_UNIQUE_KEYS) != 0) {
        is_good = check_keys(&s, text);
    }
    if (is_good) {
        if (ret_values != NULL) {
            *ret_values = s.values;
        }
        return 0;
    }
    if (ret != NULL) {
        *ret = (struct json_fault){.offset = (size_t)(s.at - s.start), .sentence = s.sentence};
        json_place(text, ret->offset, &ret->line, &ret->column);
    }
    return s.code;
}
