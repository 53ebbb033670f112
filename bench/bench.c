/* SPDX-License-Identifier: MIT
 *
 * The bench's driver: how long until a script's first tool call, what one more call costs, how
 * long a stop and a whole `torno run` take; beside node running the same engine module in a child.
 *
 *   bench BIN CHILD.mjs OUT.json ROUNDS
 *
 * Everything is measured in turns, a little of each in every round, so that a slow spell of the
 * machine meets all of them. BIN holds torno and torno-warden. One table on stdout, the same as
 * JSON in OUT.json. No time is asserted; what could not be measured ends it with a sentence.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/host.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READY_RUNS = 25, /* of each kind, in one round */
    COLD_RUNS = 5,
    STOP_RUNS = 10,
    STOP_AFTER_MS = 3, /* of computing */
    WHOLE_RUNS = 5,
    NODE_RUNS = 2,
    SEQUENTIAL_CALLS = 1000,
    NODE_CALLS = 200,
    MAX_SAMPLES = 1 << 20,
};

struct series {
    const char *name;
    int64_t *samples_ns;
    size_t n;
    size_t cap;
};

enum which {
    FIRST_READY,
    FIRST_COLD,
    ONE_MORE,
    STOP,
    WHOLE,
    NODE_FIRST,
    NODE_MORE,
    NODE_WHOLE,
    NODE_BARE,
    SERIES_COUNT
};

static struct series all_series[SERIES_COUNT] = {
    [FIRST_READY] = {.name = "run to first tool call, ready cell"},
    [FIRST_COLD] = {.name = "run to first tool call, no ready cell"},
    [ONE_MORE] = {.name = "one more sequential call"},
    [STOP] = {.name = "stop of while(true){}, until its process is gone"},
    [WHOLE] = {.name = "torno run of an empty script, whole process"},
    [NODE_FIRST] = {.name = "node child with the engine: first tool call"},
    [NODE_MORE] = {.name = "node child with the engine: one more call"},
    [NODE_WHOLE] = {.name = "node child with the engine: empty script"},
    [NODE_BARE] = {.name = "bare node child: empty script"},
};

static __attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, list);
    fputs("\n", stderr);
    va_end(list);
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void add_sample(enum which which, int64_t ns)
{
    struct series *s = &all_series[which];

    if (s->n >= MAX_SAMPLES ||
        mem_reserve(&s->samples_ns, &s->cap, s->n + 1, sizeof *s->samples_ns) < 0) {
        die("too many samples of \"%s\"", s->name);
    }
    s->samples_ns[s->n++] = ns;
}

/* A host on a loop of its own, and the run it drives. */
struct driver {
    uv_loop_t loop;
    struct host *host;
    struct toolset *tools;
    int64_t memory; /* of its scripts: cells are ready for the host's own budget alone */
    unsigned cells_ready;
    bool is_up;
    bool has_ended;
    uv_timer_t timer;
    struct run *run;
    bool stops; /* its script, a while after its first call */
    int64_t stop_ns;
    int64_t start_ns;
    int64_t last_ns;
    enum which first; /* the series of a first call */
    enum which more;  /* of the later ones; SERIES_COUNT: none */
};

static void on_event(void *arg, const struct event *event)
{
    struct driver *d = arg;

    d->cells_ready += event->type == EVENT_CELL_READY ? 1 : 0;
    d->is_up = d->is_up || event->type == EVENT_WALLS_UP;
}

static void on_stop_time(uv_timer_t *timer)
{
    struct driver *d = timer->data;

    d->stop_ns = now_ns();
    run_stop(d->run);
}

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct driver *d = arg;
    int64_t now = now_ns();

    (void)run;
    if (d->stops) {
        uv_timer_start(&d->timer, on_stop_time, STOP_AFTER_MS, 0);
    } else if (d->last_ns == 0) {
        add_sample(d->first, now - d->start_ns);
    } else if (d->more != SERIES_COUNT) {
        add_sample(d->more, now - d->last_ns);
    }
    d->last_ns = now;
    call_reply(call, bytes_str("{\"content\":[]}"));
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    (void)call;
}

static void on_ended(void *arg, struct run *run, const struct ending *ending)
{
    struct driver *d = arg;

    (void)run;
    if (d->stops && ending->kind == ENDING_STOPPED && !ending->may_lack_output) {
        add_sample(STOP, now_ns() - d->stop_ns);
    } else if (ending->kind != ENDING_FINISHED) {
        die("a script %s: %.*s", ending_name(ending->kind), (int)ending->error_message.len,
            (const char *)ending->error_message.ptr);
    }
    d->has_ended = true;
}

static void open_driver(struct driver *d, const char *bin)
{
    struct host_options options = HOST_OPTIONS_DEFAULT;
    struct buf sentence = buf_max(65536);
    struct tool tool = {.name = bytes_str("t")};
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/torno-warden", bin);
    uv_loop_init(&d->loop);
    uv_timer_init(&d->loop, &d->timer);
    d->timer.data = d;
    options.loop = &d->loop;
    options.warden_path = path;
    options.on_event = on_event;
    options.event_arg = d;
    if (host_new(&options, &d->host, &sentence) < 0 ||
        toolset_new(&tool, 1, &d->tools, &sentence) < 0) {
        die("%s", buf_str(&sentence));
    }
    buf_done(&sentence);
}

static void on_closed(void *arg)
{
    (void)arg;
}

static void close_driver(struct driver *d)
{
    uv_close((uv_handle_t *)&d->timer, NULL);
    host_close(d->host, on_closed, NULL);
    uv_run(&d->loop, UV_RUN_DEFAULT);
    toolset_free(d->tools);
    host_free(d->host);
    uv_loop_close(&d->loop);
}

/* Runs one script to its end. Where a ready cell is wanted, waits for it first. */
static void drive(struct driver *d, const char *code, bool is_ready, enum which first,
                  enum which more)
{
    struct buf sentence = buf_max(65536);
    struct run_input input = {
        .code = bytes_str(code),
        .language = WIRE_JAVASCRIPT,
        .tools = d->tools,
        .limits = limits_default(),
        .callbacks = {.on_call = on_call, .on_cancel = on_cancel, .on_ended = on_ended},
        .arg = d,
    };

    input.limits.memory = d->memory;
    while (is_ready ? d->cells_ready == 0 : !d->is_up) {
        uv_run(&d->loop, UV_RUN_ONCE);
    }
    d->cells_ready = 0;
    d->has_ended = false;
    d->last_ns = 0;
    d->first = first;
    d->more = more;
    d->start_ns = now_ns();
    if (run_start(d->host, &input, &d->run, &sentence) < 0) {
        die("%s", buf_str(&sentence));
    }
    while (!d->has_ended) {
        uv_run(&d->loop, UV_RUN_ONCE);
    }
    run_free(d->run);
    buf_done(&sentence);
}

/* A child process with pipes at its stdin and stdout. */
struct child {
    pid_t pid;
    int in;
    FILE *out;
    int64_t start_ns;
};

static void open_child(struct child *c, const char *const *argv)
{
    posix_spawn_file_actions_t actions;
    int in[2];
    int out[2];

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) {
        die("no pipe: %s", strerror(errno));
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    c->start_ns = now_ns();
    errno = posix_spawnp(&c->pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    if (errno != 0) {
        die("%s does not start: %s", argv[0], strerror(errno));
    }
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    c->in = in[1];
    c->out = fdopen(out[0], "re");
}

/* Waits for its end; the time since its start. */
static int64_t close_child(struct child *c, const char *name)
{
    int64_t ns;
    int status;

    close(c->in);
    if (waitpid(c->pid, &status, 0) < 0 || status != 0) {
        die("%s failed with wait status %d", name, status);
    }
    ns = now_ns() - c->start_ns;
    fclose(c->out);
    return ns;
}

static void send_line(struct child *c, const char *line)
{
    if (fd_write_all(c->in, bytes_str(line)) < 0 || fd_write_all(c->in, bytes_str("\n")) < 0) {
        die("a node child took no line");
    }
}

static void measure_whole(enum which which, const char *const *argv, const char *first_line)
{
    struct child c;

    open_child(&c, argv);
    if (first_line != NULL) {
        send_line(&c, first_line);
    }
    add_sample(which, close_child(&c, argv[0]));
}

static void measure_node_calls(const char *child_path)
{
    const char *const argv[] = {"node", child_path, NULL};
    int64_t last_ns;
    char line[4096];
    struct child c;

    open_child(&c, argv);
    send_line(&c, "\"for (let i = 0; i < 200; i++) await tools.t({ i })\"");
    last_ns = c.start_ns;
    for (int i = 0; i < NODE_CALLS; i++) {
        int64_t now;

        if (fgets(line, sizeof line, c.out) == NULL) {
            die("a node child ended after %d calls", i);
        }
        now = now_ns();
        add_sample(i == 0 ? NODE_FIRST : NODE_MORE, now - last_ns);
        last_ns = now;
        send_line(&c, "{\"content\":[]}");
    }
    close_child(&c, "a node child");
}

static void measure_round(struct driver *ready, struct driver *cold, const char *bin,
                          const char *child_path)
{
    char torno[PATH_MAX];
    const char *const whole[] = {torno, "run", "/dev/null", NULL};
    const char *const node[] = {"node", child_path, NULL};
    const char *const bare[] = {"node", "-e", "0", NULL};

    snprintf(torno, sizeof torno, "%s/torno", bin);
    for (int i = 0; i < READY_RUNS; i++) {
        drive(ready, "await tools.t({})", true, FIRST_READY, SERIES_COUNT);
    }
    for (int i = 0; i < COLD_RUNS; i++) {
        drive(cold, "await tools.t({})", false, FIRST_COLD, SERIES_COUNT);
    }
    drive(ready, "for (let i = 0; i < 1000; i++) await tools.t({ i })", true, FIRST_READY,
          ONE_MORE);
    ready->stops = true;
    for (int i = 0; i < STOP_RUNS; i++) {
        drive(ready, "tools.t({}); while (true) {}", true, STOP, SERIES_COUNT);
    }
    ready->stops = false;
    for (int i = 0; i < WHOLE_RUNS; i++) {
        measure_whole(WHOLE, whole, NULL);
    }
    for (int i = 0; i < NODE_RUNS; i++) {
        measure_node_calls(child_path);
        measure_whole(NODE_WHOLE, node, "\"\"");
        measure_whole(NODE_BARE, bare, NULL);
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static int64_t percentile(const struct series *s, unsigned percent)
{
    size_t at = (s->n * percent + 99) / 100;

    return s->samples_ns[at == 0 ? 0 : at - 1];
}

static void print_table(void)
{
    printf("%-46s %7s %10s %10s %10s\n", "milliseconds", "n", "p50", "p95", "p99");
    for (size_t i = 0; i < SERIES_COUNT; i++) {
        struct series *s = &all_series[i];

        printf("%-46s %7zu %10.3f %10.3f %10.3f\n", s->name, s->n, (double)percentile(s, 50) / 1e6,
               (double)percentile(s, 95) / 1e6, (double)percentile(s, 99) / 1e6);
    }
}

static void put_number(struct buf *out, const char *key, int64_t value)
{
    json_put_key(out, key);
    json_put_int(out, value);
}

static void write_json(const char *path)
{
    struct buf out = buf_max(1 << 20);
    FILE *file = fopen(path, "we");

    buf_put_str(&out, "{");
    put_number(&out, "wall_ms", clock_wall_ms());
    put_number(&out, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
    json_put_key(&out, "rows");
    buf_put_str(&out, "[");
    for (size_t i = 0; i < SERIES_COUNT; i++) {
        struct series *s = &all_series[i];

        json_put_comma(&out);
        buf_put_str(&out, "{");
        json_put_key(&out, "name");
        json_put_cstr(&out, s->name);
        put_number(&out, "n", (int64_t)s->n);
        put_number(&out, "min_ns", s->samples_ns[0]);
        put_number(&out, "p50_ns", percentile(s, 50));
        put_number(&out, "p95_ns", percentile(s, 95));
        put_number(&out, "p99_ns", percentile(s, 99));
        buf_put_str(&out, "}");
    }
    buf_put_str(&out, "]}\n");
    if (file == NULL || fwrite(out.data, 1, out.len, file) != out.len || fclose(file) != 0) {
        die("%s cannot be written", path);
    }
    buf_done(&out);
}

int main(int argc, char **argv)
{
    struct driver ready = {.memory = limits_default().memory};
    struct driver cold = {.memory = limits_default().memory / 2};
    int rounds;

    if (argc != 5 || sscanf(argv[4], "%d", &rounds) != 1 || rounds < 1) {
        die("usage: bench BIN CHILD.mjs OUT.json ROUNDS");
    }
    open_driver(&ready, argv[1]);
    open_driver(&cold, argv[1]);
    for (int i = 0; i < rounds; i++) {
        measure_round(&ready, &cold, argv[1], argv[2]);
    }
    close_driver(&ready);
    close_driver(&cold);
    for (size_t i = 0; i < SERIES_COUNT; i++) {
        qsort(all_series[i].samples_ns, all_series[i].n, sizeof(int64_t), compare);
    }
    print_table();
    write_json(argv[3]);
    return 0;
}
