/* SPDX-License-Identifier: MIT
 *
 * base/bytes: slices, and the reader with its sticky fault.
 */
#include "base/bytes.h"

#include "tests/unit/t.h"

#include <errno.h>

static void test_slices(void)
{
    struct bytes a = bytes_str("abcdef");

    T_EQ(bytes_none().len, 0);
    T_OK(bytes_none().ptr != NULL);
    T_OK(bytes_of(NULL, 0).ptr != NULL);
    T_EQ(a.len, 6);
    T_OK(bytes_is(a, "abcdef"));
    T_OK(!bytes_is(a, "abcde"));
    T_OK(!bytes_is(a, "abcdeg"));
    T_OK(bytes_is(bytes_from(a, 4), "ef"));
    T_OK(bytes_is(bytes_from(a, 6), ""));
    T_OK(bytes_is(bytes_from(a, 7), "") && bytes_from(a, 7).ptr != NULL);
    T_OK(bytes_is(bytes_first(a, 2), "ab"));
    T_OK(bytes_is(bytes_first(a, 0), ""));
    T_OK(bytes_is(bytes_first(a, 99), "abcdef"));
    T_OK(bytes_equal(bytes_of("a\0b", 3), bytes_of("a\0b", 3)));
    T_OK(!bytes_equal(bytes_of("a\0b", 3), bytes_of("a\0c", 3)));
}

static void test_order(void)
{
    T_EQ(bytes_compare(bytes_str("a"), bytes_str("a")), 0);
    T_OK(bytes_compare(bytes_str("a"), bytes_str("b")) < 0);
    T_OK(bytes_compare(bytes_str("b"), bytes_str("a")) > 0);
    T_OK(bytes_compare(bytes_str("a"), bytes_str("ab")) < 0);
    T_OK(bytes_compare(bytes_str("ab"), bytes_str("a")) > 0);
    T_OK(bytes_compare(bytes_none(), bytes_str("a")) < 0);
    T_OK(bytes_compare(bytes_str("\x7f"), bytes_str("\x80")) < 0);
}

static const uint8_t wire[] = {7, 1, 2, 3, 0x84, 3, 0, 0, 0, 'a', 'b', 'c'};

static void test_reader(void)
{
    struct reader r = reader_of(bytes_of(wire, sizeof wire));

    T_EQ(reader_u8(&r), 7);
    T_EQ(reader_u32(&r), 0x84030201);
    T_OK(bytes_is(reader_bytes(&r, 3), "abc"));
    T_EQ(reader_done(&r), 0);
    T_EQ(reader_u8(&r), 0);
    T_ERR(reader_done(&r), EBADMSG);
}

static void test_left_over(void)
{
    struct reader r = reader_of(bytes_of(wire, sizeof wire));

    T_EQ(reader_u8(&r), 7);
    T_ERR(reader_done(&r), EBADMSG);
}

static void test_over_maximum(void)
{
    struct reader r = reader_of(bytes_of(wire + 5, sizeof wire - 5));

    T_EQ(reader_bytes(&r, 2).len, 0);
    T_ERR(reader_done(&r), EMSGSIZE);
    T_EQ(reader_u8(&r), 0);
    T_EQ(reader_u32(&r), 0);
    T_ERR(reader_done(&r), EMSGSIZE);
}

/* A length from the other side must not wrap, and every truncation is noticed. */
static void test_short(void)
{
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 'a'};
    struct reader r = reader_of(bytes_of(huge, sizeof huge));

    T_EQ(reader_bytes(&r, SIZE_MAX).len, 0);
    T_ERR(reader_done(&r), EBADMSG);
    for (size_t len = 0; len < sizeof wire; len++) {
        r = reader_of(bytes_of(wire, len));
        reader_u8(&r);
        reader_u32(&r);
        reader_bytes(&r, 100);
        T_ERR(reader_done(&r), EBADMSG);
    }
}

int main(void)
{
    test_slices();
    test_order();
    test_reader();
    test_left_over();
    test_over_maximum();
    test_short();
    return T_DONE("bytes");
}
