/* SPDX-License-Identifier: MIT
 *
 * Ends a whole tree of processes, for the keeper (keep.c), which is a subreaper: whoever loses
 * its parent below it becomes its child. So killing the children again and again until there
 * are none ends every descendant, those that left the process group or the session included.
 *
 * Each round stops the whole tree first, parents before their children, so that a tree that
 * forks all the time cannot outrun the kills. A process that this user may not kill (a
 * setuid program) is given up on after a few seconds.
 */
#include "cli/keep.h"

#include "base/clock.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GIVE_UP_MS = 5000, MAX_PIDS = 65536 };

struct pid_list {
    pid_t *pids;
    size_t n;
    size_t cap;
};

static void done_list(struct pid_list *list)
{
    mem_free(list->pids);
}

static bool is_in(const struct pid_list *list, pid_t pid)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->pids[i] == pid) {
            return true;
        }
    }
    return false;
}

/* The parent of a process, from the field after the last ")" of its stat; 0 where it is gone. */
static pid_t read_parent(const char *pid)
{
    char path[64];
    char text[512];
    const char *at;
    long parent = 0;
    size_t n;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    at = strrchr(text, ')');
    return at != NULL && sscanf(at, ") %*c %ld", &parent) == 1 ? (pid_t)parent : 0;
}

/* Stops each process whose parent is self or in the list, and adds it; how many were new. */
static size_t add_children(struct pid_list *list, pid_t self)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    size_t before = list->n;

    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        intmax_t pid;
        pid_t parent;

        if (sscanf(entry->d_name, "%" SCNdMAX, &pid) != 1 || is_in(list, (pid_t)pid)) {
            continue;
        }
        parent = read_parent(entry->d_name);
        if ((parent == self || (parent != 0 && is_in(list, parent))) && list->n < MAX_PIDS &&
            mem_reserve(&list->pids, &list->cap, list->n + 1, sizeof *list->pids) == 0) {
            kill((pid_t)pid, SIGSTOP);
            list->pids[list->n++] = (pid_t)pid;
        }
    }
    if (proc != NULL) {
        closedir(proc);
    }
    return list->n - before;
}

/* Reaps what has died; false once there is no child at all. */
static bool reap_all(pid_t leader, int *ret_status)
{
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);

        if (pid <= 0) {
            return pid == 0 || errno == EINTR;
        }
        if (pid == leader) {
            *ret_status = status;
        }
    }
}

static void kill_round(pid_t leader)
{
    _cleanup_(done_list) struct pid_list list = {0};
    pid_t self = getpid();

    while (add_children(&list, self) > 0) {
    }
    for (size_t i = 0; i < list.n; i++) {
        kill(list.pids[i], SIGKILL);
    }
    if (leader > 0) {
        kill(-leader, SIGKILL);
    }
}

void keep_kill_all(pid_t leader, int *ret_status)
{
    const struct timespec pause = {0, 2000000};
    int64_t start_ms = clock_now_ms();

    while (reap_all(leader, ret_status) && clock_now_ms() - start_ms < GIVE_UP_MS) {
        kill_round(leader);
        nanosleep(&pause, NULL);
    }
}
