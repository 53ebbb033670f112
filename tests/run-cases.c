/* SPDX-License-Identifier: MIT
 *
 * The case suite: runs every tests/cases/CHAPTER/NAME.js in a real cell, plays the host that
 * NAME.want describes, and compares what happened with it, line by line. The lines of a .want
 * are told in tests/cases/README. Two cases run at a time on one host.
 *
 *   run-cases [CHAPTER/NAME or a part of it...]    from the root of the repository
 *
 * The warden is $BIN/torno-warden, else build/torno-warden; TIER=B or C raises less. UPDATE=1
 * rewrites the .want files with what happened (lines with wildcards that still match stay). The
 * last line is "N passed, N failed".
 */
#include "base/mem.h"
#include "cases/answers.h"
#include "cases/case.h"
#include "cases/want.h"
#include "host/host.h"
#include "json/json.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { JOBS = 2, TIMEOUT_MS = 30000 }; /* one case computes for five seconds */

struct job {
    uv_timer_t timeout;
    uv_timer_t later;
    struct test *test;
};

static struct host *host;
static struct job jobs[JOBS];
static char **paths;
static size_t n_paths;
static size_t next_path;
static int passed;
static int failed;
static char **filters;

static void start_next(struct job *job);

/* ---- callbacks ---- */

static void flush_line(struct test *t)
{
    struct buf b = buf_max(MAX_TEXT);

    if (t->line.len == 0) {
        return;
    }
    if (!t->has_parts) {
        buf_put_str(&b, "~| ");
        put_shown(&b, buf_bytes(&t->line));
        add_have(t, &b);
    }
    buf_clear(&t->line);
}

static void on_output(void *arg, struct run *run, struct bytes text)
{
    struct test *t = arg;

    (void)run;
    for (size_t i = 0; i < text.len && !t->has_parts; i++) {
        if (text.ptr[i] == '\n') {
            struct buf b = buf_max(MAX_TEXT);

            buf_put_str(&b, "~ ");
            put_shown(&b, buf_bytes(&t->line));
            add_have(t, &b);
            buf_clear(&t->line);
        } else {
            buf_put_u8(&t->line, text.ptr[i]);
        }
    }
}

static const char *auto_answer(const struct test *t, struct bytes tool)
{
    for (size_t i = 0; i < t->n_tools; i++) {
        if (bytes_is(tool, t->tools[i].name)) {
            return t->tools[i].auto_answer;
        }
    }
    return NULL;
}

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct test *t = arg;
    const char *form = auto_answer(t, call_tool(call));
    struct buf b = buf_max(MAX_TEXT);

    (void)run;
    t->n_all++;
    t->n_now++;
    t->n_most = t->n_now > t->n_most ? t->n_now : t->n_most;
    if (t->n_all < MAX_CALLS) {
        t->calls[t->n_all] = call;
    }
    if (form != NULL) {
        give_answer(t, t->n_all, form);
        return;
    }
    flush_line(t);
    t->n_calls++;
    buf_put_str(&b, "> call ");
    buf_put_bytes(&b, call_tool(call));
    buf_put_str(&b, " ");
    put_shown(&b, call_arguments(call));
    add_have(t, &b);
    do_actions(t);
}

static void on_wake(void *arg, struct run *run, struct bytes payload)
{
    struct test *t = arg;
    struct buf b = buf_max(MAX_TEXT);

    flush_line(t);
    buf_put_str(&b, "> wake ");
    put_shown(&b, payload);
    add_have(t, &b);
    if (t->wakes == NULL || strcmp(t->wakes, "held") != 0) {
        run_wake_done(run, t->wakes == NULL);
    }
    do_actions(t);
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    struct test *t = arg;

    (void)run;
    for (size_t i = 0; i < MAX_CALLS; i++) {
        if (t->calls[i] == call && run_ending(run) != NULL) {
            t->calls[i] = NULL;
        }
    }
}

static void add_ending(struct test *t, const struct ending *e)
{
    struct buf b = buf_max(MAX_TEXT);

    if (e->kind == ENDING_FINISHED) {
        buf_put_str(&b, e->value.len > 0 ? "= " : "=");
        put_shown(&b, e->value);
        if (e->reason.len > 0) {
            add_have(t, &b);
            b = buf_max(MAX_TEXT);
            buf_put_str(&b, "@ cut ");
            put_shown(&b, e->error_message);
        }
    } else {
        buf_printf(&b, "! %s", ending_name(e->kind));
        buf_put_str(&b, e->reason.len > 0 ? "/" : "");
        buf_put_bytes(&b, e->reason);
        buf_put_str(&b, e->error_name.len > 0 ? " " : "");
        buf_put_bytes(&b, e->error_name);
        buf_put_str(&b, e->error_message.len > 0 ? ": " : "");
        put_shown(&b, e->error_message);
    }
    add_have(t, &b);
}

static void add_frames(struct test *t, const struct ending *e)
{
    struct buf b = buf_max(MAX_TEXT);

    buf_put_str(&b, "@ frames ");
    buf_put_bytes(&b, e->frames);
    add_have(t, &b);
}

static void add_notes(struct test *t, const struct ending *e)
{
    size_t at = 0;
    struct bytes item;

    while (e->notes.len > 0 && json_next(e->notes, &at, NULL, &item)) {
        struct buf b = buf_max(MAX_TEXT);

        buf_put_str(&b, "@ note ");
        put_shown(&b, item);
        add_have(t, &b);
    }
}

static void add_record(struct test *t, const struct ending *e)
{
    for (size_t i = 0; i < e->n_calls; i++) {
        const struct record_call *c = &e->calls[i];
        struct buf b = buf_max(MAX_TEXT);

        if (c->state == CALL_ANSWERED || c->state == CALL_FAILED) {
            continue;
        }
        buf_printf(&b, "@ call %u %.*s %s %s", c->id, (int)c->tool.len, (const char *)c->tool.ptr,
                   call_state_name(c->state), call_effect_name(c->effect));
        buf_put_str(&b, c->arguments.len > 0 ? " " : "");
        buf_put_bytes(&b, c->arguments);
        add_have(t, &b);
    }
}

static void add_wakes(struct test *t, const struct ending *e)
{
    struct buf b = buf_max(MAX_TEXT);

    if (e->wakes_sent > 0) {
        buf_printf(&b, "@ wakes sent %u handed %u delivered %u", e->wakes_sent, e->wakes_handed,
                   e->wakes_delivered);
        add_have(t, &b);
    }
}

static void add_parts(struct test *t)
{
    struct output_part part = run_take_output(t->run);
    struct buf b = buf_max(MAX_TEXT);

    buf_put_str(&b, "@ head ");
    put_shown(&b, part.head);
    add_have(t, &b);
    buf_printf(&b, "@ dropped %llu", (unsigned long long)part.dropped_characters);
    add_have(t, &b);
    buf_put_str(&b, "@ tail ");
    put_shown(&b, part.tail);
    add_have(t, &b);
}

static void add_end(struct test *t, const struct ending *e)
{
    struct buf b = buf_max(MAX_TEXT);

    flush_line(t);
    add_ending(t, e);
    if (t->has_frames) {
        add_frames(t, e);
    }
    add_notes(t, e);
    add_record(t, e);
    add_wakes(t, e);
    if (t->has_count) {
        buf_printf(&b, "@ calls %zu most %zu", t->n_all, t->n_most);
        add_have(t, &b);
    }
    if (t->has_parts) {
        add_parts(t);
    }
}

static void rewrite(const struct test *t)
{
    _cleanup_(buf_done) struct buf path = buf_max(PATH_MAX);
    FILE *f;

    path_of(t, ".want", &path);
    f = fopen(buf_str(&path), "w");
    if (f == NULL) {
        return;
    }
    for (size_t i = 0; i < t->head.n; i++) {
        fprintf(f, "%s\n", t->head.items[i]);
    }
    for (size_t i = 0; i < t->have.n; i++) {
        bool keeps = i < t->want.n && line_fits(t->want.items[i], t->have.items[i]);

        fprintf(f, "%s\n", keeps ? t->want.items[i] : t->have.items[i]);
    }
    fclose(f);
}

static void free_test(struct test *t)
{
    for (size_t i = 0; i < t->n_tools; i++) {
        mem_free(t->tools[i].name);
        mem_free(t->tools[i].schema);
        mem_free(t->tools[i].output_schema);
        mem_free(t->tools[i].description);
        mem_free(t->tools[i].auto_answer);
    }
    mem_free(t->tools);
    toolset_free(t->set);
    free_lines(&t->head);
    free_lines(&t->want);
    free_lines(&t->have);
    buf_done(&t->line);
    buf_done(&t->fault);
    mem_free(t->name);
    mem_free(t->code);
}

static void judge(struct test *t)
{
    bool is_good;

    if (t->has_timed_out) {
        buf_printf(&t->fault, "    it took more than %d ms and was killed\n", TIMEOUT_MS);
    }
    if (is_update && !t->has_timed_out) {
        rewrite(t);
    }
    is_good = is_as_wanted(t) && t->fault.len == 0;
    if (is_good) {
        passed++;
    } else {
        failed++;
        printf("FAIL %s\n%s", t->name, buf_str(&t->fault));
        fflush(stdout);
    }
}

/* A test's memory stays until the loop ends: a late answer may still point at it. */
static void end_test(struct job *job)
{
    struct test *t = job->test;

    uv_timer_stop(&job->timeout);
    uv_timer_stop(&job->later);
    judge(t);
    t->run = NULL;
    job->test = NULL;
    start_next(job);
}

static void on_ended(void *arg, struct run *run, const struct ending *e)
{
    struct test *t = arg;

    add_end(t, e);
    run_free(run);
    t->run = NULL;
    end_test(t->job);
}

static void on_timeout(uv_timer_t *timer)
{
    struct job *job = timer->data;

    if (job->test != NULL && job->test->run != NULL) {
        job->test->has_timed_out = true;
        run_kill(job->test->run);
    }
}

static void on_later(uv_timer_t *timer)
{
    struct job *job = timer->data;
    struct test *t = job->test;

    if (t == NULL || t->run == NULL) {
        return;
    }
    if (t->kill_ms >= 0) {
        run_kill(t->run);
    } else {
        run_stop(t->run);
    }
}

/* ---- jobs ---- */

static int start_run(struct test *t)
{
    struct run_input input = {
        .code = bytes_of(t->code, t->code_len),
        .language = WIRE_JAVASCRIPT,
        .tools = t->set,
        .limits = t->limits,
        .callbacks = {.on_call = on_call,
                      .on_cancel = on_cancel,
                      .on_output = on_output,
                      .on_wake =
                          t->wakes != NULL && strcmp(t->wakes, "nobody") == 0 ? NULL : on_wake,
                      .on_ended = on_ended},
        .arg = t,
    };
    _cleanup_(buf_done) struct buf sentence = buf_max(MAX_TEXT);
    struct buf line = buf_max(MAX_TEXT);
    int r = run_start(host, &input, &t->run, &sentence);

    if (r < 0) {
        buf_printf(&line, "! refused: %s", buf_str(&sentence));
        add_have(t, &line);
    }
    return r;
}

static struct test **tests;
static size_t n_tests;
static size_t cap_tests;

static struct test *new_test(const char *path)
{
    struct test *t = must(mem_new(sizeof *t));
    const char *name = path + strlen("tests/cases/");

    t->name = must(mem_str(bytes_of(name, strlen(name) - strlen(".js"))));
    t->limits = limits_default();
    t->line = buf_max(MAX_TEXT);
    t->fault = buf_max(MAX_TEXT);
    t->stop_ms = -1;
    t->kill_ms = -1;
    if (mem_reserve(&tests, &cap_tests, n_tests + 1, sizeof *tests) < 0) {
        must(NULL);
    }
    tests[n_tests] = t;
    n_tests++;
    return t;
}

static bool is_asked(const char *path)
{
    for (char **f = filters; *f != NULL; f++) {
        if (strstr(path, *f) != NULL) {
            return true;
        }
    }
    return *filters == NULL;
}

static void on_closed(void *arg)
{
    (void)arg;
}

static void finish_job(struct job *job)
{
    static int n_finished;

    uv_close((uv_handle_t *)&job->timeout, NULL);
    uv_close((uv_handle_t *)&job->later, NULL);
    n_finished++;
    if (n_finished == JOBS) {
        host_close(host, on_closed, NULL);
    }
}

static void start_next(struct job *job)
{
    struct test *t;

    while (next_path < n_paths && !is_asked(paths[next_path])) {
        next_path++;
    }
    if (next_path == n_paths) {
        finish_job(job);
        return;
    }
    t = new_test(paths[next_path]);
    next_path++;
    t->job = job;
    job->test = t;
    read_test(t);
    make_toolset(t);
    uv_timer_start(&job->timeout, on_timeout, TIMEOUT_MS, 0);
    if (start_run(t) < 0) {
        end_test(job);
    } else if (t->stop_ms >= 0 || t->kill_ms >= 0) {
        uv_timer_start(&job->later, on_later, (uint64_t)(t->kill_ms >= 0 ? t->kill_ms : t->stop_ms),
                       0);
    }
}

static int open_host(void)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(MAX_TEXT);
    _cleanup_(buf_done) struct buf warden = buf_max(PATH_MAX);
    const char *bin = getenv("BIN");
    const char *tier = getenv("TIER");
    struct host_options options = HOST_OPTIONS_DEFAULT;
    int r;

    buf_printf(&warden, "%s/torno-warden", bin == NULL ? "build" : bin);
    options.loop = &loop;
    options.warden_path = buf_str(&warden);
    options.max_tier = tier == NULL ? '\0' : tier[0];
    r = host_new(&options, &host, &sentence);
    if (r < 0) {
        fprintf(stderr, "run-cases: %s\n", buf_str(&sentence));
    }
    return r;
}

int main(int argc, char **argv)
{
    glob_t found = {0};

    (void)argc;
    filters = argv + 1;
    is_update = getenv("UPDATE") != NULL;
    if (glob("tests/cases/*/*.js", 0, NULL, &found) != 0) {
        fputs("run-cases: no tests/cases here; run it from the root of the repository\n", stderr);
        return 2;
    }
    paths = found.gl_pathv;
    n_paths = found.gl_pathc;
    uv_loop_init(&loop);
    if (open_host() < 0) {
        return 2;
    }
    for (size_t i = 0; i < JOBS; i++) {
        uv_timer_init(&loop, &jobs[i].timeout);
        uv_timer_init(&loop, &jobs[i].later);
        jobs[i].timeout.data = &jobs[i];
        jobs[i].later.data = &jobs[i];
    }
    for (size_t i = 0; i < JOBS; i++) {
        start_next(&jobs[i]);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    host_free(host);
    uv_loop_close(&loop);
    for (size_t i = 0; i < n_tests; i++) {
        free_test(tests[i]);
        mem_free(tests[i]);
    }
    mem_free(tests);
    globfree(&found);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0 ? 1 : 0;
}
