/* SPDX-License-Identifier: MIT
 *
 * The protocol with one server: the opening, and where each message goes; see mcp/session.h.
 *
 * Process: the host side. Owns the tools and the calls. Known limits: legacy era; a server's
 * requests other than ping are answered with -32601, for no capability of ours is declared;
 * progress and log messages are dropped.
 */
#include "mcp/session.h"

#include "base/mem.h"
#include "rpc/command.h"
#include "rpc/message.h"
#include "json/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum { SAMPLE_BYTES = 120, MAX_MESSAGE_BYTES = 65536 };

static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
                                       "2024-10-07"};

void session_init(struct session *s)
{
    TAILQ_INIT(&s->calls);
    s->out = buf_max(SIZE_MAX / 2);
    s->relist_ms = INT64_MAX;
}

void session_done(struct session *s)
{
    toolset_done(&s->tools);
    toolset_done(&s->fresh);
    buf_done(&s->out);
}

static void put_sentence(const struct session *s, struct buf *out, const char *format, va_list args)
{
    char rest[1024];

    vsnprintf(rest, sizeof rest, format, args);
    buf_printf(out, "server \"%s\" ", s->name);
    rpc_put_clean(out, bytes_str(rest), sizeof rest);
}

void session_note(struct session *s, const char *format, ...)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    va_list args;

    va_start(args, format);
    put_sentence(s, &sentence, format, args);
    va_end(args);
    s->events->on_note(s->arg, buf_str(&sentence));
}

void session_fail(struct session *s, const char *format, ...)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    va_list args;

    va_start(args, format);
    put_sentence(s, &sentence, format, args);
    va_end(args);
    s->state = SESSION_DOWN;
    s->start_id = 0;
    s->list_id = 0;
    s->relist_ms = INT64_MAX;
    s->events->on_failed(s->arg, buf_str(&sentence));
}

int session_send(struct session *s)
{
    int result = buf_fault(&s->out);

    if (result == 0) {
        result = s->events->send(s->arg, buf_bytes(&s->out));
    }
    if (s->out.cap > MAX_MESSAGE_BYTES) {
        buf_done(&s->out);
    }
    buf_clear(&s->out);
    return result;
}

void session_start(struct session *s, int64_t now_ms)
{
    s->state = SESSION_STARTING;
    s->repeats = 0;
    s->last_id++;
    s->start_id = s->last_id;
    s->due_ms = now_ms + s->start_ms;
    rpc_put_request(&s->out, s->start_id, "initialize");
    buf_put_str(&s->out, "{");
    json_put_key(&s->out, "protocolVersion");
    json_put_cstr(&s->out, versions[0]);
    json_put_key(&s->out, "capabilities");
    buf_put_str(&s->out, "{}");
    json_put_key(&s->out, "clientInfo");
    buf_put_str(&s->out, "{");
    json_put_key(&s->out, "name");
    json_put_cstr(&s->out, s->client_name);
    json_put_key(&s->out, "version");
    json_put_cstr(&s->out, s->client_version);
    buf_put_str(&s->out, "}}");
    rpc_put_end(&s->out);
    session_send(s); /* where it fails, the time limit or the death follows */
}

static bool is_known_version(struct bytes version)
{
    for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
        if (json_is(version, versions[i])) {
            return true;
        }
    }
    return false;
}

/* The answer to initialize. */
static void take_opening(struct session *s, int64_t now_ms, struct bytes result)
{
    struct bytes version = json_get(result, "protocolVersion");
    struct bytes capabilities = json_get(result, "capabilities");

    s->start_id = 0;
    if (json_kind(version) != JSON_STRING) {
        session_fail(s, "answered initialize without a protocol version");
        return;
    }
    if (!is_known_version(version)) {
        session_fail(s, "answered initialize with the protocol version %.*s, which is not known",
                     (int)(version.len < 40 ? version.len : 40), (const char *)version.ptr);
        return;
    }
    s->state = SESSION_OPEN;
    rpc_put_notification(&s->out, "notifications/initialized");
    buf_put_str(&s->out, "{}");
    rpc_put_end(&s->out);
    session_send(s);
    mcp_calls_flush(s, now_ms);
    if (s->is_listed || s->state != SESSION_OPEN) {
        s->relist_ms = s->may_relist && s->state == SESSION_OPEN ? now_ms : INT64_MAX;
        return;
    }
    if (json_kind(json_get(capabilities, "tools")) == JSON_OBJECT) {
        listing_begin(s, now_ms);
        return;
    }
    session_note(s, "says that it has no tools");
    s->is_listed = true;
    s->events->on_ready(s->arg);
}

/* A result for a call: handed on as it is. */
static void take_result(struct session *s, struct mcp_call *call, struct bytes result)
{
    struct mcp_end end = {
        .kind = MCP_END_RESULT,
        .result = result,
        .may_have_run = true,
        .message = bytes_none(),
        .sentence = "",
    };

    if (json_kind(result) != JSON_OBJECT) {
        _cleanup_(buf_done) struct buf why = buf_max(1024);

        buf_printf(&why, "server \"%s\" answered with a result that is no object", s->name);
        mcp_calls_lose(call, MCP_END_LOST, true, buf_str(&why));
        return;
    }
    s->answered++;
    json_bool(json_get(result, "isError"), &end.is_error);
    mcp_calls_end(call, &end);
}

static bool is_before_tool(int64_t code)
{
    return code == RPC_CODE_PARSE || code == RPC_CODE_REQUEST || code == RPC_CODE_METHOD ||
           code == RPC_CODE_PARAMS;
}

/* Decodes an error's message, and the same as one sentence. */
static void read_error(const struct session *s, const struct rpc_message *m, struct buf *message,
                       struct buf *sentence)
{
    json_text(m->message, message);
    buf_printf(sentence, "server \"%s\" answered with error %lld: ", s->name, (long long)m->code);
    rpc_put_clean(sentence, buf_bytes(message), 1000);
}

static void take_error(struct session *s, int64_t id, const struct rpc_message *m)
{
    _cleanup_(buf_done) struct buf message = buf_max(MAX_MESSAGE_BYTES);
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct mcp_call *call = mcp_calls_find(s, id);
    struct mcp_end end = {.kind = MCP_END_ERROR, .result = bytes_none(), .code = m->code};

    read_error(s, m, &message, &sentence);
    if (id == s->start_id && id != 0) {
        session_fail(s, "refused initialize: %s (code %lld)", buf_str(&message),
                     (long long)m->code);
    } else if (id == s->list_id && id != 0) {
        listing_fault(s, buf_str(&message));
    } else if (call != NULL) {
        s->answered++;
        end.message = buf_bytes(&message);
        end.sentence = buf_str(&sentence);
        end.may_have_run = !is_before_tool(m->code);
        mcp_calls_end(call, &end);
    } else {
        s->strays++;
    }
}

static void take_answer(struct session *s, int64_t now_ms, const struct rpc_message *m)
{
    int64_t id = 0;
    struct mcp_call *call;

    if (json_int(m->id, 1, INT64_MAX, &id) < 0) {
        s->strays++;
        return;
    }
    if (m->kind == RPC_ERROR) {
        take_error(s, id, m);
        return;
    }
    call = mcp_calls_find(s, id);
    if (id == s->start_id) {
        take_opening(s, now_ms, m->result);
    } else if (id == s->list_id) {
        listing_take(s, now_ms, m->result);
    } else if (call != NULL) {
        take_result(s, call, m->result);
    } else {
        s->strays++;
    }
}

static void answer_request(struct session *s, const struct rpc_message *m)
{
    if (json_is(m->method, "ping")) {
        rpc_put_result(&s->out, m->id, bytes_str("{}"));
    } else {
        rpc_put_error(&s->out, m->id, RPC_CODE_METHOD, "this client offers no such method");
    }
    session_send(s);
}

/* The answer to request id came, and is of no use. Returns whether somebody waited for it. */
static bool spoil(struct session *s, int64_t id, enum mcp_end_kind kind, const char *why)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(1024);
    struct mcp_call *call = mcp_calls_find(s, id);

    if (id == s->start_id && id != 0) {
        session_fail(s, "%s", why);
    } else if (id == s->list_id && id != 0) {
        listing_fault(s, why);
    } else if (call != NULL) {
        buf_printf(&sentence, "server \"%s\" %s", s->name, why);
        mcp_calls_lose(call, kind, true, buf_str(&sentence));
    } else {
        return false;
    }
    return true;
}

static void count_garbage(struct session *s, struct bytes line)
{
    _cleanup_(buf_done) struct buf sample = buf_max(1024);

    s->garbage++;
    if (s->garbage == 1) {
        rpc_put_clean(&sample, line, SAMPLE_BYTES);
        session_note(s, "writes lines to its stdout that are no messages, such as: %s",
                     buf_str(&sample));
    }
}

/* A line that is no message. It may still be the answer that somebody waits for. */
static void take_garbage(struct session *s, const struct rpc_message *m, int fault,
                         const char *fault_sentence, struct bytes line)
{
    _cleanup_(buf_done) struct buf why = buf_max(1024);
    int64_t id = 0;
    int has_id =
        fault == RPC_E_MESSAGE ? json_int(m->id, 1, INT64_MAX, &id) : rpc_guess_id(line, &id);

    buf_printf(&why, "answered with what is no message: %s", fault_sentence);
    if (has_id < 0 || !spoil(s, id, MCP_END_LOST, buf_str(&why))) {
        count_garbage(s, line);
    }
}

void session_line(struct session *s, int64_t now_ms, struct bytes line)
{
    struct rpc_message m;
    const char *why;
    int fault = rpc_parse(line, &m, &why);

    if (fault != 0) {
        take_garbage(s, &m, fault, why, line);
        return;
    }
    switch (m.kind) {
    case RPC_REQUEST:
        answer_request(s, &m);
        break;
    case RPC_NOTIFICATION:
        if (json_is(m.method, "notifications/tools/list_changed")) {
            listing_changed(s, now_ms);
        }
        break;
    default:
        take_answer(s, now_ms, &m);
        break;
    }
}

void session_overlong(struct session *s, int64_t now_ms, struct bytes ends)
{
    int64_t id = 0;

    (void)now_ms;
    if (rpc_guess_id(ends, &id) < 0 ||
        !spoil(s, id, MCP_END_TOO_LARGE, "answered with a message that is too large")) {
        s->overlong++;
        if (s->overlong == 1) {
            session_note(s, "sends messages that are too large; they are dropped");
        }
    }
}

int64_t session_due(const struct session *s)
{
    const struct mcp_call *first = TAILQ_FIRST(&s->calls);
    int64_t due_ms = s->relist_ms;

    if ((s->start_id != 0 || s->list_id != 0) && s->due_ms < due_ms) {
        due_ms = s->due_ms;
    }
    if (first != NULL && first->due_ms < due_ms) {
        due_ms = first->due_ms;
    }
    return due_ms;
}

void session_tick(struct session *s, int64_t now_ms)
{
    _cleanup_(buf_done) struct buf why = buf_max(256);

    mcp_calls_tick(s, now_ms);
    buf_printf(&why, "no answer within %lld ms", (long long)s->start_ms);
    if (s->start_id != 0 && s->due_ms <= now_ms) {
        session_fail(s, "did not start: initialize had %s", buf_str(&why));
    } else if (s->list_id != 0 && s->due_ms <= now_ms) {
        listing_fault(s, buf_str(&why));
    }
    if (s->relist_ms <= now_ms && s->list_id == 0) {
        listing_begin(s, now_ms);
    }
}
