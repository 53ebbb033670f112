/* SPDX-License-Identifier: MIT
 *
 * Every cause of a script's death, and the ending that it must get: the judgement alone for each
 * signal and each exit status, then real cells in every tier: each signal sent from outside, the
 * host's own ends, the loss of the warden, the init and the zygote. BIN names the folder of the
 * warden.
 *
 * In tier A a cell is pid 1 of a namespace: but for SIGKILL and SIGSTOP the kernel drops what would
 * end it, even from outside, and the script goes on. The engine takes one SIGSEGV and one SIGBUS
 * that somebody sent, since only a fault of its own has an address.
 */
#include "base/fd.h"
#include "real-host.h"

#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the judgement ---- */

static void judge(int status, const char *sentence, enum ending_kind *ret_kind, char *ret_reason,
                  struct buf *message)
{
    struct limits limits = limits_default();
    struct ending e = {.value = bytes_none()};
    struct end_facts f = {.breach = "",
                          .has_process = true,
                          .early = "",
                          .early_reason = "",
                          .warden_end = "",
                          .warden_text = "",
                          .status = status,
                          .died_sentence = bytes_str(sentence),
                          .limits = &limits};

    buf_clear(message);
    ending_decide(&f, message, &e);
    *ret_kind = e.kind;
    snprintf(ret_reason, 16, "%.*s", (int)e.reason.len, (const char *)e.reason.ptr);
}

static void expect(int status, const char *sentence, const char *reason, const char *part)
{
    _cleanup_(buf_done) struct buf message = buf_max(4096);
    enum ending_kind kind = ENDING_FINISHED;
    char have[16];

    judge(status, sentence, &kind, have, &message);
    T_EQ(kind, ENDING_CRASHED);
    T_STR(have, reason);
    T_OK(strstr(buf_str(&message), part) != NULL);
    if (strstr(buf_str(&message), part) == NULL) {
        fprintf(stderr, "  status %x: \"%s\" is not in: %s\n", (unsigned)status, part,
                buf_str(&message));
    }
}

/* Every signal there is, with and without a core; every status a process can exit with. */
static void test_judgement(void)
{
    char part[64];

    for (int number = 1; number < NSIG; number++) {
        const char *name = sigabbrev_np(number);

        snprintf(part, sizeof part, "%s%s (signal %d)", name == NULL ? "a real-time signal" : "SIG",
                 name == NULL ? "" : name, number);
        expect(number, "", number == SIGSYS ? "wall" : "signal",
               number == SIGSYS ? "SIGSYS" : part);
        expect(number | 0x80, "", number == SIGSYS ? "wall" : "signal",
               number == SIGSYS ? "SIGSYS" : part);
    }
    for (int status = 0; status < 256; status++) {
        bool is_step = status >= WIRE_EXIT_START && status <= WIRE_EXIT_LAST;

        snprintf(part, sizeof part, is_step ? "step %d of" : "status %d",
                 is_step ? status - WIRE_EXIT_START : status);
        expect(status << 8, "", is_step ? "wall" : "exit", part);
    }
    expect(SIGKILL, "", "signal", "want of memory");
    expect(SIGKILL, "the limit on time", "signal", "SIGKILL (signal 9): the limit on time");
    expect(SIGSYS, "the filter killed it", "wall", "outside its list");
    expect(SIGSEGV, "", "signal", "SIGSEGV (signal 11)");
    expect((WIRE_EXIT_START + 10) << 8, "no Landlock", "wall", "no Landlock");
}

/* ---- real cells ---- */

static struct one one;
static const char waits[] = "await tools.t({}); return 5";

/* Runs until the script is at its call; its process, as this system numbers it. */
static pid_t start_to_call(const char *code, const struct limits *limits)
{
    T_EQ(try_start(&one, code, limits), 0);
    while (one.held == NULL && !one.is_over && turn()) {
    }
    return one.run->cell != NULL ? one.run->cell->pid : 0;
}

/* Waits for an end that comes before the call is answered, and checks it. */
static void dies(enum ending_kind kind, const char *reason, const char *part)
{
    while (!one.is_over && turn()) {
    }
    ends(&one, kind, reason, part);
}

/* What a signal from outside does to a cell, in tier A and in the others. */
static const struct sent {
    int number;
    bool kills_pid_1;
    bool kills;
} sent[] = {
    {SIGHUP, false, true},   {SIGINT, false, true},    {SIGQUIT, false, true},
    {SIGILL, false, true},   {SIGTRAP, false, true},   {SIGABRT, false, true},
    {SIGBUS, false, false},  {SIGFPE, false, true},    {SIGKILL, true, true},
    {SIGUSR1, false, true},  {SIGSEGV, false, false},  {SIGUSR2, false, true},
    {SIGPIPE, false, false}, {SIGALRM, false, true},   {SIGTERM, false, true},
    {SIGCHLD, false, false}, {SIGCONT, false, false},  {SIGURG, false, false},
    {SIGXCPU, false, true},  {SIGXFSZ, false, false},  {SIGVTALRM, false, true},
    {SIGPROF, false, true},  {SIGWINCH, false, false}, {SIGIO, false, true},
    {SIGPWR, false, true},   {SIGSYS, false, true},    {34, false, true}, /* SIGRTMIN */
};

/* Never to 0, which would be all of us. */
static void send_signal(pid_t pid, int number)
{
    T_OK(pid > 0 && kill(pid, number) == 0);
}

static void test_sent(char tier)
{
    for (size_t i = 0; i < ARRAY_SIZE(sent); i++) {
        const struct sent *s = &sent[i];
        pid_t pid = start_to_call(waits, NULL);
        const char *name = sigabbrev_np(s->number);

        send_signal(pid, s->number);
        if (tier == 'A' ? s->kills_pid_1 : s->kills) {
            dies(ENDING_CRASHED, s->number == SIGSYS ? "wall" : "signal",
                 name != NULL ? name : "real-time");
        } else {
            ends(&one, ENDING_FINISHED, "", "");
        }
    }
}

/* Whether the process has a handler for this signal. */
static bool catches(pid_t pid, int number)
{
    _cleanup_(free_p) char *text = NULL;
    char path[64];
    const char *at;
    size_t len = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    T_EQ(fd_read_file(path, 1 << 16, &text, &len), 0);
    at = text != NULL ? strstr(text, "SigCgt:") : NULL;
    return at != NULL && (strtoull(at + 7, NULL, 16) >> (number - 1) & 1) != 0;
}

/* A second fault signal finds no handler any more. */
static void test_sent_twice(char tier)
{
    pid_t pid = start_to_call(waits, NULL);

    T_OK(catches(pid, SIGSEGV));
    send_signal(pid, SIGSEGV);
    while (pid > 0 && catches(pid, SIGSEGV)) {
    }
    send_signal(pid, SIGSEGV);
    if (tier == 'A') {
        ends(&one, ENDING_FINISHED, "", "");
        return;
    }
    dies(ENDING_CRASHED, "signal", "SIGSEGV (signal 11)");
}

/* What the host does itself. */
static void test_own_ends(void)
{
    static const char spins[] = "await Promise.race([tools.t({})]); for (;;) {}";
    struct limits limits = limits_default();
    pid_t pid;

    limits.lifetime = 30;
    start_to_call(waits, &limits);
    dies(ENDING_EXPIRED, "lifetime", "30 ms");
    /* Stopped by the system, it cannot hear that its time is over: the kill comes. */
    limits.stop_grace = 20;
    pid = start_to_call(waits, &limits);
    send_signal(pid, SIGSTOP);
    dies(ENDING_EXPIRED, "lifetime", "was killed");
    limits = limits_default();
    limits.cpu_time = 30;
    start_to_call(spins, &limits);
    ends(&one, ENDING_EXPIRED, "cpu", "30 ms");
    start_to_call(waits, NULL);
    run_kill(one.run);
    dies(ENDING_STOPPED, "", "by a kill");
    start_to_call(spins, NULL);
    answer(&one);
    run_stop(one.run);
    ends(&one, ENDING_STOPPED, "", "stopped");
}

/* The children of a process, as the kernel lists them; the first of them, or 0. */
static pid_t child_of(pid_t parent)
{
    char path[64];
    char text[64] = "";
    int fd;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    fd = open(path, O_RDONLY);
    T_OK(fd >= 0 && read(fd, text, sizeof text - 1) >= 0);
    close(fd);
    return (pid_t)strtoul(text, NULL, 10);
}

/* The zygote's death touches no script that runs. It is the first child of the init, which in the
 * other tiers is the warden's one process. */
static void test_zygote(char tier)
{
    pid_t init = tier == 'A' ? child_of(host->warden_pid) : host->warden_pid;
    pid_t zygote;

    start_to_call(waits, NULL);
    zygote = child_of(init);
    T_OK(zygote > 0 && zygote != one.run->cell->pid && kill(zygote, SIGKILL) == 0);
    ends(&one, ENDING_FINISHED, "", "");
}

/* With the warden, or its init, every cell goes, and the host says so; nothing starts any more. */
static void test_warden(char tier, bool is_init)
{
    pid_t victim;

    open_host(tier, 1);
    start_to_call(waits, NULL);
    victim = is_init ? child_of(host->warden_pid) : host->warden_pid;
    T_OK(victim > 0 && kill(victim, SIGKILL) == 0);
    dies(ENDING_CRASHED, "warden", "the warden was lost");
    T_ERR(try_start(&one, waits, NULL), EHOSTDOWN);
    close_host();
}

/* In a child under a filter that knows no pidfd_open, as before Linux 5.3: refused with the kernel
 * that is needed. */
static int start_without_pidfd(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};
    struct host_options options = HOST_OPTIONS_DEFAULT;
    struct buf sentence = buf_max(4096);

    uv_loop_init(&loop);
    options.loop = &loop;
    options.warden_path = "/bin/true";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        return 2;
    }
    return host_new(&options, &host, &sentence) == -ENOSYS &&
                   strstr(buf_str(&sentence), "Linux 5.4") != NULL
               ? 0
               : 1;
}

static void test_no_pidfd(void)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        _exit(start_without_pidfd());
    }
    waitpid(pid, &status, 0);
    T_EQ(status, 0);
}

static void test_tier(char tier)
{
    open_host(tier, 1);
    test_sent(tier);
    test_sent_twice(tier);
    test_own_ends();
    test_zygote(tier);
    close_host();
    test_warden(tier, false);
    if (tier == 'A') {
        test_warden(tier, true);
    }
}

int main(void)
{
    test_judgement();
    test_no_pidfd();
    test_tier('A');
    if (geteuid() == 0) {
        test_tier('B');
    }
    test_tier('C');
    return T_DONE("deaths");
}
