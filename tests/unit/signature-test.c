/* SPDX-License-Identifier: MIT
 *
 * Schemas as signatures.
 */
#include "cli/signature.h"
#include "unit/t.h"

static const char *sign_both(const char *input, const char *output)
{
    static struct buf out = {.max = 65536};

    buf_clear(&out);
    signature_put(&out, bytes_str("s.t"), bytes_str(input), bytes_str(output));
    return buf_str(&out);
}

static const char *sign(const char *input)
{
    return sign_both(input, "");
}

/* The type of a property "p". */
static const char *type_of(const char *schema)
{
    static char text[4096];
    static char type[4096];
    size_t len;

    snprintf(text, sizeof text,
             "{\"type\":\"object\",\"properties\":{\"p\":%s},\"$defs\":{"
             "\"d\":{\"type\":\"string\"},\"a/b~c\":{\"type\":\"null\"},"
             "\"loop\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/loop\"}}}}",
             schema);
    snprintf(type, sizeof type, "%s", sign(text) + strlen("s.t({ p?: "));
    len = strlen(type);
    if (len >= 3) {
        type[len - 3] = '\0';
    }
    return type;
}

static void test_arguments(void)
{
    T_STR(sign(""), "s.t()");
    T_STR(sign("{\"type\":\"object\",\"properties\":{}}"), "s.t()");
    T_STR(sign("{\"type\":\"object\"}"), "s.t(Record<string, unknown>)");
    T_STR(sign("{}"), "s.t(unknown)");
    T_STR(sign("7"), "s.t(unknown)");
    T_STR(sign("{\"properties\":{\"a\":{\"type\":\"string\"}}}"), "s.t({ a?: string })");
    T_STR(sign("{\"type\":\"object\",\"required\":[\"a\",7,\"c\"],\"properties\":{"
               "\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\",\"default\":3},"
               "\"c\":{\"type\":\"boolean\"}}}"),
          "s.t({ a: string, b?: number = 3, c: boolean })");
    T_STR(sign_both("{\"type\":\"object\",\"properties\":{}}",
                    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"}},"
                    "\"required\":[\"n\"]}"),
          "s.t() // .data: { n: number }");
}

static void test_keys(void)
{
    T_STR(sign("{\"type\":\"object\",\"properties\":{\"$a_1\":{\"type\":\"null\"},"
               "\"1a\":{\"type\":\"null\"},\"a-b\":{\"type\":\"null\"},\"\":{\"type\":\"null\"},"
               "\"__proto__\":{\"type\":\"null\"}}}"),
          "s.t({ $a_1?: null, \"1a\"?: null, \"a-b\"?: null, \"\"?: null, __proto__?: null })");
}

static void test_types(void)
{
    T_STR(type_of("true"), "unknown");
    T_STR(type_of("false"), "never");
    T_STR(type_of("{\"type\":\"strange\"}"), "unknown");
    T_STR(type_of("{\"const\":\"x\"}"), "\"x\"");
    T_STR(type_of("{\"enum\":[\"a\",1,null]}"), "\"a\" | 1 | null");
    T_STR(type_of("{\"enum\":[]}"), "never");
    T_STR(type_of("{\"type\":[\"string\",\"null\"]}"), "string | null");
    T_STR(type_of("{\"type\":[\"integer\",\"number\"]}"), "number");
    T_STR(type_of("{\"type\":\"string\",\"nullable\":true}"), "string | null");
    T_STR(
        type_of("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"},{\"type\":\"string\"}]}"),
        "string | number");
    T_STR(type_of("{\"oneOf\":[]}"), "never");
    T_STR(type_of("{\"allOf\":[{\"type\":\"string\"},{}]}"), "string & unknown");
    T_STR(type_of("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"), "Array<string>");
    T_STR(type_of("{\"type\":\"array\"}"), "Array<unknown>");
    T_STR(type_of("{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{}]}"),
          "[string, unknown]");
    T_STR(type_of("{\"type\":\"array\",\"items\":[{\"type\":\"null\"}]}"), "[null]");
    T_STR(type_of("{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}"),
          "Record<string, number>");
    T_STR(type_of("{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"null\"}}}"),
          "{ x?: null }");
    T_STR(type_of("{\"type\":\"string\",\"default\":\"y\"}"), "string = \"y\"");
    T_STR(type_of("{\"type\":\"object\",\"default\":{}}"), "Record<string, unknown>");
}

static void test_references(void)
{
    T_STR(type_of("{\"$ref\":\"#/$defs/d\"}"), "string");
    T_STR(type_of("{\"$ref\":\"#/$defs/a~1b~0c\"}"), "null");
    T_STR(type_of("{\"$ref\":\"#/$defs/none\"}"), "unknown");
    T_STR(type_of("{\"$ref\":\"https://example.org/x\"}"), "unknown");
    T_STR(type_of("{\"$ref\":7}"), "unknown");
    T_STR(type_of("{\"$ref\":\"#/$defs/loop\"}"), "Array<Array<Array<unknown>>>");
    T_OK(strstr(sign("{\"$ref\":\"#\"}"), "unknown") != NULL);
}

/* What is too long is cut between characters; what is too deep or too wide ends. */
static void test_bounds(void)
{
    struct buf schema = buf_max(1 << 20);
    const char *text;

    buf_put_str(&schema, "{\"enum\":[0");
    for (int i = 1; i < 100; i++) {
        buf_printf(&schema, ",%d", i);
    }
    buf_put_str(&schema, "]}");
    text = type_of(buf_str(&schema));
    T_OK(strstr(text, "| 23 | \xe2\x80\xa6") != NULL);
    T_OK(strstr(text, "24") == NULL);

    buf_clear(&schema);
    buf_put_str(&schema, "{\"const\":\"");
    for (int i = 0; i < 1000; i++) {
        buf_put_str(&schema, "\xf0\x9f\x98\x80");
    }
    buf_put_str(&schema, "\"}");
    text = sign(buf_str(&schema));
    T_OK(strlen(text) < 620);
    /* "s.t(", a quote, whole characters, the ellipsis, ")". */
    T_EQ((strlen(text) - strlen("s.t(\"") - strlen("\xe2\x80\xa6)")) % 4, 0);

    buf_clear(&schema);
    for (int i = 0; i < 1000; i++) {
        buf_put_str(&schema, "{\"type\":\"array\",\"items\":");
    }
    buf_put_str(&schema, "{}");
    for (int i = 0; i < 1000; i++) {
        buf_put_str(&schema, "}");
    }
    T_STR(sign(buf_str(&schema)), "s.t(Array<Array<Array<Array<Array<Array<Array<unknown>>>>>>>)");
    buf_done(&schema);
}

int main(void)
{
    test_arguments();
    test_keys();
    test_types();
    test_references();
    test_bounds();
    return T_DONE("signature");
}
