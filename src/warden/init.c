/* SPDX-License-Identifier: MIT
 *
 * The init. In tier A it is pid 1 of the run's namespaces; in tiers B and C the warden's one
 * process runs init_serve() itself.
 *
 * One loop over four descriptors: the host's pidfd, the control socket, the zygote's socket,
 * and a signalfd for deaths. Cells are this process's children (the zygote forks them with
 * CLONE_PARENT), so a pid stays theirs until it is reaped here and a kill cannot miss. A death
 * whose pid is still unknown waits, unreaped, for the zygote's reply.
 *
 * Every spawn is answered by exactly one obituary, early or late: a cell that could not be made
 * has status WIRE_EXIT_START. A host that breaks the protocol ends the warden. A zygote that
 * dies is made again, after a pause that doubles while it dies young.
 */
#include "warden/init.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "warden/cells.h"
#include "warden/packet.h"
#include "warden/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    YOUNG_MS = 1000,
    PAUSE_FIRST_MS = 100,
    PAUSE_MAX_MS = 5000,
    LAST_WAIT_MS = 1000,
    NEVER_MADE = WIRE_EXIT_START << 8, /* as a wait status */
};
#define MEMORY_MAX (2048u * WIRE_MIB)

static struct {
    struct warden *w;
    struct cells cells;
    pid_t zygote; /* 0: none */
    int zygote_fd;
    int64_t born_ms;
    int64_t pause_ms;
    int64_t restart_ms; /* when to make the next zygote, 0: now or not at all */
    int deaths;         /* signalfd */
    bool is_up;
    bool is_over;
} init = {.zygote_fd = -1, .deaths = -1};

/* The host is always read again or gone, so that a blocking send ends. */
static void send_control(struct buf *frame)
{
    if (buf_fault(frame) != 0 || packet_send(CONTROL_FD, true, buf_bytes(frame), NULL, 0) != 0) {
        init.is_over = true;
    }
}

static void send_up(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MAX_PACKET);
    struct wire_up m = {.version = WIRE_VERSION,
                        .tier = (uint32_t)init.w->tier,
                        .notice = buf_bytes(&init.w->notice)};

    wire_put_up(&out, &m);
    send_control(&out);
    init.is_up = true;
}

static void send_refused(struct bytes sentence)
{
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MAX_PACKET);
    struct wire_refused m = {.sentence = sentence};

    wire_put_refused(&out, &m);
    send_control(&out);
    init.is_over = true;
}

static void send_died(uint32_t cell, int status, const struct rusage *use, const char *sentence)
{
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MAX_PACKET);
    struct wire_died m = {.cell = cell,
                          .status = (uint32_t)status,
                          .sentence = bytes_str(sentence != NULL ? sentence : "")};

    if (use != NULL) {
        int64_t cpu_us = (int64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
                         use->ru_utime.tv_usec + use->ru_stime.tv_usec;

        m.cpu_ms = (uint32_t)(cpu_us / 1000);
        m.peak_kib = (uint32_t)use->ru_maxrss;
    }
    wire_put_died(&out, &m);
    send_control(&out);
}

/* What a death means that nobody asked for; NULL where the status says it all. */
static const char *explain_death(const struct cell_row *row, int status)
{
    if (WIFEXITED(status)) {
        return cell_exit_sentence(WEXITSTATUS(status));
    }
    if (WTERMSIG(status) == SIGSYS) {
        return "the cell made a system call that is not on its list, and the filter killed it";
    }
    if (WTERMSIG(status) == SIGKILL && row->state != CELL_DOOMED) {
        return "the cell was killed from outside, probably because memory ran out";
    }
    return NULL;
}

/* Fails the cells whose making was lost with the zygote. */
static void fail_asked(void)
{
    for (;;) {
        struct cell_row *row = cells_find_asked(&init.cells);

        if (row == NULL) {
            return;
        }
        send_died(row->cell, NEVER_MADE, NULL, "the zygote died while it made the cell");
        cells_drop(&init.cells, row);
    }
}

static void make_zygote(void)
{
    int r = zygote_start(init.w, &init.zygote, &init.zygote_fd);

    init.restart_ms = 0;
    init.born_ms = clock_now_ms();
    if (r != 0) {
        init.zygote = 0;
        warden_log("event=no-zygote errno=%d", -r);
        init.restart_ms = init.born_ms + PAUSE_MAX_MS;
    }
}

/* After its death: the cells it was making fail, and a next one is made, not too often. */
static void replace_zygote(int status)
{
    int64_t now = clock_now_ms();

    warden_log("event=zygote-died status=%d", status);
    init.zygote = 0;
    fd_close(steal_fd(&init.zygote_fd));
    fail_asked();
    if (!init.is_up) {
        send_refused(bytes_str("the process that makes cells ended before it was ready"));
        return;
    }
    if (now - init.born_ms >= YOUNG_MS) {
        init.pause_ms = 0;
        make_zygote();
        return;
    }
    init.pause_ms = init.pause_ms == 0 ? PAUSE_FIRST_MS : init.pause_ms * 2;
    init.pause_ms = init.pause_ms < PAUSE_MAX_MS ? init.pause_ms : PAUSE_MAX_MS;
    init.restart_ms = now + init.pause_ms;
}

static void on_reply(const struct zygote_reply *m)
{
    struct cell_row *row = m->slot < init.cells.used ? &init.cells.rows[m->slot] : NULL;

    if (m->word == ZYGOTE_READY && !init.is_up) {
        send_up();
    } else if (m->word == ZYGOTE_BROKEN && !init.is_up) {
        send_refused(m->sentence);
    } else if (m->word == ZYGOTE_BROKEN) {
        warden_log("event=zygote-broken errno=%u", m->error);
    } else if (m->word == ZYGOTE_MADE && row != NULL && row->pid == 0) {
        cells_set_pid(&init.cells, row, (pid_t)m->pid);
        if (row->state == CELL_DOOMED) {
            kill(row->pid, SIGKILL);
        }
    } else if (m->word == ZYGOTE_FAILED && row != NULL && row->pid == 0) {
        warden_log("event=no-cell errno=%u", m->error);
        send_died(row->cell, NEVER_MADE, NULL,
                  "the cell could not be forked: no memory, or too many processes");
        cells_drop(&init.cells, row);
    }
}

/* Reads what the zygote has said; false where it is gone. */
static bool hear_zygote(void)
{
    for (;;) {
        struct packet p;
        struct zygote_reply m;
        int r = packet_recv(init.zygote_fd, false, &p);

        if (r != 0) {
            return r == PACKET_E_AGAIN;
        }
        packet_done(&p);
        if (zygote_read(bytes_of(p.data, p.len), &m) != 0) {
            return false;
        }
        on_reply(&m);
    }
}

static void bury_zygote(void)
{
    int status = 0;

    hear_zygote();
    kill(init.zygote, SIGKILL);
    waitpid(init.zygote, &status, 0);
    replace_zygote(status);
}

static void reap_one(pid_t pid, struct cell_row *row)
{
    struct rusage use;
    int status;

    if (wait4(pid, &status, 0, &use) != pid || row == NULL) {
        return;
    }
    send_died(row->cell, status, &use, explain_death(row, status));
    cells_drop(&init.cells, row);
}

static void reap(void)
{
    for (;;) {
        siginfo_t dead = {0};
        struct cell_row *row;

        if (waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0 || dead.si_pid == 0) {
            return;
        }
        if (dead.si_pid == init.zygote) {
            bury_zygote();
            continue;
        }
        row = cells_find_pid(&init.cells, dead.si_pid);
        if (row == NULL && init.cells.asked > 0 && init.zygote != 0) {
            return; /* the reply that tells whose it is comes first */
        }
        reap_one(dead.si_pid, row);
    }
}

static void on_zygote(void)
{
    if (!hear_zygote() && init.zygote != 0) {
        bury_zygote();
    }
    reap();
}

static void on_death(void)
{
    struct signalfd_siginfo info[8];

    while (read(init.deaths, info, sizeof info) > 0) {
    }
    reap();
}

/* Why this page cannot be mapped safely, or NULL: unsealed, its owner could cut it short
 * under the cell. */
static const char *check_page(int fd)
{
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);

    if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW)) {
        return "the cell's shared page is not sealed against shrinking and growing";
    }
    if (fstat(fd, &st) != 0 || st.st_size != WIRE_PAGE_BYTES) {
        return "the cell's shared page is not one page long";
    }
    return NULL;
}

static const char *check_spawn(const struct wire_spawn *m, const struct packet *p)
{
    if (m->language != WIRE_JAVASCRIPT) {
        return "this warden makes cells for JavaScript only";
    }
    if (m->memory_bytes == 0 || m->memory_bytes > MEMORY_MAX) {
        return "a cell's memory must lie between 1 byte and 2 GiB";
    }
    if (p->n_fds != PACKET_FDS) {
        return "a cell needs two descriptors, its socket and its page";
    }
    if (init.zygote == 0) {
        return "the process that makes cells keeps dying; the next one is made after a pause";
    }
    return check_page(p->fds[1]);
}

static void on_spawn(const struct wire_spawn *m, const struct packet *p)
{
    const char *sentence = check_spawn(m, p);
    struct cell_row *row = sentence == NULL ? cells_add(&init.cells, m->cell) : NULL;
    struct zygote_request request = {.memory_bytes = m->memory_bytes};

    if (row == NULL) {
        send_died(m->cell, NEVER_MADE, NULL,
                  sentence != NULL ? sentence : "there are 4,096 cells already");
        return;
    }
    request.slot = cells_slot(&init.cells, row);
    request.uid = init.w->base_uid + 1 + request.slot % (WARDEN_UIDS - 1);
    if (zygote_ask(init.zygote_fd, &request, p->fds) != 0) {
        send_died(m->cell, NEVER_MADE, NULL, "the process that makes cells takes no request");
        cells_drop(&init.cells, row);
    }
}

static void on_kill(const struct wire_kill *m)
{
    struct cell_row *row = cells_find(&init.cells, m->cell);

    if (row == NULL) {
        return;
    }
    row->state = CELL_DOOMED;
    if (row->pid > 0) {
        kill(row->pid, SIGKILL);
    }
}

/* One packet of the host's; 0, or a fault that ends the warden. */
static int on_packet(const struct packet *p)
{
    struct frame frame;
    struct wire_spawn spawn;
    struct wire_kill doom;
    int r = frame_next(bytes_of(p->data, p->len), WIRE_MAX_PACKET, &frame);

    if (r != 0 || frame.size != p->len) {
        return -EBADMSG;
    }
    r = wire_check(frame.type, WIRE_HOST, WIRE_ST_UP);
    if (r != 0) {
        return r;
    }
    if (frame.type == WIRE_MSG_kill) {
        r = wire_get_kill(frame.body, &doom);
        if (r == 0) {
            on_kill(&doom);
        }
        return r;
    }
    r = wire_get_spawn(frame.body, &spawn);
    if (r == 0 && cells_find(&init.cells, spawn.cell) != NULL) {
        return -EPROTO;
    }
    if (r == 0) {
        on_spawn(&spawn, p);
    }
    return r;
}

static void on_control(void)
{
    while (!init.is_over) {
        struct packet p;
        int r = packet_recv(CONTROL_FD, false, &p);

        if (r == PACKET_E_AGAIN) {
            return;
        }
        if (r == 0) {
            r = on_packet(&p);
        }
        packet_done(&p);
        if (r != 0) {
            init.is_over = true;
        }
        if (r < 0) {
            warden_log("event=host-broke-protocol errno=%d", -r);
        }
    }
}

static int poll_timeout(void)
{
    int64_t left;

    if (init.restart_ms == 0) {
        return -1;
    }
    left = init.restart_ms - clock_now_ms();
    return left < 0 ? 0 : (int)left;
}

static void serve_once(void)
{
    struct pollfd fds[] = {
        {.fd = init.w->host_fd, .events = POLLIN},
        {.fd = CONTROL_FD, .events = init.is_up ? POLLIN : 0},
        {.fd = init.zygote_fd, .events = POLLIN},
        {.fd = init.deaths, .events = POLLIN},
    };

    if (poll(fds, ARRAY_SIZE(fds), poll_timeout()) < 0 && errno != EINTR) {
        init.is_over = true;
        return;
    }
    if (fds[0].revents != 0 || (fds[1].revents & (POLLHUP | POLLERR)) != 0) {
        init.is_over = true;
        return;
    }
    if (fds[1].revents != 0) {
        on_control();
    }
    if (fds[2].revents != 0) {
        on_zygote();
    }
    if (fds[3].revents != 0) {
        on_death();
    }
    if (init.restart_ms != 0 && clock_now_ms() >= init.restart_ms) {
        make_zygote();
    }
}

/* Tiers B and C: nobody but this process can end the others. The zygote goes first, so that
 * no cell is made any more; what it had made is then known from its last replies. */
static void kill_all(void)
{
    int64_t end = clock_now_ms() + LAST_WAIT_MS;

    if (init.zygote != 0) {
        kill(init.zygote, SIGKILL);
        waitpid(init.zygote, NULL, 0);
        hear_zygote();
    }
    for (size_t i = 0; i < init.cells.used; i++) {
        if (init.cells.rows[i].pid > 0) {
            kill(init.cells.rows[i].pid, SIGKILL);
        }
    }
    /* A cell that nobody knows dies with this process; so the wait has an end. */
    while (clock_now_ms() < end) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0) {
            return;
        }
        if (pid == 0) {
            poll(NULL, 0, 1);
        }
    }
}

void init_serve(struct warden *w)
{
    sigset_t deaths;

    init.w = w;
    sigemptyset(&deaths);
    sigaddset(&deaths, SIGCHLD);
    sigprocmask(SIG_BLOCK, &deaths, NULL);
    init.deaths = signalfd(-1, &deaths, SFD_CLOEXEC | SFD_NONBLOCK);
    if (init.deaths < 0) {
        send_refused(bytes_str("the warden has no descriptor left (ulimit -n)"));
        return;
    }
    make_zygote();
    if (init.zygote == 0) {
        send_refused(bytes_str("the process that makes cells could not be forked (ulimit -u, "
                               "memory)"));
    }
    while (!init.is_over) {
        serve_once();
    }
    if (!w->has_pid_ns) {
        kill_all();
    }
}

static struct init_report enter(void)
{
    int r = space_become_root();

    if (r != 0) {
        return (struct init_report){SPACE_IDS, -r};
    }
    r = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 ? space_empty_root() : -errno;
    return (struct init_report){r != 0 ? SPACE_ROOT : 0, -r};
}

void init_main(struct warden *w, int monitor)
{
    struct init_report report;
    struct packet p;
    uint8_t bytes[2];

    if (packet_recv(monitor, true, &p) != 0) {
        _exit(0);
    }
    report = enter();
    bytes[0] = (uint8_t)report.step;
    bytes[1] = (uint8_t)report.error;
    /* Where the monitor died before the signal of its death was set, this fails. */
    if (packet_send(monitor, true, bytes_of(bytes, sizeof bytes), NULL, 0) != 0 ||
        report.step != 0) {
        _exit(0);
    }
    init_serve(w);
    _exit(0);
}

int init_release(int socket, struct init_report *ret)
{
    struct packet p;
    int r = packet_send(socket, true, bytes_str("go"), NULL, 0);

    if (r == 0) {
        r = packet_recv(socket, true, &p);
    }
    if (r != 0 || p.len != 2) {
        return r < 0 ? r : -EPIPE;
    }
    *ret = (struct init_report){(enum space_step)p.data[0], p.data[1]};
    return 0;
}
