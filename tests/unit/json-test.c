/* SPDX-License-Identifier: MIT
 *
 * json: what is accepted and refused, where a fault is told, look-ups, decoding, writers.
 */
#include "json/json.h"

#include "base/mem.h"
#include "tests/unit/t.h"

#include <errno.h>

enum { MANY = 1000000 };

static int check(const char *text)
{
    return json_check(bytes_str(text), 0, JSON_MAX_DEPTH, MANY, NULL, NULL);
}

static void test_accepts(void)
{
    static const char *const good[] = {
        "null",
        " true ",
        "false",
        "0",
        "-0",
        "-12.50e+3",
        "1E9",
        "0.1",
        "123456789012345678901",
        "1e400",
        "\"\"",
        "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
        "\"\\ud83d\"",
        "\"\\u0000\"",
        "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf \x7f\"",
        "[]",
        "[ ]",
        "{}",
        "{ }",
        "[1,2,[3,[]],{}]",
        "{\"a\":1,\"a\":2}",
        "\t\r\n[1]\n",
        "{\"\":{\"\":[{}]}}",
        "\"0123456789abcdef0123456789\\n0123456789abcdef\""};

    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        int result = check(good[i]);

        if (result != 0) {
            fprintf(stderr, "refused: %s\n", good[i]);
        }
        T_EQ(result, 0);
    }
}

static void test_refuses(void)
{
    static const char *const bad[] = {"",
                                      " ",
                                      "nul",
                                      "nulll",
                                      "True",
                                      "NaN",
                                      "Infinity",
                                      "-Infinity",
                                      "+1",
                                      "01",
                                      "-01",
                                      "1.",
                                      ".5",
                                      "-",
                                      "1e",
                                      "1e+",
                                      "1.e1",
                                      "0x10",
                                      "--1",
                                      "1 2",
                                      "\"",
                                      "\"a",
                                      "\"\\\"",
                                      "\"\\x41\"",
                                      "\"\\u12\"",
                                      "\"\\u12g4\"",
                                      "\"\\",
                                      "\"a\nb\"",
                                      "\"a\tb\"",
                                      "\"\x01\"",
                                      "'a'",
                                      "[",
                                      "]",
                                      "[1",
                                      "[1,",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "[1}",
                                      "{",
                                      "{\"a\"",
                                      "{\"a\":",
                                      "{\"a\":1",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "{\"a\" 1}",
                                      "{\"a\":1]",
                                      "{1:2}",
                                      "{,}",
                                      "// x\n1",
                                      "/* */1",
                                      "\xef\xbb\xbf{}",
                                      "\"\x80\"",
                                      "\"\xc0\xaf\"",
                                      "\"\xc1\xbf\"",
                                      "\"\xe0\x80\xaf\"",
                                      "\"\xe0\x9f\xbf\"",
                                      "\"\xed\xa0\x80\"",
                                      "\"\xed\xbf\xbf\"",
                                      "\"\xf0\x80\x80\x80\"",
                                      "\"\xf0\x8f\xbf\xbf\"",
                                      "\"\xf4\x90\x80\x80\"",
                                      "\"\xf5\x80\x80\x80\"",
                                      "\"\xff\"",
                                      "\"\xc3\"",
                                      "\"\xe2\x82\"",
                                      "\"\xf0\x9f\x98\"",
                                      "\"0123456789\x01\"",
                                      "\"0123456\x80\"",
                                      "[1]]",
                                      "{}{}",
                                      "\x0c[]",
                                      "\xc2\xa0[]"};

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct json_fault fault = {0};
        int result = json_check(bytes_str(bad[i]), 0, JSON_MAX_DEPTH, MANY, NULL, &fault);

        if (result != -EBADMSG) {
            fprintf(stderr, "not refused: %s\n", bad[i]);
        }
        T_ERR(result, EBADMSG);
        T_OK(fault.sentence != NULL && fault.line >= 1 && fault.offset <= strlen(bad[i]));
    }
    T_ERR(json_check(bytes_of("1\0", 2), 0, 10, 10, NULL, NULL), EBADMSG);
    T_ERR(json_check(bytes_of("\"\\\0\"", 4), 0, 10, 10, NULL, NULL), EBADMSG);
}

/* Every string of a plain byte at every place of a word: the eight-byte path sees each. */
static void test_every_byte_in_a_string(void)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t at = 1; at <= 17; at++) {
            char text[20] = "\"aaaaaaaaaaaaaaaaa\"";
            bool is_good = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
            int result;

            text[at] = (char)byte;
            result = json_check(bytes_of(text, 19), 0, 1, 1, NULL, NULL);
            T_EQ(result == 0, is_good);
        }
    }
}

static void test_fault_place(void)
{
    struct json_fault fault;
    unsigned line;
    unsigned column;

    T_ERR(json_check(bytes_str("{\n  \"a\": 1,\n  \"b\": tru\n}"), 0, 9, 9, NULL, &fault), EBADMSG);
    T_EQ(fault.line, 3);
    T_EQ(fault.column, 8);
    T_EQ(fault.offset, 19);
    T_STR(fault.sentence, "a value is expected: true, false and null are the only words");
    json_place(bytes_str("a\n\nbc"), 4, &line, &column);
    T_EQ(line, 3);
    T_EQ(column, 2);
}

static void test_bounds(void)
{
    _cleanup_(buf_done) struct buf deep = buf_max(1 << 20);
    struct json_fault fault = {0};
    size_t values = 0;

    T_EQ(json_check(bytes_str("[[],{\"a\":[1,\"x\"]}]"), 0, 3, 6, &values, NULL), 0);
    T_EQ(values, 6);
    T_ERR(json_check(bytes_str("[[],{\"a\":[1,\"x\"]}]"), 0, 2, 6, NULL, &fault), EMSGSIZE);
    T_EQ(fault.offset, 9);
    T_ERR(json_check(bytes_str("[[],{\"a\":[1,\"x\"]}]"), 0, 3, 5, NULL, NULL), EMSGSIZE);
    T_EQ(json_check(bytes_str("7"), 0, 0, 1, NULL, NULL), 0);
    T_ERR(json_check(bytes_str("[]"), 0, 0, 1, NULL, NULL), EMSGSIZE);
    for (int i = 0; i < JSON_MAX_DEPTH; i++) {
        buf_put_str(&deep, i % 2 == 0 ? "[" : "{\"k\":");
    }
    buf_put_str(&deep, "1");
    for (int i = JSON_MAX_DEPTH - 1; i >= 0; i--) {
        buf_put_str(&deep, i % 2 == 0 ? "]" : "}");
    }
    T_EQ(json_check(buf_bytes(&deep), 0, 99999, MANY, &values, NULL), 0);
    T_EQ(values, JSON_MAX_DEPTH + 1);
    T_ERR(json_check(buf_bytes(&deep), 0, JSON_MAX_DEPTH - 1, MANY, NULL, NULL), EMSGSIZE);
    buf_clear(&deep);
    for (int i = 0; i <= JSON_MAX_DEPTH; i++) {
        buf_put_str(&deep, "[");
    }
    T_ERR(json_check(buf_bytes(&deep), 0, 99999, MANY, NULL, NULL), EMSGSIZE);
}

static int check_unique(const char *text, size_t *ret_offset)
{
    struct json_fault fault = {0};
    int result = json_check(bytes_str(text), JSON_UNIQUE_KEYS, 9, MANY, NULL, &fault);

    *ret_offset = fault.offset;
    return result;
}

static void test_unique_keys(void)
{
    size_t offset;

    T_EQ(check_unique("{\"a\":1,\"b\":2,\"c\":{\"a\":1,\"a\":2}}", &offset), 0);
    T_EQ(check_unique("[{\"a\":1,\"a\":2}]", &offset), 0);
    T_EQ(check_unique("{\"a\":1,\"ab\":2,\"\":3}", &offset), 0);
    T_ERR(check_unique("{\"b\":0,\"a\":1,\"c\":2,\"a\":3}", &offset), EBADMSG);
    T_EQ(offset, 19);
    T_ERR(check_unique(" {\"id\":1,\"\\u0069d\":2}", &offset), EBADMSG);
    T_EQ(offset, 9);
    T_ERR(check_unique("{\"\":1,\"\":2}", &offset), EBADMSG);
}

static const char *get(const char *object, const char *key)
{
    static char text[256];
    struct bytes found = json_get(bytes_str(object), key);

    snprintf(text, sizeof text, "%.*s", (int)found.len, (const char *)found.ptr);
    return text;
}

static void test_get(void)
{
    const char *object = " { \"a\" : [1, {\"b\":\"}\"}] , \"b\":\"x\\\"y\" ,\"n\": -1.50 ,"
                         "\"\\u00e9\":null, \"b\":  true,\"a\\u0000\":9 } ";

    T_STR(get(object, "a"), "[1, {\"b\":\"}\"}]");
    T_STR(get(object, "b"), "true");
    T_STR(get(object, "n"), "-1.50");
    T_STR(get(object, "\xc3\xa9"), "null");
    T_STR(get(object, "c"), "");
    T_STR(get(object, ""), "");
    T_STR(get("[\"a\",1]", "a"), "");
    T_STR(get("\"a\"", "a"), "");
    T_STR(get("{}", "a"), "");
    T_STR(get("", "a"), "");
}

static void test_next(void)
{
    struct bytes object = bytes_str(" {\"k\":[], \"l\" : 12 } ");
    struct bytes key;
    struct bytes item;
    size_t at = 0;

    T_OK(json_next(object, &at, &key, &item));
    T_OK(bytes_is(key, "\"k\"") && bytes_is(item, "[]"));
    T_OK(json_next(object, &at, NULL, &item));
    T_OK(bytes_is(item, "12"));
    T_OK(!json_next(object, &at, &key, &item));
    T_OK(!json_next(object, &at, &key, &item));
    at = 0;
    T_OK(json_next(bytes_str("[\"],\" , [2]]"), &at, NULL, &item) && bytes_is(item, "\"],\""));
    at = 0;
    T_OK(!json_next(bytes_str("[ ]"), &at, NULL, &item));
    T_OK(!json_next(bytes_str("{}"), &at, NULL, &item));
    T_OK(!json_next(bytes_str("7"), &at, NULL, &item));
    T_OK(!json_next(bytes_none(), &at, NULL, &item));
}

static void test_kind(void)
{
    T_EQ(json_kind(bytes_str(" {}")), JSON_OBJECT);
    T_EQ(json_kind(bytes_str("\n[]")), JSON_ARRAY);
    T_EQ(json_kind(bytes_str("\"\"")), JSON_STRING);
    T_EQ(json_kind(bytes_str("-1")), JSON_NUMBER);
    T_EQ(json_kind(bytes_str("9")), JSON_NUMBER);
    T_EQ(json_kind(bytes_str("true")), JSON_BOOL);
    T_EQ(json_kind(bytes_str("null")), JSON_NULL);
    T_EQ(json_kind(bytes_str("  ")), JSON_NONE);
}

static const char *decode(const char *string)
{
    static char text[256];
    _cleanup_(buf_done) struct buf out = buf_max(200);

    if (json_text(bytes_str(string), &out) != 0) {
        return "(fault)";
    }
    snprintf(text, sizeof text, "%s", buf_str(&out));
    return text;
}

static void test_text(void)
{
    _cleanup_(buf_done) struct buf small = buf_max(3);
    _cleanup_(buf_done) struct buf out = buf_max(9);

    T_STR(decode("\"plain\""), "plain");
    T_STR(decode(" \"a\\n\\t\\\"\\\\\\/\\b\\f\\r\" "), "a\n\t\"\\/\b\f\r");
    T_STR(decode("\"\\u0041\\u00e9\\u20AC\""), "A\xc3\xa9\xe2\x82\xac");
    T_STR(decode("\"\\ud83d\\ude00\""), "\xf0\x9f\x98\x80");
    T_STR(decode("\"\\uDBFF\\uDFFF\""), "\xf4\x8f\xbf\xbf");
    T_STR(decode("\"\\ud83d\""), "\xef\xbf\xbd");
    T_STR(decode("\"\\ud83dx\""), "\xef\xbf\xbdx");
    T_STR(decode("\"\\ude00\\ud83d\""), "\xef\xbf\xbd\xef\xbf\xbd");
    T_STR(decode("\"\\ud83d\\ud83d\\ude00\""), "\xef\xbf\xbd\xf0\x9f\x98\x80");
    T_STR(decode("\"\\ud83d\\n\""), "\xef\xbf\xbd\n");
    T_STR(decode("\"\""), "");
    T_STR(decode("7"), "(fault)");
    T_ERR(json_text(bytes_str("7"), &out), EINVAL);
    T_ERR(json_text(bytes_str("\"four\""), &small), EMSGSIZE);
    T_EQ(json_text(bytes_str("\"a\\u0000b\""), &out), 0);
    T_OK(bytes_equal(buf_bytes(&out), bytes_of("a\0b", 3)));
}

static void test_is(void)
{
    T_OK(json_is(bytes_str("\"tools\""), "tools"));
    T_OK(json_is(bytes_str(" \"t\\u006fols\""), "tools"));
    T_OK(json_is(bytes_str("\"\""), ""));
    T_OK(!json_is(bytes_str("\"tool\""), "tools"));
    T_OK(!json_is(bytes_str("\"toolss\""), "tools"));
    T_OK(!json_is(bytes_str("tools"), "tools"));
    T_OK(!json_is(bytes_str("\"a\\u0000\""), "a"));
    T_OK(!json_is(bytes_none(), ""));
}

static int read_int(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    return json_int(bytes_str(text), min, max, ret);
}

static void test_int(void)
{
    int64_t n = 7;

    T_EQ(read_int(" 42 ", 0, 100, &n), 0);
    T_EQ(n, 42);
    T_EQ(read_int("-0", 0, 100, &n), 0);
    T_EQ(n, 0);
    T_EQ(read_int("9223372036854775807", INT64_MIN, INT64_MAX, &n), 0);
    T_EQ(n, INT64_MAX);
    T_EQ(read_int("-9223372036854775808", INT64_MIN, INT64_MAX, &n), 0);
    T_EQ(n, INT64_MIN);
    T_ERR(read_int("9223372036854775808", INT64_MIN, INT64_MAX, &n), ERANGE);
    T_ERR(read_int("-9223372036854775809", INT64_MIN, INT64_MAX, &n), ERANGE);
    T_ERR(read_int("101", 0, 100, &n), ERANGE);
    T_ERR(read_int("-1", 0, 100, &n), ERANGE);
    T_ERR(read_int("1e2", 0, 100, &n), EINVAL);
    T_ERR(read_int("1.0", 0, 100, &n), EINVAL);
    T_ERR(read_int("99999999999999999999.5", 0, 100, &n), EINVAL);
    T_ERR(read_int("\"1\"", 0, 100, &n), EINVAL);
    T_ERR(read_int("", 0, 100, &n), EINVAL);
    T_EQ(n, INT64_MIN);
}

static void test_bool(void)
{
    bool flag = false;

    T_EQ(json_bool(bytes_str(" true"), &flag), 0);
    T_OK(flag);
    T_EQ(json_bool(bytes_str("false "), &flag), 0);
    T_OK(!flag);
    T_ERR(json_bool(bytes_str("null"), &flag), EINVAL);
    T_ERR(json_bool(bytes_str("\"true\""), &flag), EINVAL);
    T_ERR(json_bool(bytes_none(), &flag), EINVAL);
}

static const char *strip(const char *text)
{
    static char plain[256];
    _cleanup_(buf_done) struct buf out = buf_max(200);

    json_strip_comments(bytes_str(text), &out);
    T_EQ(out.len, strlen(text));
    snprintf(plain, sizeof plain, "%s", buf_str(&out));
    return plain;
}

static void test_strip(void)
{
    T_STR(strip("{\"a\":1 // x\n,}"), "{\"a\":1     \n }");
    T_STR(strip("/* a\nb */[1,/**/]"), "    \n    [1     ]");
    T_STR(strip("[\"//\",\"/*\",\"\\\"//\",\",]\"]"), "[\"//\",\"/*\",\"\\\"//\",\",]\"]");
    T_STR(strip("{\"a\":[1,],}"), "{\"a\":[1 ] }");
    T_STR(strip("[1,,]"), "[1,,]");
    T_STR(strip("[,]"), "[,]");
    T_STR(strip("{,}"), "{,}");
    T_STR(strip("{\"a\":,}"), "{\"a\":,}");
    T_STR(strip("[1, 2 , 3]"), "[1, 2 , 3]");
    T_STR(strip("[1] /* open"), "[1] /* open");
    T_STR(strip("[1]//"), "[1]  ");
    T_STR(strip("[1 / 2]"), "[1 / 2]");
    T_STR(strip("\"//"), "\"//");
    T_STR(strip("/"), "/");
    T_STR(strip(""), "");
}

static void test_write(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(1000);

    buf_put_str(&out, "{");
    json_put_key(&out, "a");
    json_put_int(&out, INT64_MIN);
    json_put_key(&out, "b\n");
    buf_put_str(&out, "[");
    json_put_comma(&out);
    json_put_bool(&out, true);
    json_put_comma(&out);
    json_put_bool(&out, false);
    json_put_comma(&out);
    json_put_int(&out, 0);
    json_put_comma(&out);
    json_put_int(&out, INT64_MAX);
    buf_put_str(&out, "]");
    json_put_key(&out, "c");
    json_put_cstr(&out, "q\" b\\ \b\f\n\r\t \x01\x1f \x7f \xc3\xa9");
    buf_put_str(&out, "}");
    T_STR(buf_str(&out), "{\"a\":-9223372036854775808,\"b\\n\":[true,false,0,9223372036854775807],"
                         "\"c\":\"q\\\" b\\\\ \\b\\f\\n\\r\\t \\u0001\\u001f \x7f \xc3\xa9\"}");
    T_EQ(check(buf_str(&out)), 0);
    buf_clear(&out);
    json_put_str(&out, bytes_of("a\0\xff\xc3(\xed\xa0\x80\xe2\x82", 10));
    T_STR(buf_str(&out), "\"a\\u0000\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                         "\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* Every truncation of a text is refused; of the bit flips, as many as must be. */
static void test_mutations(void)
{
    static const char text[] =
        "{\"a\":[1,-2.5e3,\"x\\u00e9\xc3\xa9\"],\"b\":{\"c\":null,\"d\":true}}";
    char copy[sizeof text];
    unsigned refused = 0;

    for (size_t len = 0; len < sizeof text - 1; len++) {
        T_ERR(json_check(bytes_of(text, len), 0, 9, 99, NULL, NULL), EBADMSG);
    }
    for (size_t bit = 0; bit < (sizeof text - 1) * 8; bit++) {
        memcpy(copy, text, sizeof text);
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        refused += json_check(bytes_of(copy, sizeof text - 1), 0, 9, 99, NULL, NULL) != 0;
    }
    T_EQ(refused, 336); /* as another parser counts them */
}

int main(void)
{
    test_accepts();
    test_refuses();
    test_every_byte_in_a_string();
    test_fault_place();
    test_bounds();
    test_unique_keys();
    test_get();
    test_next();
    test_kind();
    test_text();
    test_is();
    test_int();
    test_bool();
    test_strip();
    test_write();
    test_mutations();
    return T_DONE("json");
}
