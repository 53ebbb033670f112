/* SPDX-License-Identifier: MIT
 *
 * Walls that a test build of the warden (TORNO_ABLATE) can leave out one by one, to show what
 * still stops an attempt then. The switch itself is in tests/walls/ablate.c and linked into that
 * build alone; in every other one the functions below are constants, and no trace of them is in
 * the program.
 */
#ifndef CELL_ABLATE_H
#define CELL_ABLATE_H

#include <stdbool.h>
#include <stddef.h>

enum ablate_wall {
    OFF_SECCOMP = 1 << 0,
    OFF_LANDLOCK = 1 << 1,
    OFF_LIMITS = 1 << 2,
    OFF_NO_NEW_PRIVS = 1 << 3,
    OFF_CAPS = 1 << 4, /* capabilities stay, the bounding set too */
    OFF_UID = 1 << 5,  /* the change of ids */
    OFF_DESCRIPTORS = 1 << 6,
    OFF_DUMPABLE = 1 << 7,
    OFF_MDWE = 1 << 8,
    OFF_ROOT = 1 << 9, /* the empty root folder */
    OFF_PID_NS = 1 << 10,
    OFF_NET_NS = 1 << 11,
    OFF_IPC_NS = 1 << 12,
};

#ifdef TORNO_ABLATE
/* Whether this wall is to be left out. */
bool ablate_is_off(unsigned wall);

/* What the notice says of such a build, always. */
const char *ablate_notice(void);

/* Makes a change of ids leave capabilities alone. */
void ablate_keep_caps(void);

/* What a zygote gets as its environment: the names of walls travel there. */
char *const *ablate_environment(char *const *none);
#else
static inline bool ablate_is_off(unsigned wall)
{
    (void)wall;
    return false;
}

static inline const char *ablate_notice(void)
{
    return NULL;
}

static inline void ablate_keep_caps(void)
{
}

static inline char *const *ablate_environment(char *const *none)
{
    return none;
}
#endif

#endif
