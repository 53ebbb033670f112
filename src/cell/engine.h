/* SPDX-License-Identifier: MIT
 *
 * The JavaScript engine of a cell, as its owner (cell/script.c) sees it.
 *
 * One engine per process. engine_init() runs in the zygote; a forked cell calls
 * engine_ready() before its lock and engine_start() after it. From then on the engine
 * makes no system call but mprotect, read-only clocks, and what the hooks do, and
 * allocates nothing outside the linear memory. It knows neither frames nor sockets.
 *
 * Between calls into it the engine holds no native frames. A trap (out of bounds,
 * unreachable, stack exhausted) ends the script: every later call answers
 * ENGINE_ENDED, and engine_ending() tells it as WIRE_END_TRAPPED. A stop is such a trap
 * too, told as WIRE_END_STOPPED, or by the ending that the script had reached before.
 */
#ifndef CELL_ENGINE_H
#define CELL_ENGINE_H

#include "wire/wire.h"

/* What the engine asks of its owner. Called from inside the engine: they must not call
 * back into it. Slices lie in guest memory and are borrowed for the call. */
struct engine_hooks {
    void *arg;
    void (*call)(void *arg, uint32_t id, struct bytes name, struct bytes args);
    void (*output)(void *arg, struct bytes text); /* any length; the owner cuts it in batches */
    void (*sleep)(void *arg, uint32_t ms);        /* as the wire's message of this name */
    void (*wake)(void *arg, uint32_t id, struct bytes payload);
    void (*pulse)(void *arg); /* now and then while the script computes */
    struct wire_page *page;   /* its stop flag ends the script; memory claims are written to it */
};

enum engine_state {
    ENGINE_WAITING =
        1, /* nothing to run until engine_answer(), engine_woken(), engine_tick() or a stop */
    ENGINE_ENDED, /* engine_ending() tells how; nothing more may be run */
};

/* In the zygote: reserves the memory, runs the module's start, evaluates the prelude.
 * 0 or -errno, with the cause on stderr. */
int engine_init(void);

/* In a forked cell before the lock: fresh seeds from the kernel, pages faulted in ahead,
 * the fault handler armed, page (a shared mapping) watched for a stop. 0 or -errno. */
int engine_ready(struct wire_page *page);

/* Bytes of private writable mappings that a script with this budget may have in all: what
 * RLIMIT_DATA is to be set to. */
size_t engine_data_limit(uint32_t memory_bytes);

/* Compiles the script and runs it until it waits or has ended. script's slices may lie in
 * guest memory got from engine_take(). */
enum engine_state engine_start(const struct engine_hooks *hooks, const struct wire_start *script);

/* Room for len bytes in guest memory, counted against the budget, to read a frame into;
 * NULL where the guest has none. One such room exists at a time. Before engine_start() the
 * room is bounded by the start frame's maxima alone. */
uint8_t *engine_take(size_t len);

/* Gives the room back; needed only where engine_start() or engine_answer() did not get it. */
void engine_give_back(void);

/* Delivers an answer whose payload lies in the room from engine_take() (or is empty), frees
 * the room, and runs the script until it waits or has ended. *ret_how says whether the
 * script got it whole; it is written before the script runs on, so that the owner can tell the
 * host ahead of the calls that follow, and stays as it was where the script never got it. An
 * unknown id is ignored. */
enum engine_state engine_answer(uint32_t id, enum wire_result_kind kind, struct bytes payload,
                                enum wire_seen_how *ret_how);

/* As engine_answer(), for an answer of which there was no room: ResultTooLarge, saying so; what
 * is not a tool's answer (a refusal) stays that, and only its sentence is lost. */
enum engine_state engine_answer_no_room(uint32_t id, enum wire_result_kind kind, size_t len,
                                        enum wire_seen_how *ret_how);

/* The time that a sleep asked for may have passed: runs the timers that are due, each with the
 * jobs that it queues, until the script waits or has ended. */
enum engine_state engine_tick(void);

/* What became of a wake: settles its promise and runs the script until it waits or has ended. An
 * unknown id is ignored. */
enum engine_state engine_woken(uint32_t id, enum wire_woken_how how);

/* A stop came while the script waited: ends it as stopped, unless it had ended already. */
enum engine_state engine_stop(void);

/* How the script ended; its slices stay valid until the process exits. */
const struct wire_ending *engine_ending(void);

#endif
