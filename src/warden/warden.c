/* SPDX-License-Identifier: MIT
 *
 * Small things of monitor, init and zygote alike.
 */
#include "warden/warden.h"

#include "base/fd.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void warden_log(const char *format, ...)
{
    char line[512];
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (len < 0) {
        return;
    }
    len = len < (int)sizeof line - 1 ? len : (int)sizeof line - 2;
    line[len] = '\n';
    fd_write_all(STDERR_FILENO, bytes_of(line, (size_t)len + 1));
}

void warden_notice(struct warden *w, const char *sentence)
{
    if (w->notice.len > 0) {
        buf_put_str(&w->notice, "; ");
    }
    buf_put_str(&w->notice, sentence);
}

void warden_prefer_in_oom(const char *pid)
{
    char path[64];
    _cleanup_(close_p) int fd = -1;

    snprintf(path, sizeof path, "/proc/%s/oom_score_adj", pid);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        fd_write_all(fd, bytes_str("800"));
    }
}
