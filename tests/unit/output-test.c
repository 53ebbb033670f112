/* SPDX-License-Identifier: MIT
 *
 * Output: head, tail and the exact count between; characters whole however they come; illegal
 * bytes; and any cutting of the same text gives the same parts.
 */
#include "host/output.h"

#include "base/mem.h"
#include "unit/t.h"

static struct bytes head;
static struct bytes tail;
static uint64_t dropped;

static void check(struct output *o, const char *want_head, uint64_t want_dropped,
                  const char *want_tail)
{
    _cleanup_(free_p) char *have_head = NULL;
    _cleanup_(free_p) char *have_tail = NULL;

    output_take(o, &head, &tail, &dropped);
    have_head = mem_str(head);
    have_tail = mem_str(tail);
    T_STR(have_head, want_head);
    T_EQ(dropped, want_dropped);
    T_STR(have_tail, want_tail);
}

static void add(struct output *o, const char *text)
{
    output_add(o, bytes_str(text));
}

static void test_parts(void)
{
    struct output o;

    output_init(&o, 3, 2);
    check(&o, "", 0, "");
    add(&o, "ab");
    check(&o, "ab", 0, "");
    add(&o, "abcde");
    check(&o, "abc", 0, "de");
    add(&o, "abcdef");
    check(&o, "abc", 1, "ef");
    for (int i = 0; i < 1000; i++) {
        add(&o, "0123456789");
    }
    check(&o, "012", 9995, "89");
    check(&o, "", 0, "");
    output_done(&o);
}

static void test_zero(void)
{
    struct output o;

    output_init(&o, 0, 2);
    add(&o, "abc");
    check(&o, "", 1, "bc");
    output_done(&o);
    output_init(&o, 2, 0);
    add(&o, "abc");
    check(&o, "ab", 1, "");
    output_done(&o);
    output_init(&o, 0, 0);
    add(&o, "abc");
    check(&o, "", 3, "");
    output_done(&o);
}

static void test_code_points(void)
{
    struct output o;

    output_init(&o, 2, 2);
    add(&o, "\xF0\x9F\x98\x80\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x81z");
    check(&o, "\xF0\x9F\x98\x80\xC3\xA9", 1, "\xF0\x9F\x98\x81z");
    /* The ring turns with characters of other widths. */
    for (int i = 0; i < 100; i++) {
        add(&o, i % 2 == 0 ? "\xF0\x9F\x98\x80" : "a");
        add(&o, i % 3 == 0 ? "\xC3\xA9" : "b");
    }
    check(&o, "\xF0\x9F\x98\x80\xC3\xA9", 196, "a\xC3\xA9");
    output_done(&o);
}

static void clean_is(const char *in, size_t len, const char *want)
{
    struct buf b = buf_max(1000);

    utf8_put_clean(&b, bytes_of(in, len));
    T_STR(buf_str(&b), want);
    buf_done(&b);
}

#define R UTF8_REPLACEMENT

static void test_illegal(void)
{
    clean_is("a\xFF"
             "b",
             3, "a" R "b");
    clean_is("\xC0\x80", 2, R R);             /* overlong */
    clean_is("\xE0\x80\x80", 3, R R R);       /* overlong */
    clean_is("\xED\xA0\x80", 3, R R R);       /* a surrogate */
    clean_is("\xF4\x90\x80\x80", 4, R R R R); /* past 10FFFF */
    clean_is("\xF5\x80\x80\x80", 4, R R R R); /* likewise */
    clean_is("\xF0\x9F\x98", 3, R);           /* one that breaks off */
    clean_is("\xF0\x9F\x98x", 4, R "x");      /* is one mistake */
    clean_is("\xE2\x82\xE2\x82\xAC", 5, R "\xE2\x82\xAC");
    clean_is("\x80\x80", 2, R R);
    T_EQ(utf8_fault(bytes_str("abc\xE2\x82\xAC")), 6);
    T_EQ(utf8_fault(bytes_str("abc\xE2\x82")), 3);
}

static void test_carry(void)
{
    struct output o;
    struct bytes clean;

    output_init(&o, 10, 10);
    clean = output_add(&o, bytes_str("a\xE2\x82"));
    T_EQ(clean.len, 1); /* the rest may come */
    clean = output_add(&o, bytes_str("\xAC"));
    T_EQ(clean.len, 3);
    output_add(&o, bytes_str("\xE2\x82"));
    clean = output_add(&o, bytes_str("z"));
    T_EQ(clean.len, 4); /* it did not */
    output_add(&o, bytes_str("\xF0"));
    clean = output_finish(&o);
    T_EQ(clean.len, 3);
    check(&o, "a\xE2\x82\xAC" R "z" R, 0, "");
    output_done(&o);
}

/* The same text cut at every place, and byte by byte, gives what it gives whole. */
static void test_cuts(void)
{
    static const char text[] = "\xF0\x9F\x98\x80x\xE2\x82\xAC\xFF\xC3\xA9\xE2\x82y\xED\xA0\x80!";
    size_t n = sizeof text - 1;
    char *want_head;
    char *want_tail;
    uint64_t want_dropped;
    struct output o;

    output_init(&o, 3, 4);
    output_add(&o, bytes_of(text, n));
    output_finish(&o);
    output_take(&o, &head, &tail, &want_dropped);
    want_head = mem_str(head);
    want_tail = mem_str(tail);
    T_EQ(want_dropped, 4);
    for (size_t cut = 0; cut <= n; cut++) {
        output_add(&o, bytes_of(text, cut));
        output_add(&o, bytes_of(text + cut, n - cut));
        output_finish(&o);
        check(&o, want_head, want_dropped, want_tail);
    }
    for (size_t i = 0; i < n; i++) {
        output_add(&o, bytes_of(text + i, 1));
    }
    output_finish(&o);
    check(&o, want_head, want_dropped, want_tail);
    mem_free(want_head);
    mem_free(want_tail);
    output_done(&o);
}

static void test_first(void)
{
    T_EQ(utf8_first(bytes_str("\xC3\xA9\xE2\x82\xACz"), 2).len, 5);
    T_EQ(utf8_first(bytes_str("ab"), 5).len, 2);
    T_EQ(utf8_first(bytes_none(), 5).len, 0);
}

int main(void)
{
    test_parts();
    test_zero();
    test_code_points();
    test_illegal();
    test_carry();
    test_cuts();
    test_first();
    return T_DONE("output");
}
