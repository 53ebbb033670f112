/* SPDX-License-Identifier: MIT
 *
 * Settings, status files and marks of containers. All of them are hints: a file that is missing
 * or unreadable leaves its fact unknown.
 */
#include "cli/facts.h"

#include "base/bytes.h"
#include "base/fd.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MAX_FILE = 65536 };

/* The file as text, owned by the caller; NULL. */
static char *read_text(const char *path)
{
    char *text = NULL;
    size_t len;

    return fd_read_file(path, MAX_FILE, &text, &len) == 0 ? text : NULL;
}

static int64_t number_at(const char *at)
{
    int64_t n = 0;

    at += strspn(at, " \t");
    if (*at < '0' || *at > '9') {
        return FACT_UNKNOWN;
    }
    for (; *at >= '0' && *at <= '9' && n < INT64_MAX / 16; at++) {
        n = n * 10 + (*at - '0');
    }
    return n;
}

/* What follows the line's name, up to its end; "" where there is none. */
static void copy_line(const char *text, const char *name, char *ret, size_t size)
{
    size_t len = strlen(name);

    ret[0] = '\0';
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, name, len) == 0) {
            at += len;
            at += strspn(at, " \t");
            snprintf(ret, size, "%.*s", (int)strcspn(at, "\n"), at);
            return;
        }
    }
}

static int64_t read_number(const char *path)
{
    _cleanup_(free_p) char *text = read_text(path);

    return text == NULL ? FACT_UNKNOWN : number_at(text);
}

static void read_status(struct facts *f)
{
    _cleanup_(free_p) char *text = read_text("/proc/self/status");
    char number[32];

    f->seccomp = FACT_UNKNOWN;
    f->no_new_privs = FACT_UNKNOWN;
    if (text != NULL) {
        copy_line(text, "Seccomp:", number, sizeof number);
        f->seccomp = number_at(number);
        copy_line(text, "NoNewPrivs:", number, sizeof number);
        f->no_new_privs = number_at(number);
        copy_line(text, "CapEff:", f->capabilities, sizeof f->capabilities);
    }
}

static void read_container(struct facts *f)
{
    const char *named = getenv("container"); /* systemd-nspawn, lxc, podman */

    if (access("/.dockerenv", F_OK) == 0) {
        named = "docker";
    } else if (access("/run/.containerenv", F_OK) == 0) {
        named = "podman";
    } else if (getenv("KUBERNETES_SERVICE_HOST") != NULL) {
        named = "kubernetes";
    }
    snprintf(f->container, sizeof f->container, "%s", named == NULL ? "" : named);
}

static void read_machine(struct facts *f)
{
    struct utsname name;
    const char *machine = "";

    if (uname(&name) != 0) {
        return;
    }
    snprintf(f->kernel, sizeof f->kernel, "%s", name.release);
    snprintf(f->arch, sizeof f->arch, "%s", name.machine);
    if (strcasestr(name.release, "gvisor") != NULL) {
        machine = "gvisor";
    } else if (strcasestr(name.release, "microsoft") != NULL) {
        machine = strstr(name.release, "WSL2") != NULL ? "wsl2" : "wsl1";
    }
    snprintf(f->machine, sizeof f->machine, "%s", machine);
}

/* Of the part of cgroup v2 that torno is in. */
static void read_cgroup(struct facts *f)
{
    _cleanup_(free_p) char *self = read_text("/proc/self/cgroup");
    _cleanup_(free_p) char *controllers = NULL;
    char part[FACT_TEXT];
    char path[2 * FACT_TEXT];

    f->memory_limit_bytes = FACT_UNKNOWN;
    if (self == NULL) {
        return;
    }
    copy_line(self, "0::", part, sizeof part);
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", part);
    f->memory_limit_bytes = read_number(path);
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cgroup.controllers", part);
    controllers = read_text(path);
    if (controllers != NULL) {
        copy_line(controllers, "", f->cgroup, sizeof f->cgroup);
    }
}

static void read_memory(struct facts *f)
{
    _cleanup_(free_p) char *text = read_text("/proc/meminfo");
    char number[64] = "";

    f->memory_total_bytes = FACT_UNKNOWN;
    f->memory_available_bytes = FACT_UNKNOWN;
    if (text != NULL) {
        copy_line(text, "MemTotal:", number, sizeof number);
        f->memory_total_bytes = number_at(number);
        copy_line(text, "MemAvailable:", number, sizeof number);
        f->memory_available_bytes = number_at(number);
    }
    if (f->memory_total_bytes > 0) {
        f->memory_total_bytes *= 1024;
    }
    if (f->memory_available_bytes > 0) {
        f->memory_available_bytes *= 1024;
    }
}

static int64_t read_limit(__rlimit_resource_t resource)
{
    struct rlimit now;

    return getrlimit(resource, &now) != 0 || now.rlim_cur > INT64_MAX ? FACT_UNKNOWN
                                                                      : (int64_t)now.rlim_cur;
}

void facts_read(struct facts *ret)
{
    *ret = (struct facts){.user = geteuid()};
    read_machine(ret);
    read_container(ret);
    read_status(ret);
    ret->max_user_namespaces = read_number("/proc/sys/user/max_user_namespaces");
    ret->unprivileged_userns_clone = read_number("/proc/sys/kernel/unprivileged_userns_clone");
    ret->apparmor_restrict = read_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    read_cgroup(ret);
    read_memory(ret);
    ret->address_space_bytes = read_limit(RLIMIT_AS);
    ret->data_bytes = read_limit(RLIMIT_DATA);
}
