/* SPDX-License-Identifier: MIT
 *
 * The reader: bounds are compared as "n > end - at", never as a sum, so that
 * no length from the other side can wrap.
 */
#include "base/bytes.h"

#include <errno.h>

static const uint8_t *take(struct reader *r, size_t n)
{
    const uint8_t *at = r->at;

    if (r->fault != 0) {
        return NULL;
    }
    if (n > (size_t)(r->end - r->at)) {
        r->fault = -EBADMSG;
        return NULL;
    }
    r->at += n;
    return at;
}

uint8_t reader_u8(struct reader *r)
{
    const uint8_t *p = take(r, 1);

    return p == NULL ? 0 : p[0];
}

uint32_t reader_u32(struct reader *r)
{
    const uint8_t *p = take(r, 4);

    if (p == NULL) {
        return 0;
    }
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

struct bytes reader_bytes(struct reader *r, size_t max)
{
    uint32_t len = reader_u32(r);
    const uint8_t *p;

    if (r->fault == 0 && len > max) {
        r->fault = -EMSGSIZE;
    }
    p = take(r, len);
    return p == NULL ? bytes_none() : bytes_of(p, len);
}

int reader_done(const struct reader *r)
{
    if (r->fault != 0) {
        return r->fault;
    }
    return r->at == r->end ? 0 : -EBADMSG;
}
