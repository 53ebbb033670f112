/* SPDX-License-Identifier: MIT
 *
 * The resource limits of a JavaScript cell, as a table with a reason per row.
 *
 * RLIMIT_AS is left out on purpose. mprotect() asks for room for the new kind of mapping
 * and fails only where the old kind would have had room; past RLIMIT_AS neither has, and
 * then RLIMIT_DATA no longer holds (tried: with an address-space limit just above its
 * reservation a process makes the whole of it writable). New mappings are the filter's to
 * refuse. So an inherited address-space limit weakens the memory bound: a cell then does not
 * claim it.
 *
 * Processor time is the host's to bound, by the run's cpu_time: a cell is forked before its run is
 * known, and after its lock nothing can be lowered any more. What stands here is for a host that
 * was stopped: nobody else would end a script that computes. Soft is hard, since pid 1 does not
 * hear the signal of the soft one.
 */
#include "cell/limits.h"
#include "cell/cell.h"

#include "base/mem.h"

#include <errno.h>
#include <sys/resource.h>

enum { CPU_SECONDS = 25 * 3600 };

struct limit {
    int resource;
    rlim_t most;
    const char *reason;
};

static const struct limit table[] = {
    {RLIMIT_CORE, 0, "a dump would hold what the script held"},
    {RLIMIT_FSIZE, 0, "it writes no file"},
    {RLIMIT_NOFILE, 4, "0 to 2 are /dev/null, 3 is its socket"},
    {RLIMIT_NPROC, 0, "it makes no process and no thread"},
    {RLIMIT_SIGPENDING, 16, "it queues no signal"},
    {RLIMIT_MSGQUEUE, 0, "it has no queue"},
    {RLIMIT_MEMLOCK, 0, "it locks no memory"},
    {RLIMIT_STACK, 1024 * 1024, "scripts run on the engine's own stack"},
    {RLIMIT_CPU, CPU_SECONDS, "more than the longest lifetime"},
};

/* The inherited limit stays where it is the stricter one, soft and hard each. */
static int lower(int resource, rlim_t most)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)resource, &now) != 0) {
        return -errno;
    }
    now.rlim_cur = now.rlim_cur < most ? now.rlim_cur : most;
    now.rlim_max = now.rlim_max < most ? now.rlim_max : most;
    return setrlimit((__rlimit_resource_t)resource, &now) == 0 ? 0 : -errno;
}

int cell_limits_raise(size_t data_bytes)
{
    int r = lower(RLIMIT_DATA, data_bytes);

    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(table); i++) {
        r = lower(table[i].resource, table[i].most);
    }
    return r;
}

bool cell_limits_hold_memory(void)
{
    struct rlimit now;

    return getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_cur == RLIM_INFINITY;
}

uint64_t cell_limits_cpu_seconds(bool is_hard)
{
    struct rlimit now;
    rlim_t most;

    if (getrlimit(RLIMIT_CPU, &now) != 0) {
        return CPU_SECONDS;
    }
    most = is_hard ? now.rlim_max : now.rlim_cur;
    return most < CPU_SECONDS ? most : CPU_SECONDS;
}
