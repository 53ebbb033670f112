/* SPDX-License-Identifier: MIT
 *
 * In the engine's place in a test build of the warden: arbitrary native code in a real cell,
 * behind all its walls. The script's text names one probe; a probe that comes back ends the
 * script as finished with its result as the value, so that native-test can tell "was killed"
 * from "went through". Like the real engine it reserves 8 GiB and grows by mprotect.
 */
#include "cell/engine.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
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

#define MIB      (1024UL * 1024UL)
#define RESERVED (8192UL * MIB)

static uint8_t *reserved;
static uint8_t room[2 * WIRE_MIB];
static struct wire_page *page;
static char value[32];
static struct wire_ending ending;

/* By system call alone, so that nothing of the C library's stands between. */
#define CALL(number, ...) syscall(number, ##__VA_ARGS__)

static long own_text_writable(void)
{
    uintptr_t text = (uintptr_t)&own_text_writable & ~4095UL;

    return CALL(SYS_mprotect, text, 4096, PROT_READ | PROT_WRITE);
}

static long grow_all(void)
{
    return CALL(SYS_mprotect, reserved, RESERVED, PROT_READ | PROT_WRITE) == 0 ? 1 : -errno;
}

/* How many MiB can be had in steps. */
static long grow_steps(void)
{
    long n = 0;

    while (CALL(SYS_mprotect, reserved + n * (long)MIB, MIB, PROT_READ | PROT_WRITE) == 0) {
        reserved[n * (long)MIB] = 1;
        n++;
    }
    return n;
}

/* Every descriptor but the cell's four is closed; 3 is the host's. */
static long other_descriptors(void)
{
    long open = 0;

    for (int fd = 4; fd < 4096; fd++) {
        open += CALL(SYS_write, fd, "x", 1) >= 0 || errno != EBADF;
    }
    return open;
}

static long read_null(void)
{
    char c;

    return CALL(SYS_read, 0, &c, 1) + CALL(SYS_read, 1, &c, 1) + CALL(SYS_read, 2, &c, 1);
}

static long spin(void)
{
    while (atomic_load(&page->stop) != 77) { /* a number that nobody writes */
    }
    return 0;
}

static long allocate(void)
{
    void *volatile p = mem_new(64 * MIB); /* past what was there before the lock */

    return p != NULL;
}

static long null_write(void)
{
    volatile int *volatile nowhere = (volatile int *)(uintptr_t)64;

    *nowhere = 1;
    return 1;
}

static long trap(void)
{
    __builtin_trap();
}

static long jump_to_data(void)
{
    static uint8_t code[] = {0xc3};
    void (*volatile go)(void) = (void (*)(void))(uintptr_t)code;

    go();
    return 1;
}

static long vsyscall_time(void)
{
    long (*volatile go)(void *) = (long (*)(void *))0xffffffffff600400UL;

    return go(NULL);
}

static long int80(void)
{
    long r;

    __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory");
    return r;
}

static long flood(void)
{
    static uint8_t bytes[65536];

    memset(bytes, 0xff, sizeof bytes);
    for (;;) {
        if (CALL(SYS_write, 3, bytes, sizeof bytes) < 0) {
            return -errno;
        }
    }
}

static long deep(volatile char *above, long levels)
{
    volatile char here[4096];

    here[0] = above != NULL ? above[0] : 0;
    return levels == 0 ? here[0] : deep(here, levels - 1) + here[0];
}

/* 4 MiB of the process's own stack, past its limit. */
static long main_stack(void)
{
    return deep(NULL, 1024);
}

struct probe {
    const char *name;
    long (*run)(void);
    long call;
    long args[6];
};

static const struct probe probes[] = {
    {"open", NULL, SYS_openat, {AT_FDCWD, (long)"/", O_RDONLY, 0, 0, 0}},
    {"stat", NULL, SYS_stat, {(long)"/", 0, 0, 0, 0, 0}},
    {"chmod", NULL, SYS_chmod, {(long)"/", 0777, 0, 0, 0, 0}},
    {"socket", NULL, SYS_socket, {AF_INET, SOCK_STREAM, 0, 0, 0, 0}},
    {"vsock", NULL, SYS_socket, {AF_VSOCK, SOCK_STREAM, 0, 0, 0, 0}},
    {"sendmsg", NULL, SYS_sendmsg, {3, 0, 0, 0, 0, 0}},
    {"recvmsg", NULL, SYS_recvmsg, {3, 0, 0, 0, 0, 0}},
    {"dup", NULL, SYS_dup, {3, 0, 0, 0, 0, 0}},
    {"ioctl", NULL, SYS_ioctl, {3, 0x541b, 0, 0, 0, 0}},
    {"fcntl", NULL, SYS_fcntl, {3, F_GETFL, 0, 0, 0, 0}},
    {"poll", NULL, SYS_poll, {0, 0, 0, 0, 0, 0}},
    {"fork", NULL, SYS_fork, {0, 0, 0, 0, 0, 0}},
    {"clone", NULL, SYS_clone, {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD}},
    {"clone3", NULL, SYS_clone3, {0, 0, 0, 0, 0, 0}},
    {"exec", NULL, SYS_execve, {(long)"/bin/true", 0, 0, 0, 0, 0}},
    {"kill", NULL, SYS_kill, {1, 0, 0, 0, 0, 0}},
    {"kill-all", NULL, SYS_kill, {-1, SIGKILL, 0, 0, 0, 0}},
    {"ptrace", NULL, SYS_ptrace, {PTRACE_TRACEME, 0, 0, 0, 0, 0}},
    {"getpid", NULL, SYS_getpid, {0, 0, 0, 0, 0, 0}},
    {"setrlimit", NULL, SYS_prlimit64, {0, RLIMIT_DATA, 0, 0, 0, 0}},
    {"dumpable", NULL, SYS_prctl, {PR_SET_DUMPABLE, 1, 0, 0, 0, 0}},
    {"deathsig", NULL, SYS_prctl, {PR_SET_PDEATHSIG, 0, 0, 0, 0, 0}},
    {"filter", NULL, SYS_seccomp, {SECCOMP_SET_MODE_FILTER, 0, 0, 0, 0, 0}},
    {"sigaction", NULL, SYS_rt_sigaction, {SIGSEGV, 0, 0, 8, 0, 0}},
    {"mmap", NULL, SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
    {"mmap-shared", NULL, SYS_mmap, {0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0}},
    {"munmap", NULL, SYS_munmap, {0, 4096, 0, 0, 0, 0}},
    {"mremap", NULL, SYS_mremap, {0, 4096, 8192, 1, 0, 0}},
    {"brk", NULL, SYS_brk, {0, 0, 0, 0, 0, 0}},
    {"memfd", NULL, SYS_memfd_create, {(long)"x", 0, 0, 0, 0, 0}},
    {"io_uring", NULL, 425, {1, 0, 0, 0, 0, 0}},
    {"userfaultfd", NULL, SYS_userfaultfd, {0, 0, 0, 0, 0, 0}},
    {"setuid", NULL, SYS_setuid, {0, 0, 0, 0, 0, 0}},
    {"unshare", NULL, SYS_unshare, {CLONE_NEWUSER, 0, 0, 0, 0, 0}},
    {"x32-write", NULL, 0x40000001, {3, 0, 0, 0, 0, 0}},
    {"mprotect-exec", NULL, SYS_mprotect, {0, 4096, PROT_READ | PROT_EXEC, 0, 0, 0}},
    {"mprotect-rwx", NULL, SYS_mprotect, {0, 4096, 7, 0, 0, 0}},
    {"mprotect-down", NULL, SYS_mprotect, {0, 4096, PROT_READ | PROT_GROWSDOWN, 0, 0, 0}},
    {"mprotect-high", NULL, SYS_mprotect, {0, 4096, 1L << 32 | PROT_READ, 0, 0, 0}},
    {"own-text", own_text_writable, 0, {0}},
    {"grow-all", grow_all, 0, {0}},
    {"grow-steps", grow_steps, 0, {0}},
    {"other-fds", other_descriptors, 0, {0}},
    {"read-null", read_null, 0, {0}},
    {"spin", spin, 0, {0}},
    {"allocate", allocate, 0, {0}},
    {"null-write", null_write, 0, {0}},
    {"trap", trap, 0, {0}},
    {"abort", NULL, 0, {0}},
    {"jump-to-data", jump_to_data, 0, {0}},
    {"vsyscall", vsyscall_time, 0, {0}},
    {"int80", int80, 0, {0}},
    {"flood", flood, 0, {0}},
    {"main-stack", main_stack, 0, {0}},
};

static long run(const struct probe *p)
{
    long r;

    if (p->run != NULL) {
        return p->run();
    }
    if (p->call == 0) {
        abort();
    }
    r = CALL(p->call, p->args[0], p->args[1], p->args[2], p->args[3], p->args[4], p->args[5]);
    return r == -1 ? -errno : r;
}

int engine_init(void)
{
    void *at = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    reserved = at;
    return at == MAP_FAILED ? -errno : 0;
}

int engine_ready(struct wire_page *shared)
{
    (void)shared;
    return 0;
}

size_t engine_data_limit(uint32_t memory_bytes)
{
    return memory_bytes;
}

enum engine_state engine_start(const struct engine_hooks *hooks, const struct wire_start *script)
{
    const char *result = "\"no such probe\"";

    page = hooks->page;
    for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
        if (bytes_is(script->code, probes[i].name)) {
            snprintf(value, sizeof value, "%ld", run(&probes[i]));
            result = value;
        }
    }
    ending = (struct wire_ending){.kind = WIRE_END_FINISHED,
                                  .name = bytes_none(),
                                  .message = bytes_none(),
                                  .frames = bytes_none(),
                                  .notes = bytes_none(),
                                  .value = bytes_str(result)};
    return ENGINE_ENDED;
}

uint8_t *engine_take(size_t len)
{
    return len <= sizeof room ? room : NULL;
}

void engine_give_back(void)
{
}

enum engine_state engine_answer(uint32_t id, enum wire_result_kind kind, struct bytes payload,
                                enum wire_seen_how *ret_how)
{
    (void)id;
    (void)kind;
    (void)payload;
    *ret_how = WIRE_SEEN_WHOLE;
    return ENGINE_ENDED;
}

enum engine_state engine_answer_no_room(uint32_t id, enum wire_result_kind kind, size_t len,
                                        enum wire_seen_how *ret_how)
{
    (void)kind;
    (void)ret_how;
    (void)id;
    (void)len;
    return ENGINE_ENDED;
}

enum engine_state engine_tick(void)
{
    return ENGINE_ENDED;
}

enum engine_state engine_woken(uint32_t id, enum wire_woken_how how)
{
    (void)id;
    (void)how;
    return ENGINE_ENDED;
}

enum engine_state engine_stop(void)
{
    return ENGINE_ENDED;
}

const struct wire_ending *engine_ending(void)
{
    return &ending;
}
