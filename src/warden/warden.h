/* SPDX-License-Identifier: MIT
 *
 * What monitor, init and zygote share: filled by the monitor, inherited by fork.
 */
#ifndef WARDEN_WARDEN_H
#define WARDEN_WARDEN_H

#include "base/buf.h"
#include "wire/wire.h"

enum { CONTROL_FD = 3, WARDEN_UIDS = 1000 };

struct warden {
    char tier;         /* 'A', 'B' or 'C' */
    int host_fd;       /* the host's pidfd; -1 where the kernel has none */
    uint32_t base_uid; /* root tiers: cells become one of WARDEN_UIDS - 1 ids from here */
    bool may_drop_uid; /* root tiers */
    bool has_pid_ns;   /* tier A */
    int root_fd;       /* tier B: an empty folder to chroot to, else -1 */
    struct buf notice; /* for the host, what is weaker here; empty where nothing is */
};

/* Writes one line, name=value pairs, to the log. */
__attribute__((format(printf, 1, 2))) void warden_log(const char *format, ...);

/* Joins a sentence to the notice. */
void warden_notice(struct warden *w, const char *sentence);

/* Asks the system to prefer this process (a number, or "self") and its children when memory
 * runs out. Best effort. */
void warden_prefer_in_oom(const char *pid);

#endif
