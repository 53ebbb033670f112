/* SPDX-License-Identifier: MIT
 *
 * Ids and capabilities by system call: glibc's own calls look for threads to take along,
 * and there are none.
 */
#include "cell/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int cell_rights_become(uint32_t uid)
{
    if (syscall(SYS_getgroups, 0, NULL) > 0 && syscall(SYS_setgroups, 0, NULL) != 0) {
        return -errno;
    }
    if (syscall(SYS_setresgid, uid, uid, uid) != 0 || syscall(SYS_setresuid, uid, uid, uid) != 0) {
        return -errno;
    }
    return 0;
}

int cell_rights_drop(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 && errno != EINVAL) {
        return -errno;
    }
    return syscall(SYS_capset, &header, none) == 0 ? 0 : -errno;
}
