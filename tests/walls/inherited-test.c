/* SPDX-License-Identifier: MIT
 *
 * A host that was started in a hostile state: ignored signals, a blocked mask, low limits, two
 * hundred open descriptors, an environment that loads and tunes, closed 0 to 2, a deleted folder,
 * a strange mask and priority, a root without /dev/null or /proc. Each row, as root and as an
 * ordinary user: the host of src/host runs a script with a call, or refuses with the sentence that
 * the row names, and what /proc says of the cell and of every process of the warden shows nothing
 * of that state. Then the command runs a script in the same state.
 *
 * Each row lives in a child; what it finds comes back through shared memory, since it may have no
 * descriptor to write to.
 */
#include "found.h"
#include "look.h"
#include "one-host.h"

#include "unit/t.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

enum { BAITS = 200, UNHEARD = -1, NOT_THERE = 200 };

static char folder[64]; /* of this program's files */
static char script_path[96];
static char torno_path[4096];
static char warden_copy[96];

/* ---- the states ---- */

static void ignore_signals(void)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};

    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &ignored, NULL);
    }
}

static void block_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

static void lower_soft(int resource, rlim_t soft)
{
    struct rlimit now;

    getrlimit((__rlimit_resource_t)resource, &now);
    now.rlim_cur = soft;
    setrlimit((__rlimit_resource_t)resource, &now);
}

static void lower_limits(void)
{
    lower_soft(RLIMIT_NOFILE, 64);
    lower_soft(RLIMIT_STACK, 512UL * 1024);
    lower_soft(RLIMIT_CORE, 0);
    lower_soft(RLIMIT_MEMLOCK, 0);
    lower_soft(RLIMIT_SIGPENDING, 0);
    lower_soft(RLIMIT_MSGQUEUE, 0);
    lower_soft(RLIMIT_CPU, 60);
}

static void allow_no_file(void)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_FSIZE, &none);
}

static void open_many(void)
{
    int pair[2];
    int dir = open("/etc", O_RDONLY | O_DIRECTORY); /* on purpose inheritable, all of them */
    int file = memfd_create("walls-bait", 0);

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        fault("no sockets\n");
    }
    for (int i = 0; i < BAITS; i++) {
        int from = i % 3 == 0 ? dir : i % 3 == 1 ? file : pair[0];

        if (fcntl(from, F_DUPFD, 20) < 0) {
            fault("no descriptor\n");
        }
    }
}

static void set_environment(void)
{
#ifndef __SANITIZE_ADDRESS__ /* which must be loaded first */
    setenv("LD_PRELOAD", "libm.so.6", 1);
#endif
    setenv("LD_LIBRARY_PATH", "/tmp", 1);
    setenv("LD_BIND_NOW", "1", 1);
    setenv("GLIBC_TUNABLES", "glibc.malloc.check=3:glibc.malloc.perturb=165", 1);
    setenv("MALLOC_PERTURB_", "165", 1);
    setenv("MALLOC_ARENA_MAX", "1", 1);
    setenv("TORNO_WITHOUT", "seccomp,landlock", 1);
    setenv("TMPDIR", "/nowhere", 1);
    setenv("LC_ALL", "xx_XX.nothing", 1);
    setenv("PATH", "", 1);
}

static void close_standard(void)
{
    close(0);
    close(1);
    close(2);
}

static void delete_folder(void)
{
    char path[96];

    snprintf(path, sizeof path, "%s/gone-%d", folder, (int)getpid());
    if (mkdir(path, 0700) != 0 || chdir(path) != 0 || rmdir(path) != 0) {
        fault("no folder to lose\n");
    }
}

static void mask_all(void)
{
    umask(0777);
}

static void be_nice(void)
{
    setpriority(PRIO_PROCESS, 0, 19);
}

static void set_timers(void)
{
    struct itimerval often = {.it_interval = {0, 20000}, .it_value = {0, 20000}};

    sigaction(SIGALRM, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void all_at_once(void)
{
    ignore_signals();
    block_signals();
    open_many();
    set_environment();
    delete_folder();
    mask_all();
    be_nice();
    set_timers();
    close_standard();
}

static void change_root(const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (chroot(path) != 0 || chdir("/") != 0) {
        fault("no chroot\n");
    }
}

static void lose_everything(void)
{
    change_root("bare");
}

static void forge_null(void)
{
    change_root("file");
}

static void lose_proc(void)
{
    change_root("null");
}

static const struct row {
    const char *name;
    void (*set)(void);
    bool is_chroot;      /* of root alone; no /proc to look at, no command */
    int status;          /* the command's; UNHEARD: any that is no crash */
    const char *refusal; /* NULL: it works; else a part of the sentence */
} rows[] = {
    {"all signals ignored", ignore_signals, false, 0, NULL},
    {"all signals blocked", block_signals, false, 0, NULL},
    {"low soft limits", lower_limits, false, 0, NULL},
    {"no file may grow", allow_no_file, false, 3, "File too large"},
    {"200 descriptors", open_many, false, 0, NULL},
    {"a hostile environment", set_environment, false, 0, NULL},
    {"0, 1 and 2 closed", close_standard, false, UNHEARD, NULL},
    {"a deleted folder", delete_folder, false, 0, NULL},
    {"umask 0777", mask_all, false, 0, NULL},
    {"nice 19", be_nice, false, 0, NULL},
    {"a timer that runs", set_timers, false, 0, NULL},
    {"all at once", all_at_once, false, UNHEARD, NULL},
    {"a root without /dev/null", lose_everything, true, 0, "/dev/null"},
    {"a root whose /dev/null is a file", forge_null, true, 0, "null device"},
    {"a root without /proc", lose_proc, true, 0, "/proc is not mounted"},
};

/* ---- what the cell has of it ---- */

static void wants_line(pid_t pid, const char *file, const char *name, const char *want)
{
    const char *have = look_line(pid, file, name);

    if (strncmp(have, want, strlen(want)) != 0) {
        fault("  %s \"%s\", not \"%s\"\n", name, have, want);
    }
}

static void look_at_files(pid_t pid)
{
    static const char *const links[] = {"/dev/null", "/dev/null", "/dev/null", "socket:"};
    char path[64];
    char to[256];

    for (int fd = 0; fd < 1024; fd++) {
        memset(to, 0, sizeof to);
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
        if (readlink(path, to, sizeof to - 1) > 0 &&
            (fd >= (int)ARRAY_SIZE(links) || strncmp(to, links[fd], strlen(links[fd])) != 0)) {
            fault("  a cell's descriptor %d is %s\n", fd, to);
        }
    }
}

/* Empty for every process of the warden's: its memory is where a cell could look for it. */
static void look_at_environment(pid_t pid)
{
    char path[64];
    char *text = NULL;
    size_t len = 0;

    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    if (fd_read_file(path, 65536, &text, &len) == 0 && len > 0) {
        fault("  an environment: %s\n", text);
    }
    mem_free(text);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    if (fd_read_file(path, 1 << 22, &text, &len) == 0) {
        if (strstr(text, ".so") != NULL) {
            fault("  a library is loaded\n");
        }
        mem_free(text);
    }
}

/* No bait in any process of the warden's. */
static void look_for_baits(pid_t pid)
{
    for (int fd = 0; fd < 1024; fd++) {
        char path[64];
        char to[256] = "";

        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
        if (readlink(path, to, sizeof to - 1) > 0 &&
            (strcmp(to, "/etc") == 0 || strstr(to, "walls-bait") != NULL)) {
            fault("  descriptor %d of the warden's is %s\n", fd, to);
        }
    }
}

static void look_at_roots(pid_t pid)
{
    static const char *const names[] = {"cwd", "root"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char path[64];
        char to[256] = "";

        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, names[i]);
        if (readlink(path, to, sizeof to - 1) > 0 && strcmp(to, "/") != 0 &&
            (strstr(to, "/torno-") == NULL || strstr(to, "(deleted)") == NULL)) {
            fault("  %s is %s\n", names[i], to);
        }
    }
}

static void look_at_cell(pid_t pid)
{
    unsigned long long ignored = 0;

    found->seen++;
    wants_line(pid, "status", "SigBlk:", "0000000000000000");
    sscanf(look_line(pid, "status", "SigIgn:"), "%llx", &ignored);
    if ((ignored & ~(1ULL << (SIGPIPE - 1) | 1ULL << (SIGXFSZ - 1))) != 0) {
        fault("  ignores %llx\n", ignored);
    }
    wants_line(pid, "status", "Umask:", "0077");
    wants_line(pid, "status", "NoNewPrivs:", "1");
    wants_line(pid, "status", "CapEff:", "0000000000000000");
    wants_line(pid, "limits", "Max core file size", "0 ");
    wants_line(pid, "limits", "Max processes", "0 ");
    look_at_files(pid);
    look_at_roots(pid);
}

/* During a call: this process's only child is the warden, whose session holds all that it has. */
static void look_around(void *arg)
{
    pid_t wardens[LOOK_MAX];
    pid_t pids[LOOK_MAX];
    size_t n;

    (void)arg;
    if (look_for(0, getpid(), wardens) != 1) {
        fault("  it has not one child\n");
        return;
    }
    n = look_for(wardens[0], 0, pids);
    for (size_t i = 0; i < n; i++) {
        look_at_environment(pids[i]);
        look_for_baits(pids[i]);
        if (look_is_cell(pids[i])) {
            look_at_cell(pids[i]);
        }
    }
}

/* ---- the host, and the command ---- */

static char max_tier; /* of the hosts; 0: the best there is */

static void live_as_host(const void *arg)
{
    const struct row *row = arg;
    struct one one;
    char warden[4096];
    int r;

    snprintf(warden, sizeof warden, "%s", row->is_chroot ? "/torno-warden" : one_warden());
    r = one_init(&one);
    row->set();
    r = r != 0 ? r : one_open(&one, warden, max_tier, 1);
    one.on_call = row->is_chroot ? NULL : look_around;
    if (r == 0) {
        r = one_run(&one, "return (await tools.t({})).text");
    }
    if (row->refusal != NULL) {
        if ((r == 0 && one.kind != ENDING_CRASHED) || strstr(one.message, row->refusal) == NULL) {
            fault("  no refusal: %d %s\n", r, one.message);
        }
    } else if (r != 0 || one.kind != ENDING_FINISHED || strcmp(one.value, "\"answer\"") != 0) {
        fault("  %d %s: %s\n", r, ending_name(one.kind), one.message);
    }
    one_close(&one);
    _exit(0);
}

static void live_as_command(const void *arg)
{
    const struct row *row = arg;
    char *const argv[] = {torno_path, (char *)(uintptr_t) "run", script_path, NULL};
    char path[128];
    int out;

    snprintf(path, sizeof path, "%s/out", folder);
    out = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    dup2(out, 1);
    row->set();
    execv(torno_path, argv);
    _exit(NOT_THERE);
}

static void test_command(const struct row *row)
{
    int status = found_in_child(live_as_command, row);
    char path[128];
    char *text = NULL;
    size_t len;

    snprintf(path, sizeof path, "%s/out", folder);
    if (row->status != 0) {
        T_OK(status == row->status || (row->status == UNHEARD && status < 3));
    } else {
        T_EQ(status, 0);
        T_EQ(fd_read_file(path, 4096, &text, &len), 0);
        T_STR(text, "42\n");
        mem_free(text);
    }
    unlink(path);
}

static void test_row(const struct row *row)
{
    int failures = t_failures;
    int status;

    if (row->is_chroot && geteuid() != 0) {
        return;
    }
    status = found_in_child(live_as_host, row);
    T_EQ(status, 0);
    T_EQ(found->faults, 0);
    T_OK(row->refusal != NULL || found->seen > 0);
    if (t_failures != failures) {
        found_show(row->name);
        failures = t_failures;
    }
    if (!row->is_chroot && max_tier == 0) {
        test_command(row);
    }
    if (t_failures != failures) {
        fprintf(stderr, "  the command: %s\n", row->name);
    }
}

/* ---- files ---- */

static void copy_file(const char *from, const char *to)
{
    char *bytes = NULL;
    size_t len = 0;
    int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

    T_EQ(fd_read_file(from, 64 * WIRE_MIB, &bytes, &len), 0);
    T_EQ(fd_write_all(fd, bytes_of(bytes, len)), 0);
    close(fd);
    mem_free(bytes);
}

static void make_files(void)
{
    static const char *const roots[] = {"bare", "null", "file"};
    const char *bin = getenv("BIN");
    char path[128];

    umask(0);
    snprintf(folder, sizeof folder, "/tmp/walls-inherited-%d", (int)getpid());
    snprintf(script_path, sizeof script_path, "%s/script.js", folder);
    snprintf(torno_path, sizeof torno_path, "%s/torno", folder);
    snprintf(warden_copy, sizeof warden_copy, "%s/torno-warden", folder);
    T_EQ(mkdir(folder, 0777), 0);
    T_EQ(fd_write_all(open(script_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644),
                      bytes_str("return 42\n")),
         0);
    snprintf(path, sizeof path, "%s/torno", bin != NULL ? bin : "build");
    copy_file(path, torno_path);
    copy_file(one_warden(), warden_copy);
    for (size_t i = 0; i < ARRAY_SIZE(roots) && geteuid() == 0; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, roots[i]);
        T_EQ(mkdir(path, 0755), 0);
        snprintf(path, sizeof path, "%s/%s/torno-warden", folder, roots[i]);
        copy_file(one_warden(), path);
    }
    if (geteuid() == 0) {
        snprintf(path, sizeof path, "%s/null/dev", folder);
        T_EQ(mkdir(path, 0755), 0);
        snprintf(path, sizeof path, "%s/null/dev/null", folder);
        T_EQ(mknod(path, S_IFCHR | 0666, makedev(1, 3)), 0);
        snprintf(path, sizeof path, "%s/file/dev", folder);
        T_EQ(mkdir(path, 0755), 0);
        snprintf(path, sizeof path, "%s/file/dev/null", folder);
        T_EQ(mknod(path, S_IFREG | 0666, 0), 0);
    }
    setenv("BIN", folder, 1); /* an ordinary user may not reach the build's folder */
}

static void remove_files(void)
{
    static const char *const names[] = {
        "file/dev/null",     "file/dev", "file/torno-warden", "file", "null/dev/null", "null/dev",
        "null/torno-warden", "null",     "bare/torno-warden", "bare", "torno-warden",  "torno",
        "script.js",         ""};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char path[128];

        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    T_OK(access(folder, F_OK) != 0);
}

static void test_all(void)
{
    static const char tiers[] = {0, 'C'}; /* in C nothing is made new by namespaces */

    for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(tiers); i++) {
        max_tier = tiers[i % ARRAY_SIZE(tiers)];
        test_row(&rows[i / ARRAY_SIZE(tiers)]);
    }
}

int main(void)
{
    found_init();
    make_files();
    test_all();
    if (geteuid() == 0) {
        found_as_user(test_all);
    }
    remove_files();
    return T_DONE("inherited");
}
