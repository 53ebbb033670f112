/* SPDX-License-Identifier: MIT
 *
 * Calls at tools, as their owners see them.
 *
 * A tool_call lives until it is answered, also past the script that made it: then it is
 * forgotten, and its answer goes nowhere.
 */
#include "agent/inside.h"

#include "base/mem.h"

static void drop(void *arg)
{
    struct tool_call *call = arg;
    struct tool_call **at = call->list;

    while (at != NULL && *at != call) {
        at = &(*at)->next;
    }
    if (at != NULL) {
        *at = call->next;
    }
    mem_free(call);
}

struct tool_call *tool_call_new(struct call *call, struct tool_call **list)
{
    struct tool_call *tc = mem_new(sizeof *tc);

    if (tc != NULL) {
        *tc = (struct tool_call){.next = *list, .list = list, .call = call};
        *list = tc;
        call_set_owner(call, tc, drop);
    }
    return tc;
}

struct tool_call *tool_call_find(struct tool_call *list, const struct call *call)
{
    while (list != NULL && list->call != call) {
        list = list->next;
    }
    return list;
}

void tool_calls_forget(struct tool_call **list)
{
    while (*list != NULL) {
        struct tool_call *tc = *list;

        *list = tc->next;
        tc->next = NULL;
        tc->list = NULL;
        tc->script = NULL;
        tc->watch = NULL;
    }
}

int tool_reply(struct tool_call *call, struct bytes result)
{
    int r;

    call_set_owner(call->call, NULL, NULL);
    r = call_reply(call->call, result);
    drop(call);
    return r;
}

void tool_fail(struct tool_call *call, const char *sentence)
{
    call_set_owner(call->call, NULL, NULL);
    call_fail(call->call, sentence);
    drop(call);
}

void tool_refuse(struct tool_call *call, const char *sentence)
{
    if (call->watch != NULL) {
        struct round_call *collected = &call->watch->calls[call->at];

        collected->is_refused = true;
        collected->cause = mem_str(bytes_str(sentence)); /* NULL: no memory, and no cause told */
    }
    call_set_owner(call->call, NULL, NULL);
    call_refuse(call->call, sentence);
    drop(call);
}

uint32_t tool_call_id(const struct tool_call *call)
{
    return call_id(call->call);
}

struct bytes tool_call_name(const struct tool_call *call)
{
    return call_tool(call->call);
}

void *tool_call_data(const struct tool_call *call)
{
    return call_tool_data(call->call);
}

struct bytes tool_call_arguments(const struct tool_call *call)
{
    return call_arguments(call->call);
}

const char *tool_call_script(const struct tool_call *call)
{
    return call->script == NULL ? "" : call->script->id;
}

uint64_t tool_call_turn(const struct tool_call *call)
{
    return call->script == NULL || call->script->watch == NULL ? 0 : call->script->watch->turn;
}

size_t tool_call_result_max_chars(const struct tool_call *call)
{
    return call_result_max_chars(call->call);
}
