/* SPDX-License-Identifier: MIT
 *
 * Runs a command as a container's filter would: refuse WHAT COMMAND..., where WHAT is landlock
 * (not built), namespaces (no new ones, no mounts), or seccomp (no filters).
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct rule {
    const char *what;
    unsigned number;
    unsigned flags; /* of the first argument, one of which must be set; 0: whatever it is */
    unsigned error;
};

static const struct rule rules[] = {
    {"landlock", 444, 0, ENOSYS},
    {"namespaces", SYS_unshare, 0, EPERM},
    {"namespaces", SYS_clone, CLONE_NEWUSER | CLONE_NEWPID, EPERM},
    {"namespaces", SYS_clone3, 0, ENOSYS},
    {"namespaces", SYS_mount, 0, EPERM},
    {"namespaces", SYS_umount2, 0, EPERM},
    {"namespaces", SYS_pivot_root, 0, EPERM},
    {"seccomp", SYS_seccomp, 0, EINVAL},
};

enum { RULES = sizeof rules / sizeof rules[0], MAX = 8 * RULES };

int main(int argc, char **argv)
{
    struct sock_filter program[MAX];
    unsigned short n = 0;
    struct sock_fprog fprog = {.filter = program};

    for (size_t i = 0; argc > 2 && i < RULES; i++) {
        if (strcmp(rules[i].what, argv[1]) != 0) {
            continue;
        }
        program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                    offsetof(struct seccomp_data, nr));
        program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rules[i].number, 0,
                                                    rules[i].flags != 0 ? 3 : 1);
        if (rules[i].flags != 0) {
            program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                        offsetof(struct seccomp_data, args));
            program[n++] =
                (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, rules[i].flags, 0, 1);
        }
        program[n++] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | rules[i].error);
    }
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    fprog.len = n;
    if (argc < 3 || n == 1 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog) != 0) {
        fputs("refuse landlock|namespaces|seccomp COMMAND...\n", stderr);
        return 2;
    }
    execv(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
