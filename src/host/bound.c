/* SPDX-License-Identifier: MIT
 *
 * What a host holds for one script at most, as a sum of its limits.
 *
 * Each term is a thing that a lying cell can make the host keep, or that the tools' owner can, and
 * tests/unit/bound-test.c drives a host to each. What grows is counted at the size to which its
 * memory doubles, and once the half that it grew out of, since both are there for a moment. What
 * the owner holds of its own (a result that it hands over) and what the kernel holds in the two
 * directions of the socket (about 200 KiB each) is not in it.
 */
#include "host/calls.h"
#include "host/link.h"
#include "host/toolset.h"

enum {
    SMALL_BYTES = 64,   /* the allocator's part, and a frame's head */
    LARGE_BYTES = 8192, /* the same where it takes whole pages */
    FIRST_CAP = 64,     /* of a buf */
    FIRST_ITEMS = 8,    /* of an array */
    MAX_UTF8 = 4,       /* bytes of a character */
    CLEAN = 3,          /* bytes that a byte which is no UTF-8 becomes */
};

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t at_least(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A buf that came to hold len bytes. */
static int64_t grown(int64_t len)
{
    int64_t cap = FIRST_CAP;

    while (cap <= len) {
        cap *= 2;
    }
    return cap + LARGE_BYTES;
}

/* What timed out at a tool keeps its text there, and leaves its place among those that are out to
 * another. One that is out is held as its text, and once the answer came as that, for as long as
 * the cell does not read; of the text the record's part is left. */
static int64_t calls_bytes(const struct limits *l)
{
    int64_t slot = sizeof(struct call) + sizeof(struct call *) + sizeof(struct ledger_slot);
    int64_t text = slot + l->max_args_bytes + LARGE_BYTES;
    int64_t answer = slot + l->memory / 3 + (int64_t)sizeof(struct out_frame) +
                     MAX_UTF8 * RECORD_ARGUMENT_CHARS + LARGE_BYTES;

    return l->max_calls_out * (text + at_least(text, answer));
}

/* Wakes that wait, and the frames that tell of them. */
static int64_t wakes_bytes(const struct limits *l)
{
    return l->max_wakes *
           (WIRE_MAX_WAKE + (int64_t)sizeof(struct out_frame) + 3 * (int64_t)SMALL_BYTES);
}

/* The frame itself, and what it is encoded in. */
static int64_t start_bytes(const struct limits *l, const struct toolset *tools)
{
    int64_t names = tools == NULL ? 0 : (int64_t)tools->names.len;
    int64_t frame = l->max_code + names + 2 * (int64_t)SMALL_BYTES;

    return frame + LARGE_BYTES + grown(frame);
}

/* The frame that is being read, and the room for the next read behind it. */
static int64_t input_bytes(const struct limits *l)
{
    return grown(l->max_frame + FRAME_HEADER_BYTES + LINK_READ_BYTES);
}

/* What the script said of its end, and the message, in which a few words of ours may stand. */
static int64_t ending_bytes(const struct limits *l)
{
    int64_t texts = CLEAN * ((int64_t)WIRE_MAX_ERROR_NAME + WIRE_MAX_ERROR_MESSAGE) +
                    WIRE_MAX_FRAMES_JSON + WIRE_MAX_NOTES;

    return grown(texts + at_most(WIRE_MAX_VALUE, l->max_frame)) +
           grown((int64_t)4 * WIRE_MAX_ERROR_MESSAGE) + 4 * grown((int64_t)4 * WIRE_MAX_SENTENCE);
}

/* Head and tail, both again for the owner that took them, and the batch that just came. */
static int64_t output_bytes(const struct limits *l)
{
    int64_t batch = WIRE_MAX_OUTPUT + MAX_UTF8;

    return 2 * grown(MAX_UTF8 * l->output_head) + MAX_UTF8 * l->output_tail + LARGE_BYTES +
           grown(MAX_UTF8 * l->output_tail) + grown(batch) + grown(CLEAN * batch);
}

static int64_t record_bytes(const struct toolset *tools)
{
    int64_t n = (int64_t)RECORD_FIRST + RECORD_LOST;
    int64_t rows = tools == NULL ? 0 : (int64_t)tools->n;
    int64_t items = FIRST_ITEMS;

    while (items < n) {
        items *= 2;
    }
    return items * (int64_t)sizeof(struct record_call) +
           n * (MAX_UTF8 * RECORD_ARGUMENT_CHARS + SMALL_BYTES) +
           rows * (int64_t)sizeof(struct record_tool) + 2 * (int64_t)LARGE_BYTES;
}

/* The largest of what grows, on its way to twice its size. */
static int64_t moving_bytes(const struct limits *l)
{
    return at_least(at_least(input_bytes(l), ending_bytes(l)), output_bytes(l)) / 2;
}

int64_t limits_host_bytes(const struct limits *limits, const struct toolset *tools)
{
    int64_t fixed = sizeof(struct run) + sizeof(struct cell) + sizeof(uv_timer_t) +
                    WIRE_PAGE_BYTES + 8 * (int64_t)SMALL_BYTES;

    return fixed + calls_bytes(limits) + wakes_bytes(limits) + moving_bytes(limits) +
           start_bytes(limits, tools) + input_bytes(limits) + ending_bytes(limits) +
           output_bytes(limits) + record_bytes(tools);
}
