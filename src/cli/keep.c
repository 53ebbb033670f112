/* SPDX-License-Identifier: MIT
 *
 * torno keep HOSTPID -- COMMAND...: the keeper, under which one MCP server runs. Internal.
 *
 * A server is a program of somebody else's: it may ignore its stdin's end, start processes of
 * its own and lose them. The keeper is its parent and a subreaper, in a session of its own
 * (a terminal's Ctrl-C is for torno), and ends all of them when
 *   - the host died, however (its pidfd says so),
 *   - the server ended: what it left running is killed, the keeper exits with its status,
 *   - SIGTERM or SIGHUP came: the server and its process group get SIGTERM and 2 s; a second
 *     one kills at once.
 * Its stdin, stdout and stderr go to the server untouched and are closed here, so that their
 * ends mean what they say. Killing the keeper itself with SIGKILL kills the server, but not
 * what the server started: nobody should.
 *
 * Exit status: the server's own; 128 and the signal that ended it; 127 where it could not be
 * started, with one sentence on stderr; 2 for a bad command line.
 */
#include "cli/keep.h"

#include "base/clock.h"
#include "base/fd.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GRACE_MS = 2000, STATUS_NOT_STARTED = 127, STATUS_SIGNAL = 128 };

struct keeper {
    int host_fd;
    int signal_fd;
    pid_t server;
    int status;         /* the server's wait status once it has ended */
    bool has_ended;     /* the server has */
    int64_t kill_at_ms; /* 0: nobody has asked */
};

static int exit_status(int status)
{
    return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* In the child: becomes the server. */
static __attribute__((noreturn)) void become_server(char **command, pid_t keeper)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigset_t none;

    /* Should the keeper be killed, the server must not outlive it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) {
        _exit(STATUS_NOT_STARTED);
    }
    setpgid(0, 0);
    sigaction(SIGPIPE, &by_default, NULL);
    sigaction(SIGXFSZ, &by_default, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(command[0], command);
    cli_say("%s could not be started: %s", command[0], strerror(errno));
    _exit(STATUS_NOT_STARTED);
}

static void let_go_of_stdio(void)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = 0; i <= 2 && fd >= 0; i++) {
        dup2(fd, i);
    }
    if (fd > 2) {
        close(fd);
    }
}

static void read_signals(struct keeper *k)
{
    struct signalfd_siginfo info;

    while (read(k->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGCHLD) {
            continue;
        }
        if (k->kill_at_ms == 0) {
            kill(-k->server, SIGTERM);
            k->kill_at_ms = clock_now_ms() + GRACE_MS;
        } else {
            k->kill_at_ms = clock_now_ms();
        }
    }
}

/* Reaps: strays that were given to us, and the server itself. */
static void reap(struct keeper *k)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == k->server) {
            k->status = status;
            k->has_ended = true;
        }
    }
}

/* Waits until the server has ended, the host died, or the grace has passed. */
static void watch(struct keeper *k)
{
    struct pollfd fds[] = {{.fd = k->host_fd, .events = POLLIN},
                           {.fd = k->signal_fd, .events = POLLIN}};

    while (!k->has_ended) {
        int64_t left_ms = k->kill_at_ms == 0 ? -1 : k->kill_at_ms - clock_now_ms();

        if (k->kill_at_ms != 0 && left_ms <= 0) {
            return;
        }
        if (poll(fds, 2, (int)left_ms) < 0 && errno != EINTR) {
            return;
        }
        if (fds[0].revents != 0) {
            return;
        }
        read_signals(k);
        reap(k);
    }
}

/* Blocks the signals that the keeper reads, before it has a child that could raise one. */
static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    if (sigprocmask(SIG_SETMASK, &set, NULL) < 0) {
        return -errno;
    }
    sigdelset(&set, SIGINT);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int keep(struct keeper *k, char **command)
{
    pid_t self = getpid();

    /* An inherited "ignore" would have the kernel reap behind our back. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid();
    k->signal_fd = open_signals();
    k->server = k->signal_fd < 0 ? -1 : fork();
    if (k->server < 0) {
        cli_say("%s could not be started: %s", command[0], strerror(errno));
        return STATUS_NOT_STARTED;
    }
    if (k->server == 0) {
        become_server(command, self);
    }
    setpgid(k->server, k->server);
    let_go_of_stdio();
    watch(k);
    keep_kill_all(k->has_ended ? 0 : k->server, &k->status);
    return exit_status(k->status);
}

int keep_main(int argc, char **argv)
{
    struct keeper k = {.host_fd = -1, .signal_fd = -1};
    intmax_t host;
    char end;

    if (argc < 4 || strcmp(argv[2], "--") != 0 ||
        sscanf(argv[1], "%" SCNdMAX "%c", &host, &end) != 1 || host <= 0) {
        return cli_usage("keep is torno's own: torno keep HOSTPID -- COMMAND...");
    }
    k.host_fd = (int)syscall(SYS_pidfd_open, (pid_t)host, 0);
    /* The parent's number is only the host's while the host lives: a dead one's may be anybody's.
     */
    if (k.host_fd < 0 || getppid() != (pid_t)host) {
        return cli_usage("process %jd is not the host of this keeper, or has just ended", host);
    }
    return keep(&k, argv + 3);
}
