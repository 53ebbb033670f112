/* SPDX-License-Identifier: MIT
 *
 * What `torno doctor` makes of a probe's lines on machines that are not at hand: the verdict, the
 * cause and the advice, by errno and by what could be read.
 */
#include "base/mem.h"
#include "cli/findings.h"
#include "t.h"

#include <stdio.h>

/* A probe that told these lines. */
static struct probe probe_of(const char *const *lines, size_t n)
{
    struct probe probe = {0};

    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(lines[i], '=');

        probe.names[i] = bytes_of(lines[i], (size_t)(equals - lines[i]));
        probe.values[i] = bytes_str(equals + 1);
        probe.n++;
    }
    return probe;
}

static struct finding find(const struct probe *probe, const struct facts *facts, const char *name)
{
    static struct finding all[FINDINGS_MAX];
    size_t n = findings_judge(probe, facts, all);

    for (size_t i = 0; i < n; i++) {
        if (strcmp(all[i].name, name) == 0) {
            return all[i];
        }
    }
    return (struct finding){.name = "", .cause = "", .advice = ""};
}

static struct facts machine(void)
{
    return (struct facts){.user = 1000,
                          .max_user_namespaces = 10000,
                          .unprivileged_userns_clone = FACT_UNKNOWN,
                          .apparmor_restrict = FACT_UNKNOWN};
}

/* One line, alone: its finding on a machine. */
static struct finding judge(const char *line, const struct facts *facts)
{
    struct probe probe = probe_of(&line, 1);
    char name[32];

    snprintf(name, sizeof name, "%.*s", (int)probe.names[0].len, (const char *)probe.names[0].ptr);
    return find(&probe, facts, name);
}

#define SAYS(finding, of, text) T_OK(strstr((finding).of, text) != NULL)

static void test_userns(void)
{
    struct facts f = machine();
    struct finding one;

    f.max_user_namespaces = 0;
    one = judge("userns=no ENOSPC", &f);
    T_EQ(one.verdict, VERDICT_WEAK);
    SAYS(one, cause, "user.max_user_namespaces is 0");
    SAYS(one, advice, "sysctl -w user.max_user_namespaces=");
    SAYS(one, advice, "tier B as root, tier C as another user");
    f = machine();
    SAYS(judge("userns=no ENOSPC", &f), cause, "nested more than 32 deep");
    f.unprivileged_userns_clone = 0;
    SAYS(judge("userns=no EPERM", &f), advice, "kernel.unprivileged_userns_clone=1");
    f.user = 0; /* that setting binds root not */
    T_OK(strstr(judge("userns=no EPERM", &f).advice, "userns_clone") == NULL);
    f = machine();
    SAYS(judge("userns=no EPERM", &f), cause, "chroot");
    f.seccomp = 2;
    SAYS(judge("userns=no EPERM", &f), cause, "a filter around torno");
    SAYS(judge("userns=no EINVAL", &f), advice, "CONFIG_USER_NS");
}

static void test_containers(void)
{
    static const struct {
        const char *container;
        const char *advice;
    } rows[] = {{"docker", "docker run --security-opt seccomp=unconfined"},
                {"podman", "podman run --security-opt seccomp=unconfined"},
                {"kubernetes", "seccompProfile"}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct facts f = machine();

        snprintf(f.container, sizeof f.container, "%s", rows[i].container);
        f.seccomp = 2;
        SAYS(judge("userns=no EPERM", &f), advice, rows[i].advice);
        SAYS(judge("namespaces=no EPERM", &f), advice, rows[i].advice);
        SAYS(judge("mounts=no EPERM", &f), advice, rows[i].advice);
    }
}

/* Ubuntu: the namespace is made, and its maps or mounts are refused. */
static void test_apparmor(void)
{
    struct facts f = machine();

    f.apparmor_restrict = 1;
    SAYS(judge("maps=no EPERM", &f), advice, "kernel.apparmor_restrict_unprivileged_userns=0");
    SAYS(judge("maps=no EACCES", &f), cause, "AppArmor");
    SAYS(judge("mounts=no EACCES", &f), advice, "kernel.apparmor_restrict_unprivileged_userns=0");
    f.user = 0;
    SAYS(judge("maps=no EPERM", &f), cause, "root does not have the ids");
    SAYS(judge("maps=no ENOENT", &f), advice, "mount -t proc");
}

static void test_walls(void)
{
    struct facts f = machine();

    T_EQ(judge("seccomp=no EINVAL", &f).verdict, VERDICT_BAD);
    SAYS(judge("seccomp=no EINVAL", &f), advice, "CONFIG_SECCOMP_FILTER");
    T_EQ(judge("filter=no ENOTSUP", &f).verdict, VERDICT_BAD);
    SAYS(judge("landlock=no ENOSYS", &f), cause, "built without it");
    SAYS(judge("landlock=no EOPNOTSUPP", &f), advice, "lsm=");
    SAYS(judge("landlock=no EPERM", &f), cause, "a filter around torno");
    T_EQ(judge("landlock=yes 7", &f).verdict, VERDICT_OK);
    T_EQ(judge("mdwe=no EINVAL", &f).verdict, VERDICT_WEAK);
    T_EQ(judge("clock=no SIGSYS", &f).verdict, VERDICT_INFO);
    T_EQ(judge("namespaces=yes fewer", &f).verdict, VERDICT_WEAK);
    T_EQ(judge("mounts=untried", &f).verdict, VERDICT_UNTRIED);
    snprintf(f.machine, sizeof f.machine, "wsl1");
    SAYS(judge("seccomp=no ENOSYS", &f), advice, "WSL 2");
    snprintf(f.machine, sizeof f.machine, "gvisor");
    SAYS(judge("userns=no EPERM", &f), cause, "gVisor");
}

/* Tier B's needs count only where tier A is out of reach. */
static void test_chroot(void)
{
    static const char *const with_a[] = {"chroot=no EPERM", "pidns=yes"};
    static const char *const without[] = {"chroot=no EPERM", "pidns=untried"};
    struct facts f = machine();
    struct probe probe = probe_of(with_a, 2);

    T_EQ(find(&probe, &f, "chroot").verdict, VERDICT_INFO);
    probe = probe_of(without, 2);
    T_EQ(find(&probe, &f, "chroot").verdict, VERDICT_WEAK);
    SAYS(find(&probe, &f, "chroot"), advice, "CAP_SYS_CHROOT");
}

/* Whatever the errno, a "no" has a cause, and what is weak or bad has advice. */
static void test_all(void)
{
    static const char *const errors[] = {"EPERM", "EACCES", "ENOSYS", "EBUSY", "SIGSYS", "?", ""};
    struct facts f = machine();
    struct finding all[FINDINGS_MAX];
    struct probe none = {0};
    size_t n = findings_judge(&none, &f, all);

    T_OK(n > 10);
    for (size_t i = 0; i < n; i++) {
        T_EQ(all[i].verdict, VERDICT_UNTRIED); /* a probe that told nothing */
        for (size_t e = 0; e < ARRAY_SIZE(errors); e++) {
            char line[64];
            struct finding one;

            snprintf(line, sizeof line, "%s=no %s", all[i].name, errors[e]);
            one = judge(line, &f);
            T_OK(one.cause[0] != '\0');
            T_OK(one.advice[0] != '\0' || one.verdict == VERDICT_INFO);
        }
    }
}

int main(void)
{
    test_userns();
    test_containers();
    test_apparmor();
    test_walls();
    test_chroot();
    test_all();
    return T_DONE("doctor");
}
