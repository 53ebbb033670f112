/* SPDX-License-Identifier: MIT
 *
 * Values, calls and texts over QuickJS's C interface (see engine-js.h).
 */
#include "cell/engine-js.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum { MALLOC_FUNCTIONS = 5, SHADOW_STACK_MARGIN = 512 << 10 };

uint32_t js_rt;
uint32_t js_ctx;

static const struct wire_page *stop_page;
static bool is_stopping;

void js_watch_stop(const struct wire_page *page)
{
    stop_page = page;
}

bool js_sees_stop(void)
{
    if (!is_stopping && stop_page != NULL &&
        atomic_load_explicit(&stop_page->stop, memory_order_relaxed) != 0) {
        is_stopping = true;
    }
    return is_stopping;
}

void js_stop(void)
{
    is_stopping = true;
}

/* Lends len bytes of the shadow stack; given back with the returned pointer's restore. */
static uint32_t push(size_t len)
{
    rt_instance->w2c___stack_pointer -= (uint32_t)((len + 15) & ~(size_t)15);
    return rt_instance->w2c___stack_pointer;
}

static void pop(size_t len)
{
    rt_instance->w2c___stack_pointer += (uint32_t)((len + 15) & ~(size_t)15);
}

/* A NUL-terminated copy in the guest, outside the count; 0 where there is no memory. */
static uint32_t copy_in(struct bytes text)
{
    uint32_t at = qjs(malloc, (uint32_t)text.len + 1);

    if (at != 0) {
        memcpy(rt_ptr(at), text.ptr, text.len);
        *rt_ptr(at + (uint32_t)text.len) = 0;
    }
    return at;
}

int js_open(void)
{
    uint32_t probe = qjs(malloc, 100);
    uint32_t table = qjs(malloc, 4 * MALLOC_FUNCTIONS);
    size_t block = probe == 0 ? 0 : rt_get_u32(probe - 4) & ~7u;

    if (block < 104 || block > 160 || table == 0) {
        return -ENOTSUP; /* not the allocator that the count knows */
    }
    memory_add_functions(table);
    js_rt = qjs(JS_NewRuntime2, table, 0);
    qjs(free, probe);
    qjs(free, table);
    if (js_rt == 0) {
        return -ENOMEM;
    }
    qjs(JS_SetMaxStackSize, js_rt, ENGINE_STACK_TOP - ENGINE_STACK_FLOOR - SHADOW_STACK_MARGIN);
    qjs(JS_UpdateStackTop, js_rt);
    js_ctx = qjs(JS_NewContext, js_rt);
    return js_ctx == 0 ? -ENOMEM : 0;
}

uint64_t js_function(uint64_t (*function)(void *, uint32_t, uint64_t, uint32_t, uint32_t),
                     const char *name, int length)
{
    uint32_t at = copy_in(bytes_str(name));
    uint32_t index = rt_add_function((wasm_rt_function_ptr_t)function, "jijii");
    uint64_t value = qjs(JS_NewCFunction2, js_ctx, index, at, (uint32_t)length, 0, 0);

    qjs(free, at);
    return value;
}

uint64_t js_call(uint64_t function, uint32_t argc, const uint64_t *argv)
{
    size_t len = argc * sizeof(*argv);
    uint32_t at = push(len);
    uint64_t value;

    memcpy(rt_ptr(at), argv, len);
    value = qjs(JS_Call, js_ctx, function, JS_UNDEFINED, argc, at);
    pop(len);
    return value;
}

uint64_t js_eval(struct bytes source, const char *file, int32_t line, int32_t flags)
{
    enum { OPTIONS_BYTES = 16 };
    uint32_t name = copy_in(bytes_str(file));
    uint32_t text = copy_in(source);
    uint32_t options = push(OPTIONS_BYTES);
    uint64_t value;

    if (text == 0) {
        value = qjs(JS_ThrowOutOfMemory, js_ctx);
    } else {
        rt_put_u32(options, 1); /* version */
        rt_put_u32(options + 4, (uint32_t)flags);
        rt_put_u32(options + 8, name);
        rt_put_u32(options + 12, (uint32_t)line);
        value = qjs(JS_Eval2, js_ctx, text, (uint32_t)source.len, options);
        qjs(free, text);
    }
    pop(OPTIONS_BYTES);
    qjs(free, name);
    return value;
}

uint64_t js_string(struct bytes text)
{
    uint32_t at = rt_address(text.ptr);
    uint64_t value;

    if (at != 0 || text.len == 0) {
        return qjs(JS_NewStringLen, js_ctx, at, (uint32_t)text.len);
    }
    at = copy_in(text);
    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, js_ctx);
    }
    value = qjs(JS_NewStringLen, js_ctx, at, (uint32_t)text.len);
    qjs(free, at);
    return value;
}

uint64_t js_parse(uint32_t address, size_t len)
{
    uint32_t name = copy_in(bytes_str("<json>"));
    uint64_t value = qjs(JS_ParseJSON, js_ctx, address, (uint32_t)len, name);

    qjs(free, name);
    return value;
}

uint64_t js_parse_bytes(struct bytes text)
{
    uint32_t at = copy_in(text);
    uint64_t value;

    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, js_ctx);
    }
    value = js_parse(at, text.len);
    qjs(free, at);
    return value;
}

uint64_t js_sentence(const char *format, ...)
{
    char text[500];
    va_list list;
    int len;

    va_start(list, format);
    len = vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    return js_string(bytes_of(text, len < (int)sizeof(text) ? (size_t)len : sizeof(text) - 1));
}

double js_number(uint64_t value, double other)
{
    uint32_t at = push(sizeof(double));
    double number = other;

    if (!js_is_exception(value) && (int32_t)qjs(JS_ToFloat64, js_ctx, at, value) == 0) {
        memcpy(&number, rt_ptr(at), sizeof(number));
    }
    pop(sizeof(double));
    return number;
}

void js_put(uint64_t object, const char *name, uint64_t value)
{
    uint32_t at = copy_in(bytes_str(name));

    qjs(JS_SetPropertyStr, js_ctx, object, at, value);
    qjs(free, at);
}

uint32_t js_scratch(void)
{
    static uint32_t at;

    if (at == 0) {
        at = qjs(malloc, 16);
    }
    return at;
}

uint64_t js_get(uint64_t object, const char *name)
{
    uint32_t at = copy_in(bytes_str(name));
    uint64_t value = qjs(JS_GetPropertyStr, js_ctx, object, at);

    qjs(free, at);
    return value;
}

struct bytes js_text(uint64_t value, uint32_t *ret_at)
{
    uint32_t len_at = push(4);
    uint32_t at = qjs(JS_ToCStringLen2, js_ctx, len_at, value, 0);
    uint32_t len = rt_get_u32(len_at);

    pop(4);
    *ret_at = at;
    if (at == 0) {
        js_free(qjs(JS_GetException, js_ctx));
        return bytes_none();
    }
    return bytes_of(rt_ptr(at), len);
}

void js_text_done(uint32_t at)
{
    if (at != 0) {
        qjs(JS_FreeCString, js_ctx, at);
    }
}
