/* SPDX-License-Identifier: MIT
 *
 * Counted memory: the allocator that QuickJS calls, over the module's own malloc.
 *
 * Runs in the zygote and in the cell. Every block counts with its header. The script may
 * use its budget less the headroom; past that an allocation is refused, and the refusal
 * opens the headroom, so that QuickJS can build the InternalError that the script
 * catches. The headroom closes when use has fallen below it again, and lends small
 * blocks only, so that the script which caused it cannot eat it up at once. The last of it is
 * for errors alone; and where a script hoards those, one that was made at the start is thrown.
 *
 * QuickJS loses the error where it is refused memory for the text of a stack trace: the
 * script would catch a bare null. So nothing small is refused while it builds one; it says
 * so in a byte of its runtime, which memory_learn() finds.
 *
 * QuickJS collects cycles when its heap has grown by half since the last time. Close to
 * the budget that would come too late, so the threshold is drawn in. While it makes the
 * error of a refusal it must not collect: what it was doing then is half done, and the
 * collector would fall over it. So it collects after that, or a little later where no error is
 * made.
 *
 * The size of a block is read from the header that dlmalloc keeps in front of it; js_open()
 * checks that it is there.
 */
#include "cell/engine-js.h"

enum {
    HEADROOM_BYTES = 256 << 10,
    HEADROOM_BLOCK_BYTES = 32 << 10, /* the largest block it lends */
    ERROR_BYTES = 64 << 10,          /* the last of the headroom, for errors */
    LAST_ERROR_BYTES = 40 << 10,     /* with less than this left no error is made any more */
    INTERNAL_ERROR = 6,              /* QuickJS's number of InternalError */
    SHORT_ROOM_BYTES = 4 << 10,
    QUIET_BYTES = 32 << 10, /* taken after a refusal before cycles are collected again */
    AGAIN_BYTES = 1 << 10,
    RUNTIME_BYTES = 1024, /* of QuickJS's runtime, that hold its flags */
    RESERVE_BYTES = 2 << 20,
    LENT_MEMORY_BYTES = 2 * RESERVE_BYTES,
    START_ROOM_BYTES = 32 << 20, /* before the budget is known: for a start frame */
    SCATTER_BYTES = 1 << 20,     /* of linear memory that free blocks may be scattered over */
    GC_LEAST_BYTES = 128 << 10,
};

static size_t used_bytes;
static size_t peak_bytes;
static size_t baseline_bytes;
static size_t limit_bytes = SIZE_MAX;
static size_t soft_limit_bytes = SIZE_MAX;
static uint32_t trace_flag_at;
static uint32_t heap_size_at;
static uint8_t runtime_inside[RUNTIME_BYTES];
static size_t gc_check_bytes = SIZE_MAX;
static size_t taken_bytes; /* in all, whatever was given back since */
static size_t forced_gc_bytes;
static size_t resume_gc_at = SIZE_MAX;
static bool is_gc_again; /* it has collected once for this refusal */
static size_t max_memory_bytes;
static bool is_headroom_open;
static bool is_lending; /* to an ending: that is not the script's use */
static uint32_t refusals;
static bool is_owed; /* the last allocation was refused, and nobody has told it yet */
static uint32_t n_errors_in_making;
static uint64_t spare_error;

static size_t block_bytes(uint32_t at)
{
    return rt_get_u32(at - 4) & ~7u;
}

void memory_open_headroom(void)
{
    if (!is_headroom_open && limit_bytes != SIZE_MAX) {
        is_headroom_open = true;
    }
}

/* QuickJS's own count of its heap, which its collector goes by. */
static size_t heap_bytes(void)
{
    return heap_size_at == 0 ? used_bytes : rt_get_u32(js_rt + heap_size_at);
}

/* Before the budget ends, half of what is left may be garbage, not more. */
static void draw_in_gc(void)
{
    size_t left = used_bytes < limit_bytes ? limit_bytes - used_bytes : 0;
    size_t threshold = heap_bytes() + (left / 2 > GC_LEAST_BYTES ? left / 2 : GC_LEAST_BYTES);

    if (qjs(JS_GetGCThreshold, js_rt) > threshold) {
        qjs(JS_SetGCThreshold, js_rt, (uint32_t)threshold);
    }
    gc_check_bytes = used_bytes + left / 16;
}

static void refuse(void)
{
    refusals++;
    is_owed = true;
    memory_open_headroom();
    if (limit_bytes != SIZE_MAX) {
        qjs(JS_SetGCThreshold, js_rt, INT32_MAX);
        resume_gc_at = taken_bytes + QUIET_BYTES;
    }
}

/* Collects at the next object that is made, unless it did a short while ago: a large heap
 * takes long to look through. The functions that the error leaves may still hold everything
 * then, so it collects once more where that freed little. */
static void resume_gc(void)
{
    bool is_again = is_gc_again && used_bytes > limit_bytes / 4 * 3;

    resume_gc_at = SIZE_MAX;
    is_gc_again = !is_gc_again && taken_bytes - forced_gc_bytes > limit_bytes / 64;
    if (is_gc_again || is_again) {
        forced_gc_bytes = taken_bytes;
        gc_check_bytes = used_bytes;
        resume_gc_at = is_gc_again ? taken_bytes + AGAIN_BYTES : SIZE_MAX;
        qjs(JS_SetGCThreshold, js_rt, 1);
    } else {
        draw_in_gc();
    }
}

static bool may_add(size_t len)
{
    size_t after = used_bytes + len + 16;

    if (after <= soft_limit_bytes) {
        return true;
    }
    if (after > limit_bytes || len > HEADROOM_BLOCK_BYTES) {
        return false;
    }
    if (n_errors_in_making > 0 || (trace_flag_at != 0 && *rt_ptr(js_rt + trace_flag_at) != 0)) {
        return true;
    }
    return is_headroom_open && after + ERROR_BYTES <= limit_bytes;
}

/* The error of a refusal is made: what was half done is over, so cycles may be collected. */
static void expect_gc(void)
{
    if (resume_gc_at != SIZE_MAX) {
        resume_gc_at = taken_bytes;
    }
}

uint32_t engine_error_begins(uint32_t ctx, uint32_t *kind)
{
    if (limit_bytes != SIZE_MAX && n_errors_in_making == 0 &&
        used_bytes + LAST_ERROR_BYTES > limit_bytes) {
        uint64_t error = qjs(JS_DupValue, ctx, spare_error);

        qjs(JS_Throw, ctx, error);
        expect_gc();
        return 1;
    }
    if (is_owed) {
        *kind = INTERNAL_ERROR; /* a regular expression would call it a SyntaxError */
        is_owed = false;
    }
    n_errors_in_making++;
    return 0;
}

uint64_t engine_error_instead(void)
{
    return qjs(JS_HasException, js_ctx) != 0 ? qjs(JS_GetException, js_ctx)
                                             : qjs(JS_DupValue, js_ctx, spare_error);
}

void engine_error_ends(void)
{
    if (--n_errors_in_making == 0) {
        expect_gc();
    }
}

static uint32_t count_in(uint32_t at)
{
    if (at == 0) {
        refuse();
        return 0;
    }
    is_owed = false;
    used_bytes += block_bytes(at);
    taken_bytes += block_bytes(at);
    if (used_bytes > peak_bytes && !is_lending) {
        peak_bytes = used_bytes;
    }
    if (taken_bytes > resume_gc_at) {
        resume_gc();
    } else if (used_bytes > gc_check_bytes && resume_gc_at == SIZE_MAX) {
        draw_in_gc();
    }
    return at;
}

static void count_out(size_t len)
{
    used_bytes -= len;
    if (limit_bytes != SIZE_MAX && used_bytes < limit_bytes &&
        gc_check_bytes > used_bytes + (limit_bytes - used_bytes) / 8) {
        gc_check_bytes = used_bytes + (limit_bytes - used_bytes) / 16; /* it may have collected */
    }
    if (is_headroom_open && used_bytes + HEADROOM_BYTES < soft_limit_bytes) {
        is_headroom_open = false;
    }
}

static uint32_t take_zeroed(void *instance, uint32_t opaque, uint32_t count, uint32_t size)
{
    size_t len = (size_t)count * size;

    (void)instance;
    (void)opaque;
    if (!may_add(len)) {
        refuse();
        return 0;
    }
    return count_in(qjs(calloc, count, size));
}

static uint32_t take(void *instance, uint32_t opaque, uint32_t size)
{
    (void)instance;
    (void)opaque;
    if (!may_add(size)) {
        refuse();
        return 0;
    }
    return count_in(qjs(malloc, size));
}

static void give_back(void *instance, uint32_t opaque, uint32_t at)
{
    (void)instance;
    (void)opaque;
    if (at != 0) {
        count_out(block_bytes(at));
        qjs(free, at);
    }
}

static uint32_t resize(void *instance, uint32_t opaque, uint32_t at, uint32_t size)
{
    size_t before = 0;
    uint32_t now;

    if (at == 0) {
        return take(instance, opaque, size);
    }
    before = block_bytes(at);
    if (size > before && !may_add(size - before)) {
        refuse();
        return 0;
    }
    now = qjs(realloc, at, size);
    if (now == 0) {
        refuse();
        return 0;
    }
    used_bytes -= before;
    return count_in(now);
}

static uint32_t usable_bytes(void *instance, uint32_t at)
{
    (void)instance;
    return at == 0 ? 0 : (uint32_t)block_bytes(at) - 4;
}

void memory_add_functions(uint32_t table)
{
    rt_put_u32(table, rt_add_function((wasm_rt_function_ptr_t)take_zeroed, "iiii"));
    rt_put_u32(table + 4, rt_add_function((wasm_rt_function_ptr_t)take, "iii"));
    rt_put_u32(table + 8, rt_add_function((wasm_rt_function_ptr_t)give_back, "vii"));
    rt_put_u32(table + 12, rt_add_function((wasm_rt_function_ptr_t)resize, "iiii"));
    rt_put_u32(table + 16, rt_add_function((wasm_rt_function_ptr_t)usable_bytes, "ii"));
}

/* The runtime as it is while a stack trace is built: Error.prepareStackTrace is called then. */
static uint64_t look_inside(void *instance, uint32_t ctx, uint64_t this, uint32_t argc,
                            uint32_t argv)
{
    (void)instance;
    (void)ctx;
    (void)this;
    (void)argc;
    (void)argv;
    memcpy(runtime_inside, rt_ptr(js_rt), sizeof(runtime_inside));
    return JS_UNDEFINED;
}

/* The one byte that is 1 inside and 0 before and after; 0 where more than one is. */
static uint32_t find_flag(const uint8_t *before)
{
    const uint8_t *after = rt_ptr(js_rt);
    uint32_t found = 0;

    for (uint32_t i = 1; i < RUNTIME_BYTES; i++) {
        if (before[i] == 0 && runtime_inside[i] == 1 && after[i] == 0) {
            if (found != 0) {
                return 0;
            }
            found = i;
        }
    }
    return found;
}

/* The number in the runtime that grows by what is taken; 0 where none does. */
static uint32_t find_heap_size(void)
{
    enum { PROBE_BYTES = 100000, SLACK_BYTES = 64, PLACES = 64 };
    uint8_t before[PLACES];
    uint32_t found = 0;
    uint32_t probe;

    memcpy(before, rt_ptr(js_rt), sizeof(before));
    probe = qjs(js_malloc_rt, js_rt, PROBE_BYTES);
    for (uint32_t at = 4; at < PLACES && found == 0; at += 4) {
        uint32_t was;

        memcpy(&was, before + at, sizeof(was));
        if (rt_get_u32(js_rt + at) - was - PROBE_BYTES < SLACK_BYTES) {
            found = at;
        }
    }
    qjs(js_free_rt, js_rt, probe);
    return found;
}

void memory_learn(void)
{
    static const char make_error[] = "new Error('x')";
    uint8_t before[RUNTIME_BYTES];
    uint64_t global = qjs(JS_GetGlobalObject, js_ctx);
    uint64_t error_class = js_get(global, "Error");

    memcpy(before, rt_ptr(js_rt), sizeof(before));
    js_put(error_class, "prepareStackTrace", js_function(look_inside, "look", 2));
    js_free(js_eval(bytes_str(make_error), "<prelude>", 1, JS_EVAL_GLOBAL));
    js_put(error_class, "prepareStackTrace", JS_UNDEFINED);
    trace_flag_at = find_flag(before);
    heap_size_at = find_heap_size();
    js_free(error_class);
    js_free(global);
    qjs(JS_ThrowOutOfMemory, js_ctx);
    spare_error = qjs(JS_GetException, js_ctx);
    js_put(spare_error, "stack", js_string(bytes_str(""))); /* not that of whoever gets it first */
}

size_t memory_most(size_t budget_bytes)
{
    return budget_bytes + budget_bytes / 16 + SCATTER_BYTES + LENT_MEMORY_BYTES;
}

void memory_set_budget(size_t bytes)
{
    baseline_bytes = used_bytes;
    peak_bytes = used_bytes;
    limit_bytes = used_bytes + bytes;
    soft_limit_bytes = limit_bytes - HEADROOM_BYTES;
    max_memory_bytes = rt_memory_bytes() + memory_most(bytes) - LENT_MEMORY_BYTES;
    is_headroom_open = false;
    rt_memory_set_max(max_memory_bytes);
    draw_in_gc();
}

void memory_lend(bool is_lent)
{
    size_t by = is_lent ? (size_t)RESERVE_BYTES : -(size_t)RESERVE_BYTES;

    if (limit_bytes != SIZE_MAX) {
        soft_limit_bytes += by;
        limit_bytes += by;
        max_memory_bytes += is_lent ? LENT_MEMORY_BYTES : -(size_t)LENT_MEMORY_BYTES;
        rt_memory_set_max(max_memory_bytes);
        is_lending = is_lent;
    }
}

uint32_t memory_refusals(void)
{
    return refusals;
}

/* A short room, as for a refusal's sentence, is lent from the headroom. */
static size_t room_limit(size_t len)
{
    return len <= SHORT_ROOM_BYTES ? limit_bytes - ERROR_BYTES : soft_limit_bytes;
}

uint32_t memory_take(size_t len)
{
    uint32_t at = 0;

    if (len >= INT32_MAX || (limit_bytes == SIZE_MAX ? len > START_ROOM_BYTES
                                                     : used_bytes + len + 16 > room_limit(len))) {
        return 0;
    }
    at = qjs(malloc, (uint32_t)len);
    if (at != 0) {
        count_in(at);
    }
    return at;
}

void memory_give_back(uint32_t at)
{
    give_back(NULL, 0, at);
}

size_t memory_in_use(void)
{
    return used_bytes > baseline_bytes ? used_bytes - baseline_bytes : 0;
}

size_t memory_peak(void)
{
    return peak_bytes > baseline_bytes ? peak_bytes - baseline_bytes : 0;
}
