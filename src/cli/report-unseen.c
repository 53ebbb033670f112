/* SPDX-License-Identifier: MIT
 *
 * Calls whose answers the script did not see, in words: at most ten by name, the rest counted
 * per tool.
 */
#include "cli/report.h"

#include "base/mem.h"

enum { MAX_NAMED = 10 };

static bool is_unseen(const struct record_call *call)
{
    return call->state != CALL_ANSWERED && call->state != CALL_FAILED &&
           call->state != CALL_REFUSED;
}

static const char *what_happened(enum call_state state)
{
    switch (state) {
    case CALL_TIMED_OUT:
        return "had no answer in time";
    case CALL_TOO_LARGE:
        return "had an answer too large for the script";
    case CALL_UNSEEN:
        return "was answered, but the script ended before it saw that";
    case CALL_RUNNING:
        return "was still running when the script ended";
    case CALL_NEVER_SENT:
        return "was never sent";
    case CALL_ANSWERED:
    case CALL_FAILED:
    case CALL_REFUSED:
        break;
    }
    return call_state_name(state);
}

static const char *what_it_did(enum call_effect effect)
{
    switch (effect) {
    case EFFECT_NONE:
        return "it had no effect";
    case EFFECT_POSSIBLE:
        return "it may have taken effect";
    case EFFECT_DONE:
        return "it took effect";
    }
    return "";
}

static void put_call(struct buf *out, const struct record_call *call)
{
    buf_put_str(out, "torno: the call ");
    buf_put_bytes(out, call->tool);
    buf_put_str(out, "(");
    report_put_words(out, call->arguments);
    buf_put_str(out, ") ");
    buf_put_str(out, what_happened(call->state));
    buf_put_str(out, "; ");
    buf_put_str(out, what_it_did(call->effect));
    buf_put_str(out, "\n");
}

/* Counts the unseen calls of a tool from index from on; 0 where an earlier one was counted. */
static size_t count_tool(const struct ending *ending, size_t from, size_t at)
{
    size_t n = 0;

    for (size_t i = from; i < ending->n_calls; i++) {
        if (is_unseen(&ending->calls[i]) &&
            bytes_equal(ending->calls[i].tool, ending->calls[at].tool)) {
            if (i < at) {
                return 0;
            }
            n++;
        }
    }
    return n;
}

void report_unseen(struct buf *out, const struct ending *ending)
{
    size_t named = 0;
    size_t i = 0;

    for (; i < ending->n_calls && named < MAX_NAMED; i++) {
        if (is_unseen(&ending->calls[i])) {
            put_call(out, &ending->calls[i]);
            named++;
        }
    }
    for (size_t at = i; at < ending->n_calls; at++) {
        size_t n = is_unseen(&ending->calls[at]) ? count_tool(ending, i, at) : 0;

        if (n > 0) {
            buf_printf(out, "torno: and %zu more unseen call%s of ", n, n == 1 ? "" : "s");
            buf_put_bytes(out, ending->calls[at].tool);
            buf_put_str(out, "\n");
        }
    }
}
