/* SPDX-License-Identifier: MIT
 *
 * Descriptors: closing, stealing, and reads and writes that tell "later" apart.
 *
 * Every descriptor of ours is CLOEXEC from the call that makes it. -1 is "none".
 */
#ifndef BASE_FD_H
#define BASE_FD_H

#include "base/bytes.h"

/* Closes unless it is -1; keeps errno. */
void fd_close(int fd);

static inline void close_p(const int *fd)
{
    fd_close(*fd);
}

/* Takes the descriptor out of its variable and leaves -1. */
static inline int steal_fd(int *fd)
{
    int value = *fd;

    *fd = -1;
    return value;
}

/* Closes every descriptor from first on; 0 or -errno. */
int fd_close_from(int first);

/* Sets or clears O_NONBLOCK; 0 or -errno. */
int fd_set_nonblock(int fd, bool is_nonblock);

/* Blocking: writes all of it, over short writes and EINTR; 0 or -errno. */
int fd_write_all(int fd, struct bytes a);

/* Reads a whole file of at most max bytes into a new C string, owned by the caller;
 * -EFBIG past max, -EISDIR for a folder, else -errno. */
int fd_read_file(const char *path, size_t max, char **ret_text, size_t *ret_len);

#endif
