/* SPDX-License-Identifier: MIT
 *
 * Limits: defaults, the range of every row, and "NAME=VALUE".
 */
#include "host/host.h"

#include "unit/t.h"

#include <errno.h>

static struct buf sentence;
static struct limits limits;

static int parse(const char *assignment)
{
    buf_clear(&sentence);
    return limits_parse(&limits, assignment, &sentence);
}

static void says(const char *part)
{
    T_OK(strstr(buf_str(&sentence), part) != NULL);
    if (strstr(buf_str(&sentence), part) == NULL) {
        fprintf(stderr, "  \"%s\" is not in: %s\n", part, buf_str(&sentence));
    }
}

static void test_defaults(void)
{
    limits = limits_default();
    T_EQ(limits.max_calls_out, 16);
    T_EQ(limits.max_args_bytes, 4 * 1024 * 1024);
    T_EQ(limits.max_args_values, 100000);
    T_EQ(limits.call_timeout, 300000);
    T_EQ(limits.memory, 128 * 1024 * 1024);
    T_EQ(limits.lifetime, 3600000);
    T_EQ(limits.stop_grace, 2000);
    T_EQ(limits.max_frame, 25 * 1024 * 1024);
    T_EQ(limits.max_result_depth, 2000);
    T_EQ(limits.output_head, 8000);
    T_EQ(limits.output_tail, 8000);
    T_EQ(limits.max_code, 1024 * 1024);
    T_EQ(limits.max_wakes, 100);
    T_EQ(limits.wake_spacing, 1000);
    T_EQ(limits.timers, 1);
    T_EQ(limits_check(&limits, &sentence), 0);
}

/* Every row at its ends, and one past them. */
static void test_ranges(void)
{
#define LIMIT(name, unit, def, min, max, words)                                                    \
    limits = limits_default();                                                                     \
    limits.max_args_bytes = 2; /* every max_frame can take that */                                 \
    limits.name = (min);                                                                           \
    T_EQ(limits_check(&limits, &sentence), 0);                                                     \
    limits.name = (max);                                                                           \
    T_EQ(limits_check(&limits, &sentence), 0);                                                     \
    buf_clear(&sentence);                                                                          \
    limits.name = (int64_t)(min)-1;                                                                \
    T_ERR(limits_check(&limits, &sentence), ERANGE);                                               \
    says(#name);                                                                                   \
    buf_clear(&sentence);                                                                          \
    limits.name = (int64_t)(max) + 1;                                                              \
    T_ERR(limits_check(&limits, &sentence), ERANGE);                                               \
    says(#name);
#include "host/limits.tbl.h"
#undef LIMIT
}

/* Limits that are fine alone, and not beside each other. */
static void test_together(void)
{
    buf_clear(&sentence);
    limits = limits_default();
    limits.max_frame = 1 << 20;
    T_ERR(limits_check(&limits, &sentence), ERANGE);
    says("max_frame");
    says("max_args_bytes");
    limits.max_args_bytes = (1 << 20) - 2048;
    T_EQ(limits_check(&limits, &sentence), 0);
}

static void test_units(void)
{
    limits = limits_default();
    T_EQ(parse("lifetime=2m"), 0);
    T_EQ(limits.lifetime, 120000);
    T_EQ(parse("lifetime=3h"), 0);
    T_EQ(limits.lifetime, 3 * 3600000);
    T_EQ(parse("lifetime=1500"), 0);
    T_EQ(limits.lifetime, 1500);
    T_EQ(parse("lifetime=7ms"), 0);
    T_EQ(limits.lifetime, 7);
    T_EQ(parse("call_timeout=0"), 0);
    T_EQ(limits.call_timeout, 0);
    T_EQ(parse("memory=64MiB"), 0);
    T_EQ(limits.memory, 64 * 1024 * 1024);
    T_EQ(parse("memory=1GiB"), 0);
    T_EQ(limits.memory, 1024 * 1024 * 1024);
    T_EQ(parse("max_args_bytes=10KiB"), 0);
    T_EQ(limits.max_args_bytes, 10240);
    T_EQ(parse("max_args_bytes=99B"), 0);
    T_EQ(limits.max_args_bytes, 99);
    T_EQ(parse("max_calls_out=3"), 0);
    T_EQ(limits.max_calls_out, 3);
}

static void test_refusals(void)
{
    struct limits before;

    limits = limits_default();
    before = limits;
    T_ERR(parse("lifetime"), EINVAL);
    says("NAME=VALUE");
    T_ERR(parse("liftime=1s"), EINVAL);
    says("\"liftime\"");
    says("lifetime"); /* what there is */
    T_ERR(parse("lifetime="), EINVAL);
    says("lifetime");
    T_ERR(parse("lifetime=soon"), EINVAL);
    T_ERR(parse("lifetime=-1"), EINVAL);
    T_ERR(parse("lifetime=1.5s"), EINVAL);
    T_ERR(parse("lifetime=1MiB"), EINVAL);
    T_ERR(parse("lifetime=1 s"), EINVAL);
    T_ERR(parse("memory=64s"), EINVAL);
    T_ERR(parse("memory=64MB"), EINVAL);
    says("MiB");
    T_ERR(parse("max_calls_out=3ms"), EINVAL);
    T_ERR(parse("lifetime=0"), ERANGE);
    says("lifetime");
    says("from 1ms to 24h");
    T_ERR(parse("lifetime=25h"), ERANGE);
    T_ERR(parse("lifetime=99999999999999999999999999"), ERANGE);
    T_ERR(parse("lifetime=18446744073709556616"), ERANGE); /* 2^64 and 5 s */
    T_ERR(parse("memory=9000000000000000000GiB"), ERANGE);
    T_ERR(parse("memory=5000000"), ERANGE);
    says("64 KiB");
    T_ERR(parse("=5"), EINVAL);
    T_EQ(memcmp(&before, &limits, sizeof limits), 0); /* nothing was set */
}

int main(void)
{
    sentence = buf_max(4096);
    test_defaults();
    test_ranges();
    test_together();
    test_units();
    test_refusals();
    buf_done(&sentence);
    return T_DONE("limits");
}
