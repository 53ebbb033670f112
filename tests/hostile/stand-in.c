/* SPDX-License-Identifier: MIT
 *
 * A program in the warden's place whose first cell lies.
 *
 * It speaks the warden's channel on descriptor 3 as torno-warden does, and forks a process for each
 * cell. The first one does what the file beside this program's name says (its own name and
 * ".frames"); every other one is well-behaved: hello, then finished with the value "fine" for any
 * script. tests/hostile/README tells the lines of the file. No walls: it runs only in tests.
 */
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "hostile/lies.h"
#include "wire/wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTROL = 3, MAX_CHILDREN = 64, MAX_FILE = 1024 * 1024 };

struct child {
    uint32_t cell;
    pid_t pid;
    int pidfd;
};

static struct child children[MAX_CHILDREN];
static size_t n_children;
static char *script;
static const char *obituary = "";

static void cell_life(int fd, uint32_t cell)
{
    struct rlimit no_core = {0, 0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    close(CONTROL);
    cell_fd = fd;
    if (strstr(script, "\nas told\n") != NULL) {
        do_hello(script + strlen(script));
        lie_as_told();
    } else if (strstr(script, "\na line a cell\n") != NULL) {
        bool has_hello = strstr(script, "\nhello first\n") != NULL;

        if (has_hello) {
            do_hello(script + strlen(script));
        }
        lie_by_number(script, cell);
        behave(has_hello);
    } else if (cell == 1 || strstr(script, "\nevery cell\n") != NULL) {
        lie(script);
    } else {
        behave(false);
    }
    _exit(0);
}

static void send_packet(struct buf *b)
{
    if (send(CONTROL, b->data, b->len, MSG_NOSIGNAL) < 0) {
        _exit(1);
    }
    buf_done(b);
}

static void spawn(uint32_t cell, int fd)
{
    pid_t pid = n_children == MAX_CHILDREN ? -1 : fork();

    if (pid == 0) {
        cell_life(fd, cell);
    }
    close(fd);
    if (pid > 0) {
        children[n_children] = (struct child){cell, pid, pidfd_open(pid, 0)};
        n_children++;
    }
}

static void tell_death(size_t i)
{
    struct buf b = buf_max(WIRE_MAX_PACKET);
    struct rusage usage;
    int status = 0;
    struct wire_died m = {.cell = children[i].cell, .sentence = bytes_none()};

    if (wait4(children[i].pid, &status, WNOHANG, &usage) != children[i].pid) {
        return;
    }
    m.status = (uint32_t)status;
    m.peak_kib = (uint32_t)usage.ru_maxrss;
    m.cpu_ms = (uint32_t)(usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000);
    if (m.cell == 1) {
        m.sentence = bytes_str(obituary);
    }
    wire_put_died(&b, &m);
    send_packet(&b);
    close(children[i].pidfd);
    n_children--;
    children[i] = children[n_children];
}

static void kill_cell(uint32_t cell)
{
    for (size_t i = 0; i < n_children; i++) {
        if (children[i].cell == cell) {
            kill(children[i].pid, SIGKILL);
        }
    }
}

static void take_packet(struct bytes packet, int fd, int page)
{
    struct frame f;
    struct wire_spawn s;
    struct wire_kill k;

    close(page);
    if (frame_next(packet, WIRE_MAX_PACKET, &f) != 0) {
        _exit(1);
    }
    if (f.type == WIRE_MSG_spawn && wire_get_spawn(f.body, &s) == 0) {
        if (strstr(script, "\nwarden die\n") != NULL) {
            raise(SIGKILL);
        }
        spawn(s.cell, fd);
    } else if (f.type == WIRE_MSG_kill && wire_get_kill(f.body, &k) == 0) {
        if (strstr(script, "\nwarden stops\n") != NULL) {
            raise(SIGSTOP);
        }
        kill_cell(k.cell);
    }
}

static void read_control(void)
{
    uint8_t packet[WIRE_MAX_PACKET];
    union {
        char space[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {.iov_base = packet, .iov_len = sizeof packet};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control.space,
                       .msg_controllen = sizeof control.space};
    ssize_t n = recvmsg(CONTROL, &m, 0);
    int fds[2] = {-1, -1};

    if (n <= 0) {
        for (size_t i = 0; i < n_children; i++) {
            kill(children[i].pid, SIGKILL);
        }
        _exit(0);
    }
    if (CMSG_FIRSTHDR(&m) != NULL) {
        memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fds);
    }
    take_packet(bytes_of(packet, (size_t)n), fds[0], fds[1]);
}

static void serve(void)
{
    for (;;) {
        struct pollfd fds[MAX_CHILDREN + 1] = {{.fd = CONTROL, .events = POLLIN}};
        size_t n = n_children;

        for (size_t i = 0; i < n; i++) {
            fds[i + 1] = (struct pollfd){.fd = children[i].pidfd, .events = POLLIN};
        }
        if (poll(fds, n + 1, -1) < 0 && errno != EINTR) {
            _exit(1);
        }
        for (size_t i = n; i > 0; i--) {
            if (fds[i].revents != 0) {
                tell_death(i - 1);
            }
        }
        if (fds[0].revents != 0) {
            read_control();
        }
    }
}

/* The rest of the line that starts with key, in memory of its own; NULL where there is none. */
static char *setting(const char *key)
{
    const char *at = strstr(script, key);

    return at == NULL ? NULL : mem_str(bytes_of(at + strlen(key), strcspn(at + strlen(key), "\n")));
}

static void say_up(void)
{
    struct buf b = buf_max(WIRE_MAX_PACKET);
    const char *refusal = setting("\nwarden refuse ");
    const char *version = setting("\nwarden version ");
    struct wire_up m = {.version =
                            version == NULL ? WIRE_VERSION : (uint32_t)strtoul(version, NULL, 10),
                        .tier = 'C',
                        .notice = bytes_str("a stand-in without walls")};

    if (refusal != NULL) {
        wire_put_refused(&b, &(struct wire_refused){.sentence = bytes_str(refusal)});
    } else if (strstr(script, "\nwarden garbage\n") != NULL) {
        buf_put_str(&b, "garbage");
    } else {
        wire_put_up(&b, &m);
    }
    send_packet(&b);
}

int main(int argc, char **argv)
{
    struct buf path = buf_max(4096);
    const char *sentence;
    size_t len;

    (void)argc;
    buf_printf(&path, "%s.frames", argv[0]);
    if (fd_read_file(buf_str(&path), MAX_FILE, &script, &len) < 0) {
        fprintf(stderr, "no script %s\n", buf_str(&path));
        return 1;
    }
    sentence = setting("\nwarden sentence ");
    if (sentence != NULL) {
        obituary = sentence;
    }
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    say_up();
    serve();
    return 0;
}
