/* SPDX-License-Identifier: MIT
 *
 * What /proc says of other processes, for the proofs of tests/walls.
 */
#ifndef TESTS_WALLS_LOOK_H
#define TESTS_WALLS_LOOK_H

#include "base/fd.h"
#include "base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { LOOK_MAX = 256 };

/* Parent and session of a living process; false where there is none. */
static inline bool look_at(pid_t pid, int *ret_parent, int *ret_session)
{
    char path[64];
    char *text = NULL;
    const char *rest;
    size_t len;
    int group;
    char state = 'X';

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (fd_read_file(path, 4096, &text, &len) != 0) {
        return false;
    }
    rest = strrchr(text, ')');
    if (rest == NULL ||
        sscanf(rest + 1, " %c %d %d %d", &state, ret_parent, &group, ret_session) != 4) {
        state = 'X';
    }
    mem_free(text);
    return state != 'X' && state != 'Z';
}

/* The living processes of a session, or (session 0) the children of a process. */
static inline size_t look_for(pid_t session, pid_t parent, pid_t *ret_pids)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    size_t n = 0;

    while (proc != NULL && (entry = readdir(proc)) != NULL && n < LOOK_MAX) {
        int pid = 0;
        int its_parent;
        int its_session;

        if (sscanf(entry->d_name, "%d", &pid) == 1 && look_at(pid, &its_parent, &its_session) &&
            (session != 0 ? its_session == session : its_parent == parent)) {
            ret_pids[n++] = pid;
        }
    }
    if (proc != NULL) {
        closedir(proc);
    }
    return n;
}

/* The rest of the first line of /proc/PID/FILE that begins with name, "" where there is none. */
static inline const char *look_line(pid_t pid, const char *file, const char *name)
{
    static char value[512];
    char path[64];
    char *text = NULL;
    const char *at;
    size_t len;

    value[0] = '\0';
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    if (fd_read_file(path, 1 << 22, &text, &len) != 0) {
        return value;
    }
    at = text;
    while (at != NULL && strncmp(at, name, strlen(name)) != 0) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at != NULL) {
        at += strlen(name);
        at += strspn(at, " \t");
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\n"), at);
    }
    mem_free(text);
    return value;
}

/* Whether this process has a cell's limits: the last of its walls but the filter. */
static inline bool look_is_cell(pid_t pid)
{
    int files = -1;

    return sscanf(look_line(pid, "limits", "Max open files"), "%d", &files) == 1 && files == 4 &&
           strcmp(look_line(pid, "status", "Seccomp:"), "2") == 0;
}

#endif
