/* SPDX-License-Identifier: MIT
 *
 * Every message of every channel, declared once for both sides.
 *
 * M(name, number, sender, states, FIELDS): the preprocessor makes the enum, a
 * struct, the codecs, the name for logs and the row that wire_check() reads. A
 * field is U32(name), BYTES(name, max) or, at most once and last, TAIL(name, max):
 * encoded as BYTES, but its content may be written from where it lies.
 *
 * A number is never used again: a dead row stays, marked. PROTOCOL.md holds the
 * same table for readers; tools/check-protocol compares the two.
 */
#ifndef WIRE_MESSAGES_H
#define WIRE_MESSAGES_H

#include "wire/limits.h"

/* clang-format off */

/* host to cell: the script, what it may call, and its limits. names is a JSON array of the
 * tools' exact names; catalogue is one of {name, description, inputSchema, outputSchema?}. */
#define WIRE_START_FIELDS(U32, BYTES, TAIL)     \
    U32(memory_bytes)                           \
    U32(max_calls_out)                          \
    U32(max_args_bytes)                         \
    U32(max_args_values)                        \
    U32(max_result_depth)                       \
    U32(max_wakes)                              \
    U32(flags)                                  \
    BYTES(code, WIRE_MAX_CODE)                  \
    BYTES(names, WIRE_MAX_NAMES)                \
    TAIL(catalogue, WIRE_MAX_CATALOGUE)

/* host to cell: the answer of one call; kind is enum wire_result_kind. */
#define WIRE_RESULT_FIELDS(U32, BYTES, TAIL)    \
    U32(id)                                     \
    U32(kind)                                   \
    TAIL(payload, WIRE_MAX_RESULT)

/* host to cell: end now; the flag in the shared page is already set. */
#define WIRE_STOP_FIELDS(U32, BYTES, TAIL)      \
    U32(reason)

/* host to cell: the time that the latest sleep asked for has passed; ms is what it asked. */
#define WIRE_TICK_FIELDS(U32, BYTES, TAIL)      \
    U32(ms)

/* host to cell: what became of a wake; how is enum wire_woken_how. */
#define WIRE_WOKEN_FIELDS(U32, BYTES, TAIL)     \
    U32(id)                                     \
    U32(how)

/* cell to host: locked, and ready for a script; walls is a set of enum wire_wall. */
#define WIRE_HELLO_FIELDS(U32, BYTES, TAIL)     \
    U32(version)                                \
    U32(walls)

/* cell to host: use a tool; args is the text of a JSON object. */
#define WIRE_CALL_FIELDS(U32, BYTES, TAIL)      \
    U32(id)                                     \
    BYTES(name, WIRE_MAX_TOOL_NAME)             \
    TAIL(args, WIRE_MAX_ARGS)

/* cell to host: the script has the answer of this call; how is enum wire_seen_how. */
#define WIRE_SEEN_FIELDS(U32, BYTES, TAIL)      \
    U32(id)                                     \
    U32(how)

/* cell to host: what the script wrote, UTF-8. */
#define WIRE_OUTPUT_FIELDS(U32, BYTES, TAIL)    \
    TAIL(text, WIRE_MAX_OUTPUT)

/* cell to host: how the script ended; kind is enum wire_ending_kind. value is JSON text or
 * empty; frames and notes are JSON arrays or empty.
 * frames: {"function", "line", "column", "times"?}, the innermost first, the script's own
 * only; function is "" for one without a name; times, where a recursion was folded.
 * notes, at most twelve: {"note": "not_awaited", "tool", "call", "state", "count"?} by tool and
 * state (call is the first one's id, count is there where there are more), with state "not sent",
 * "out", "answered", "failed" (isError) or the error's class; {"note": "unhandled_rejection",
 * "name", "message", "line"?, "column"?}; {"note": "timers_dropped", "count"}: timers that had
 * not fired when all else was done; {"note": "more", "count"} for those left out. */
#define WIRE_ENDING_FIELDS(U32, BYTES, TAIL)    \
    U32(kind)                                   \
    BYTES(name, WIRE_MAX_ERROR_NAME)            \
    BYTES(message, WIRE_MAX_ERROR_MESSAGE)      \
    BYTES(frames, WIRE_MAX_FRAMES_JSON)         \
    BYTES(notes, WIRE_MAX_NOTES)                \
    TAIL(value, WIRE_MAX_VALUE)

#define WIRE_SLEEP_NONE 0xffffffffu

/* cell to host: send a tick in so many milliseconds (0 counts as 1), unless another sleep comes
 * before; WIRE_SLEEP_NONE: send none. A tick that crossed this message on its way may come yet. */
#define WIRE_SLEEP_FIELDS(U32, BYTES, TAIL)     \
    U32(ms)

/* cell to host: a message to the script's agent, the JSON text of any value; id names it until its
 * "woken" came. */
#define WIRE_WAKE_FIELDS(U32, BYTES, TAIL)      \
    U32(id)                                     \
    TAIL(payload, WIRE_MAX_WAKE)

/* host to warden, with two descriptors, the cell's socket and its page: make a cell. */
#define WIRE_SPAWN_FIELDS(U32, BYTES, TAIL)     \
    U32(cell)                                   \
    U32(language)                               \
    U32(memory_bytes)

/* host to warden: kill a cell; an unknown one is ignored, since it may just have died. */
#define WIRE_KILL_FIELDS(U32, BYTES, TAIL)      \
    U32(cell)

/* warden to host: the walls stand; tier is the letter A, B or C. notice is empty or one
 * sentence on what is weaker here. */
#define WIRE_UP_FIELDS(U32, BYTES, TAIL)        \
    U32(version)                                \
    U32(tier)                                   \
    TAIL(notice, WIRE_MAX_SENTENCE)

/* warden to host, the last word of it: a wall cannot be raised; one sentence. */
#define WIRE_REFUSED_FIELDS(U32, BYTES, TAIL)   \
    TAIL(sentence, WIRE_MAX_SENTENCE)

/* warden to host: the obituary. status is a wait status; peak counts resident memory.
 * sentence is empty, or says which wall did not go up. */
#define WIRE_DIED_FIELDS(U32, BYTES, TAIL)      \
    U32(cell)                                   \
    U32(status)                                 \
    U32(cpu_ms)                                 \
    U32(peak_kib)                               \
    TAIL(sentence, WIRE_MAX_SENTENCE)

#define WIRE_MESSAGES(M)                                                          \
    M(start,   1,  WIRE_HOST,   WIRE_ST_READY,                 WIRE_START_FIELDS)   \
    M(result,  2,  WIRE_HOST,   WIRE_ST_RUNNING,               WIRE_RESULT_FIELDS)  \
    M(stop,    3,  WIRE_HOST,   WIRE_ST_RUNNING,               WIRE_STOP_FIELDS)    \
    M(tick,    4,  WIRE_HOST,   WIRE_ST_RUNNING,               WIRE_TICK_FIELDS)    \
    M(woken,   5,  WIRE_HOST,   WIRE_ST_RUNNING,               WIRE_WOKEN_FIELDS)   \
    M(hello,   16, WIRE_CELL,   WIRE_ST_NEW,                   WIRE_HELLO_FIELDS)   \
    M(call,    17, WIRE_CELL,   WIRE_ST_RUNNING,               WIRE_CALL_FIELDS)    \
    M(seen,    18, WIRE_CELL,   WIRE_ST_RUNNING,               WIRE_SEEN_FIELDS)    \
    M(output,  19, WIRE_CELL,   WIRE_ST_RUNNING,               WIRE_OUTPUT_FIELDS)  \
    M(ending,  20, WIRE_CELL,   WIRE_ST_RUNNING,               WIRE_ENDING_FIELDS)  \
    M(sleep,   21, WIRE_CELL,   WIRE_ST_RUNNING,               WIRE_SLEEP_FIELDS)   \
    M(wake,    22, WIRE_CELL,   WIRE_ST_RUNNING,               WIRE_WAKE_FIELDS)    \
    M(spawn,   32, WIRE_HOST,   WIRE_ST_UP,                    WIRE_SPAWN_FIELDS)   \
    M(kill,    33, WIRE_HOST,   WIRE_ST_UP,                    WIRE_KILL_FIELDS)    \
    M(up,      48, WIRE_WARDEN, WIRE_ST_BUILDING,              WIRE_UP_FIELDS)      \
    M(refused, 49, WIRE_WARDEN, WIRE_ST_BUILDING | WIRE_ST_UP, WIRE_REFUSED_FIELDS) \
    M(died,    50, WIRE_WARDEN, WIRE_ST_UP,                    WIRE_DIED_FIELDS)

#define WIRE_MAX_TYPE 50

/* clang-format on */

#endif
