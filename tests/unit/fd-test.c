/* SPDX-License-Identifier: MIT
 *
 * Descriptors: stealing, whole writes over a full pipe, reading files within a maximum.
 */
#include "base/fd.h"

#include "base/mem.h"
#include "unit/t.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_steal(void)
{
    int fd = dup(0);
    int taken = steal_fd(&fd);

    T_EQ(fd, -1);
    T_OK(taken >= 0);
    {
        _cleanup_(close_p) int scoped = taken;
        T_OK(fcntl(scoped, F_GETFD) >= 0);
    }
    T_EQ(fcntl(taken, F_GETFD), -1);
    errno = EIO;
    fd_close(-1);
    T_EQ(errno, EIO);
}

/* 1 MiB through a pipe of 64 KiB: the writer must go on after short writes. */
static void test_write_all(void)
{
    enum { SIZE = 1 << 20 };
    _cleanup_(free_p) uint8_t *data = mem_new(SIZE);
    int pipe_fds[2];
    size_t total = 0;
    pid_t child;
    int status = 0;

    T_EQ(pipe(pipe_fds), 0);
    child = fork();
    if (child == 0) {
        close(pipe_fds[0]);
        _exit(fd_write_all(pipe_fds[1], bytes_of(data, SIZE)) == 0 ? 0 : 1);
    }
    close(pipe_fds[1]);
    for (;;) {
        static uint8_t chunk[4096];
        ssize_t n = read(pipe_fds[0], chunk, sizeof chunk);

        if (n <= 0) {
            break;
        }
        total += (size_t)n;
    }
    close(pipe_fds[0]);
    waitpid(child, &status, 0);
    T_EQ(status, 0);
    T_EQ(total, SIZE);
    T_ERR(fd_write_all(-1, bytes_str("x")), EBADF);
}

static void test_nonblock(void)
{
    int pipe_fds[2];
    char byte;

    T_EQ(pipe(pipe_fds), 0);
    T_EQ(fd_set_nonblock(pipe_fds[0], true), 0);
    T_EQ(read(pipe_fds[0], &byte, 1), -1);
    T_EQ(errno, EAGAIN);
    T_EQ(fd_set_nonblock(pipe_fds[0], false), 0);
    T_EQ(fcntl(pipe_fds[0], F_GETFL) & O_NONBLOCK, 0);
    T_ERR(fd_set_nonblock(-1, true), EBADF);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

static void test_read_file(void)
{
    char path[] = "/tmp/torno-fd-test-XXXXXX";
    int fd = mkstemp(path);
    _cleanup_(free_p) char *text = NULL;
    size_t len = 0;

    T_OK(fd >= 0);
    T_EQ(fd_write_all(fd, bytes_str("twelve bytes")), 0);
    close(fd);
    T_EQ(fd_read_file(path, 12, &text, &len), 0);
    T_EQ(len, 12);
    T_STR(text, "twelve bytes");
    mem_free(text);
    text = NULL;
    T_ERR(fd_read_file(path, 11, &text, &len), EFBIG);
    T_OK(text == NULL);
    unlink(path);
    T_ERR(fd_read_file(path, 100, &text, &len), ENOENT);
    T_ERR(fd_read_file("/", 100, &text, &len), EISDIR);
}

int main(void)
{
    test_steal();
    test_write_all();
    test_nonblock();
    test_read_file();
    return T_DONE("fd");
}
