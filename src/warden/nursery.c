/* SPDX-License-Identifier: MIT
 *
 * The init's zygotes; see nursery.h. Runs in the init (tiers B and C: the warden's one process).
 *
 * One zygote serves. When it has been asked for NURSERY_FORKS cells, the next one is started
 * beside it; once that is ready it serves, and the old one finishes what it was asked and exits, so
 * that no request is lost. A zygote that dies is made again, after a pause that doubles while it
 * dies young; the requests it had not answered fail, and the host asks again.
 */
#include "warden/nursery.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { YOUNG_MS = 1000, PAUSE_FIRST_MS = 100, PAUSE_MAX_MS = 5000 };

struct zygote {
    pid_t pid; /* 0: none */
    int fd;
    uint32_t number;
    uint32_t asked;
    bool is_dead; /* to be waited for */
};

static struct {
    const struct warden *w;
    struct zygote serving;
    struct zygote other; /* the next one, or the one before */
    bool is_other_next;
    uint32_t made;
    int64_t born_ms; /* of the serving one */
    int64_t pause_ms;
    int64_t restart_ms; /* when to make the next one, 0: now or not at all */
    bool is_over;
} nursery = {.serving = {.fd = -1}, .other = {.fd = -1}};

static int make(struct zygote *z)
{
    *z = (struct zygote){.fd = -1, .number = ++nursery.made};
    return zygote_start(nursery.w, &z->pid, &z->fd);
}

static int make_serving(void)
{
    int r = make(&nursery.serving);

    nursery.restart_ms = 0;
    nursery.born_ms = clock_now_ms();
    if (r != 0) {
        warden_log("event=no-zygote errno=%d", -r);
        nursery.restart_ms = nursery.born_ms + PAUSE_MAX_MS;
    }
    return r;
}

int nursery_start(const struct warden *w)
{
    nursery.w = w;
    return make_serving();
}

/* Where it cannot be forked the old one goes on, and it is tried again as many cells later. */
static void make_next(void)
{
    int r = make(&nursery.other);

    nursery.is_other_next = r == 0;
    nursery.serving.asked = 0;
    if (r != 0) {
        warden_log("event=no-zygote errno=%d", -r);
    }
}

const char *nursery_ask(const struct zygote_request *request, const int *fds, uint32_t *ret_number)
{
    struct zygote *z = &nursery.serving;

    if (z->pid == 0) {
        return "the process that makes cells keeps dying; the next one is made after a pause";
    }
    if (zygote_ask(z->fd, request, fds) != 0) {
        return "the process that makes cells takes no request";
    }
    *ret_number = z->number;
    z->asked++;
    if (z->asked >= NURSERY_FORKS && nursery.other.pid == 0) {
        make_next();
    }
    return NULL;
}

/* The next one is ready: it serves, and the old one hears that nothing more comes. */
static void change_over(void)
{
    struct zygote old = nursery.serving;

    nursery.serving = nursery.other;
    nursery.other = old;
    nursery.is_other_next = false;
    nursery.born_ms = clock_now_ms();
    shutdown(old.fd, SHUT_WR);
}

/* After the serving one's death. */
static void replace(void)
{
    int64_t now = clock_now_ms();

    if (nursery.is_over) {
        return;
    }
    if (nursery.is_other_next && nursery.other.pid != 0) {
        nursery.serving = nursery.other;
        nursery.other = (struct zygote){.fd = -1};
        nursery.born_ms = now;
        return;
    }
    if (now - nursery.born_ms >= YOUNG_MS) {
        nursery.pause_ms = 0;
        make_serving();
        return;
    }
    nursery.pause_ms = nursery.pause_ms == 0 ? PAUSE_FIRST_MS : nursery.pause_ms * 2;
    nursery.pause_ms = nursery.pause_ms < PAUSE_MAX_MS ? nursery.pause_ms : PAUSE_MAX_MS;
    nursery.restart_ms = now + nursery.pause_ms;
}

static void bury(struct zygote *z)
{
    bool is_serving = z == &nursery.serving;
    bool has_left = !is_serving && !nursery.is_other_next;
    int status = 0;

    kill(z->pid, SIGKILL); /* it hung up, or said what it may not; it may live yet */
    waitpid(z->pid, &status, 0);
    if (!has_left || status != 0) {
        warden_log("event=zygote-died status=%d", status);
    }
    fd_close(z->fd);
    *z = (struct zygote){.fd = -1};
    if (is_serving) {
        replace();
    }
}

/* 1 with an event of this one, 0 where it has said nothing more. */
static int hear(struct zygote *z, struct packet *p, struct nursery_event *ret)
{
    int r = z->pid == 0 ? PACKET_E_AGAIN : packet_recv(z->fd, false, p);

    *ret = (struct nursery_event){.zygote = z->number};
    if (r == 0) {
        packet_done(p);
        r = zygote_read(bytes_of(p->data, p->len), &ret->reply);
        if (r == 0) {
            return 1;
        }
    } else if (r == PACKET_E_AGAIN && !z->is_dead) {
        return 0;
    }
    ret->reply = (struct zygote_reply){.word = ZYGOTE_LOST, .sentence = bytes_none()};
    bury(z);
    return 1;
}

bool nursery_next(struct packet *p, struct nursery_event *ret)
{
    if (hear(&nursery.other, p, ret) == 1) {
        if (ret->reply.word == ZYGOTE_READY && nursery.is_other_next) {
            change_over();
        }
        return true;
    }
    return hear(&nursery.serving, p, ret) == 1;
}

bool nursery_mark_dead(pid_t pid)
{
    struct zygote *z = pid == nursery.serving.pid ? &nursery.serving : &nursery.other;

    if (z->pid != pid) {
        return false;
    }
    z->is_dead = true;
    return true;
}

bool nursery_is_alive(void)
{
    return nursery.serving.pid != 0 || nursery.other.pid != 0;
}

int nursery_fd(size_t at)
{
    return at == 0 ? nursery.serving.fd : nursery.other.fd;
}

int nursery_timeout(void)
{
    int64_t left;

    if (nursery.restart_ms == 0) {
        return -1;
    }
    left = nursery.restart_ms - clock_now_ms();
    return left < 0 ? 0 : (int)left;
}

void nursery_tick(void)
{
    if (nursery.restart_ms != 0 && clock_now_ms() >= nursery.restart_ms) {
        make_serving();
    }
}

void nursery_kill(void)
{
    struct zygote *const all[NURSERY_ZYGOTES] = {&nursery.serving, &nursery.other};

    nursery.is_over = true;
    for (size_t i = 0; i < NURSERY_ZYGOTES; i++) {
        if (all[i]->pid != 0) {
            siginfo_t info;

            kill(all[i]->pid, SIGKILL);
            waitid(P_PID, (id_t)all[i]->pid, &info, WEXITED | WNOWAIT);
            all[i]->is_dead = true;
        }
    }
}
