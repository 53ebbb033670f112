/* SPDX-License-Identifier: MIT
 *
 * A fuzzer of scripts: cuts and splices the scripts of tests/cases, runs them in real cells, and
 * looks for faults of the host's: a crash, a script without its ending in time, an ending that
 * says that cell and host disagreed, a process that is left over.
 *
 *   scripts SECONDS [SEED]     from the root of the repository
 *
 * The warden is $BIN/torno-warden, else build/torno-warden. A script that found something is
 * written to build/fuzz/found-N.js and the program ends with 1. A trap of the engine ends its
 * script alone: those are counted by name, and none but the stack's is expected. The last line is
 * "N passed, N failed".
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/host.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    JOBS = 4,
    MAX_LINES = 60000,
    MAX_SCRIPT = 64 << 10,
    LIFETIME_MS = 400,
    CPU_MS = 300,
    LATE_MS = 15000, /* after the lifetime and the grace */
};

struct job {
    uv_timer_t stop;
    uv_timer_t late;
    struct run *run;
    struct buf code;
};

static uv_loop_t loop;
static struct host *host;
static struct toolset *tools;
static struct job jobs[JOBS];
static struct bytes lines[MAX_LINES];
static size_t n_lines;
static struct bytes *files;
static size_t n_files;
static uint64_t state;
static int64_t end_ms;
static unsigned n_run;
static unsigned n_found;
static unsigned n_by_ending[ENDING_COUNT];
static unsigned n_stack_traps;

/* xorshift64*: the same seed makes the same scripts. */
static uint64_t draw(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

static size_t below(size_t n)
{
    return (size_t)(draw() % n);
}

static void *must(void *p)
{
    if (p == NULL) {
        abort();
    }
    return p;
}

/* ---- scripts ---- */

static void read_file(const char *path)
{
    char *text = NULL;
    size_t len = 0;

    if (fd_read_file(path, MAX_SCRIPT, &text, &len) < 0) {
        return; /* a case may be longer than what is spliced here */
    }
    files[n_files++] = bytes_of(text, len);
    for (size_t from = 0; from < len && n_lines < MAX_LINES;) {
        const char *end = memchr(text + from, '\n', len - from);
        size_t to = end == NULL ? len : (size_t)(end - text);

        if (to > from && to - from < 2000) {
            lines[n_lines++] = bytes_of(text + from, to - from);
        }
        from = to + 1;
    }
}

static int read_corpus(void)
{
    glob_t found;

    if (glob("tests/cases/*/*.js", 0, NULL, &found) != 0) {
        return -1;
    }
    files = must(mem_array(found.gl_pathc, sizeof(*files)));
    for (size_t i = 0; i < found.gl_pathc; i++) {
        read_file(found.gl_pathv[i]);
    }
    globfree(&found);
    return 0;
}

static void put_line(struct buf *code)
{
    struct bytes line = lines[below(n_lines)];

    buf_put_bytes(code, line);
    buf_put_str(code, "\n");
}

/* What breaks things: put in a number's place, or anywhere. */
static const char *odd_piece(void)
{
    static const char *const pieces[] = {
        "0",
        "-1",
        "2 ** 31",
        "2 ** 53",
        "1e9",
        "NaN",
        "Infinity",
        "null",
        "undefined",
        "tools",
        "ALL_TOOLS",
        "globalThis",
        "({})",
        "[]",
        "new Proxy({}, {})",
        "Symbol()",
        "9n ** 99n",
        "'x'.repeat(1e6)",
        "() => { throw 1 }",
        "await 0",
        "await tools.a({})",
        "tools.a({ n: 1 })",
        "tools.b()",
        "tools['no such tool']({})",
        "queueMicrotask(() => tools.a({}))",
        "Promise.all(Array.from({ length: 40 }, (_, i) => tools.a({ i })))",
        "setTimeout(() => text(1), 5)",
        "console.log(globalThis)",
        "text({ a: [1, 2] })",
        "delete globalThis.Promise",
        "Object.prototype.then = 1",
        "Array.prototype[0] = 1",
        "structuredClone([1])",
        "new Error('x', { cause: 1 })",
        "JSON.stringify(tools)",
        "eval('1')",
        "new Function('return this')()",
        "Object.defineProperty(Object.prototype, 'get', { get() { return 1 } })",
        "Error.prepareStackTrace = (e, s) => s",
        "Promise.prototype.then = null",
        "for (;;) ",
        "return ",
        "throw ",
        "try { ",
        " } catch { ",
        " } finally { ",
        "async ",
        "yield ",
        "`${",
        "/(",
        "}",
        "{",
        ")",
        "(",
        "\\u{",
        "\0",
        "\xff",
        "\xe2\x80\xa8",
    };

    return pieces[below(ARRAY_SIZE(pieces))];
}

/* A whole file, cut and pieced in a few places. */
static void mutate_file(struct buf *code)
{
    struct bytes file = files[below(n_files)];
    size_t n = 1 + below(4);
    size_t at = 0;

    for (size_t i = 0; i < n && at < file.len; i++) {
        size_t to = at + below(file.len - at + 1);

        buf_put_bytes(code, bytes_of(file.ptr + at, to - at));
        at = to;
        switch (below(5)) {
        case 0:
            buf_put_str(code, odd_piece());
            break;
        case 1:
            at += below(file.len - at + 1) / 4; /* left out */
            break;
        case 2:
            at -= below(at + 1) / 4; /* told twice */
            break;
        case 3:
            buf_put_u8(code, (uint8_t)draw());
            break;
        default:
            put_line(code);
            break;
        }
    }
    buf_put_bytes(code, bytes_of(file.ptr + at, file.len - at));
}

/* Lines of all files, each in a try of its own so that what follows is reached. */
static void mix_lines(struct buf *code)
{
    size_t n = 1 + below(12);

    for (size_t i = 0; i < n; i++) {
        bool is_held = below(3) != 0;

        buf_put_str(code, is_held ? "try { " : "");
        put_line(code);
        buf_put_str(code, is_held ? "} catch (e) { text(e) }\n" : "");
        if (below(6) == 0) {
            buf_put_str(code, odd_piece());
            buf_put_str(code, ";\n");
        }
    }
}

static void make_script(struct buf *code)
{
    buf_clear(code);
    switch (below(4)) {
    case 0:
        mix_lines(code);
        break;
    case 1:
        mix_lines(code);
        mutate_file(code);
        break;
    default:
        mutate_file(code);
        break;
    }
}

/* ---- runs ---- */

static void found(struct job *job, const char *what, struct bytes more)
{
    char path[64];
    FILE *f;

    n_found++;
    snprintf(path, sizeof(path), "build/fuzz/found-%u.js", n_found);
    printf("%s: %s: %.*s\n", path, what, (int)more.len, (const char *)more.ptr);
    fflush(stdout);
    f = fopen(path, "w");
    if (f != NULL) {
        fwrite(job->code.data, 1, job->code.len, f);
        fclose(f);
    }
}

static void on_call(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    switch (below(8)) {
    case 0:
        call_refuse(call, "refused by the fuzzer");
        break;
    case 1:
        call_fail(call, "lost by the fuzzer");
        break;
    case 2:
        call_reply(call,
                   bytes_str("{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"n\\\":1}\"}]}"));
        break;
    case 3:
        call_reply(call, bytes_str("{\"content\":[],\"isError\":true,\"structuredContent\":[1]}"));
        break;
    case 4:
        call_reply(call, bytes_str("{\"content\":[{\"type\":\"text\""));
        break;
    case 5:
        if (below(16) == 0) {
            run_stop(run);
        }
        call_reply(call, bytes_str("{\"content\":[],\"structuredContent\":{\"length\":3}}"));
        break;
    default:
        call_reply(call, bytes_str("{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}"));
        break;
    }
}

static void start_next(struct job *job);

static void judge(struct job *job, const struct ending *e)
{
    n_by_ending[e->kind]++;
    if (e->kind != ENDING_CRASHED) {
        return;
    }
    if (bytes_is(e->reason, "trap") &&
        memmem(e->error_message.ptr, e->error_message.len, "stack exhausted", 15) != NULL) {
        n_stack_traps++;
        return;
    }
    found(job, "crashed", e->error_message);
}

static void on_ended(void *arg, struct run *run, const struct ending *e)
{
    struct job *job = arg;

    n_run++;
    uv_timer_stop(&job->stop);
    uv_timer_stop(&job->late);
    judge(job, e);
    run_free(run);
    job->run = NULL;
    start_next(job);
}

static void on_stop(uv_timer_t *timer)
{
    struct job *job = timer->data;

    if (job->run != NULL) {
        run_stop(job->run);
    }
}

static void on_late(uv_timer_t *timer)
{
    struct job *job = timer->data;

    found(job, "has no ending", bytes_none());
    run_kill(job->run);
}

static void on_closed(void *arg)
{
    (void)arg;
}

static void finish_job(struct job *job)
{
    static int n_finished;

    uv_close((uv_handle_t *)&job->stop, NULL);
    uv_close((uv_handle_t *)&job->late, NULL);
    if (++n_finished == JOBS) {
        host_close(host, on_closed, NULL);
    }
}

static void start_next(struct job *job)
{
    static const char *const memories[] = {"memory=4MiB", "memory=16MiB", "memory=64MiB"};
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct run_input input = {.language = WIRE_JAVASCRIPT,
                              .tools = tools,
                              .limits = limits_default(),
                              .callbacks = {.on_call = on_call, .on_ended = on_ended},
                              .arg = job};

    input.limits.lifetime = LIFETIME_MS;
    input.limits.cpu_time = CPU_MS;
    limits_parse(&input.limits, memories[below(ARRAY_SIZE(memories))], &sentence);
    while (clock_now_ms() < end_ms) {
        make_script(&job->code);
        input.code = buf_bytes(&job->code);
        buf_clear(&sentence);
        if (run_start(host, &input, &job->run, &sentence) == 0) {
            uv_timer_start(&job->late, on_late, LATE_MS, 0);
            if (below(10) == 0) {
                uv_timer_start(&job->stop, on_stop, below(60), 0);
            }
            return;
        }
        if (strstr(host_error(host), "warden") != NULL) {
            found(job, "the host is lost", bytes_str(host_error(host)));
            break;
        }
    }
    finish_job(job);
}

/* Whatever the host left behind has become ours. */
static unsigned count_left_over(void)
{
    unsigned n = 0;

    for (pid_t pid = waitpid(-1, NULL, WNOHANG); pid >= 0 && n < 100; n++) {
        usleep(50 * 1000);
        pid = waitpid(-1, NULL, WNOHANG);
    }
    return n >= 100 ? 1 : 0;
}

static int open_host(void)
{
    static const struct tool declared[] = {{.name = {(const uint8_t *)"a", 1}},
                                           {.name = {(const uint8_t *)"b", 1}},
                                           {.name = {(const uint8_t *)"s.x", 3}}};
    struct host_options options = HOST_OPTIONS_DEFAULT;
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    const char *bin = getenv("BIN");
    static char path[4096];

    snprintf(path, sizeof(path), "%s/torno-warden", bin == NULL ? "build" : bin);
    options.loop = &loop;
    options.warden_path = path;
    options.ready_cells = JOBS;
    if (toolset_new(declared, ARRAY_SIZE(declared), &tools, &sentence) < 0 ||
        host_new(&options, &host, &sentence) < 0) {
        fprintf(stderr, "%s\n", buf_str(&sentence));
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)clock_now_us();

    if (argc < 2 || read_corpus() < 0) {
        fprintf(stderr, "scripts SECONDS [SEED], from the root of the repository\n");
        return 2;
    }
    printf("seed %llu, %zu scripts, %zu lines\n", (unsigned long long)seed, n_files, n_lines);
    fflush(stdout);
    state = seed | 1;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    uv_loop_init(&loop);
    if (open_host() < 0) {
        return 2;
    }
    end_ms = clock_now_ms() + strtoll(argv[1], NULL, 10) * 1000;
    for (size_t i = 0; i < JOBS; i++) {
        jobs[i].code = buf_max(4 * MAX_SCRIPT);
        uv_timer_init(&loop, &jobs[i].stop);
        uv_timer_init(&loop, &jobs[i].late);
        jobs[i].stop.data = jobs[i].late.data = &jobs[i];
        start_next(&jobs[i]);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    host_free(host);
    toolset_free(tools);
    if (count_left_over() > 0) {
        printf("a process is left over\n");
        n_found++;
    }
    for (size_t i = 0; i < ENDING_COUNT; i++) {
        printf("%s %u, ", ending_name((enum ending_kind)i), n_by_ending[i]);
    }
    printf("stack traps %u\n%u passed, %u failed\n", n_stack_traps,
           n_run - (n_found < n_run ? n_found : n_run), n_found);
    return n_found == 0 ? 0 : 1;
}
