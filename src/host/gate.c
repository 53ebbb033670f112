/* SPDX-License-Identifier: MIT
 *
 * The gate; see host/gate.h. Sizes are compared before anything is read, values are counted
 * by the validator, which builds nothing.
 */
#include "host/gate.h"

#include "host/toolset.h"
#include "host/utf8.h"
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>

static enum gate_verdict breach_name(struct bytes name, struct buf *ret_sentence)
{
    struct bytes start = bytes_first(name, 100);

    buf_put_str(ret_sentence, "it called a tool that it was not given: \"");
    utf8_put_clean(ret_sentence, start);
    buf_put_str(ret_sentence, start.len < name.len ? "...\"" : "\"");
    return GATE_BREACH;
}

static enum gate_verdict judge_args(const struct gate_call *call, struct buf *ret_sentence)
{
    size_t max_values = (size_t)call->limits->max_args_values;
    struct json_fault fault;
    int r = json_check(call->args, 0, JSON_MAX_DEPTH, max_values, NULL, &fault);

    if (r == -EMSGSIZE && json_check(call->args, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL) == 0) {
        buf_printf(ret_sentence, "its arguments held more values than max_args_values (%zu)",
                   max_values);
        return GATE_BREACH;
    }
    if (r == -EMSGSIZE) {
        buf_printf(ret_sentence,
                   "its arguments are nested more than %d deep; nothing was sent, so it is safe to "
                   "call again with flatter ones",
                   JSON_MAX_DEPTH);
        return GATE_REFUSE;
    }
    if (r < 0) {
        buf_printf(ret_sentence, "its arguments were not JSON: %s (byte %zu)", fault.sentence,
                   fault.offset);
        return GATE_BREACH;
    }
    if (json_kind(call->args) != JSON_OBJECT) {
        buf_put_str(ret_sentence, "its arguments were not a JSON object");
        return GATE_BREACH;
    }
    return GATE_PASS;
}

enum gate_verdict gate_judge(const struct gate_call *call, int *ret_tool, struct buf *ret_sentence)
{
    int tool = toolset_find(call->tools, call->name);
    enum gate_verdict verdict;

    if (tool < 0) {
        return breach_name(call->name, ret_sentence);
    }
    if (call->args.len > (size_t)call->limits->max_args_bytes) {
        buf_printf(ret_sentence, "its arguments took %zu bytes, past max_args_bytes (%" PRId64 ")",
                   call->args.len, call->limits->max_args_bytes);
        return GATE_BREACH;
    }
    verdict = judge_args(call, ret_sentence);
    if (verdict == GATE_BREACH) {
        return verdict;
    }
    *ret_tool = tool;
    if (call->is_stopping) {
        buf_put_str(ret_sentence, "the script is being stopped; nothing was sent");
        return GATE_REFUSE;
    }
    return verdict;
}
