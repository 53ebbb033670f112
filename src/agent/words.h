/* SPDX-License-Identifier: MIT
 *
 * Small forms that the texts of this room are made of.
 */
#ifndef AGENT_WORDS_H
#define AGENT_WORDS_H

#include "host/host.h"

/* What becomes of the line ends in words that are not ours. */
enum words_lines {
    WORDS_AS_IS,
    WORDS_INDENTED, /* further lines begin with spaces: none looks like one of ours */
    WORDS_ONE_LINE,
};

/* Appends words of a script, a tool or a model for a model to read: legal UTF-8, no escape codes, a
 * return as a line end, and U+FFFD for every other control character but the tab. */
void words_put_plain(struct buf *out, struct bytes text, enum words_lines lines);

/* A plain text as its first and last parts and what was dropped between. */
struct cut {
    struct bytes head;
    struct bytes tail;
    uint64_t dropped;
};

/* The most characters that words_put_cut() writes, uncut. */
uint64_t words_cut_chars(const struct cut *cut);

/* Appends a plain text with at most room characters (60 at least), start and end cut alike, and
 * says exactly how much was left out. */
void words_put_cut(struct buf *out, const struct cut *cut, uint64_t room);

/* Appends the first max characters of a text made plain, with an ellipsis where that is not all. */
void words_put_first(struct buf *out, struct bytes text, uint64_t max, enum words_lines lines);

/* Ends the sentence that begins at offset from, where its words have no end of their own; what has
 * several lines needs none. */
void words_put_stop(struct buf *out, size_t from);

/* "2.1 s", "350 ms", "4 min 5 s". */
void words_put_ms(struct buf *out, int64_t ms);

/* "512 KiB", "12.5 MiB". */
void words_put_size(struct buf *out, int64_t bytes);

/* "1 call", "2 calls". */
void words_put_count(struct buf *out, uint64_t n, const char *one, const char *many);

/* A space, a tab, or the end of a line. */
static inline bool words_is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

#endif
