/* SPDX-License-Identifier: MIT
 *
 * The judgement on a script that is gone, in this order: a breach of the protocol; what the
 * script itself said; what the host did to it; a wall that did not go up or was hit; a
 * signal; an exit. A script that had ended before a stop came ends as it did.
 */
#include "host/ending.h"

#include "host/utf8.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>

struct ending_row {
    const char *name;
    int status;
};

#define ENDING(word, name, status, sentence) [ENDING_##word] = {(name), (status)},
static const struct ending_row rows[ENDING_COUNT] = {
#include "host/endings.tbl.h"
};
#undef ENDING

const char *ending_name(enum ending_kind kind)
{
    return (unsigned)kind < ENDING_COUNT ? rows[kind].name : "unknown";
}

int ending_exit_status(enum ending_kind kind)
{
    return (unsigned)kind < ENDING_COUNT ? rows[kind].status : 3;
}

const char *call_state_name(enum call_state state)
{
    static const char *const names[] = {
        [CALL_ANSWERED] = "answered",   [CALL_FAILED] = "failed",
        [CALL_REFUSED] = "refused",     [CALL_TIMED_OUT] = "timed_out",
        [CALL_TOO_LARGE] = "too_large", [CALL_UNSEEN] = "unseen",
        [CALL_RUNNING] = "running",     [CALL_NEVER_SENT] = "never_sent",
    };

    return (unsigned)state <= CALL_NEVER_SENT ? names[state] : "unknown";
}

const char *call_effect_name(enum call_effect effect)
{
    static const char *const names[] = {
        [EFFECT_NONE] = "none", [EFFECT_POSSIBLE] = "possible", [EFFECT_DONE] = "done"};

    return (unsigned)effect <= EFFECT_DONE ? names[effect] : "unknown";
}

static void set(struct ending *ret, enum ending_kind kind, const char *reason)
{
    ret->kind = kind;
    ret->reason = bytes_str(reason);
}

/* "1 h", "90 s", "250 ms": the largest unit that is exact. */
static void put_span(struct buf *message, const char *before, int64_t ms, const char *after)
{
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{3600000, "h"}, {60000, "min"}, {1000, "s"}, {1, "ms"}};
    size_t i = ms == 0 ? 3 : 0;

    while (ms % units[i].ms != 0) {
        i++;
    }
    buf_printf(message, "%s%" PRId64 " %s%s", before, ms / units[i].ms, units[i].name, after);
}

/* What the host asked for, by its cause. */
static void set_cause(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    switch (facts->cause) {
    case CAUSE_LIFETIME:
        set(ret, ENDING_EXPIRED, "lifetime");
        put_span(message, "its lifetime of ", facts->limits->lifetime, " passed");
        break;
    case CAUSE_CPU:
        set(ret, ENDING_EXPIRED, "cpu");
        put_span(message, "its processor time of ", facts->limits->cpu_time, " passed");
        break;
    case CAUSE_NONE:
    case CAUSE_STOP:
    case CAUSE_KILL:
        set(ret, ENDING_STOPPED, "");
        buf_put_str(message, "it was stopped");
        break;
    }
}

/* It had returned or thrown when its time passed, and ends so; but what was still to do (a value to
 * read, calls to wait for) was cut short, which nobody asked for. */
static void set_cut(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    struct buf cause = buf_max(WIRE_MAX_SENTENCE);
    struct ending unused = *ret;

    ret->reason = bytes_str(facts->cause == CAUSE_LIFETIME ? "lifetime" : "cpu");
    if (ret->kind == ENDING_FINISHED) {
        set_cause(facts, &cause, &unused);
        buf_put_bytes(message, buf_bytes(&cause));
        buf_put_str(message, " after it had returned");
    }
    buf_done(&cause);
}

static void set_death(const struct end_facts *facts, struct buf *message, struct ending *ret);

/* It said its ending, and then did what no sound cell does: its word stands, and that is told. */
static void set_broken(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    struct buf death = buf_max((size_t)4 * WIRE_MAX_ERROR_MESSAGE);
    struct ending broken = *ret;

    set_death(facts, &death, &broken);
    ret->reason = broken.reason;
    if (ret->kind == ENDING_FINISHED) {
        buf_put_str(message, "it said so, and then ");
        buf_put_bytes(message, buf_bytes(&death));
    }
    buf_done(&death);
}

static void set_said(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    const struct wire_ending *said = facts->said;

    ret->error_name = said->name;
    ret->frames = said->frames;
    ret->notes = said->notes;
    switch ((enum wire_ending_kind)said->kind) {
    case WIRE_END_FINISHED:
        set(ret, ENDING_FINISHED, "");
        ret->value = said->value;
        break;
    case WIRE_END_FAILED:
        set(ret, ENDING_FAILED, "");
        break;
    case WIRE_END_STALLED:
        set(ret, ENDING_FAILED, "stalled");
        break;
    case WIRE_END_OVERSIZE:
        set(ret, ENDING_OVERSIZE, "");
        break;
    case WIRE_END_TRAPPED:
        set(ret, ENDING_CRASHED, "trap");
        if (said->message.len == 0) {
            buf_put_str(message, "the engine trapped, and its process did not say how");
        }
        break;
    case WIRE_END_STOPPED:
        set_cause(facts, message, ret);
        return;
    }
    buf_put_bytes(message, said->message);
    if (facts->was_cut && (facts->cause == CAUSE_LIFETIME || facts->cause == CAUSE_CPU) &&
        (ret->kind == ENDING_FINISHED || ret->kind == ENDING_FAILED) && ret->reason.len == 0) {
        set_cut(facts, message, ret);
    } else if ((ret->kind == ENDING_FINISHED || ret->kind == ENDING_FAILED) &&
               ret->reason.len == 0 && facts->status != 0 && !facts->was_killed &&
               !facts->is_warden_lost && facts->died_sentence.len == 0) {
        set_broken(facts, message, ret);
    }
}

static void set_killed(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    set_cause(facts, message, ret);
    if (!facts->has_process) {
        buf_put_str(message, " before it began");
        return;
    }
    ret->may_lack_output = true;
    if (facts->cause != CAUSE_KILL) {
        put_span(message, "; it did not end by itself within the grace of ",
                 facts->limits->stop_grace, " and was killed, so its output may be short");
    } else {
        buf_put_str(message, " by a kill; its output may be short");
    }
}

/* What the warden knows more of it stands in its sentence. */
static void set_signal(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    int number = WTERMSIG(facts->status);
    const char *name = sigabbrev_np(number);
    bool is_explained = facts->died_sentence.len > 0;

    if (number == SIGSYS) {
        set(ret, ENDING_CRASHED, "wall");
        buf_put_str(message, "its process was ended by SIGSYS: it made a system call outside its "
                             "list (the kernel does not tell which)");
        return;
    }
    set(ret, ENDING_CRASHED, "signal");
    buf_printf(message, "its process was ended by %s%s (signal %d)%s",
               name == NULL ? "a real-time signal" : "SIG", name == NULL ? "" : name, number,
               is_explained        ? ": "
               : number == SIGKILL ? ": the system killed it, probably for want of memory"
                                   : "");
    utf8_put_clean(message, facts->died_sentence);
}

static void set_exit(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    int status = WEXITSTATUS(facts->status);

    if (status >= WIRE_EXIT_START && status <= WIRE_EXIT_LAST) {
        set(ret, ENDING_CRASHED, "wall");
        buf_printf(message, "step %d of its process's start failed, before it read the script",
                   status - WIRE_EXIT_START);
        return;
    }
    set(ret, ENDING_CRASHED, "exit");
    buf_printf(message, "its process exited with status %d before it said how the script ended",
               status);
}

static void set_death(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    if (facts->died_sentence.len > 0 && WIFEXITED(facts->status)) {
        set(ret, ENDING_CRASHED, "wall");
        utf8_put_clean(message, facts->died_sentence);
        return;
    }
    if (facts->has_closed) {
        set(ret, ENDING_CRASHED, "protocol");
        buf_put_str(message, "its process closed its channel before it said how the script ended, "
                             "lived on, and was killed");
        return;
    }
    if (WIFSIGNALED(facts->status)) {
        set_signal(facts, message, ret);
        return;
    }
    set_exit(facts, message, ret);
}

static void set_warden(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    set(ret, ENDING_CRASHED, "warden");
    buf_printf(message, "the warden was lost%s, and the script's process with it",
               facts->warden_end);
    if (facts->warden_text[0] != '\0') {
        buf_printf(message, "; its last words: %s", facts->warden_text);
    }
}

/* The host asked for the end, and no death of its own came before the kill. */
static bool is_our_end(const struct end_facts *facts)
{
    bool is_by_kill = WIFSIGNALED(facts->status) && WTERMSIG(facts->status) == SIGKILL;

    return facts->cause != CAUSE_NONE &&
           (!facts->has_process || (facts->was_killed && (is_by_kill || facts->is_warden_lost)));
}

void ending_decide(const struct end_facts *facts, struct buf *message, struct ending *ret)
{
    if (facts->breach[0] != '\0') {
        set(ret, ENDING_CRASHED, "protocol");
        buf_printf(message, "its process broke the protocol: %s", facts->breach);
    } else if (facts->said != NULL) {
        set_said(facts, message, ret);
    } else if (facts->early[0] != '\0') {
        set(ret, ENDING_CRASHED, facts->early_reason);
        buf_put_str(message, facts->early);
    } else if (is_our_end(facts)) {
        set_killed(facts, message, ret);
    } else if (facts->is_warden_lost) {
        set_warden(facts, message, ret);
    } else {
        set_death(facts, message, ret);
    }
    ret->error_message = buf_bytes(message);
}
