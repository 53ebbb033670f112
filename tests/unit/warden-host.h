/* SPDX-License-Identifier: MIT
 *
 * A host for tests of the warden: starts one, makes cells, talks with both by hand, blocking.
 * BIN names the folder of torno-warden ("build" where it is not set).
 *
 * A warden's processes are found by their session: it gets one of its own and nobody leaves it.
 */
#ifndef TESTS_UNIT_WARDEN_HOST_H
#define TESTS_UNIT_WARDEN_HOST_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "t.h"
#include "walls/look.h"
#include "warden/packet.h"
#include "wire/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000, MEMORY = 64 * 1024 * 1024 };

struct warden {
    pid_t pid;
    int control;
    char tier;
    char notice[WIRE_MAX_SENTENCE + 1];
};

struct cell {
    uint32_t id;
    int socket;
    struct wire_page *page;
};

struct obituary {
    uint32_t cell;
    int status;
    uint32_t peak_kib;
    char sentence[WIRE_MAX_SENTENCE + 1];
};

static inline void copy_text(struct bytes from, char *to)
{
    memcpy(to, from.ptr, from.len);
    to[from.len] = '\0';
}

#ifndef WARDEN_FOLDER
#define WARDEN_FOLDER  "BIN"
#define WARDEN_PROGRAM "build", "torno-warden"
#endif

/* In the folder that the environment names, else in the one that make fills. */
static inline const char *path_in(const char *variable, const char *folder, const char *program)
{
    static char path[4096];
    const char *set = getenv(variable);

    snprintf(path, sizeof path, "%s/%s", set != NULL ? set : folder, program);
    return path;
}

static inline const char *warden_path(void)
{
    return path_in(WARDEN_FOLDER, WARDEN_PROGRAM);
}

/* The program, opened once: an ordinary user may not reach its folder later. */
static inline int warden_program(void)
{
    static int program = -1;

    if (program < 0) {
        program = open(warden_path(), O_PATH | O_CLOEXEC);
    }
    if (program < 0) {
        fprintf(stderr, "%s is not there; build it first\n", warden_path());
        _exit(1);
    }
    return program;
}

/* One more argument for the wardens that are started from now on; NULL: none. */
static const char *warden_option;

/* The one variable of their environment; NULL: it is empty, as hosts make it. */
static const char *warden_variable;

/* In a child: what the host library does, by hand. hostile is run last before the exec. */
static inline void exec_warden(int control, pid_t host, char tier, void (*hostile)(void))
{
    char number[16];
    char walls[16];
    char *argv[] = {(char *)"torno-warden", number, walls, (char *)(uintptr_t)warden_option, NULL};
    char *envp[] = {(char *)(uintptr_t)warden_variable, NULL};
    int null = open("/dev/null", O_RDWR);
    int program;

    snprintf(number, sizeof number, "%d", (int)host);
    snprintf(walls, sizeof walls, "--walls=%c", tier);
    setsid();
    control = fcntl(control, F_DUPFD, 10);
    program = fcntl(warden_program(), F_DUPFD_CLOEXEC, 10);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    dup2(control, 3);
    if (hostile != NULL) {
        hostile();
    }
    syscall(SYS_execveat, program, "", argv, envp, AT_EMPTY_PATH);
    _exit(99);
}

static inline bool is_readable(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};

    return poll(&one, 1, PATIENCE_MS) == 1;
}

/* The next packet of the warden's as a frame that borrows from p; 0, or -EPIPE at its end. */
static inline int next_packet(const struct warden *w, struct packet *p, struct frame *ret)
{
    if (!is_readable(w->control)) {
        return -ETIMEDOUT;
    }
    if (packet_recv(w->control, false, p) != 0) {
        return -EPIPE;
    }
    return frame_next(bytes_of(p->data, p->len), sizeof p->data, ret);
}

/* Starts a warden and hears that it is up: 0; -EPERM where it refused, with its sentence as the
 * notice; else -errno. */
static inline int warden_start(struct warden *w, char tier, void (*hostile)(void))
{
    int pair[2];
    struct packet p;
    struct frame f;
    struct wire_up up;
    struct wire_refused refused;
    pid_t host = getpid();

    *w = (struct warden){.control = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return -errno;
    }
    w->pid = fork();
    if (w->pid == 0) {
        exec_warden(pair[1], host, tier, hostile);
    }
    close(pair[1]);
    w->control = pair[0];
    if (next_packet(w, &p, &f) != 0) {
        return -EPIPE;
    }
    if (f.type == WIRE_MSG_refused && wire_get_refused(f.body, &refused) == 0) {
        copy_text(refused.sentence, w->notice);
        return -EPERM;
    }
    if (f.type != WIRE_MSG_up || wire_get_up(f.body, &up) != 0) {
        return -EPROTO;
    }
    w->tier = (char)up.tier;
    copy_text(up.notice, w->notice);
    return up.version == WIRE_VERSION ? 0 : -EPROTO;
}

/* How many processes of this session live, and their pids. */
static inline size_t session_pids(pid_t session, pid_t *ret_pids)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    size_t n = 0;

    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        char path[300];
        char *text;
        size_t len;
        char state;
        int parent, group, sid;
        const char *rest;

        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
            fd_read_file(path, 4096, &text, &len) != 0) {
            continue;
        }
        rest = strrchr(text, ')');
        if (rest != NULL && sscanf(rest + 1, " %c %d %d %d", &state, &parent, &group, &sid) == 4 &&
            sid == session && state != 'Z' && state != 'X') {
            if (ret_pids != NULL) {
                sscanf(text, "%d", &ret_pids[n]);
            }
            n++;
        }
        mem_free(text);
    }
    if (proc != NULL) {
        closedir(proc);
    }
    return n;
}

/* Waits until no process of the session is left; how many stayed. */
static inline size_t survivors(pid_t session)
{
    int64_t end = clock_now_ms() + 5000;
    size_t n = session_pids(session, NULL);

    while (n > 0 && clock_now_ms() < end) {
        poll(NULL, 0, 2);
        n = session_pids(session, NULL);
    }
    return n;
}

/* Closes the control socket; the warden must end well and leave nobody. */
static inline void warden_end(struct warden *w)
{
    int status = -1;

    close(w->control);
    waitpid(w->pid, &status, 0);
    T_EQ(status, 0);
    T_EQ(session_pids(w->pid, NULL), 0); /* at once: it is the last one to go */
}

static inline void send_spawn(const struct warden *w, const struct wire_spawn *m, const int *fds,
                              size_t n)
{
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MAX_PACKET);

    wire_put_spawn(&out, m);
    T_EQ(packet_send(w->control, true, buf_bytes(&out), fds, n), 0);
}

static inline int make_page(bool is_sealed)
{
    int fd = memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (ftruncate(fd, WIRE_PAGE_BYTES) != 0 ||
        (is_sealed && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)) {
        return -1;
    }
    return fd;
}

static inline void cell_ask(const struct warden *w, uint32_t id, struct cell *ret)
{
    struct wire_spawn m = {.cell = id, .language = WIRE_JAVASCRIPT, .memory_bytes = MEMORY};
    int page = make_page(true);
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
        _exit(1);
    }
    fd_set_nonblock(pair[0], false);
    send_spawn(w, &m, (int[]){pair[1], page}, 2);
    close(pair[1]);
    ret->id = id;
    ret->socket = pair[0];
    ret->page = mmap(NULL, WIRE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    close(page);
}

static inline void cell_done(struct cell *c)
{
    close(c->socket);
    munmap(c->page, WIRE_PAGE_BYTES);
}

/* The next frame of a cell's, copied to b; 0 or -EPIPE. */
static inline int cell_frame(const struct cell *c, struct buf *b, struct frame *ret)
{
    buf_clear(b);
    while (frame_next(buf_bytes(b), WIRE_MAX_FRAME_FROM_CELL, ret) == FRAME_E_AGAIN) {
        uint8_t one;

        if (!is_readable(c->socket) || read(c->socket, &one, 1) != 1) {
            return -EPIPE;
        }
        buf_put_u8(b, one);
    }
    return 0;
}

static inline int cell_hello(const struct cell *c, uint32_t *ret_walls)
{
    _cleanup_(buf_done) struct buf b = buf_max(WIRE_MIB);
    struct wire_hello hello;
    struct frame f;

    if (cell_frame(c, &b, &f) != 0 || f.type != WIRE_MSG_hello ||
        wire_get_hello(f.body, &hello) != 0 || hello.version != WIRE_VERSION) {
        return -EPIPE;
    }
    *ret_walls = hello.walls;
    return 0;
}

/* A cell that has said hello. */
static inline void cell_start(const struct warden *w, uint32_t id, struct cell *ret)
{
    uint32_t walls = 0;

    cell_ask(w, id, ret);
    T_EQ(cell_hello(ret, &walls), 0);
}

static inline void cell_run(const struct cell *c, const char *code)
{
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MIB);
    struct wire_start m = {.memory_bytes = MEMORY,
                           .max_calls_out = 16,
                           .max_args_bytes = 65536,
                           .max_args_values = 1000,
                           .max_result_depth = 100,
                           .code = bytes_str(code),
                           .names = bytes_str("[\"t\"]"),
                           .catalogue = bytes_str("[{\"name\":\"t\",\"description\":\"\"}]")};

    wire_put_start(&out, &m);
    T_EQ(fd_write_all(c->socket, buf_bytes(&out)), 0);
}

static inline int next_obituary(const struct warden *w, struct obituary *ret)
{
    struct packet p;
    struct frame f;
    struct wire_died m;
    int r = next_packet(w, &p, &f);

    if (r != 0) {
        return r;
    }
    if (f.type != WIRE_MSG_died || wire_get_died(f.body, &m) != 0) {
        return -EBADMSG;
    }
    *ret = (struct obituary){m.cell, (int)m.status, m.peak_kib, ""};
    copy_text(m.sentence, ret->sentence);
    return 0;
}

static inline void send_kill(const struct warden *w, uint32_t cell)
{
    _cleanup_(buf_done) struct buf out = buf_max(64);

    wire_put_kill(&out, &(struct wire_kill){.cell = cell});
    T_EQ(packet_send(w->control, true, buf_bytes(&out), NULL, 0), 0);
}

/* A running cell: the process of the session under a filter; 0 where there is none. */
static inline pid_t find_cell(const struct warden *w)
{
    pid_t pids[256];
    size_t n = session_pids(w->pid, pids);

    for (size_t i = 0; i < n; i++) {
        if (strcmp(look_line(pids[i], "status", "Seccomp:"), "2") == 0 &&
            strcmp(look_line(pids[i], "limits", "Max open files"), "") != 0 &&
            strncmp(look_line(pids[i], "limits", "Max open files"), "4 ", 2) == 0) {
            return pids[i];
        }
    }
    return 0;
}

/* The zygote: not the warden, not the init, not a cell; the youngest that may open files. */
static inline pid_t find_zygote(const struct warden *w)
{
    pid_t pids[256];
    size_t n = session_pids(w->pid, pids);
    pid_t zygote = 0;

    for (size_t i = 0; i < n; i++) {
        if (strncmp(look_line(pids[i], "limits", "Max open files"), "4 ", 2) != 0 &&
            pids[i] > zygote) {
            zygote = pids[i];
        }
    }
    return zygote;
}

/* Where root runs this: the same once more as an ordinary user, in a process of its own. */
static inline void as_user(void (*test)(void))
{
    const uid_t user = 65534;
    int status = 1;
    pid_t pid;

    if (geteuid() != 0) {
        return;
    }
    pid = fork();
    if (pid == 0) {
        if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 ||
            setresuid(user, user, user) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0) {
            _exit(2);
        }
        t_failures = 0;
        test();
        _exit(t_failures != 0);
    }
    waitpid(pid, &status, 0);
    T_EQ(status, 0);
}

#endif
