/* SPDX-License-Identifier: MIT
 *
 * Memory, function table, traps and the native stack of the engine (see engine/shape.h).
 *
 * Runs in the zygote and in the cell. The linear memory lies in a reservation that every
 * address of the guest falls into, so that no access is checked: what is not there faults.
 * The fault handler tells the guest's faults (in the reservation, or in the native
 * stack's guard) from our own by their address; our own end the process by their signal.
 * A trap leaves the native stack at once and ends the script.
 *
 * The handler is taken off by its first signal (SA_RESETHAND), since no system call could
 * do it after the lock: a native fault then happens again and kills.
 *
 * x86-64 only: two dozen lines of assembly switch stacks.
 */
#include "cell/engine-rt.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef __x86_64__
#error "the engine's stack switch is written for x86-64 only"
#endif

enum { MAX_TYPES = 160, MAX_PARAMS = 20, MAX_FUNCTIONS = 1024, GUARD_BYTES = 1 << 20 };

/* Two pages (see shape.h), 32 bits of address and 32 of offset, and a guard behind. */
static const size_t own_bytes = ENGINE_STOP_BYTES + ENGINE_INSTANCE_BYTES;
static const size_t reservation_bytes = (8ul << 30) + own_bytes + GUARD_BYTES;
static const size_t start_heap_bytes = 640ul << 10; /* what the prelude takes, about */
static const size_t grow_step_bytes = 1ul << 20;    /* mprotect() this much at a time */

struct func_type {
    uint32_t n_params;
    uint32_t n_results;
    uint8_t types[MAX_PARAMS];
};

struct Z_quickjs_instance_t *rt_instance;

static uint8_t *reservation;
static uint8_t *native_stack; /* its guard first */
static size_t accessible_bytes;
static size_t max_bytes = RT_START_BYTES;
static const char *trap_name = "";
static bool is_inside;
static bool is_armed;
static bool is_stopped;

static struct func_type func_types[MAX_TYPES];
static uint32_t n_func_types;
static wasm_rt_funcref_t functions[MAX_FUNCTIONS];
static uint8_t fault_stack[64 << 10] __attribute__((aligned(16)));

/* The frame to go back to. engine_rt_switch(run, arg, top) runs run(arg) with its stack at
 * top and returns 0; engine_rt_leave() makes it return 1. */
static void *engine_rt_frame __attribute__((used));
int engine_rt_switch(void (*run)(void *arg), void *arg, void *top);
__attribute__((noreturn)) void engine_rt_leave(void);

__asm__(".text\n"
        ".hidden engine_rt_switch, engine_rt_leave\n"
        ".globl engine_rt_switch, engine_rt_leave\n"
        ".type engine_rt_switch, @function\n"
        ".type engine_rt_leave, @function\n"
        "engine_rt_switch:\n"
        "  .cfi_startproc\n"
        "  push %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset %rbp, -16\n"
        "  mov %rsp, %rbp\n"
        "  .cfi_def_cfa_register %rbp\n"
        "  push %rbx\n"
        "  push %r12\n"
        "  push %r13\n"
        "  push %r14\n"
        "  push %r15\n"
        "  mov %rbp, engine_rt_frame(%rip)\n"
        "  mov %rdx, %rsp\n"
        "  mov %rdi, %rax\n"
        "  mov %rsi, %rdi\n"
        "  call *%rax\n"
        "  xor %eax, %eax\n"
        "1:\n"
        "  mov engine_rt_frame(%rip), %rbp\n"
        "  lea -40(%rbp), %rsp\n"
        "  pop %r15\n"
        "  pop %r14\n"
        "  pop %r13\n"
        "  pop %r12\n"
        "  pop %rbx\n"
        "  pop %rbp\n"
        "  .cfi_def_cfa %rsp, 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size engine_rt_switch, . - engine_rt_switch\n"
        "engine_rt_leave:\n"
        "  mov $1, %eax\n"
        "  jmp 1b\n"
        ".size engine_rt_leave, . - engine_rt_leave\n");

static uint8_t *stack_top(void)
{
    return native_stack + GUARD_BYTES + ENGINE_NATIVE_STACK;
}

bool rt_enter(void (*run)(void *arg), void *arg)
{
    int has_trapped;

    is_inside = true;
    has_trapped = engine_rt_switch(run, arg, stack_top());
    is_inside = false;
    return has_trapped == 0;
}

static __attribute__((noreturn)) void trap(const char *name)
{
    if (!is_inside) {
        abort();
    }
    trap_name = name;
    engine_rt_leave();
}

bool rt_was_stopped(void)
{
    return is_stopped;
}

int rt_share_stop(void *page)
{
    /* A second mapping of the same page, in the place where the prologues look. */
    return mremap(page, 0, ENGINE_STOP_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, reservation) ==
                   MAP_FAILED
               ? -errno
               : 0;
}

const char *rt_trap_name(void)
{
    return trap_name;
}

void wasm_rt_trap(wasm_rt_trap_t code)
{
    switch (code) {
    case WASM_RT_TRAP_OOB:
        trap("memory access out of bounds");
    case WASM_RT_TRAP_INT_OVERFLOW:
        trap("integer overflow");
    case WASM_RT_TRAP_DIV_BY_ZERO:
        trap("integer division by zero");
    case WASM_RT_TRAP_INVALID_CONVERSION:
        trap("invalid conversion to integer");
    case WASM_RT_TRAP_UNREACHABLE:
        trap("unreachable code reached");
    case WASM_RT_TRAP_CALL_INDIRECT:
        trap("invalid indirect call");
    case WASM_RT_TRAP_EXHAUSTION:
        is_stopped = rt_instance->w2c___stack_pointer >= ENGINE_STACK_FLOOR;
        trap(is_stopped ? "stopped" : "call stack exhausted");
    default:
        trap("unknown trap");
    }
}

static bool is_between(const uint8_t *at, const uint8_t *from, size_t len)
{
    return from != NULL && at >= from && (size_t)(at - from) < len;
}

static void handle_fault(int number, siginfo_t *info, void *context)
{
    const uint8_t *at = info->si_addr;

    (void)number;
    (void)context;
    if (is_inside && info->si_code > 0) {
        if (is_between(at, reservation, reservation_bytes)) {
            trap("memory access out of bounds");
        }
        if (is_between(at, native_stack, GUARD_BYTES)) {
            trap("native stack exhausted");
        }
    }
}

int rt_arm(void)
{
    stack_t stack = {.ss_sp = fault_stack, .ss_size = sizeof(fault_stack)};
    struct sigaction action = {.sa_sigaction = handle_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESETHAND};

    if (sigaltstack(&stack, NULL) < 0 || sigaction(SIGSEGV, &action, NULL) < 0 ||
        sigaction(SIGBUS, &action, NULL) < 0) {
        return -errno;
    }
    is_armed = true;
    return 0;
}

/* Makes [from, to) of the linear memory readable and writable. */
static int open_memory(size_t from, size_t to)
{
    return mprotect(rt_ptr(0) + from, to - from, PROT_READ | PROT_WRITE) < 0 ? -errno : 0;
}

void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t initial_pages, uint32_t max_pages)
{
    (void)max_pages;
    /* What the module starts with ends below the guard under the shadow stack. */
    if (initial_pages > ENGINE_STACK_FLOOR / RT_PAGE_BYTES - 4 ||
        open_memory(0, initial_pages * (size_t)RT_PAGE_BYTES) < 0 ||
        open_memory(ENGINE_STACK_FLOOR, ENGINE_STACK_TOP) < 0) {
        fputs("torno: the engine's memory cannot be made\n", stderr);
        abort();
    }
    accessible_bytes = ENGINE_STACK_TOP;
    *memory = (wasm_rt_memory_t){.data = rt_ptr(0),
                                 .pages = ENGINE_STACK_TOP / RT_PAGE_BYTES,
                                 .max_pages = 65536,
                                 .size = ENGINE_STACK_TOP};
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t pages)
{
    size_t size = memory->size + pages * (size_t)RT_PAGE_BYTES;
    uint32_t pages_before = memory->pages;

    if (size > max_bytes || size >= UINT32_MAX) {
        return UINT32_MAX;
    }
    if (size > accessible_bytes) {
        size_t to = smaller((size + grow_step_bytes - 1) & ~(grow_step_bytes - 1), max_bytes);

        if (open_memory(accessible_bytes, to) < 0) {
            return UINT32_MAX;
        }
        accessible_bytes = to;
        if (!is_armed) {
            rt_populate(memory->size, start_heap_bytes);
        }
    }
    memory->pages += pages;
    memory->size = (uint32_t)size;
    return pages_before;
}

size_t rt_memory_bytes(void)
{
    return rt_instance->w2c_memory.size;
}

void rt_memory_set_max(size_t bytes)
{
    max_bytes = bytes & ~(size_t)(RT_PAGE_BYTES - 1);
}

static void populate(uint8_t *from, size_t len)
{
    uintptr_t start = (uintptr_t)from & ~(uintptr_t)4095;

    /* An older kernel refuses: then the pages fault in one by one, as they are used. */
    madvise((void *)start, (uintptr_t)from + len - start, MADV_POPULATE_WRITE);
}

void rt_populate(uint32_t from, size_t len)
{
    populate(rt_ptr(from), len);
}

void rt_populate_stack(size_t stack_bytes)
{
    populate(stack_top() - stack_bytes, stack_bytes);
    populate((uint8_t *)rt_instance, 1);
}

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...)
{
    struct func_type type = {.n_params = params, .n_results = results};
    va_list list;

    if (params + results > MAX_PARAMS || n_func_types == MAX_TYPES) {
        abort();
    }
    va_start(list, results);
    for (uint32_t i = 0; i < params + results; i++) {
        type.types[i] = (uint8_t)va_arg(list, int);
    }
    va_end(list);
    for (uint32_t i = 0; i < n_func_types; i++) {
        if (memcmp(&func_types[i], &type, sizeof(type)) == 0) {
            return i + 1;
        }
    }
    func_types[n_func_types++] = type;
    return n_func_types;
}

/* The index of a type by its letters, which the module must know already. */
static uint32_t find_type(const char *letters)
{
    struct func_type type = {.n_results = letters[0] != 'v'};

    type.n_params = (uint32_t)strlen(letters) - 1;
    for (uint32_t i = 0; i < type.n_params; i++) {
        type.types[i] = letters[i + 1] == 'j' ? WASM_RT_I64 : WASM_RT_I32;
    }
    if (type.n_results > 0) {
        type.types[type.n_params] = letters[0] == 'j' ? WASM_RT_I64 : WASM_RT_I32;
    }
    for (uint32_t i = 0; i < n_func_types; i++) {
        if (memcmp(&func_types[i], &type, sizeof(type)) == 0) {
            return i + 1;
        }
    }
    abort();
}

uint32_t rt_add_function(wasm_rt_function_ptr_t function, const char *types)
{
    wasm_rt_funcref_table_t *table = &rt_instance->w2c___indirect_function_table;

    return wasm_rt_grow_funcref_table(table, 1,
                                      (wasm_rt_funcref_t){find_type(types), function, rt_instance});
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t elements,
                                    uint32_t max_elements)
{
    (void)max_elements;
    if (elements > MAX_FUNCTIONS) {
        abort();
    }
    *table =
        (wasm_rt_funcref_table_t){.data = functions, .max_size = MAX_FUNCTIONS, .size = elements};
}

uint32_t wasm_rt_grow_funcref_table(wasm_rt_funcref_table_t *table, uint32_t delta,
                                    wasm_rt_funcref_t init)
{
    uint32_t size_before = table->size;

    if (delta > table->max_size - table->size) {
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < delta; i++) {
        table->data[table->size++] = init;
    }
    return size_before;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table)
{
    (void)table; /* it lives as long as the process */
}

void wasm_rt_free_memory(wasm_rt_memory_t *memory)
{
    (void)memory;
}

bool wasm_rt_is_initialized(void)
{
    return rt_instance != NULL;
}

static uint8_t *reserve(size_t len)
{
    uint8_t *at = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

int rt_open(void)
{
    reservation = reserve(reservation_bytes);
    native_stack = reserve(GUARD_BYTES + ENGINE_NATIVE_STACK);
    if (reservation == NULL || native_stack == NULL ||
        mprotect(native_stack + GUARD_BYTES, ENGINE_NATIVE_STACK, PROT_READ | PROT_WRITE) < 0 ||
        mprotect(reservation, own_bytes, PROT_READ | PROT_WRITE) < 0) {
        return -errno;
    }
    _Static_assert(sizeof(*rt_instance) <= ENGINE_INSTANCE_BYTES, "an instance fits in its page");
    rt_instance = (struct Z_quickjs_instance_t *)(reservation + ENGINE_STOP_BYTES);
    Z_quickjs_init_module();
    Z_quickjs_instantiate(rt_instance, NULL, NULL);
    rt_instance->w2c___stack_pointer = ENGINE_STACK_TOP;
    return 0;
}
