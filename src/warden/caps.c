/* SPDX-License-Identifier: MIT
 *
 * Capabilities by system call; see caps.h. The monitor, the init and the zygote use it on
 * themselves: what a process has given up none of its children gets back.
 *
 * The bounding set can be lowered only by who has CAP_SETPCAP; who has it not (an ordinary user)
 * has no capability either, and no_new_privs, which the monitor sets first of all, keeps every
 * later program from bringing one.
 */
#include "warden/caps.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int get(struct __user_cap_data_struct ret[_LINUX_CAPABILITY_U32S_3])
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

    return syscall(SYS_capget, &header, ret) == 0 ? 0 : -errno;
}

bool caps_has(int cap)
{
    struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3];

    return get(have) == 0 && (have[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap)) != 0;
}

int caps_bound(uint64_t keep)
{
    int is_there = 0;

    if (!caps_has(CAP_SETPCAP)) {
        return 0;
    }
    /* The kernel answers with an error for the first number that is none. */
    for (int cap = 0; cap < 64 && is_there >= 0; cap++) {
        is_there = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);
        if (is_there == 1 && (keep >> cap & 1) == 0 && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0) {
            return -errno;
        }
    }
    return 0;
}

int caps_keep(uint64_t keep)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3];
    int r = caps_bound(keep);

    if (r == 0) {
        r = get(have);
    }
    if (r != 0) {
        return r;
    }
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        have[i].permitted &= (uint32_t)(keep >> (32 * i));
        have[i].effective = have[i].permitted;
        have[i].inheritable = 0;
    }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 && errno != EINVAL) {
        return -errno;
    }
    return syscall(SYS_capset, &header, have) == 0 ? 0 : -errno;
}
