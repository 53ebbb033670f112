/* SPDX-License-Identifier: MIT
 *
 * One character of UTF-8 at a time, and text made legal.
 */
#ifndef HOST_UTF8_H
#define HOST_UTF8_H

#include "base/buf.h"

#define UTF8_REPLACEMENT "\xEF\xBF\xBD"
enum { UTF8_MAX_BYTES = 4 };

enum utf8_verdict { UTF8_LEGAL, UTF8_ILLEGAL, UTF8_SHORT };

/* Looks at the first character of text, which is not empty: *ret_len is its length, or the
 * length of the part that is to be replaced, or what is there of one that more bytes may
 * complete. */
enum utf8_verdict utf8_look(struct bytes text, size_t *ret_len);

/* The length that a first byte announces; 0 where it begins no character. */
size_t utf8_width(uint8_t lead);

/* Appends text as legal UTF-8, one U+FFFD for each longest part that could have begun a
 * character. */
void utf8_put_clean(struct buf *out, struct bytes text);

/* The characters of legal UTF-8. */
uint64_t utf8_count(struct bytes text);

/* The start of legal UTF-8 with at most max characters. */
struct bytes utf8_first(struct bytes text, uint64_t max);

/* The offset of the first byte that is not legal UTF-8; text.len where there is none. */
size_t utf8_fault(struct bytes text);

#endif
