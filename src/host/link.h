/* SPDX-License-Identifier: MIT
 *
 * The socket of one cell: frames in and out, without waiting and without trust.
 */
#ifndef HOST_LINK_H
#define HOST_LINK_H

#include "host/inside.h"

enum { LINK_READ_BYTES = 64 * 1024 }; /* room for one read, whatever comes */

/* A frame without its tail from its encoded head, owned by the caller; NULL without memory. */
struct out_frame *link_frame(struct bytes head, struct bytes tail, int slot);
/* The same with room of len bytes after head, to be filled, as part of it. */
struct out_frame *link_frame_room(struct bytes head, size_t len, int slot);

/* Starts to read. 0 or -errno. */
int link_open(struct cell *cell);

/* Takes the frame and sends it, or as much as the socket takes now. */
void link_send_take(struct cell *cell, struct out_frame *frame);

/* Whether a frame of this kind waits to be written. */
bool link_holds(const struct cell *cell, enum frame_kind kind);

/* Drops every frame that has not begun to go out. */
void link_drop_queued(struct cell *cell);

/* Reads nothing more of it, or again; and then, from the loop, takes what had been read already. */
void link_hold(struct cell *cell, bool is_held);
void link_resume(struct cell *cell);

/* After the process has died: reads what is left. */
void link_drain(struct cell *cell);

/* Neither reads nor writes any more; the socket stays open until link_close(). */
void link_shut(struct cell *cell);

/* Gives everything back and frees the cell, later. */
void link_close(struct cell *cell);

#endif
