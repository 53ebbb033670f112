/* SPDX-License-Identifier: MIT
 *
 * The processor time of a cell; see host/cpu.h.
 *
 * The kernel tells which process sent the hello (SCM_CREDENTIALS, as a number in the host's own
 * pid namespace), and its clock may be read by anybody. A number may be used again once the
 * warden has reaped the cell: what was read counts only if the process, held by a pidfd, is still
 * there afterwards.
 */
#include "host/cpu.h"

#include <errno.h>
#include <sys/pidfd.h>
#include <time.h>

int cpu_watch(struct cell *cell)
{
    if (cell->pid <= 0) {
        return -ESRCH;
    }
    cell->pidfd = pidfd_open(cell->pid, 0);
    return cell->pidfd < 0 ? -errno : 0;
}

int64_t cpu_used_ms(const struct cell *cell)
{
    clockid_t clock;
    struct timespec used;

    if (cell->pidfd < 0 || clock_getcpuclockid(cell->pid, &clock) != 0 ||
        clock_gettime(clock, &used) < 0) {
        return 0;
    }
    if (pidfd_send_signal(cell->pidfd, 0, NULL, 0) < 0 && errno == ESRCH) {
        return 0;
    }
    return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}
