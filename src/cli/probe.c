/* SPDX-License-Identifier: MIT
 *
 * Runs the helper's own probe and takes its name=value lines apart. Lines it does not know are
 * kept: `torno doctor --json` shows all of them.
 */
#include "cli/probe.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SILENCE_MS = 3000, PATIENCE_MS = 10000, MAX_TEXT = 1 << 20 };

static int start(const char *path, int out, pid_t *ret_pid)
{
    char *const argv[] = {"torno-warden", "--probe", NULL};
    posix_spawn_file_actions_t actions;
    int r = posix_spawn_file_actions_init(&actions);

    if (r == 0) {
        r = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    }
    if (r == 0) {
        r = posix_spawn(ret_pid, path, &actions, NULL, argv, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -r;
}

/* Reads until the writer is gone; -ETIMEDOUT where it is silent, or takes, for too long. */
static int read_all(int fd, struct buf *text)
{
    int64_t end_ms = clock_now_ms() + PATIENCE_MS;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    char chunk[4096];

    for (;;) {
        ssize_t n;

        if (clock_now_ms() > end_ms || poll(&one, 1, SILENCE_MS) == 0) {
            return -ETIMEDOUT;
        }
        n = read(fd, chunk, sizeof chunk);
        if (n == 0) {
            return buf_fault(text);
        }
        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        buf_put(text, chunk, n < 0 ? 0 : (size_t)n);
    }
}

static void take_lines(struct probe *probe)
{
    struct bytes rest = buf_bytes(&probe->text);

    while (rest.len > 0 && probe->n < PROBE_MAX) {
        const uint8_t *newline = memchr(rest.ptr, '\n', rest.len);
        size_t len = newline == NULL ? rest.len : (size_t)(newline - rest.ptr);
        const uint8_t *equals = memchr(rest.ptr, '=', len);

        if (equals != NULL) {
            size_t name_len = (size_t)(equals - rest.ptr);

            probe->names[probe->n] = bytes_first(rest, name_len);
            probe->values[probe->n] = bytes_from(bytes_first(rest, len), name_len + 1);
            probe->n++;
        }
        rest = bytes_from(rest, len + 1);
    }
}

int probe_run(const char *warden_path, struct probe *ret, struct buf *ret_sentence)
{
    int ends[2];
    pid_t pid = -1;
    int status;
    int r;

    *ret = (struct probe){.text = buf_max(MAX_TEXT)};
    if (pipe2(ends, O_CLOEXEC) < 0) {
        buf_printf(ret_sentence, "the probe could not be started: %s", strerror(errno));
        return -errno;
    }
    r = start(warden_path, ends[1], &pid);
    fd_close(ends[1]);
    if (r == 0) {
        r = read_all(ends[0], &ret->text);
        if (r < 0) {
            kill(pid, SIGKILL);
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    fd_close(ends[0]);
    if (r == -ETIMEDOUT) {
        buf_printf(ret_sentence,
                   "%s --probe said nothing for %d seconds, and was ended: this helper hangs; "
                   "install torno again",
                   warden_path, SILENCE_MS / 1000);
    } else if (r < 0) {
        buf_printf(ret_sentence, "%s --probe did not tell what works here: %s", warden_path,
                   strerror(-r));
    }
    if (r < 0) {
        buf_done(&ret->text);
        return r;
    }
    take_lines(ret);
    return 0;
}

void probe_done(struct probe *probe)
{
    buf_done(&probe->text);
}

struct bytes probe_get(const struct probe *probe, const char *name)
{
    for (size_t i = 0; i < probe->n; i++) {
        if (bytes_is(probe->names[i], name)) {
            return probe->values[i];
        }
    }
    return bytes_none();
}
