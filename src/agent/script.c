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
#include "agent/words.h"

#include "base/clock.h"
#include "base/mem.h"
#include "host/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { SENTENCE_BYTES = 64 * 1024, MESSAGE_BYTES = 1024 * 1024, MAX_UNTOLD = 16 };

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
    agents_tell(agent->agents, EVENT_MESSAGE, script->run, message.is_notice,
                bytes_str(script->id));
    script->is_telling = true;
    agent->options.callbacks.on_message(agent->options.arg, agent, &message);
    script->is_telling = false;
}

void script_left(struct script *script)
{
    const struct agent *agent = script->agent;

    script->wants_notice = script->end_order != 0 && script->watch == NULL && !script->is_told &&
                           !script->is_noticed && !script->is_quiet &&
                           agent->options.callbacks.on_message != NULL &&
                           ending_is_error(run_ending(script->run));
}

void script_notify(struct script *script)
{
    struct agent *agent = script->agent;

    script->wants_notice = false;
    script->is_noticed = true;
    send_message(script, MESSAGE_NOTICE, bytes_none());
    script_trim(agent);
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

    (void)run;
    send_message(script, MESSAGE_WAKE, payload);
}

/* ---- calls ---- */

/* Neither a call nor a wake comes once the script was stopped, so none of a gone agent's. */

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct script *script = arg;
    struct agent *agent = script->agent;
    struct tool_call *tc = tool_call_new(call, &script->calls);

    (void)run;
    if (tc == NULL) {
        call_refuse(call, "the host has no memory for it");
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
    script_left(script);
    if (script->watch != NULL) {
        script->watch->due_ms = 0;
    }
    agents_arm(agent->agents); /* its watch returns, its notice goes, a gone agent is swept */
    if (o->callbacks.on_ended != NULL && !agent->is_gone) {
        o->callbacks.on_ended(o->arg, script->id, ending); /* it may free the script */
    }
    script_trim(agent);
}

static void put_first_line(struct buf *out, struct bytes code)
{
    struct bytes line = code;

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
    while (line.len > 0 && words_is_blank(line.ptr[line.len - 1])) {
        line.len--;
    }
    words_put_first(out, line, LINE_CHARS, WORDS_ONE_LINE);
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

/* Why it was not started; what runs, and what may help, where there was no place. */
static void refuse_start(struct watch *watch, int error, struct bytes sentence)
{
    struct buf *out = &watch->refusal;
    size_t from = out->len;

    buf_put_str(out, "The script was not started: ");
    words_put_plain(out, sentence, WORDS_AS_IS);
    words_put_stop(out, from);
    if (error == -EBUSY) {
        buf_put_str(out, watch->agent->n_running > 0 ? " Wait for one of yours or stop one."
                                                     : " Try again later.");
        text_running(out, watch->agent);
    }
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
    int r;

    if (script == NULL) {
        buf_put_str(&watch->refusal, "The host has no memory for another script.");
        return false;
    }
    r = run_start(agent->agents->host, &run, &script->run, &sentence);
    if (r < 0) {
        refuse_start(watch, r, buf_bytes(&sentence));
        script_free(script);
        return false;
    }
    script->tools = agent->options.tools;
    script->turn = watch->turn;
    script->watch = watch;
    watch->script = script;
    append(agent, script);
    agents_tell(agent->agents, EVENT_SCRIPT, script->run, (int64_t)script->turn,
                bytes_str(script->id));
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

/* Whether a script is past those that the agent keeps. One that is watched stays until that has
 * returned; one whose notice waits for a wake to be delivered stays longer, but not for ever. */
static bool is_past(const struct agent *agent, const struct script *script)
{
    size_t max = agent->is_gone ? 0 : agent->options.max_kept;
    size_t n_later = 0;

    if (script->end_order == 0 || script->watch != NULL || script->is_telling) {
        return false;
    }
    for (const struct script *s = agent->scripts; s != NULL; s = s->next) {
        n_later += s->end_order > script->end_order;
    }
    return n_later >= (script->wants_notice ? max + MAX_UNTOLD : max);
}

void script_trim(struct agent *agent)
{
    struct script **at = &agent->scripts;

    while (*at != NULL) {
        struct script *script = *at;

        if (is_past(agent, script)) {
            *at = script->next;
            script_free(script);
        } else {
            at = &script->next;
        }
    }
}
