/* SPDX-License-Identifier: MIT
 *
 * Where the helper program is: beside this program in a build, in libexec once installed. Its
 * path is never taken from the environment, since the helper raises the walls.
 */
#include "base/mem.h"
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

static char *try_path(struct bytes folder, const char *rest)
{
    _cleanup_(buf_done) struct buf path = buf_max(2 * PATH_MAX);

    buf_put_bytes(&path, folder);
    buf_put_str(&path, rest);
    return access(buf_str(&path), X_OK) == 0 ? mem_str(buf_bytes(&path)) : NULL;
}

int helper_path(char **ret_path, struct buf *ret_sentence)
{
    static const char *const places[] = {"torno-warden", "../libexec/torno/torno-warden"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self);
    const char *slash = n <= 0 ? NULL : memrchr(self, '/', (size_t)n);
    struct bytes folder;

    if (slash == NULL) {
        buf_put_str(ret_sentence, "the helper torno-warden cannot be looked for, since "
                                  "/proc/self/exe cannot be read; mount /proc");
        return -ENOENT;
    }
    folder = bytes_of(self, (size_t)(slash - self) + 1);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        char *path = try_path(folder, places[i]);

        if (path != NULL) {
            *ret_path = path;
            return 0;
        }
    }
    buf_printf(ret_sentence,
               "the helper torno-warden is missing: it belongs in %.*s or in "
               "%.*s../libexec/torno/; install torno again",
               (int)folder.len, (const char *)folder.ptr, (int)folder.len,
               (const char *)folder.ptr);
    return -ENOENT;
}
