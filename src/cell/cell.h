/* SPDX-License-Identifier: MIT
 *
 * The one door of the cell's room: what the warden calls.
 */
#ifndef CELL_CELL_H
#define CELL_CELL_H

#include "cell/ablate.h"
#include "wire/wire.h"

#include <sys/types.h>

/* What a cell inherits; every other descriptor is closed and everything else reset. */
struct cell_inherit {
    int socket;             /* to the host, becomes descriptor 3 */
    struct wire_page *page; /* mapped already */
    uint32_t memory_bytes;  /* the budget the limits are set for */
    uint32_t uid;           /* root tiers: to become */
    bool may_drop_uid;      /* root tiers */
    bool has_pid_ns;        /* tier A: the process must be pid 1 */
    bool is_for_attempts;   /* it makes one escape in the script's place (cell/attempt.h) */
    pid_t parent;           /* other tiers: the process whose death must be the cell's */
};

/* In the monitor, once, before it forks: builds the filter. 0 or -errno; *ret_sentence then
 * says what could not be built. */
int cell_prepare_filter(const char **ret_sentence);

/* In the zygote, once, after cell_prepare_filter(): makes the engine ready. 0 or -errno;
 * *ret_sentence then says what could not be made. */
int cell_prepare(const char **ret_sentence);

/* In a forked child: raises every wall, runs one script, exits. */
__attribute__((noreturn)) void cell_main(const struct cell_inherit *inherit);

/* The sentence for a start step that failed, by exit status; NULL for other statuses. */
const char *cell_exit_sentence(int status);

/* The kernel's Landlock version, or -ENOSYS (not built), -EOPNOTSUPP (off at boot), -errno. */
int cell_landlock_abi(void);

/* Whether a cell's memory bound holds against hostile native code too; false where an
 * address-space limit (ulimit -v) was inherited. */
bool cell_limits_hold_memory(void);

/* What bounds a cell's processor time, whatever its run's limits say: the inherited soft or hard
 * limit where that is stricter than the cells' own. */
uint64_t cell_limits_cpu_seconds(bool is_hard);

/* For the warden's probes, in a child made for it: puts the caller under the filter. */
int cell_filter_raise(void);

#endif
