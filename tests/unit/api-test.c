/* SPDX-License-Identifier: MIT
 *
 * include/torno.h used as it should not be, against real cells: every fault that was found in the
 * library's doors stands here. The warden is $BIN/torno-warden, else build/torno-warden.
 */
#include "unit/t.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <torno.h>
#include <unistd.h>

/* Valgrind 3.19 knows no pidfds: with VALGRIND in the environment the one child that a host has is
 * watched by its SIGCHLD instead. */
static pid_t child;

static bool is_played(void)
{
    return getenv("VALGRIND") != NULL;
}

__attribute__((visibility("default"))) int pidfd_open(pid_t pid, unsigned flags)
{
    static const struct timespec now;
    sigset_t set;

    if (!is_played()) {
        return (int)syscall(SYS_pidfd_open, pid, flags);
    }
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    while (sigtimedwait(&set, NULL, &now) > 0) { /* of the host before */
    }
    child = pid;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

__attribute__((visibility("default"))) int pidfd_send_signal(int fd, int number, siginfo_t *info,
                                                             unsigned flags)
{
    return is_played() ? kill(child, number)
                       : (int)syscall(SYS_pidfd_send_signal, fd, number, info, flags);
}

__attribute__((visibility("default"))) int waitid(idtype_t type, id_t id, siginfo_t *info,
                                                  int options)
{
    bool is_child = is_played() && type == P_PIDFD;

    return (int)syscall(SYS_waitid, is_child ? P_PID : type, is_child ? (id_t)child : id, info,
                        options, NULL);
}

static struct torno_host *host;
static struct torno_agent *agent;
static struct torno_call *held;
static char told[1 << 16]; /* the text of the last return */
static int n_returns;
static int n_notices;
static void (*in_return)(void);

static void must(int r)
{
    if (r < 0) {
        fprintf(stderr, "api: %d: %s\n", r, torno_error());
        exit(1);
    }
}

static void on_return(void *arg, const struct torno_return *ret)
{
    (void)arg;
    n_returns++;
    snprintf(told, sizeof told, "%.*s", (int)ret->text.len, ret->text.ptr);
    if (in_return != NULL) {
        in_return();
    }
}

static void on_message(void *arg, struct torno_agent *of, const struct torno_message *message)
{
    char id[64];

    (void)arg;
    n_notices += message->is_notice;
    snprintf(id, sizeof id, "%s", message->script_id);
    torno_agent_delivered(of, message->script_id, true);
    T_STR(message->script_id, id); /* it lasts until the callback returns */
}

static void hold(void *arg, struct torno_call *call)
{
    (void)arg;
    held = call;
    torno_host_break(host);
}

static void reply(void *arg, struct torno_call *call)
{
    const char *text = arg;

    T_EQ(torno_call_reply(call, text, strlen(text)), strcmp(text, "{}") == 0 ? 0 : -EINVAL);
}

static void begin(void (*on_call)(void *, struct torno_call *), const char *arg, unsigned max_kept)
{
    struct torno_host_options o = TORNO_HOST_OPTIONS;
    struct torno_agent_options a = TORNO_AGENT_OPTIONS;
    struct torno_tool tool = TORNO_TOOL;
    char path[PATH_MAX];
    const char *bin = getenv("BIN");

    snprintf(path, sizeof path, "%s/torno-warden", bin == NULL ? "build" : bin);
    o.warden_path = path;
    a.max_kept = max_kept;
    a.on_message = on_message;
    tool.name = "t";
    tool.handlers.on_call = on_call;
    tool.arg = (void *)(uintptr_t)arg;
    must(torno_host_new(&o, &host));
    must(torno_agent_open(host, &a, &agent));
    must(torno_agent_add_tool(agent, &tool));
    must(torno_agent_set_limit(agent, "stop_grace=50ms"));
    n_returns = 0;
    n_notices = 0;
    held = NULL;
    in_return = NULL;
}

static void run(const char *code, int64_t yield_ms)
{
    must(torno_agent_run(agent, code, strlen(code), NULL, yield_ms, 0, on_return, NULL, NULL));
    must(torno_host_run(host));
}

/* ---- callbacks that come back ---- */

static void free_host(void)
{
    torno_host_free(host); /* refused: it is used below */
    T_OK(strstr(torno_error(), "callbacks") != NULL);
    T_EQ(torno_host_dispatch(host), -EDEADLK);
    T_EQ(torno_host_run(host), -EDEADLK);
}

static void test_inside(void)
{
    begin(hold, NULL, 8);
    in_return = free_host;
    run("return 1", -1);
    T_EQ(n_returns, 1);
    in_return = NULL;
    run("return 2", -1);
    T_OK(strstr(told, "Value: 2") != NULL);
    torno_host_free(host);
}

static void call_again(void)
{
    T_EQ(torno_agent_list(agent, on_return, NULL, NULL), -ESHUTDOWN);
}

/* A harness that asks anew in every return does not keep the host for ever. */
static void test_free_ends(void)
{
    begin(hold, NULL, 8);
    must(torno_agent_run(agent, "while (true) {}", 15, NULL, -1, 0, on_return, NULL, NULL));
    in_return = call_again;
    torno_host_free(host);
    T_EQ(n_returns, 1);
}

/* ---- tools ---- */

static void test_tools(void)
{
    struct torno_tool tool = TORNO_TOOL;
    char *large = calloc(1, 7 << 20);

    must(large == NULL ? -ENOMEM : 0);
    begin(hold, NULL, 8);
    tool.handlers.on_call = hold;
    tool.name = "";
    T_EQ(torno_agent_add_tool(agent, &tool), -EINVAL);
    memset(large, 'x', (7 << 20) - 1);
    tool.description = large;
    tool.name = "first";
    T_EQ(torno_agent_add_tool(agent, &tool), 0);
    tool.name = "second";
    T_EQ(torno_agent_add_tool(agent, &tool), 0);
    tool.name = "third";
    T_EQ(torno_agent_add_tool(agent, &tool), -EINVAL); /* one too many, told at once */
    run("return ALL_TOOLS.length", -1);
    T_OK(strstr(told, "Value: 3") != NULL);
    free(large);
    torno_host_free(host);
}

/* ---- calls ---- */

static void test_replies(void)
{
    begin(reply, "{nojson", 8);
    run("await tools.t({})", -1);
    T_OK(strstr(told, "isn't JSON") != NULL);
    torno_host_free(host);
    begin(reply, "{}", 8);
    run("return (await tools.t({})).isError", -1);
    T_OK(strstr(told, "Value: false") != NULL);
    torno_host_free(host);
}

/* A call that nobody answers goes with its host (the sanitizer looks). */
static void test_unanswered(void)
{
    struct torno_watch *watch;
    const char *code = "await tools.t({})";

    begin(hold, NULL, 8);
    must(torno_agent_run(agent, code, strlen(code), NULL, -1, 0, on_return, NULL, &watch));
    while (held == NULL) {
        must(torno_host_run(host));
    }
    T_OK(torno_watch_script_id(watch)[0] != '\0');
    T_STR(torno_watch_script_id(watch), torno_call_script_id(held));
    torno_host_free(host);
    T_EQ(n_returns, 1);
}

/* ---- what comes unasked for ---- */

static void test_notice(void)
{
    begin(hold, NULL, 0);
    run("await sleep(20); throw new Error('left')", 1);
    must(torno_host_run(host)); /* comes back when the notice is out */
    T_EQ(n_notices, 1);
    torno_host_free(host);
}

static void test_arguments(void)
{
    struct torno_host_options o = TORNO_HOST_OPTIONS;
    struct torno_host *none = NULL;

    o.size = 3;
    T_EQ(torno_host_new(&o, &none), -EINVAL);
    T_EQ(torno_host_new(NULL, NULL), -EINVAL);
    T_OK(none == NULL);
    torno_host_free(NULL);
    torno_watch_cancel(NULL);
    torno_script_free(NULL);
    torno_agent_close(NULL, NULL, NULL);
    T_EQ(torno_host_dispatch(NULL), -EINVAL);
    T_EQ(torno_run(NULL, NULL, NULL), -EINVAL);
}

int main(void)
{
    test_inside();
    test_free_ends();
    test_tools();
    test_replies();
    test_unanswered();
    test_notice();
    test_arguments();
    return T_DONE("api");
}
