/* SPDX-License-Identifier: MIT
 *
 * One script of an agent: its run, its calls at tools, its messages, its ending.
 *
 * The run's callbacks end here. A script outlives its end as one of those that the agent keeps, in
 * the order of their endings. A message (a wake of its own, or the notice that it ended badly
 * while nobody watched) goes out one at a time; the notice is decided when its turn comes, so that
 * a wait or a stop that came meanwhile takes it back.
 */
#include "agent/inside.h"

#include "base/clock.h"
#include "base/mem.h"
#include "host/utf8.h"

#include <inttypes.h>
#include <stdio.h>

enum { SENTENCE_BYTES = 64 * 1024, MESSAGE_BYTES = 1024 * 1024 };

bool ending_is_error(const struct ending *ending)
{
    return ending->kind != ENDING_FINISHED && ending->kind != ENDING_STOPPED;
}

struct script *script_find(const struct agent *agent, struct bytes id)
{
    for (struct script *s = agent->scripts; s != NULL; s = s->next) {
        if (bytes_is(id, s->id)) {
            return s;
        }
    }
    return NULL;
}

void script_stop(struct script *script)
{
    script->is_quiet = true;
    script->wants_notice = false;
    run_stop(script->run); /* one that has ended is left as it is */
}

/* ---- messages ---- */

static void send_message(struct script *script, enum message_state state, struct bytes payload)
{
    _cleanup_(buf_done) struct buf text = buf_max(MESSAGE_BYTES);
    struct agent *agent = script->agent;
    struct agent_message message = {
        .script_id = script->id, .is_notice = state == MESSAGE_NOTICE, .payload = payload};

    script->out = state;
    if (message.is_notice) {
        text_notice(&text, script);
    } else {
        text_wake(&text, script, payload);
    }
    message.text = buf_bytes(&text);
    agent->options.callbacks.on_message(agent->options.arg, agent, &message);
}

void script_notify(struct script *script)
{
    if (script->wants_notice && script->out == MESSAGE_NONE && !script->agent->is_gone) {
        script->wants_notice = false;
        send_message(script, MESSAGE_NOTICE, bytes_none());
    }
}

void agent_delivered(struct agent *agent, const char *script_id, bool is_delivered)
{
    struct script *script = script_find(agent, bytes_str(script_id));
    enum message_state was;

    if (script == NULL || script->out == MESSAGE_NONE) {
        return;
    }
    was = script->out;
    script->out = MESSAGE_NONE;
    if (was == MESSAGE_WAKE) {
        run_wake_done(script->run, is_delivered);
    }
    agents_arm(agent->agents); /* a notice may have waited; it goes from the loop */
    script_trim(agent);
}

static void on_wake(void *arg, struct run *run, struct bytes payload)
{
    struct script *script = arg;

    if (script->agent->is_gone) {
        run_wake_done(run, false);
        return;
    }
    send_message(script, MESSAGE_WAKE, payload);
}

/* ---- calls ---- */

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct script *script = arg;
    struct agent *agent = script->agent;
    struct tool_call *tc = agent->is_gone ? NULL : tool_call_new(call, &script->calls);

    (void)run;
    if (tc == NULL) {
        call_refuse(call, agent->is_gone ? "its agent is gone" : "the host has no memory for it");
        return;
    }
    tc->script = script;
    if (script->watch != NULL) {
        watch_collect(script->watch, tc);
    }
    agent->options.callbacks.on_call(agent->options.arg, tc);
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    struct script *script = arg;
    struct tool_call *tc = tool_call_find(script->calls, call);

    (void)run;
    if (tc != NULL) {
        script->agent->options.callbacks.on_cancel(script->agent->options.arg, tc);
    }
}

/* ---- start and end ---- */

static void on_output(void *arg, struct run *run, struct bytes text)
{
    struct script *script = arg;
    const struct agent_options *o = &script->agent->options;

    (void)run;
    if (o->callbacks.on_output != NULL && !script->agent->is_gone) {
        o->callbacks.on_output(o->arg, script->id, text);
    }
}

static void on_ended(void *arg, struct run *run, const struct ending *ending)
{
    struct script *script = arg;
    struct agent *agent = script->agent;
    const struct agent_options *o = &agent->options;

    (void)run;
    script->end_order = ++agent->agents->last_end;
    script->ended_ms = clock_now_ms();
    agent->n_running--;
    if (o->callbacks.on_ended != NULL && !agent->is_gone) {
        o->callbacks.on_ended(o->arg, script->id, ending);
    }
    script->wants_notice = script->watch == NULL && !script->is_quiet && !agent->is_gone &&
                           ending_is_error(ending) && o->callbacks.on_message != NULL;
    if (script->watch != NULL) {
        script->watch->due_ms = 0;
    }
    agents_arm(agent->agents); /* its watch returns, its notice goes, a gone agent is swept */
    script_trim(agent);
}

static void put_first_line(struct buf *out, struct bytes code)
{
    struct bytes line = code;
    struct bytes cut;

    for (;;) { /* the first that is not blank */
        const uint8_t *end = memchr(line.ptr, '\n', line.len);
        size_t len = end == NULL ? line.len : (size_t)(end - line.ptr);
        struct bytes one = bytes_first(line, len);

        while (one.len > 0 && (one.ptr[0] == ' ' || one.ptr[0] == '\t' || one.ptr[0] == '\r')) {
            one = bytes_from(one, 1);
        }
        if (one.len > 0 || end == NULL) {
            line = one;
            break;
        }
        line = bytes_from(line, len + 1);
    }
    cut = utf8_first(line, LINE_CHARS);
    utf8_put_clean(out, cut);
    if (cut.len < line.len) {
        buf_put_str(out, "...");
    }
}

static struct script *new_script(struct agent *agent, const struct agent_input *input)
{
    struct agents *agents = agent->agents;
    struct script *script = mem_new(sizeof *script);

    if (script == NULL) {
        return NULL;
    }
    *script = (struct script){.agent = agent, .started_ms = clock_now_ms()};
    script->first_line = buf_max(UTF8_MAX_BYTES * (LINE_CHARS + 4));
    put_first_line(&script->first_line, input->code);
    snprintf(script->id, sizeof script->id, "%s-%" PRIu64, agents->tag, agents->last_script + 1);
    return script;
}

static void append(struct agent *agent, struct script *script)
{
    struct script **at = &agent->scripts;

    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = script;
    agent->n_running++;
    agent->agents->last_script++;
}

bool script_start(struct watch *watch, const struct agent_input *input)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    struct agent *agent = watch->agent;
    struct script *script = new_script(agent, input);
    struct run_input run = {
        .code = input->code,
        .language = input->language,
        .tools = agent->options.tools,
        .limits = agent->options.limits,
        .callbacks = {.on_call = on_call,
                      .on_cancel = on_cancel,
                      .on_output = on_output,
                      .on_wake = agent->options.callbacks.on_message == NULL ? NULL : on_wake,
                      .on_ended = on_ended},
        .arg = script,
    };

    if (script == NULL) {
        buf_put_str(&watch->refusal, "The host has no memory for another script.");
        return false;
    }
    if (run_start(agent->agents->host, &run, &script->run, &sentence) < 0) {
        buf_put_str(&watch->refusal, "The script was not started: ");
        utf8_put_clean(&watch->refusal, buf_bytes(&sentence));
        buf_put_str(&watch->refusal, ".");
        text_running(&watch->refusal, agent);
        script_free(script);
        return false;
    }
    script->tools = agent->options.tools;
    script->turn = watch->turn;
    script->watch = watch;
    watch->script = script;
    append(agent, script);
    return true;
}

void script_free(struct script *script)
{
    if (script == NULL) {
        return;
    }
    tool_calls_forget(&script->calls);
    run_free(script->run);
    buf_done(&script->first_line);
    mem_free(script);
}

/* The one whose end came first, of those that nothing holds; NULL where none may go. */
static struct script **find_oldest(struct agent *agent)
{
    struct script **oldest = NULL;

    for (struct script **at = &agent->scripts; *at != NULL; at = &(*at)->next) {
        struct script *s = *at;
        bool is_held =
            s->end_order == 0 || s->watch != NULL || s->out != MESSAGE_NONE || s->wants_notice;

        if (!is_held && (oldest == NULL || s->end_order < (*oldest)->end_order)) {
            oldest = at;
        }
    }
    return oldest;
}

void script_trim(struct agent *agent)
{
    for (;;) {
        size_t n_ended = 0;
        struct script **oldest = find_oldest(agent);
        struct script *script;

        for (struct script *s = agent->scripts; s != NULL; s = s->next) {
            n_ended += s->end_order != 0;
        }
        if (oldest == NULL || n_ended <= (agent->is_gone ? 0 : agent->options.max_kept)) {
            break;
        }
        script = *oldest;
        *oldest = script->next;
        script_free(script);
    }
}
