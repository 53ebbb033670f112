/* SPDX-License-Identifier: MIT
 *
 * Parts of bytecode, and the natives of the library: random bytes, UTF-8.
 *
 * The bytecode lies in the program (engine/engine.mk makes the table); reading a part copies it
 * into the guest for as long as that takes. The natives are called by the library's own code
 * alone, with values it has checked; a buffer that was detached meanwhile throws.
 */
#include "cell/engine-library.h"

#include "base/mem.h"
#include "cell/engine-js.h"

#include <assert.h>

struct engine_part {
    const char *name; /* NULL ends the table */
    const uint8_t *bytes;
    uint64_t len;
};

extern const struct engine_part engine_parts[];

enum { READ_BYTECODE = 1 };

static const struct engine_part *find_part(struct bytes name)
{
    for (const struct engine_part *part = engine_parts; part->name != NULL; part++) {
        if (bytes_is(name, part->name)) {
            return part;
        }
    }
    return NULL;
}

uint64_t library_load(struct bytes name)
{
    const struct engine_part *part = find_part(name);
    uint64_t function;
    uint32_t at;

    assert(part != NULL);
    at = memory_take(part->len);
    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, js_ctx);
    }
    memcpy(rt_ptr(at), part->bytes, part->len);
    function = qjs(JS_ReadObject, js_ctx, at, (uint32_t)part->len, READ_BYTECODE);
    memory_give_back(at);
    return js_is_exception(function) ? function : qjs(JS_EvalFunction, js_ctx, function);
}

static uint64_t native_library(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                               uint32_t argv)
{
    uint32_t at;
    struct bytes name = js_text(js_argument(argc, argv, 0), &at);
    uint64_t value;

    (void)instance;
    (void)this;
    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, ctx);
    }
    value = library_load(name);
    js_text_done(at);
    return value;
}

/* The bytes that a native is given as (buffer, offset, length), less those that the buffer does
 * not have any more. *ret_at is 0, and an exception pending, where it was detached. */
static struct bytes slice_of(uint32_t argc, uint32_t argv, uint32_t first, uint32_t *ret_at)
{
    uint32_t at = qjs(JS_GetArrayBuffer, js_ctx, js_scratch(), js_argument(argc, argv, first));
    uint32_t size = rt_get_u32(js_scratch());
    uint32_t offset = (uint32_t)js_argument(argc, argv, first + 1);
    uint32_t len = (uint32_t)js_argument(argc, argv, first + 2);

    *ret_at = 0;
    if (at == 0) {
        return bytes_none();
    }
    offset = offset < size ? offset : size;
    len = len < size - offset ? len : size - offset;
    *ret_at = at + offset;
    return bytes_of(rt_ptr(at + offset), len);
}

/* Fills bytes of a buffer with randomness: (buffer, offset, length). */
static uint64_t native_random_bytes(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                    uint32_t argv)
{
    uint32_t at;
    struct bytes into = slice_of(argc, argv, 0, &at);

    (void)instance;
    (void)ctx;
    (void)this;
    if (at == 0) {
        return JS_EXCEPTION;
    }
    rt_random_bytes(rt_ptr(at), into.len);
    return JS_UNDEFINED;
}

/* How many of the bytes that a character's lead promises are there and may follow it: the length
 * of the character where that is all, else of what a decoder replaces by one U+FFFD (the
 * "maximal subpart" of the Unicode Standard, which WHATWG's decoder replaces too). */
static size_t sequence_length(struct bytes a, size_t *ret_wanted)
{
    uint8_t lead = a.ptr[0];
    size_t wanted = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    size_t len = 1;

    *ret_wanted = wanted;
    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4) {
        *ret_wanted = 0; /* leads nothing */
        return 1;
    }
    while (len < wanted && len < a.len) {
        uint8_t low = 0x80;
        uint8_t high = 0xbf;

        if (len == 1) {
            low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : low;
            high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : high;
        }
        if (a.ptr[len] < low || a.ptr[len] > high) {
            break;
        }
        len++;
    }
    return len;
}

/* How many bytes from the start of (buffer, offset, length) are whole characters. */
static uint64_t native_utf8_scan(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                 uint32_t argv)
{
    uint32_t at;
    struct bytes text = slice_of(argc, argv, 0, &at);
    size_t from = 0;

    (void)instance;
    (void)ctx;
    (void)this;
    if (at == 0) {
        return JS_EXCEPTION;
    }
    while (from < text.len) {
        size_t wanted;
        size_t len = sequence_length(bytes_from(text, from), &wanted);

        if (len != wanted) {
            break;
        }
        from += len;
    }
    return js_int((int32_t)from);
}

/* The length of the broken character at the start of (buffer, offset, length); negative where the
 * bytes end within it, and more might make it whole. */
static uint64_t native_utf8_bad(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                uint32_t argv)
{
    uint32_t at;
    struct bytes text = slice_of(argc, argv, 0, &at);
    size_t wanted;
    size_t len;

    (void)instance;
    (void)ctx;
    (void)this;
    if (at == 0 || text.len == 0) {
        return at == 0 ? JS_EXCEPTION : js_int(0);
    }
    len = sequence_length(text, &wanted);
    return js_int(len == text.len && len < wanted ? -(int32_t)len : (int32_t)len);
}

/* The text of whole characters: (buffer, offset, length). */
static uint64_t native_utf8_text(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                 uint32_t argv)
{
    uint32_t at;
    struct bytes text = slice_of(argc, argv, 0, &at);

    (void)instance;
    (void)this;
    return at == 0 ? JS_EXCEPTION : qjs(JS_NewStringLen, ctx, at, (uint32_t)text.len);
}

/* Code units from bytes: two each, the low one first or last, or one each in windows-1252. */
enum unit_kind { UNITS_LITTLE = 0, UNITS_BIG, UNITS_1252 };

static uint16_t unit_of(const uint8_t *from, enum unit_kind kind)
{
    static const uint16_t upper[32] = {
        0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
        0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};

    if (kind == UNITS_1252) {
        return *from >= 0x80 && *from <= 0x9f ? upper[*from - 0x80] : *from;
    }
    return (uint16_t)(kind == UNITS_LITTLE ? from[0] | from[1] << 8 : from[0] << 8 | from[1]);
}

/* The text of such bytes: (buffer, offset, length, kind). */
static uint64_t native_unit_text(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                 uint32_t argv)
{
    uint32_t from_at;
    struct bytes from = slice_of(argc, argv, 0, &from_at);
    enum unit_kind kind = (enum unit_kind)(uint32_t)js_argument(argc, argv, 3);
    size_t size = kind == UNITS_1252 ? 1 : 2;
    size_t n = from.len / size;
    uint32_t at = from_at == 0 ? 0 : memory_take(2 * n + 2);
    uint64_t text;

    (void)instance;
    (void)this;
    if (at == 0) {
        return from_at == 0 ? JS_EXCEPTION : qjs(JS_ThrowOutOfMemory, ctx);
    }
    for (size_t i = 0; i < n; i++) {
        uint16_t unit = unit_of(from.ptr + size * i, kind);

        memcpy(rt_ptr(at) + 2 * i, &unit, sizeof(unit));
    }
    text = qjs(JS_NewStringUTF16, ctx, at, (uint32_t)n);
    memory_give_back(at);
    return text;
}

/* A new ArrayBuffer with a string's UTF-8; the string is well formed. */
static uint64_t native_utf8_bytes(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                  uint32_t argv)
{
    uint32_t at;
    struct bytes text = js_text(js_argument(argc, argv, 0), &at);
    uint64_t buffer;

    (void)instance;
    (void)this;
    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, ctx);
    }
    buffer = qjs(JS_NewArrayBufferCopy, ctx, at, (uint32_t)text.len);
    js_text_done(at);
    return buffer;
}

void library_add_natives(uint64_t native)
{
    static const struct {
        const char *name;
        uint64_t (*function)(void *, uint32_t, uint64_t, uint32_t, uint32_t);
    } natives[] = {
        {"library", native_library},    {"randomBytes", native_random_bytes},
        {"utf8Scan", native_utf8_scan}, {"utf8Bad", native_utf8_bad},
        {"utf8Text", native_utf8_text}, {"utf8Bytes", native_utf8_bytes},
        {"unitText", native_unit_text},
    };

    for (size_t i = 0; i < ARRAY_SIZE(natives); i++) {
        js_put(native, natives[i].name, js_function(natives[i].function, natives[i].name, 0));
    }
}
