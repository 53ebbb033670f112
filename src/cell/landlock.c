/* SPDX-License-Identifier: MIT
 *
 * Landlock by system call, with structures and masks of our own: the distribution's header
 * may be older than the kernel.
 *
 * Handled accesses are those that the kernel's version knows, and no rule is ever added: all
 * of them are refused. Landlock leaves out stat, chmod, chdir and their like (the filter
 * does not). Where the kernel lacks it, a JavaScript cell does without and does not claim it.
 */
#include "cell/landlock.h"
#include "cell/cell.h"

#include "base/fd.h"
#include "base/mem.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SYS_CREATE_RULESET = 444,
    SYS_RESTRICT_SELF = 446,
    CREATE_VERSION = 1,
};

struct ruleset {
    uint64_t files;  /* since 1, more in 2, 3 and 5 */
    uint64_t ports;  /* since 4: bind and connect of TCP */
    uint64_t scoped; /* since 6: abstract sockets and signals stay inside */
};

int cell_landlock_abi(void)
{
    long abi = syscall(SYS_CREATE_RULESET, NULL, 0, CREATE_VERSION);

    return abi < 0 ? -errno : (int)abi;
}

/* Everything that this version can refuse; *ret_size is how much of the struct it knows. */
static struct ruleset all_of(int abi, size_t *ret_size)
{
    struct ruleset all = {.files = 0x1fff};

    *ret_size = sizeof all.files;
    if (abi >= 2) {
        all.files = 0x3fff;
    }
    if (abi >= 3) {
        all.files = 0x7fff;
    }
    if (abi >= 4) {
        all.ports = 3;
        *ret_size = offsetof(struct ruleset, scoped);
    }
    if (abi >= 5) {
        all.files = 0xffff;
    }
    if (abi >= 6) {
        all.scoped = 3;
        *ret_size = sizeof all;
    }
    return all;
}

int cell_landlock_raise(void)
{
    int abi = cell_landlock_abi();
    size_t size;
    struct ruleset all;
    _cleanup_(close_p) int fd = -1;

    if (abi == -ENOSYS || abi == -EOPNOTSUPP) {
        return CELL_LANDLOCK_ABSENT;
    }
    if (abi < 0) {
        return abi;
    }
    all = all_of(abi, &size);
    fd = (int)syscall(SYS_CREATE_RULESET, &all, size, 0);
    if (fd < 0) {
        return -errno;
    }
    return syscall(SYS_RESTRICT_SELF, fd, 0) == 0 ? 0 : -errno;
}
