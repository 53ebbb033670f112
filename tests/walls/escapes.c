/* SPDX-License-Identifier: MIT
 *
 * In the place of src/cell/attempt.c in the test build torno-warden-ablate: escapes with a real
 * goal. Those of attempt.c are harmless by their arguments and so tell only whether a call was
 * refused; these go for a bait that ablation-test has laid out, and come back with "through" only
 * where they reached it. Runs in a cell; everything by system call.
 *
 * The script's text is NAME SPACE ARGUMENT, the argument a number or a path as the row needs.
 */
#include "cell/attempt.h"

#include "base/mem.h"
#include "cell/channel.h"
#include "cell/engine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MIB 1048576UL
enum { HOST_FD = 3, FIRST_TIMERS = 64 };

static const char *arg;
static long number;

static long result_of(long r)
{
    return r == -1 ? -errno : r;
}

static long open_path(const char *path, int flags)
{
    return result_of(syscall(SYS_openat, AT_FDCWD, path, flags, 0600));
}

static long try_read_file(void)
{
    char c;
    long fd = open_path(arg, O_RDONLY);

    return fd < 0 ? fd : result_of(syscall(SYS_read, fd, &c, 1));
}

static long try_write_file(void)
{
    return open_path(arg, O_WRONLY | O_APPEND);
}

static long try_make_file(void)
{
    return open_path(arg, O_WRONLY | O_CREAT);
}

static long try_stat(void)
{
    char st[512];

    return result_of(syscall(SYS_stat, arg, st));
}

static long try_touch(void)
{
    return result_of(syscall(SYS_utimensat, AT_FDCWD, arg, NULL, 0));
}

static long try_chdir(void)
{
    return result_of(syscall(SYS_chdir, arg));
}

/* Whether its root folder has anything in it. */
static long try_list_root(void)
{
    char entries[4096];
    long fd = open_path("/", O_RDONLY | O_DIRECTORY);
    long n = fd < 0 ? fd : result_of(syscall(SYS_getdents64, fd, entries, sizeof entries));

    return n < 0 ? n : n <= 2 * 24 ? -ENOENT : 0; /* . and .. */
}

static long try_mount(void)
{
    return result_of(syscall(SYS_mount, "tmpfs", arg, "tmpfs", 0, ""));
}

static long try_chroot(void)
{
    return result_of(syscall(SYS_chroot, "/"));
}

static long try_hostname(void)
{
    char name[65];

    if (gethostname(name, sizeof name) != 0) {
        return -errno;
    }
    return result_of(syscall(SYS_sethostname, name, strlen(name)));
}

static long try_exec(void)
{
    char *const none[] = {NULL};

    return result_of(syscall(SYS_execve, "/bin/true", none, none));
}

static long connect_to(int type, const void *to, size_t len)
{
    const struct sockaddr *address = to;
    long s = result_of(syscall(SYS_socket, address->sa_family, type, 0));

    return s < 0 ? s : result_of(syscall(SYS_connect, s, to, len));
}

static struct sockaddr_in loopback(long port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static long try_tcp(void)
{
    struct sockaddr_in to = loopback(number);

    return connect_to(SOCK_STREAM, &to, sizeof to);
}

static long try_udp(void)
{
    struct sockaddr_in to = loopback(number);

    return connect_to(SOCK_DGRAM, &to, sizeof to);
}

static long bind_to(int type, const void *to, size_t len)
{
    const struct sockaddr *address = to;
    long s = result_of(syscall(SYS_socket, address->sa_family, type, 0));
    long r = s < 0 ? s : result_of(syscall(SYS_bind, s, to, len));

    return r < 0 ? r : result_of(syscall(SYS_listen, s, 1));
}

static long try_tcp_listen(void)
{
    struct sockaddr_in to = loopback(0);

    return bind_to(SOCK_STREAM, &to, sizeof to);
}

/* A path, or an abstract name where it begins with @. */
static size_t unix_address(struct sockaddr_un *ret)
{
    size_t len = strlen(arg);

    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(ret->sun_path, arg, len);
    if (arg[0] == '@') {
        ret->sun_path[0] = '\0';
        return offsetof(struct sockaddr_un, sun_path) + len;
    }
    return sizeof *ret;
}

static long try_unix(void)
{
    struct sockaddr_un to;
    size_t len = unix_address(&to);

    return connect_to(SOCK_STREAM, &to, len);
}

static long try_family(void)
{
    return result_of(syscall(SYS_socket, number, number == AF_NETLINK ? SOCK_RAW : SOCK_STREAM, 0));
}

static long try_send_descriptor(void)
{
    char space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {.iov_base = space, .iov_len = 0};
    struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};

    *CMSG_FIRSTHDR(&m) = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    return result_of(syscall(SYS_sendmsg, HOST_FD, &m, 0));
}

/* What another descriptor than its own four takes. */
static long try_descriptors(void)
{
    for (int fd = HOST_FD + 1; fd < 1024; fd++) {
        if (syscall(SYS_read, fd, NULL, 0) >= 0 || errno != EBADF) {
            return fd;
        }
    }
    return -EBADF;
}

static long try_dup(void)
{
    return result_of(syscall(SYS_dup, HOST_FD));
}

static long try_fork(void)
{
    long r = result_of(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));

    if (r == 0) {
        _exit(0);
    }
    return r;
}

/* A process of its own in what shares everything but the stack; it ends at once. */
static long try_thread(void)
{
    static char stack[16384] __attribute__((aligned(16)));
    long r;

    __asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\tmov $60, %%eax\n\txor %%edi, "
                     "%%edi\n\tsyscall\n1:"
                     : "=a"(r)
                     : "a"((long)SYS_clone),
                       "D"((long)(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                                  CLONE_SYSVSEM)),
                       "S"(stack + sizeof stack - 64), "d"(0L)
                     : "rcx", "r11", "r8", "r10", "memory");
    return r;
}

static long try_signal(void)
{
    return result_of(syscall(SYS_kill, number, 0));
}

static long try_signal_all(void)
{
    return result_of(syscall(SYS_kill, -1, 0));
}

static long try_see_process(void)
{
    return result_of(syscall(SYS_getpriority, PRIO_PROCESS, number));
}

static long try_ptrace(void)
{
    return result_of(syscall(SYS_ptrace, PTRACE_SEIZE, number, 0, 0));
}

static long try_read_memory(void)
{
    char c;
    struct iovec here = {&c, 1};
    struct iovec there = {(void *)&number, 1};

    if (syscall(SYS_process_vm_readv, number, &here, 1, &there, 1, 0) < 0 && errno != EFAULT) {
        return -errno;
    }
    return 0; /* nothing may be at that address there, but it was allowed to look */
}

static long try_pidfd(void)
{
    return result_of(syscall(SYS_pidfd_open, number, 0));
}

static long try_limits_of(void)
{
    struct rlimit limit;

    return result_of(syscall(SYS_prlimit64, number, RLIMIT_NOFILE, NULL, &limit));
}

static long try_shm(void)
{
    return result_of(syscall(SYS_shmget, number, 0, 0));
}

static long try_queue(void)
{
    return result_of(syscall(SYS_mq_open, arg, O_RDONLY, 0, NULL));
}

static long try_key(void)
{
    return result_of(syscall(SYS_add_key, "user", "torno-bait", "x", 1, KEY_SPEC_PROCESS_KEYRING));
}

static long try_new_user_space(void)
{
    return result_of(syscall(SYS_unshare, CLONE_NEWUSER));
}

static long try_other_uid(void)
{
    long uid = getuid() + 1;

    return result_of(syscall(SYS_setresuid, uid, uid, uid));
}

static long try_caps(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3] = {0};
    long r = result_of(syscall(SYS_capget, &header, have));

    if (r < 0) {
        return r;
    }
    return have[0].permitted != 0 || have[1].permitted != 0 ? 1 : -EPERM;
}

static long try_raise_limit(void)
{
    struct rlimit more = {.rlim_cur = 1024, .rlim_max = 1024};

    return result_of(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &more, NULL));
}

static long try_nice(void)
{
    return result_of(syscall(SYS_setpriority, PRIO_PROCESS, 0, -5));
}

static long try_dumpable(void)
{
    return result_of(syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static long try_deathsig(void)
{
    return result_of(syscall(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0));
}

static uint8_t *untouched(void)
{
    uintptr_t room;

    engine_give_back();
    room = (uintptr_t)engine_take(1);
    return room == 0 ? NULL : (uint8_t *)((room & ~4095UL) + 4096 * MIB);
}

/* Data of its own made executable, as the first step to code of its own. */
static long try_exec_data(void)
{
    static char page[2 * 4096];
    uintptr_t at = ((uintptr_t)page + 4095) & ~4095UL;

    return result_of(syscall(SYS_mprotect, at, 4096, PROT_READ | PROT_EXEC));
}

static long map(size_t len, int prot, int flags)
{
    return result_of(syscall(SYS_mmap, NULL, len, prot, flags | MAP_ANONYMOUS, -1, 0));
}

static long try_exec_map(void)
{
    return map(4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE) < 0 ? -errno : 0;
}

static long try_shared_memory(void)
{
    return map(1024 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED) < 0 ? -errno : 0;
}

static long try_private_memory(void)
{
    return map(1024 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE) < 0 ? -errno : 0;
}

static long try_grow(void)
{
    return result_of(syscall(SYS_mprotect, untouched(), 1024 * MIB, PROT_READ | PROT_WRITE));
}

static long try_lock_memory(void)
{
    return result_of(syscall(SYS_mlock, &number, sizeof number));
}

static long try_memory_file(void)
{
    long fd = result_of(syscall(SYS_memfd_create, "x", 0));

    return fd < 0 ? fd : result_of(syscall(SYS_ftruncate, fd, MIB));
}

static long try_ring(void)
{
    uint32_t params[30] = {0};

    return result_of(syscall(SYS_io_uring_setup, 4, params));
}

static long try_timers(void)
{
    for (int i = 0; i < FIRST_TIMERS; i++) {
        int id;

        if (syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &id) != 0) {
            return -errno;
        }
    }
    return 0;
}

static long try_clock(void)
{
    struct timespec now;

    return result_of(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now));
}

static const struct {
    const char *name;
    long (*run)(void);
} escapes[] = {
    {"read-file", try_read_file},
    {"write-file", try_write_file},
    {"make-file", try_make_file},
    {"stat", try_stat},
    {"touch", try_touch},
    {"chdir", try_chdir},
    {"list-root", try_list_root},
    {"mount", try_mount},
    {"chroot", try_chroot},
    {"hostname", try_hostname},
    {"exec", try_exec},
    {"tcp", try_tcp},
    {"udp", try_udp},
    {"tcp-listen", try_tcp_listen},
    {"unix", try_unix},
    {"family", try_family},
    {"send-descriptor", try_send_descriptor},
    {"descriptors", try_descriptors},
    {"dup", try_dup},
    {"fork", try_fork},
    {"thread", try_thread},
    {"signal", try_signal},
    {"signal-all", try_signal_all},
    {"see-process", try_see_process},
    {"ptrace", try_ptrace},
    {"read-memory", try_read_memory},
    {"pidfd", try_pidfd},
    {"limits-of", try_limits_of},
    {"shm", try_shm},
    {"queue", try_queue},
    {"key", try_key},
    {"user-space", try_new_user_space},
    {"other-uid", try_other_uid},
    {"caps", try_caps},
    {"raise-limit", try_raise_limit},
    {"nice", try_nice},
    {"dumpable", try_dumpable},
    {"deathsig", try_deathsig},
    {"exec-data", try_exec_data},
    {"exec-map", try_exec_map},
    {"shared-memory", try_shared_memory},
    {"private-memory", try_private_memory},
    {"grow", try_grow},
    {"lock-memory", try_lock_memory},
    {"memory-file", try_memory_file},
    {"ring", try_ring},
    {"timers", try_timers},
    {"clock", try_clock},
};

static void end(const char *value)
{
    struct wire_ending m = {.kind = WIRE_END_FINISHED,
                            .name = bytes_none(),
                            .message = bytes_none(),
                            .frames = bytes_none(),
                            .notes = bytes_none(),
                            .value = bytes_str(value)};

    channel_ending(&m);
}

static void make_named(struct bytes text)
{
    static char line[256];
    char *space;
    char value[64];
    long r = -ENOENT;

    snprintf(line, sizeof line, "%.*s", (int)text.len, (const char *)text.ptr);
    space = strchr(line, ' ');
    if (space != NULL) {
        *space = '\0';
        arg = space + 1;
        sscanf(arg, "%ld", &number);
    }
    for (size_t i = 0; i < ARRAY_SIZE(escapes); i++) {
        if (strcmp(line, escapes[i].name) == 0) {
            r = escapes[i].run();
            snprintf(value, sizeof value, "\"%s\"",
                     r >= 0 || strerrorname_np((int)-r) == NULL ? "through"
                                                                : strerrorname_np((int)-r));
            end(value);
            return;
        }
    }
    end("\"no such escape\"");
}

int attempt_serve(uint32_t memory_bytes)
{
    struct channel_frame frame;
    struct wire_start m = {.code = bytes_none()};
    int r = channel_next(&frame);

    (void)memory_bytes;
    if (r == 0 && frame.has_room) {
        r = wire_get_start(frame.body, &m);
    }
    if (r != 0) {
        return r;
    }
    make_named(m.code);
    return channel_flush();
}
