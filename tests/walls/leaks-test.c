/* SPDX-License-Identifier: MIT
 *
 * Many cells through one host leave nothing behind: after them the machine and this process are
 * as before the first ones: 2,000 of them, or as many as SOAK in the environment says. Counted for
 * this process and everything below it: processes, zombies, descriptors of each, namespaces,
 * mounts, mappings, resident memory, the folders that wardens make.
 *
 * Known limit: namespaces are counted through the processes that live in them; one that only a
 * descriptor or a mount keeps is seen as that descriptor or mount.
 */
#include "found.h"
#include "look.h"
#include "one-host.h"

#include "base/clock.h"
#include "base/fd.h"
#include "unit/t.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum { STILL = 5 };
enum { WARM_UP = 40, CELLS = 2000, MAX_TREE = 64, MAX_SPACES = 256, GROWTH_KIB = 2048 };

/* As many as a host ever keeps, so that its pool does not grow while cells are counted. */
enum { READY = 8 };

struct count {
    long processes;
    long locked; /* cells whose walls are all up */
    long zombies;
    long descriptors;
    long spaces;
    long mounts;
    long mappings;
    long folders;
    long resident_kib;
};

static const char script[] = "const r = await tools.t({}); return r.content.length";
static pid_t tree[MAX_TREE];
static size_t n_tree;

static long count_lines(pid_t pid, const char *file)
{
    char path[64];
    char *text = NULL;
    size_t len = 0;
    long n = 0;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    if (fd_read_file(path, 1 << 24, &text, &len) != 0) {
        return 0;
    }
    for (size_t i = 0; i < len; i++) {
        n += text[i] == '\n';
    }
    mem_free(text);
    return n;
}

/* Entries whose names begin so and are len long; 0: any length. */
static long count_entries(const char *path, const char *prefix, size_t name_len)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    long n = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && entry->d_name[0] != '.' &&
             (name_len == 0 || strlen(entry->d_name) == name_len);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return n;
}

/* State and parent of a process; 0, or -errno where it is gone. */
static int read_stat(pid_t pid, char *ret_state, int *ret_parent)
{
    char path[64];
    char *text = NULL;
    const char *rest;
    size_t len;
    int r;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    r = fd_read_file(path, 4096, &text, &len);
    if (r != 0) {
        return r;
    }
    rest = strrchr(text, ')');
    r = rest != NULL && sscanf(rest + 1, " %c %d", ret_state, ret_parent) == 2 ? 0 : -EINVAL;
    mem_free(text);
    return r;
}

static bool is_in_tree(pid_t pid)
{
    for (size_t i = 0; i < n_tree; i++) {
        if (tree[i] == pid) {
            return true;
        }
    }
    return false;
}

/* One pass over /proc adds the children of those that are known. */
static bool add_children(long *zombies)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    bool has_grown = false;

    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        int pid = 0;
        int parent;
        char state;

        if (sscanf(entry->d_name, "%d", &pid) == 1 && read_stat(pid, &state, &parent) == 0 &&
            !is_in_tree(pid) && is_in_tree(parent) && n_tree < MAX_TREE) {
            tree[n_tree++] = pid;
            *zombies += state == 'Z';
            has_grown = true;
        }
    }
    if (proc != NULL) {
        closedir(proc);
    }
    return has_grown;
}

/* How many different namespaces the tree lives in. */
static long count_spaces(void)
{
    static const char *const kinds[] = {"user", "pid",   "pid_for_children", "mnt", "net", "ipc",
                                        "uts",  "cgroup"};
    static char seen[MAX_SPACES][64];
    long n = 0;

    for (size_t i = 0; i < n_tree * ARRAY_SIZE(kinds); i++) {
        char path[64];
        char to[64] = "";
        long at = 0;

        snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)tree[i / ARRAY_SIZE(kinds)],
                 kinds[i % ARRAY_SIZE(kinds)]);
        if (readlink(path, to, sizeof to - 1) <= 0) {
            continue;
        }
        while (at < n && strcmp(seen[at], to) != 0) {
            at++;
        }
        if (at == n && n < MAX_SPACES) {
            snprintf(seen[n++], sizeof seen[0], "%s", to);
        }
    }
    return n;
}

static struct count count_all(void)
{
    static const char *const places[] = {"/tmp", "/run", "/var/tmp", "/dev/shm", "/"};
    struct count c = {0};

    n_tree = 0;
    tree[n_tree++] = getpid();
    while (add_children(&c.zombies)) {
    }
    c.processes = (long)n_tree;
    for (size_t i = 0; i < n_tree; i++) {
        char path[64];
        long pages = 0;
        char *text = NULL;
        size_t len;

        snprintf(path, sizeof path, "/proc/%d/fd", (int)tree[i]);
        c.locked += look_is_cell(tree[i]);
        c.descriptors += count_entries(path, "", 0);
        c.mappings += count_lines(tree[i], "maps");
        snprintf(path, sizeof path, "/proc/%d/statm", (int)tree[i]);
        if (fd_read_file(path, 4096, &text, &len) == 0 && sscanf(text, "%*d %ld", &pages) == 1) {
            c.resident_kib += pages * 4;
        }
        mem_free(text);
    }
    c.spaces = count_spaces();
    c.mounts = count_lines(getpid(), "mountinfo");
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        c.folders += count_entries(places[i], "torno-", sizeof "torno-XXXXXX" - 1);
    }
    return c;
}

static bool is_as_before(const struct count *now, const struct count *before)
{
    return now->descriptors == before->descriptors && now->spaces == before->spaces &&
           now->mounts == before->mounts && now->folders <= before->folders;
}

/* The host at rest: all its ready cells are there, and nothing else but the warden; what it may
 * still be closing, or another zygote's start, gets some time. */
static struct count count_at_rest(struct one *one, long processes, const struct count *before)
{
    struct count c = count_all();
    int same = 0; /* looks in a row that found the same */

    for (int64_t end = clock_now_ms() + 5000; clock_now_ms() < end && same < STILL;) {
        struct count last = c;
        bool is_good;

        uv_run(&one->loop, UV_RUN_NOWAIT);
        c = count_all();
        is_good = c.processes == processes && c.locked == READY && c.zombies == 0 &&
                  is_as_before(&c, before == NULL ? &last : before);
        same = is_good ? same + 1 : 0;
        poll(NULL, 0, 5);
    }
    return c;
}

static void run_many(struct one *one, long n)
{
    for (long i = 0; i < n; i++) {
        int r = one_run(one, script);

        if (r != 0 || one->kind != ENDING_FINISHED || strcmp(one->value, "1") != 0) {
            fprintf(stderr, "cell %ld: %d %s %s\n", i, r, ending_name(one->kind), one->message);
            T_FAIL("a cell did not run to its end");
            return;
        }
    }
}

static void show(char tier, long n, const struct count *a, const struct count *b)
{
    printf("leaks: tier %c, %ld cells: processes %ld/%ld, zombies %ld/%ld, descriptors %ld/%ld, "
           "namespaces %ld/%ld, mounts %ld/%ld, mappings %ld/%ld, folders %ld/%ld, "
           "resident %ld/%ld KiB\n",
           tier, n, a->processes, b->processes, a->zombies, b->zombies, a->descriptors,
           b->descriptors, a->spaces, b->spaces, a->mounts, b->mounts, a->mappings, b->mappings,
           a->folders, b->folders, a->resident_kib, b->resident_kib);
}

static void test_leaks(char tier, long n)
{
    long processes = READY + (tier == 'A' ? 4 : 3); /* this, (monitor,) init, zygote, cells */
    struct count before;
    struct count after;
    struct one one;

    T_EQ(one_init(&one), 0);
    T_EQ(one_open(&one, one_warden(), tier, READY), 0);
    run_many(&one, WARM_UP);
    before = count_at_rest(&one, processes, NULL);
    run_many(&one, n);
    after = count_at_rest(&one, processes, &before);
    show(tier, n, &before, &after);
    T_EQ(before.processes, processes);
    T_EQ(after.processes, before.processes);
    T_EQ(after.zombies, 0);
    T_EQ(after.descriptors, before.descriptors);
    T_EQ(after.spaces, before.spaces);
    T_EQ(after.mounts, before.mounts);
    T_OK(after.folders <= before.folders);       /* other wardens of this machine make some, too */
#ifndef __SANITIZE_ADDRESS__                     /* which keeps what was freed */
    T_OK(after.mappings <= before.mappings + 2); /* the C library's heap may have moved once */
    T_OK(after.resident_kib <= before.resident_kib + GROWTH_KIB);
#endif
    one_close(&one);
    n_tree = 0;
    tree[n_tree++] = getpid();
    T_OK(!add_children(&after.zombies)); /* not one child, not one zombie */
}

static long cells = CELLS;

static void test_user_tiers(void)
{
    test_leaks('A', cells / 4);
    test_leaks('C', cells / 4);
}

int main(void)
{
    const char *soak = getenv("SOAK");

    if (soak != NULL) {
        sscanf(soak, "%ld", &cells);
    }
    T_EQ(one_copy_warden(), 0);
    if (geteuid() == 0) {
        test_leaks('A', cells);
        test_leaks('B', cells / 4);
        test_leaks('C', cells / 4);
        found_as_user(test_user_tiers);
    } else {
        test_user_tiers();
    }
    T_EQ(one_drop_warden(), 0);
    return T_DONE("leaks");
}
