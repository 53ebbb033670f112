/* SPDX-License-Identifier: MIT
 *
 * The namespaces of tier A, step by step. Each step can be named when it fails.
 */
#ifndef WARDEN_SPACE_H
#define WARDEN_SPACE_H

#include "base/buf.h"

#include <sys/types.h>

enum space_step {
    SPACE_FORK = 1, /* making the namespaces */
    SPACE_MAPS,     /* writing the maps of ids */
    SPACE_IDS,      /* becoming the namespace's root */
    SPACE_ROOT,     /* an empty root folder */
};

/* What a failed step means for a person: one sentence without a full stop. */
void space_explain(struct buf *out, enum space_step step, int error);

/* Forks a child in namespaces of its own: the pid, 0 in the child, or -errno. *ret_left_out
 * is a sentence on namespaces that the kernel was not built with, or NULL. */
pid_t space_fork(const char **ret_left_out);

/* From outside: maps the child's ids. Root gives it unused high ones, never its own;
 * *ret_base is the first. A user gives it the one it has. 0 or -errno. */
int space_map(pid_t pid, bool is_root, uint32_t *ret_base);

/* In the child, after its maps: becomes root of the namespace; 0 or -errno. */
int space_become_root(void);

/* In the child: leaves every mount behind for an empty read-only root; 0 or -errno. */
int space_empty_root(void);

/* Ids that root may give away here: tried one by one for space_map and for tier B. */
extern const uint32_t space_bases[2];

#endif
