/* SPDX-License-Identifier: MIT
 *
 * The JavaScript zygote: a child of the init (tiers B and C: of the warden's one process).
 *
 * It makes the engine ready once and then forks a cell per request. CLONE_PARENT makes the
 * cell its parent's child, so that the init reaps it and holds its pid; the zygote itself
 * waits for nobody. It runs no script, and what it holds its cells inherit: so it holds no
 * descriptor but its socket, and no secret.
 *
 * A zygote that is killed between a fork and its reply leaves a cell whose pid nobody knows:
 * the host is told that the cell failed and closes its socket, upon which the cell, which has
 * read no script, exits.
 */
#include "warden/zygote.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cell/cell.h"
#include "warden/sys.h"

#include <fcntl.h>
#include <linux/capability.h>
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

/* What nobody after it shall get back by an exec; that may fail where it has no such right. */
static void drop_bounding_set(void)
{
    for (int cap = 0; cap <= CAP_LAST_CAP + 32; cap++) {
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0) {
            break;
        }
    }
}

/* Walls that cells inherit: raised once here. */
static int raise_shared_walls(const struct warden *w)
{
    struct rlimit none = {0, 0};

    if (w->root_fd >= 0 && (fchdir(w->root_fd) != 0 || chroot(".") != 0)) {
        return -errno;
    }
    if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0) {
        return -errno;
    }
    drop_bounding_set();
    /* A first write to a huge page would copy 2 MiB. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    /* Kernels before 6.3 have no such wall; there the filter alone refuses executable memory. */
    prctl(SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0);
    return 0;
}

static int keep_descriptors(int socket)
{
    if (dup2(socket, ZYGOTE_FD) < 0 || fcntl(ZYGOTE_FD, F_SETFD, FD_CLOEXEC) != 0) {
        return -errno;
    }
    return 0;
}

static void prepare(const struct warden *w, pid_t parent)
{
    const char *sentence = "the zygote's own walls could not be raised";
    int r = 0;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        _exit(0);
    }
    if (!w->has_pid_ns) {
        warden_prefer_in_oom("self"); /* in tier A the monitor did it */
    }
    r = raise_shared_walls(w);
    if (close_range(ZYGOTE_FD + 1, ~0U, 0) != 0) {
        r = -errno;
    }
    if (r == 0) {
        r = cell_prepare(&sentence);
    }
    if (r != 0) {
        reply(&(struct zygote_reply){
            .word = ZYGOTE_BROKEN, .error = (uint32_t)-r, .sentence = bytes_str(sentence)});
        _exit(1);
    }
    reply(&(struct zygote_reply){.word = ZYGOTE_READY, .sentence = bytes_none()});
}

__attribute__((noreturn)) static void zygote_main(const struct warden *w, pid_t parent)
{
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
        if (keep_descriptors(theirs) != 0) {
            _exit(1);
        }
        zygote_main(w, parent);
    }
    *ret_pid = pid;
    *ret_socket = steal_fd(&ours);
    return 0;
}
