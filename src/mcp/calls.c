/* SPDX-License-Identifier: MIT
 *
 * The calls of a session: sent, answered, given up, lost.
 *
 * Process: the host side. A call is owned by its session until it ends; it leaves the list before
 * its owner hears of it, so that the owner may do anything. All calls of a session have the same
 * time, so those that were sent stand in the list in the order in which they are due.
 */
#include "mcp/session.h"

#include "base/mem.h"
#include "rpc/message.h"
#include "json/json.h"

#include <errno.h>

static void free_call(struct mcp_call *call)
{
    buf_done(&call->params);
    mem_free(call);
}

struct mcp_call *mcp_calls_find(struct session *s, int64_t id)
{
    struct mcp_call *call = TAILQ_FIRST(&s->calls);

    while (call != NULL && call->id != id && call->id != 0) {
        call = TAILQ_NEXT(call, entry);
    }
    return call != NULL && call->id == id && id != 0 ? call : NULL;
}

void mcp_calls_end(struct mcp_call *call, const struct mcp_end *end)
{
    TAILQ_REMOVE(&call->session->calls, call, entry);
    call->on_end(call->arg, end);
    free_call(call);
}

void mcp_calls_lose(struct mcp_call *call, enum mcp_end_kind kind, bool may_have_run,
                    const char *sentence)
{
    struct mcp_end end = {
        .kind = kind,
        .result = bytes_none(),
        .may_have_run = may_have_run,
        .message = bytes_none(),
        .sentence = sentence,
    };

    mcp_calls_end(call, &end);
}

/* Sends a call that waits, and forgets its arguments. */
static int send_call(struct session *s, int64_t now_ms, struct mcp_call *call)
{
    int result;

    s->last_id++;
    rpc_put_request(&s->out, s->last_id, "tools/call");
    buf_put_bytes(&s->out, buf_bytes(&call->params));
    rpc_put_end(&s->out);
    result = session_send(s);
    if (result < 0) {
        return result;
    }
    call->id = s->last_id;
    call->due_ms = s->call_ms > 0 ? now_ms + s->call_ms : INT64_MAX;
    buf_done(&call->params);
    return 0;
}

static struct mcp_call *first_waiting(struct session *s)
{
    struct mcp_call *call = TAILQ_FIRST(&s->calls);

    while (call != NULL && call->id != 0) {
        call = TAILQ_NEXT(call, entry);
    }
    return call;
}

void mcp_calls_flush(struct session *s, int64_t now_ms)
{
    struct mcp_call *call = first_waiting(s);

    while (call != NULL && s->state == SESSION_OPEN) {
        struct mcp_call *next = TAILQ_NEXT(call, entry);
        int result = send_call(s, now_ms, call);

        if (result < 0) {
            _cleanup_(buf_done) struct buf why = buf_max(1024);

            buf_printf(&why, "server \"%s\" took no more calls: %s", s->name, strerror(-result));
            mcp_calls_lose(call, MCP_END_LOST, false, buf_str(&why));
            next = first_waiting(s);
        }
        call = next;
    }
}

static void tell_cancelled(struct session *s, int64_t id, const char *reason)
{
    if (s->state != SESSION_OPEN) {
        return;
    }
    rpc_put_notification(&s->out, "notifications/cancelled");
    buf_put_str(&s->out, "{");
    json_put_key(&s->out, "requestId");
    json_put_int(&s->out, id);
    json_put_key(&s->out, "reason");
    json_put_cstr(&s->out, reason);
    buf_put_str(&s->out, "}");
    rpc_put_end(&s->out);
    session_send(s);
}

void session_cancel(struct mcp_call *call)
{
    struct session *s = call->session;

    TAILQ_REMOVE(&s->calls, call, entry);
    if (call->id != 0) {
        tell_cancelled(s, call->id, "the caller gave up");
    }
    free_call(call);
}

bool session_ask_cancel(struct mcp_call *call)
{
    if (call->id == 0) {
        return false;
    }
    tell_cancelled(call->session, call->id, "no answer in time");
    return true;
}

void mcp_calls_tick(struct session *s, int64_t now_ms)
{
    struct mcp_call *call = TAILQ_FIRST(&s->calls);

    while (call != NULL && call->id != 0 && call->due_ms <= now_ms) {
        _cleanup_(buf_done) struct buf why = buf_max(1024);

        tell_cancelled(s, call->id, "no answer in time");
        buf_printf(&why, "server \"%s\" did not answer within %lld ms", s->name,
                   (long long)s->call_ms);
        mcp_calls_lose(call, MCP_END_TIMED_OUT, true, buf_str(&why));
        call = TAILQ_FIRST(&s->calls);
    }
}

/* Calls that are made while others are told of the loss have higher serials and stay. */
void session_lose(struct session *s, const char *sentence, bool is_final)
{
    uint64_t last = s->last_serial;
    struct mcp_call *call;

    s->state = SESSION_DOWN;
    s->start_id = 0;
    s->list_id = 0;
    s->relist_ms = INT64_MAX;
    toolset_done(&s->fresh);
    for (;;) {
        call = TAILQ_FIRST(&s->calls);
        if (call == NULL || call->serial > last || (call->id == 0 && !is_final)) {
            return;
        }
        mcp_calls_lose(call, MCP_END_LOST, call->id != 0, sentence);
    }
}

static void put_params(struct buf *out, const char *tool, struct bytes args)
{
    buf_put_str(out, "{");
    json_put_key(out, "name");
    json_put_cstr(out, tool);
    json_put_key(out, "arguments");
    rpc_put_value(out, args);
    buf_put_str(out, "}");
}

int session_call(struct session *s, int64_t now_ms, const char *tool, struct bytes args,
                 void (*on_end)(void *arg, const struct mcp_end *end), void *arg,
                 struct mcp_call **ret)
{
    struct mcp_call *call = mem_new(sizeof *call);
    int result;

    if (call == NULL) {
        return -ENOMEM;
    }
    s->last_serial++;
    *call = (struct mcp_call){
        .session = s,
        .serial = s->last_serial,
        .due_ms = INT64_MAX,
        .params = buf_max(SIZE_MAX / 2),
        .on_end = on_end,
        .arg = arg,
    };
    put_params(&call->params, tool, args);
    result = buf_fault(&call->params);
    if (result == 0 && s->state == SESSION_OPEN) {
        result = send_call(s, now_ms, call);
    }
    if (result < 0) {
        free_call(call);
        return result;
    }
    TAILQ_INSERT_TAIL(&s->calls, call, entry);
    *ret = call;
    return 0;
}
