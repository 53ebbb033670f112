/* SPDX-License-Identifier: MIT
 *
 * JSON-RPC 2.0 messages; see rpc/message.h.
 *
 * Process: the host side. Owns nothing. Strict where the standard is: "jsonrpc" is "2.0", an id
 * is a string or an integer, keys of the envelope stand once, no batches. Unknown keys pass.
 */
#include "rpc/message.h"

#include <errno.h>

/* The members of an envelope that mean something. */
struct envelope {
    struct bytes version;
    struct bytes id;
    struct bytes method;
    struct bytes params;
    struct bytes result;
    struct bytes error;
};

static void take_member(struct envelope *e, struct bytes key, struct bytes item)
{
    if (json_is(key, "jsonrpc")) {
        e->version = item;
    } else if (json_is(key, "id")) {
        e->id = item;
    } else if (json_is(key, "method")) {
        e->method = item;
    } else if (json_is(key, "params")) {
        e->params = item;
    } else if (json_is(key, "result")) {
        e->result = item;
    } else if (json_is(key, "error")) {
        e->error = item;
    }
}

/* One walk, whatever the size of what it passes. */
static struct envelope open_envelope(struct bytes line)
{
    struct envelope e = {bytes_none(), bytes_none(), bytes_none(),
                         bytes_none(), bytes_none(), bytes_none()};
    struct bytes key;
    struct bytes item;
    size_t at = 0;

    while (json_next(line, &at, &key, &item)) {
        take_member(&e, key, item);
    }
    return e;
}

static bool is_id(struct bytes id)
{
    int64_t number;

    return json_kind(id) == JSON_STRING || json_int(id, INT64_MIN, INT64_MAX, &number) == 0;
}

static int refuse(const char **ret_why, const char *why)
{
    *ret_why = why;
    return RPC_E_MESSAGE;
}

static int parse_request(const struct envelope *e, struct rpc_message *ret, const char **ret_why)
{
    enum json_kind params = json_kind(e->params);

    if (json_kind(e->method) != JSON_STRING) {
        return refuse(ret_why, "\"method\" must be a string");
    }
    if (params != JSON_NONE && params != JSON_OBJECT && params != JSON_ARRAY) {
        return refuse(ret_why, "\"params\" must be an object");
    }
    if (e->id.len > 0 && ret->id.len == 0) {
        return refuse(ret_why, "\"id\" must be a string or an integer");
    }
    if (e->result.len > 0 || e->error.len > 0) {
        return refuse(ret_why, "a message is a request or an answer, not both");
    }
    ret->kind = e->id.len > 0 ? RPC_REQUEST : RPC_NOTIFICATION;
    ret->method = e->method;
    ret->params = e->params;
    return 0;
}

static int parse_error(const struct envelope *e, struct rpc_message *ret, const char **ret_why)
{
    ret->kind = RPC_ERROR;
    if (json_kind(e->error) != JSON_OBJECT) {
        return refuse(ret_why, "\"error\" must be an object");
    }
    if (json_int(json_get(e->error, "code"), INT64_MIN, INT64_MAX, &ret->code) != 0) {
        return refuse(ret_why, "\"error.code\" must be an integer");
    }
    ret->message = json_get(e->error, "message");
    if (json_kind(ret->message) != JSON_STRING) {
        return refuse(ret_why, "\"error.message\" must be a string");
    }
    ret->data = json_get(e->error, "data");
    if (ret->id.len == 0 && json_kind(e->id) != JSON_NULL && e->id.len > 0) {
        return refuse(ret_why, "\"id\" must be a string, an integer or null");
    }
    return 0;
}

static int parse_answer(const struct envelope *e, struct rpc_message *ret, const char **ret_why)
{
    if (e->error.len > 0 && e->result.len > 0) {
        return refuse(ret_why, "an answer holds \"result\" or \"error\", not both");
    }
    if (e->error.len > 0) {
        return parse_error(e, ret, ret_why);
    }
    if (e->result.len == 0) {
        return refuse(ret_why, "a message needs \"method\", \"result\" or \"error\"");
    }
    if (ret->id.len == 0) {
        return refuse(ret_why, "the \"id\" of an answer must be a string or an integer");
    }
    ret->kind = RPC_RESULT;
    ret->result = e->result;
    return 0;
}

int rpc_parse(struct bytes line, struct rpc_message *ret, const char **ret_why)
{
    struct json_fault fault = {0};
    struct envelope e;
    int result;

    *ret = (struct rpc_message){
        .id = bytes_none(),
        .method = bytes_none(),
        .params = bytes_none(),
        .result = bytes_none(),
        .message = bytes_none(),
        .data = bytes_none(),
    };
    *ret_why = "";
    result = json_check(line, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, &fault);
    if (result != 0) {
        *ret_why = fault.sentence;
        return result == -ENOMEM ? result : RPC_E_JSON;
    }
    if (json_kind(line) != JSON_OBJECT) {
        return refuse(ret_why, "a message must be one object; batches are not taken");
    }
    e = open_envelope(line);
    ret->id = is_id(e.id) ? e.id : bytes_none();
    if (!json_is(e.version, "2.0")) {
        return refuse(ret_why, "\"jsonrpc\" must be \"2.0\"");
    }
    return e.method.len > 0 ? parse_request(&e, ret, ret_why) : parse_answer(&e, ret, ret_why);
}

/* The number of a \uXXXX escape that begins at at, or -1. */
static long read_escape(const uint8_t *at, const uint8_t *end)
{
    long value = 0;

    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') {
        return -1;
    }
    for (int i = 2; i < 6; i++) {
        int digit = at[i] <= '9' ? at[i] - '0' : (at[i] | 0x20) - 'a' + 10;

        value = value << 4 | digit;
    }
    return value;
}

/* At a backslash in a string: mends half a pair in place; returns the bytes to pass. */
static size_t mend_escape(uint8_t *at, const uint8_t *end)
{
    long code = read_escape(at, end);
    long low = code >= 0xd800 && code <= 0xdbff ? read_escape(at + 6, end) : -1;

    if (low >= 0xdc00 && low <= 0xdfff) {
        return 12;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
        memset(at + 2, 'f', 3);
        at[5] = 'd';
    }
    return end - at < 2 ? 1 : 2;
}

void rpc_put_value(struct buf *out, struct bytes value)
{
    uint8_t *at = buf_grow(out, value.len);
    uint8_t *end;

    if (at == NULL) {
        return;
    }
    memcpy(at, value.ptr, value.len);
    end = at + value.len;
    while (at < end) {
        if (*at == '\\') {
            at += mend_escape(at, end);
            continue;
        }
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
        at++;
    }
}

void rpc_put_request(struct buf *out, int64_t id, const char *method)
{
    buf_put_str(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    json_put_int(out, id);
    json_put_key(out, "method");
    json_put_cstr(out, method);
    json_put_key(out, "params");
}

void rpc_put_notification(struct buf *out, const char *method)
{
    buf_put_str(out, "{\"jsonrpc\":\"2.0\",\"method\":");
    json_put_cstr(out, method);
    json_put_key(out, "params");
}

void rpc_put_end(struct buf *out)
{
    buf_put_u8(out, '}');
}

static void put_answer(struct buf *out, struct bytes id)
{
    buf_put_str(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (id.len > 0) {
        rpc_put_value(out, id);
    } else {
        buf_put_str(out, "null");
    }
}

void rpc_put_result(struct buf *out, struct bytes id, struct bytes result)
{
    put_answer(out, id);
    json_put_key(out, "result");
    rpc_put_value(out, result);
    rpc_put_end(out);
}

void rpc_put_error(struct buf *out, struct bytes id, int64_t code, const char *message)
{
    put_answer(out, id);
    buf_put_str(out, ",\"error\":{");
    json_put_key(out, "code");
    json_put_int(out, code);
    json_put_key(out, "message");
    json_put_cstr(out, message);
    buf_put_str(out, "}}");
}

/* Reads `"id":NUMBER` at at. */
static int read_id(struct bytes text, size_t at, int64_t *ret_id)
{
    struct bytes rest = bytes_from(text, at + 5);
    size_t len = 0;

    while (len < rest.len &&
           (rest.ptr[len] == '-' || (rest.ptr[len] >= '0' && rest.ptr[len] <= '9'))) {
        len++;
    }
    return json_int(bytes_first(rest, len), INT64_MIN, INT64_MAX, ret_id);
}

/* Only where servers write it: among the first members, or the last one of the message. */
int rpc_guess_id(struct bytes ends, int64_t *ret_id)
{
    static const char *const heads[] = {"{\"jsonrpc\":\"2.0\",", "{"};
    static const char tail[] = ",\"jsonrpc\":\"2.0\"";
    const uint8_t *last = memrchr(ends.ptr, ',', ends.len);

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        size_t len = strlen(heads[i]);

        if (ends.len > len + 5 && memcmp(ends.ptr, heads[i], len) == 0 &&
            memcmp(ends.ptr + len, "\"id\":", 5) == 0) {
            return read_id(ends, len, ret_id);
        }
    }
    if (last != NULL &&
        bytes_equal(bytes_first(bytes_from(ends, (size_t)(last - ends.ptr)), sizeof tail - 1),
                    bytes_str(tail))) {
        last = memrchr(ends.ptr, ',', (size_t)(last - ends.ptr));
    }
    if (last != NULL && ends.ptr + ends.len - last > 6 && memcmp(last + 1, "\"id\":", 5) == 0) {
        return read_id(ends, (size_t)(last + 1 - ends.ptr), ret_id);
    }
    return -EINVAL;
}
