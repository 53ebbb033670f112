/* SPDX-License-Identifier: MIT
 *
 * The four actions: run, wait, stop and list, each a watch that returns once.
 *
 * One watch at a time has a script. A refusal is a return like any other, so that every use of
 * the tool has one shape. Returns come from the loop: agents_arm() has the timer look.
 */
#include "agent/inside.h"
#include "agent/words.h"

#include "base/clock.h"
#include "base/mem.h"

#include <inttypes.h>

enum { RETURN_BYTES = 64 * 1024 * 1024, REFUSAL_BYTES = 64 * 1024, MAX_COLLECTED = 1000 };

static void leave_script(struct watch *watch)
{
    if (watch->script != NULL) {
        watch->script->watch = NULL;
        for (struct tool_call *tc = watch->script->calls; tc != NULL; tc = tc->next) {
            tc->watch = NULL;
        }
        watch->script = NULL;
    }
}

static void unlink_watch(struct watch *watch)
{
    struct watch **at = &watch->agent->watches;

    while (*at != watch) {
        at = &(*at)->next;
    }
    *at = watch->next;
    leave_script(watch);
}

static void free_watch(struct watch *watch)
{
    for (size_t i = 0; i < watch->n_calls; i++) {
        mem_free(watch->calls[i].tool);
        mem_free(watch->calls[i].cause);
    }
    mem_free(watch->calls);
    buf_done(&watch->refusal);
    mem_free(watch);
}

/* Past the cap each tool has one entry more, which stands for all its calls and is never refused:
 * nothing is missed. */
static bool is_collected(const struct watch *watch, struct bytes tool)
{
    for (size_t i = MAX_COLLECTED; i < watch->n_calls; i++) {
        if (bytes_is(tool, watch->calls[i].tool)) {
            return true;
        }
    }
    return false;
}

void watch_collect(struct watch *watch, struct tool_call *call)
{
    struct round_call *entry;

    if (is_collected(watch, tool_call_name(call)) ||
        mem_reserve(&watch->calls, &watch->cap_calls, watch->n_calls + 1, sizeof *watch->calls) <
            0) {
        return;
    }
    entry = &watch->calls[watch->n_calls];
    *entry = (struct round_call){.tool = mem_str(tool_call_name(call))};
    if (entry->tool != NULL) {
        call->watch = watch->n_calls < MAX_COLLECTED ? watch : NULL;
        call->at = watch->n_calls;
        watch->n_calls++;
    }
}

/* Also where there was no memory for why. */
static bool is_refused(const struct watch *watch)
{
    return watch->refusal.len > 0 || (watch->script == NULL && watch->action != AGENT_LIST);
}

/* The texts of a return; a script's output since the return before is taken. */
static void compose(const struct watch *watch, struct buf *text, struct buf *structured)
{
    struct output_part output = {.head = bytes_none(), .tail = bytes_none()};

    if (is_refused(watch)) {
        text_refusal(text, watch);
        structure_refusal(structured, watch);
    } else if (watch->script == NULL) {
        text_list(text, watch->agent);
        structure_list(structured, watch);
    } else {
        output = run_take_output(watch->script->run);
        text_return(text, watch, &output);
        structure_return(structured, watch, &output);
    }
}

/* The script has made a return: an ending that was told is no notice's any more. */
static void mark_script(struct script *script)
{
    script->has_returned = true;
    if (script->end_order != 0) {
        script->is_told = true;
        script->wants_notice = false;
    }
}

void watch_return(struct watch *watch)
{
    _cleanup_(buf_done) struct buf text = buf_max(RETURN_BYTES);
    _cleanup_(buf_done) struct buf structured = buf_max(RETURN_BYTES);
    const struct ending *ending = watch->script == NULL ? NULL : run_ending(watch->script->run);
    struct agent_return ret;
    char id[ID_BYTES] = "";
    bool was_refused;

    compose(watch, &text, &structured);
    memcpy(id, watch_script_id(watch), strlen(watch_script_id(watch)) + 1);
    if (watch->script != NULL && !is_refused(watch)) {
        mark_script(watch->script);
    }
    was_refused = is_refused(watch);
    unlink_watch(watch);
    ret = (struct agent_return){
        .text = text.len > 0 ? buf_bytes(&text)
                             : bytes_str("The host has no memory for the text of this return."),
        .structured = buf_bytes(&structured),
        .is_error = was_refused || (ending != NULL && ending_is_error(ending)),
        .script_id = id,
        .calls = watch->calls,
        .n_calls = watch->n_calls,
    };
    agents_tell(watch->agent->agents, EVENT_RETURN, NULL, ret.is_error, bytes_str(id));
    script_trim(watch->agent);
    watch->on_return(watch->arg, &ret);
    free_watch(watch);
}

void watch_let_go(struct watch *watch)
{
    struct script *script = watch->script;

    memcpy(watch->script_id, script->id, sizeof watch->script_id);
    leave_script(watch);
    buf_clear(&watch->refusal); /* its agent may be gone as well */
    buf_put_str(&watch->refusal, "The turn of this call was abandoned; the script ");
    buf_put_str(&watch->refusal, script->end_order != 0 ? "has ended."
                                 : script->is_quiet     ? "is stopped."
                                                        : "lives on.");
    watch->due_ms = 0;
    script_left(script);
    agents_arm(watch->agent->agents);
}

const char *watch_script_id(const struct watch *watch)
{
    return watch->script != NULL ? watch->script->id : watch->script_id;
}

void watch_cancel(struct watch *watch)
{
    struct agent *agent = watch->agent;
    struct script *script = watch->script;

    unlink_watch(watch);
    free_watch(watch);
    if (script != NULL) {
        script_left(script);
    }
    agents_arm(agent->agents);
    script_trim(agent);
}

/* ---- the actions ---- */

static void do_run(struct watch *watch, const struct agent_input *input)
{
    struct agent *agent = watch->agent;

    if (watch->turn != 0 && !turn_is_live(agent->agents, watch->turn)) {
        buf_put_str(&watch->refusal,
                    "The script was not started: the turn it belongs to has ended.");
        return;
    }
    if (agent->n_running >= agent->options.max_running) {
        buf_printf(
            &watch->refusal,
            "The script was not started: at most %u of yours may run at once. Wait for one or "
            "stop one.",
            agent->options.max_running);
        text_running(&watch->refusal, agent);
        return;
    }
    script_start(watch, input);
}

static bool take_script(struct watch *watch, struct bytes id)
{
    struct script *script = script_find(watch->agent, id);

    if (script == NULL) {
        buf_put_str(&watch->refusal, "There is no script \"");
        words_put_first(&watch->refusal, id, LINE_CHARS, WORDS_ONE_LINE);
        buf_put_str(&watch->refusal, "\" of yours (the last few that ended are kept). The action "
                                     "\"list\" tells which there are.");
        return false;
    }
    if (script->watch != NULL) {
        buf_printf(&watch->refusal,
                   "Script %s is being watched by another call; nothing was changed. Wait for that "
                   "call's return.",
                   script->id);
        return false;
    }
    watch->script = script;
    script->watch = watch;
    script->wants_notice = false;
    return true;
}

static void do_stop(struct watch *watch, struct bytes id)
{
    if (take_script(watch, id)) {
        watch->due_ms = INT64_MAX; /* its grace bounds it */
        script_stop(watch->script);
    }
}

static void begin(struct watch *watch, const struct agent_input *input)
{
    int64_t yield_ms = input->yield_ms < 0 ? watch->agent->options.yield_ms : input->yield_ms;

    if (input->yield_ms < -1 || yield_ms > watch->agent->options.max_yield_ms) {
        input_put_yield(&watch->refusal, watch->agent);
        return;
    }
    watch->due_ms = clock_now_ms() + yield_ms;
    switch (input->action) {
    case AGENT_RUN:
        do_run(watch, input);
        break;
    case AGENT_WAIT:
        take_script(watch, input->script_id);
        break;
    case AGENT_STOP:
        do_stop(watch, input->script_id);
        break;
    case AGENT_LIST:
        break;
    }
    if (watch->script == NULL || watch->script->end_order != 0) {
        watch->due_ms = 0;
    }
}

static struct watch *new_watch(struct agent *agent, const struct agent_request *request)
{
    struct watch *watch = mem_new(sizeof *watch);
    struct watch **at = &agent->watches;

    if (watch == NULL) {
        return NULL;
    }
    *watch = (struct watch){
        .agent = agent,
        .order = ++agent->agents->last_watch,
        .action = request->input.action,
        .turn = request->turn,
        .on_return = request->on_return,
        .arg = request->arg,
        .refusal = buf_max(REFUSAL_BYTES),
    };
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = watch;
    agents_tell(agent->agents, EVENT_WATCH, NULL, request->input.action, request->input.script_id);
    return watch;
}

int agent_refuse(struct agent *agent, const struct agent_request *request, const char *sentence,
                 struct watch **ret)
{
    struct watch *watch = new_watch(agent, request);

    if (watch == NULL) {
        return -ENOMEM;
    }
    buf_put_str(&watch->refusal, sentence);
    agents_arm(agent->agents);
    *ret = watch;
    return 0;
}

int agent_do(struct agent *agent, const struct agent_request *request, struct watch **ret)
{
    struct watch *watch;

    if (agent->is_gone) {
        return agent_refuse(agent, request, "This agent is gone.", ret);
    }
    watch = new_watch(agent, request);
    if (watch == NULL) {
        return -ENOMEM;
    }
    begin(watch, &request->input);
    agents_arm(agent->agents);
    *ret = watch;
    return 0;
}
