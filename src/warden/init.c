/* SPDX-License-Identifier: MIT
 *
 * The init. In tier A it is pid 1 of the run's namespaces; in tiers B and C the warden's one
 * process runs init_serve() itself.
 *
 * One loop over five descriptors: the host's pidfd, the control socket, a signalfd for deaths,
 * and the sockets of the zygotes (nursery.h). Cells are this process's children (the zygote forks
 * them with CLONE_PARENT), so a pid stays theirs until it is reaped here and a kill cannot miss. A
 * death whose pid is still unknown waits, unreaped, for the zygote's reply.
 *
 * Every spawn is answered by exactly one obituary, early or late: a cell that could not be made
 * has status WIRE_EXIT_START. A host that breaks the protocol ends the warden.
 */
#include "warden/init.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "warden/caps.h"
#include "warden/cells.h"
#include "warden/nursery.h"
#include "warden/packet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LAST_WAIT_MS = 1000,
    NEVER_MADE = WIRE_EXIT_START << 8, /* as a wait status */
};
#define MEMORY_MAX (2048u * WIRE_MIB)

static struct {
    struct warden *w;
    struct cells cells;
    int deaths; /* signalfd */
    bool is_up;
    bool is_over;
} init = {.deaths = -1};

/* The host always reads again or is gone, so that a blocking send ends; after the end nobody is to
 * be told. */
static void send_control(struct buf *frame)
{
    if (init.is_over) {
        return;
    }
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

static int64_t cpu_us(const struct rusage *use)
{
    return (int64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
           use->ru_utime.tv_usec + use->ru_stime.tv_usec;
}

static void send_died(uint32_t cell, int status, const struct rusage *use, const char *sentence)
{
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MAX_PACKET);
    struct wire_died m = {.cell = cell,
                          .status = (uint32_t)status,
                          .sentence = bytes_str(sentence != NULL ? sentence : "")};

    if (use != NULL) {
        m.cpu_ms = (uint32_t)(cpu_us(use) / 1000);
        m.peak_kib = (uint32_t)use->ru_maxrss;
    }
    wire_put_died(&out, &m);
    send_control(&out);
}

/* Whether a limit on processor time ended it: SIGXCPU at the soft one, which as pid 1 it does not
 * hear, SIGKILL at the hard one. The kernel counts by its ticks, and may fire a little early. */
static bool is_out_of_time(int signal, const struct rusage *use)
{
    uint64_t seconds = signal == SIGXCPU   ? cell_limits_cpu_seconds(false)
                       : signal == SIGKILL ? cell_limits_cpu_seconds(true)
                                           : UINT32_MAX;

    return (uint64_t)cpu_us(use) >= seconds * 800000;
}

/* What a death means that nobody asked for; NULL where the status says it all. */
static const char *explain_death(const struct cell_row *row, int status, const struct rusage *use)
{
    if (WIFEXITED(status)) {
        return cell_exit_sentence(WEXITSTATUS(status));
    }
    if (WTERMSIG(status) == SIGSYS) {
        return "the cell made a system call outside its list, and the filter killed it";
    }
    if (row->state == CELL_DOOMED) {
        return NULL;
    }
    if (is_out_of_time(WTERMSIG(status), use)) {
        return "the cell used up the limit on processor time that its host inherited (ulimit -t), "
               "or, without one, 25 hours";
    }
    if (WTERMSIG(status) == SIGKILL) {
        return "the cell was killed from outside, probably because memory ran out";
    }
    return NULL;
}

/* Fails the cells whose making was lost with a zygote. */
static void fail_asked(uint32_t zygote)
{
    for (;;) {
        struct cell_row *row = cells_find_asked(&init.cells, zygote);

        if (row == NULL) {
            return;
        }
        send_died(row->cell, NEVER_MADE, NULL, "the zygote died while it made the cell");
        cells_drop(&init.cells, row);
    }
}

static void on_made(const struct zygote_reply *m, uint32_t zygote)
{
    struct cell_row *row = m->slot < init.cells.used ? &init.cells.rows[m->slot] : NULL;

    if (row == NULL || row->pid != 0 || row->made_by != zygote) {
        return;
    }
    if (m->word == ZYGOTE_MADE) {
        cells_set_pid(&init.cells, row, (pid_t)m->pid);
        if (row->state == CELL_DOOMED) {
            kill(row->pid, SIGKILL);
        }
        return;
    }
    warden_log("event=no-cell errno=%u", m->error);
    send_died(row->cell, NEVER_MADE, NULL,
              "the cell could not be forked: no memory, or too many processes");
    cells_drop(&init.cells, row);
}

static void on_zygote_event(const struct nursery_event *e)
{
    switch (e->reply.word) {
    case ZYGOTE_READY:
        if (!init.is_up) {
            send_up();
        }
        break;
    case ZYGOTE_BROKEN:
        warden_log("event=zygote-broken errno=%u", e->reply.error);
        if (!init.is_up) {
            send_refused(e->reply.sentence);
        }
        break;
    case ZYGOTE_LOST:
        fail_asked(e->zygote);
        if (!init.is_up && !init.is_over) {
            send_refused(bytes_str("the process that makes cells ended before it was ready"));
        }
        break;
    default:
        on_made(&e->reply, e->zygote);
    }
}

static void hear_zygotes(void)
{
    struct nursery_event e;
    struct packet p;

    while (nursery_next(&p, &e)) {
        on_zygote_event(&e);
    }
}

static void reap_one(pid_t pid, struct cell_row *row)
{
    struct rusage use;
    int status;

    if (wait4(pid, &status, 0, &use) != pid || row == NULL) {
        return;
    }
    send_died(row->cell, status, &use, explain_death(row, status, &use));
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
        if (nursery_mark_dead(dead.si_pid)) {
            hear_zygotes();
            continue;
        }
        row = cells_find_pid(&init.cells, dead.si_pid);
        if (row == NULL && init.cells.asked > 0 && nursery_is_alive()) {
            return; /* the reply that tells whose it is comes first */
        }
        reap_one(dead.si_pid, row);
    }
}

static void on_zygote(void)
{
    hear_zygotes();
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
    request.uid = init.w->base_uid + row->uid;
    sentence = nursery_ask(&request, p->fds, &row->made_by);
    if (sentence != NULL) {
        send_died(m->cell, NEVER_MADE, NULL, sentence);
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

static void serve_once(void)
{
    struct pollfd fds[] = {
        {.fd = init.w->host_fd, .events = POLLIN},
        {.fd = CONTROL_FD, .events = init.is_up ? POLLIN : 0},
        {.fd = init.deaths, .events = POLLIN},
        {.fd = nursery_fd(0), .events = POLLIN},
        {.fd = nursery_fd(1), .events = POLLIN},
    };

    if (poll(fds, ARRAY_SIZE(fds), nursery_timeout()) < 0 && errno != EINTR) {
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
    if (fds[3].revents != 0 || fds[4].revents != 0) {
        on_zygote();
    }
    if (fds[2].revents != 0) {
        on_death();
    }
    nursery_tick();
}

/* A cell that a zygote had forked and could not tell any more: the kernel knows it, if it keeps
 * such a list. The zygotes are gone, so nobody makes another. */
static void kill_untold(void)
{
    char path[64];
    char *text = NULL;
    size_t len;
    int pid;
    int width = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    if (fd_read_file(path, 16UL * CELLS_MAX, &text, &len) != 0) {
        return;
    }
    for (const char *at = text; sscanf(at, "%d%n", &pid, &width) == 1; at += width) {
        kill(pid, SIGKILL);
    }
    mem_free(text);
}

/* Tiers B and C: nobody but this process can end the others. The zygotes go first, so that
 * no cell is made any more; what they had made is then known from their last replies. */
static void kill_all(void)
{
    int64_t end = clock_now_ms() + LAST_WAIT_MS;

    nursery_kill();
    hear_zygotes();
    for (size_t i = 0; i < init.cells.used; i++) {
        if (init.cells.rows[i].pid > 0) {
            kill(init.cells.rows[i].pid, SIGKILL);
        }
    }
    kill_untold();
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
    if (nursery_start(w) != 0) {
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
    r = prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ? -errno : 0;
    if (r == 0 && !ablate_is_off(OFF_ROOT)) {
        r = space_empty_root();
    }
    if (r != 0) {
        return (struct init_report){SPACE_ROOT, -r};
    }
    /* To kill cells, and what the zygotes need. */
    r = caps_keep(CAPS(KILL) | CAPS(SETPCAP) | CAPS(SYS_ADMIN) | CAPS(SETUID) | CAPS(SETGID));
    return (struct init_report){r != 0 ? SPACE_IDS : 0, -r};
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
