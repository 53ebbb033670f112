/* SPDX-License-Identifier: MIT
 *
 * The runtime under the generated engine: its memory, its native stack, its traps.
 * Seen only by the files of the engine (cell/engine*.c).
 *
 * One instance per process. Numbers of guest addresses are uint32_t; rt_ptr() makes a
 * pointer of one. After rt_open() nothing here allocates; growing is an mprotect().
 */
#ifndef CELL_ENGINE_RT_H
#define CELL_ENGINE_RT_H

#include "base/bytes.h"
#include "build/engine/quickjs.h"
#include "engine/shape.h"

/* The one instance, and a call of an exported function of the module. */
extern struct Z_quickjs_instance_t *rt_instance;
#define qjs(name, ...) Z_quickjsZ_##name(rt_instance, ##__VA_ARGS__)

enum {
    RT_PAGE_BYTES = 65536,
    RT_STDERR_MAX = 4096,
    RT_START_BYTES = 44 << 20, /* of memory before a budget is set: the engine, and a start frame */
};

/* Reserves memory and stack, and brings the module to life. 0 or -errno. */
int rt_open(void);

/* Arms the fault handler on a stack of its own. 0 or -errno. */
int rt_arm(void);

/* Runs run(arg) on the engine's native stack, with no system call. False where the guest
 * trapped: the stack is then unwound, and the engine must not be entered again. */
bool rt_enter(void (*run)(void *arg), void *arg);

/* Shows the page that the cell shares with its host to the prologues (shape.h): its first word
 * set, the guest traps at its next call. 0 or -errno. */
int rt_share_stop(void *page);

/* Whether the trap was that of a stop. */
bool rt_was_stopped(void);

/* What trapped, as a short phrase; "" before a trap. */
const char *rt_trap_name(void);

/* How many bytes the linear memory has now, and how many it may have. */
size_t rt_memory_bytes(void);
void rt_memory_set_max(size_t bytes);

/* Touches, in bulk, the pages that [from, from + len) of the linear memory lies in, and the
 * upper stack_bytes of the native stack, so that writing them faults no more. */
void rt_populate(uint32_t from, size_t len);
void rt_populate_stack(size_t stack_bytes);

/* Enters a native function into the module's function table and returns its index there.
 * types is the result's letter and the parameters': v none, i i32, j i64. */
uint32_t rt_add_function(wasm_rt_function_ptr_t function, const char *types);

/* What the engine itself wrote to its stdout and stderr, the first RT_STDERR_MAX bytes. */
struct bytes rt_stderr(void);

/* Starts the engine's monotonic clock, which stands at 0 until then. */
void rt_start_clock(void);

/* Milliseconds on it. */
double rt_clock_ms(void);

/* Fresh randomness from the kernel; then bytes from it, with no system call. 0 or -errno. */
int rt_random_seed(void);
void rt_random_bytes(void *into, size_t len);

/* A pointer to a guest address. Nothing is checked: an address outside faults, and the
 * fault is told as the guest's. */
static inline uint8_t *rt_ptr(uint32_t address)
{
    return (uint8_t *)rt_instance + ENGINE_INSTANCE_BYTES + address;
}

/* The guest address of a pointer into the linear memory, 0 for others. */
static inline uint32_t rt_address(const void *ptr)
{
    size_t at = (uintptr_t)ptr - (uintptr_t)rt_ptr(0);

    return at < rt_memory_bytes() ? (uint32_t)at : 0;
}

static inline uint32_t rt_get_u32(uint32_t address)
{
    uint32_t value;

    memcpy(&value, rt_ptr(address), sizeof(value));
    return value;
}

static inline void rt_put_u32(uint32_t address, uint32_t value)
{
    memcpy(rt_ptr(address), &value, sizeof(value));
}

static inline void rt_put_u64(uint32_t address, uint64_t value)
{
    memcpy(rt_ptr(address), &value, sizeof(value));
}

#endif
