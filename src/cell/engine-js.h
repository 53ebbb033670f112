/* SPDX-License-Identifier: MIT
 *
 * QuickJS as the engine's files use it: values, calls, texts, and the counted memory.
 *
 * A value is QuickJS's own: one NaN-boxed 64-bit number, tag above, 32 bits below. Values
 * are owned by who gets them and freed with js_free(), unless a comment says otherwise.
 * All of it runs on the engine's stack, inside rt_enter().
 */
#ifndef CELL_ENGINE_JS_H
#define CELL_ENGINE_JS_H

#include "cell/engine-rt.h"
#include "wire/wire.h"

#define JS_TAGGED(tag, low) ((uint64_t)(uint32_t)(tag) << 32 | (uint32_t)(low))
#define JS_NULL             JS_TAGGED(2, 0)
#define JS_UNDEFINED        JS_TAGGED(3, 0)
#define JS_EXCEPTION        JS_TAGGED(6, 0)
#define JS_TRUE             JS_TAGGED(1, 1)
#define JS_FALSE            JS_TAGGED(1, 0)

enum { JS_EVAL_GLOBAL = 0, JS_EVAL_COMPILE_ONLY = 32 };
enum js_promise_state { JS_PENDING = 0, JS_FULFILLED, JS_REJECTED };

/* The guest's addresses of the runtime and of its one context. */
extern uint32_t js_rt;
extern uint32_t js_ctx;

static inline uint64_t js_int(int32_t value)
{
    return JS_TAGGED(0, value);
}

static inline bool js_is_exception(uint64_t value)
{
    return value >> 32 == 6;
}

static inline void js_free(uint64_t value)
{
    qjs(JS_FreeValue, js_ctx, value);
}

/* The module's runtime with counted memory, and a context with every built-in. 0 or -errno. */
int js_open(void);

/* Makes a function object of a native of the type (context, this, argc, argv) -> value. */
uint64_t js_function(uint64_t (*function)(void *, uint32_t, uint64_t, uint32_t, uint32_t),
                     const char *name, int length);

/* The argument at index i of a native's argv, borrowed. */
static inline uint64_t js_argument(uint32_t argc, uint32_t argv, uint32_t i)
{
    uint64_t value;

    if (i >= argc) {
        return JS_UNDEFINED;
    }
    memcpy(&value, rt_ptr(argv + 8 * i), sizeof(value));
    return value;
}

/* Calls a function with borrowed arguments; this is undefined. */
uint64_t js_call(uint64_t function, uint32_t argc, const uint64_t *argv);

/* Evaluates source under a file name, its first line counted as line. */
uint64_t js_eval(struct bytes source, const char *file, int32_t line, int32_t flags);

/* A string from UTF-8 that may lie anywhere. */
uint64_t js_string(struct bytes text);

/* Parses the JSON text at a guest address, which has a NUL behind it. */
uint64_t js_parse(uint32_t address, size_t len);

/* As js_parse(), for text that may lie anywhere: it is copied first. */
uint64_t js_parse_bytes(struct bytes text);

/* The property of an object by a C name; js_put() takes value. */
uint64_t js_get(uint64_t object, const char *name);
void js_put(uint64_t object, const char *name, uint64_t value);

/* A borrowed number; other where it is none. */
double js_number(uint64_t value, double other);

/* A string made as by printf, cut at 500 bytes. */
__attribute__((format(printf, 1, 2))) uint64_t js_sentence(const char *format, ...);

/* The address of eight bytes that the next callee may write to. */
uint32_t js_scratch(void);

/* The UTF-8 of a value made a string; borrowed until js_text_done(). An empty slice, with
 * the exception taken away, where it can't be made. *ret_at is what js_text_done() wants. */
struct bytes js_text(uint64_t value, uint32_t *ret_at);
void js_text_done(uint32_t at);

/* The latch: once the page has said stop, or js_stop() was called, it is never taken back. Before
 * js_watch_stop() nothing stops. */
void js_watch_stop(const struct wire_page *page);
bool js_sees_stop(void);
void js_stop(void);

/* Counted memory (engine-memory.c). The budget is what the script adds to what is in use when
 * memory_set_budget() is called. Near its end a headroom is kept from the script, so that
 * a refusal can be told by a real error; memory_lend() lends more while an ending is read. */
void memory_add_functions(uint32_t table_address);
void memory_learn(void);
void memory_set_budget(size_t bytes);

/* The linear memory that a budget needs at most beside what is there when it is set: what the
 * script is lent at its end, and what scattered free blocks take, counted in. */
size_t memory_most(size_t budget_bytes);

void memory_open_headroom(void);
void memory_lend(bool is_lent);

/* How many allocations were refused so far. */
uint32_t memory_refusals(void);

/* A guest block for the host's own use, counted; 0 where the budget has no room for it. */
uint32_t memory_take(size_t len);
void memory_give_back(uint32_t address);

/* Bytes that the script uses of its budget, and the most it has used. */
size_t memory_in_use(void);
size_t memory_peak(void);

#endif
