/* SPDX-License-Identifier: MIT
 *
 * Blocking framed input and output of a cell; see channel.h.
 *
 * After the lock nothing may be allocated, so the buffers are static; their pages cost
 * nothing until they are touched. Small frames and text are copied and gathered; a long tail
 * (arguments, text, a value) is written from where it lies. The body of a start or result
 * frame is read to where its owner wants it, a small one out of the input buffer, the bulk of
 * a large one by read() itself.
 *
 * Text that waits is sent when TEXT_BYTES are full, when other frames follow, and when the
 * last writing lies FLUSH_MS back; whatever waits goes PULSE_MS after the last writing while a
 * script computes on, so that its calls are under way and its output is heard.
 */
#include "cell/channel.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <unistd.h>

enum {
    OUT_BYTES = 256 * 1024, /* the longest head of a frame: an ending's four fields */
    OUT_ENOUGH = 16 * 1024, /* what makes a write worth its while */
    TEXT_BYTES = 16 * 1024,
    COPY_BYTES = 4 * 1024, /* a tail up to here is copied, a longer one written in place */
    IN_BYTES = 4 * 1024,
    FLUSH_MS = 50,
    PULSE_MS = 2,
};
_Static_assert(OUT_BYTES > OUT_ENOUGH + COPY_BYTES + WIRE_MAX_ERROR_NAME + WIRE_MAX_ERROR_MESSAGE +
                               WIRE_MAX_FRAMES_JSON + WIRE_MAX_NOTES + 64,
               "an ending's head fits after whatever waits");
_Static_assert(TEXT_BYTES <= WIRE_MAX_OUTPUT && COPY_BYTES <= TEXT_BYTES, "text fits a frame");

static uint8_t in_bytes[IN_BYTES] __attribute__((aligned(4096)));
static uint8_t out_bytes[OUT_BYTES + 1] __attribute__((aligned(4096)));
static uint8_t text_bytes[TEXT_BYTES];

static struct {
    int fd;
    channel_take take;
    int fault; /* sticky: CHANNEL_E_CLOSED or -errno */
    struct buf out;
    size_t text_len;
    size_t in_at;
    size_t in_len;
    int64_t flushed_ms;
} channel;

void channel_init(int fd, channel_take take)
{
    channel.fd = fd;
    channel.take = take;
    channel.fault = 0;
    channel.text_len = 0;
    channel.in_at = 0;
    channel.in_len = 0;
    channel.flushed_ms = clock_now_ms();
    /* A buf that has all it may ever have never allocates. */
    channel.out = (struct buf){.data = out_bytes, .cap = OUT_BYTES + 1, .max = OUT_BYTES};
    in_bytes[0] = 0; /* touched ahead of need */
    text_bytes[0] = 0;
}

static void write_bytes(struct bytes a)
{
    if (channel.fault == 0 && fd_write_all(channel.fd, a) != 0) {
        channel.fault = CHANNEL_E_CLOSED;
    }
}

static void flush_out(void)
{
    if (channel.fault == 0 && buf_fault(&channel.out) != 0) {
        channel.fault = buf_fault(&channel.out);
    }
    if (channel.out.len > 0) {
        write_bytes(buf_bytes(&channel.out));
        channel.flushed_ms = clock_now_ms();
    }
    buf_clear(&channel.out);
}

/* After a frame's head: its tail, and a writing where enough waits. */
static void put_tail(struct bytes tail)
{
    if (tail.len <= COPY_BYTES) {
        buf_put_bytes(&channel.out, tail);
    } else {
        flush_out();
        write_bytes(tail);
    }
    if (channel.out.len >= OUT_ENOUGH) {
        flush_out();
    }
}

static void put_text_frame(struct bytes text)
{
    struct wire_output m = {.text = text};

    wire_head_output(&channel.out, &m);
    put_tail(text);
}

/* Text that was written before a frame goes before it. */
static void close_text(void)
{
    struct bytes text = bytes_of(text_bytes, channel.text_len);

    if (channel.text_len > 0) {
        channel.text_len = 0;
        put_text_frame(text);
    }
}

void channel_hello(const struct wire_hello *m)
{
    wire_put_hello(&channel.out, m);
}

void channel_seen(const struct wire_seen *m)
{
    close_text();
    wire_put_seen(&channel.out, m);
    put_tail(bytes_none());
}

void channel_sleep(const struct wire_sleep *m)
{
    close_text();
    wire_put_sleep(&channel.out, m);
    put_tail(bytes_none());
}

void channel_call(const struct wire_call *m)
{
    close_text();
    wire_head_call(&channel.out, m);
    put_tail(m->args);
}

void channel_wake(const struct wire_wake *m)
{
    close_text();
    wire_head_wake(&channel.out, m);
    put_tail(m->payload);
}

void channel_ending(const struct wire_ending *m)
{
    close_text();
    wire_head_ending(&channel.out, m);
    put_tail(m->value);
}

/* The longest start of text, of at most max bytes, that does not split a character. */
static size_t cut_at_character(struct bytes text, size_t max)
{
    size_t at = max;

    if (text.len <= max) {
        return text.len;
    }
    while (at > 0 && max - at < 4 && (text.ptr[at] & 0xC0) == 0x80) {
        at--;
    }
    return at == 0 || max - at == 4 ? max : at; /* not UTF-8: cut anywhere */
}

void channel_output(struct bytes text)
{
    if (text.len > TEXT_BYTES - channel.text_len) {
        close_text();
    }
    while (text.len > COPY_BYTES && channel.fault == 0) {
        size_t n = cut_at_character(text, WIRE_MAX_OUTPUT);

        close_text();
        put_text_frame(bytes_first(text, n));
        text = bytes_from(text, n);
    }
    if (channel.fault != 0) {
        return;
    }
    memcpy(text_bytes + channel.text_len, text.ptr, text.len);
    channel.text_len += text.len;
    if (clock_now_ms() - channel.flushed_ms >= FLUSH_MS) {
        close_text();
        flush_out();
    }
}

void channel_pulse(void)
{
    bool has_some = channel.text_len > 0 || channel.out.len > 0;

    if (has_some && clock_now_ms() - channel.flushed_ms >= PULSE_MS) {
        channel_flush();
    }
}

int channel_flush(void)
{
    close_text();
    flush_out();
    return channel.fault;
}

/* One read(); the number of bytes, or 0 with the fault set. */
static size_t read_some(uint8_t *to, size_t len)
{
    while (channel.fault == 0) {
        ssize_t n = read(channel.fd, to, len);

        if (n > 0) {
            return (size_t)n;
        }
        if (n == 0 || errno != EINTR) {
            channel.fault = CHANNEL_E_CLOSED;
        }
    }
    return 0;
}

/* Reads exactly len bytes to a place, or nowhere where to is NULL. */
static int read_exactly(uint8_t *to, size_t len)
{
    while (len > 0 && channel.fault == 0) {
        size_t n = channel.in_len - channel.in_at;

        if (n == 0 && to != NULL && len > IN_BYTES) {
            n = read_some(to, len);
            to += n;
            len -= n;
            continue;
        }
        if (n == 0) {
            channel.in_at = 0;
            channel.in_len = read_some(in_bytes, sizeof in_bytes);
            continue;
        }
        n = n < len ? n : len;
        if (to != NULL) {
            memcpy(to, in_bytes + channel.in_at, n);
            to += n;
        }
        channel.in_at += n;
        len -= n;
    }
    return channel.fault;
}

/* The body: to the room that its owner has, else its first bytes and the rest nowhere. */
static int read_body(struct channel_frame *frame, bool may_take)
{
    static uint8_t head[CHANNEL_HEAD_BYTES];
    uint8_t *room = may_take ? channel.take(frame->len) : head;
    size_t kept = frame->len < sizeof head ? frame->len : sizeof head;

    frame->has_room = room != NULL;
    if (may_take && room != NULL) {
        frame->body = bytes_of(room, frame->len);
        return read_exactly(room, frame->len);
    }
    frame->body = bytes_of(head, kept);
    read_exactly(head, kept);
    return read_exactly(NULL, frame->len - kept);
}

int channel_next(struct channel_frame *ret)
{
    uint8_t header[FRAME_HEADER_BYTES];
    struct reader r = reader_of(bytes_of(header, sizeof header));
    bool is_large;
    int fault = channel_flush();

    if (fault != 0 || read_exactly(header, sizeof header) != 0) {
        return channel.fault;
    }
    ret->len = reader_u32(&r);
    ret->type = reader_u8(&r);
    if (ret->len == 0) {
        return channel.fault = -EBADMSG;
    }
    ret->len--;
    if (ret->len > WIRE_MAX_FRAME_TO_CELL) {
        return channel.fault = -EMSGSIZE;
    }
    is_large = ret->type == WIRE_MSG_start || ret->type == WIRE_MSG_result;
    if (!is_large && ret->len > CHANNEL_HEAD_BYTES) {
        return channel.fault = -EBADMSG;
    }
    return read_body(ret, is_large);
}
