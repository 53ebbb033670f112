/* SPDX-License-Identifier: MIT
 *
 * Borrowed slices of bytes, and a reader over one.
 *
 * Every process uses them. A slice owns nothing, is never NUL-terminated and
 * never holds NULL: the empty slice points at a static byte. A reader keeps a
 * sticky fault: after the first short or oversized read it yields zeros and
 * empty slices, and reader_done() gives the verdict.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    const uint8_t *ptr;
    size_t len;
};

/* The empty slice. */
static inline struct bytes bytes_none(void)
{
    return (struct bytes){(const uint8_t *)"", 0};
}

/* A slice over ptr[0..len); ptr may be NULL where len is 0. */
static inline struct bytes bytes_of(const void *ptr, size_t len)
{
    return len == 0 ? bytes_none() : (struct bytes){ptr, len};
}

/* A slice over a C string, its NUL left out. */
static inline struct bytes bytes_str(const char *str)
{
    return bytes_of(str, strlen(str));
}

static inline bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static inline bool bytes_is(struct bytes a, const char *str)
{
    return bytes_equal(a, bytes_str(str));
}

/* Orders by content, the shorter first where one begins the other. */
static inline int bytes_compare(struct bytes a, struct bytes b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = memcmp(a.ptr, b.ptr, n);

    if (order != 0) {
        return order;
    }
    return a.len < b.len ? -1 : a.len > b.len;
}

/* The part of a that starts at offset at; empty where a is shorter. */
static inline struct bytes bytes_from(struct bytes a, size_t at)
{
    return at >= a.len ? bytes_none() : bytes_of(a.ptr + at, a.len - at);
}

/* The first len bytes of a, or all of it where it is shorter. */
static inline struct bytes bytes_first(struct bytes a, size_t len)
{
    return bytes_of(a.ptr, a.len < len ? a.len : len);
}

struct reader {
    const uint8_t *at;
    const uint8_t *end;
    int fault; /* 0, -EBADMSG (short or left over) or -EMSGSIZE (over a maximum) */
};

/* A reader at the start of a slice, which must outlive what is read. */
static inline struct reader reader_of(struct bytes a)
{
    return (struct reader){a.ptr, a.ptr + a.len, 0};
}

/* Reads a little-endian number; 0 after a fault. */
uint8_t reader_u8(struct reader *r);
uint32_t reader_u32(struct reader *r);

/* Reads a 32-bit length of at most max and that many bytes, borrowed; empty after a fault. */
struct bytes reader_bytes(struct reader *r, size_t max);

/* The verdict: 0, or the first fault; bytes left over are -EBADMSG. */
int reader_done(const struct reader *r);

#endif
