/* SPDX-License-Identifier: MIT
 *
 * What the host's functions promise their caller, against well-behaved cells: refusals, when
 * callbacks run, calls that outlive their run, closing at any moment. Included by
 * tests/hostile-test.c alone, which makes the stand-in's file.
 */
#ifndef HOSTILE_API_H
#define HOSTILE_API_H

#include "base/buf.h"
#include "base/mem.h"
#include "host/host.h"

#include <errno.h>
#include <signal.h>

enum { API_RUNS = 16 };

struct api {
    uv_loop_t loop;
    uv_timer_t timer;
    struct host *host;
    struct toolset *tools;
    struct run *runs[API_RUNS];
    struct call *held;
    struct buf *fault;
    bool is_inside; /* one of our own calls into the host is under way */
    bool holds;
    bool is_closed;
    int n_ended;
    int n_cancelled;
    int n_started;
    enum ending_kind kind;
    char events[64]; /* a letter for each type, in order of their first */
    void (*on_tick)(struct api *api);
    void (*on_end)(struct api *api);
};

static void api_check(struct api *api, bool is_ok, const char *what)
{
    if (!is_ok) {
        buf_printf(api->fault, "    not so: %s\n", what);
    }
}

#define API_OK(api, condition) api_check((api), (condition), #condition)

static void api_on_closed(void *arg)
{
    struct api *api = arg;

    api_check(api, !api->is_inside, "on_closed comes from the loop");
    api->is_closed = true;
}

static void api_close(struct api *api)
{
    api->is_inside = true;
    if (!uv_is_closing((uv_handle_t *)&api->timer)) {
        uv_close((uv_handle_t *)&api->timer, NULL);
    }
    host_close(api->host, api_on_closed, api);
    api->is_inside = false;
}

static void api_on_call(void *arg, struct run *run, struct call *call)
{
    struct api *api = arg;

    api_check(api, !api->is_inside, "on_call comes from the loop");
    api_check(api, call_run(call) == run, "the call is of the run");
    API_OK(api, bytes_is(call_arguments(call), "{\"n\":1}"));
    if (api->holds) {
        api->held = call;
        return;
    }
    api->is_inside = true;
    call_reply(call, bytes_str("{\"content\":[]}"));
    api->is_inside = false;
}

static void api_on_cancel(void *arg, struct run *run, struct call *call)
{
    struct api *api = arg;

    (void)run;
    api_check(api, !api->is_inside, "on_cancel comes from the loop");
    api_check(api, call == api->held, "the cancelled call is the one that is held");
    api->n_cancelled++;
}

static void api_on_ended(void *arg, struct run *run, const struct ending *ending)
{
    struct api *api = arg;

    api_check(api, !api->is_inside, "on_ended comes from the loop");
    api_check(api, !api->is_closed, "on_ended comes before on_closed");
    api_check(api, run_ending(run) == ending, "the ending is the run's");
    api->kind = ending->kind;
    api->n_ended++;
    run_free(run);
    if (api->on_end != NULL) {
        api->on_end(api);
    }
}

static void api_on_event(void *arg, const struct event *event)
{
    struct api *api = arg;
    char letter = "?WRSCAOKED"[event->type];
    size_t n = strlen(api->events);

    api_check(api, !api->is_inside, "on_event comes from the loop");
    api_check(api, event->mono_us > 0 && event->wall_ms > 0, "an event has both times");
    if (strchr(api->events, letter) == NULL && n + 1 < sizeof api->events) {
        api->events[n] = letter;
    }
}

static int api_start_with(struct api *api, const struct run_input *input, struct buf *sentence)
{
    struct run *run = NULL;
    int r;

    api->is_inside = true;
    r = run_start(api->host, input, &run, sentence);
    api->is_inside = false;
    if (r == 0) {
        api->runs[api->n_started] = run;
        api->n_started++;
    }
    return r;
}

static struct run_input api_input(struct api *api)
{
    return (struct run_input){
        .code = bytes_str("0"),
        .language = WIRE_JAVASCRIPT,
        .tools = api->tools,
        .limits = limits_default(),
        .callbacks = {.on_call = api_on_call, .on_cancel = api_on_cancel, .on_ended = api_on_ended},
        .arg = api,
    };
}

static void api_start(struct api *api)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    struct run_input input = api_input(api);

    api_check(api, api_start_with(api, &input, &sentence) == 0, buf_str(&sentence));
}

static void api_refused(struct api *api, const struct run_input *input, int code, const char *part)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);

    api_check(api, api_start_with(api, input, &sentence) == -code, part);
    api_check(api, strstr(buf_str(&sentence), part) != NULL, buf_str(&sentence));
}

static void api_on_timer(uv_timer_t *timer)
{
    struct api *api = timer->data;

    api->on_tick(api);
}

static void api_after(struct api *api, uint64_t ms, void (*on_tick)(struct api *api))
{
    api->on_tick = on_tick;
    uv_timer_start(&api->timer, api_on_timer, ms, 0);
}

/* ---- the cases ---- */

static void api_refusals(struct api *api)
{
    struct run_input input = api_input(api);

    input.code = bytes_str("a\xFF");
    api_refused(api, &input, EINVAL, "not UTF-8 text (byte 1)");
    input = api_input(api);
    input.limits.max_code = 1;
    input.code = bytes_str("12");
    api_refused(api, &input, EMSGSIZE, "max_code (1)");
    input = api_input(api);
    input.language = WIRE_PYTHON;
    api_refused(api, &input, EINVAL, "JavaScript");
    input = api_input(api);
    input.limits.memory = 5000000;
    api_refused(api, &input, ERANGE, "memory");
    api_close(api);
    input = api_input(api);
    api_refused(api, &input, EHOSTDOWN, "closing");
    API_OK(api, api->n_ended == 0);
}

/* All places taken, one run more, then all end: the answers come in any order. */
static void api_all_ended(struct api *api)
{
    if (api->n_ended == API_RUNS) {
        API_OK(api, api->kind == ENDING_FINISHED);
        api_close(api);
    }
}

static void api_busy(struct api *api)
{
    struct run_input input = api_input(api);

    for (int i = 0; i < API_RUNS; i++) {
        api_start(api);
    }
    api_refused(api, &input, EBUSY, "all 16 places");
    api->on_end = api_all_ended;
}

/* A call is answered after its run was freed. */
static void api_answer_late(struct api *api)
{
    API_OK(api, api->n_ended == 1);
    API_OK(api, api->n_cancelled == 1);
    API_OK(api, api->kind == ENDING_STOPPED);
    if (api->held != NULL) {
        API_OK(api, call_run(api->held) == NULL);
        API_OK(api, bytes_is(call_arguments(api->held), "{\"n\":1}"));
        call_reply(api->held, bytes_str("{\"content\":[]}"));
    }
    api_close(api);
}

static void api_kill_held(struct api *api)
{
    API_OK(api, api->held != NULL);
    api->is_inside = true;
    run_kill(api->runs[0]);
    run_kill(api->runs[0]);
    run_stop(api->runs[0]);
    api->is_inside = false;
    api_after(api, 200, api_answer_late);
}

static void api_orphan(struct api *api)
{
    api->holds = true;
    api_start(api);
    api_after(api, 200, api_kill_held);
}

/* The same, and it is never answered: the host frees it. */
static void api_never_answered(struct api *api)
{
    api->holds = true;
    api_start(api);
    api_after(api, 200, api_close);
}

static void api_close_at_once(struct api *api)
{
    api_start(api);
    api_close(api);
    api_close(api);
}

static void api_stop_at_once(struct api *api)
{
    api_start(api);
    api->is_inside = true;
    run_stop(api->runs[0]);
    api->is_inside = false;
    api->on_end = api_close;
}

static void api_events_end(struct api *api)
{
    /* Walls up, cell ready, started, call, answered, then the death and the ending. */
    api_check(api, strcmp(api->events, "WRSCADE") == 0, api->events);
    api_close(api);
}

static void api_event_order(struct api *api)
{
    api_start(api);
    api->on_end = api_events_end;
}

/* The embedding program has its children reaped by the kernel. */
static void api_ignored_children(struct api *api)
{
    api_start(api);
    api->on_end = api_close;
}

static const struct api_case {
    const char *name;
    void (*run)(struct api *api);
    int n_ended; /* endings in all */
    enum ending_kind kind;
    bool ignores_children;
} api_cases[] = {
    {"api-refusals", api_refusals, 0, ENDING_FINISHED, false},
    {"api-busy", api_busy, API_RUNS, ENDING_FINISHED, false},
    {"api-orphan", api_orphan, 1, ENDING_STOPPED, false},
    {"api-never-answered", api_never_answered, 1, ENDING_STOPPED, false},
    {"api-close-at-once", api_close_at_once, 1, ENDING_STOPPED, false},
    {"api-stop-at-once", api_stop_at_once, 1, ENDING_STOPPED, false},
    {"api-events", api_event_order, 1, ENDING_FINISHED, false},
    {"api-ignored-children", api_ignored_children, 1, ENDING_FINISHED, true},
};

/* Every cell of this host asks one call and finishes. */
static const char api_script[] = "# for tests/hostile/api.h\nevery cell\ncell\nhello\nawait start\n"
                                 "call 1 add {\"n\":1}\nawait result\nseen 1 1\nending 1 1\n";

static void api_play(const struct api_case *c, const char *warden, struct buf *fault)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    struct host_options options = HOST_OPTIONS_DEFAULT;
    struct tool tool = {.name = bytes_str("add"),
                        .description = bytes_none(),
                        .input_schema = bytes_none(),
                        .output_schema = bytes_none()};
    struct api api = {.fault = fault};

    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = c->ignores_children ? SIG_IGN : SIG_DFL},
              NULL);
    uv_loop_init(&api.loop);
    uv_timer_init(&api.loop, &api.timer);
    api.timer.data = &api;
    options.loop = &api.loop;
    options.warden_path = warden;
    options.on_event = api_on_event;
    options.event_arg = &api;
    api_check(&api, toolset_new(&tool, 1, &api.tools, &sentence) == 0, "the toolset is made");
    api_check(&api, host_new(&options, &api.host, &sentence) == 0, buf_str(&sentence));
    if (api.host != NULL) {
        c->run(&api);
        uv_run(&api.loop, UV_RUN_DEFAULT);
    }
    API_OK(&api, api.is_closed);
    api_check(&api, api.n_ended == c->n_ended, "as many endings as runs");
    api_check(&api, c->n_ended == 0 || api.kind == c->kind, "the ending is of the right kind");
    host_free(api.host);
    toolset_free(api.tools);
    API_OK(&api, uv_loop_close(&api.loop) == 0);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

#endif
