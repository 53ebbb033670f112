/* SPDX-License-Identifier: MIT
 *
 * The suite of lying cells: each tests/hostile/NAME.frames is played by the stand-in against a
 * real host, and must end as its "expect" line says; then a second script must run, the host must
 * close, and no descriptor may be left. The files' lines are told in tests/hostile/README.
 *
 *   hostile-test [NAME...]     from the root of the repository; hostile/stand-in lies beside it
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/host.h"
#include "hostile/api.h"
#include "hostile/common.h"
#include "hostile/matrix.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 1024 * 1024, MAX_TOOLS = 8, CASE_TIMEOUT_MS = 10000, MAX_CASES = 512 };

struct test {
    const char *name;
    char *text;
    uv_loop_t loop;
    uv_timer_t timeout;
    uv_timer_t later;  /* stop or kill */
    uv_timer_t answer; /* a late one */
    struct host *host;
    struct toolset *tools;
    struct limits limits;
    struct run *run;
    struct call *held;
    int round; /* 1: against the liar, 2: after it */
    int calls;
    int cancels;
    int wakes;
    int endings;
    bool is_closed;
    bool has_timed_out;
    struct buf fault;
};

static const char folder[] = "tests/hostile";

__attribute__((format(printf, 2, 3))) static void complain(struct test *t, const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    buf_printf(&t->fault, "    %s\n", line);
}

/* The rest of the line that begins with key, before the line "cell"; owned by the caller. */
static char *setting(const struct test *t, const char *key)
{
    const char *at = strstr(t->text, key);
    const char *end = strstr(t->text, "\ncell\n");

    if (at == NULL || (end != NULL && at > end)) {
        return NULL;
    }
    at += strlen(key);
    return mem_str(bytes_of(at, strcspn(at, "\n")));
}

static int64_t setting_int(const struct test *t, const char *key, int64_t otherwise)
{
    _cleanup_(free_p) char *value = setting(t, key);

    return value == NULL ? otherwise : strtoll(value, NULL, 10);
}

static void on_closed(void *arg)
{
    ((struct test *)arg)->is_closed = true;
}

static void close_timers(struct test *t)
{
    uv_timer_t *const timers[] = {&t->timeout, &t->later, &t->answer};

    for (size_t i = 0; i < ARRAY_SIZE(timers); i++) {
        if (!uv_is_closing((uv_handle_t *)timers[i])) {
            uv_close((uv_handle_t *)timers[i], NULL);
        }
    }
}

static void finish(struct test *t)
{
    close_timers(t);
    host_close(t->host, on_closed, t);
}

static void answer(struct call *call)
{
    call_reply(call, bytes_str("{\"content\":[]}"));
}

static void on_answer(uv_timer_t *timer)
{
    struct test *t = timer->data;

    struct call *held = steal_ptr(&t->held);

    if (held != NULL) {
        answer(held);
    }
}

static void answer_large(struct call *call, size_t len)
{
    _cleanup_(buf_done) struct buf b = buf_max(len + 100);
    uint8_t *at;

    buf_put_str(&b, "{\"content\":[{\"type\":\"text\",\"text\":\"");
    at = buf_grow(&b, len);
    if (at != NULL) {
        memset(at, 'x', len);
    }
    buf_put_str(&b, "\"}]}");
    call_reply(call, buf_bytes(&b));
}

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct test *t = arg;
    _cleanup_(free_p) char *how = setting(t, "\nanswer ");
    int late_ms = 0;
    size_t len = 0;

    (void)run;
    t->calls++;
    if (how == NULL) {
        answer(call);
    } else if (sscanf(how, "large %zu", &len) == 1) {
        answer_large(call, len);
    } else if (sscanf(how, "late %d", &late_ms) == 1) {
        t->held = call;
        uv_timer_start(&t->answer, on_answer, (uint64_t)late_ms, 0);
    }
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    struct test *t = arg;

    (void)run;
    t->cancels++;
    if (setting_int(t, "\nanswer-cancelled ", 0) != 0) {
        call_fail(call, "cancelled");
    }
}

/* wakes deliver | wakes hold: what the agent does with each. */
static void on_wake(void *arg, struct run *run, struct bytes payload)
{
    struct test *t = arg;

    (void)payload;
    t->wakes++;
    if (strstr(t->text, "\nwakes deliver\n") != NULL) {
        run_wake_done(run, true);
    }
}

/* The numbers of an ending, where they can be known. */
static void check_numbers(struct test *t, const struct ending *e)
{
    int64_t wakes = setting_int(t, "\nexpect-wakes ", t->wakes);

    if (e->kind == ENDING_EXPIRED && e->wall_ms < t->limits.lifetime && t->limits.cpu_time == 0) {
        complain(t, "expired after %d ms", (int)e->wall_ms);
    }
    if (e->kind == ENDING_EXPIRED && e->cpu_ms < t->limits.cpu_time) {
        complain(t, "expired after %d ms of processor time", (int)e->cpu_ms);
    }
    if (e->kind == ENDING_FINISHED && e->memory_peak_bytes <= 0) {
        complain(t, "its memory had no peak");
    }
    if (wakes != t->wakes || e->wakes_handed != (uint32_t)t->wakes) {
        complain(t, "%d wakes heard, %u in the ending, not %d", t->wakes, e->wakes_handed,
                 (int)wakes);
    }
}

static void check_output(struct test *t)
{
    _cleanup_(free_p) char *want = setting(t, "\nexpect-output ");
    struct output_part part = run_take_output(t->run);

    if (want != NULL && !bytes_is(part.head, want)) {
        complain(t, "output \"%.*s\", not \"%s\"", (int)part.head.len, (const char *)part.head.ptr,
                 want);
    }
}

static void put_record(struct buf *out, const struct ending *e)
{
    for (size_t i = 0; i < e->n_calls; i++) {
        buf_printf(out, "%s%u %s %s", i == 0 ? "" : ", ", e->calls[i].id,
                   call_state_name(e->calls[i].state), call_effect_name(e->calls[i].effect));
    }
}

static void check_ending(struct test *t, const struct ending *e)
{
    _cleanup_(buf_done) struct buf have = buf_max(1024 * 1024);
    _cleanup_(buf_done) struct buf record = buf_max(1024 * 1024);
    _cleanup_(free_p) char *want = setting(t, "\nexpect ");
    _cleanup_(free_p) char *want_record = setting(t, "\nexpect-record ");
    int64_t calls = setting_int(t, "\nexpect-calls ", t->calls);
    int64_t cancels = setting_int(t, "\nexpect-cancels ", t->cancels);

    put_ending(&have, e);
    put_record(&record, e);
    if (want == NULL || fnmatch(want, buf_str(&have), 0) != 0) {
        complain(t, "ended %s", buf_str(&have));
        complain(t, "wanted %s", want == NULL ? "(no expect line)" : want);
    }
    if (want_record != NULL && fnmatch(want_record, buf_str(&record), 0) != 0) {
        complain(t, "record %s, not %s", buf_str(&record), want_record);
    }
    if (calls != t->calls || cancels != t->cancels) {
        complain(t, "%d calls and %d cancels at the tools, not %d and %d", t->calls, t->cancels,
                 (int)calls, (int)cancels);
    }
    check_output(t);
    check_numbers(t, e);
}

static void start_next(struct test *t);

static void on_ended(void *arg, struct run *run, const struct ending *e)
{
    struct test *t = arg;

    t->endings++;
    if (t->round == 1) {
        check_ending(t, e);
    } else if (e->kind != ENDING_FINISHED || !bytes_is(e->value, "\"fine\"")) {
        complain(t, "the next script ended %s: %.*s", ending_name(e->kind),
                 (int)e->error_message.len, (const char *)e->error_message.ptr);
    }
    run_free(run);
    t->run = NULL;
    if (t->round == 1) {
        start_next(t);
    } else {
        finish(t);
    }
}

static void on_later(uv_timer_t *timer)
{
    struct test *t = timer->data;

    if (t->run != NULL && setting_int(t, "\nkill ", -1) >= 0) {
        run_kill(t->run);
    } else if (t->run != NULL) {
        run_stop(t->run);
    }
}

static int start_run(struct test *t, struct buf *sentence)
{
    struct run_input input = {
        .code = bytes_str("0"),
        .language = WIRE_JAVASCRIPT,
        .tools = t->tools,
        .limits = t->round == 1 ? t->limits : limits_default(),
        .callbacks = {.on_call = on_call, .on_cancel = on_cancel, .on_ended = on_ended},
        .arg = t,
    };

    if (strstr(t->text, "\nwakes ") != NULL) {
        input.callbacks.on_wake = on_wake;
    }
    return run_start(t->host, &input, &t->run, sentence);
}

/* The host can open nothing, or as much as before. */
static void bound_descriptors(bool is_bound)
{
    struct rlimit n;

    if (getrlimit(RLIMIT_NOFILE, &n) == 0) {
        n.rlim_cur = is_bound ? 3 : n.rlim_max;
        setrlimit(RLIMIT_NOFILE, &n);
    }
}

static void start_next(struct test *t)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    _cleanup_(free_p) char *next = setting(t, "\nexpect-next ");
    int r;

    t->round = 2;
    bound_descriptors(false);
    r = start_run(t, &sentence);
    if (next != NULL && strcmp(next, "down") == 0) {
        if (r != -EHOSTDOWN) {
            complain(t, "the next script was answered %d, not refused", r);
        }
        finish(t);
    } else if (r < 0) {
        complain(t, "the next script was refused: %s", buf_str(&sentence));
        finish(t);
    }
}

static void on_timeout(uv_timer_t *timer)
{
    struct test *t = timer->data;

    complain(t, "no end within %d ms (round %d)", CASE_TIMEOUT_MS, t->round);
    t->has_timed_out = true;
    if (t->run != NULL) {
        t->round = 2;
    }
    finish(t);
}

static int read_tools(struct test *t)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    struct tool tools[MAX_TOOLS] = {0};
    char *names[MAX_TOOLS] = {0};
    size_t n = 0;
    int r;

    for (const char *at = strstr(t->text, "\ntool "); at != NULL && n < MAX_TOOLS;
         at = strstr(at + 1, "\ntool ")) {
        names[n] = mem_str(bytes_of(at + 6, strcspn(at + 6, "\n")));
        tools[n] = (struct tool){.name = bytes_str(names[n]),
                                 .description = bytes_none(),
                                 .input_schema = bytes_none(),
                                 .output_schema = bytes_none()};
        n++;
    }
    r = toolset_new(tools, n, &t->tools, &sentence);
    for (size_t i = 0; i < n; i++) {
        mem_free(names[i]);
    }
    return r;
}

static void read_limits(struct test *t)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);

    t->limits = limits_default();
    for (const char *at = strstr(t->text, "\nlimit "); at != NULL;
         at = strstr(at + 1, "\nlimit ")) {
        _cleanup_(free_p) char *one = mem_str(bytes_of(at + 7, strcspn(at + 7, "\n")));

        if (limits_parse(&t->limits, one, &sentence) < 0) {
            complain(t, "%s", buf_str(&sentence));
        }
    }
}

static void open_timers(struct test *t)
{
    uv_timer_t *const timers[] = {&t->timeout, &t->later, &t->answer};
    int64_t later = setting_int(t, "\nstop ", setting_int(t, "\nkill ", -1));

    for (size_t i = 0; i < ARRAY_SIZE(timers); i++) {
        uv_timer_init(&t->loop, timers[i]);
        timers[i]->data = t;
    }
    uv_timer_start(&t->timeout, on_timeout, CASE_TIMEOUT_MS, 0);
    if (later >= 0) {
        uv_timer_start(&t->later, on_later, (uint64_t)later, 0);
    }
}

static void play(struct test *t, const char *warden)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    struct host_options options = HOST_OPTIONS_DEFAULT;

    options.loop = &t->loop;
    options.warden_path = warden;
    options.memory = t->limits.memory;
    options.ready_cells = (unsigned)setting_int(t, "\nready ", 0);
    uv_loop_init(&t->loop);
    open_timers(t);
    if (host_new(&options, &t->host, &sentence) < 0) {
        complain(t, "%s", buf_str(&sentence));
        close_timers(t);
    } else {
        t->round = 1;
        bound_descriptors(strstr(t->text, "\nno-descriptors\n") != NULL);
        if (start_run(t, &sentence) < 0) {
            complain(t, "%s", buf_str(&sentence));
            finish(t);
        }
    }
    uv_run(&t->loop, UV_RUN_DEFAULT);
    bound_descriptors(false);
    if (t->host != NULL && !t->is_closed) {
        complain(t, "the host did not close");
    }
    host_free(t->host);
    toolset_free(t->tools);
    if (uv_loop_close(&t->loop) != 0) {
        complain(t, "handles were left on the loop");
    }
}

static bool run_case(const char *name)
{
    struct test t = {.name = name, .fault = buf_max(1024 * 1024)};
    _cleanup_(buf_done) struct buf from = buf_max(PATH_MAX);
    _cleanup_(buf_done) struct buf warden = buf_max(PATH_MAX);
    _cleanup_(buf_done) struct buf to = buf_max(PATH_MAX);
    int before = count_descriptors();
    bool is_good;
    size_t len;

    buf_printf(&from, "%s/%s.frames", folder, name);
    buf_printf(&warden, "%s/%s", scratch, name);
    buf_printf(&to, "%s/%s.frames", scratch, name);
    if (fd_read_file(buf_str(&from), MAX_FILE, &t.text, &len) < 0) {
        complain(&t, "%s cannot be read", buf_str(&from));
    } else {
        char real[PATH_MAX];

        if (realpath(buf_str(&from), real) == NULL || symlink(real, buf_str(&to)) < 0 ||
            symlink(stand_in, buf_str(&warden)) < 0 || read_tools(&t) < 0) {
            complain(&t, "its scratch files cannot be made");
        }
        read_limits(&t);
        play(&t, buf_str(&warden));
        unlink(buf_str(&to));
        unlink(buf_str(&warden));
    }
    if (count_descriptors() != before) {
        complain(&t, "%d descriptors, %d before", count_descriptors(), before);
    }
    is_good = t.fault.len == 0;
    if (!is_good) {
        printf("FAIL %s\n%s", name, buf_str(&t.fault));
    }
    mem_free(t.text);
    buf_done(&t.fault);
    return is_good;
}

static bool run_api_case(const struct api_case *c)
{
    _cleanup_(buf_done) struct buf fault = buf_max(1024 * 1024);
    _cleanup_(buf_done) struct buf warden = buf_max(PATH_MAX);
    _cleanup_(buf_done) struct buf frames = buf_max(PATH_MAX);
    int before = count_descriptors();

    buf_printf(&warden, "%s/%s", scratch, c->name);
    buf_printf(&frames, "%s/%s.frames", scratch, c->name);
    if (!write_file(buf_str(&frames), api_script) || symlink(stand_in, buf_str(&warden)) < 0) {
        buf_put_str(&fault, "    its scratch files cannot be made\n");
    } else {
        alarm(CASE_TIMEOUT_MS / 1000);
        api_play(c, buf_str(&warden), &fault);
        alarm(0);
    }
    unlink(buf_str(&frames));
    unlink(buf_str(&warden));
    if (count_descriptors() != before) {
        buf_printf(&fault, "    %d descriptors, %d before\n", count_descriptors(), before);
    }
    if (fault.len > 0) {
        printf("FAIL %s\n%s", c->name, buf_str(&fault));
    }
    return fault.len == 0;
}

static bool run_matrix(const struct matrix_part *part, int *passed)
{
    _cleanup_(buf_done) struct buf warden = buf_max(PATH_MAX);
    _cleanup_(buf_done) struct buf frames = buf_max(PATH_MAX);
    int before = count_descriptors();
    size_t n_bad;

    buf_printf(&warden, "%s/%s", scratch, part->name);
    buf_printf(&frames, "%s/%s.frames", scratch, part->name);
    part->make();
    if (!write_file(buf_str(&frames), buf_str(&mx.text)) ||
        symlink(stand_in, buf_str(&warden)) < 0) {
        buf_put_str(&mx.fault, "    its scratch files cannot be made\n");
    } else {
        matrix_play(buf_str(&warden), part);
    }
    unlink(buf_str(&frames));
    unlink(buf_str(&warden));
    if (count_descriptors() != before) {
        buf_printf(&mx.fault, "    %d descriptors, %d before\n", count_descriptors(), before);
    }
    if (mx.fault.len > 0) {
        printf("FAIL %s\n%s", part->name, buf_str(&mx.fault));
    }
    n_bad = mx.fault.len > 0 && mx.n_bad == 0 ? 1 : mx.n_bad;
    *passed += (int)(mx.n - n_bad);
    matrix_drop();
    return n_bad == 0;
}

static bool is_asked(char **argv, const char *name)
{
    for (char **at = argv + 1; *at != NULL; at++) {
        if (strcmp(*at, name) == 0) {
            return true;
        }
    }
    return argv[1] == NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list_cases(char **ret)
{
    DIR *d = opendir(folder);
    size_t n = 0;

    for (struct dirent *e = d == NULL ? NULL : readdir(d); e != NULL && n < MAX_CASES;
         e = readdir(d)) {
        const char *dot = strrchr(e->d_name, '.');

        if (dot != NULL && strcmp(dot, ".frames") == 0) {
            ret[n] = mem_str(bytes_of(e->d_name, (size_t)(dot - e->d_name)));
            n++;
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    qsort(ret, n, sizeof *ret, compare_names);
    return n;
}

int main(int argc, char **argv)
{
    static char *names[MAX_CASES];
    const char *tmp = getenv("TMPDIR");
    size_t n = list_cases(names);
    uv_loop_t warm;
    int passed = 0;
    int failed = 0;

    (void)argc;
    uv_loop_init(&warm); /* what libuv opens once and keeps */
    uv_loop_close(&warm);
    if (!find_stand_in()) {
        fprintf(stderr, "hostile/stand-in must lie beside hostile-test\n");
        return 2;
    }
    snprintf(scratch, sizeof scratch, "%s/torno-hostile.XXXXXX", tmp == NULL ? "/tmp" : tmp);
    if (mkdtemp(scratch) == NULL) {
        fprintf(stderr, "no scratch folder in %s\n", tmp == NULL ? "/tmp" : tmp);
        return 2;
    }
    for (size_t i = 0; i < ARRAY_SIZE(api_cases); i++) {
        if (is_asked(argv, api_cases[i].name)) {
            *(run_api_case(&api_cases[i]) ? &passed : &failed) += 1;
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(matrix_parts); i++) {
        if (is_asked(argv, matrix_parts[i].name)) {
            failed += run_matrix(&matrix_parts[i], &passed) ? 0 : 1;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (is_asked(argv, names[i])) {
            *(run_case(names[i]) ? &passed : &failed) += 1;
        }
        mem_free(names[i]);
    }
    rmdir(scratch);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0 ? 1 : 0;
}
