/* SPDX-License-Identifier: MIT
 *
 * Where a stalled script waits (see engine-wait.h).
 *
 * An async function that waits is in no stack, and once nothing can settle its promise nobody holds
 * either. But QuickJS reads the promise's constructor at each await: a native getter there
 * remembers the latest promises that were awaited while they were pending. When the script has
 * stalled, an error that no catch can hold is thrown into each function that waits for one of them,
 * by the handler that the promise would have called; QuickJS gives the error the stack of the
 * place.
 *
 * The handlers are found in the promise's list of reactions, in guest memory, and the promise that
 * a waiting function is to settle in the handler's own data. The layout is looked at with promises
 * of our own at the start; where it is another, nothing is read later.
 */
#include "cell/engine-wait.h"

#include "base/mem.h"
#include "cell/engine-js.h"

enum {
    MAX_WAITS = 32,
    MAX_REACTIONS = 8,    /* of one promise that are looked at */
    MAX_DATA_BYTES = 256, /* of an async function's data that are looked through */
    REJECTIONS_AT = 12,   /* the list of those, in a promise's data: next, then ... */
    NEXT_AT = 4,          /* ... in each link of it */
    HANDLER_AT = 24,      /* the handler's value, in a reaction */
};

struct waiter {
    uint64_t promise;
    uint64_t handler;
    uint64_t error;
    bool is_behind; /* its promise is the one that another of these functions is to settle */
};

static uint64_t promise_class;
static uint32_t promise_class_id;
static uint32_t error_class_id;
static uint32_t handler_class_ids[2]; /* an async function's, an async generator's */
static uint32_t settler_at;           /* in an async function's data, 0: not known */
static uint64_t waits[MAX_WAITS];     /* the oldest first */
static size_t n_waits;
static bool is_finding; /* from wait_find() on nothing is remembered, or forgotten, any more */

static bool is_object(uint64_t value)
{
    return value >> 32 == UINT32_MAX && (uint32_t)value < rt_memory_bytes();
}

static bool is_pending(uint64_t promise)
{
    return qjs(JS_PromiseState, js_ctx, promise) == JS_PENDING;
}

void wait_forget_settled(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < n_waits; i++) {
        if (is_pending(waits[i])) {
            waits[kept++] = waits[i];
        } else {
            js_free(waits[i]);
        }
    }
    n_waits = kept;
}

static void remember(uint64_t promise)
{
    wait_forget_settled();
    for (size_t i = 0; i < n_waits; i++) {
        if (waits[i] == promise) {
            return;
        }
    }
    if (n_waits == MAX_WAITS) {
        js_free(waits[0]);
        memmove(waits, waits + 1, (MAX_WAITS - 1) * sizeof(waits[0]));
        n_waits--;
    }
    waits[n_waits++] = qjs(JS_DupValue, js_ctx, promise);
}

/* Promise.prototype.constructor, the getter. */
static uint64_t get_constructor(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                                uint32_t argv)
{
    (void)instance;
    (void)argc;
    (void)argv;
    if (handler_class_ids[0] != 0 && !is_finding && is_pending(this)) {
        remember(this);
    }
    return qjs(JS_DupValue, ctx, promise_class);
}

/* The handlers in a promise's list of rejections, borrowed; how many. Every address is checked:
 * the layout may be another. */
static size_t find_handlers(uint64_t promise, uint64_t *ret_handlers, size_t max)
{
    uint32_t data = qjs(JS_GetOpaque, promise, promise_class_id);
    uint32_t head = data + REJECTIONS_AT;
    uint32_t end = (uint32_t)(rt_memory_bytes() - HANDLER_AT - sizeof(uint64_t));
    uint32_t at;
    size_t n = 0;

    if (data == 0 || data >= end) {
        return 0;
    }
    for (at = rt_get_u32(head + NEXT_AT); at != head && at != 0 && at < end && n < max; n++) {
        memcpy(&ret_handlers[n], rt_ptr(at + HANDLER_AT), sizeof(uint64_t));
        at = rt_get_u32(at + NEXT_AT);
    }
    return n;
}

static bool is_waiting_function(uint64_t handler)
{
    uint32_t id = is_object(handler) ? qjs(JS_GetClassID, handler) : 0;

    return id != 0 && (id == handler_class_ids[0] || id == handler_class_ids[1]);
}

static size_t collect(struct waiter *ret, size_t max)
{
    size_t n = 0;

    for (size_t i = n_waits; i > 0; i--) {
        uint64_t handlers[MAX_REACTIONS];
        size_t n_handlers = find_handlers(waits[i - 1], handlers, MAX_REACTIONS);

        for (size_t k = 0; k < n_handlers && n < max; k++) {
            if (is_waiting_function(handlers[k])) {
                ret[n++] = (struct waiter){.promise = waits[i - 1],
                                           .handler = qjs(JS_DupValue, js_ctx, handlers[k])};
            }
        }
    }
    return n;
}

static uint32_t class_of(uint64_t value)
{
    return qjs(JS_GetClassID, value);
}

/* What an object of a native class holds on to, 0 for others. */
static uint32_t data_of(uint64_t value)
{
    uint32_t data = is_object(value) ? qjs(JS_GetOpaque, value, class_of(value)) : 0;

    return data < rt_memory_bytes() - MAX_DATA_BYTES ? data : 0;
}

static uint64_t value_at(uint32_t address)
{
    uint64_t value;

    memcpy(&value, rt_ptr(address), sizeof(value));
    return value;
}

/* The promise that the function in a handler's data is to settle: it stands first in the data of
 * the function that settles it, which is at this place; undefined where it is not so. */
static uint64_t promise_behind(uint64_t handler, uint32_t at)
{
    uint32_t data = data_of(handler);
    uint32_t settler = data == 0 || at == 0 ? 0 : data_of(value_at(data + at));

    return settler == 0 ? JS_UNDEFINED : value_at(settler);
}

static void mark_those_behind(struct waiter *waiters, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t behind = promise_behind(waiters[i].handler, settler_at);

        for (size_t k = 0; k < n; k++) {
            waiters[k].is_behind = waiters[k].is_behind || waiters[k].promise == behind;
        }
    }
}

static void throw_into(struct waiter *w)
{
    /* Bare of the class: one that JS_NewError() makes has the stack of its making already. */
    w->error = qjs(JS_NewObjectClass, js_ctx, error_class_id);
    if (js_is_exception(w->error)) {
        js_free(qjs(JS_GetException, js_ctx));
        w->error = JS_UNDEFINED;
        return;
    }
    qjs(JS_SetUncatchableError, js_ctx, w->error);
    if (js_is_exception(js_call(w->handler, 1, &w->error))) {
        js_free(qjs(JS_GetException, js_ctx));
    }
}

static void put_errors(uint64_t list, const struct waiter *waiters, size_t n, bool is_behind,
                       uint32_t *at)
{
    for (size_t i = 0; i < n; i++) {
        if (waiters[i].is_behind == is_behind) {
            qjs(JS_SetPropertyUint32, js_ctx, list, (*at)++, waiters[i].error);
        }
    }
}

uint64_t wait_find(void)
{
    struct waiter waiters[MAX_WAITS];
    size_t n = 0;
    uint64_t list = qjs(JS_NewArray, js_ctx);
    uint32_t at = 0;

    wait_forget_settled();
    is_finding = true;
    n = collect(waiters, MAX_WAITS);
    mark_those_behind(waiters, n);
    for (size_t i = 0; i < n; i++) {
        throw_into(&waiters[i]);
    }
    put_errors(list, waiters, n, false, &at);
    put_errors(list, waiters, n, true, &at);
    for (size_t i = 0; i < n; i++) {
        js_free(waiters[i].handler);
    }
    return list;
}

/* Where promise_behind() must look to find this one; 0: nowhere. */
static uint32_t find_settler(uint64_t handler, uint64_t behind)
{
    for (uint32_t at = 4; at < MAX_DATA_BYTES; at += 4) {
        if (promise_behind(handler, at) == behind) {
            return at;
        }
    }
    return 0;
}

/* Has functions wait for a promise of our own, and learns what their handlers are. */
static void learn_handlers(void)
{
    static const char make_waiters[] =
        "(function () { const promise = new Promise(() => {}); "
        "const behind = (async () => await promise)(); "
        "(async function* () { await promise; })().next(); return [promise, behind]; })()";
    uint64_t handlers[3];
    uint64_t pair = js_eval(bytes_str(make_waiters), "<prelude>", 1, JS_EVAL_GLOBAL);
    uint64_t promise = qjs(JS_GetPropertyUint32, js_ctx, pair, 0);
    uint64_t behind = qjs(JS_GetPropertyUint32, js_ctx, pair, 1);

    promise_class_id = qjs(JS_GetClassID, promise);
    if (find_handlers(promise, handlers, ARRAY_SIZE(handlers)) == 2 && is_object(handlers[0]) &&
        is_object(handlers[1])) {
        handler_class_ids[0] = qjs(JS_GetClassID, handlers[0]);
        handler_class_ids[1] = qjs(JS_GetClassID, handlers[1]);
        settler_at = find_settler(handlers[0], behind);
    }
    js_free(behind);
    js_free(promise);
    js_free(pair);
}

void wait_init(void)
{
    uint64_t global = qjs(JS_GetGlobalObject, js_ctx);
    uint64_t error = qjs(JS_NewError, js_ctx);

    error_class_id = qjs(JS_GetClassID, error);
    js_free(error);
    promise_class = js_get(global, "Promise");
    js_free(global);
    learn_handlers();
}

uint64_t wait_constructor_getter(void)
{
    return js_function(get_constructor, "get constructor", 0);
}
