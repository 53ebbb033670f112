/* SPDX-License-Identifier: MIT
 *
 * base/buf: growth, the maximum, the sticky fault, the C string.
 */
#include "base/buf.h"

#include "base/mem.h"
#include "tests/unit/t.h"

#include <errno.h>

static void test_put(void)
{
    _cleanup_(buf_done) struct buf b = buf_max(100);

    T_STR(buf_str(&b), "");
    T_EQ(buf_bytes(&b).len, 0);
    T_OK(buf_bytes(&b).ptr != NULL);
    buf_put(&b, "ab", 2);
    buf_put(&b, NULL, 0);
    buf_put_str(&b, "cd");
    buf_put_bytes(&b, bytes_str("ef"));
    buf_put_u8(&b, 'g');
    buf_printf(&b, " %d %s", -5, "six");
    T_STR(buf_str(&b), "abcdefg -5 six");
    T_EQ(b.len, 14);
    T_EQ(buf_fault(&b), 0);
}

static void test_numbers(void)
{
    _cleanup_(buf_done) struct buf b = buf_max(100);

    buf_put_u32(&b, 0x84030201);
    T_OK(bytes_is(buf_bytes(&b), "\x01\x02\x03\x84"));
    buf_put_u8(&b, 'x');
    buf_set_u32(&b, 1, 0x64636261);
    T_STR(buf_str(&b), "\x01"
                       "abcd");
    buf_set_u32(&b, 2, 0);
    buf_set_u32(&b, SIZE_MAX, 0);
    T_STR(buf_str(&b), "\x01"
                       "abcd");
}

static void test_maximum(void)
{
    _cleanup_(buf_done) struct buf b = buf_max(4);

    buf_put_str(&b, "abcd");
    T_EQ(buf_fault(&b), 0);
    T_STR(buf_str(&b), "abcd");
    buf_put_u8(&b, 'e');
    T_ERR(buf_fault(&b), EMSGSIZE);
    T_EQ(b.len, 4);
    T_OK(buf_grow(&b, 0) == NULL);
    buf_drop(&b, 4);
    buf_put_u8(&b, 'e');
    T_ERR(buf_fault(&b), EMSGSIZE);
    T_EQ(b.len, 0);
    buf_clear(&b);
    buf_put_str(&b, "wxyz");
    T_EQ(buf_fault(&b), 0);
    T_STR(buf_str(&b), "wxyz");
    buf_clear(&b);
    buf_put(&b, "x", SIZE_MAX);
    T_ERR(buf_fault(&b), EMSGSIZE);
}

static void test_printf_over_maximum(void)
{
    _cleanup_(buf_done) struct buf b = buf_max(3);

    buf_printf(&b, "%d", 1000);
    T_ERR(buf_fault(&b), EMSGSIZE);
    T_STR(buf_str(&b), "");
}

/* Each size around the doublings keeps room for the NUL. */
static void test_growth(void)
{
    for (size_t n = 0; n < 300; n++) {
        _cleanup_(buf_done) struct buf b = buf_max(1000);

        for (size_t i = 0; i < n; i++) {
            buf_put_u8(&b, (uint8_t)('a' + i % 26));
        }
        T_EQ(strlen(buf_str(&b)), n);
        T_OK(n == 0 || b.data[n - 1] == (uint8_t)('a' + (n - 1) % 26));
    }
}

static void test_drop(void)
{
    _cleanup_(buf_done) struct buf b = buf_max(10);

    buf_put_str(&b, "abcdef");
    buf_drop(&b, 2);
    T_STR(buf_str(&b), "cdef");
    buf_drop(&b, 0);
    T_STR(buf_str(&b), "cdef");
    buf_drop(&b, 99);
    T_STR(buf_str(&b), "");
    buf_done(&b);
    T_EQ(b.max, 10);
    T_EQ(b.cap, 0);
}

static void test_grow(void)
{
    _cleanup_(buf_done) struct buf b = buf_max(10);
    uint8_t *at = buf_grow(&b, 3);

    T_OK(at != NULL);
    if (at != NULL) {
        memset(at, 'x', 3);
    }
    T_STR(buf_str(&b), "xxx");
}

int main(void)
{
    test_put();
    test_numbers();
    test_maximum();
    test_printf_over_maximum();
    test_growth();
    test_drop();
    test_grow();
    return T_DONE("buf");
}
