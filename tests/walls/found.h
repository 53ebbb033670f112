/* SPDX-License-Identifier: MIT
 *
 * Lives in children, for the proofs of tests/walls: a child may have no descriptor to write to, so
 * what it finds comes back through memory that it shares with the test.
 */
#ifndef TESTS_WALLS_FOUND_H
#define TESTS_WALLS_FOUND_H

#include "unit/t.h"

#include <grp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    unsigned faults;
    unsigned seen; /* what was looked at */
    size_t len;
    char text[16384];
} * found;

static inline void found_init(void)
{
    found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* One more fault, and a line on it. */
__attribute__((format(printf, 1, 2))) static inline void fault(const char *format, ...)
{
    va_list args;
    int n;

    found->faults++;
    va_start(args, format);
    n = vsnprintf(found->text + found->len, sizeof found->text - found->len, format, args);
    va_end(args);
    found->len += n > 0 && (size_t)n < sizeof found->text - found->len - 1 ? (size_t)n : 0;
}

/* A life in a child, with nothing found yet: its exit status, or 128 and a signal. */
static inline int found_in_child(void (*life)(const void *arg), const void *arg)
{
    int status = 0;
    pid_t pid;

    memset(found, 0, sizeof *found);
    pid = fork();
    if (pid == 0) {
        life(arg);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void found_show(const char *name)
{
    fprintf(stderr, "%s, as %s:\n%s", name, geteuid() == 0 ? "root" : "user", found->text);
}

static inline void found_become_user(void)
{
    const uid_t user = 65534;

    if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 ||
        setresuid(user, user, user) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0) {
        _exit(2);
    }
}

/* The same as an ordinary user, in a process of its own. */
static inline void found_as_user(void (*test)(void))
{
    int status = 1;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        found_become_user();
        t_failures = 0;
        test();
        fflush(stdout);
        _exit(t_failures != 0);
    }
    waitpid(pid, &status, 0);
    T_EQ(status, 0);
}

#endif
