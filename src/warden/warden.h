/* SPDX-License-Identifier: MIT
 *
 * What monitor, init and zygote share: filled by the monitor, inherited by fork.
 */
#ifndef WARDEN_WARDEN_H
#define WARDEN_WARDEN_H

#include "base/buf.h"
#include "wire/wire.h"

enum {
    CONTROL_FD = 3,
    CELLS_MAX = 4096,            /* that live at once */
    WARDEN_UIDS = CELLS_MAX + 1, /* the warden's own, and one for each */
    WARDEN_FILES = 1024,         /* descriptors of any process of the warden's */
};

struct warden {
    char tier;            /* 'A', 'B' or 'C' */
    int host_fd;          /* the host's pidfd */
    int program_fd;       /* this program's file, for the zygotes */
    uint32_t base_uid;    /* root tiers: cells become one of the CELLS_MAX ids after this one */
    bool may_drop_uid;    /* root tiers */
    bool has_pid_ns;      /* tier A */
    bool is_for_attempts; /* its cells make escapes, no scripts */
    int root_fd;          /* tier B: an empty folder to chroot to, else -1 */
    struct buf notice;    /* for the host, what is weaker here; empty where nothing is */
};

/* Writes one line, name=value pairs, to the log. */
__attribute__((format(printf, 1, 2))) void warden_log(const char *format, ...);

/* Joins a sentence to the notice. */
void warden_notice(struct warden *w, const char *sentence);

/* Asks the system to prefer this process (a number, or "self") and its children when memory
 * runs out. Best effort. */
void warden_prefer_in_oom(const char *pid);

#endif
