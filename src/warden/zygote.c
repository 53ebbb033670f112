/* SPDX-License-Identifier: MIT
 *
 * The JavaScript zygote: a child of the init (tiers B and C: of the warden's one process).
 *
 * It is this program once more, by exec, so that its address layout and its stack canary, which
 * its cells share, are its own and not the init's. It makes the engine ready once and then forks a
 * cell per request. CLONE_PARENT makes the cell its parent's child, so that the init reaps it and
 * holds its pid; the zygote itself waits for nobody. It runs no script, and what it holds its cells
 * inherit: so it holds no descriptor but its socket, and no secret.
 *
 * A zygote that is killed between a fork and its reply leaves a cell whose pid nobody knows:
 * the host is told that the cell failed and closes its socket, upon which the cell, which has
 * read no script, exits.
 */
#include "warden/zygote.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "warden/caps.h"
#include "warden/sys.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { ZYGOTE_FD = 3, SET_MDWE = 65, MDWE_REFUSE_EXEC_GAIN = 1 };

/* A packet is small and its buffer ours; it never grows. */
struct out {
    uint8_t bytes[WIRE_MAX_PACKET + 1];
};

static struct buf out_buf(struct out *out)
{
    return (struct buf){.data = out->bytes, .cap = sizeof out->bytes, .max = sizeof out->bytes - 1};
}

int zygote_ask(int socket, const struct zygote_request *request, const int *fds)
{
    struct out out;
    struct buf b = out_buf(&out);

    buf_put_u32(&b, request->slot);
    buf_put_u32(&b, request->memory_bytes);
    buf_put_u32(&b, request->uid);
    return packet_send(socket, false, buf_bytes(&b), fds, PACKET_FDS);
}

static int read_request(const struct packet *p, struct zygote_request *ret)
{
    struct reader r = reader_of(bytes_of(p->data, p->len));

    ret->slot = reader_u32(&r);
    ret->memory_bytes = reader_u32(&r);
    ret->uid = reader_u32(&r);
    return reader_done(&r) == 0 && p->n_fds == PACKET_FDS ? 0 : -EBADMSG;
}

static void reply(const struct zygote_reply *m)
{
    struct out out;
    struct buf b = out_buf(&out);

    buf_put_u32(&b, m->word);
    buf_put_u32(&b, m->slot);
    buf_put_u32(&b, m->pid);
    buf_put_u32(&b, m->error);
    buf_put_u32(&b, (uint32_t)m->sentence.len);
    buf_put_bytes(&b, m->sentence);
    if (packet_send(ZYGOTE_FD, true, buf_bytes(&b), NULL, 0) != 0) {
        _exit(0); /* the init is gone */
    }
}

__attribute__((noreturn)) static void refuse_start(int error, const char *sentence)
{
    reply(&(struct zygote_reply){
        .word = ZYGOTE_BROKEN, .error = (uint32_t)error, .sentence = bytes_str(sentence)});
    _exit(1);
}

int zygote_read(struct bytes data, struct zygote_reply *ret)
{
    struct reader r = reader_of(data);

    ret->word = reader_u32(&r);
    ret->slot = reader_u32(&r);
    ret->pid = reader_u32(&r);
    ret->error = reader_u32(&r);
    ret->sentence = reader_bytes(&r, WIRE_MAX_SENTENCE);
    return reader_done(&r);
}

/* In the new cell. The page is mapped here, so that the zygote's own memory stays as it is. */
static void become_cell(const struct warden *w, const struct zygote_request *request, pid_t parent,
                        const int *fds)
{
    struct cell_inherit inherit = {
        .socket = fds[0],
        .memory_bytes = request->memory_bytes,
        .uid = request->uid,
        .may_drop_uid = w->may_drop_uid,
        .has_pid_ns = w->has_pid_ns,
        .is_for_attempts = w->is_for_attempts,
        .parent = parent,
    };
    void *page =
        mmap(NULL, WIRE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fds[1], 0);

    if (page == MAP_FAILED) {
        _exit(WIRE_EXIT_START);
    }
    inherit.page = page;
    cell_main(&inherit);
}

static void make_cell(const struct warden *w, struct packet *p, pid_t parent)
{
    struct zygote_request request;
    pid_t pid;

    if (read_request(p, &request) != 0) {
        _exit(0); /* only our own init can have sent it */
    }
    pid = sys_fork(CLONE_PARENT | (w->has_pid_ns ? CLONE_NEWPID : 0));
    if (pid == 0) {
        become_cell(w, &request, parent, p->fds);
    }
    reply(&(struct zygote_reply){
        .word = pid > 0 ? ZYGOTE_MADE : ZYGOTE_FAILED,
        .slot = request.slot,
        .pid = pid > 0 ? (uint32_t)pid : 0,
        .error = pid > 0 ? 0 : (uint32_t)-pid,
        .sentence = bytes_none(),
    });
}

/* What it needs to fork cells, and they to become somebody else. */
static uint64_t caps_needed(const struct warden *w)
{
    return (w->has_pid_ns ? CAPS(SYS_ADMIN) : 0) |
           (w->may_drop_uid ? CAPS(SETUID) | CAPS(SETGID) : 0);
}

/* Walls that cells inherit: raised once here. */
static int raise_shared_walls(const struct warden *w)
{
    struct rlimit none = {0, 0};

    if (setrlimit(RLIMIT_CORE, &none) != 0 ||
        (!ablate_is_off(OFF_DUMPABLE) && prctl(PR_SET_DUMPABLE, 0) != 0)) {
        return -errno;
    }
    if (!ablate_is_off(OFF_CAPS) && (caps_bound(0) != 0 || caps_keep(caps_needed(w)) != 0)) {
        return -EPERM;
    }
    ablate_keep_caps();
    /* A first write to a huge page would copy 2 MiB. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    /* Kernels before 6.3 have no such wall; there the filter alone refuses executable memory. */
    if (!ablate_is_off(OFF_MDWE)) {
        prctl(SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0);
    }
    return 0;
}

static void prepare(const struct warden *w, pid_t parent)
{
    const char *sentence = "the zygote's own walls could not be raised";
    int r;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        _exit(0);
    }
    r = raise_shared_walls(w);
    if (r == 0 && !ablate_is_off(OFF_DESCRIPTORS)) {
        r = fd_close_from(ZYGOTE_FD + 1);
    }
    if (r == 0) {
        r = cell_prepare_filter(&sentence);
    }
    if (r == 0) {
        r = cell_prepare(&sentence);
    }
    if (r != 0) {
        refuse_start(-r, sentence);
    }
    reply(&(struct zygote_reply){.word = ZYGOTE_READY, .sentence = bytes_none()});
}

void zygote_main(pid_t parent, const char *letters)
{
    const struct warden warden = {.tier = letters[0],
                                  .has_pid_ns = strchr(letters, 'p') != NULL,
                                  .may_drop_uid = strchr(letters, 'u') != NULL,
                                  .is_for_attempts = strchr(letters, 'a') != NULL};
    const struct warden *w = &warden;

    prepare(w, parent);
    for (;;) {
        struct packet p;

        if (packet_recv(ZYGOTE_FD, true, &p) != 0) {
            _exit(0);
        }
        make_cell(w, &p, parent);
        packet_done(&p);
    }
}

/* The tier, and a letter for each thing that is so. */
static void put_letters(const struct warden *w, char letters[5])
{
    size_t n = 0;

    letters[n++] = w->tier;
    if (w->has_pid_ns) {
        letters[n++] = 'p';
    }
    if (w->may_drop_uid) {
        letters[n++] = 'u';
    }
    if (w->is_for_attempts) {
        letters[n++] = 'a';
    }
    letters[n] = '\0';
}

/* In the child: the chroot of tier B, then the program, with an empty environment. */
__attribute__((noreturn)) static void exec_zygote(const struct warden *w, pid_t parent, int socket)
{
    char number[16];
    char letters[5];
    char *argv[] = {(char *)(uintptr_t) "torno-warden", (char *)(uintptr_t) "--zygote", number,
                    letters, NULL};
    char *none[] = {NULL};

    snprintf(number, sizeof number, "%d", (int)parent);
    put_letters(w, letters);
    if (!w->has_pid_ns) {
        warden_prefer_in_oom("self"); /* in tier A the monitor did it */
    }
    if (dup2(socket, ZYGOTE_FD) < 0) {
        _exit(1);
    }
    if (w->root_fd >= 0 && !ablate_is_off(OFF_ROOT) &&
        (fchdir(w->root_fd) != 0 || chroot(".") != 0)) {
        refuse_start(errno, "the zygote could not be locked into an empty folder");
    }
    syscall(SYS_execveat, w->program_fd, "", argv, ablate_environment(none), AT_EMPTY_PATH);
    refuse_start(errno, "the warden could not start itself anew as the zygote (its file must be "
                        "one that every user may run: chmod 755)");
}

int zygote_start(const struct warden *w, pid_t *ret_pid, int *ret_socket)
{
    pid_t parent = getpid();
    int pair[2];
    pid_t pid;
    _cleanup_(close_p) int ours = -1;
    _cleanup_(close_p) int theirs = -1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return -errno;
    }
    ours = pair[0];
    theirs = pair[1];
    pid = sys_fork(0);
    if (pid < 0) {
        return pid;
    }
    if (pid == 0) {
        exec_zygote(w, parent, theirs);
    }
    *ret_pid = pid;
    *ret_socket = steal_fd(&ours);
    return 0;
}
