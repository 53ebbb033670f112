/* SPDX-License-Identifier: MIT
 *
 * The MCP client as a whole; see mcp/mcp.h.
 *
 * Process: the host side. Owns the configs, an upstream for each server that can be used, the
 * catalogue over their tools, and one timer, by which on_connected comes from the loop.
 */
#include "mcp/mcp.h"

#include "base/mem.h"
#include "mcp/catalogue.h"
#include "mcp/config.h"
#include "mcp/upstream.h"
#include "rpc/command.h"
#include "json/json.h"

#include <errno.h>

struct mcp {
    struct mcp_options options;
    char *client_name;
    char *client_version;
    struct mcp_config config;
    struct upstream **upstreams; /* by place in the config; NULL where it cannot be used */
    size_t waiting;              /* upstreams that are not settled */
    size_t open;                 /* upstreams that are not closed, and the timer */
    struct catalogue catalogue;
    struct buf error;
    const char *sentence; /* what error holds */
    uv_timer_t timer;
    bool is_started;
    bool is_closing;
    void (*on_connected)(void *arg);
    void *connected_arg;
    void (*on_closed)(void *arg);
    void *closed_arg;
};

static void on_note(void *arg, const char *sentence)
{
    struct mcp *m = arg;

    if (m->options.on_note != NULL) {
        m->options.on_note(m->options.arg, sentence);
    }
}

int mcp_new(const struct mcp_options *options, struct mcp **ret)
{
    struct mcp *m = mem_new(sizeof *m);

    if (m == NULL) {
        return -ENOMEM;
    }
    m->options = *options;
    m->client_name = mem_str(bytes_str(options->client_name));
    m->client_version = mem_str(bytes_str(options->client_version));
    m->options.client_name = m->client_name;
    m->options.client_version = m->client_version;
    m->error = buf_max(8192);
    m->sentence = "";
    m->config = (struct mcp_config){.on_note = on_note, .arg = m};
    if (m->client_name == NULL || m->client_version == NULL) {
        mcp_free(m);
        return -ENOMEM;
    }
    *ret = m;
    return 0;
}

int mcp_load(struct mcp *m, const char *path)
{
    int result = -EINVAL;

    buf_clear(&m->error);
    if (m->is_started) {
        buf_put_str(&m->error, "configs must be loaded before the servers are started");
    } else {
        result = mcp_config_load(&m->config, path, &m->error);
    }
    m->sentence = buf_str(&m->error);
    return result;
}

int mcp_check(struct mcp *m)
{
    buf_clear(&m->error);
    m->sentence = "";
    for (size_t i = 0; i < m->config.n; i++) {
        const struct mcp_config_server *server = &m->config.servers[i];
        _cleanup_(buf_done) struct buf why = buf_max(4096);
        _cleanup_(free_p) char **env = NULL;
        int r;

        if (server->is_disabled || server->fault != NULL) {
            continue;
        }
        env = rpc_command_env(server->env);
        r = env == NULL ? -ENOMEM
                        : rpc_command_find(server->argv[0], server->shown, env, server->cwd, &why);
        if (r < 0) {
            buf_printf(&m->error, "%s:%u: server \"%s\": %s", server->file, server->line,
                       server->name, why.len > 0 ? buf_str(&why) : "there is no memory left");
            m->sentence = buf_str(&m->error);
            return r;
        }
    }
    return 0;
}

const char *mcp_error(const struct mcp *m)
{
    return m->sentence;
}

/* The list anew, from all that are listed. */
static void rebuild(struct mcp *m)
{
    int fault = 0;

    m->catalogue.n = 0;
    for (size_t i = 0; i < m->config.n; i++) {
        if (m->upstreams[i] != NULL && fault == 0) {
            fault = catalogue_add(&m->catalogue, &m->upstreams[i]->session.tools);
        }
    }
    if (fault < 0) {
        on_note(m, "there is no memory left for the list of tools; some are left out");
    }
    catalogue_sort(&m->catalogue, on_note, m);
}

static void on_timer(uv_timer_t *timer)
{
    struct mcp *m = timer->data;

    rebuild(m);
    m->on_connected(m->connected_arg);
}

static void note_settled(struct mcp *m)
{
    if (m->waiting == 0 && !m->is_closing) {
        uv_timer_start(&m->timer, on_timer, 0, 0);
    }
}

static void on_settled(void *arg, struct upstream *u)
{
    struct mcp *m = arg;

    (void)u;
    m->waiting--;
    note_settled(m);
}

static void on_tools(void *arg, struct upstream *u)
{
    struct mcp *m = arg;

    (void)u;
    rebuild(m);
    if (m->options.on_tools != NULL && !m->is_closing) {
        m->options.on_tools(m->options.arg);
    }
}

static void note_closed(struct mcp *m)
{
    m->open--;
    if (m->open == 0) {
        m->on_closed(m->closed_arg);
    }
}

static void on_upstream_closed(void *arg, struct upstream *u)
{
    (void)u;
    note_closed(arg);
}

static const struct upstream_events upstream_events = {on_settled, on_tools, on_note,
                                                       on_upstream_closed};

/* Makes the upstreams, without starting any. */
static int make_upstreams(struct mcp *m)
{
    m->upstreams = mem_array(m->config.n, sizeof(struct upstream *));
    if (m->upstreams == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < m->config.n; i++) {
        const struct mcp_config_server *server = &m->config.servers[i];

        if (server->is_disabled || server->fault != NULL) {
            continue;
        }
        m->upstreams[i] = mem_new(sizeof(struct upstream));
        if (m->upstreams[i] == NULL) {
            return -ENOMEM;
        }
    }
    return 0;
}

int mcp_connect(struct mcp *m, void (*on_connected)(void *arg), void *arg)
{
    int result = m->is_started ? -EINVAL : make_upstreams(m);

    if (result < 0) {
        return result;
    }
    m->is_started = true;
    m->on_connected = on_connected;
    m->connected_arg = arg;
    m->open = 1;
    uv_timer_init(m->options.loop, &m->timer);
    m->timer.data = m;
    for (size_t i = 0; i < m->config.n; i++) {
        if (m->upstreams[i] != NULL) {
            m->waiting++;
            m->open++;
            upstream_init(m->upstreams[i], &m->config.servers[i], &m->options, &upstream_events, m);
            upstream_start(m->upstreams[i]);
        }
    }
    note_settled(m);
    return 0;
}

size_t mcp_server_count(const struct mcp *m)
{
    return m->config.n;
}

struct mcp_server mcp_server_at(const struct mcp *m, size_t i)
{
    const struct mcp_config_server *server = &m->config.servers[i];
    struct upstream *u = m->upstreams == NULL ? NULL : m->upstreams[i];
    struct mcp_server ret = {
        .name = server->name, .file = server->file, .line = server->line, .sentence = ""};

    if (server->is_disabled) {
        ret.state = MCP_DISABLED;
    } else if (server->fault != NULL) {
        ret.state = MCP_FAILED;
        ret.sentence = server->fault;
    } else if (u == NULL || !u->is_settled) {
        ret.state = MCP_WAITING;
    } else if (!u->session.is_listed) {
        ret.state = MCP_FAILED;
        ret.sentence = buf_str(&u->fault);
    } else {
        ret.state = MCP_LISTED;
        ret.tools = u->session.tools.n;
    }
    return ret;
}

size_t mcp_tool_count(const struct mcp *m)
{
    return m->catalogue.n;
}

const struct mcp_tool *mcp_tool_at(const struct mcp *m, size_t i)
{
    return m->catalogue.list[i];
}

const struct mcp_tool *mcp_find(const struct mcp *m, struct bytes name)
{
    return catalogue_find(&m->catalogue, name);
}

static struct upstream *find_upstream(const struct mcp *m, const char *server)
{
    for (size_t i = 0; i < m->config.n; i++) {
        if (strcmp(m->config.servers[i].name, server) == 0) {
            return m->upstreams[i];
        }
    }
    return NULL;
}

int mcp_call(struct mcp *m, struct bytes name, struct bytes args,
             void (*on_end)(void *arg, const struct mcp_end *end), void *arg, struct mcp_call **ret)
{
    const struct mcp_tool *tool = mcp_find(m, name);
    struct upstream *u = tool == NULL ? NULL : find_upstream(m, tool->server);

    if (m->is_closing) {
        return -ESHUTDOWN;
    }
    if (u == NULL) {
        return -ENOENT;
    }
    if (json_check(args, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL) != 0 ||
        json_kind(args) != JSON_OBJECT) {
        return -EINVAL;
    }
    return upstream_call(u, tool->own_name, args, on_end, arg, ret);
}

void mcp_cancel(struct mcp_call *call)
{
    struct upstream *u = call->session->arg;

    session_cancel(call);
    upstream_rearm(u);
}

bool mcp_ask_cancel(struct mcp_call *call)
{
    struct upstream *u = call->session->arg;
    bool was_sent = session_ask_cancel(call);

    upstream_rearm(u);
    return was_sent;
}

static void on_timer_closed(uv_handle_t *handle)
{
    note_closed(handle->data);
}

void mcp_close(struct mcp *m, void (*on_closed)(void *arg), void *arg)
{
    if (m->is_closing) {
        return;
    }
    m->is_closing = true;
    m->on_closed = on_closed;
    m->closed_arg = arg;
    if (!m->is_started) {
        on_closed(arg);
        return;
    }
    uv_close((uv_handle_t *)&m->timer, on_timer_closed);
    for (size_t i = 0; i < m->config.n; i++) {
        if (m->upstreams[i] != NULL) {
            upstream_close(m->upstreams[i]);
        }
    }
}

void mcp_free(struct mcp *m)
{
    if (m == NULL) {
        return;
    }
    for (size_t i = 0; m->upstreams != NULL && i < m->config.n; i++) {
        if (m->upstreams[i] != NULL && m->is_started) {
            upstream_done(m->upstreams[i]);
        }
        mem_free(m->upstreams[i]);
    }
    mem_free(m->upstreams);
    catalogue_done(&m->catalogue);
    mcp_config_done(&m->config);
    buf_done(&m->error);
    mem_free(m->client_name);
    mem_free(m->client_version);
    mem_free(m);
}
