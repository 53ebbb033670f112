/* SPDX-License-Identifier: MIT
 *
 * What a child process is started with; see rpc/command.h.
 *
 * Process: the host side. Asking first gives a better sentence than a failed exec, above all
 * behind a keeper; the exec itself still has the last word.
 */
#include "rpc/command.h"

#include "base/mem.h"
#include "json/json.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const inherited[] = {"HOME=", "LOGNAME=", "PATH=", "SHELL=", "TERM=", "USER="};

static size_t count_words(char *const *words)
{
    size_t n = 0;

    while (words != NULL && words[n] != NULL) {
        n++;
    }
    return n;
}

char **rpc_command_argv(char *const *keeper, char *const *argv)
{
    size_t before = count_words(keeper);
    size_t n = count_words(argv);
    char **list = mem_array(before + n + 1, sizeof *list);

    for (size_t i = 0; list != NULL && i < before; i++) {
        list[i] = keeper[i];
    }
    for (size_t i = 0; list != NULL && i < n; i++) {
        list[before + i] = argv[i];
    }
    return list;
}

/* The "NAME=value" of a list whose beginning is prefix, or NULL. */
static char *find_variable(char *const *list, const char *prefix)
{
    for (; list != NULL && *list != NULL; list++) {
        if (strncmp(*list, prefix, strlen(prefix)) == 0) {
            return *list;
        }
    }
    return NULL;
}

char **rpc_command_env(char *const *extra)
{
    size_t n = count_words(extra);
    char **list = mem_array(ARRAY_SIZE(inherited) + n + 1, sizeof *list);
    size_t at = 0;

    for (size_t i = 0; list != NULL && i < ARRAY_SIZE(inherited); i++) {
        char *own = find_variable(environ, inherited[i]);

        if (own != NULL && find_variable(extra, inherited[i]) == NULL) {
            list[at] = own;
            at++;
        }
    }
    for (size_t i = 0; list != NULL && i < n; i++) {
        list[at] = extra[i];
        at++;
    }
    return list;
}

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool is_in_path(const char *command, char *const *env)
{
    const char *path = find_variable(env, "PATH=");
    const char *at = path == NULL ? "/bin:/usr/bin" : path + 5;

    for (;;) {
        _cleanup_(buf_done) struct buf full = buf_max(4096);
        size_t len = strcspn(at, ":");

        buf_put(&full, at, len);
        buf_put_str(&full, len > 0 ? "/" : "./");
        buf_put_str(&full, command);
        if (buf_fault(&full) == 0 && is_program(buf_str(&full))) {
            return true;
        }
        if (at[len] == '\0') {
            return false;
        }
        at += len + 1;
    }
}

static int find_by_path(const char *command, const char *shown, const char *cwd,
                        struct buf *ret_why)
{
    _cleanup_(buf_done) struct buf full = buf_max(8192);

    if (command[0] != '/' && cwd != NULL) {
        buf_printf(&full, "%s/", cwd);
    }
    buf_put_str(&full, command);
    if (buf_fault(&full) == 0 && is_program(buf_str(&full))) {
        return 0;
    }
    if (access(buf_str(&full), F_OK) == 0) {
        buf_printf(ret_why, "cannot be started: its command %s is no program that may be run",
                   shown);
        return -EACCES;
    }
    buf_printf(ret_why, "cannot be started: its command %s does not exist", shown);
    return -ENOENT;
}

int rpc_command_find(const char *command, const char *shown, char *const *env, const char *cwd,
                     struct buf *ret_why)
{
    struct stat info;

    if (cwd != NULL && (stat(cwd, &info) < 0 || !S_ISDIR(info.st_mode))) {
        buf_printf(ret_why, "cannot be started: its folder (\"cwd\") does not exist");
        return -ENOENT;
    }
    if (strchr(command, '/') != NULL) {
        return find_by_path(command, shown, cwd, ret_why);
    }
    if (command[0] != '\0' && is_in_path(command, env)) {
        return 0;
    }
    buf_printf(ret_why, "cannot be started: its command %s is not found in PATH", shown);
    return -ENOENT;
}

void rpc_put_clean(struct buf *out, struct bytes text, size_t max)
{
    size_t len = text.len < max ? text.len : max;

    /* A cut must not fall into a character. */
    while (len < text.len && len > 0 && (text.ptr[len] & 0xc0) == 0x80) {
        len--;
    }
    for (size_t i = 0; i < len;) {
        size_t n = json_utf8_len(text.ptr + i, text.ptr + len);
        bool is_control = text.ptr[i] < 0x20 || text.ptr[i] == 0x7f ||
                          (n == 2 && text.ptr[i] == 0xc2 && text.ptr[i + 1] < 0xa0);

        if (n == 0 || is_control) {
            buf_put_u8(out, n == 0 ? '?' : ' ');
            i += n == 0 ? 1 : n;
        } else {
            buf_put(out, text.ptr + i, n);
            i += n;
        }
    }
    if (len < text.len) {
        buf_put_str(out, "...");
    }
}
