/* SPDX-License-Identifier: MIT
 *
 * Output that grows up to a mandatory maximum.
 *
 * A buf owns its memory. Its first fault is sticky (-ENOMEM, or -EMSGSIZE past
 * the maximum): later writes do nothing, and the owner checks buf_fault() once,
 * before it uses the content. A buf of zeros with a maximum set is empty and valid.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/bytes.h"

struct buf {
    uint8_t *data;
    size_t len;
    size_t cap;
    size_t max;
    int fault;
};

/* An empty buf that refuses to grow past max bytes. */
static inline struct buf buf_max(size_t max)
{
    return (struct buf){.max = max};
}

/* Frees the memory and leaves an empty buf with the same maximum. */
void buf_done(struct buf *b);

/* Empties the buf and its fault, keeping its memory. */
void buf_clear(struct buf *b);

/* Appends; after a fault does nothing. */
void buf_put(struct buf *b, const void *ptr, size_t len);
void buf_put_bytes(struct buf *b, struct bytes a);
void buf_put_str(struct buf *b, const char *str);
void buf_put_u8(struct buf *b, uint8_t value);
void buf_put_u32(struct buf *b, uint32_t value); /* little-endian */

/* Appends formatted text, for people only: never for a wire or JSON. */
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b, const char *format, ...);

/* Appends len bytes to be filled by the caller and returns them; NULL after a fault. */
uint8_t *buf_grow(struct buf *b, size_t len);

/* Overwrites four bytes that were put at offset at. */
void buf_set_u32(struct buf *b, size_t at, uint32_t value);

/* Removes the first len bytes (all, where fewer are there). */
void buf_drop(struct buf *b, size_t len);

/* The content, borrowed until the next change. */
static inline struct bytes buf_bytes(const struct buf *b)
{
    return bytes_of(b->data, b->len);
}

/* The content as a C string, borrowed until the next change; "" where it is empty or
 * faulted before it held anything. */
const char *buf_str(struct buf *b);

/* 0, -ENOMEM or -EMSGSIZE. */
static inline int buf_fault(const struct buf *b)
{
    return b->fault;
}

#endif
