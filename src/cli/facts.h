/* SPDX-License-Identifier: MIT
 *
 * What can be read about this machine and the sandbox that torno itself may live in. It words
 * causes and advice; it never decides what works: that is found by trying.
 */
#ifndef CLI_FACTS_H
#define CLI_FACTS_H

#include <stdbool.h>
#include <stdint.h>

enum { FACT_UNKNOWN = -1, FACT_TEXT = 256 };

/* Numbers are FACT_UNKNOWN where there is nothing to read. */
struct facts {
    char kernel[FACT_TEXT];
    char arch[72];
    uint32_t user;
    char container[64]; /* docker, podman, kubernetes, another name, or "" */
    char machine[16];   /* gvisor, wsl1, wsl2, or "" */
    int64_t seccomp;    /* filters over torno itself: 0 none, 2 at least one */
    int64_t no_new_privs;
    char capabilities[32]; /* effective, in hex; "" */
    int64_t max_user_namespaces;
    int64_t unprivileged_userns_clone; /* Debian's sysctl */
    int64_t apparmor_restrict;         /* Ubuntu's sysctl */
    char cgroup[FACT_TEXT];            /* the controllers of our own part of cgroup v2 */
    int64_t memory_total_bytes;
    int64_t memory_available_bytes;
    int64_t memory_limit_bytes;  /* of our cgroup */
    int64_t address_space_bytes; /* ulimit -v; FACT_UNKNOWN: none */
    int64_t data_bytes;          /* ulimit -d; the same */
};

/* Reads all of them. */
void facts_read(struct facts *ret);

#endif
