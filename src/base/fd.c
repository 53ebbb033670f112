/* SPDX-License-Identifier: MIT
 *
 * Descriptors; see base/fd.h.
 */
#include "base/fd.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void fd_close(int fd)
{
    int saved = errno;

    if (fd >= 0) {
        close(fd);
    }
    errno = saved;
}

/* The highest open one, as /proc tells, or what the limit allows where it does not. */
static int highest_fd(void)
{
    DIR *folder = opendir("/proc/self/fd");
    struct rlimit files = {.rlim_cur = 0};
    int highest = -1;

    if (folder == NULL) {
        getrlimit(RLIMIT_NOFILE, &files);
        return files.rlim_cur > INT_MAX ? INT_MAX : (int)files.rlim_cur - 1;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        int fd = (int)strtoul(entry->d_name, NULL, 10);

        highest = fd > highest ? fd : highest;
    }
    closedir(folder);
    return highest;
}

int fd_close_from(int first)
{
    if (close_range((unsigned)first, ~0U, 0) == 0) {
        return 0;
    }
    if (errno != ENOSYS && errno != EPERM) {
        return -errno;
    }
    /* Before Linux 5.9, or a container's filter. */
    for (int fd = highest_fd(); fd >= first; fd--) {
        close(fd);
    }
    return 0;
}

int fd_set_nonblock(int fd, bool is_nonblock)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0) {
        return -errno;
    }
    flags = is_nonblock ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}

int fd_write_all(int fd, struct bytes a)
{
    while (a.len > 0) {
        ssize_t n = write(fd, a.ptr, a.len);

        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        if (n > 0) {
            a = bytes_from(a, (size_t)n);
        }
    }
    return 0;
}

int fd_read_file(const char *path, size_t max, char **ret_text, size_t *ret_len)
{
    _cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC);
    _cleanup_(buf_done) struct buf b = buf_max(max + 1);

    if (fd < 0) {
        return -errno;
    }
    for (;;) {
        uint8_t chunk[8192];
        ssize_t n = read(fd, chunk, sizeof chunk);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -errno;
        }
        if (n == 0) {
            break;
        }
        buf_put(&b, chunk, (size_t)n);
        if (b.fault != 0 || b.len > max) {
            return b.fault == -ENOMEM ? -ENOMEM : -EFBIG;
        }
    }
    *ret_text = mem_str(buf_bytes(&b));
    if (*ret_text == NULL) {
        return -ENOMEM;
    }
    *ret_len = b.len;
    return 0;
}
