/* SPDX-License-Identifier: MIT
 *
 * What a script wrote: its first and last characters, and how many were dropped between.
 *
 * A character is a Unicode code point. Bytes that are no legal UTF-8 become U+FFFD, one for each
 * longest part that could have begun a character. Memory is bounded by 4 bytes for each
 * character kept, however much was written.
 */
#ifndef HOST_OUTPUT_H
#define HOST_OUTPUT_H

#include "host/utf8.h"

struct output {
    uint64_t max_head; /* characters */
    uint64_t max_tail;
    struct buf head;
    uint64_t n_head;
    uint8_t *ring; /* the tail: whole characters, the oldest at start */
    size_t ring_size;
    size_t ring_start;
    size_t ring_used;
    uint64_t n_tail;
    uint64_t dropped;
    uint8_t carry[UTF8_MAX_BYTES]; /* a character that the next bytes may complete */
    size_t n_carry;
    struct buf raw;   /* the last chunk behind what was carried */
    struct buf clean; /* the same, made legal */
    struct buf taken_head;
    struct buf taken_tail;
};

void output_init(struct output *o, uint64_t max_head, uint64_t max_tail);
void output_done(struct output *o);

/* Takes what was written in; answers the same as legal UTF-8, borrowed until the next call: what
 * could not be decided yet comes with the next. */
struct bytes output_add(struct output *o, struct bytes text);

/* After the last add: what is still undecided, as U+FFFD. */
struct bytes output_finish(struct output *o);

/* The parts since the last take, borrowed until the next; empties the output. */
void output_take(struct output *o, struct bytes *ret_head, struct bytes *ret_tail,
                 uint64_t *ret_dropped);

#endif
