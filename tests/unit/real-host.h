/* SPDX-License-Identifier: MIT
 *
 * A real host with the real warden (BIN names its folder), for tests that look inside it: one
 * loop, one tool "t", scripts whose calls are held until they are answered.
 */
#ifndef TESTS_UNIT_REAL_HOST_H
#define TESTS_UNIT_REAL_HOST_H

#include "base/mem.h"
#include "host/inside.h"
#include "unit/t.h"

#include <stdlib.h>

struct one {
    struct run *run;
    struct call *held; /* NULL: it has not called, or was answered */
    bool is_over;
    enum ending_kind kind;
    char reason[32];
    char message[512];
};

static uv_loop_t loop;
static struct host *host;
static struct toolset *tools;

static void hold_call(void *arg, struct run *run, struct call *call)
{
    struct one *one = arg;

    (void)run;
    one->held = call;
}

/* It is answered all the same, later: that frees it. */
static void keep_holding(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    (void)call;
}

static void note_end(void *arg, struct run *run, const struct ending *e)
{
    struct one *one = arg;

    (void)run;
    one->is_over = true;
    one->kind = e->kind;
    snprintf(one->reason, sizeof one->reason, "%.*s", (int)e->reason.len,
             (const char *)e->reason.ptr);
    snprintf(one->message, sizeof one->message, "%.*s", (int)e->error_message.len,
             (const char *)e->error_message.ptr);
}

static void set_true(void *arg)
{
    *(bool *)arg = true;
}

static bool turn(void)
{
    return uv_run(&loop, UV_RUN_ONCE) != 0;
}

/* At most this tier; 0: the best. */
static void open_host(char tier, unsigned ready)
{
    char path[4096];
    const char *folder = getenv("BIN");
    struct tool tool = {.name = bytes_str("t"),
                        .description = bytes_none(),
                        .input_schema = bytes_none(),
                        .output_schema = bytes_none()};
    struct host_options options = HOST_OPTIONS_DEFAULT;

    snprintf(path, sizeof path, "%s/torno-warden", folder != NULL ? folder : "build");
    uv_loop_init(&loop);
    options.loop = &loop;
    options.warden_path = path;
    options.max_tier = tier;
    options.ready_cells = ready;
    T_EQ(toolset_new(&tool, 1, &tools, NULL), 0);
    T_EQ(host_new(&options, &host, NULL), 0);
}

static void close_host(void)
{
    bool is_closed = false;

    host_close(host, set_true, &is_closed);
    while (!is_closed && turn()) {
    }
    host_free(host);
    uv_run(&loop, UV_RUN_DEFAULT);
    toolset_free(tools);
    T_EQ(uv_loop_close(&loop), 0);
}

static int try_start(struct one *one, const char *code, const struct limits *limits)
{
    struct run_input input = {
        .code = bytes_str(code),
        .language = WIRE_JAVASCRIPT,
        .tools = tools,
        .limits = limits != NULL ? *limits : limits_default(),
        .callbacks = {.on_call = hold_call, .on_cancel = keep_holding, .on_ended = note_end},
        .arg = one};

    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    int r;

    *one = (struct one){.run = NULL};
    r = run_start(host, &input, &one->run, &sentence);
    if (r != 0) {
        snprintf(one->message, sizeof one->message, "%s", buf_str(&sentence));
    }
    return r;
}

static void answer(struct one *one)
{
    struct call *call = one->held;

    one->held = NULL;
    if (call != NULL) {
        call_reply(call, bytes_str("{\"content\":[]}"));
    }
}

/* Answers what is held, waits for the end and checks it. */
static void ends(struct one *one, enum ending_kind kind, const char *reason, const char *part)
{
    bool is_right;

    answer(one);
    while (!one->is_over && turn()) {
    }
    is_right =
        one->kind == kind && strcmp(one->reason, reason) == 0 && strstr(one->message, part) != NULL;
    if (!is_right) {
        fprintf(stderr, "  %s (%s): %s\n", ending_name(one->kind), one->reason, one->message);
    }
    T_OK(is_right);
    run_free(one->run);
}

#endif
