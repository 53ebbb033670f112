/* SPDX-License-Identifier: MIT
 *
 * JSON Schema to a line that a person (or a model) reads at a glance. It leaves out what does not
 * change how a call is written: formats, patterns, bounds. Schemas come from servers and are
 * hostile: nesting is bounded, references are followed within the schema only and no deeper
 * than the nesting, and a schema that makes no sense is "unknown".
 */
#include "cli/signature.h"

#include "base/mem.h"
#include "json/json.h"

#include <ctype.h>

enum { MAX_DEPTH = 6, MAX_TYPE = 600, MAX_LITERALS = 24, MAX_DEFAULT = 40, MAX_POINTER = 512 };

struct writer {
    struct buf *out;
    struct bytes root; /* the whole schema, for references */
};

static void put_type(struct writer *w, struct bytes schema, unsigned depth);

/* One step of a JSON pointer: the member or item of value that part names. */
static struct bytes step(struct bytes value, struct bytes part)
{
    _cleanup_(buf_done) struct buf key = buf_max(MAX_POINTER);

    for (size_t i = 0; i < part.len; i++) {
        bool is_escape = part.ptr[i] == '~' && i + 1 < part.len;

        if (is_escape) {
            i++;
        }
        buf_put_u8(&key, is_escape ? (part.ptr[i] == '1' ? '/' : '~') : part.ptr[i]);
    }
    return json_get(value, buf_str(&key));
}

/* What a JSON pointer points at below value. */
static struct bytes walk(struct bytes value, struct bytes pointer)
{
    while (pointer.len > 0 && pointer.ptr[0] == '/') {
        const uint8_t *slash = memchr(pointer.ptr + 1, '/', pointer.len - 1);
        size_t len = slash == NULL ? pointer.len : (size_t)(slash - pointer.ptr);

        value = step(value, bytes_from(bytes_first(pointer, len), 1));
        pointer = bytes_from(pointer, len);
    }
    return value;
}

/* What a local reference points at; empty for any other. */
static struct bytes follow(struct bytes root, struct bytes reference)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_POINTER);

    if (json_text(reference, &text) < 0 || text.len == 0 || text.data[0] != '#') {
        return bytes_none();
    }
    return walk(root, bytes_from(buf_bytes(&text), 1));
}

static bool is_identifier(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!(isalnum(text.ptr[i]) || text.ptr[i] == '_' || text.ptr[i] == '$') ||
            (i == 0 && isdigit(text.ptr[i]))) {
            return false;
        }
    }
    return text.len > 0;
}

static void put_key(struct buf *out, struct bytes raw_key)
{
    struct bytes inner = bytes_first(bytes_from(raw_key, 1), raw_key.len - 2);

    buf_put_bytes(out, is_identifier(inner) ? inner : raw_key);
}

static bool is_required(struct bytes schema, struct bytes raw_key)
{
    _cleanup_(buf_done) struct buf key = buf_max(65536);
    struct bytes list = json_get(schema, "required");
    struct bytes item = bytes_none();
    size_t at = 0;

    if (json_kind(list) != JSON_ARRAY || json_text(raw_key, &key) < 0) {
        return false;
    }
    while (json_next(list, &at, NULL, &item)) {
        if (json_is(item, buf_str(&key))) {
            return true;
        }
    }
    return false;
}

static void put_default(struct buf *out, struct bytes schema)
{
    struct bytes value = json_get(schema, "default");
    enum json_kind kind = json_kind(value);

    if (value.len <= MAX_DEFAULT &&
        (kind == JSON_BOOL || kind == JSON_NUMBER || kind == JSON_STRING)) {
        buf_put_str(out, " = ");
        buf_put_bytes(out, value);
    }
}

static void put_object(struct writer *w, struct bytes schema, unsigned depth)
{
    struct bytes properties = json_get(schema, "properties");
    struct bytes more = json_get(schema, "additionalProperties");
    struct bytes key = bytes_none();
    struct bytes property = bytes_none();
    size_t at = 0;
    size_t n = 0;

    while (json_kind(properties) == JSON_OBJECT && json_next(properties, &at, &key, &property)) {
        buf_put_str(w->out, n++ == 0 ? "{ " : ", ");
        put_key(w->out, key);
        buf_put_str(w->out, is_required(schema, key) ? ": " : "?: ");
        put_type(w, property, depth + 1);
        put_default(w->out, property);
    }
    if (n > 0) {
        buf_put_str(w->out, " }");
    } else if (json_kind(more) == JSON_OBJECT) {
        buf_put_str(w->out, "Record<string, ");
        put_type(w, more, depth + 1);
        buf_put_str(w->out, ">");
    } else {
        /* Arguments with an empty list of properties are none; without a list they are any. */
        bool is_none = depth == 0 && json_kind(properties) == JSON_OBJECT;

        buf_put_str(w->out, is_none ? "{}" : "Record<string, unknown>");
    }
}

static void put_array(struct writer *w, struct bytes schema, unsigned depth)
{
    struct bytes items = json_get(schema, "prefixItems");
    struct bytes item = bytes_none();
    size_t at = 0;
    size_t n = 0;

    if (json_kind(items) != JSON_ARRAY) {
        items = json_get(schema, "items");
    }
    if (json_kind(items) != JSON_ARRAY) {
        buf_put_str(w->out, "Array<");
        put_type(w, items, depth + 1);
        buf_put_str(w->out, ">");
        return;
    }
    buf_put_str(w->out, "[");
    while (json_next(items, &at, NULL, &item)) {
        buf_put_str(w->out, n++ == 0 ? "" : ", ");
        put_type(w, item, depth + 1);
    }
    buf_put_str(w->out, "]");
}

static void put_named(struct writer *w, struct bytes type, struct bytes schema, unsigned depth)
{
    if (json_is(type, "object")) {
        put_object(w, schema, depth);
    } else if (json_is(type, "array")) {
        put_array(w, schema, depth);
    } else if (json_is(type, "integer") || json_is(type, "number")) {
        buf_put_str(w->out, "number");
    } else if (json_is(type, "string")) {
        buf_put_str(w->out, "string");
    } else if (json_is(type, "boolean")) {
        buf_put_str(w->out, "boolean");
    } else if (json_is(type, "null")) {
        buf_put_str(w->out, "null");
    } else {
        buf_put_str(w->out, "unknown");
    }
}

/* Whether a member of the union that begins at start is the same text as the one at last. */
static bool is_repeated(const struct buf *out, size_t start, size_t last, const char *between)
{
    struct bytes added = bytes_from(buf_bytes(out), last);
    struct bytes rest = bytes_first(bytes_from(buf_bytes(out), start), last - start);
    size_t step_len = strlen(between);

    while (rest.len >= added.len + step_len) {
        const uint8_t *end = memmem(rest.ptr, rest.len, between, step_len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.ptr);

        if (bytes_equal(bytes_first(rest, len), added)) {
            return true;
        }
        rest = bytes_from(rest, len + step_len);
    }
    return false;
}

/* The members of a list of schemas, or of type names, between marks; repeated ones once. */
static void put_list(struct writer *w, struct bytes list, struct bytes schema, const char *between,
                     unsigned depth)
{
    size_t start = w->out->len;
    struct bytes item = bytes_none();
    size_t at = 0;
    size_t n = 0;

    while (json_next(list, &at, NULL, &item)) {
        size_t before = w->out->len;
        size_t last;

        buf_put_str(w->out, n == 0 ? "" : between);
        last = w->out->len;
        if (json_kind(item) == JSON_STRING) {
            put_named(w, item, schema, depth);
        } else {
            put_type(w, item, depth + 1);
        }
        if (buf_fault(w->out) == 0 && is_repeated(w->out, start, last, between)) {
            w->out->len = before;
        } else {
            n++;
        }
    }
    buf_put_str(w->out, n == 0 ? "never" : "");
}

static void put_literals(struct writer *w, struct bytes list)
{
    struct bytes item = bytes_none();
    size_t at = 0;
    size_t n = 0;

    while (json_next(list, &at, NULL, &item)) {
        buf_put_str(w->out, n == 0 ? "" : " | ");
        if (n++ == MAX_LITERALS) {
            buf_put_str(w->out, "\xe2\x80\xa6");
            return;
        }
        buf_put_bytes(w->out, item);
    }
    buf_put_str(w->out, n == 0 ? "never" : "");
}

/* A schema that says what it is by one of its keywords; false where it does not. */
static bool put_by_keyword(struct writer *w, struct bytes schema, unsigned depth)
{
    struct bytes value = json_get(schema, "$ref");

    if (value.len > 0) {
        put_type(w, follow(w->root, value), depth + 1);
    } else if ((value = json_get(schema, "const")).len > 0) {
        buf_put_bytes(w->out, value);
    } else if (json_kind(value = json_get(schema, "enum")) == JSON_ARRAY) {
        put_literals(w, value);
    } else if (json_kind(value = json_get(schema, "anyOf")) == JSON_ARRAY ||
               json_kind(value = json_get(schema, "oneOf")) == JSON_ARRAY) {
        put_list(w, value, schema, " | ", depth);
    } else if (json_kind(value = json_get(schema, "allOf")) == JSON_ARRAY) {
        put_list(w, value, schema, " & ", depth);
    } else if (json_kind(value = json_get(schema, "type")) == JSON_ARRAY) {
        put_list(w, value, schema, " | ", depth);
    } else {
        return false;
    }
    return true;
}

static void put_type(struct writer *w, struct bytes schema, unsigned depth)
{
    bool is_nullable = false;
    bool is_true = true;

    if (json_kind(schema) == JSON_BOOL && json_bool(schema, &is_true) == 0 && !is_true) {
        buf_put_str(w->out, "never");
        return;
    }
    if (json_kind(schema) != JSON_OBJECT || depth > MAX_DEPTH || buf_fault(w->out) != 0) {
        buf_put_str(w->out, "unknown");
        return;
    }
    if (!put_by_keyword(w, schema, depth)) {
        struct bytes type = json_get(schema, "type");

        if (type.len == 0 && json_get(schema, "properties").len > 0) {
            put_object(w, schema, depth);
        } else {
            put_named(w, type, schema, depth);
        }
    }
    if (json_bool(json_get(schema, "nullable"), &is_nullable) == 0 && is_nullable) {
        buf_put_str(w->out, " | null");
    }
}

/* One type of at most MAX_TYPE bytes; a cut never splits a character. */
static void put_bounded(struct buf *out, struct bytes schema)
{
    _cleanup_(buf_done) struct buf type = buf_max(64 * 1024);
    struct writer w = {.out = &type, .root = schema};
    size_t len;

    put_type(&w, schema, 0);
    len = type.len < MAX_TYPE ? type.len : MAX_TYPE;
    while (len > 0 && len < type.len && (type.data[len] & 0xc0) == 0x80) {
        len--;
    }
    buf_put_bytes(out, bytes_first(buf_bytes(&type), len));
    if (len < type.len || buf_fault(&type) != 0) {
        buf_put_str(out, "\xe2\x80\xa6");
    }
}

void signature_put(struct buf *out, struct bytes name, struct bytes input_schema,
                   struct bytes output_schema)
{
    buf_put_bytes(out, name);
    buf_put_str(out, "(");
    if (input_schema.len > 0) {
        _cleanup_(buf_done) struct buf type = buf_max(2 * MAX_TYPE);

        put_bounded(&type, input_schema);
        buf_put_bytes(out, bytes_is(buf_bytes(&type), "{}") ? bytes_none() : buf_bytes(&type));
    }
    buf_put_str(out, ")");
    if (output_schema.len > 0) {
        buf_put_str(out, " // .data: ");
        put_bounded(out, output_schema);
    }
}
