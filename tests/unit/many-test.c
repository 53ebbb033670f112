/* SPDX-License-Identifier: MIT
 *
 * Many scripts of all kinds through one real host, a few at a time, in real cells: nothing grows,
 * neither memory nor descriptors nor processes, here or in the warden. Needs BIN, the folder
 * of the built programs.
 *
 * many-test [COUNT]: 300 scripts, or COUNT; SOAK=1: 10,000.
 */
#include "agent/agent.h"

#include "base/mem.h"
#include "host/inside.h"
#include "unit/t.h"
#include "json/json.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { JOBS = 3, WARM_UP = 100, AGENT_LIFE = 250 };

#ifdef __SANITIZE_ADDRESS__
enum { MAX_GROWTH_KIB = 1 << 20 }; /* what is freed is kept for a while, on purpose */
#else
enum { MAX_GROWTH_KIB = 2048 };
#endif

/* What a script does, and what its owner does with it. */
static const struct kind {
    const char *code;
    int64_t yield_ms;
    enum { TO_ITS_END, THEN_STOP, THEN_WAIT, THEN_LEAVE } then;
    const char *state; /* its ending */
} kinds[] = {
    {"return 1 + 1", -1, TO_ITS_END, "finished"},
    {"return await tools.look({ n: 1 })", -1, TO_ITS_END, "finished"},
    {"throw new Error('no')", -1, TO_ITS_END, "failed"},
    {"await tools.hang({})", 0, THEN_STOP, "stopped"},
    {"text('x'.repeat(50000)); return 'y'.repeat(20000)", -1, TO_ITS_END, "finished"},
    {"await wake_agent({ n: 1 }); return 2", 0, THEN_WAIT, "finished"},
    {"for (;;) {}", 0, THEN_STOP, "stopped"},
    {"await sleep(2); throw new Error('left')", 0, THEN_LEAVE, "failed"},
    {"await Promise.all([...Array(40).keys()].map((n) => tools.look({ n })))", -1, TO_ITS_END,
     "finished"},
};

struct job {
    const struct kind *kind;
    char id[32]; /* of one that is left */
};

struct sizes {
    long here_kib;
    long warden_kib;
    long descriptors;
    long warden_descriptors;
    long processes;
};

static uv_loop_t loop;
static struct host *host;
static struct agents *agents;
static struct agent *agent;
static struct toolset *tools;
static struct job jobs[JOBS];
static struct tool_call *hung[JOBS];
static int n_to_start, n_started, n_ended, n_of_agent, n_closing;

static void start(struct job *job);
static void on_message(void *arg, struct agent *of, const struct agent_message *message);
static void on_return(void *arg, const struct agent_return *ret);

static void on_closed(void *arg)
{
    --*(int *)arg;
}

/* ---- the agent ---- */

static void on_call(void *arg, struct tool_call *call)
{
    (void)arg;
    if (bytes_is(tool_call_name(call), "look")) {
        tool_reply(call, bytes_str("{\"content\":[{\"type\":\"text\",\"text\":\"seen\"}]}"));
        return;
    }
    for (size_t i = 0; i < JOBS; i++) {
        if (hung[i] == NULL) {
            hung[i] = call;
            return;
        }
    }
    tool_refuse(call, "there are too many");
}

static void on_cancel(void *arg, struct tool_call *call)
{
    (void)arg;
    for (size_t i = 0; i < JOBS; i++) {
        if (hung[i] == call) {
            hung[i] = NULL;
            tool_reply(call, bytes_str("{\"content\":[]}"));
        }
    }
}

static void open_agent(void)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct agent_options o = AGENT_OPTIONS_DEFAULT;

    o.name = bytes_str("many");
    o.tools = tools;
    o.callbacks = (struct agent_callbacks){
        .on_call = on_call, .on_cancel = on_cancel, .on_message = on_message};
    assert(agent_open(agents, &o, &agent, &sentence) == 0);
    n_of_agent = 0;
}

/* A job is done: the next begins; an agent that has had its share goes when its jobs are done. */
static void done(struct job *job)
{
    job->kind = NULL;
    n_ended++;
    if (n_of_agent < AGENT_LIFE) {
        start(job);
        return;
    }
    for (size_t i = 0; i < JOBS; i++) {
        if (jobs[i].kind != NULL) {
            return;
        }
    }
    n_closing++;
    agent_close(agent, on_closed, &n_closing);
    open_agent();
    for (size_t i = 0; i < JOBS; i++) {
        start(&jobs[i]);
    }
}

static void on_message(void *arg, struct agent *of, const struct agent_message *message)
{
    (void)arg;
    agent_delivered(of, message->script_id, true);
    for (size_t i = 0; i < JOBS && message->is_notice; i++) {
        if (jobs[i].kind != NULL && strcmp(jobs[i].id, message->script_id) == 0) {
            T_STR("failed", jobs[i].kind->state);
            done(&jobs[i]);
            return;
        }
    }
}

static struct watch *use(struct job *job, const struct agent_input *input)
{
    struct agent_request request = {.input = *input, .on_return = on_return, .arg = job};
    struct watch *watch = NULL;

    assert(agent_do(agent, &request, &watch) == 0);
    return watch;
}

static void go_on(struct job *job, const char *id)
{
    struct agent_input input = {.action = job->kind->then == THEN_STOP ? AGENT_STOP : AGENT_WAIT,
                                .code = bytes_none(),
                                .yield_ms = -1,
                                .script_id = bytes_str(id)};
    struct watch *watch = use(job, &input);

    if (job->kind->then == THEN_LEAVE) {
        snprintf(job->id, sizeof job->id, "%s", id);
        watch_cancel(watch);
    }
}

static void on_return(void *arg, const struct agent_return *ret)
{
    struct bytes state = json_get(ret->structured, "state");
    struct job *job = arg;

    if (json_is(state, "running")) {
        go_on(job, ret->script_id);
        return;
    }
    T_OK(json_is(state, job->kind->state));
    if (!json_is(state, job->kind->state)) {
        fprintf(stderr, "%s\n%.*s\n", job->kind->code, (int)ret->text.len, ret->text.ptr);
    }
    done(job);
}

static void start(struct job *job)
{
    struct agent_input input = {
        .action = AGENT_RUN, .language = WIRE_JAVASCRIPT, .script_id = bytes_none()};

    if (n_started == n_to_start) {
        return;
    }
    *job = (struct job){.kind = &kinds[n_started++ % (int)ARRAY_SIZE(kinds)]};
    n_of_agent++;
    input.code = bytes_str(job->kind->code);
    input.yield_ms = job->kind->yield_ms;
    use(job, &input);
}

/* ---- what there is ---- */

static long count_entries(const char *path)
{
    DIR *folder = opendir(path);
    long n = 0;

    assert(folder != NULL);
    while (readdir(folder) != NULL) {
        n++;
    }
    closedir(folder);
    return n;
}

static long resident_kib(const char *path)
{
    FILE *f = fopen(path, "r");
    long pages = 0;

    assert(f != NULL && fscanf(f, "%*d %ld", &pages) == 1);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static pid_t parent_of(pid_t pid)
{
    char path[64];
    char line[512] = "";
    const char *after;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    if (f == NULL) {
        return 0;
    }
    if (fgets(line, sizeof line, f) == NULL) {
        line[0] = '\0';
    }
    fclose(f);
    after = strrchr(line, ')');
    return after == NULL || strlen(after) < 5 ? 0 : (pid_t)strtoull(after + 4, NULL, 10);
}

/* Processes that descend from this one. */
static long count_processes(void)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    long n = 0;

    assert(folder != NULL);
    while ((entry = readdir(folder)) != NULL) {
        pid_t pid = (pid_t)strtoull(entry->d_name, NULL, 10);

        while (pid > 1 && pid != getpid()) {
            pid = parent_of(pid);
        }
        n += pid == getpid() && (pid_t)strtoull(entry->d_name, NULL, 10) != getpid();
    }
    closedir(folder);
    return n;
}

/* Every cell is ready, none is on its way. */
static bool is_quiet(void)
{
    for (const struct cell *c = host->cells; c != NULL; c = c->next) {
        if (c->state != WIRE_ST_READY || c->was_killed) {
            return false;
        }
    }
    return host->runs == NULL;
}

/* What is there beside the ready cells, each of which is a process and a descriptor. */
static struct sizes measure(void)
{
    char path[64];
    struct sizes s;
    long n_cells = 0;

    while (!is_quiet()) {
        uv_run(&loop, UV_RUN_ONCE);
    }
    for (const struct cell *c = host->cells; c != NULL; c = c->next) {
        n_cells++;
    }
    s.here_kib = resident_kib("/proc/self/statm");
    s.descriptors = count_entries("/proc/self/fd") - n_cells;
    s.processes = count_processes() - n_cells;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)host->warden_pid);
    s.warden_kib = resident_kib(path);
    snprintf(path, sizeof path, "/proc/%d/fd", (int)host->warden_pid);
    s.warden_descriptors = count_entries(path);
    return s;
}

static void print(const char *when, const struct sizes *s)
{
    printf("many: %s: %ld KiB and %ld descriptors, the warden %ld KiB and %ld, %ld processes "
           "beside the ready ones\n",
           when, s->here_kib, s->descriptors, s->warden_kib, s->warden_descriptors, s->processes);
}

static void run_until(int n)
{
    n_to_start = n;
    for (size_t i = 0; i < JOBS; i++) {
        if (jobs[i].kind == NULL) {
            start(&jobs[i]);
        }
    }
    while (n_ended < n || n_closing > 0) {
        uv_run(&loop, UV_RUN_ONCE);
    }
}

static void open_host(void)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    _cleanup_(buf_done) struct buf path = buf_max(4096);
    struct host_options o = HOST_OPTIONS_DEFAULT;
    struct tool list[2] = {{.name = bytes_str("look")}, {.name = bytes_str("hang")}};
    const char *bin = getenv("BIN");

    for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
        list[i].description = bytes_none();
        list[i].input_schema = bytes_none();
        list[i].output_schema = bytes_none();
    }
    buf_printf(&path, "%s/torno-warden", bin == NULL ? "build" : bin);
    o.loop = &loop;
    o.warden_path = buf_str(&path);
    assert(uv_loop_init(&loop) == 0);
    assert(toolset_new(list, ARRAY_SIZE(list), &tools, &sentence) == 0);
    assert(host_new(&o, &host, &sentence) == 0);
    assert(agents_new(&(struct agents_options){.host = host, .loop = &loop}, &agents) == 0);
    open_agent();
}

static void close_host(void)
{
    int n_open = 2;

    agents_close(agents, on_closed, &n_open);
    host_close(host, on_closed, &n_open);
    while (n_open > 0) {
        uv_run(&loop, UV_RUN_ONCE);
    }
    agents_free(agents);
    host_free(host);
    toolset_free(tools);
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0 && uv_loop_close(&loop) == 0);
    T_EQ(count_processes(), 0);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? (int)strtoull(argv[1], NULL, 10) : getenv("SOAK") != NULL ? 10000 : 300;
    struct sizes before;
    struct sizes after;

    open_host();
    run_until(WARM_UP);
    before = measure();
    run_until(WARM_UP + n);
    after = measure();
    print("before", &before);
    print("after", &after);
    T_EQ(n_ended, WARM_UP + n);
    T_OK(after.here_kib <= before.here_kib + MAX_GROWTH_KIB);
    T_OK(after.warden_kib <= before.warden_kib + MAX_GROWTH_KIB);
    T_EQ(after.descriptors, before.descriptors);
    T_EQ(after.warden_descriptors, before.warden_descriptors);
    T_EQ(after.processes, before.processes);
    close_host();
    return T_DONE("many");
}
