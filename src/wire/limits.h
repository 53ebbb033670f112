/* SPDX-License-Identifier: MIT
 *
 * Every maximum of the wire, in the order it is met. Both sides compare with
 * these before they allocate or copy. Settings of a run (host/limits.tbl.h)
 * may be stricter, never wider.
 */
#ifndef WIRE_LIMITS_H
#define WIRE_LIMITS_H

#define WIRE_KIB 1024u
#define WIRE_MIB (1024u * 1024u)

#define WIRE_VERSION 1u

#define WIRE_MAX_FRAME_FROM_CELL (25u * WIRE_MIB)  /* header left out */
#define WIRE_MAX_FRAME_TO_CELL   (768u * WIRE_MIB) /* a third of 2 GiB, and its header */
#define WIRE_MAX_PACKET          (4u * WIRE_KIB)   /* warden channel: one packet, one frame */
#define WIRE_MAX_FIELDS          32u

#define WIRE_MAX_CODE      (1u * WIRE_MIB)
#define WIRE_MAX_NAMES     (4u * WIRE_MIB)
#define WIRE_MAX_CATALOGUE (16u * WIRE_MIB)
#define WIRE_MAX_RESULT    (716u * WIRE_MIB)

#define WIRE_MAX_TOOL_NAME (1u * WIRE_KIB)
#define WIRE_MAX_ARGS      (16u * WIRE_MIB)
#define WIRE_MAX_OUTPUT    (64u * WIRE_KIB)
#define WIRE_MAX_WAKE      (64u * WIRE_KIB)

#define WIRE_MAX_ERROR_NAME    256u
#define WIRE_MAX_ERROR_MESSAGE (64u * WIRE_KIB)
#define WIRE_MAX_FRAMES_JSON   (64u * WIRE_KIB)
#define WIRE_MAX_NOTES         (64u * WIRE_KIB)
#define WIRE_MAX_VALUE         (24u * WIRE_MIB)

#define WIRE_MAX_SENTENCE 512u

#endif
