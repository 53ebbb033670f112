/* SPDX-License-Identifier: MIT
 *
 * include/torno.h: hosts, tools and calls.
 *
 * Arguments are checked and answered with -EINVAL and a sentence; nothing prints, nothing exits.
 */
#include "agent/api.h"

#include "base/mem.h"
#include "host/toolset.h"
#include "json/json.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SENTENCE_BYTES = 4096, MAX_SCRIPTS = 1024 };

static _Thread_local char last_error[1024];

int api_fail(int code, const char *sentence)
{
    snprintf(last_error, sizeof last_error, "%s", sentence);
    return code;
}

const char *torno_error(void)
{
    return last_error;
}

const char *torno_version(void)
{
    return TORNO_VERSION;
}

struct torno_text api_text(struct bytes bytes)
{
    return (struct torno_text){.ptr = (const char *)bytes.ptr, .len = bytes.len};
}

/* ---- the helper ---- */

static char *try_path(const char *folder, size_t len, const char *rest)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%.*s%s", (int)len, folder, rest);
    return access(path, X_OK) == 0 ? mem_str(bytes_str(path)) : NULL;
}

/* Beside the file that holds this code, library or program. Never from the environment, since the
 * helper raises the walls. */
int api_warden_path(char **ret_path)
{
    static const char *const places[] = {"torno-warden", "../libexec/torno/torno-warden",
                                         "../../libexec/torno/torno-warden"};
    char real[PATH_MAX];
    const char *file = "/proc/self/exe"; /* what a program was started as may be no path */
    const char *slash;
    Dl_info info;

    if (dladdr((const void *)places, &info) != 0 && info.dli_fname[0] == '/') {
        file = info.dli_fname;
    }
    slash = realpath(file, real) == NULL ? NULL : strrchr(real, '/');
    if (slash == NULL) {
        return api_fail(-ENOENT, "the helper torno-warden cannot be looked for: where this "
                                 "library lies is not known; set warden_path");
    }
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        *ret_path = try_path(real, (size_t)(slash - real) + 1, places[i]);
        if (*ret_path != NULL) {
            return 0;
        }
    }
    *ret_path = try_path("", 0, TORNO_PREFIX "/libexec/torno/torno-warden");
    return *ret_path != NULL
               ? 0
               : api_fail(-ENOENT, "the helper torno-warden is missing: it belongs in "
                                   "libexec/torno/ beside the library's folder; install torno "
                                   "again, or set warden_path");
}

/* ---- hosts ---- */

static void on_event(void *arg, const struct event *event)
{
    struct torno_host *host = arg;
    struct torno_event e = {
        .size = sizeof e,
        .type = event_name(event->type),
        .mono_us = event->mono_us,
        .wall_ms = event->wall_ms,
        .run = event->run,
        .cell = event->cell,
        .number = event->number,
        .text = api_text(event->text),
    };

    host->options.on_event(host->options.arg, &e);
}

static int check_host_options(const struct torno_host_options *o)
{
    if (o->size != sizeof *o) {
        return api_fail(-EINVAL, "torno_host_options.size is not that of this library's version: "
                                 "start from TORNO_HOST_OPTIONS");
    }
    if (o->max_scripts < 1 || o->max_scripts > MAX_SCRIPTS) {
        return api_fail(-ERANGE, "max_scripts must be between 1 and 1,024");
    }
    if (o->ready_cells > o->max_scripts) {
        return api_fail(-ERANGE, "ready_cells must be at most max_scripts");
    }
    return 0;
}

static void on_closed(void *arg)
{
    *(bool *)arg = true;
}

static int start_host(struct torno_host *host)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    _cleanup_(free_p) char *path = NULL;
    struct host_options options = {
        .loop = &host->loop,
        .ready_cells = host->options.ready_cells,
        .max_cells = host->options.max_scripts,
        .memory = host->options.memory,
        .on_event = host->options.on_event == NULL ? NULL : on_event,
        .event_arg = host,
    };
    int r = 0;

    if (host->options.warden_path == NULL) {
        r = api_warden_path(&path);
    }
    if (r < 0) {
        return r;
    }
    options.warden_path = path != NULL ? path : host->options.warden_path;
    r = host_new(&options, &host->host, &sentence);
    return r < 0 ? api_fail(r, buf_str(&sentence)) : 0;
}

int torno_host_new(const struct torno_host_options *options, struct torno_host **ret_host)
{
    static const struct torno_host_options defaults = TORNO_HOST_OPTIONS;
    struct torno_host *host;
    int r = ret_host == NULL ? api_fail(-EINVAL, "ret_host must not be NULL")
                             : check_host_options(options == NULL ? &defaults : options);

    if (r < 0) {
        return r;
    }
    host = mem_new(sizeof *host);
    if (host == NULL) {
        return api_fail(-ENOMEM, "there is no memory for a host");
    }
    host->options = options == NULL ? defaults : *options;
    if (uv_loop_init(&host->loop) < 0) {
        mem_free(host);
        return api_fail(-EMFILE, "there is no descriptor left for the host's loop");
    }
    r = start_host(host);
    if (r == 0) {
        r = agents_new(&(struct agents_options){.host = host->host, .loop = &host->loop},
                       &host->agents);
        r = r < 0 ? api_fail(r, "there is no memory or no randomness for the host's agents") : r;
    }
    if (r < 0) {
        torno_host_free(host);
        return r;
    }
    *ret_host = host;
    return 0;
}

void torno_host_free(struct torno_host *host)
{
    if (host == NULL) {
        return;
    }
    if (host->is_inside) {
        api_fail(-EDEADLK, "a host cannot be freed from one of its callbacks: nothing was done");
        return;
    }
    host->is_inside = true;
    host->is_freeing = true;
    host->is_agents_closed = host->agents == NULL;
    host->is_host_closed = host->host == NULL;
    while (host->open != NULL) {
        torno_agent_close(host->open, NULL, NULL);
    }
    if (host->agents != NULL) {
        agents_close(host->agents, on_closed, &host->is_agents_closed);
    }
    if (host->host != NULL) {
        host_close(host->host, on_closed, &host->is_host_closed);
    }
    host->is_inside = true;
    while (!host->is_agents_closed || !host->is_host_closed) {
        uv_run(&host->loop, UV_RUN_ONCE);
    }
    uv_run(&host->loop, UV_RUN_DEFAULT); /* what is left only closes */
    agents_free(host->agents);
    host_free(host->host);
    api_free_dead(host);
    uv_loop_close(&host->loop);
    mem_free(host);
}

int torno_host_fd(const struct torno_host *host)
{
    return uv_backend_fd(&host->loop);
}

int torno_host_timeout_ms(const struct torno_host *host)
{
    uv_update_time((uv_loop_t *)(uintptr_t)&host->loop);
    return uv_backend_timeout(&host->loop);
}

/* Does what is due, once; not from a callback, which the loop called. */
static int turn_loop(struct torno_host *host)
{
    if (host == NULL) {
        return api_fail(-EINVAL, "host must not be NULL");
    }
    if (host->is_inside) {
        return api_fail(-EDEADLK, "a host cannot be dispatched from one of its callbacks");
    }
    host->is_inside = true;
    uv_run(&host->loop, UV_RUN_NOWAIT);
    host->is_inside = false;
    return 0;
}

int torno_host_dispatch(struct torno_host *host)
{
    return turn_loop(host);
}

int torno_host_run(struct torno_host *host)
{
    int r;

    if (host == NULL) {
        return api_fail(-EINVAL, "host must not be NULL");
    }
    if (!host->is_inside) {
        host->is_broken = false;
    }
    r = turn_loop(host);
    while (r == 0 && !host->is_broken && (host->n_scripts > 0 || agents_busy(host->agents) > 0)) {
        struct pollfd p = {.fd = torno_host_fd(host), .events = POLLIN};

        /* Not UV_RUN_ONCE: that waits for a descriptor even where a timer has done the work. */
        if (poll(&p, 1, torno_host_timeout_ms(host)) < 0 && errno != EINTR) {
            return api_fail(-errno, "the host's descriptor cannot be polled");
        }
        r = turn_loop(host);
    }
    return r;
}

void torno_host_break(struct torno_host *host)
{
    host->is_broken = true;
}

const char *torno_host_walls(const struct torno_host *host)
{
    const char *error = host_error(host->host);

    return error[0] != '\0' ? error : host_walls(host->host);
}

/* ---- tools ---- */

static char *copy(const char *text)
{
    return text == NULL ? NULL : mem_str(bytes_str(text));
}

static struct bytes or_none(const char *text)
{
    return text == NULL ? bytes_none() : bytes_str(text);
}

int api_tool_new(const struct torno_tool *tool, struct toolset_room *room, struct api_tool **ret)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    struct api_tool *t;
    int r;

    if (tool == NULL || tool->size != sizeof *tool) {
        return api_fail(-EINVAL, "torno_tool.size is not that of this library's version: start "
                                 "from TORNO_TOOL");
    }
    if (tool->name == NULL || tool->name[0] == '\0' || tool->handlers.on_call == NULL) {
        return api_fail(-EINVAL, "a tool needs a name and on_call");
    }
    t = mem_new(sizeof *t);
    if (t == NULL) {
        return api_fail(-ENOMEM, "there is no memory for another tool");
    }
    *t = (struct api_tool){.name = copy(tool->name),
                           .description = copy(tool->description),
                           .input_schema = copy(tool->input_schema),
                           .output_schema = copy(tool->output_schema),
                           .handlers = tool->handlers,
                           .arg = tool->arg};
    t->tool = (struct tool){.name = or_none(t->name),
                            .description = or_none(t->description),
                            .input_schema = or_none(t->input_schema),
                            .output_schema = or_none(t->output_schema),
                            .data = t};
    r = t->name == NULL ? -ENOMEM : toolset_admit(room, &t->tool, &sentence);
    if (r < 0) {
        r = r == -EMSGSIZE ? -EINVAL : r;
        api_fail(r, sentence.len > 0 ? buf_str(&sentence) : "there is no memory for another tool");
        api_tools_free(t);
        return r;
    }
    *ret = t;
    return 0;
}

void api_tools_free(struct api_tool *tools)
{
    while (tools != NULL) {
        struct api_tool *t = tools;

        tools = t->next;
        mem_free(t->name);
        mem_free(t->description);
        mem_free(t->input_schema);
        mem_free(t->output_schema);
        mem_free(t);
    }
}

int api_toolset(const struct api_tool *tools, struct toolset **ret)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    struct tool *array;
    size_t n = 0;
    int r;

    for (const struct api_tool *t = tools; t != NULL; t = t->next) {
        n++;
    }
    array = mem_array(n + 1, sizeof *array);
    if (array == NULL) {
        return api_fail(-ENOMEM, "there is no memory for the tools");
    }
    n = 0;
    for (const struct api_tool *t = tools; t != NULL; t = t->next) {
        array[n++] = t->tool;
    }
    r = toolset_new(array, n, ret, &sentence);
    mem_free(array);
    return r < 0 ? api_fail(r, buf_str(&sentence)) : 0;
}

/* ---- calls ---- */

void api_on_call(struct tool_call *call)
{
    const struct api_tool *tool = tool_call_data(call);

    tool->handlers.on_call(tool->arg, (struct torno_call *)call);
}

void api_on_cancel(struct tool_call *call)
{
    const struct api_tool *tool = tool_call_data(call);

    if (tool->handlers.on_cancel != NULL) {
        tool->handlers.on_cancel(tool->arg, (struct torno_call *)call);
    }
}

static const struct tool_call *inner(const struct torno_call *call)
{
    return (const struct tool_call *)call;
}

uint32_t torno_call_id(const struct torno_call *call)
{
    return tool_call_id(inner(call));
}

struct torno_text torno_call_tool(const struct torno_call *call)
{
    return api_text(tool_call_name(inner(call)));
}

struct torno_text torno_call_arguments(const struct torno_call *call)
{
    return api_text(tool_call_arguments(inner(call)));
}

const char *torno_call_script_id(const struct torno_call *call)
{
    return tool_call_script(inner(call));
}

uint64_t torno_call_turn(const struct torno_call *call)
{
    return tool_call_turn(inner(call));
}

size_t torno_call_result_max_chars(const struct torno_call *call)
{
    return tool_call_result_max_chars(inner(call));
}

int torno_call_reply(struct torno_call *call, const char *json, size_t len)
{
    return tool_reply((struct tool_call *)call, bytes_of(json, len)) == 0
               ? 0
               : api_fail(-EINVAL, "the answer is no JSON object, is nested too deep, or is longer "
                                   "than a third of the script's memory: the script was told so");
}

void torno_call_reply_text(struct torno_call *call, const char *text, size_t len, bool is_error)
{
    _cleanup_(buf_done) struct buf json = buf_max(SIZE_MAX / 2);

    buf_put_str(&json, "{\"content\":[{\"type\":\"text\",\"text\":");
    json_put_str(&json, bytes_of(text, len));
    buf_put_str(&json, is_error ? "}],\"isError\":true}" : "}]}");
    if (buf_fault(&json) < 0) {
        torno_call_fail(call, "the host had no memory for the answer");
        return;
    }
    tool_reply((struct tool_call *)call, buf_bytes(&json));
}

void torno_call_fail(struct torno_call *call, const char *sentence)
{
    tool_fail((struct tool_call *)call, sentence == NULL ? "the tool failed" : sentence);
}

void torno_call_refuse(struct torno_call *call, const char *sentence)
{
    tool_refuse((struct tool_call *)call, sentence == NULL ? "it was refused" : sentence);
}
