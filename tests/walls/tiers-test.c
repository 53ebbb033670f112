/* SPDX-License-Identifier: MIT
 *
 * The environments that a host may find itself in, emulated: a container's filter and capabilities
 * as root and as a user, a user namespace that allows no further one, kernels without Landlock,
 * without seccomp, without newer calls. In each: the tier that is meant for it, with its cause
 * told; a script with a call runs to its end, and every escape of wire/attempts.tbl.h ends as it
 * must; or all is refused with a sentence that names the wall.
 */
#include "found.h"
#include "one-host.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* ---- emulations ---- */

static void deny(scmp_filter_ctx filter, const char *call, int error)
{
    int number = seccomp_syscall_resolve_name(call);

    if (seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), number, 0) != 0) {
        fault("  %s cannot be denied\n", call);
    }
}

/* clone with namespaces; clone3 keeps its flags behind a pointer, and so goes whole. */
static void deny_namespaces(scmp_filter_ctx filter, int error)
{
    static const uint64_t flags[] = {CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS, CLONE_NEWNET};

    deny(filter, "clone3", ENOSYS);
    deny(filter, "unshare", error);
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        struct scmp_arg_cmp has = SCMP_A0(SCMP_CMP_MASKED_EQ, flags[i], flags[i]);

        seccomp_rule_add_array(filter, SCMP_ACT_ERRNO((unsigned)error), SCMP_SYS(clone), 1, &has);
    }
}

static scmp_filter_ctx begin_filter(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

    if (geteuid() == 0) {
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
    }
    return filter;
}

static void load(scmp_filter_ctx filter)
{
    if (seccomp_load(filter) != 0) {
        fault("  the filter of the emulation is not up\n");
    }
    seccomp_release(filter);
}

/* What a container's usual profile denies. */
static void set_container_filter(void)
{
    static const char *const calls[] = {
        "mount",     "umount2", "pivot_root", "setns", "fsopen", "fsmount",        "move_mount",
        "open_tree", "keyctl",  "add_key",    "bpf",   "ptrace", "perf_event_open"};
    scmp_filter_ctx filter = begin_filter();

    deny_namespaces(filter, EPERM);
    for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
        deny(filter, calls[i], EPERM);
    }
    load(filter);
}

static void keep_caps(uint64_t mask)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
        {.effective = (uint32_t)mask, .permitted = (uint32_t)mask, .inheritable = 0}};

    for (int cap = 0; cap <= CAP_LAST_CAP; cap++) {
        if ((mask >> cap & 1) == 0) {
            prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
        }
    }
    if (syscall(SYS_capset, &header, data) != 0) {
        fault("  capabilities cannot be cut\n");
    }
}

#define CAP(name) (1ULL << CAP_##name)
#define CONTAINER_CAPS                                                                             \
    (CAP(CHOWN) | CAP(DAC_OVERRIDE) | CAP(FSETID) | CAP(FOWNER) | CAP(MKNOD) | CAP(NET_RAW) |      \
     CAP(SETGID) | CAP(SETUID) | CAP(SETFCAP) | CAP(SETPCAP) | CAP(NET_BIND_SERVICE) |             \
     CAP(SYS_CHROOT) | CAP(KILL) | CAP(AUDIT_WRITE))

static void be_in_container(void)
{
    set_container_filter();
    if (geteuid() == 0) {
        keep_caps(CONTAINER_CAPS);
    }
}

static void be_in_container_without_caps(void)
{
    set_container_filter();
    keep_caps(0);
}

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
        fault("  %s: %s\n", path, strerror(errno));
    }
    close(fd);
}

/* Root of a user namespace with 65,536 ids in which user.max_user_namespaces is 0. */
static void be_in_last_namespace(void)
{
    int go[2];
    char path[64];
    char c;
    int status;
    pid_t self = getpid();
    pid_t mapper;

    if (pipe(go) != 0) {
        return;
    }
    mapper = fork();
    if (mapper == 0) {
        (void)!read(go[0], &c, 1);
        snprintf(path, sizeof path, "/proc/%d/uid_map", (int)self);
        write_text(path, "0 0 65536\n");
        snprintf(path, sizeof path, "/proc/%d/gid_map", (int)self);
        write_text(path, "0 0 65536\n");
        _exit(0);
    }
    if (unshare(CLONE_NEWUSER) != 0) {
        fault("  no user namespace\n");
    }
    (void)!write(go[1], "x", 1);
    waitpid(mapper, &status, 0);
    close(go[0]);
    close(go[1]);
    write_text("/proc/sys/user/max_user_namespaces", "0\n");
}

static void be_user_in_last_namespace(void)
{
    be_in_last_namespace();
    found_become_user();
}

static void deny_one(const char *call, int error)
{
    scmp_filter_ctx filter = begin_filter();

    deny(filter, call, error);
    load(filter);
}

static void be_without_user_namespaces(void)
{
    scmp_filter_ctx filter = begin_filter();

    deny_namespaces(filter, ENOSPC);
    load(filter);
}

static void be_without_landlock(void)
{
    deny_one("landlock_create_ruleset", ENOSYS);
}

static void be_with_landlock_off(void)
{
    deny_one("landlock_create_ruleset", EOPNOTSUPP);
}

static void be_without_clone3(void)
{
    deny_one("clone3", ENOSYS);
}

static void be_without_close_range(void)
{
    deny_one("close_range", ENOSYS);
}

/* From then on no process below can add a filter, by either call. */
static void lose_seccomp(int error)
{
    scmp_filter_ctx filter = begin_filter();
    struct scmp_arg_cmp sets = SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP, 0);

    deny(filter, "seccomp", error);
    seccomp_rule_add_array(filter, SCMP_ACT_ERRNO((unsigned)error), SCMP_SYS(prctl), 1, &sets);
    load(filter);
}

static void be_without_seccomp(void)
{
    lose_seccomp(ENOSYS);
}

static void be_with_seccomp_refused(void)
{
    lose_seccomp(EINVAL);
}

static void change_nothing(void)
{
}

/* ---- the rows ---- */

static const struct row {
    const char *name;
    void (*set)(void);
    char root;         /* the tier as root, 0: not run */
    char user;         /* as an ordinary user, 0: not run */
    const char *cause; /* a part of what is told, in the walls or in the refusal; "": nothing */
} rows[] = {
    {"this machine", change_nothing, 'A', 'A', ""},
    {"a container", be_in_container, 'B', 'C', "may not make namespaces"},
    {"a container without capabilities", be_in_container_without_caps, 'C', 0, "CAP_SETUID"},
    {"no further user namespace", be_in_last_namespace, 'B', 0, "max_user_namespaces"},
    {"the same, a user in it", be_user_in_last_namespace, 'C', 0, "max_user_namespaces"},
    {"no user namespaces", be_without_user_namespaces, 'B', 'C', "max_user_namespaces"},
    {"no Landlock", be_without_landlock, 'A', 'A', "no Landlock"},
    {"Landlock off at boot", be_with_landlock_off, 'A', 'A', "no Landlock"},
    {"no clone3", be_without_clone3, 'A', 'A', ""},
    {"no close_range", be_without_close_range, 'A', 'A', ""},
    {"no seccomp", be_without_seccomp, '-', '-', "system-call filter"},
    {"seccomp refused", be_with_seccomp_refused, '-', '-', "system-call filter"},
};

static char tier_of(const struct row *row)
{
    return geteuid() == 0 ? row->root : row->user;
}

static void check_script(struct one *one, const struct row *row, char tier)
{
    char want[16];
    int r = one_run(one, "return (await tools.t({})).text");

    snprintf(want, sizeof want, "tier %c", tier);
    found->seen++;
    if (tier == '-') {
        if ((r == 0 && one->kind != ENDING_CRASHED) || strstr(one->message, row->cause) == NULL) {
            fault("  no refusal: %d %s: %s\n", r, ending_name(one->kind), one->message);
        }
        return;
    }
    if (r != 0 || one->kind != ENDING_FINISHED || strcmp(one->value, "\"answer\"") != 0) {
        fault("  %d %s: %s\n", r, ending_name(one->kind), one->message);
    }
    if (strncmp(host_walls(one->host), want, strlen(want)) != 0 ||
        (row->cause[0] == '\0' ? strlen(host_walls(one->host)) != strlen(want)
                               : strstr(host_walls(one->host), row->cause) == NULL)) {
        fault("  the walls: %s\n", host_walls(one->host));
    }
}

static const struct attempt {
    const char *name;
    const char *wants;
} attempts[] = {
#define ATTEMPT(name, wants, wall, sentence) {#name, wants},
#include "wire/attempts.tbl.h"
#undef ATTEMPT
};

/* Whether have is one of the words. */
static bool is_word_of(const char *words, const char *have)
{
    size_t len = strlen(have);

    for (const char *at = words; len > 0 && (at = strstr(at, have)) != NULL; at += len) {
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0')) {
            return true;
        }
    }
    return false;
}

static void check_attempt(struct one *one, const struct attempt *a)
{
    char have[64];
    int r = one_run(one, a->name);

    if (WIFSIGNALED(one->exit_status)) {
        snprintf(have, sizeof have, "SIG%s", sigabbrev_np(WTERMSIG(one->exit_status)));
    } else {
        snprintf(have, sizeof have, "%.*s", (int)strcspn(one->value + 1, "\""), one->value + 1);
    }
    found->seen++;
    if (r != 0 || !is_word_of(a->wants, have)) {
        fault("  %s: %d %s, not %s: %s\n", a->name, r, have, a->wants, one->message);
    }
}

static void live(const void *arg)
{
    const struct row *row = arg;
    char tier = tier_of(row);
    struct one one;

    row->set();
    if (one_init(&one) != 0 || one_open(&one, one_warden(), '\0', 1) != 0) {
        fault("  no host: %s\n", one.message);
        _exit(0);
    }
    check_script(&one, row, tier);
    one_close(&one);
    if (tier == '-') {
        _exit(0);
    }
    one_init(&one);
    one.is_for_attempts = true;
    if (one_open(&one, one_warden(), '\0', 4) != 0) {
        fault("  no host for attempts: %s\n", one.message);
        _exit(0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
        if (attempts[i].wants[0] != '\0') {
            check_attempt(&one, &attempts[i]);
        }
    }
    one_close(&one);
    _exit(0);
}

static void test_all(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int failures = t_failures;

        if (tier_of(&rows[i]) == 0) {
            continue;
        }
        T_EQ(found_in_child(live, &rows[i]), 0);
        T_EQ(found->faults, 0);
        T_OK(found->seen >= (tier_of(&rows[i]) == '-' ? 1 : ARRAY_SIZE(attempts) / 2));
        if (t_failures != failures) {
            found_show(rows[i].name);
        }
    }
}

int main(void)
{
    found_init();
    T_EQ(one_copy_warden(), 0);
    test_all();
    if (geteuid() == 0) {
        found_as_user(test_all);
    }
    T_EQ(one_drop_warden(), 0);
    return T_DONE("tiers");
}
