/* SPDX-License-Identifier: MIT
 *
 * torno-warden --probe: what walls this machine can raise, found by raising them, each in a
 * child of its own. Nothing is read from settings; where something fails, the value starts
 * with "no" and may go on with ": " and a sentence. One name=value line each, in this order:
 *
 *   kernel, arch, user      the kernel's release, its architecture, the user id
 *   seccomp                 yes: the filter of JavaScript cells can be built and installed
 *   escape.NAME             stopped: a process under that filter was killed when it tried;
 *                           open: it was not. NAMEs are in the table below
 *   landlock                its version
 *   namespaces              yes: user, pid, mount and further ones, with maps and a root of
 *                           their own, and killing pid 1 ended what it had made
 *   chroot                  yes: root may chroot and give away user ids (tier B)
 *   mdwe                    yes: the kernel refuses to make writable memory executable
 *   clone3, pidfd           yes: the system call is there
 *   clock                   yes: the time is read without a system call
 *   address_space_limit     none, or the bytes of an inherited ulimit -v
 *   cell                    yes: a real warden made a real cell, which said hello
 *   tier                    A, B or C, of that warden; none
 *   walls                   those of that cell, joined by commas
 *   notice                  what that warden said is weaker here; may be empty
 */
#include "warden/probe.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "warden/monitor.h"
#include "warden/packet.h"
#include "warden/space.h"
#include "warden/sys.h"
#include "warden/warden.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

enum { PATIENCE_MS = 10000, SET_MDWE = 65, MDWE_REFUSE_EXEC_GAIN = 1 };

static void line(const char *name, const char *value)
{
    printf("%s=%s\n", name, value);
}

/* Runs a test in a child; its exit status, or -1 where it was killed. */
static int in_child(int (*test)(const void *arg), const void *arg)
{
    int status = -1;
    pid_t pid = sys_fork(0);

    if (pid == 0) {
        _exit(test(arg));
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int test_filter(const void *arg)
{
    (void)arg;
    prctl(PR_SET_DUMPABLE, 0);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? -cell_filter_raise() : errno;
}

/* What native code in a broken engine would try first. */
struct escape {
    const char *name;
    long call;
    long args[4];
};
static const struct escape escapes[] = {
    {"escape.open", SYS_openat, {AT_FDCWD, (long)"/etc/passwd", O_RDONLY, 0}},
    {"escape.stat", SYS_stat, {(long)"/", 0, 0, 0}},
    {"escape.socket", SYS_socket, {AF_INET, SOCK_STREAM, 0, 0}},
    {"escape.vsock", SYS_socket, {AF_VSOCK, SOCK_STREAM, 0, 0}},
    {"escape.fork", SYS_fork, {0, 0, 0, 0}},
    {"escape.exec", SYS_execve, {(long)"/bin/true", 0, 0, 0}},
    {"escape.kill", SYS_kill, {1, 0, 0, 0}},
    {"escape.ptrace", SYS_ptrace, {0, 0, 0, 0}},
    {"escape.mmap", SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE}},
    {"escape.mprotect", SYS_mprotect, {0, 4096, PROT_READ | PROT_EXEC, 0}},
    {"escape.prctl", SYS_prctl, {PR_SET_DUMPABLE, 1, 0, 0}},
    {"escape.io_uring", 425, {1, 0, 0, 0}},
};

static int test_escape(const void *arg)
{
    const struct escape *e = arg;

    if (test_filter(NULL) != 0) {
        return 1;
    }
    syscall(e->call, e->args[0], e->args[1], e->args[2], e->args[3]);
    return 1;
}

static void probe_filter(void)
{
    const char *sentence = "";
    struct buf value = buf_max(WIRE_MAX_SENTENCE);
    int r;

    if (cell_prepare_filter(&sentence) != 0) {
        buf_printf(&value, "no: %s", sentence);
    } else {
        r = in_child(test_filter, NULL);
        if (r > 0) {
            buf_printf(&value, "no: the kernel or a container refuses filters: %s",
                       strerrordesc_np(r));
        }
    }
    line("seccomp", value.len > 0 ? buf_str(&value) : "yes");
    for (size_t i = 0; i < ARRAY_SIZE(escapes); i++) {
        line(escapes[i].name,
             value.len == 0 && in_child(test_escape, &escapes[i]) == -1 ? "stopped" : "open");
    }
    buf_done(&value);
}

static void probe_landlock(void)
{
    int abi = cell_landlock_abi();

    if (abi > 0) {
        printf("landlock=%d\n", abi);
        return;
    }
    line("landlock", abi == -ENOSYS       ? "no: the kernel was built without it"
                     : abi == -EOPNOTSUPP ? "no: it was switched off at boot"
                                          : "no: an outer filter refuses it");
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

static void probe_namespaces(void)
{
    int pair[2];
    const char *left_out = NULL;
    enum space_step step = SPACE_FORK;
    struct buf value = buf_max(WIRE_MAX_SENTENCE);
    bool is_dead = true;
    pid_t pid;
    int r;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        line("namespaces", "no: no descriptor is left (ulimit -n)");
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
    if (r != 0) {
        buf_put_str(&value, "no: ");
        space_explain(&value, step, -r);
    } else if (!is_dead) {
        buf_put_str(&value, "no: a process lived on after pid 1 of its namespace was killed");
    } else {
        buf_printf(&value, "yes%s%s", left_out != NULL ? ": " : "",
                   left_out != NULL ? left_out : "");
    }
    line("namespaces", buf_str(&value));
    buf_done(&value);
}

static int test_chroot(const void *arg)
{
    uint32_t uid = space_bases[0];

    (void)arg;
    if (chroot("/") != 0) {
        return 1;
    }
    if (syscall(SYS_setresgid, uid, uid, uid) == 0 && syscall(SYS_setresuid, uid, uid, uid) == 0) {
        return 0;
    }
    uid = space_bases[1];
    return syscall(SYS_setresgid, uid, uid, uid) != 0 || syscall(SYS_setresuid, uid, uid, uid) != 0;
}

static int test_mdwe(const void *arg)
{
    void *page;

    (void)arg;
    if (prctl(SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0) {
        return 1;
    }
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED || mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}

static int test_clone3(const void *arg)
{
    (void)arg;
    return syscall(SYS_clone3, NULL, 0) == 0 || errno == ENOSYS;
}

static int test_pidfd(const void *arg)
{
    (void)arg;
    return sys_pidfd_open(getpid()) < 0;
}

/* Whether reading the time costs kernel time. */
static int test_clock(const void *arg)
{
    struct timespec now;
    struct rusage before;
    struct rusage after;

    (void)arg;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < 20000; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    getrusage(RUSAGE_SELF, &after);
    /* 20,000 system calls take at least 2 ms of kernel time anywhere. */
    return (after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1000000 + after.ru_stime.tv_usec -
               before.ru_stime.tv_usec >
           2000;
}

static void probe_small(void)
{
    struct rlimit space;

    line("chroot", in_child(test_chroot, NULL) == 0 ? "yes" : "no");
    line("mdwe", in_child(test_mdwe, NULL) == 0 ? "yes" : "no");
    line("clone3", in_child(test_clone3, NULL) == 0 ? "yes" : "no");
    line("pidfd", in_child(test_pidfd, NULL) == 0 ? "yes" : "no");
    line("clock", in_child(test_clock, NULL) == 0 ? "yes" : "no");
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) {
        line("address_space_limit", "none");
    } else {
        printf("address_space_limit=%llu\n", (unsigned long long)space.rlim_cur);
    }
}

/* A warden as a host would have it, but for the exec. */
static pid_t start_warden(int *ret_control)
{
    int pair[2];
    pid_t host = getpid();
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return -errno;
    }
    fflush(stdout);
    pid = sys_fork(0);
    if (pid == 0) {
        setsid();
        if (dup2(pair[1], CONTROL_FD) < 0) {
            _exit(1);
        }
        _exit(monitor_main(host, 'A'));
    }
    fd_close(pair[1]);
    *ret_control = pair[0];
    return pid;
}

static bool is_readable(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};

    return poll(&one, 1, PATIENCE_MS) == 1;
}

/* Sends a spawn; 0 with the host's end of the cell's socket, or -errno. */
static int spawn_cell(int control, int *ret_socket)
{
    struct wire_spawn m = {.cell = 1, .language = WIRE_JAVASCRIPT, .memory_bytes = 64 * WIRE_MIB};
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MAX_PACKET);
    _cleanup_(close_p) int page = memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int pair[2];
    int r;

    if (page < 0 || ftruncate(page, WIRE_PAGE_BYTES) != 0 ||
        fcntl(page, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return -errno;
    }
    wire_put_spawn(&out, &m);
    r = packet_send(control, true, buf_bytes(&out), (int[]){pair[1], page}, 2);
    fd_close(pair[1]);
    *ret_socket = pair[0];
    return r;
}

/* The hello of a cell; 0 or -errno. */
static int read_hello(int socket, struct wire_hello *ret)
{
    uint8_t bytes[64];
    struct frame frame;
    ssize_t n = is_readable(socket) ? read(socket, bytes, sizeof bytes) : -1;

    if (n <= 0 || frame_next(bytes_of(bytes, (size_t)n), sizeof bytes, &frame) != 0 ||
        frame.type != WIRE_MSG_hello) {
        return -EPIPE;
    }
    return wire_get_hello(frame.body, ret);
}

static void tell_walls(uint32_t walls)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {
        {WIRE_WALL_SECCOMP, "seccomp"}, {WIRE_WALL_LANDLOCK, "landlock"},
        {WIRE_WALL_PID_NS, "pid_ns"},   {WIRE_WALL_NO_NEW_PRIVS, "no_new_privs"},
        {WIRE_WALL_NO_CAPS, "no_caps"}, {WIRE_WALL_LIMITS, "limits"},
    };
    const char *comma = "";

    fputs("walls=", stdout);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if ((walls & names[i].bit) != 0) {
            printf("%s%s", comma, names[i].name);
            comma = ",";
        }
    }
    putchar('\n');
}

/* The warden's first word: 0 with *ret where it is up, -EPERM with the refusal's sentence in
 * notice, else -EPIPE. Slices are the packet's. */
static int read_up(int control, struct packet *p, struct wire_up *ret)
{
    struct wire_refused refused;
    struct frame frame;

    if (!is_readable(control) || packet_recv(control, false, p) != 0 ||
        frame_next(bytes_of(p->data, p->len), WIRE_MAX_PACKET, &frame) != 0) {
        return -EPIPE;
    }
    if (frame.type == WIRE_MSG_up) {
        return wire_get_up(frame.body, ret);
    }
    if (frame.type == WIRE_MSG_refused && wire_get_refused(frame.body, &refused) == 0) {
        ret->notice = refused.sentence;
        return -EPERM;
    }
    return -EPIPE;
}

static bool probe_cell(void)
{
    struct packet p = {.len = 0};
    struct wire_up up = {.notice = bytes_str("the warden ended without a word")};
    struct wire_hello hello = {0};
    int control = -1;
    int cell = -1;
    pid_t pid = start_warden(&control);
    int r = pid < 0 ? pid : read_up(control, &p, &up);

    if (r == 0) {
        r = spawn_cell(control, &cell);
    }
    if (r == 0) {
        r = read_hello(cell, &hello);
    }
    printf("cell=%s\n", r == 0 ? "yes" : "no");
    if (up.tier != 0) {
        printf("tier=%c\n", (int)up.tier);
    } else {
        line("tier", "none");
    }
    tell_walls(hello.walls);
    printf("notice=%.*s\n", (int)up.notice.len, (const char *)up.notice.ptr);
    fd_close(cell);
    fd_close(control);
    if (pid > 0) {
        waitpid(pid, NULL, 0);
    }
    return r == 0;
}

int probe_main(void)
{
    struct utsname name;

    uname(&name);
    line("kernel", name.release);
    line("arch", name.machine);
    printf("user=%u\n", geteuid());
    fflush(stdout);
    probe_filter();
    probe_landlock();
    fflush(stdout);
    probe_namespaces();
    probe_small();
    return probe_cell() ? 0 : 1;
}
