/* SPDX-License-Identifier: MIT
 *
 * The warden's process and channel; see host/control.h.
 *
 * No signal handler and no SIGCHLD: the process is watched by a pidfd. What the warden says is
 * read as strictly as what a cell says, but a breach here means that the warden is broken: it is
 * killed, and the host starts nothing any more. Spawns and kills that the channel does not take
 * wait as flags on their cells, so that nothing is queued without bound.
 */
#include "host/control.h"

#include "base/fd.h"
#include "base/mem.h"
#include "host/pool.h"
#include "host/utf8.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTROL_FD = 3, FIRST_SAFE_FD = 10 };

struct ends {
    int ours;
    int theirs;
};

static void close_ends(struct ends *e)
{
    fd_close(e->ours);
    fd_close(e->theirs);
}

/* Moves both ends above the descriptors that the warden gets, where a host with its standard
 * descriptors closed would find them. */
static int lift(struct ends *e)
{
    int *const both[2] = {&e->ours, &e->theirs};

    for (size_t i = 0; i < 2; i++) {
        int fd = fcntl(*both[i], F_DUPFD_CLOEXEC, FIRST_SAFE_FD);

        if (fd < 0) {
            return -errno;
        }
        fd_close(*both[i]);
        *both[i] = fd;
    }
    return fd_set_nonblock(e->ours, true);
}

static int make_ends(struct ends *ret_control, struct ends *ret_words)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        return -errno;
    }
    *ret_control = (struct ends){pair[0], pair[1]};
    if (pipe2(pair, O_CLOEXEC) < 0) {
        return -errno;
    }
    *ret_words = (struct ends){pair[0], pair[1]};
    return 0;
}

static int set_actions(posix_spawn_file_actions_t *a, int control, int words)
{
    int r = posix_spawn_file_actions_addopen(a, 0, "/dev/null", O_RDONLY, 0);

    if (r == 0) {
        r = posix_spawn_file_actions_addopen(a, 1, "/dev/null", O_WRONLY, 0);
    }
    if (r == 0) {
        r = posix_spawn_file_actions_adddup2(a, words, 2);
    }
    if (r == 0) {
        r = posix_spawn_file_actions_adddup2(a, control, CONTROL_FD);
    }
    if (r == 0) {
        r = posix_spawn_file_actions_addclosefrom_np(a, CONTROL_FD + 1);
    }
    return r;
}

static int set_attributes(posix_spawnattr_t *a)
{
    sigset_t all;
    sigset_t none;
    int r;

    sigfillset(&all);
    sigemptyset(&none);
    r = posix_spawnattr_setsigdefault(a, &all);
    if (r == 0) {
        r = posix_spawnattr_setsigmask(a, &none);
    }
    if (r == 0) {
        r = posix_spawnattr_setflags(a, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETSIGMASK);
    }
    return r;
}

static int spawn_with(const struct host *host, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes, pid_t *ret)
{
    char pid[24];
    char tier[] = "--walls=A";
    char attempts[] = "--attempts";
    char *argv[] = {(char *)(uintptr_t)host->options.warden_path, pid, tier,
                    host->options.is_for_attempts ? attempts : NULL, NULL};
    char *envp[] = {NULL};

    if (host->options.max_tier != '\0') {
        tier[sizeof tier - 2] = host->options.max_tier;
    }
    snprintf(pid, sizeof pid, "%jd", (intmax_t)getpid());
    return -posix_spawn(ret, argv[0], actions, attributes, argv, envp);
}

static int spawn_warden(const struct host *host, int control, int words, pid_t *ret)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int r = posix_spawn_file_actions_init(&actions);

    if (r != 0) {
        return -r;
    }
    r = posix_spawnattr_init(&attributes);
    if (r == 0) {
        r = set_actions(&actions, control, words);
        if (r == 0) {
            r = set_attributes(&attributes);
        }
        r = r != 0 ? -r : spawn_with(host, &actions, &attributes, ret);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return r;
}

void control_lose(struct host *host, const char *sentence)
{
    host_lost(host, sentence);
    control_kill(host);
}

/* What a cell wants, in one packet: 0 sent, 1 later, -errno. */
static int send_packet(const struct host *host, const struct buf *frame, const int *fds)
{
    union {
        char space[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec part = {.iov_base = frame->data, .iov_len = frame->len};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n;

    if (fds != NULL) {
        m.msg_control = control.space;
        m.msg_controllen = sizeof control.space;
        *CMSG_FIRSTHDR(&m) = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                                              .cmsg_type = SCM_RIGHTS,
                                              .cmsg_len = CMSG_LEN(2 * sizeof(int))};
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), fds, 2 * sizeof(int));
    }
    do {
        n = sendmsg(host->control, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? 1 : -errno;
    }
    return 0;
}

static int send_spawn(struct cell *c)
{
    _cleanup_(buf_done) struct buf frame = buf_max(WIRE_MAX_PACKET);
    struct wire_spawn m = {
        .cell = c->id, .language = WIRE_JAVASCRIPT, .memory_bytes = c->memory_bytes};
    int fds[2] = {c->remote_socket, c->page_fd};
    int r;

    wire_put_spawn(&frame, &m);
    r = send_packet(c->host, &frame, fds);
    if (r == 0) {
        c->wants_spawn = false;
        fd_close(steal_fd(&c->remote_socket));
        fd_close(steal_fd(&c->page_fd));
    }
    return r;
}

static int send_kill(struct cell *c)
{
    _cleanup_(buf_done) struct buf frame = buf_max(WIRE_MAX_PACKET);
    struct wire_kill m = {.cell = c->id};
    int r;

    wire_put_kill(&frame, &m);
    r = send_packet(c->host, &frame, NULL);
    if (r == 0) {
        c->wants_kill = false;
    }
    return r;
}

static void on_control(uv_poll_t *poll, int status, int events);

static void poll_control(struct host *host, bool is_full)
{
    uv_poll_start(&host->control_poll, UV_READABLE | (is_full ? UV_WRITABLE : 0), on_control);
}

void control_pump(struct host *host)
{
    int r = 0;

    if (host->control < 0 || host->is_lost || !host->is_up) {
        return;
    }
    for (struct cell *c = host->cells; c != NULL && r == 0; c = c->next) {
        if (c->wants_spawn) {
            r = send_spawn(c);
        }
        if (r == 0 && c->wants_kill) {
            r = send_kill(c);
        }
    }
    if (r < 0) {
        return; /* the channel is gone: its pidfd tells */
    }
    if (host->is_control_polled != (r == 1)) {
        host->is_control_polled = r == 1;
        poll_control(host, r == 1);
    }
}

static void take_up(struct host *host, struct bytes body)
{
    struct wire_up m;

    if (wire_get_up(body, &m) < 0 || m.version != WIRE_VERSION || m.tier < 'A' || m.tier > 'C') {
        control_lose(host,
                     "the warden speaks another version of the protocol: install torno again, "
                     "host and warden together");
        return;
    }
    buf_clear(&host->walls);
    buf_printf(&host->walls, "tier %c%s", (int)m.tier, m.notice.len > 0 ? ": " : "");
    utf8_put_clean(&host->walls, m.notice);
    host_is_up(host);
}

static void take_refused(struct host *host, struct bytes body)
{
    _cleanup_(buf_done) struct buf sentence = buf_max((size_t)4 * WIRE_MAX_SENTENCE);
    struct wire_refused m;

    if (wire_get_refused(body, &m) == 0) {
        utf8_put_clean(&sentence, m.sentence);
    }
    control_lose(host, sentence.len > 0 ? buf_str(&sentence) : "the warden refused without a word");
}

static int take_died(struct host *host, struct bytes body)
{
    struct wire_died m;
    int r = wire_get_died(body, &m);

    if (r == 0) {
        pool_died(host, &m);
    }
    return r;
}

static void take_packet(struct host *host, struct bytes packet)
{
    struct frame f;
    int r = frame_next(packet, WIRE_MAX_PACKET, &f);

    if (r == 0 && f.size != packet.len) {
        r = -EBADMSG;
    }
    if (r == 0) {
        r = wire_check(f.type, WIRE_WARDEN, host->is_up ? WIRE_ST_UP : WIRE_ST_BUILDING);
    }
    if (r == 0 && f.type == WIRE_MSG_up) {
        take_up(host, f.body);
    } else if (r == 0 && f.type == WIRE_MSG_refused) {
        take_refused(host, f.body);
    } else if (r == 0) {
        r = take_died(host, f.body);
    }
    if (r != 0) {
        control_lose(host, "the warden broke the protocol and was killed");
    }
}

/* 1 where more may be there, 0 not now, -1 the end. */
static int read_packet(struct host *host)
{
    uint8_t packet[WIRE_MAX_PACKET + 1];
    ssize_t n = recv(host->control, packet, sizeof packet, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return 0;
    }
    if (n <= 0) {
        return -1;
    }
    take_packet(host, bytes_of(packet, (size_t)n));
    return 1;
}

static void read_packets(struct host *host)
{
    int r = 1;

    while (r > 0 && host->control >= 0) {
        r = read_packet(host);
    }
    if (r < 0) {
        uv_poll_stop(&host->control_poll);
        if (!host->is_closing) {
            control_kill(host); /* it hung up: what is left of it ends, and the pidfd tells */
        }
    }
}

static void on_control(uv_poll_t *poll, int status, int events)
{
    struct host *host = poll->data;

    (void)status;
    if ((events & UV_WRITABLE) != 0) {
        control_pump(host);
    }
    read_packets(host);
}

/* Waits: only for a warden that was just started or killed. Leaves how it ended, where that is
 * known: an embedding program may have reaped it already. */
static void reap(struct host *host)
{
    siginfo_t info = {0};

    if (waitid(P_PIDFD, (id_t)host->warden_pidfd, &info, WEXITED) < 0) {
        return;
    }
    if (info.si_code == CLD_EXITED) {
        snprintf(host->warden_end, sizeof host->warden_end, " (status %d)", info.si_status);
    } else {
        const char *name = sigabbrev_np(info.si_status);

        snprintf(host->warden_end, sizeof host->warden_end, " (ended by SIG%s)",
                 name == NULL ? "?" : name);
    }
}

static void on_death(uv_poll_t *poll, int status, int events)
{
    struct host *host = poll->data;

    (void)status;
    (void)events;
    reap(host);
    uv_poll_stop(&host->death_poll);
    read_packets(host);
    host_warden_gone(host);
}

static void on_words(uv_poll_t *poll, int status, int events)
{
    struct host *host = poll->data;
    uint8_t text[1024];
    ssize_t n = read(host->words, text, sizeof text);

    (void)status;
    (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        uv_poll_stop(&host->words_poll);
        return;
    }
    if (host->last_words.len + (size_t)n > LAST_WORDS_BYTES) {
        buf_drop(&host->last_words, host->last_words.len + (size_t)n - LAST_WORDS_BYTES);
    }
    buf_put(&host->last_words, text, (size_t)n);
}

static int watch(struct host *host, uv_poll_t *poll, int fd, uv_poll_cb callback)
{
    if (uv_poll_init(host->loop, poll, fd) < 0) {
        return -ENOMEM;
    }
    poll->data = host;
    host_opened(host);
    return uv_poll_start(poll, UV_READABLE, callback) < 0 ? -ENOMEM : 0;
}

static int watch_all(struct host *host)
{
    int r = watch(host, &host->control_poll, host->control, on_control);

    if (r == 0) {
        r = watch(host, &host->death_poll, host->warden_pidfd, on_death);
    }
    return r < 0 ? r : watch(host, &host->words_poll, host->words, on_words);
}

static int start(struct host *host, struct ends *control, struct ends *words)
{
    int r = make_ends(control, words);

    if (r == 0) {
        r = lift(control);
    }
    if (r == 0) {
        r = lift(words);
    }
    if (r == 0) {
        r = spawn_warden(host, control->theirs, words->theirs, &host->warden_pid);
    }
    if (r == 0) {
        host->warden_pidfd = pidfd_open(host->warden_pid, 0);
        r = host->warden_pidfd < 0 ? -errno : 0;
        if (r < 0) {
            kill(host->warden_pid, SIGKILL);
            waitpid(host->warden_pid, NULL, 0);
        }
    }
    return r;
}

int control_start(struct host *host, struct buf *ret_sentence)
{
    _cleanup_(close_ends) struct ends control = {-1, -1};
    _cleanup_(close_ends) struct ends words = {-1, -1};
    int r = start(host, &control, &words);

    if (r < 0) {
        buf_printf(ret_sentence, "the warden %s cannot be started: %s%s", host->options.warden_path,
                   strerror(-r),
                   r == -ENOSYS ? " (pidfd_open: Linux 5.4 or later is needed)"
                   : access("/dev/null", R_OK | W_OK) < 0 ? " (/dev/null)"
                                                          : "");
        return r;
    }
    host->control = steal_fd(&control.ours);
    host->words = steal_fd(&words.ours);
    r = watch_all(host);
    if (r < 0) {
        buf_put_str(ret_sentence, "the loop takes no more descriptors to watch");
    }
    return r;
}

void control_hang_up(struct host *host)
{
    if (host->control >= 0) {
        shutdown(host->control, SHUT_WR);
    }
}

void control_kill(struct host *host)
{
    if (host->warden_pidfd >= 0 && !host->is_warden_gone) {
        pidfd_send_signal(host->warden_pidfd, SIGKILL, NULL, 0);
    }
}

void control_abandon(struct host *host)
{
    if (host->warden_pidfd >= 0) {
        control_kill(host);
        reap(host);
        host->is_warden_gone = true;
    }
}

static void on_closed(uv_handle_t *handle)
{
    struct host *host = handle->data;

    if (handle == (uv_handle_t *)&host->control_poll) {
        fd_close(steal_fd(&host->control));
    } else if (handle == (uv_handle_t *)&host->death_poll) {
        fd_close(steal_fd(&host->warden_pidfd));
    } else {
        fd_close(steal_fd(&host->words));
    }
    host_handle_closed(host);
}

void control_close(struct host *host)
{
    uv_poll_t *const polls[] = {&host->control_poll, &host->death_poll, &host->words_poll};

    for (size_t i = 0; i < ARRAY_SIZE(polls); i++) {
        if (polls[i]->data != NULL && !uv_is_closing((uv_handle_t *)polls[i])) {
            uv_close((uv_handle_t *)polls[i], on_closed);
        }
    }
}
