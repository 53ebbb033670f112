/* SPDX-License-Identifier: MIT
 *
 * The JavaScript engine of a cell: life cycle, the loop that runs a script, and answers.
 *
 * engine_init() runs in the zygote: the runtime, its built-ins, the prelude. A forked cell
 * goes on from there. Everything that touches the guest runs through enter(), on the
 * engine's own stack; a trap there ends the script.
 *
 * The first ending that a script reaches is kept (engine-ending.c). Once a stop was seen it
 * is never taken back, and no hook is called any more.
 */
#include "cell/engine.h"

#include "base/mem.h"
#include "cell/engine-answer.h"
#include "cell/engine-ending.h"
#include "cell/engine-js.h"
#include "cell/engine-prelude.h"
#include "cell/engine-timers.h"
#include "cell/engine-wait.h"

#include <errno.h>
#include <stdio.h>

enum {
    OWN_DATA_BYTES = 2 << 20, /* the program's variables and the C library's heap: 0.9 MiB */
    START_STACK_BYTES = 64 << 10,
    START_NATIVE_STACK_BYTES = 64 << 10,
};

/* Functions that the prelude returns. */
static struct {
    uint64_t boot, settle, woken, rejected, open, close;
} prelude;

static struct engine_hooks hooks;
static struct wire_start limits;
static uint64_t body; /* the promise of the script's body */
static enum { VALUE_NONE, VALUE_RETURNED, VALUE_READ, VALUE_DONE } value_state;
static uint32_t calls_answered;
static uint32_t wakes_answered;
static bool has_script;  /* from engine_start() on */
static uint32_t room_at; /* of engine_take() */
static size_t room_len;

static bool enter(void (*run)(void *arg), void *arg)
{
    if (rt_enter(run, arg)) {
        return true;
    }
    if (rt_was_stopped()) {
        js_stop();
    }
    if (js_sees_stop()) {
        ending_stop();
    } else {
        ending_trap(rt_trap_name(), rt_stderr());
    }
    return false;
}

static void claim_memory(void)
{
    atomic_store_explicit(&hooks.page->memory_kib, (uint32_t)(memory_in_use() >> 10),
                          memory_order_relaxed);
    atomic_store_explicit(&hooks.page->memory_peak_kib, (uint32_t)(memory_peak() >> 10),
                          memory_order_relaxed);
}

static uint32_t interrupt(void *instance, uint32_t rt, uint32_t opaque)
{
    (void)instance;
    (void)rt;
    (void)opaque;
    if (has_script) {
        claim_memory();
    }
    if (js_sees_stop()) {
        return 1;
    }
    if (has_script) {
        hooks.pulse(hooks.arg);
    }
    return 0;
}

static void reject_tracker(void *instance, uint32_t ctx, uint64_t promise, uint64_t reason,
                           uint32_t is_handled, uint32_t opaque)
{
    uint64_t arguments[] = {promise, reason, is_handled != 0 ? JS_TRUE : JS_FALSE};

    (void)instance;
    (void)ctx;
    (void)opaque;
    if (has_script && !js_sees_stop()) {
        js_free(js_call(prelude.rejected, 3, arguments));
    }
}

/* engine_init() */

static void run_init(void *arg)
{
    int *ret = arg;
    uint64_t value;

    qjs(_initialize);
    *ret = js_open();
    if (*ret < 0) {
        return;
    }
    qjs(JS_SetInterruptHandler, js_rt, rt_add_function((wasm_rt_function_ptr_t)interrupt, "iii"),
        0);
    memory_learn();
    wait_init();
    value = prelude_eval();
    if (js_is_exception(value)) {
        *ret = -EINVAL;
        return;
    }
    qjs(JS_SetHostPromiseRejectionTracker, js_rt,
        rt_add_function((wasm_rt_function_ptr_t)reject_tracker, "vijjii"), 0);
    prelude.boot = js_get(value, "boot");
    prelude.settle = js_get(value, "settle");
    prelude.woken = js_get(value, "woken");
    prelude.rejected = js_get(value, "rejected");
    prelude.open = js_get(value, "open");
    prelude.close = js_get(value, "close");
    ending_init(value);
    timers_init(value);
    js_free(value);
    qjs(JS_RunGC, js_rt);
}

int engine_init(void)
{
    int ret = rt_open();

    if (ret == 0) {
        ret = rt_random_seed();
    }
    if (ret == 0 && !rt_enter(run_init, &ret)) {
        fprintf(stderr, "torno: the engine trapped at its start: %s\n", rt_trap_name());
        return -EFAULT;
    }
    return ret;
}

int engine_ready(struct wire_page *page)
{
    int ret = rt_random_seed();

    _Static_assert(offsetof(struct wire_page, stop) == 0, "the first word is the stop flag");
    if (ret == 0) {
        ret = rt_arm();
    }
    if (ret == 0) {
        ret = rt_share_stop(page);
    }
    js_watch_stop(page);
    rt_populate(1u << 20, 192 << 10);
    rt_populate(ENGINE_STACK_TOP - START_STACK_BYTES, START_STACK_BYTES);
    rt_populate(ENGINE_STACK_TOP, rt_memory_bytes() - ENGINE_STACK_TOP);
    rt_populate_stack(START_NATIVE_STACK_BYTES);
    return ret;
}

size_t engine_data_limit(uint32_t memory_bytes)
{
    return OWN_DATA_BYTES + ENGINE_NATIVE_STACK + RT_START_BYTES + memory_most(memory_bytes);
}

/* The loop. */

/* Whether the body has just returned or thrown. A value is read later, when no job is left: what
 * is queued after that is of the reading's own doing. */
static void look_at_body(void)
{
    uint32_t state = qjs(JS_PromiseState, js_ctx, body);

    if (state == JS_PENDING || ending_is_fixed()) {
        return;
    }
    if (state == JS_FULFILLED) {
        uint64_t value = qjs(JS_PromiseResult, js_ctx, body);

        ending_return(value != JS_UNDEFINED);
        js_free(value);
        value_state = VALUE_RETURNED;
    } else {
        uint64_t reason = qjs(JS_PromiseResult, js_ctx, body);

        ending_fail(reason);
        js_free(reason);
        js_free(js_call(prelude.close, 0, NULL));
    }
}

/* No job is left: reads the value, or opens the prelude again after the jobs of that reading.
 * False where there was nothing of the kind to do. */
static bool read_value(void)
{
    if (value_state == VALUE_RETURNED) {
        uint64_t value = qjs(JS_PromiseResult, js_ctx, body);

        value_state = VALUE_READ;
        ending_read_value(value);
        js_free(value);
        return true;
    }
    if (value_state == VALUE_READ) {
        value_state = VALUE_DONE;
        js_free(js_call(prelude.open, 0, NULL));
    }
    return false;
}

/* What is left when no job is: calls, wakes, timers, an ending, or a wait for nothing. Timers that
 * a finished script leaves go on while its calls are out, and hold nothing up; its wakes do
 * neither. */
static void rest(void)
{
    bool has_calls = prelude_calls_sent() != calls_answered;
    bool has_wakes = prelude_wakes_sent() != wakes_answered;

    wait_forget_settled();
    if (!has_calls && ending_is_fixed()) {
        ending_close();
        return;
    }
    if (!timers_ask(&hooks) && !has_calls && !has_wakes) {
        ending_stall();
        ending_close();
    }
}

/* Runs jobs until there is none, and reads the value once it is there. False where the script
 * has ended. */
static bool run_jobs(void)
{
    for (;;) {
        uint32_t ctx_at;

        if (js_sees_stop()) {
            ending_stop();
            return false;
        }
        look_at_body();
        if (qjs(JS_IsJobPending, js_rt) == 0) {
            if (read_value()) {
                continue;
            }
            return true;
        }
        ctx_at = js_scratch();
        if ((int32_t)qjs(JS_ExecutePendingJob, js_rt, ctx_at) < 0 && !js_sees_stop()) {
            ending_escape();
            return false;
        }
    }
}

static void drive(void)
{
    if (run_jobs()) {
        rest();
    }
    claim_memory();
}

static enum engine_state state(void)
{
    return ending_is_over() ? ENGINE_ENDED : ENGINE_WAITING;
}

/* Something came for a script that waits. */
static enum engine_state resume(void (*run)(void *arg), void *arg)
{
    if (!ending_is_over() && js_sees_stop()) {
        return engine_stop();
    }
    if (!ending_is_over()) {
        enter(run, arg);
    }
    return state();
}

/* engine_start() */

/* The names as a JavaScript array, and the limits the prelude keeps itself. */
static uint64_t boot(const struct wire_start *script)
{
    bool has_timers = (script->flags & WIRE_START_TIMERS) != 0;
    uint64_t arguments[] = {
        js_parse_bytes(script->names),           js_int((int32_t)script->max_calls_out),
        js_int((int32_t)script->max_args_bytes), js_int((int32_t)script->max_args_values),
        js_int((int32_t)script->max_wakes),      has_timers ? JS_TRUE : JS_FALSE};
    uint64_t value;

    if (js_is_exception(arguments[0])) {
        return arguments[0];
    }
    value = js_call(prelude.boot, ARRAY_SIZE(arguments), arguments);
    js_free(arguments[0]);
    return value;
}

/* The catalogue stays where the frame was read to, or is copied in. */
static void keep_catalogue(struct bytes text)
{
    uint32_t at = rt_address(text.ptr);

    if (text.len > 0 && at != 0 && room_at != 0 && at + text.len == room_at + room_len) {
        room_at = 0; /* it is never given back: what it holds is the host's, not the script's */
    } else {
        at = text.len == 0 ? 0 : memory_take(text.len + 1);
        if (at != 0) {
            memcpy(rt_ptr(at), text.ptr, text.len);
            *rt_ptr(at + (uint32_t)text.len) = 0;
        }
    }
    prelude_set_catalogue(at, at == 0 ? 0 : text.len);
}

/* The body's own rejection is an ending, not one that nobody handled. */
static void watch_body(void)
{
    uint64_t arguments[] = {body, JS_UNDEFINED, JS_TRUE};

    qjs(JS_PromiseMarkAsHandled, js_ctx, body);
    js_free(js_call(prelude.rejected, 3, arguments));
}

static void run_body(struct bytes code)
{
    uint64_t function = ending_compile(code);

    if (js_is_exception(function)) {
        return;
    }
    body = js_call(function, 0, NULL);
    js_free(function);
    if (js_is_exception(body)) {
        if (!js_sees_stop()) {
            ending_escape(); /* not even a promise: out of memory at once */
        }
        return;
    }
    watch_body();
}

static void run_start(void *arg)
{
    const struct wire_start *script = arg;
    uint64_t value = boot(script);

    if (js_is_exception(value)) {
        ending_escape();
        return;
    }
    keep_catalogue(script->catalogue);
    memory_set_budget(script->memory_bytes);
    rt_start_clock();
    prelude_connect(&hooks);
    has_script = true;
    run_body(script->code);
    memory_give_back(room_at);
    room_at = 0;
    if (!ending_is_over()) {
        drive();
    }
}

enum engine_state engine_start(const struct engine_hooks *new_hooks,
                               const struct wire_start *script)
{
    struct wire_start copy = *script;

    hooks = *new_hooks;
    limits = *script;
    enter(run_start, &copy);
    return state();
}

/* Rooms */

static void run_take(void *arg)
{
    size_t len = *(size_t *)arg;

    room_at = memory_take(len + 1);
    if (room_at == 0) {
        qjs(JS_RunGC, js_rt); /* cycles may hold what is missing */
        room_at = memory_take(len + 1);
    }
    room_len = len;
    if (room_at != 0) {
        *rt_ptr(room_at + (uint32_t)len) = 0;
    }
}

uint8_t *engine_take(size_t len)
{
    if (ending_is_over() || room_at != 0 || len >= INT32_MAX || !enter(run_take, &len)) {
        return NULL;
    }
    return room_at == 0 ? NULL : rt_ptr(room_at);
}

static void run_give_back(void *arg)
{
    (void)arg;
    memory_give_back(room_at);
    room_at = 0;
}

void engine_give_back(void)
{
    if (room_at != 0 && !ending_is_over()) {
        enter(run_give_back, NULL);
    }
}

/* Answers */

struct answer {
    uint32_t id;
    enum wire_result_kind kind;
    struct bytes payload;
    size_t no_room_len; /* where there was no room for the payload */
    enum wire_seen_how how;
    enum wire_seen_how *ret_how;
};

static void settle(struct answer *a, uint64_t value)
{
    uint64_t arguments[3] = {js_int((int32_t)a->id), js_int((int32_t)a->kind), value};
    uint64_t was_out;

    memory_open_headroom();
    was_out = js_call(prelude.settle, 3, arguments);
    js_free(value);
    if (js_is_exception(was_out)) {
        if (!js_sees_stop()) {
            ending_escape();
        }
        return;
    }
    calls_answered += was_out == JS_TRUE;
}

static void run_answer(void *arg)
{
    struct answer *a = arg;
    uint64_t value;

    a->how = WIRE_SEEN_TOO_LARGE;
    if (a->no_room_len > 0 && a->kind != WIRE_RES_ANSWER) {
        value = js_sentence("what the host said of it did not fit the script's memory");
    } else if (a->no_room_len > 0) {
        value = js_sentence("the script had no memory to take the result of %zu bytes; the call "
                            "took effect",
                            a->no_room_len);
    } else {
        value = a->kind == WIRE_RES_ANSWER
                    ? answer_read(a->payload, limits.max_result_depth, &a->how)
                    : js_string(a->payload);
    }
    memory_give_back(room_at);
    room_at = 0;
    if (a->kind != WIRE_RES_ANSWER) {
        a->how = WIRE_SEEN_WHOLE;
    } else if (a->how == WIRE_SEEN_TOO_LARGE) {
        a->kind = WIRE_RES_TOO_LARGE;
    }
    *a->ret_how = a->how; /* before the script runs on, and makes calls */
    settle(a, value);
    if (!ending_is_over()) {
        drive();
    }
}

enum engine_state engine_answer(uint32_t id, enum wire_result_kind kind, struct bytes payload,
                                enum wire_seen_how *ret_how)
{
    struct answer a = {.id = id, .kind = kind, .payload = payload, .ret_how = ret_how};

    return resume(run_answer, &a);
}

enum engine_state engine_answer_no_room(uint32_t id, enum wire_result_kind kind, size_t len,
                                        enum wire_seen_how *ret_how)
{
    struct answer a = {
        .id = id, .kind = kind, .no_room_len = len == 0 ? 1 : len, .ret_how = ret_how};

    return resume(run_answer, &a);
}

static void run_woken(void *arg)
{
    const struct wire_woken *m = arg;
    uint64_t arguments[] = {js_int((int32_t)m->id), js_int((int32_t)m->how)};
    uint64_t was_out = js_call(prelude.woken, ARRAY_SIZE(arguments), arguments);

    if (js_is_exception(was_out)) {
        if (!js_sees_stop()) {
            ending_escape();
        }
        return;
    }
    wakes_answered += was_out == JS_TRUE;
    drive();
}

enum engine_state engine_woken(uint32_t id, enum wire_woken_how how)
{
    struct wire_woken m = {.id = id, .how = how};

    return resume(run_woken, &m);
}

/* A callback, then the jobs it queued, then the next one; those that come due meanwhile wait for
 * the next tick, so that answers and a stop are never held up for long. */
static void run_tick(void *arg)
{
    double now_ms = rt_clock_ms();

    (void)arg;
    timers_ticked();
    for (;;) {
        uint64_t fired = timers_fire(now_ms);

        if (js_is_exception(fired) && !js_sees_stop()) {
            ending_escape();
            return;
        }
        if (!run_jobs()) {
            return;
        }
        if (fired != JS_TRUE) {
            break;
        }
    }
    rest();
    claim_memory();
}

enum engine_state engine_tick(void)
{
    return resume(run_tick, NULL);
}

enum engine_state engine_stop(void)
{
    js_stop();
    if (!ending_is_over()) {
        ending_stop();
    }
    return state();
}

const struct wire_ending *engine_ending(void)
{
    return ending_get();
}
