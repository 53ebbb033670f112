/* SPDX-License-Identifier: MIT
 *
 * The pure bookkeeping of one script's calls: no I/O, no clock, no libuv.
 *
 * Events come in as functions with their times; decisions are taken out by the ledger_next_*
 * functions until they answer -1. A call has a slot from its arrival until the script has seen
 * its answer and its tool no longer works on it, so at most max_out + max_held slots are taken.
 *
 *   out       the cell has asked and has not said "seen"; at most max_out
 *   waiting   its text waits in the host for a place at the tools
 *   at tool   started and not yet answered by its owner, timed out or not; at most max_held
 *
 * A breach is what a well-behaved cell never does: it ends the script.
 */
#ifndef HOST_LEDGER_H
#define HOST_LEDGER_H

#include "wire/wire.h"

enum ledger_breach {
    LEDGER_FINE = 0,
    LEDGER_TOO_MANY,     /* more calls out than max_out */
    LEDGER_ID_REUSED,    /* an id again before its answer was seen */
    LEDGER_SEEN_UNKNOWN, /* a seen for an id that is not out */
    LEDGER_SEEN_EARLY,   /* a seen for an answer that was not written yet */
};

enum ledger_phase { LEDGER_FREE = 0, LEDGER_WAITING, LEDGER_AT_TOOL, LEDGER_DONE };

enum ledger_answer { LEDGER_NO_ANSWER = 0, LEDGER_QUEUED, LEDGER_WRITTEN, LEDGER_SEEN };

struct ledger_slot {
    uint32_t id;
    enum ledger_phase phase;
    enum ledger_answer answer;
    bool is_out;
    uint64_t order;      /* of arrival */
    int64_t deadline_ms; /* INT64_MAX: none */
};

struct ledger {
    struct ledger_slot *slots;
    size_t n_slots;
    uint32_t max_out;
    uint32_t max_held;
    int64_t timeout_ms; /* 0: none */
    uint32_t n_out;
    uint32_t n_waiting;
    uint32_t n_at_tool;
    uint64_t arrived;
    bool is_closed; /* a stop was asked or the process has exited: nothing starts any more */
};

/* 0 or -ENOMEM. */
int ledger_init(struct ledger *l, uint32_t max_out, uint32_t max_held, int64_t timeout_ms);
void ledger_done(struct ledger *l);

/* A call arrived: a breach, or LEDGER_FINE with its slot, which waits for ledger_next_start().
 * Not to be asked of a closed ledger. */
enum ledger_breach ledger_call(struct ledger *l, uint32_t id, int64_t now_ms, int *ret_slot);

/* The gate turned a waiting call down: its answer is to be queued by the caller. */
void ledger_refused(struct ledger *l, int slot);

/* The next call that goes to its tool now, at the tool from then on; -1: none may. */
int ledger_next_start(struct ledger *l);

/* The next call whose time has passed, its answer to be queued by the caller; -1: none.
 * *ret_was_sent tells whether its tool was started; if so it stays at the tool. */
int ledger_next_expired(struct ledger *l, int64_t now_ms, bool *ret_was_sent);

/* When the next call's time passes; INT64_MAX: never. */
int64_t ledger_deadline_ms(const struct ledger *l);

/* The tool's owner answered, which frees its place. True: the script is to be told, and the
 * answer counts as queued; false: it had its answer (a timeout), or nobody listens. */
bool ledger_answered(struct ledger *l, int slot);

/* The last byte of its answer was written to the cell. */
void ledger_written(struct ledger *l, int slot);

/* The cell says that the script has the answer: a breach, or LEDGER_FINE with the slot it was
 * (freed, unless the tool still works on it). */
enum ledger_breach ledger_seen(struct ledger *l, uint32_t id, int *ret_slot);

/* Nothing starts from now on; what waits is handed out by ledger_next_turned_down(). */
void ledger_close(struct ledger *l);

/* After ledger_close(): the next call that waited for room; its slot is freed. -1: none. */
int ledger_next_turned_down(struct ledger *l);

/* One sentence for people. */
const char *ledger_breach_text(enum ledger_breach breach);

#endif
