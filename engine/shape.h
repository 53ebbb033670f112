/* SPDX-License-Identifier: MIT
 *
 * The shape of the engine in memory, shared by the generated C and the runtime behind it
 * (src/cell/engine-rt.c). Included by the generated C in place of wasm2c's own prologue.
 *
 * The instance lies in one page, and its linear memory starts right after that page. So
 * an access needs no register but the instance's, which every function has already.
 *
 *   page of the stop | page of the instance | data, first heap | guard | shadow stack | heap ...
 *                                           0                        2 MiB          10 MiB
 *
 * The toll: each function takes ENGINE_TOLL bytes of the shadow stack for the time it
 * runs, so that QuickJS's own overflow check, which looks at the shadow stack alone,
 * sees every recursion. Where QuickJS checks nothing, the prologue traps at the floor.
 *
 * The prologue also looks at the first word of the page before the instance's, which is the
 * page that a cell shares with its host: its stop flag. So a stop lands inside QuickJS's own
 * loops too (a sort, a search, JSON), which ask no interrupt handler.
 *
 * 8 MiB / 96 bytes are at most 87,381 functions deep; 64 MiB of native stack hold them
 * where no frame is larger than 768 bytes. engine.mk measures the largest one and
 * refuses more than ENGINE_MAX_FRAME.
 */
#ifndef ENGINE_SHAPE_H
#define ENGINE_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#define ENGINE_TOLL           96u
#define ENGINE_STACK_FLOOR    0x200000u
#define ENGINE_STACK_TOP      0xa00000u
#define ENGINE_NATIVE_STACK   0x4000000u
#define ENGINE_MAX_FRAME      640u
#define ENGINE_INSTANCE_BYTES 4096u
#define ENGINE_STOP_BYTES     4096u

_Static_assert((ENGINE_STACK_TOP - ENGINE_STACK_FLOOR) / ENGINE_TOLL * (ENGINE_MAX_FRAME + 64u) <
                   ENGINE_NATIVE_STACK,
               "the shadow stack must run out before the native one");

#define ENGINE_STOP(instance)                                                                      \
    ((const volatile uint32_t *)((const uint8_t *)(instance)-ENGINE_STOP_BYTES))

/* Where QuickJS makes an error of its own (src/cell/engine-memory.c): the first says with 1 that
 * another was thrown already, and may change its kind; the second gives what to throw where there
 * was no memory for it. */
__attribute__((visibility("hidden"))) uint32_t engine_error_begins(uint32_t ctx, uint32_t *kind);
__attribute__((visibility("hidden"))) uint64_t engine_error_instead(void);
__attribute__((visibility("hidden"))) void engine_error_ends(void);

#ifdef FUNC_SHAPE
#define FUNC_PROLOGUE                                                                              \
    if (UNLIKELY((instance->w2c___stack_pointer -= ENGINE_TOLL) < ENGINE_STACK_FLOOR ||            \
                 *ENGINE_STOP(instance) != 0))                                                     \
    wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION)
#define FUNC_EPILOGUE instance->w2c___stack_pointer += ENGINE_TOLL
#define ENGINE_ERROR_BEGINS(instance, ctx, kind)                                                   \
    if (engine_error_begins(ctx, &(kind)) != 0) {                                                  \
        FUNC_EPILOGUE;                                                                             \
        return;                                                                                    \
    }
#define ENGINE_MEMORY(mem)                                                                         \
    ((uint8_t *)(mem) + (ENGINE_INSTANCE_BYTES - offsetof(Z_quickjs_instance_t, w2c_memory)))
#endif

#endif
