/* SPDX-License-Identifier: MIT
 *
 * Head and tail of what a script wrote; see host/output.h.
 *
 * The tail is a ring of whole characters: a new one that would be too many pushes out the
 * oldest, which is counted. The ring is as large as its characters may need and is made when
 * the head is full for the first time.
 */
#include "host/output.h"

#include "base/mem.h"

void output_init(struct output *o, uint64_t max_head, uint64_t max_tail)
{
    *o = (struct output){
        .max_head = max_head,
        .max_tail = max_tail,
        .head = buf_max(SIZE_MAX / 4),
        .raw = buf_max(SIZE_MAX / 4),
        .clean = buf_max(SIZE_MAX / 4),
        .taken_head = buf_max(SIZE_MAX / 4),
        .taken_tail = buf_max(SIZE_MAX / 4),
    };
}

void output_done(struct output *o)
{
    buf_done(&o->head);
    buf_done(&o->raw);
    buf_done(&o->clean);
    buf_done(&o->taken_head);
    buf_done(&o->taken_tail);
    mem_free(o->ring);
    *o = (struct output){0};
}

static bool has_ring(struct output *o)
{
    if (o->ring == NULL && o->max_tail > 0) {
        o->ring_size = (size_t)o->max_tail * UTF8_MAX_BYTES;
        o->ring = mem_new(o->ring_size);
    }
    return o->ring != NULL;
}

static void drop_oldest(struct output *o)
{
    size_t len = utf8_width(o->ring[o->ring_start]);

    o->ring_start = (o->ring_start + len) % o->ring_size;
    o->ring_used -= len;
    o->n_tail--;
    o->dropped++;
}

static void push_tail(struct output *o, struct bytes character)
{
    size_t at;

    if (!has_ring(o)) {
        o->dropped++;
        return;
    }
    if (o->n_tail == o->max_tail) {
        drop_oldest(o);
    }
    at = (o->ring_start + o->ring_used) % o->ring_size;
    for (size_t i = 0; i < character.len; i++) {
        o->ring[(at + i) % o->ring_size] = character.ptr[i];
    }
    o->ring_used += character.len;
    o->n_tail++;
}

/* Where more came at once than the tail holds, what it held and what would only pass through it
 * is dropped in one step: how many bytes of text to leave out. */
static size_t skip_to_tail(struct output *o, struct bytes text)
{
    uint64_t n = utf8_count(text);
    size_t at = text.len;

    if (n <= o->max_tail) {
        return 0;
    }
    for (uint64_t kept = 0; kept < o->max_tail; kept++) {
        do {
            at--;
        } while ((text.ptr[at] & 0xC0) == 0x80);
    }
    o->dropped += o->n_tail + n - o->max_tail;
    o->ring_start = 0;
    o->ring_used = 0;
    o->n_tail = 0;
    return at;
}

/* text is legal. */
static void keep(struct output *o, struct bytes text)
{
    size_t at = 0;

    while (at < text.len && o->n_head < o->max_head) {
        at += utf8_width(text.ptr[at]);
        o->n_head++;
    }
    buf_put_bytes(&o->head, bytes_first(text, at));
    at += skip_to_tail(o, bytes_from(text, at));
    while (at < text.len) {
        size_t len = utf8_width(text.ptr[at]);

        push_tail(o, bytes_of(text.ptr + at, len));
        at += len;
    }
}

/* How many bytes at the end of text begin a character that is not whole. */
static size_t unfinished(struct bytes text)
{
    for (size_t back = 1; back < UTF8_MAX_BYTES && back <= text.len; back++) {
        size_t len;

        if ((text.ptr[text.len - back] & 0xC0) != 0x80) {
            struct bytes end = bytes_from(text, text.len - back);

            return utf8_look(end, &len) == UTF8_SHORT && len == back ? back : 0;
        }
    }
    return 0;
}

struct bytes output_add(struct output *o, struct bytes text)
{
    struct bytes whole;
    size_t late;

    if (o->n_carry == 0 && utf8_fault(text) == text.len) {
        keep(o, text);
        return text;
    }
    buf_clear(&o->raw);
    buf_put(&o->raw, o->carry, o->n_carry);
    buf_put_bytes(&o->raw, text);
    whole = buf_bytes(&o->raw);
    late = unfinished(whole);
    memcpy(o->carry, whole.ptr + whole.len - late, late);
    o->n_carry = late;
    buf_clear(&o->clean);
    utf8_put_clean(&o->clean, bytes_first(whole, whole.len - late));
    keep(o, buf_bytes(&o->clean));
    return buf_bytes(&o->clean);
}

struct bytes output_finish(struct output *o)
{
    buf_clear(&o->clean);
    utf8_put_clean(&o->clean, bytes_of(o->carry, o->n_carry));
    o->n_carry = 0;
    keep(o, buf_bytes(&o->clean));
    return buf_bytes(&o->clean);
}

static void copy_ring(const struct output *o, struct buf *ret)
{
    size_t first = o->ring_size - o->ring_start;

    if (o->ring_used == 0) {
        return;
    }
    first = first < o->ring_used ? first : o->ring_used;
    buf_put(ret, o->ring + o->ring_start, first);
    buf_put(ret, o->ring, o->ring_used - first);
}

void output_take(struct output *o, struct bytes *ret_head, struct bytes *ret_tail,
                 uint64_t *ret_dropped)
{
    struct buf head = o->taken_head;

    o->taken_head = o->head;
    o->head = head;
    buf_clear(&o->head);
    buf_clear(&o->taken_tail);
    copy_ring(o, &o->taken_tail);
    *ret_head = buf_bytes(&o->taken_head);
    *ret_tail = buf_bytes(&o->taken_tail);
    *ret_dropped = o->dropped;
    o->ring_start = 0;
    o->ring_used = 0;
    o->n_head = 0;
    o->n_tail = 0;
    o->dropped = 0;
}
