/* SPDX-License-Identifier: MIT
 *
 * The filter of JavaScript cells, swept: every system call number, with two sets of
 * arguments, and the same with the x32 bit, each in a child of its own. What is not killed
 * must be exactly the list below, and so must what SECURITY.md says: the names in its sentence from
 * "may make" to "Beside the filter" are read here.
 *
 * Two numbers of x86-64 no filter sees: newer kernels let uretprobe and uprobe pass, since
 * their own trampolines make them. Called from anywhere else they do nothing (SIGILL, ENXIO),
 * which is checked.
 */
#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "t.h"

#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NUMBERS = 512, X32 = 0x40000000 };

static const struct {
    long number;
    const char *name;
} allowed[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_mprotect, "mprotect"},
    {SYS_rt_sigprocmask, "rt_sigprocmask"},
    {SYS_rt_sigreturn, "rt_sigreturn"},
    {SYS_clock_gettime, "clock_gettime"},
    {SYS_exit_group, "exit_group"},
};

enum { URETPROBE = 335, UPROBE = 336, IN_VAIN = 77 };

static bool is_on_list(long number)
{
    for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
        if (allowed[i].number == number) {
            return true;
        }
    }
    return false;
}

/* The wait status of a child that makes one call under the filter. */
static int try_call(long number, long argument, long third)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_DUMPABLE, 0);
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || cell_filter_raise() != 0) {
            raise(SIGTERM);
        }
        if (syscall(number, argument, argument, third, argument, argument, argument) == -1) {
            _exit(IN_VAIN);
        }
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return status;
}

static bool is_refused(int status)
{
    T_OK(!(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

static bool is_in_vain(int status)
{
    return (WIFEXITED(status) && WEXITSTATUS(status) == IN_VAIN) ||
           (WIFSIGNALED(status) && (WTERMSIG(status) == SIGILL || WTERMSIG(status) == SIGSYS));
}

static bool is_name_on_list(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
        if (strlen(allowed[i].name) == len && strncmp(allowed[i].name, name, len) == 0) {
            return true;
        }
    }
    fprintf(stderr, "SECURITY.md: %.*s is not on the list\n", (int)len, name);
    return false;
}

/* Each name in backquotes, once, and as many as the list has. */
static void compare_document(void)
{
    _cleanup_(free_p) char *text = NULL;
    size_t len = 0;
    size_t n = 0;
    char *at;
    char *end;

    T_EQ(fd_read_file("SECURITY.md", 1 << 20, &text, &len), 0);
    at = text != NULL ? strstr(text, "process may make") : NULL;
    end = at != NULL ? strstr(at, "Beside the filter") : NULL;
    T_OK(end != NULL);
    for (at = end != NULL ? strchr(at, '`') : NULL; at != NULL && at < end; at = strchr(at, '`')) {
        size_t name_len = strcspn(++at, "`");

        if (memchr(at, '/', name_len) == NULL) { /* not the name of a test */
            T_OK(is_name_on_list(at, name_len));
            n++;
        }
        at += name_len + 1;
    }
    T_EQ(n, ARRAY_SIZE(allowed));
}

static void sweep(void)
{
    for (long number = 0; number < NUMBERS; number++) {
        bool passes;

        if (number == URETPROBE || number == UPROBE) {
            T_OK(is_in_vain(try_call(number, -1, -1)) && is_in_vain(try_call(number, 0, 0)));
            continue;
        }
        passes = !is_refused(try_call(number, -1, -1)) || !is_refused(try_call(number, 0, 0)) ||
                 !is_refused(try_call(number, 0, PROT_READ | PROT_WRITE));
        if (passes != is_on_list(number)) {
            fprintf(stderr, "system call %ld %s\n", number,
                    passes ? "is not on the list, and passes" : "is on the list, and is refused");
        }
        T_OK(passes == is_on_list(number));
        T_OK(is_refused(try_call(number | X32, 0, 0)));
    }
}

/* mprotect by its third argument: readable and writable alone, nothing that grows, no high bits. */
static void sweep_prot(void)
{
    const long extra[] = {PROT_GROWSDOWN, PROT_GROWSUP, 1L << 32, (long)(1UL << 63), 8};

    for (long prot = 0; prot < 8; prot++) {
        T_EQ(is_refused(try_call(SYS_mprotect, 0, prot)), prot != (PROT_READ | PROT_WRITE));
        for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++) {
            T_OK(is_refused(try_call(SYS_mprotect, 0, prot | extra[i])));
        }
    }
}

/* clock_gettime by its first argument: the two clocks of the project; a negative id would be that
 * of some process, and so would one with high bits. */
static void sweep_clock(void)
{
    const long high[] = {1L << 32, (long)(1UL << 63)};

    for (long id = -70; id < 20; id++) {
        T_EQ(is_refused(try_call(SYS_clock_gettime, id, 0)),
             id != CLOCK_REALTIME && id != CLOCK_MONOTONIC);
        for (size_t i = 0; i < sizeof high / sizeof high[0]; i++) {
            T_OK(is_refused(try_call(SYS_clock_gettime, high[i] | id, 0)) || id < 0);
        }
    }
}

/* The 32-bit door: killed by the filter, or shut by the kernel. */
static void try_other_architecture(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_DUMPABLE, 0);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (cell_filter_raise() == 0) {
            __asm__ volatile("int $0x80" : : "a"(20) : "memory"); /* getpid there */
        }
        _exit(0);
    }
    waitpid(pid, &status, 0);
    T_OK(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV));
}

int main(void)
{
    const char *sentence = NULL;

    T_OK(cell_filter_raise() != 0); /* not built yet: refused, never an empty filter */
    T_EQ(cell_prepare_filter(&sentence), 0);
    T_EQ(cell_prepare_filter(&sentence), 0);
    compare_document();
    sweep();
    sweep_prot();
    sweep_clock();
    try_other_architecture();
    return T_DONE("seccomp");
}
