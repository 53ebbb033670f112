/* SPDX-License-Identifier: MIT
 *
 * Small forms that the texts of this room are made of.
 */
#ifndef AGENT_WORDS_H
#define AGENT_WORDS_H

#include "host/host.h"

/* A text as its first and last parts and what was dropped between, held to room characters. */
struct cut {
    struct bytes head;
    struct bytes tail;
    uint64_t dropped;
};

/* The characters that words_put_cut() writes, uncut. */
uint64_t words_cut_chars(const struct cut *cut);

/* Appends a text with at most room characters, start and end cut alike, and says exactly how much
 * was left out. */
void words_put_cut(struct buf *out, const struct cut *cut, uint64_t room);

/* Appends legal UTF-8 as its first max characters, with an ellipsis where that is not all. */
void words_put_first(struct buf *out, struct bytes text, uint64_t max);

/* "2.1 s", "350 ms", "4 min 5 s". */
void words_put_ms(struct buf *out, int64_t ms);

/* "12 MB". */
void words_put_size(struct buf *out, int64_t bytes);

/* "1 call", "2 calls". */
void words_put_count(struct buf *out, uint64_t n, const char *one, const char *many);

#endif
