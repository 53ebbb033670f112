/* SPDX-License-Identifier: MIT
 *
 * include/torno.h: one script without an agent's rules.
 */
#include "agent/api.h"

#include "agent/inside.h"
#include "base/mem.h"

#include <errno.h>

enum { SENTENCE_BYTES = 64 * 1024, MAX_ENDING_BYTES = 1 << 30 };

struct torno_script {
    struct torno_host *host;
    struct run *run;
    struct torno_run_options options;
    struct api_tool *tools;
    struct toolset *set;
    struct tool_call *calls;
};

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct torno_script *script = arg;
    struct tool_call *tc = tool_call_new(call, &script->calls);

    (void)run;
    if (tc == NULL) {
        call_refuse(call, "the host has no memory for it");
        return;
    }
    api_on_call(tc);
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    struct torno_script *script = arg;
    struct tool_call *tc = tool_call_find(script->calls, call);

    (void)run;
    if (tc != NULL) {
        api_on_cancel(tc);
    }
}

static void on_output(void *arg, struct run *run, struct bytes text)
{
    struct torno_script *script = arg;

    (void)run;
    script->options.on_output(script->options.arg, api_text(text));
}

static void on_wake(void *arg, struct run *run, struct bytes payload)
{
    struct torno_script *script = arg;

    (void)run;
    script->options.on_wake(script->options.arg, script, api_text(payload));
}

static void on_ended(void *arg, struct run *run, const struct ending *e)
{
    _cleanup_(buf_done) struct buf json = buf_max(MAX_ENDING_BYTES);
    struct torno_script *script = arg;
    struct torno_ending ending = {
        .size = sizeof ending,
        .kind = ending_name(e->kind),
        .reason = api_text(e->reason),
        .value = api_text(e->value),
        .name = api_text(e->error_name),
        .message = api_text(e->error_message),
    };

    (void)run;
    structure_ending(&json, e);
    ending.json = api_text(buf_bytes(&json));
    script->host->n_scripts--;
    script->options.on_ended(script->options.arg, script, &ending);
}

static int check_options(const struct torno_run_options *o)
{
    if (o == NULL || o->size != sizeof *o) {
        return api_fail(-EINVAL, "torno_run_options.size is not that of this library's version: "
                                 "start from TORNO_RUN_OPTIONS");
    }
    if (o->on_ended == NULL || (o->code == NULL && o->code_len > 0)) {
        return api_fail(-EINVAL, "a script needs code and on_ended");
    }
    if (o->language != NULL && strcmp(o->language, "javascript") != 0 &&
        strcmp(o->language, "python") != 0) {
        return api_fail(-EINVAL, "language must be \"javascript\" or \"python\"");
    }
    return 0;
}

static int take_limits(const struct torno_run_options *o, struct limits *ret)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    int r = 0;

    *ret = limits_default();
    for (size_t i = 0; r == 0 && i < o->n_limits; i++) {
        r = limits_parse(ret, o->limits[i], &sentence);
    }
    return r < 0 ? api_fail(r, buf_str(&sentence)) : 0;
}

static int take_tools(struct torno_script *script)
{
    struct api_tool **end = &script->tools;
    struct toolset_room room = {0};
    int r = 0;

    for (size_t i = 0; r == 0 && i < script->options.n_tools; i++) {
        r = api_tool_new(&script->options.tools[i], &room, end);
        end = r == 0 ? &(*end)->next : end;
    }
    return r < 0 ? r : api_toolset(script->tools, &script->set);
}

static int start(struct torno_script *script)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    const struct torno_run_options *o = &script->options;
    bool is_python = o->language != NULL && strcmp(o->language, "python") == 0;
    struct run_input input = {
        .code = bytes_of(o->code, o->code_len),
        .language = is_python ? WIRE_PYTHON : WIRE_JAVASCRIPT,
        .callbacks = {.on_call = on_call,
                      .on_cancel = on_cancel,
                      .on_output = o->on_output == NULL ? NULL : on_output,
                      .on_wake = o->on_wake == NULL ? NULL : on_wake,
                      .on_ended = on_ended},
        .arg = script,
    };
    int r = take_limits(o, &input.limits);

    if (r == 0) {
        r = take_tools(script);
    }
    if (r < 0) {
        return r;
    }
    input.tools = script->set;
    r = run_start(script->host->host, &input, &script->run, &sentence);
    return r < 0 ? api_fail(r, buf_str(&sentence)) : 0;
}

int torno_run(struct torno_host *host, const struct torno_run_options *options,
              struct torno_script **ret_script)
{
    struct torno_script *script;
    int r;

    if (host == NULL || ret_script == NULL) {
        return api_fail(-EINVAL, "host and ret_script must not be NULL");
    }
    r = check_options(options);
    if (r < 0) {
        return r;
    }
    script = mem_new(sizeof *script);
    if (script == NULL) {
        return api_fail(-ENOMEM, "there is no memory for another script");
    }
    *script = (struct torno_script){.host = host, .options = *options};
    r = start(script);
    if (r < 0) {
        torno_script_free(script);
        return r;
    }
    host->n_scripts++;
    *ret_script = script;
    return 0;
}

void torno_script_stop(struct torno_script *script)
{
    run_stop(script->run);
}

void torno_script_kill(struct torno_script *script)
{
    run_kill(script->run);
}

void torno_script_delivered(struct torno_script *script, bool is_delivered)
{
    run_wake_done(script->run, is_delivered);
}

void torno_script_free(struct torno_script *script)
{
    if (script == NULL) {
        return;
    }
    tool_calls_forget(&script->calls);
    run_free(script->run);
    toolset_free(script->set);
    api_tools_free(script->tools);
    mem_free(script);
}
