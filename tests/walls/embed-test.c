/* SPDX-License-Identifier: MIT
 *
 * Hosts inside a program that has a life of its own: threads that allocate, a thread that forks
 * children and one that reaps whatever there is with waitpid(-1), handlers and a timer, descriptors
 * that an exec would inherit. Two hosts run on two loops in two threads at once. Neither hurts the
 * other: scripts end rightly, the program's children come back to it with their own statuses, its
 * handlers, masks and descriptors stay as they were, and nothing of it reaches a cell. As an
 * ordinary user and as root.
 *
 * SOAK in the environment: how many scripts each host runs (40).
 */
#include "found.h"
#include "one-host.h"

#include "base/fd.h"
#include "unit/t.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SCRIPTS = 40, CHILDREN = 400, HOSTS = 2, BAIT_FDS = 40, MAX_FDS = 4096 };

static const char script[] = "let n = 0; for (let i = 0; i < 3; i++) n += (await tools.t({ i }))"
                             ".content.length; return n";
static atomic_bool is_over;
static atomic_bool is_last_forked;
static atomic_int alarms;
static atomic_int deaths;
static atomic_int own_children; /* reaped with the status that they had */
static atomic_int strangers;    /* reaped, and none of ours */
static atomic_int bad_runs;
static atomic_int baits_seen;
static atomic_bool is_ours[1 << 22]; /* by pid */
static int scripts = SCRIPTS;
static char bait_path[64];

static void on_alarm(int number)
{
    (void)number;
    atomic_fetch_add(&alarms, 1);
}

static void on_child(int number)
{
    (void)number;
    atomic_fetch_add(&deaths, 1);
}

static void *allocate_all_day(void *arg)
{
    unsigned seed = 1;

    (void)arg;
    while (!atomic_load(&is_over)) {
        char *p = mem_new(1 + (size_t)rand_r(&seed) % 100000);

        p[0] = 1;
        mem_free(p);
    }
    return NULL;
}

static int status_of(pid_t pid)
{
    return pid % 199 + 1;
}

static void *fork_children(void *arg)
{
    (void)arg;
    for (int i = 0; i < CHILDREN || !atomic_load(&is_over); i++) {
        pid_t pid;
        int go[2];
        char c = 0;

        if (pipe2(go, O_CLOEXEC) != 0) {
            break;
        }
        pid = fork();
        if (pid == 0) {
            _exit(read(go[0], &c, 1) == 1 ? status_of(getpid()) : 0);
        }
        atomic_store(&is_ours[pid], true);
        (void)!write(go[1], "x", 1);
        close(go[0]);
        close(go[1]);
        usleep(500);
    }
    atomic_store(&is_last_forked, true);
    return NULL;
}

/* The careless reaper: takes every child of the process, the wardens too. */
static void *reap_children(void *arg)
{
    (void)arg;
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);

        if (pid < 0 && errno == ECHILD && atomic_load(&is_last_forked)) {
            return NULL;
        }
        if (pid <= 0) {
            usleep(200);
        } else if (!atomic_load(&is_ours[pid])) {
            atomic_fetch_add(&strangers, 1);
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == status_of(pid)) {
            atomic_store(&is_ours[pid], false);
            atomic_fetch_add(&own_children, 1);
        }
    }
}

/* Looks through the descriptors of every process that we may look at and that is no fork of this
 * program for one of ours. */
static void look_for_bait(void *arg)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;

    (void)arg;
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        char path[64];
        char to[128] = "";

        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%.20s/exe", entry->d_name);
        if (readlink(path, to, sizeof to - 1) < 0 || strstr(to, "torno-warden") == NULL) {
            continue;
        }
        for (int fd = 0; fd < 256; fd++) {
            snprintf(path, sizeof path, "/proc/%.20s/fd/%d", entry->d_name, fd);
            memset(to, 0, sizeof to);
            if (readlink(path, to, sizeof to - 1) > 0 && strncmp(to, bait_path, 16) == 0) {
                atomic_fetch_add(&baits_seen, 1);
            }
        }
    }
    if (proc != NULL) {
        closedir(proc);
    }
}

static void run_scripts(struct one *one, int n)
{
    for (int i = 0; i < n; i++) {
        one->on_call = i % 16 == 0 ? look_for_bait : NULL;
        if (one_run(one, script) != 0 || one->kind != ENDING_FINISHED ||
            strcmp(one->value, "3") != 0) {
            fprintf(stderr, "%s: %s\n", ending_name(one->kind), one->message);
            atomic_fetch_add(&bad_runs, 1);
        }
    }
}

static void *live_as_host(void *arg)
{
    struct one one;

    (void)arg;
    if (one_init(&one) != 0 || one_open(&one, one_warden(), '\0', 1) != 0) {
        fprintf(stderr, "%s\n", one.message);
        atomic_fetch_add(&bad_runs, 1);
    } else {
        run_scripts(&one, scripts);
    }
    one_close(&one);
    return NULL;
}

/* What of the program a library must leave alone. */
struct state {
    struct sigaction actions[NSIG];
    sigset_t mask;
    struct itimerval timer;
    char fds[MAX_FDS];
};

static void take_state(struct state *s)
{
    memset(s, 0, sizeof *s);
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, NULL, &s->actions[number]);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
    for (int fd = 0; fd < MAX_FDS; fd++) {
        int flags = fcntl(fd, F_GETFD);

        s->fds[fd] = (char)(flags < 0 ? 0 : 1 + flags);
    }
}

static void check_state(const struct state *before)
{
    static struct state now;

    take_state(&now);
    for (int number = 1; number < NSIG; number++) {
        T_OK(now.actions[number].sa_handler == before->actions[number].sa_handler &&
             now.actions[number].sa_flags == before->actions[number].sa_flags);
        T_EQ(sigismember(&now.mask, number), sigismember(&before->mask, number));
    }
    T_OK(memcmp(now.fds, before->fds, sizeof now.fds) == 0);
}

/* Descriptors of a host are closed by an exec of the program's. */
static void check_cloexec(const struct state *before)
{
    for (int fd = 0; fd < MAX_FDS; fd++) {
        int flags = fcntl(fd, F_GETFD);

        T_OK(flags < 0 || before->fds[fd] != 0 || (flags & FD_CLOEXEC) != 0);
    }
}

static void set_scene(void)
{
    struct itimerval often = {.it_interval = {0, 3000}, .it_value = {0, 3000}};
    struct sigaction alarm_action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct sigaction child_action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    int pair[2];

    snprintf(bait_path, sizeof bait_path, "/tmp/embed-%07d-bait", (int)getpid());
    for (int i = 0; i < BAIT_FDS; i++) {
        T_OK(open(bait_path, O_RDWR | O_CREAT, 0600) >= 0); /* on purpose not O_CLOEXEC */
    }
    T_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    unlink(bait_path);
    sigaction(SIGALRM, &alarm_action, NULL);
    sigaction(SIGCHLD, &child_action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

/* Two hosts at once in a busy program. */
static void test_busy(const struct state *before)
{
    pthread_t hosts[HOSTS];
    pthread_t others[4];
    void *(*const lives[4])(void *) = {allocate_all_day, allocate_all_day, fork_children,
                                       reap_children};

    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        T_EQ(pthread_create(&others[i], NULL, lives[i], NULL), 0);
    }
    for (size_t i = 0; i < HOSTS; i++) {
        T_EQ(pthread_create(&hosts[i], NULL, live_as_host, NULL), 0);
    }
    for (size_t i = 0; i < HOSTS; i++) {
        pthread_join(hosts[i], NULL);
    }
    atomic_store(&is_over, true);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        pthread_join(others[i], NULL);
    }
    T_EQ(bad_runs, 0);
    T_EQ(baits_seen, 0);
    T_OK(own_children >= CHILDREN);
    for (size_t pid = 0; pid < ARRAY_SIZE(is_ours); pid++) {
        if (is_ours[pid]) {
            T_FAIL("a child of the program's was not reaped by it with its own status");
        }
    }
    T_OK(strangers <= HOSTS); /* its wardens, where it was quicker than the host */
    T_OK(alarms > 0 && deaths > 0);
    check_state(before);
}

/* Children that the program never sees: the kernel reaps, the warden too. */
static void test_unseen_children(const struct state *before, int flags, void (*handler)(int))
{
    struct sigaction unseen = {.sa_handler = handler, .sa_flags = flags};
    struct sigaction was;
    struct one one;

    sigaction(SIGCHLD, &unseen, &was);
    T_EQ(one_init(&one), 0);
    T_EQ(one_open(&one, one_warden(), '\0', 1), 0);
    check_cloexec(before);
    run_scripts(&one, 4);
    one_close(&one);
    T_EQ(bad_runs, 0);
    sigaction(SIGCHLD, &was, NULL);
    check_state(before);
}

static void *open_and_end(void *arg)
{
    if (one_init(arg) != 0 || one_open(arg, one_warden(), '\0', 1) != 0) {
        atomic_fetch_add(&bad_runs, 1);
    }
    return NULL;
}

/* The thread that made a host ends; another turns its loop from then on. */
static void test_thread_ends(const struct state *before)
{
    struct one *one = mem_new(sizeof *one);
    pthread_t maker;

    T_EQ(pthread_create(&maker, NULL, open_and_end, one), 0);
    pthread_join(maker, NULL);
    run_scripts(one, 4);
    one_close(one);
    mem_free(one);
    T_EQ(bad_runs, 0);
    check_state(before);
}

static void test_all(void)
{
    static struct state before;

    set_scene();
    live_as_host(NULL); /* what libuv opens once and keeps for the process */
    take_state(&before);
    test_busy(&before);
    test_unseen_children(&before, SA_NOCLDWAIT, on_child);
    test_unseen_children(&before, 0, SIG_IGN);
    test_thread_ends(&before);
}

int main(void)
{
    const char *soak = getenv("SOAK");

    if (soak != NULL) {
        sscanf(soak, "%d", &scripts);
    }
    T_EQ(one_copy_warden(), 0);
    if (geteuid() == 0) {
        found_as_user(test_all); /* first, and in a child: this program has not its threads yet */
    }
    test_all();
    T_EQ(one_drop_warden(), 0);
    return T_DONE("embed");
}
