/* SPDX-License-Identifier: MIT
 *
 * One packet, and the descriptors that travel with it, over a SOCK_SEQPACKET socket.
 */
#ifndef WARDEN_PACKET_H
#define WARDEN_PACKET_H

#include "base/bytes.h"
#include "wire/limits.h"

enum { PACKET_FDS = 2, PACKET_E_CLOSED = 1, PACKET_E_AGAIN = 2 };

struct packet {
    uint8_t data[WIRE_MAX_PACKET];
    size_t len;
    int fds[PACKET_FDS]; /* owned; -1 where none */
    size_t n_fds;
};

/* Receives one packet. 0; PACKET_E_CLOSED where the other end is gone; PACKET_E_AGAIN where
 * none is there and may_block is false; -EMSGSIZE where it was cut; -errno. */
int packet_recv(int socket, bool may_block, struct packet *ret);

/* Closes the descriptors that are still the packet's. */
void packet_done(struct packet *p);

/* Sends one packet with n_fds descriptors, which stay the caller's. 0; PACKET_E_CLOSED;
 * PACKET_E_AGAIN where it would block and may not; -errno. */
int packet_send(int socket, bool may_block, struct bytes data, const int *fds, size_t n_fds);

#endif
