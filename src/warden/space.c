/* SPDX-License-Identifier: MIT
 *
 * The namespaces of tier A. The monitor forks and maps, the init (pid 1 inside) enters.
 *
 * Whether a step works is found by doing it: containers, sysctls, security modules and
 * nesting limits all have a say. space_explain() words the likely cause. /proc serves twice:
 * the maps are written there, and it is a folder that surely exists to mount the new root on.
 */
#include "warden/space.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "warden/sys.h"
#include "warden/warden.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>

enum {
    NEEDED = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS,
    WISHED = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP,
};

/* The first range is one that no distribution gives to anybody (subordinate ids begin at 100,000,
 * those of system containers end below it). The second is for a root whose own user namespace ends
 * at 65,535. */
const uint32_t space_bases[2] = {1900000000, 60000};

static const char *explain_fork(int error)
{
    switch (error) {
    case ENOSPC:
    case EUSERS:
        return "user namespaces are used up or switched off (sysctl user.max_user_namespaces), or "
               "nested too deep";
    case EPERM:
        return "this process may not make namespaces (a container's filter, or sysctl "
               "kernel.unprivileged_userns_clone is 0)";
    case EINVAL:
        return "the kernel was built without user, pid or mount namespaces";
    case EAGAIN:
    case ENOMEM:
        return "there is no room for another process (ulimit -u, memory)";
    default:
        return "namespaces could not be made";
    }
}

void space_explain(struct buf *out, enum space_step step, int error)
{
    const char *text = "";

    switch (step) {
    case SPACE_FORK:
        text = explain_fork(error);
        break;
    case SPACE_MAPS:
        text = error == ENOENT ? "ids could not be mapped: /proc is not mounted"
                               : "ids could not be mapped (AppArmor may forbid user namespaces to "
                                 "programs without a profile)";
        break;
    case SPACE_IDS:
        text = "the namespace's root could not be taken";
        break;
    case SPACE_ROOT:
        text = "an empty root folder could not be mounted (AppArmor or a container may forbid it)";
        break;
    }
    buf_printf(out, "%s: %s", text, strerrordesc_np(error));
}

/* None but in a test build. */
static uint64_t left_out(void)
{
    return (ablate_is_off(OFF_PID_NS) ? CLONE_NEWPID : 0) |
           (ablate_is_off(OFF_NET_NS) ? CLONE_NEWNET : 0) |
           (ablate_is_off(OFF_IPC_NS) ? CLONE_NEWIPC : 0);
}

pid_t space_fork(const char **ret_left_out)
{
    uint64_t off = left_out();
    pid_t pid = sys_fork((NEEDED | WISHED) & ~off);

    *ret_left_out = NULL;
    if (pid == -EINVAL) {
        pid = sys_fork(NEEDED & ~off);
        *ret_left_out = "the kernel lacks network, ipc, uts or cgroup namespaces";
    }
    return pid;
}

static int write_file(pid_t pid, const char *name, const char *text)
{
    char path[64];
    _cleanup_(close_p) int fd = -1;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    return fd_write_all(fd, bytes_str(text));
}

/* Both maps: the namespace's ids from 0 are ours from first. */
static int write_maps(pid_t pid, uint32_t first_uid, uint32_t first_gid, uint32_t count)
{
    char text[64];
    int r;

    snprintf(text, sizeof text, "0 %u %u\n", first_uid, count);
    r = write_file(pid, "uid_map", text);
    if (r == 0) {
        snprintf(text, sizeof text, "0 %u %u\n", first_gid, count);
        r = write_file(pid, "gid_map", text);
    }
    return r;
}

int space_map(pid_t pid, bool is_root, uint32_t *ret_base)
{
    int r = write_file(pid, "setgroups", "deny");

    if (r != 0) {
        return r;
    }
    if (!is_root) {
        *ret_base = 0;
        return write_maps(pid, geteuid(), getegid(), 1);
    }
    for (size_t i = 0; i < ARRAY_SIZE(space_bases); i++) {
        r = write_maps(pid, space_bases[i], space_bases[i], WARDEN_UIDS);
        if (r == 0) {
            *ret_base = space_bases[i];
            return 0;
        }
    }
    return r;
}

int space_become_root(void)
{
    if (syscall(SYS_setresgid, 0, 0, 0) != 0 || syscall(SYS_setresuid, 0, 0, 0) != 0) {
        return -errno;
    }
    /* The change of ids cleared it; the warden's own parts may look at one another. */
    return prctl(PR_SET_DUMPABLE, 1) == 0 ? 0 : -errno;
}

int space_empty_root(void)
{
    const unsigned long nothing = MS_NOSUID | MS_NODEV | MS_NOEXEC;

    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", "/proc", "tmpfs", nothing, "size=4k,nr_inodes=2,mode=555") != 0 ||
        chdir("/proc") != 0 || syscall(SYS_pivot_root, ".", ".") != 0 ||
        umount2(".", MNT_DETACH) != 0 || chdir("/") != 0 ||
        mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | nothing, NULL) != 0) {
        return -errno;
    }
    return 0;
}
