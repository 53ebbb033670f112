/* SPDX-License-Identifier: MIT
 *
 * base/mem: zeroed memory, arrays that grow, strings, stealing, scope exit.
 */
#include "base/mem.h"

#include "tests/unit/t.h"

#include <errno.h>

/* The test asks for what no machine has; the sanitizer would rather die than say no. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static int runs;

static void count_run(int *value)
{
    runs = runs * 10 + *value;
}

static void test_new(void)
{
    static const uint8_t zeros[64];
    _cleanup_(free_p) uint8_t *one = mem_new(64);
    _cleanup_(free_p) uint8_t *many = mem_array(8, 8);
    _cleanup_(free_p) uint8_t *none = mem_array(0, 8);
    _cleanup_(free_p) uint8_t *sure = xmem_new(64);

    T_OK(one != NULL && memcmp(one, zeros, 64) == 0);
    T_OK(many != NULL && memcmp(many, zeros, 64) == 0);
    T_OK(none != NULL);
    T_OK(memcmp(sure, zeros, 64) == 0);
    T_OK(mem_array(SIZE_MAX / 4, 8) == NULL);
    mem_free(NULL);
}

static void test_reserve(void)
{
    _cleanup_(free_p) uint32_t *items = NULL;
    size_t cap = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        T_EQ(mem_reserve(&items, &cap, i + 1, sizeof *items), 0);
        T_OK(cap > i);
        items[i] = i;
    }
    T_EQ(items[0], 0);
    T_EQ(items[999], 999);
    T_OK(cap < 2048 + 1);
    T_ERR(mem_reserve(&items, &cap, SIZE_MAX / 4, sizeof *items), ENOMEM);
    T_EQ(items[999], 999);
}

static void test_str(void)
{
    _cleanup_(free_p) char *text = mem_str(bytes_first(bytes_str("abcdef"), 3));
    _cleanup_(free_p) char *none = mem_str(bytes_none());

    T_STR(text, "abc");
    T_STR(none, "");
}

static void test_steal(void)
{
    _cleanup_(free_p) char *text = mem_str(bytes_str("x"));
    _cleanup_(free_p) char *taken = steal_ptr(&text);

    T_OK(text == NULL);
    T_STR(taken, "x");
}

static void test_cleanup(void)
{
    {
        _cleanup_(count_run) int first = 1;
        _cleanup_(count_run) int second = 2;

        T_EQ(first + second, 3);
    }
    T_EQ(runs, 21);
}

int main(void)
{
    test_new();
    test_reserve();
    test_str();
    test_steal();
    test_cleanup();
    return T_DONE("mem");
}
