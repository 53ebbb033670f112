/* SPDX-License-Identifier: MIT
 *
 * The switch of the test build torno-warden-ablate: TORNO_WITHOUT in its environment names the
 * walls to leave out, with commas. It is read once, before main, so that the warden's own code has
 * no door for it; a name that is none ends the program. Runs in the warden and is inherited by all
 * below it; the zygote, which is a new program, gets it again. Linked into that build alone
 * (tests/walls/walls.mk).
 */
#ifndef TORNO_ABLATE /* an analyser looks at this file without the build's flags */
#define TORNO_ABLATE 1
#endif
#include "cell/ablate.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const struct {
    const char *name;
    unsigned wall;
} names[] = {
    {"seccomp", OFF_SECCOMP},
    {"landlock", OFF_LANDLOCK},
    {"limits", OFF_LIMITS},
    {"no-new-privs", OFF_NO_NEW_PRIVS},
    {"caps", OFF_CAPS},
    {"uid", OFF_UID},
    {"descriptors", OFF_DESCRIPTORS},
    {"dumpable", OFF_DUMPABLE},
    {"mdwe", OFF_MDWE},
    {"root", OFF_ROOT},
    {"pid-ns", OFF_PID_NS},
    {"net-ns", OFF_NET_NS},
    {"ipc-ns", OFF_IPC_NS},
};

static unsigned off;

static unsigned find_wall(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strlen(names[i].name) == len && memcmp(names[i].name, name, len) == 0) {
            return names[i].wall;
        }
    }
    _exit(77);
}

__attribute__((constructor)) static void read_walls(void)
{
    const char *at = getenv("TORNO_WITHOUT");

    while (at != NULL && *at != '\0') {
        size_t len = strcspn(at, ",");

        off |= find_wall(at, len);
        at += len + (at[len] == ',');
    }
}

bool ablate_is_off(unsigned wall)
{
    return wall != 0 && (off & wall) == wall;
}

const char *ablate_notice(void)
{
    return "this is a test build of the warden that can leave walls out; it protects nothing";
}

char *const *ablate_environment(char *const *none)
{
    static char line[256];
    static char *lines[] = {line, NULL};
    const char *set = getenv("TORNO_WITHOUT");

    if (set == NULL) {
        return none;
    }
    snprintf(line, sizeof line, "TORNO_WITHOUT=%s", set);
    return lines;
}

void ablate_keep_caps(void)
{
    if (ablate_is_off(OFF_CAPS)) {
        prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0);
    }
}
