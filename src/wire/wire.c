/* SPDX-License-Identifier: MIT
 *
 * Codecs and framing, made from the table in wire/messages.h.
 */
#include "wire/wire.h"

#include <assert.h>
#include <errno.h>

#define FIELD_COUNT_U32(name)        +1
#define FIELD_COUNT_BYTES(name, max) +1
#define ASSERT_ROW(name, number, sender, states, fields)                                           \
    _Static_assert((number) <= WIRE_MAX_TYPE, "raise WIRE_MAX_TYPE with " #name);                  \
    _Static_assert(fields(FIELD_COUNT_U32, FIELD_COUNT_BYTES, FIELD_COUNT_BYTES) <=                \
                       (int)WIRE_MAX_FIELDS,                                                       \
                   "too many fields in " #name);
WIRE_MESSAGES(ASSERT_ROW)
_Static_assert(sizeof(struct wire_page) <= WIRE_PAGE_BYTES, "the shared page is one page");

static void put_bytes(struct buf *out, struct bytes a, size_t max)
{
    if (a.len > max) {
        out->fault = -EMSGSIZE;
        return;
    }
    buf_put_u32(out, (uint32_t)a.len);
    buf_put_bytes(out, a);
}

static void head_bytes(struct buf *out, struct bytes a, size_t max, size_t *ret_tail)
{
    if (a.len > max) {
        out->fault = -EMSGSIZE;
        return;
    }
    buf_put_u32(out, (uint32_t)a.len);
    *ret_tail = a.len;
}

#define PUT_U32(name)        buf_put_u32(out, m->name);
#define PUT_BYTES(name, max) put_bytes(out, m->name, max);
#define HEAD_TAIL(name, max) head_bytes(out, m->name, max, &tail);
#define GET_U32(name)        m.name = reader_u32(&r);
#define GET_BYTES(name, max) m.name = reader_bytes(&r, max);

#define CODEC(msg, number, sender, states, fields)                                                 \
    void wire_head_##msg(struct buf *out, const struct wire_##msg *m)                              \
    {                                                                                              \
        size_t at = out->len;                                                                      \
        size_t tail = 0;                                                                           \
                                                                                                   \
        buf_put_u32(out, 0);                                                                       \
        buf_put_u8(out, (number));                                                                 \
        fields(PUT_U32, PUT_BYTES, HEAD_TAIL)                                                      \
            buf_set_u32(out, at, (uint32_t)(out->len - at - 4 + tail));                            \
    }                                                                                              \
                                                                                                   \
    void wire_put_##msg(struct buf *out, const struct wire_##msg *m)                               \
    {                                                                                              \
        size_t at = out->len;                                                                      \
                                                                                                   \
        buf_put_u32(out, 0);                                                                       \
        buf_put_u8(out, (number));                                                                 \
        fields(PUT_U32, PUT_BYTES, PUT_BYTES) buf_set_u32(out, at, (uint32_t)(out->len - at - 4)); \
    }                                                                                              \
                                                                                                   \
    int wire_get_##msg(struct bytes body, struct wire_##msg *ret)                                  \
    {                                                                                              \
        struct reader r = reader_of(body);                                                         \
        struct wire_##msg m;                                                                       \
                                                                                                   \
        fields(GET_U32, GET_BYTES, GET_BYTES) if (reader_done(&r) != 0)                            \
        {                                                                                          \
            return reader_done(&r);                                                                \
        }                                                                                          \
        *ret = m;                                                                                  \
        return 0;                                                                                  \
    }
WIRE_MESSAGES(CODEC)

#define NAME_ROW(name, number, sender, states, fields) [number] = #name,
static const char *const names[WIRE_MAX_TYPE + 1] = {WIRE_MESSAGES(NAME_ROW)};

struct rule {
    uint8_t sender;
    uint8_t states;
};

#define RULE_ROW(name, number, sender, states, fields) [number] = {(sender), (states)},
static const struct rule rules[WIRE_MAX_TYPE + 1] = {WIRE_MESSAGES(RULE_ROW)};

const char *wire_name(uint32_t type)
{
    return type <= WIRE_MAX_TYPE && names[type] != NULL ? names[type] : "unknown";
}

int wire_check(uint32_t type, enum wire_sender sender, enum wire_state state)
{
    if (type > WIRE_MAX_TYPE || rules[type].sender != sender) {
        return -EPROTO;
    }
    return (rules[type].states & state) != 0 ? 0 : -EPROTO;
}

int frame_next(struct bytes in, size_t max, struct frame *ret)
{
    struct reader r = reader_of(in);
    uint32_t len = reader_u32(&r);

    if (in.len < 4) {
        return FRAME_E_AGAIN;
    }
    if (len == 0) {
        return -EBADMSG;
    }
    if (len - 1 > max) {
        return -EMSGSIZE;
    }
    if (len > in.len - 4) {
        return FRAME_E_AGAIN;
    }
    ret->type = in.ptr[4];
    ret->body = bytes_of(in.ptr + FRAME_HEADER_BYTES, len - 1);
    ret->size = (size_t)len + 4;
    return 0;
}
