/* SPDX-License-Identifier: MIT
 *
 * How a run ended, decided once from all that is known: a pure function.
 */
#ifndef HOST_ENDING_H
#define HOST_ENDING_H

#include "host/host.h"

/* Why the host asked the script to end; the first cause is kept. */
enum end_cause {
    CAUSE_NONE = 0,
    CAUSE_STOP,     /* run_stop */
    CAUSE_KILL,     /* run_kill, host_close */
    CAUSE_LIFETIME, /* its wall time passed */
    CAUSE_CPU,      /* its processor time passed */
};

/* What is known when the process is gone. */
struct end_facts {
    const char *breach;             /* "", or what it did against the protocol */
    const struct wire_ending *said; /* NULL: it never said how it ended */
    enum end_cause cause;
    bool was_cut;      /* it said its ending after the host had asked for one */
    bool was_killed;   /* the host had it killed (after the grace, or at once) */
    bool has_process;  /* a cell had taken it */
    bool has_closed;   /* it closed its channel and lived on */
    const char *early; /* "", or why no process could be had for it */
    const char *early_reason;
    bool is_warden_lost;     /* the warden went, and every cell with it */
    const char *warden_end;  /* how it ended, in brackets, or "" */
    const char *warden_text; /* what the warden last wrote, or "" */
    int status;              /* wait status */
    struct bytes died_sentence;
    const struct limits *limits;
};

/* Fills kind, reason, error_name, error_message (appended to message, which lasts) and
 * may_lack_output; the value, frames and notes only where the script's own ending stands. */
void ending_decide(const struct end_facts *facts, struct buf *message, struct ending *ret);

#endif
