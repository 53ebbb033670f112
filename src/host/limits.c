/* SPDX-License-Identifier: MIT
 *
 * The limits of a run: defaults, the check by name, and "NAME=VALUE" with units.
 *
 * All three walk the one table in host/limits.tbl.h. A value out of range is refused with a
 * sentence that names it; nothing is clamped.
 */
#include "base/mem.h"
#include "host/host.h"

#include <errno.h>
#include <inttypes.h>

enum {
    MEMORY_PAGE_BYTES = 65536,
    CALL_HEAD_BYTES = 2048, /* of a call's frame: a tool's name and the rest but its arguments */
};

struct row {
    const char *name;
    const char *unit;
    size_t offset;
    int64_t min;
    int64_t max;
};

#define LIMIT(name, unit, def, min, max, sentence)                                                 \
    {#name, (unit), offsetof(struct limits, name), (min), (max)},
static const struct row rows[] = {
#include "host/limits.tbl.h"
};
#undef LIMIT

struct unit {
    const char *kind; /* of the row it fits */
    const char *name;
    int64_t factor;
};

static const struct unit units[] = {
    {"ms", "", 1},
    {"ms", "ms", 1},
    {"ms", "s", 1000},
    {"ms", "m", 60 * 1000},
    {"ms", "h", 60 * 60 * 1000},
    {"bytes", "", 1},
    {"bytes", "B", 1},
    {"bytes", "KiB", 1024},
    {"bytes", "MiB", 1024 * 1024},
    {"bytes", "GiB", 1024 * 1024 * 1024},
    {"", "", 1},
};

struct limits limits_default(void)
{
    struct limits limits = {
#define LIMIT(name, unit, def, min, max, sentence) .name = (def),
#include "host/limits.tbl.h"
#undef LIMIT
    };

    return limits;
}

static int64_t *slot_of(struct limits *limits, const struct row *row)
{
    return (int64_t *)(void *)((char *)limits + row->offset);
}

/* A value as people write it: in the largest unit that leaves it whole. */
static void put_value(struct buf *out, const struct row *row, int64_t value)
{
    const struct unit *best = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(units) && value != 0; i++) {
        if (strcmp(units[i].kind, row->unit) == 0 && units[i].name[0] != '\0' &&
            value % units[i].factor == 0 && (best == NULL || units[i].factor > best->factor)) {
            best = &units[i];
        }
    }
    buf_printf(out, "%" PRId64 "%s", best == NULL ? value : value / best->factor,
               best == NULL ? "" : best->name);
}

static int check_row(const struct row *row, int64_t value, struct buf *ret_sentence)
{
    if (value < row->min || value > row->max) {
        buf_printf(ret_sentence, "limit %s is ", row->name);
        put_value(ret_sentence, row, value);
        buf_put_str(ret_sentence, ", out of its range: it goes from ");
        put_value(ret_sentence, row, row->min);
        buf_put_str(ret_sentence, " to ");
        put_value(ret_sentence, row, row->max);
        return -ERANGE;
    }
    if (row->offset == offsetof(struct limits, memory) && value % MEMORY_PAGE_BYTES != 0) {
        buf_printf(ret_sentence,
                   "limit memory is %" PRId64 " bytes, not a whole number of 64 KiB pages: "
                   "%" PRId64 " is the next below",
                   value, value - value % MEMORY_PAGE_BYTES);
        return -ERANGE;
    }
    return 0;
}

/* A script that keeps to one limit must not break another one by it. */
static int check_together(const struct limits *limits, struct buf *ret_sentence)
{
    if (limits->max_args_bytes > limits->max_frame - CALL_HEAD_BYTES) {
        buf_printf(ret_sentence,
                   "limit max_frame is %" PRId64
                   " bytes, too little for a call with max_args_bytes "
                   "(%" PRId64 ") and %d more: set both",
                   limits->max_frame, limits->max_args_bytes, CALL_HEAD_BYTES);
        return -ERANGE;
    }
    return 0;
}

int limits_check(const struct limits *limits, struct buf *ret_sentence)
{
    struct limits copy = *limits;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int r = check_row(&rows[i], *slot_of(&copy, &rows[i]), ret_sentence);

        if (r < 0) {
            return r;
        }
    }
    return check_together(limits, ret_sentence);
}

static const struct row *find_row(struct bytes name)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (bytes_is(name, rows[i].name)) {
            return &rows[i];
        }
    }
    return NULL;
}

static int refuse_name(struct bytes name, struct buf *ret_sentence)
{
    buf_printf(ret_sentence, "there is no limit \"%.*s\": the limits are", (int)name.len,
               (const char *)name.ptr);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        buf_printf(ret_sentence, "%s %s", i == 0 ? "" : ",", rows[i].name);
    }
    return -EINVAL;
}

static const char *describe_unit(const char *kind)
{
    if (strcmp(kind, "ms") == 0) {
        return "a whole number with ms, s, m or h, or milliseconds with none";
    }
    if (strcmp(kind, "bytes") == 0) {
        return "a whole number with B, KiB, MiB or GiB, or bytes with none";
    }
    return "a whole number";
}

/* Digits and a unit; false where it is not that. A number past int64_t becomes INT64_MAX,
 * which no range holds. */
static bool parse_value(const struct row *row, const char *text, int64_t *ret)
{
    const char *at = text;
    int64_t value = 0;
    bool is_over = false;

    while (*at >= '0' && *at <= '9') {
        is_over = __builtin_mul_overflow(value, 10, &value) || is_over;
        is_over = __builtin_add_overflow(value, *at - '0', &value) || is_over;
        at++;
    }
    if (at == text) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        if (strcmp(units[i].kind, row->unit) == 0 && strcmp(units[i].name, at) == 0) {
            is_over = __builtin_mul_overflow(value, units[i].factor, &value) || is_over;
            *ret = is_over ? INT64_MAX : value;
            return true;
        }
    }
    return false;
}

int limits_parse(struct limits *limits, const char *assignment, struct buf *ret_sentence)
{
    const char *equals = strchr(assignment, '=');
    const struct row *row;
    struct bytes name;
    int64_t value;
    int r;

    if (equals == NULL) {
        buf_printf(ret_sentence, "limit \"%s\" has no value: write NAME=VALUE", assignment);
        return -EINVAL;
    }
    name = bytes_of(assignment, (size_t)(equals - assignment));
    row = find_row(name);
    if (row == NULL) {
        return refuse_name(name, ret_sentence);
    }
    if (!parse_value(row, equals + 1, &value)) {
        buf_printf(ret_sentence, "limit %s cannot be \"%s\": it takes %s", row->name, equals + 1,
                   describe_unit(row->unit));
        return -EINVAL;
    }
    r = check_row(row, value, ret_sentence);
    if (r < 0) {
        return r;
    }
    *slot_of(limits, row) = value;
    return 0;
}
