/* SPDX-License-Identifier: MIT
 *
 * The monitor. Its parent is the host, which it trusts to have started it and in nothing
 * else: signals, masks, timers, descriptors, folder and groups are reset first.
 *
 * Tier A: it forks the init into namespaces, writes the maps, and from then on only watches:
 * the host's pidfd, the hang-up of the control socket (which the init reads), and the init.
 * When one of them goes, the init is killed, and with it, as pid 1, everything below. Tiers
 * B (root) and C: monitor and init are one process.
 *
 * It ends with the init, so that the host sees its control socket close exactly when no
 * process of the run is left. Killed itself, it takes the init along (parent-death signal).
 */
#include "warden/monitor.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "warden/caps.h"
#include "warden/init.h"
#include "warden/packet.h"
#include "warden/sys.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { LEAST_FILES = 16 };

static void refuse(const char *sentence)
{
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MAX_PACKET);
    struct wire_refused m = {.sentence = bytes_str(sentence)};

    warden_log("event=refused");
    wire_put_refused(&out, &m);
    packet_send(CONTROL_FD, true, buf_bytes(&out), NULL, 0);
}

/* By system call: posix_spawn leaves two signals ignored that glibc keeps for itself, and glibc's
 * sigaction refuses to touch them. All zero is the default action; KILL and STOP refuse, rightly.
 */
static void reset_action(int number)
{
    static const uint64_t standard[4];

    syscall(SYS_rt_sigaction, number, standard, NULL, 8);
}

static void reset_signals(void)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct itimerval none = {0};
    sigset_t empty;

    for (int number = 1; number < NSIG; number++) {
        reset_action(number);
    }
    sigaction(SIGPIPE, &ignored, NULL);
    sigaction(SIGXFSZ, &ignored, NULL); /* under ulimit -f a write fails, and can be told */
    sigemptyset(&empty);
    sigprocmask(SIG_SETMASK, &empty, NULL);
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    setitimer(ITIMER_PROF, &none, NULL);
}

static bool is_null_device(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

/* 0 and 1 are /dev/null for everybody below, 2 is a log or the same. */
static int reset_descriptors(void)
{
    struct rlimit files;
    struct stat st;
    int r = fd_close_from(CONTROL_FD + 1);

    if (r != 0) {
        return r;
    }
    /* So no number is ever higher, and those below can close all without a list of them. */
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return -errno;
    }
    files.rlim_cur = files.rlim_cur < WARDEN_FILES ? files.rlim_cur : WARDEN_FILES;
    files.rlim_max = files.rlim_max < WARDEN_FILES ? files.rlim_max : WARDEN_FILES;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) {
        return -errno;
    }
    if (!is_null_device(0)) {
        int fd = open("/dev/null", O_RDWR); /* not CLOEXEC: the zygote's program keeps it */

        if (fd < 0 || (fd != 0 && dup2(fd, 0) < 0)) {
            return -errno;
        }
        if (fd > CONTROL_FD) {
            fd_close(fd);
        }
        if (!is_null_device(0)) {
            return -ENODEV; /* a file of that name, which a script could read */
        }
    }
    if (dup2(0, 1) < 0 || (fstat(2, &st) != 0 && dup2(0, 2) < 0)) {
        return -errno;
    }
    return fcntl(CONTROL_FD, F_SETFD, FD_CLOEXEC) == 0 ? fd_set_nonblock(CONTROL_FD, false)
                                                       : -errno;
}

/* However eager the host is (a negative nice, a real-time policy), a script is not. */
static int reset_priority(void)
{
    static const struct sched_param none = {0};

    if (sched_getscheduler(0) != SCHED_OTHER && sched_setscheduler(0, SCHED_OTHER, &none) != 0) {
        return -errno;
    }
    if (getpriority(PRIO_PROCESS, 0) < 0 && setpriority(PRIO_PROCESS, 0, 0) != 0) {
        return -errno;
    }
    return 0;
}

static int reset_rest(void)
{
    int r = reset_priority();

    if (r != 0) {
        return r;
    }
    umask(077);
    personality(PER_LINUX);
    if (chdir("/") != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        return -errno;
    }
    if (!ablate_is_off(OFF_NO_NEW_PRIVS) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return -errno;
    }
    if (geteuid() == 0) {
        setgroups(0, NULL); /* in a container root may lack the right; cells try again */
    }
    /* To make and map namespaces, to chroot, and to give ids away; it is never more than this. */
    return caps_keep(CAPS(SYS_ADMIN) | CAPS(SETUID) | CAPS(SETGID) | CAPS(SETPCAP) |
                     CAPS(SYS_CHROOT) | CAPS(KILL));
}

/* Tier A, once the init is released: the monitor only watches and kills from here on, and gives up
 * all that it could do beside that. Root becomes the init's own id, which may kill it; that only
 * where its host, which has the same rights as the monitor had, may still kill the monitor. */
static int become_watcher(const struct warden *w)
{
    uint32_t uid = w->base_uid;

    if (caps_bound(0) != 0) {
        return -EPERM;
    }
    if (geteuid() == 0 && caps_has(CAP_KILL) &&
        (syscall(SYS_setresgid, uid, uid, uid) != 0 ||
         syscall(SYS_setresuid, uid, uid, uid) != 0)) {
        return -errno;
    }
    return caps_keep(0);
}

/* Watches until host, control socket or init is gone; then ends the init and all below it. */
static void watch_init(const struct warden *w, pid_t init)
{
    _cleanup_(close_p) int init_fd = sys_pidfd_open(init);
    struct pollfd fds[] = {
        {.fd = w->host_fd, .events = POLLIN},
        {.fd = CONTROL_FD, .events = 0},
        {.fd = init_fd, .events = POLLIN},
    };

    while (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno == EINTR) {
    }
    kill(init, SIGKILL); /* our child: until it is reaped the pid is its own */
    while (waitpid(init, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* Maps and releases the init, and hears whether its walls stand. */
static struct init_report settle_init(struct warden *w, pid_t pid, int socket)
{
    struct init_report report = {SPACE_FORK, EPIPE};
    char number[16];
    int r = space_map(pid, geteuid() == 0, &w->base_uid);

    if (r != 0) {
        return (struct init_report){SPACE_MAPS, -r};
    }
    snprintf(number, sizeof number, "%d", (int)pid);
    warden_prefer_in_oom(number);
    r = init_release(socket, &report);
    if (r != 0) {
        return (struct init_report){SPACE_FORK, -r};
    }
    if (report.step == 0 && become_watcher(w) != 0) {
        return (struct init_report){SPACE_IDS, EPERM};
    }
    return report;
}

/* Tier A: true where it stood, and is over now; false with the cause in the notice. */
static bool try_tier_a(struct warden *w)
{
    _cleanup_(close_p) int ours = -1;
    int pair[2];
    const char *left_out;
    struct init_report report = {0, 0};
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        report = (struct init_report){SPACE_FORK, errno};
        space_explain(&w->notice, report.step, report.error);
        return false;
    }
    ours = pair[0];
    w->tier = 'A';
    w->has_pid_ns = !ablate_is_off(OFF_PID_NS);
    w->may_drop_uid = geteuid() == 0;
    pid = space_fork(&left_out);
    if (pid == 0) {
        w->base_uid = 0; /* as seen inside */
        fd_close(steal_fd(&ours));
        if (left_out != NULL) {
            warden_notice(w, left_out);
        }
        init_main(w, pair[1]);
    }
    fd_close(pair[1]);
    report = pid < 0 ? (struct init_report){SPACE_FORK, -pid} : settle_init(w, pid, ours);
    if (report.step == 0) {
        watch_init(w, pid);
        return true;
    }
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    w->has_pid_ns = false;
    w->may_drop_uid = false;
    space_explain(&w->notice, report.step, report.error);
    return false;
}

/* Whether root may give away this id here, and kill who has it: tried on a child. */
static bool may_give(uint32_t uid)
{
    int status = 0;
    siginfo_t stopped;
    pid_t pid = sys_fork(0);

    if (pid == 0) {
        if (syscall(SYS_setresgid, uid, uid, uid) == 0 &&
            syscall(SYS_setresuid, uid, uid, uid) == 0) {
            raise(SIGSTOP);
        }
        _exit(1);
    }
    if (pid < 0) {
        return false;
    }
    waitid(P_PID, (id_t)pid, &stopped, WEXITED | WSTOPPED | WNOWAIT);
    if (kill(pid, SIGKILL) != 0) {
        kill(pid, SIGCONT); /* its own session: that is always allowed */
    }
    return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
}

/* A folder without a name, in which nothing can be made: it was removed while it was open. */
static int open_empty_folder(void)
{
    static const char *const places[] = {"/tmp", "/run", "/var/tmp", "/dev/shm", "/"};

    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        char path[64];
        int fd;

        snprintf(path, sizeof path, "%s/torno-XXXXXX", places[i]);
        if (mkdtemp(path) == NULL) {
            continue;
        }
        fd = chmod(path, 0555) == 0 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
        rmdir(path);
        if (fd >= 0) {
            return fd;
        }
    }
    return -1;
}

/* Tier B: false, with the cause in the notice, where even this cannot be had. */
static bool try_tier_b(struct warden *w)
{
    for (size_t i = 0; i < ARRAY_SIZE(space_bases) && !w->may_drop_uid; i++) {
        w->base_uid = space_bases[i];
        w->may_drop_uid = may_give(space_bases[i] + CELLS_MAX);
    }
    if (!w->may_drop_uid) {
        warden_notice(w, "root may not give a cell a user id of its own (CAP_SETUID, CAP_SETGID or "
                         "CAP_KILL is missing)");
        return false;
    }
    w->root_fd = open_empty_folder();
    if (w->root_fd < 0) {
        warden_notice(w, "no folder could be made to lock cells into");
    }
    w->tier = 'B';
    if (caps_keep(CAPS(SETUID) | CAPS(SETGID) | CAPS(SETPCAP) | CAPS(SYS_CHROOT) | CAPS(KILL)) !=
        0) {
        return false;
    }
    init_serve(w);
    return true;
}

/* Tier C: an ordinary user. Root that asked for it becomes one first. */
static void serve_tier_c(struct warden *w, bool is_asked_for)
{
    uint32_t uid = space_bases[0];

    if (geteuid() == 0 && is_asked_for) {
        warden_prefer_in_oom("self");
        caps_bound(0);
        if (syscall(SYS_setresgid, uid, uid, uid) != 0 ||
            syscall(SYS_setresuid, uid, uid, uid) != 0) {
            warden_notice(w, "root could not become an ordinary user");
        }
    }
    w->may_drop_uid = false;
    w->tier = 'C';
    if (caps_keep(0) != 0) {
        refuse("the warden could not give up its capabilities");
        return;
    }
    init_serve(w);
}

static void note_weaknesses(struct warden *w)
{
    if (ablate_notice() != NULL) {
        warden_notice(w, ablate_notice());
    }
    if (cell_landlock_abi() < 0) {
        warden_notice(w, "the kernel has no Landlock");
    }
}

/* What no cell can do without, here: NULL, or a sentence. */
static const char *find_lack(struct warden *w, pid_t host)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur < LEAST_FILES) {
        return "the limit on open files (ulimit -n) is below 16, which the warden needs";
    }
    w->program_fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
    if (w->program_fd < 0) {
        return "the warden cannot find its own program: /proc is not mounted";
    }
    w->host_fd = sys_pidfd_open(host);
    if (w->host_fd == -ENOSYS) {
        return "this kernel (or a container's filter) has no pidfd_open: Linux 5.4 or later is "
               "needed";
    }
    if (!cell_limits_hold_memory()) {
        return "an address-space limit is set (ulimit -v), under which the kernel would not hold "
               "a script to its memory: set it to unlimited, and bound scripts by their own limit";
    }
    return NULL;
}

int monitor_main(pid_t host, char max_tier, bool is_for_attempts)
{
    static struct warden w = {.host_fd = -1, .root_fd = -1};
    const char *sentence = NULL;
    bool is_root = geteuid() == 0;

    w.is_for_attempts = is_for_attempts;
    w.notice = buf_max(WIRE_MAX_SENTENCE);
    reset_signals();
    if (reset_descriptors() != 0) {
        refuse("the warden could not reset its descriptors (is /dev/null there, and the null "
               "device?)");
        return 1;
    }
    if (reset_rest() != 0) {
        refuse("the warden could not reset what it inherited: its priority, its folder, "
               "no_new_privs or its capabilities; something around torno refuses these calls");
        return 1;
    }
    sentence = find_lack(&w, host);
    if (sentence != NULL || w.host_fd < 0 || getppid() != host) {
        refuse(sentence != NULL ? sentence : "the host has gone");
        return 1;
    }
    note_weaknesses(&w);
    if (max_tier == 'A' && try_tier_a(&w)) {
        return 0;
    }
    if (max_tier <= 'B' && is_root && try_tier_b(&w)) {
        return 0;
    }
    serve_tier_c(&w, max_tier == 'C');
    return 0;
}
