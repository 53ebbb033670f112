/* SPDX-License-Identifier: MIT
 *
 * Packets with descriptors; see packet.h. Used by monitor, init and zygote alike.
 */
#include "warden/packet.h"

#include "base/fd.h"
#include "base/mem.h"

#include <errno.h>
#include <sys/socket.h>

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int) * PACKET_FDS)];
};

static void take_fds(struct msghdr *message, struct packet *p)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= c->cmsg_len && p->n_fds < PACKET_FDS;
             at += sizeof(int)) {
            memcpy(&p->fds[p->n_fds++], CMSG_DATA(c) + at, sizeof(int));
        }
    }
}

int packet_recv(int socket, bool may_block, struct packet *ret)
{
    union control control;
    struct iovec part;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n;

    ret->len = 0;
    ret->n_fds = 0;
    for (size_t i = 0; i < PACKET_FDS; i++) {
        ret->fds[i] = -1;
    }
    part = (struct iovec){.iov_base = ret->data, .iov_len = sizeof ret->data};
    do {
        n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (may_block ? 0 : MSG_DONTWAIT));
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return errno == EAGAIN ? PACKET_E_AGAIN : errno == ECONNRESET ? PACKET_E_CLOSED : -errno;
    }
    take_fds(&message, ret);
    if (n == 0) {
        packet_done(ret);
        return PACKET_E_CLOSED;
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        packet_done(ret);
        return -EMSGSIZE;
    }
    ret->len = (size_t)n;
    return 0;
}

void packet_done(struct packet *p)
{
    for (size_t i = 0; i < p->n_fds; i++) {
        fd_close(steal_fd(&p->fds[i]));
    }
    p->n_fds = 0;
}

int packet_send(int socket, bool may_block, struct bytes data, const int *fds, size_t n_fds)
{
    union control control = {0};
    struct iovec part = {.iov_base = (void *)data.ptr, .iov_len = data.len};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n;

    if (n_fds > 0) {
        struct cmsghdr *c;

        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
        c = &control.align; /* the first header, with room for one array */
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
        memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
    }
    do {
        n = sendmsg(socket, &message, MSG_NOSIGNAL | (may_block ? 0 : MSG_DONTWAIT));
    } while (n < 0 && errno == EINTR);
    if (n >= 0) {
        return 0;
    }
    if (errno == EPIPE || errno == ECONNRESET) {
        return PACKET_E_CLOSED;
    }
    return errno == EAGAIN ? PACKET_E_AGAIN : -errno;
}
