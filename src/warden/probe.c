/* SPDX-License-Identifier: MIT
 *
 * torno-warden --probe: what this machine allows, found by doing it, each in a child of its own.
 * Nothing is read from settings: `torno doctor` reads them afterwards, for the wording. One
 * name=value line each, as it is found. A value is "yes", "yes" and a word, "no" and the name of
 * an errno or signal, or "untried" where an earlier one failed or it is not for this user:
 *
 *   version, protocol       of this program, plain
 *   seccomp                 a filter of one instruction can be installed
 *   filter                  the filter of JavaScript cells can be built and installed
 *   landlock                Landlock, and its version
 *   userns                  a user namespace alone
 *   namespaces              all that tier A takes, in one; "yes fewer": user, pid and mount alone
 *   maps                    ids can be mapped into it
 *   ids                     its root can be taken
 *   mounts                  an empty root folder can be mounted and entered
 *   pidns                   its first process has pid 1, and all inside die with it
 *   chroot                  root may chroot and give away a user id (tier B)
 *   mdwe                    the kernel refuses to make writable memory executable
 *   thp                     huge pages can be switched off
 *   pidfd, close_range      the system call is there
 *   clock                   the time is read without a system call
 *
 * That a real cell stands is not probed here: `torno doctor` runs scripts as any host does.
 */
#include "warden/probe.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "warden/packet.h"
#include "warden/space.h"
#include "warden/sys.h"
#include "warden/warden.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

enum { PATIENCE_MS = 2000, SET_MDWE = 65, MDWE_REFUSE_EXEC_GAIN = 1, KILLED = 256 };

static void tell(const char *name, const char *value)
{
    printf("%s=%s\n", name, value);
    fflush(stdout);
}

/* 0: yes; an errno; or KILLED and the number of a signal. */
static void tell_result(const char *name, int result)
{
    const char *word = result < KILLED ? strerrorname_np(result) : sigabbrev_np(result - KILLED);
    char value[64];

    if (result == 0) {
        tell(name, "yes");
        return;
    }
    snprintf(value, sizeof value, "no %s%s", result < KILLED ? "" : "SIG",
             word != NULL ? word : "?");
    tell(name, value);
}

/* Runs a test in a child: 0, an errno, or KILLED and the number of the signal that ended it. */
static int in_child(int (*test)(void))
{
    int status = 0;
    pid_t pid = sys_fork(0);

    if (pid == 0) {
        _exit(test());
    }
    if (pid < 0) {
        return -pid;
    }
    if (waitpid(pid, &status, 0) != pid) {
        return errno;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED + WTERMSIG(status);
}

static void try_it(const char *name, int (*test)(void))
{
    tell_result(name, in_child(test));
}

static int error_of(long r)
{
    return r < 0 ? errno : 0;
}

static int install(struct sock_filter *program, unsigned short len)
{
    struct sock_fprog fprog = {.len = len, .filter = program};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return errno;
    }
    return error_of(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog));
}

static int test_seccomp(void)
{
    struct sock_filter program[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};

    return install(program, ARRAY_SIZE(program));
}

static int test_filter(void)
{
    const char *sentence = "";
    int r = cell_prepare_filter(&sentence);

    if (r != 0) {
        return -r;
    }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? -cell_filter_raise() : errno;
}

/* Many reads of the time where the only system call is the end of the process. */
static int test_clock(void)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct timespec now;
    int r;

    prctl(PR_SET_DUMPABLE, 0);
    r = install(program, ARRAY_SIZE(program));
    for (int i = 0; r == 0 && i < 200; i++) {
        r = error_of(clock_gettime(CLOCK_MONOTONIC, &now));
    }
    return r;
}

static void probe_landlock(void)
{
    int abi = cell_landlock_abi();
    char value[32];

    if (abi <= 0) {
        tell_result("landlock", -abi);
        return;
    }
    snprintf(value, sizeof value, "yes %d", abi);
    tell("landlock", value);
}

static int test_userns(void)
{
    return error_of(unshare(CLONE_NEWUSER));
}

/* Inside the namespaces: enters them, leaves a child behind that holds the socket, reports. */
__attribute__((noreturn)) static void enter_space(int socket)
{
    uint8_t report[2] = {0, 0};
    struct packet p;
    int r;

    if (packet_recv(socket, true, &p) != 0) {
        _exit(0);
    }
    r = getpid() == 1 ? space_become_root() : -EPERM;
    report[0] = r != 0 ? SPACE_IDS : 0;
    if (r == 0) {
        r = space_empty_root();
        report[0] = r != 0 ? SPACE_ROOT : 0;
    }
    report[1] = (uint8_t)-r;
    if (sys_fork(0) >= 0) {
        packet_send(socket, true, bytes_of(report, sizeof report), NULL, 0);
        pause();
    }
    _exit(0);
}

/* From outside; on success *ret_is_dead says whether all inside died with pid 1. */
static int try_space(pid_t pid, int socket, enum space_step *ret_step, bool *ret_is_dead)
{
    struct packet p;
    uint32_t base;
    int r = space_map(pid, geteuid() == 0, &base);

    *ret_step = SPACE_MAPS;
    if (r != 0) {
        return r;
    }
    *ret_step = SPACE_FORK;
    if (packet_send(socket, true, bytes_str("go"), NULL, 0) != 0 ||
        packet_recv(socket, true, &p) != 0 || p.len != 2) {
        return -EPIPE;
    }
    *ret_step = (enum space_step)p.data[0];
    if (p.data[0] == 0) {
        struct pollfd gone = {.fd = socket, .events = POLLIN};

        kill(pid, SIGKILL);
        /* Its child reports as well; then the socket closes with the last of them. */
        do {
            *ret_is_dead = poll(&gone, 1, PATIENCE_MS) == 1;
        } while (*ret_is_dead && packet_recv(socket, false, &p) == 0);
    }
    return -p.data[1];
}

/* The steps in their order; the first that fails is step, and those after it are untried. */
static void tell_space(enum space_step step, int error, bool is_dead, const char *left_out)
{
    static const struct {
        const char *name;
        enum space_step step;
    } rows[] = {{"namespaces", SPACE_FORK},
                {"maps", SPACE_MAPS},
                {"ids", SPACE_IDS},
                {"mounts", SPACE_ROOT}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (error != 0 && rows[i].step == step) {
            tell_result(rows[i].name, error);
        } else if (error != 0 && rows[i].step > step) {
            tell(rows[i].name, "untried");
        } else {
            tell(rows[i].name, left_out != NULL && i == 0 ? "yes fewer" : "yes");
        }
    }
    if (error != 0) {
        tell("pidns", "untried");
    } else {
        tell_result("pidns", is_dead ? 0 : EBUSY);
    }
}

static void probe_space(void)
{
    int pair[2];
    const char *left_out = NULL;
    enum space_step step = SPACE_FORK;
    bool is_dead = true;
    pid_t pid;
    int r;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        tell_space(SPACE_FORK, errno, false, NULL);
        return;
    }
    pid = space_fork(&left_out);
    if (pid == 0) {
        fd_close(pair[0]);
        enter_space(pair[1]);
    }
    fd_close(pair[1]);
    r = pid < 0 ? pid : try_space(pid, pair[0], &step, &is_dead);
    fd_close(pair[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    tell_space(step, -r, is_dead, left_out);
}

static int test_chroot(void)
{
    uint32_t uid = space_bases[0];

    if (chroot("/") != 0) {
        return errno;
    }
    if (syscall(SYS_setresgid, uid, uid, uid) == 0 && syscall(SYS_setresuid, uid, uid, uid) == 0) {
        return 0;
    }
    uid = space_bases[1];
    return error_of(
        syscall(SYS_setresgid, uid, uid, uid) != 0 ? -1 : syscall(SYS_setresuid, uid, uid, uid));
}

static int test_mdwe(void)
{
    void *page;

    if (prctl(SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0) {
        return errno;
    }
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return errno;
    }
    return mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0 ? 0 : ENOTSUP;
}

static int test_thp(void)
{
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) {
        return errno;
    }
    return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1 ? 0 : ENOTSUP;
}

static int test_pidfd(void)
{
    int fd = sys_pidfd_open(getpid());

    return fd < 0 ? -fd : 0;
}

static int test_close_range(void)
{
    return error_of(close_range(3, ~0U, 0));
}

int probe_main(void)
{
    tell("version", TORNO_VERSION);
    printf("protocol=%u\n", WIRE_VERSION);
    try_it("seccomp", test_seccomp);
    try_it("filter", test_filter);
    probe_landlock();
    try_it("userns", test_userns);
    probe_space();
    if (geteuid() == 0) {
        try_it("chroot", test_chroot);
    } else {
        tell("chroot", "untried");
    }
    try_it("mdwe", test_mdwe);
    try_it("thp", test_thp);
    try_it("pidfd", test_pidfd);
    try_it("close_range", test_close_range);
    try_it("clock", test_clock);
    return 0;
}
