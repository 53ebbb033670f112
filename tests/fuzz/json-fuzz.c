/* SPDX-License-Identifier: MIT
 *
 * JSON: what json_check() accepts must hold together under every look-up, and the look-ups must
 * be safe on text that was never checked.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"

#include <assert.h>
#include <errno.h>

enum { MANY = 1 << 20, LEVELS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check(struct bytes text)
{
    return json_check(text, 0, JSON_MAX_DEPTH, MANY, NULL, NULL);
}

/* Decoded and written again, a string means the same. */
static void try_string(struct bytes string)
{
    _cleanup_(buf_done) struct buf plain = buf_max(MANY);
    _cleanup_(buf_done) struct buf again = buf_max(MANY);
    _cleanup_(buf_done) struct buf second = buf_max(MANY);

    assert(json_text(string, &plain) == 0);
    json_put_str(&again, buf_bytes(&plain));
    assert(check(buf_bytes(&again)) == 0);
    assert(json_text(buf_bytes(&again), &second) == 0);
    assert(bytes_equal(buf_bytes(&plain), buf_bytes(&second)));
    if (memchr(plain.data == NULL ? (uint8_t *)"" : plain.data, 0, plain.len) == NULL) {
        assert(json_is(string, buf_str(&plain)));
    }
}

static void try_scalar(struct bytes value)
{
    int64_t number;
    bool flag;

    switch (json_kind(value)) {
    case JSON_STRING:
        try_string(value);
        break;
    case JSON_NUMBER:
        assert(json_int(value, INT64_MIN, INT64_MAX, &number) <= 0);
        break;
    case JSON_BOOL:
        assert(json_bool(value, &flag) == 0);
        break;
    default:
        assert(json_bool(value, &flag) == -EINVAL);
        break;
    }
}

/* Where text is checked, every item must be so alone, and json_get must find the last of a key. */
static void try_member(struct bytes object, struct bytes key, struct bytes item)
{
    _cleanup_(buf_done) struct buf name = buf_max(MANY);
    struct bytes found;

    assert(check(key) == 0 && json_kind(key) == JSON_STRING);
    try_string(key);
    assert(json_text(key, &name) == 0);
    if (memchr(name.data == NULL ? (uint8_t *)"" : name.data, 0, name.len) != NULL) {
        return;
    }
    found = json_get(object, buf_str(&name));
    assert(found.len > 0 && found.ptr >= item.ptr);
}

/* The first items of each of the first levels, by a stack of our own. */
static void walk(struct bytes text, bool is_checked)
{
    struct bytes values[LEVELS] = {text};
    size_t at[LEVELS] = {0};
    size_t level = 0;
    unsigned seen = 0;

    for (;;) {
        struct bytes key = bytes_none();
        struct bytes item;

        if (seen++ > 2000 || !json_next(values[level], &at[level], &key, &item)) {
            if (level == 0 || seen > 2000) {
                return;
            }
            level--;
            continue;
        }
        assert(item.len > 0 && item.ptr >= text.ptr && item.ptr + item.len <= text.ptr + text.len);
        if (!is_checked) {
            _cleanup_(buf_done) struct buf out = buf_max(MANY);

            json_text(item, &out);
            json_get(item, "a");
            json_is(key, "a");
        } else {
            assert(check(item) == 0 && json_kind(item) != JSON_NONE);
            try_scalar(item);
            if (json_kind(values[level]) == JSON_OBJECT && seen < 100) {
                try_member(values[level], key, item);
            }
        }
        if (level + 1 < LEVELS) {
            level++;
            values[level] = item;
            at[level] = 0;
        }
    }
}

/* Stripping keeps the length, and changes nothing where all was well. */
static void try_strip(struct bytes text, bool is_good)
{
    _cleanup_(buf_done) struct buf plain = buf_max(MANY * 8);

    json_strip_comments(text, &plain);
    assert(plain.len == text.len);
    if (is_good) {
        assert(bytes_equal(buf_bytes(&plain), text));
    } else if (check(buf_bytes(&plain)) == 0) {
        walk(buf_bytes(&plain), true);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes text = bytes_of(data, size);
    struct json_fault fault = {0};
    size_t values = 0;
    int result = json_check(text, 0, JSON_MAX_DEPTH, MANY, &values, &fault);

    if (result == 0) {
        assert(values > 0);
        assert(json_check(text, 0, JSON_MAX_DEPTH, values - 1, NULL, NULL) == -EMSGSIZE);
        assert(json_check(text, JSON_UNIQUE_KEYS, JSON_MAX_DEPTH, MANY, NULL, NULL) <= 0);
        try_scalar(text);
    } else {
        assert(fault.offset <= size && fault.line >= 1 && fault.sentence != NULL);
    }
    walk(text, result == 0);
    try_strip(text, result == 0);
    return 0;
}
