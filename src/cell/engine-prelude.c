/* SPDX-License-Identifier: MIT
 *
 * The prelude and its natives. The prelude is embedded as bytecode and evaluated in the zygote.
 *
 * A native gets (instance, context, this, argc, argv) and returns a value. Texts it passes
 * on are borrowed from guest memory for the call. After a stop nothing goes out.
 */
#include "cell/engine-prelude.h"

#include "cell/engine-ending.h"
#include "cell/engine-js.h"
#include "cell/engine-library.h"
#include "cell/engine-source.h"
#include "cell/engine-wait.h"

#include <assert.h>
#include <stdio.h>

static const struct engine_hooks *hooks; /* NULL until a script is there */
static uint32_t calls_sent;
static uint32_t wakes_sent;
static uint32_t catalogue_at;
static size_t catalogue_len;

void prelude_connect(const struct engine_hooks *new_hooks)
{
    hooks = new_hooks;
}

void prelude_set_catalogue(uint32_t at, size_t len)
{
    catalogue_at = at;
    catalogue_len = len;
}

uint32_t prelude_calls_sent(void)
{
    return calls_sent;
}

uint32_t prelude_wakes_sent(void)
{
    return wakes_sent;
}

static uint64_t native_call(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                            uint32_t argv)
{
    uint32_t id = (uint32_t)js_argument(argc, argv, 0);
    uint32_t name_at;
    uint32_t args_at;
    struct bytes name = js_text(js_argument(argc, argv, 1), &name_at);
    struct bytes args = js_text(js_argument(argc, argv, 2), &args_at);

    (void)instance;
    (void)this;
    if (name_at != 0 && args_at != 0 && hooks != NULL && !js_sees_stop()) {
        hooks->call(hooks->arg, id, name, args);
        calls_sent++;
    }
    js_text_done(args_at);
    js_text_done(name_at);
    return name_at == 0 || args_at == 0 ? qjs(JS_ThrowOutOfMemory, ctx) : JS_UNDEFINED;
}

static uint64_t native_wake(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                            uint32_t argv)
{
    uint32_t at;
    struct bytes payload = js_text(js_argument(argc, argv, 1), &at);

    (void)instance;
    (void)this;
    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, ctx);
    }
    if (hooks != NULL && !js_sees_stop()) {
        hooks->wake(hooks->arg, (uint32_t)js_argument(argc, argv, 0), payload);
        wakes_sent++;
    }
    js_text_done(at);
    return JS_UNDEFINED;
}

static uint64_t native_output(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                              uint32_t argv)
{
    uint32_t at;
    struct bytes text = js_text(js_argument(argc, argv, 0), &at);

    (void)instance;
    (void)this;
    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, ctx);
    }
    if (hooks != NULL && !js_sees_stop()) {
        hooks->output(hooks->arg, text);
    }
    js_text_done(at);
    return JS_UNDEFINED;
}

static uint64_t native_catalogue(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                 uint32_t argv)
{
    (void)instance;
    (void)this;
    (void)argc;
    (void)argv;
    return catalogue_len == 0 ? qjs(JS_NewArray, ctx) : js_parse(catalogue_at, catalogue_len);
}

static uint64_t native_random(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                              uint32_t argv)
{
    uint64_t bits;

    (void)instance;
    (void)this;
    (void)argc;
    (void)argv;
    rt_random_bytes(&bits, sizeof(bits));
    return qjs(JS_NewNumber, ctx, (double)(bits >> 11) * 0x1p-53);
}

static uint64_t native_now(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                           uint32_t argv)
{
    (void)instance;
    (void)this;
    (void)argc;
    (void)argv;
    return qjs(JS_NewNumber, ctx, rt_clock_ms());
}

static uint64_t native_tell(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                            uint32_t argv)
{
    uint32_t at;
    struct bytes text = js_text(js_argument(argc, argv, 1), &at);

    (void)instance;
    (void)ctx;
    (void)this;
    if (!js_sees_stop()) {
        ending_tell((uint32_t)js_argument(argc, argv, 0), text);
    }
    js_text_done(at);
    return JS_UNDEFINED;
}

static uint64_t native_class(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                             uint32_t argv)
{
    (void)instance;
    (void)ctx;
    (void)this;
    return js_int((int32_t)qjs(JS_GetClassID, js_argument(argc, argv, 0)));
}

static uint64_t native_utf8_length(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                   uint32_t argv)
{
    uint32_t at;
    size_t len = js_text(js_argument(argc, argv, 0), &at).len;

    (void)instance;
    (void)this;
    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, ctx);
    }
    js_text_done(at);
    return js_int((int32_t)len);
}

static void put_native(uint64_t object, const char *name,
                       uint64_t (*function)(void *, uint32_t, uint64_t, uint32_t, uint32_t))
{
    uint64_t value = js_function(function, name, 0);

    js_put(object, name, value);
}

static uint64_t make_natives(void)
{
    uint64_t native = qjs(JS_NewObject, js_ctx);

    put_native(native, "call", native_call);
    put_native(native, "wake", native_wake);
    put_native(native, "output", native_output);
    put_native(native, "catalogue", native_catalogue);
    put_native(native, "random", native_random);
    put_native(native, "now", native_now);
    put_native(native, "tell", native_tell);
    put_native(native, "classNumber", native_class);
    put_native(native, "utf8Length", native_utf8_length);
    library_add_natives(native);
    js_put(native, "promiseConstructor", wait_constructor_getter());
    js_put(native, "openingLength", js_int((int32_t)source_opening_len()));
    return native;
}

static void say_exception(void)
{
    uint32_t at;
    uint64_t error = qjs(JS_GetException, js_ctx);
    uint64_t stack = js_get(error, "stack");
    struct bytes text = js_text(error, &at);

    fprintf(stderr, "torno: the engine's prelude failed: %.*s\n", (int)text.len,
            (const char *)text.ptr);
    text = js_text(stack, &at);
    fprintf(stderr, "%.*s\n", (int)text.len, (const char *)text.ptr);
}

/* The prelude is an array of functions: makers, and the last one, which takes them all. */
static uint64_t call_prelude(void)
{
    enum { MAX_PARTS = 16 };
    uint64_t parts = library_load(bytes_str("prelude"));
    uint64_t arguments[MAX_PARTS] = {make_natives()};
    uint32_t n;
    uint64_t function;
    uint64_t result;

    if (js_is_exception(parts)) {
        return parts;
    }
    n = (uint32_t)js_get(parts, "length");
    assert(n > 0 && n <= MAX_PARTS);
    for (uint32_t i = 1; i < n; i++) {
        arguments[i] = qjs(JS_GetPropertyUint32, js_ctx, parts, i - 1);
    }
    function = qjs(JS_GetPropertyUint32, js_ctx, parts, n - 1);
    result = js_call(function, n, arguments);
    for (uint32_t i = 0; i < n; i++) {
        js_free(arguments[i]);
    }
    js_free(function);
    js_free(parts);
    return result;
}

uint64_t prelude_eval(void)
{
    uint64_t value = call_prelude();

    if (js_is_exception(value)) {
        say_exception();
    }
    return value;
}
