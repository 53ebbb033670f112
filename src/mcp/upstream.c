/* SPDX-License-Identifier: MIT
 *
 * One MCP server; see mcp/upstream.h.
 *
 * Process: the host side. Owns the session, the child in use and one timer, which serves both the
 * session's times and the next start. A child that is stopped may take seconds to go; it is
 * counted, not waited for, and its successor may start meanwhile. Starts happen in the timer's
 * callback only, so that no call ends while it is being made.
 */
#include "mcp/upstream.h"

#include "base/clock.h"
#include "base/mem.h"
#include "rpc/lines.h"

#include <errno.h>

enum { START_MS = 30000, BACKOFF_MS = 100, MAX_BACKOFF_MS = 5000 };

static void on_timer(uv_timer_t *timer);

void upstream_rearm(struct upstream *u)
{
    int64_t due_ms = session_due(&u->session);
    int64_t left_ms;

    if (u->is_closing) {
        return;
    }
    due_ms = u->start_at_ms < due_ms ? u->start_at_ms : due_ms;
    if (due_ms == INT64_MAX) {
        uv_timer_stop(&u->timer);
        return;
    }
    /* The loop's own clock stands still while it works. */
    uv_update_time(u->options->loop);
    left_ms = due_ms - clock_now_ms();
    uv_timer_start(&u->timer, on_timer, left_ms > 0 ? (uint64_t)left_ms : 0, 0);
}

static int64_t backoff_ms(const struct upstream *u)
{
    int64_t delay_ms = BACKOFF_MS;

    if (u->failures < 2) {
        return 0;
    }
    for (unsigned i = 2; i < u->failures && delay_ms < MAX_BACKOFF_MS; i++) {
        delay_ms *= 2;
    }
    return delay_ms < MAX_BACKOFF_MS ? delay_ms : MAX_BACKOFF_MS;
}

void upstream_start(struct upstream *u)
{
    if (u->is_closing || u->child != NULL || u->start_at_ms != INT64_MAX) {
        return;
    }
    u->start_at_ms = u->ended_ms + backoff_ms(u);
    upstream_rearm(u);
}

/* An end of a child, however it came. */
static void count_failure(struct upstream *u)
{
    u->failures = u->session.answered > u->answered ? 1 : u->failures + 1;
    u->answered = u->session.answered;
    u->ended_ms = clock_now_ms();
}

static void settle(struct upstream *u)
{
    if (!u->is_settled) {
        u->is_settled = true;
        u->events->on_settled(u->arg, u);
    }
}

/* It could not be started, or is of no use: everybody who waits for it hears so. */
static void give_up(struct upstream *u, const char *sentence)
{
    struct rpc_child *child = u->child;

    u->child = NULL;
    count_failure(u);
    if (!u->is_settled) {
        buf_clear(&u->fault);
        buf_put_str(&u->fault, sentence);
    }
    if (child != NULL) {
        rpc_child_stop(child);
    }
    session_lose(&u->session, sentence, true);
    settle(u);
    upstream_rearm(u);
}

static void on_line(void *arg, struct bytes line)
{
    struct upstream *u = arg;

    session_line(&u->session, clock_now_ms(), line);
    upstream_rearm(u);
}

static void on_overlong(void *arg, struct bytes ends)
{
    struct upstream *u = arg;

    session_overlong(&u->session, clock_now_ms(), ends);
    upstream_rearm(u);
}

static void on_death(void *arg, const char *what)
{
    struct upstream *u = arg;
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);

    u->child = NULL;
    buf_printf(&sentence, "server \"%s\" %s", u->config->name, what);
    if (!u->is_settled || u->session.state == SESSION_STARTING) {
        give_up(u, buf_str(&sentence));
        return;
    }
    count_failure(u);
    session_lose(&u->session, buf_str(&sentence), false);
    upstream_rearm(u);
}

static void tell_closed(struct upstream *u)
{
    if (u->is_closing && u->children == 0 && !u->has_timer) {
        u->events->on_closed(u->arg, u);
    }
}

static void on_gone(void *arg)
{
    struct upstream *u = arg;

    u->children--;
    tell_closed(u);
}

static void start_child(struct upstream *u)
{
    static const struct rpc_child_events events = {on_line, on_overlong, on_death, on_gone};
    _cleanup_(buf_done) struct buf why = buf_max(4096);
    _cleanup_(buf_done) struct buf sentence = buf_max(8192);
    size_t max_bytes = u->options->max_line_bytes;
    struct rpc_child_options options = {
        .loop = u->options->loop,
        .keeper = u->options->keeper,
        .argv = u->config->argv,
        .shown = u->config->shown,
        .env = u->config->env,
        .cwd = u->config->cwd,
        .max_line_bytes = max_bytes > 0 ? max_bytes : (size_t)LINES_MAX_BYTES,
        .events = &events,
        .arg = u,
    };

    if (rpc_child_start(&options, &u->child, &why) < 0) {
        u->child = NULL;
        buf_printf(&sentence, "server \"%s\" %s", u->config->name,
                   why.len > 0 ? buf_str(&why) : "cannot be started: there is no memory left");
        give_up(u, buf_str(&sentence));
        return;
    }
    u->children++;
    session_start(&u->session, clock_now_ms());
}

static void on_timer(uv_timer_t *timer)
{
    struct upstream *u = timer->data;
    int64_t now_ms = clock_now_ms();

    session_tick(&u->session, now_ms);
    if (!u->is_closing && u->start_at_ms <= now_ms) {
        u->start_at_ms = INT64_MAX;
        start_child(u);
    }
    upstream_rearm(u);
}

static int on_send(void *arg, struct bytes line)
{
    struct upstream *u = arg;

    return u->child == NULL ? -EPIPE : rpc_child_send(u->child, line);
}

static void on_ready(void *arg)
{
    struct upstream *u = arg;

    settle(u);
}

static void on_failed(void *arg, const char *sentence)
{
    give_up(arg, sentence);
}

static void on_tools(void *arg, struct toolset *old)
{
    struct upstream *u = arg;

    (void)old;
    u->events->on_tools(u->arg, u);
}

static void on_note(void *arg, const char *sentence)
{
    struct upstream *u = arg;

    u->events->on_note(u->arg, sentence);
}

void upstream_init(struct upstream *u, const struct mcp_config_server *config,
                   const struct mcp_options *options, const struct upstream_events *events,
                   void *arg)
{
    static const struct session_events session_events = {on_send, on_ready, on_failed, on_tools,
                                                         on_note};

    *u = (struct upstream){
        .config = config,
        .options = options,
        .events = events,
        .arg = arg,
        .start_at_ms = INT64_MAX,
        .fault = buf_max(8192),
        .has_timer = true,
        .session =
            {
                .name = config->name,
                .events = &session_events,
                .arg = u,
                .client_name = options->client_name,
                .client_version = options->client_version,
                .start_ms = config->start_ms > 0 ? config->start_ms : options->start_ms,
                .call_ms = config->call_ms > 0 ? config->call_ms : options->call_ms,
                .may_relist = options->on_tools != NULL,
            },
    };
    if (u->session.start_ms <= 0) {
        u->session.start_ms = START_MS;
    }
    session_init(&u->session);
    uv_timer_init(options->loop, &u->timer);
    u->timer.data = u;
}

int upstream_call(struct upstream *u, const char *tool, struct bytes args,
                  void (*on_end)(void *arg, const struct mcp_end *end), void *arg,
                  struct mcp_call **ret)
{
    int result;

    if (u->is_closing) {
        return -ESHUTDOWN;
    }
    result = session_call(&u->session, clock_now_ms(), tool, args, on_end, arg, ret);
    if (result == 0) {
        upstream_start(u);
        upstream_rearm(u);
    }
    return result;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct upstream *u = handle->data;

    u->has_timer = false;
    tell_closed(u);
}

void upstream_close(struct upstream *u)
{
    struct rpc_child *child = u->child;
    _cleanup_(buf_done) struct buf sentence = buf_max(1024);

    if (u->is_closing) {
        return;
    }
    u->is_closing = true;
    u->child = NULL;
    if (child != NULL) {
        rpc_child_stop(child);
    }
    uv_close((uv_handle_t *)&u->timer, on_timer_closed);
    buf_printf(&sentence, "server \"%s\" is being closed", u->config->name);
    session_lose(&u->session, buf_str(&sentence), true);
}

void upstream_done(struct upstream *u)
{
    session_done(&u->session);
    buf_done(&u->fault);
}
