/* SPDX-License-Identifier: MIT
 *
 * Growth doubles, so that n bytes cost O(n) in all; the maximum bounds it.
 */
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_done(struct buf *b)
{
    free(b->data);
    *b = buf_max(b->max);
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->fault = 0;
}

/* Makes room for len more bytes and one NUL past them. */
static bool reserve(struct buf *b, size_t len)
{
    size_t cap = b->cap == 0 ? 64 : b->cap;
    uint8_t *data;

    if (b->fault != 0) {
        return false;
    }
    if (len > b->max - b->len) {
        b->fault = -EMSGSIZE;
        return false;
    }
    if (b->cap - b->len > len) {
        return true;
    }
    while (cap - b->len <= len) {
        cap *= 2;
    }
    data = realloc(b->data, cap);
    if (data == NULL) {
        b->fault = -ENOMEM;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

uint8_t *buf_grow(struct buf *b, size_t len)
{
    uint8_t *at;

    if (!reserve(b, len)) {
        return NULL;
    }
    at = b->data + b->len;
    b->len += len;
    return at;
}

void buf_put(struct buf *b, const void *ptr, size_t len)
{
    uint8_t *at = buf_grow(b, len);

    if (at != NULL && len > 0) {
        memcpy(at, ptr, len);
    }
}

void buf_put_bytes(struct buf *b, struct bytes a)
{
    buf_put(b, a.ptr, a.len);
}

void buf_put_str(struct buf *b, const char *str)
{
    buf_put(b, str, strlen(str));
}

void buf_put_u8(struct buf *b, uint8_t value)
{
    buf_put(b, &value, 1);
}

void buf_put_u32(struct buf *b, uint32_t value)
{
    uint8_t le[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                     (uint8_t)(value >> 24)};

    buf_put(b, le, sizeof le);
}

void buf_set_u32(struct buf *b, size_t at, uint32_t value)
{
    if (b->fault != 0 || b->len < 4 || at > b->len - 4) {
        return;
    }
    b->data[at] = (uint8_t)value;
    b->data[at + 1] = (uint8_t)(value >> 8);
    b->data[at + 2] = (uint8_t)(value >> 16);
    b->data[at + 3] = (uint8_t)(value >> 24);
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    va_list again;
    int len;
    uint8_t *at;

    va_start(args, format);
    va_copy(again, args);
    len = vsnprintf(NULL, 0, format, args);
    at = len < 0 ? NULL : buf_grow(b, (size_t)len);
    if (at != NULL) {
        vsnprintf((char *)at, (size_t)len + 1, format, again);
    }
    va_end(again);
    va_end(args);
}

void buf_drop(struct buf *b, size_t len)
{
    if (len >= b->len) {
        b->len = 0;
        return;
    }
    memmove(b->data, b->data + len, b->len - len);
    b->len -= len;
}

const char *buf_str(struct buf *b)
{
    if (b->data == NULL) {
        return "";
    }
    b->data[b->len] = '\0';
    return (const char *)b->data;
}
