/* SPDX-License-Identifier: MIT
 *
 * System calls that the C library does not wrap, or wraps for programs with threads.
 */
#ifndef WARDEN_SYS_H
#define WARDEN_SYS_H

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Forks with these CLONE_ flags, by clone where a container's filter knows no clone3. The
 * pid, 0 in the child, or -errno. For single-threaded callers only: no handler of the C
 * library runs. */
static inline pid_t sys_fork(uint64_t flags)
{
    struct clone_args args = {.flags = flags,
                              .exit_signal = (flags & CLONE_PARENT) != 0 ? 0 : SIGCHLD};
    long pid = syscall(SYS_clone3, &args, sizeof args);

    if (pid < 0 && errno == ENOSYS) {
        pid = syscall(SYS_clone, flags | args.exit_signal, NULL, NULL, NULL, NULL);
    }
    return pid < 0 ? -errno : (pid_t)pid;
}

/* A descriptor that is readable once the process is gone; -errno. */
static inline int sys_pidfd_open(pid_t pid)
{
    long fd = syscall(SYS_pidfd_open, pid, 0);

    return fd < 0 ? -errno : (int)fd;
}

#endif
