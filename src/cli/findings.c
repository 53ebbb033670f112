/* SPDX-License-Identifier: MIT
 *
 * Two tables. The first says what each line of the probe is for; the second what a "no" comes
 * from and what to change: of the rows with the probe's name, and with its errno or none, the
 * first whose condition holds on this machine tells.
 */
#include "cli/findings.h"

#include "base/mem.h"

enum need {
    NEED_ALWAYS,  /* without it no script can run */
    NEED_BETTER,  /* without it there is one wall less */
    NEED_TIER_A,  /* without it there is tier B or C */
    NEED_TIER_B,  /* as root where tier A is not there */
    NEED_NOTHING, /* it makes torno faster or no more than that */
};

struct subject {
    const char *name;
    enum need need;
    const char *sentence;
};

static const struct subject subjects[] = {
    {"seccomp", NEED_ALWAYS, "a process can refuse system calls to itself"},
    {"filter", NEED_ALWAYS, "a script's process is killed at any system call but seven"},
    {"landlock", NEED_BETTER, "the kernel closes every file to a script"},
    {"userns", NEED_TIER_A, "a process can have users of its own"},
    {"namespaces", NEED_TIER_A, "a script has users, processes, mounts and network of its own"},
    {"maps", NEED_TIER_A, "user ids can be mapped into them"},
    {"ids", NEED_TIER_A, "their root can be taken"},
    {"mounts", NEED_TIER_A, "a script sees an empty folder and no other file system"},
    {"pidns", NEED_TIER_A, "all of a run's processes end with its first one"},
    {"chroot", NEED_TIER_B, "root can lock a script into an empty folder, as a user of its own"},
    {"mdwe", NEED_BETTER, "memory that was written can never be run"},
    {"thp", NEED_NOTHING, "huge pages can be switched off for scripts"},
    {"pidfd", NEED_ALWAYS, "the end of a process can be waited for"},
    {"close_range", NEED_NOTHING, "what a script's process inherits is closed at once"},
    {"clock", NEED_NOTHING, "the time is read without a system call"},
};

static bool is_switched_off(const struct facts *f)
{
    return f->max_user_namespaces == 0;
}

static bool is_debian_off(const struct facts *f)
{
    return f->unprivileged_userns_clone == 0 && f->user != 0;
}

static bool is_apparmor_on(const struct facts *f)
{
    return f->apparmor_restrict > 0 && f->user != 0;
}

static bool is_docker(const struct facts *f)
{
    return strcmp(f->container, "docker") == 0;
}

static bool is_podman(const struct facts *f)
{
    return strcmp(f->container, "podman") == 0;
}

static bool is_kubernetes(const struct facts *f)
{
    return strcmp(f->container, "kubernetes") == 0;
}

static bool is_gvisor(const struct facts *f)
{
    return strcmp(f->machine, "gvisor") == 0;
}

static bool is_wsl1(const struct facts *f)
{
    return strcmp(f->machine, "wsl1") == 0;
}

static bool is_filtered(const struct facts *f)
{
    return f->seccomp == 2;
}

static bool is_root(const struct facts *f)
{
    return f->user == 0;
}

#define TIERS " (tier A; without it there is tier B as root, tier C as another user)"
#define DOCKER                                                                                     \
    "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "             \
    "--security-opt systempaths=unconfined, or a profile of your own that allows clone, unshare, " \
    "mount, umount2 and pivot_root" TIERS
#define PODMAN "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL" TIERS
#define KUBERNETES                                                                                 \
    "in the pod's securityContext: seccompProfile of type Unconfined and procMount: Unmasked, or " \
    "a Localhost profile that allows clone, unshare, mount, umount2 and pivot_root" TIERS
#define APPARMOR                                                                                   \
    "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for "        \
    "torno-warden with the rule \"userns,\"" TIERS

struct rule {
    const char *name;
    const char *error;                    /* NULL: any */
    bool (*holds)(const struct facts *f); /* NULL: always */
    const char *cause;
    const char *advice;
};

static const struct rule rules[] = {
    {"seccomp", NULL, is_wsl1, "WSL 1 has no system-call filters", "use WSL 2: wsl --set-version"},
    {"seccomp", "ENOSYS", is_filtered, "a filter around torno refuses seccomp(2)",
     "a seccomp profile for this container that allows seccomp and prctl"},
    {"seccomp", "EPERM", NULL, "a filter around torno refuses seccomp(2)",
     "a seccomp profile for this container that allows seccomp and prctl"},
    {"seccomp", NULL, NULL,
     "the kernel was built without system-call filters, or a filter around "
     "torno refuses them",
     "a kernel with CONFIG_SECCOMP_FILTER; in a container, a seccomp profile that allows "
     "seccomp(2)"},
    {"filter", "ENOTSUP", NULL, "the filter is written for x86-64 only", "an x86-64 machine"},
    {"filter", NULL, NULL, "the filter of scripts could not be built or installed",
     "what the line on seccomp says, or install torno again"},

    {"landlock", "ENOSYS", is_filtered,
     "the kernel was built without it, or a filter around torno does not know it",
     "Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK, and in a container a seccomp profile "
     "that allows the landlock calls"},
    {"landlock", "ENOSYS", NULL, "the kernel was built without it",
     "Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK"},
    {"landlock", "EOPNOTSUPP", NULL, "it was switched off at boot",
     "add landlock to the list lsm= of the kernel's command line"},
    {"landlock", NULL, NULL, "a filter around torno refuses it",
     "a seccomp profile for this container that allows the landlock calls"},

    {"userns", NULL, is_gvisor, "gVisor gives no user namespaces here",
     "another runtime for this container (runc)" TIERS},
    {"userns", "ENOSPC", is_switched_off,
     "user namespaces are switched off: user.max_user_namespaces is 0",
     "sysctl -w user.max_user_namespaces=15000, kept in /etc/sysctl.d" TIERS},
    {"userns", "ENOSPC", NULL, "user namespaces are used up, or nested more than 32 deep",
     "sysctl -w user.max_user_namespaces to a greater number, or fewer containers in one "
     "another" TIERS},
    {"userns", "EUSERS", NULL, "user namespaces are nested too deep",
     "fewer containers in one another" TIERS},
    {"userns", "EPERM", is_debian_off,
     "user namespaces are root's alone: kernel.unprivileged_userns_clone is 0",
     "sysctl -w kernel.unprivileged_userns_clone=1, kept in /etc/sysctl.d" TIERS},
    {"userns", "EPERM", is_docker, "Docker's seccomp profile refuses them", DOCKER},
    {"userns", "EPERM", is_podman, "Podman's seccomp profile refuses them", PODMAN},
    {"userns", "EPERM", is_kubernetes, "the pod's seccomp profile refuses them", KUBERNETES},
    {"userns", "EACCES", is_apparmor_on,
     "AppArmor refuses user namespaces to programs without a profile", APPARMOR},
    {"userns", "EPERM", is_apparmor_on,
     "AppArmor refuses user namespaces to programs without a profile", APPARMOR},
    {"userns", "EPERM", is_filtered, "a filter around torno refuses them",
     "a seccomp profile that allows clone, unshare, mount, umount2 and pivot_root" TIERS},
    {"userns", "EPERM", NULL,
     "they are refused: torno runs in a chroot, or a security module forbids them",
     "run torno outside the chroot, or allow it user namespaces (SELinux: user_namespace "
     "create)" TIERS},
    {"userns", "EINVAL", NULL, "the kernel was built without user namespaces",
     "a kernel with CONFIG_USER_NS" TIERS},
    {"userns", NULL, NULL, "the kernel gives none", "a kernel with CONFIG_USER_NS" TIERS},

    {"namespaces", "EPERM", is_docker, "Docker's seccomp profile refuses them", DOCKER},
    {"namespaces", "EPERM", is_podman, "Podman's seccomp profile refuses them", PODMAN},
    {"namespaces", "EPERM", is_kubernetes, "the pod's seccomp profile refuses them", KUBERNETES},
    {"namespaces", "ENOSPC", is_switched_off,
     "user namespaces are switched off: user.max_user_namespaces is 0",
     "see the line on userns" TIERS},
    {"namespaces", "ENOSPC", NULL,
     "one kind of namespace is used up (user.max_pid_namespaces and its like)",
     "sysctl -a | grep user.max_ shows which; set it to a greater number" TIERS},
    {"namespaces", "EAGAIN", NULL, "there is no room for another process",
     "raise ulimit -u, or the pids limit of the container" TIERS},
    {"namespaces", NULL, NULL, "the kernel or a filter around torno refuses them",
     "see the line on userns" TIERS},

    {"maps", "ENOENT", NULL, "/proc is not mounted", "mount -t proc proc /proc" TIERS},
    {"maps", "EPERM", is_root, "root does not have the ids 100000 to 100999, nor 60000 to 60999",
     "give those ids to the user namespace that torno runs in" TIERS},
    {"maps", NULL, is_apparmor_on,
     "AppArmor takes the rights in a user namespace from programs without a profile", APPARMOR},
    {"maps", NULL, NULL, "the ids could not be written: a security module or a read-only /proc",
     "allow torno-warden user namespaces with their rights, and mount /proc writable" TIERS},
    {"ids", NULL, is_apparmor_on,
     "AppArmor takes the rights in a user namespace from programs without a profile", APPARMOR},
    {"ids", NULL, NULL, "the namespace's root has no rights",
     "allow torno-warden user namespaces "
     "with their rights" TIERS},
    {"mounts", NULL, is_apparmor_on,
     "AppArmor takes the rights in a user namespace from programs without a profile", APPARMOR},
    {"mounts", NULL, is_docker, "Docker's profiles refuse mounts", DOCKER},
    {"mounts", NULL, is_podman, "Podman's profiles refuse mounts", PODMAN},
    {"mounts", NULL, is_kubernetes, "the pod's profiles refuse mounts", KUBERNETES},
    {"mounts", NULL, NULL, "a filter or a security module refuses mounts",
     "allow torno-warden mount, umount2 and pivot_root in a namespace of its own" TIERS},
    {"pidns", NULL, NULL, "a process lived on after the first of its namespace was killed",
     "a real Linux kernel" TIERS},

    {"chroot", NULL, NULL, "root may not chroot or give away user ids here",
     "the capabilities CAP_SYS_CHROOT, CAP_SETUID and CAP_SETGID (tier B; without them tier C)"},
    {"mdwe", NULL, NULL, "the kernel is older than Linux 6.3; the filter refuses it as well",
     "Linux 6.3 or newer"},
    {"thp", NULL, NULL, "the kernel has no switch for them", ""},
    {"pidfd", NULL, NULL, "this kernel is too old, or a filter around torno does not know the call",
     "Linux 5.4 or newer; in a container a newer runtime, or a seccomp profile that allows "
     "pidfd_open"},
    {"close_range", NULL, NULL, "the call is not there: descriptors are closed one by one", ""},
    {"clock", NULL, NULL,
     "the machine's clock source makes a system call of it: scripts are slower",
     "tsc or kvm-clock in /sys/devices/system/clocksource/clocksource0/current_clocksource"},
};

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {[VERDICT_OK] = "ok",
                                        [VERDICT_WEAK] = "weak",
                                        [VERDICT_BAD] = "bad",
                                        [VERDICT_INFO] = "info",
                                        [VERDICT_UNTRIED] = "untried"};

    return names[verdict];
}

static bool is_yes(struct bytes value)
{
    return bytes_is(bytes_first(value, 3), "yes");
}

/* A "no" by what it is needed for. Tier B counts only where tier A is out of reach. */
static enum verdict judge_no(enum need need, bool has_tier_a)
{
    switch (need) {
    case NEED_ALWAYS:
        return VERDICT_BAD;
    case NEED_TIER_B:
        return has_tier_a ? VERDICT_INFO : VERDICT_WEAK;
    case NEED_NOTHING:
        return VERDICT_INFO;
    case NEED_BETTER:
    case NEED_TIER_A:
        break;
    }
    return VERDICT_WEAK;
}

static void explain(struct finding *f, const struct facts *facts)
{
    struct bytes error = bytes_from(f->value, f->value.len < 3 ? f->value.len : 3); /* "no " */

    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        const struct rule *r = &rules[i];

        if (strcmp(r->name, f->name) == 0 && (r->error == NULL || bytes_is(error, r->error)) &&
            (r->holds == NULL || r->holds(facts))) {
            f->cause = r->cause;
            f->advice = r->advice;
            return;
        }
    }
}

size_t findings_judge(const struct probe *probe, const struct facts *facts,
                      struct finding ret[FINDINGS_MAX])
{
    bool has_tier_a = is_yes(probe_get(probe, "pidns"));
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
        struct finding f = {.name = subjects[i].name,
                            .verdict = VERDICT_OK,
                            .value = probe_get(probe, subjects[i].name),
                            .sentence = subjects[i].sentence,
                            .cause = "",
                            .advice = ""};

        if (f.value.len == 0 || bytes_is(f.value, "untried")) {
            f.verdict = VERDICT_UNTRIED;
        } else if (bytes_is(f.value, "yes fewer")) {
            f.verdict = VERDICT_WEAK;
            f.cause = "the kernel lacks network, ipc, uts or cgroup namespaces";
            f.advice = "a kernel with CONFIG_NET_NS, CONFIG_IPC_NS, CONFIG_UTS_NS, CONFIG_CGROUPS";
        } else if (!is_yes(f.value)) {
            f.verdict = judge_no(subjects[i].need, has_tier_a);
            explain(&f, facts);
        }
        ret[n++] = f;
    }
    return n;
}
