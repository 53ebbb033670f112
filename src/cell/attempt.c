/* SPDX-License-Identifier: MIT
 *
 * Escapes from inside a real cell: what native code in a broken engine would try, made after
 * every wall has gone up exactly as for a script.
 *
 * Reached only in a cell whose warden was started with --attempts, as `torno doctor` and the
 * tests do; a script's cell has no way here but to be native code already, and then gains nothing.
 * wire/attempts.tbl.h says what each must come to. Everything is by system call, so that nothing
 * of the C library's stands between, and harmless where no wall stops it.
 */
#include "cell/attempt.h"

#include "base/mem.h"
#include "cell/channel.h"
#include "cell/engine.h"
#include "cell/script.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIB 1048576UL

enum { HOST_FD = 3, X32 = 0x40000000 };

static uint32_t budget_bytes;

static long result_of(long r)
{
    return r == -1 ? -errno : r;
}

static long make_process(long call, long flags)
{
    long r = syscall(call, flags, NULL, NULL, NULL, NULL);

    if (r == 0) {
        _exit(0); /* the child */
    }
    return result_of(r);
}

static long try_fork(void)
{
    return make_process(SYS_fork, 0);
}

static long try_vfork(void)
{
    return make_process(SYS_vfork, 0);
}

static long try_clone(void)
{
    return make_process(SYS_clone, SIGCHLD);
}

static long try_own_text(void)
{
    uintptr_t text = (uintptr_t)&try_own_text & ~4095UL;

    return result_of(syscall(SYS_mprotect, text, 4096, PROT_READ | PROT_WRITE));
}

/* Where the engine's reservation of 8 GiB has nothing yet: its memory ends below 4 GiB. */
static uint8_t *untouched(void)
{
    uintptr_t room;

    engine_give_back(); /* the name, which is known by now */
    room = (uintptr_t)engine_take(1);
    return room == 0 ? NULL : (uint8_t *)((room & ~4095UL) + 4096 * MIB);
}

static long try_grow_all(void)
{
    uint8_t *at = untouched();

    return at == NULL
               ? 1
               : result_of(syscall(SYS_mprotect, at, 3 * 1024 * MIB, PROT_READ | PROT_WRITE));
}

/* 0 where the limit came in time, else how many MiB were had. */
static long try_grow_steps(void)
{
    uint8_t *at = untouched();
    size_t most = engine_data_limit(budget_bytes);
    size_t got = 0;

    while (at != NULL && got < 2 * most &&
           syscall(SYS_mprotect, at + got, MIB, PROT_READ | PROT_WRITE) == 0) {
        at[got] = 1;
        got += MIB;
    }
    return got <= most ? 0 : (long)(got / MIB);
}

/* How many descriptors beside the cell's four take a byte: tried one by one, then far up. */
static long try_descriptors(void)
{
    long open = 0;

    for (int fd = HOST_FD + 1; fd > 0 && fd < 1 << 30; fd = fd < 4096 ? fd + 1 : fd * 2 + 1) {
        open += syscall(SYS_write, fd, "x", 1) >= 0 || errno != EBADF;
    }
    return open;
}

static long try_read_null(void)
{
    char c;
    long n = 0;

    for (int fd = 0; fd < HOST_FD; fd++) {
        n += result_of(syscall(SYS_read, fd, &c, 1));
    }
    return n;
}

static long try_environment(void)
{
    long n = 0;

    while (environ != NULL && environ[n] != NULL) {
        n++;
    }
    return n;
}

static long try_spin(void)
{
    static volatile bool is_over; /* never */

    while (!is_over) {
    }
    return 0;
}

static long try_flood(void)
{
    static uint8_t bytes[65536];

    memset(bytes, 0xff, sizeof bytes);
    while (syscall(SYS_write, HOST_FD, bytes, sizeof bytes) >= 0) {
    }
    return -errno;
}

static long try_allocate(void)
{
    void *volatile p = mem_new(64 * MIB); /* past what was there before the lock */

    return p != NULL;
}

static long try_null_write(void)
{
    volatile int *volatile nowhere = (volatile int *)(uintptr_t)64;

    *nowhere = 1;
    return 1;
}

static long try_trap(void)
{
    __builtin_trap();
}

static long try_abort(void)
{
    abort();
}

static long try_jump_to_data(void)
{
    static uint8_t code[] = {0xc3};
    void (*volatile go)(void) = (void (*)(void))(uintptr_t)code;

    go();
    return 1;
}

static long try_vsyscall(void)
{
    long (*volatile go)(void *) = (long (*)(void *))0xffffffffff600400UL;

    return go(NULL);
}

static long try_int80(void)
{
    long r;

    __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory"); /* getpid there */
    return r;
}

static long try_port(void)
{
    uint8_t byte;

    __asm__ volatile("inb $0x80, %0" : "=a"(byte));
    return byte;
}

static long go_deep(volatile char *above, long levels)
{
    volatile char here[4096];

    here[0] = above != NULL ? above[0] : 0;
    return levels == 0 ? here[0] : go_deep(here, levels - 1) + here[0];
}

/* 4 MiB of the process's own stack, past its limit. */
static long try_main_stack(void)
{
    return go_deep(NULL, 1024);
}

/* An attempt is a function, or one system call. */
struct act {
    long (*run)(void);
    long call;
    long args[6];
};

#define TEXT(s) ((long)(s))

enum {
#define ATTEMPT(name, wants, wall, sentence) ATTEMPT_##name,
#include "wire/attempts.tbl.h"
#undef ATTEMPT
    ATTEMPTS
};

static const char *const names[ATTEMPTS] = {
#define ATTEMPT(name, wants, wall, sentence) #name,
#include "wire/attempts.tbl.h"
#undef ATTEMPT
};

static const struct act acts[ATTEMPTS] = {
    [ATTEMPT_open] = {NULL, SYS_openat, {AT_FDCWD, TEXT("/"), O_RDONLY}},
    [ATTEMPT_open_old] = {NULL, SYS_open, {TEXT("/etc/passwd"), O_RDONLY}},
    [ATTEMPT_openat2] = {NULL, 437, {AT_FDCWD, TEXT("/etc/passwd"), 0, 0}},
    [ATTEMPT_creat] = {NULL, SYS_openat, {AT_FDCWD, TEXT("/torno/none"), O_CREAT | O_WRONLY, 0}},
    [ATTEMPT_proc_self] = {NULL, SYS_openat, {AT_FDCWD, TEXT("/proc/self"), O_RDONLY}},
    [ATTEMPT_proc_mem] = {NULL, SYS_openat, {AT_FDCWD, TEXT("/proc/self/mem"), O_RDWR}},
    [ATTEMPT_dev_mem] = {NULL, SYS_openat, {AT_FDCWD, TEXT("/dev/mem"), O_RDONLY}},
    [ATTEMPT_stat] = {NULL, SYS_stat, {TEXT("/"), 0}},
    [ATTEMPT_readlink] = {NULL, SYS_readlink, {TEXT("/proc/self/exe"), 0, 0}},
    [ATTEMPT_chmod] = {NULL, SYS_chmod, {TEXT("/torno/none"), 0777}},
    [ATTEMPT_chdir] = {NULL, SYS_chdir, {TEXT("/")}},
    [ATTEMPT_chroot] = {NULL, SYS_chroot, {TEXT("/torno/none")}},
    [ATTEMPT_mount] = {NULL, SYS_mount, {0, TEXT("/torno/none"), 0, 0, 0}},
    [ATTEMPT_umount] = {NULL, SYS_umount2, {TEXT("/torno/none"), 0}},
    [ATTEMPT_fsopen] = {NULL, 430, {TEXT("tmpfs"), 0}},
    [ATTEMPT_inotify] = {NULL, SYS_inotify_init1, {0}},
    [ATTEMPT_socket] = {NULL, SYS_socket, {AF_INET, SOCK_STREAM, 0}},
    [ATTEMPT_socket_high] = {NULL, SYS_socket, {1L << 32 | AF_INET, SOCK_STREAM, 0}},
    [ATTEMPT_unix_socket] = {NULL, SYS_socket, {AF_UNIX, SOCK_STREAM, 0}},
    [ATTEMPT_netlink] = {NULL, SYS_socket, {AF_NETLINK, SOCK_RAW, 0}},
    [ATTEMPT_packet_socket] = {NULL, SYS_socket, {AF_PACKET, SOCK_RAW, 0}},
    [ATTEMPT_vsock] = {NULL, SYS_socket, {AF_VSOCK, SOCK_STREAM, 0}},
    [ATTEMPT_socketpair] = {NULL, SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, 0}},
    [ATTEMPT_connect] = {NULL, SYS_connect, {HOST_FD, 0, 0}},
    [ATTEMPT_bind] = {NULL, SYS_bind, {HOST_FD, 0, 0}},
    [ATTEMPT_listen] = {NULL, SYS_listen, {HOST_FD, 1}},
    [ATTEMPT_accept] = {NULL, SYS_accept, {HOST_FD, 0, 0}},
    [ATTEMPT_sendto] = {NULL, SYS_sendto, {HOST_FD, 0, 0, 0, 0, 0}},
    [ATTEMPT_sendmsg] = {NULL, SYS_sendmsg, {HOST_FD, 0, 0}},
    [ATTEMPT_recvmsg] = {NULL, SYS_recvmsg, {HOST_FD, 0, 0}},
    [ATTEMPT_setsockopt] = {NULL, SYS_setsockopt, {HOST_FD, SOL_SOCKET, SO_PASSCRED, 0, 0}},
    [ATTEMPT_descriptors] = {.run = try_descriptors},
    [ATTEMPT_read_null] = {.run = try_read_null},
    [ATTEMPT_dup] = {NULL, SYS_dup, {HOST_FD}},
    [ATTEMPT_ioctl] = {NULL, SYS_ioctl, {HOST_FD, 0x541b, 0}},
    [ATTEMPT_fcntl] = {NULL, SYS_fcntl, {HOST_FD, F_GETFL, 0}},
    [ATTEMPT_pipe] = {NULL, SYS_pipe, {0}},
    [ATTEMPT_poll] = {NULL, SYS_poll, {0, 0, 0}},
    [ATTEMPT_epoll] = {NULL, SYS_epoll_create1, {0}},
    [ATTEMPT_memfd] = {NULL, SYS_memfd_create, {TEXT("x"), 0}},
    [ATTEMPT_splice] = {NULL, SYS_splice, {0, 0, 1, 0, 0, 0}},
    [ATTEMPT_environment] = {.run = try_environment},
    [ATTEMPT_fork] = {.run = try_fork},
    [ATTEMPT_vfork] = {.run = try_vfork},
    [ATTEMPT_clone] = {.run = try_clone},
    [ATTEMPT_clone_thread] = {NULL, SYS_clone, {CLONE_VM | CLONE_SIGHAND | CLONE_THREAD}},
    [ATTEMPT_clone3] = {NULL, SYS_clone3, {0, 0}},
    [ATTEMPT_execve] = {NULL, SYS_execve, {TEXT("/bin/true"), 0, 0}},
    [ATTEMPT_execveat] = {NULL, SYS_execveat, {HOST_FD, TEXT(""), 0, 0, AT_EMPTY_PATH}},
    [ATTEMPT_kill] = {NULL, SYS_kill, {1, 0}},
    [ATTEMPT_kill_all] = {NULL, SYS_kill, {-1, 0}},
    [ATTEMPT_tgkill] = {NULL, SYS_tgkill, {1, 1, 0}},
    [ATTEMPT_pidfd_open] = {NULL, SYS_pidfd_open, {1, 0}},
    [ATTEMPT_pidfd_getfd] = {NULL, 438, {-1, 0, 0}},
    [ATTEMPT_ptrace] = {NULL, SYS_ptrace, {PTRACE_TRACEME, 0, 0, 0}},
    [ATTEMPT_others_clock] = {NULL, SYS_clock_gettime, {-14, 0}}, /* of process 1 */
    [ATTEMPT_ptrace_attach] = {NULL, SYS_ptrace, {PTRACE_SEIZE, 1, 0, 0}},
    [ATTEMPT_process_read] = {NULL, SYS_process_vm_readv, {1, 0, 0, 0, 0, 0}},
    [ATTEMPT_getpid] = {NULL, SYS_getpid, {0}},
    [ATTEMPT_getppid] = {NULL, SYS_getppid, {0}},
    [ATTEMPT_setsid] = {NULL, SYS_setsid, {0}},
    [ATTEMPT_priority] = {NULL, SYS_getpriority, {PRIO_PROCESS, 0}},
    [ATTEMPT_wait] = {NULL, SYS_wait4, {-1, 0, 1, 0}},
    [ATTEMPT_setuid] = {NULL, SYS_setuid, {0}},
    [ATTEMPT_capset] = {NULL, SYS_capset, {0, 0}},
    [ATTEMPT_setrlimit] = {NULL, SYS_prlimit64, {0, RLIMIT_DATA, 0, 0}},
    [ATTEMPT_dumpable] = {NULL, SYS_prctl, {PR_SET_DUMPABLE, 1}},
    [ATTEMPT_deathsig] = {NULL, SYS_prctl, {PR_SET_PDEATHSIG, 0}},
    [ATTEMPT_seccomp] = {NULL, SYS_seccomp, {SECCOMP_SET_MODE_FILTER, 0, 0}},
    [ATTEMPT_landlock] = {NULL, 444, {0, 0, 1}},
    [ATTEMPT_unshare] = {NULL, SYS_unshare, {CLONE_NEWUSER}},
    [ATTEMPT_setns] = {NULL, SYS_setns, {HOST_FD, 0}},
    [ATTEMPT_keyctl] = {NULL, SYS_keyctl, {KEYCTL_GET_KEYRING_ID, -3, 0}},
    [ATTEMPT_add_key] = {NULL, SYS_add_key, {0, 0, 0, 0, -3}},
    [ATTEMPT_bpf] = {NULL, SYS_bpf, {0, 0, 0}},
    [ATTEMPT_perf] = {NULL, SYS_perf_event_open, {0, 0, -1, -1, 0}},
    [ATTEMPT_io_uring] = {NULL, 425, {1, 0}},
    [ATTEMPT_userfaultfd] = {NULL, SYS_userfaultfd, {0}},
    [ATTEMPT_module] = {NULL, SYS_init_module, {0, 0, 0}},
    [ATTEMPT_personality] = {NULL, SYS_personality, {0xffffffff}},
    [ATTEMPT_ldt] = {NULL, SYS_modify_ldt, {0, 0, 0}},
    [ATTEMPT_iopl] = {NULL, SYS_iopl, {3}},
    [ATTEMPT_sigaction] = {NULL, SYS_rt_sigaction, {SIGSEGV, 0, 0, 8}},
    [ATTEMPT_timer] = {NULL, SYS_timer_create, {0, 0, 0}},
    [ATTEMPT_shm] = {NULL, SYS_shmget, {0, 4096, 0600}},
    [ATTEMPT_uname] = {NULL, SYS_uname, {0}},
    [ATTEMPT_x32_write] = {NULL, X32 | SYS_write, {HOST_FD, 0, 0}},
    [ATTEMPT_x32_ioctl] = {NULL, X32 | 514, {HOST_FD, 0x541b, 0}},
    [ATTEMPT_int80] = {.run = try_int80},
    [ATTEMPT_vsyscall] = {.run = try_vsyscall},
    [ATTEMPT_mmap] = {NULL, SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
    [ATTEMPT_mmap_shared] = {NULL,
                             SYS_mmap,
                             {0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0}},
    [ATTEMPT_mmap_exec] = {NULL,
                           SYS_mmap,
                           {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
    [ATTEMPT_munmap] = {NULL, SYS_munmap, {0, 4096}},
    [ATTEMPT_mremap] = {NULL, SYS_mremap, {0, 4096, 8192, 1, 0}},
    [ATTEMPT_brk] = {NULL, SYS_brk, {0}},
    [ATTEMPT_madvise] = {NULL, SYS_madvise, {0, 0, 0}},
    [ATTEMPT_mprotect_read] = {NULL, SYS_mprotect, {0, 4096, PROT_READ}},
    [ATTEMPT_mprotect_none] = {NULL, SYS_mprotect, {0, 4096, PROT_NONE}},
    [ATTEMPT_mprotect_exec] = {NULL, SYS_mprotect, {0, 4096, PROT_READ | PROT_EXEC}},
    [ATTEMPT_mprotect_rwx] = {NULL, SYS_mprotect, {0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC}},
    [ATTEMPT_mprotect_down] = {NULL, SYS_mprotect, {0, 4096, PROT_READ | PROT_GROWSDOWN}},
    [ATTEMPT_mprotect_high] = {NULL, SYS_mprotect, {0, 4096, 1L << 32 | PROT_READ}},
    [ATTEMPT_allocate] = {.run = try_allocate},
    [ATTEMPT_grow_all] = {.run = try_grow_all},
    [ATTEMPT_grow_steps] = {.run = try_grow_steps},
    [ATTEMPT_own_text] = {.run = try_own_text},
    [ATTEMPT_null_write] = {.run = try_null_write},
    [ATTEMPT_jump_to_data] = {.run = try_jump_to_data},
    [ATTEMPT_main_stack] = {.run = try_main_stack},
    [ATTEMPT_port] = {.run = try_port},
    [ATTEMPT_trap] = {.run = try_trap},
    [ATTEMPT_abort] = {.run = try_abort},
    [ATTEMPT_spin] = {.run = try_spin},
    [ATTEMPT_flood] = {.run = try_flood},
};

static long make(const struct act *a)
{
    if (a->run != NULL) {
        return a->run();
    }
    return result_of(
        syscall(a->call, a->args[0], a->args[1], a->args[2], a->args[3], a->args[4], a->args[5]));
}

static void end(enum wire_ending_kind kind, const char *name, const char *message,
                const char *value)
{
    struct wire_ending m = {.kind = kind,
                            .name = bytes_str(name),
                            .message = bytes_str(message),
                            .frames = bytes_none(),
                            .notes = bytes_none(),
                            .value = bytes_str(value)};

    channel_ending(&m);
}

static void make_named(struct bytes name)
{
    for (size_t i = 0; i < ATTEMPTS; i++) {
        char value[32];
        const char *word;
        long r;

        if (!bytes_is(name, names[i])) {
            continue;
        }
        r = make(&acts[i]);
        word = r < 0 ? strerrorname_np((int)-r) : NULL;
        if (word != NULL) {
            snprintf(value, sizeof value, "\"%s\"", word);
        } else {
            snprintf(value, sizeof value, "\"%ld\"", r);
        }
        end(WIRE_END_FINISHED, "", "", value);
        return;
    }
    end(WIRE_END_FAILED, "NoSuchAttempt",
        "this warden was started with --attempts: its cells run no script, and the text is not the "
        "name of an attempt",
        "");
}

int attempt_serve(uint32_t memory_bytes)
{
    struct channel_frame frame;
    struct wire_start m = {.code = bytes_none()};
    int r = channel_next(&frame);

    budget_bytes = memory_bytes;
    if (r == 0) {
        r = wire_check(frame.type, WIRE_HOST, WIRE_ST_READY);
    }
    if (r == 0 && frame.has_room) {
        r = wire_get_start(frame.body, &m);
    }
    if (r != 0) {
        return r;
    }
    make_named(m.code);
    return channel_flush();
}
