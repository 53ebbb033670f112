/* SPDX-License-Identifier: MIT
 *
 * Between a host's calls and the MCP client. A call that a server answers, with a result or with
 * an error of its own, goes back to the script as a result; one whose server was lost fails or,
 * where it surely never reached its tool, is refused, so that the script may try again.
 *
 * Each server runs under a keeper (keep.c): this very program, started anew from /proc/self/exe.
 */
#include "cli/servers.h"

#include "base/mem.h"
#include "cli/cli.h"
#include "mcp/mcp.h"
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_ANSWER = 1 << 20, MAX_LEFT_OUT = 5 /* that are told by name */ };

/* A call that is out at its server. */
struct pending {
    struct servers *servers;
    struct pending *next;
    struct pending *prev;
    struct call *call;
    struct mcp_call *at_server;
};

struct servers {
    struct mcp *mcp;
    struct pending *pending;
    struct tool *tools; /* what a script can have of the servers' tools */
    size_t n_tools;
    char host_pid[24];
    char *keeper[5];
    void (*on_ready)(void *arg);
    void *arg;
    bool is_connected;
};

/* From a callback only: each is told once. */
static void say_note(void *arg, const char *sentence)
{
    (void)arg;
    cli_say("%s", sentence);
}

static int make_client(struct servers *s, uv_loop_t *loop)
{
    struct mcp_options options = {.loop = loop,
                                  .client_name = "torno",
                                  .client_version = TORNO_VERSION,
                                  .keeper = s->keeper,
                                  .on_note = say_note,
                                  .arg = s};

    snprintf(s->host_pid, sizeof s->host_pid, "%jd", (intmax_t)getpid());
    s->keeper[0] = "/proc/self/exe";
    s->keeper[1] = "keep";
    s->keeper[2] = s->host_pid;
    s->keeper[3] = "--";
    return mcp_new(&options, &s->mcp);
}

int servers_load(uv_loop_t *loop, const char *const *files, size_t n_files, struct servers **ret,
                 struct buf *ret_sentence)
{
    struct servers *s = mem_new(sizeof *s);
    int r = s == NULL ? -ENOMEM : make_client(s, loop);

    if (r < 0) {
        buf_put_str(ret_sentence, "there is no memory for the tool servers");
        servers_free(s);
        return r;
    }
    for (size_t i = 0; i < n_files && r == 0; i++) {
        r = mcp_load(s->mcp, files[i]);
    }
    if (r == 0) {
        r = mcp_check(s->mcp);
    }
    if (r < 0) {
        buf_put_str(ret_sentence, mcp_error(s->mcp));
        servers_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

void servers_free(struct servers *servers)
{
    if (servers != NULL) {
        mcp_free(servers->mcp);
        mem_free(servers->tools);
        mem_free(servers);
    }
}

size_t servers_count(const struct servers *servers)
{
    return mcp_server_count(servers->mcp);
}

size_t servers_failed(const struct servers *servers)
{
    size_t n = 0;

    for (size_t i = 0; i < mcp_server_count(servers->mcp); i++) {
        n += mcp_server_at(servers->mcp, i).state == MCP_FAILED ? 1 : 0;
    }
    return n;
}

static struct tool tool_of(const struct mcp_tool *tool)
{
    return (struct tool){.name = bytes_str(tool->name),
                         .description = tool->description,
                         .input_schema = tool->input_schema,
                         .output_schema = tool->output_schema};
}

/* A tool that no script can have costs only itself. */
static void choose_tools(struct servers *s)
{
    struct toolset_room room = {0};
    size_t n = mcp_tool_count(s->mcp);
    size_t left_out = 0;

    s->tools = mem_array(n, sizeof *s->tools);
    if (s->tools == NULL) {
        cli_say("there is no memory for the tools");
    }
    for (size_t i = 0; i < n && s->tools != NULL; i++) {
        _cleanup_(buf_done) struct buf sentence = buf_max(4096);
        struct tool tool = tool_of(mcp_tool_at(s->mcp, i));

        if (toolset_admit(&room, &tool, &sentence) == 0) {
            s->tools[s->n_tools++] = tool;
        } else if (++left_out <= MAX_LEFT_OUT) {
            cli_say("%s; it is left out", buf_str(&sentence));
        }
    }
    if (left_out > MAX_LEFT_OUT) {
        cli_say("%zu more tools are left out", left_out - MAX_LEFT_OUT);
    }
}

void servers_put_notes(const struct servers *servers, struct buf *out)
{
    for (size_t i = 0; i < mcp_server_count(servers->mcp); i++) {
        struct mcp_server server = mcp_server_at(servers->mcp, i);

        if (server.state == MCP_FAILED) {
            buf_put_str(out, out->len > 0 ? ",{" : "{");
            json_put_key(out, "note");
            json_put_cstr(out, "server_failed");
            json_put_key(out, "server");
            json_put_cstr(out, server.name);
            json_put_key(out, "message");
            json_put_cstr(out, server.sentence);
            buf_put_str(out, "}");
        }
    }
}

static void on_connected(void *arg)
{
    struct servers *s = arg;

    for (size_t i = 0; i < mcp_server_count(s->mcp); i++) {
        struct mcp_server server = mcp_server_at(s->mcp, i);

        if (server.state == MCP_FAILED) {
            cli_say("%s", server.sentence);
        }
    }
    choose_tools(s);
    s->on_ready(s->arg);
}

int servers_connect(struct servers *servers, void (*on_ready)(void *arg), void *arg)
{
    servers->on_ready = on_ready;
    servers->arg = arg;
    if (mcp_server_count(servers->mcp) == 0) {
        on_ready(arg);
        return 0;
    }
    servers->is_connected = true;
    return mcp_connect(servers->mcp, on_connected, servers);
}

void servers_each_tool(const struct servers *servers,
                       void (*visit)(void *arg, const struct tool *tool), void *arg)
{
    for (size_t i = 0; i < servers->n_tools; i++) {
        visit(arg, &servers->tools[i]);
    }
}

int servers_toolset(struct servers *servers, struct toolset **ret, struct buf *ret_sentence)
{
    return toolset_new(servers->tools, servers->n_tools, ret, ret_sentence);
}

static void drop_pending(struct pending *p)
{
    if (p->prev != NULL) {
        p->prev->next = p->next;
    } else {
        p->servers->pending = p->next;
    }
    if (p->next != NULL) {
        p->next->prev = p->prev;
    }
    mem_free(p);
}

/* A server's own error, as the result that a failed tool gives. */
static void reply_error(struct call *call, const struct mcp_end *end)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_ANSWER);
    _cleanup_(buf_done) struct buf result = buf_max(8 * (size_t)MAX_ANSWER);

    buf_put_bytes(&text, end->message);
    buf_printf(&text, " (error %" PRId64 ")", end->code);
    buf_put_str(&result, "{");
    json_put_key(&result, "content");
    buf_put_str(&result, "[{");
    json_put_key(&result, "type");
    json_put_cstr(&result, "text");
    json_put_key(&result, "text");
    json_put_str(&result, buf_bytes(&text));
    buf_put_str(&result, "}]");
    json_put_key(&result, "isError");
    json_put_bool(&result, true);
    buf_put_str(&result, "}");
    if (buf_fault(&result) != 0) {
        call_fail(call, "its server answered with an error too long to be told");
    } else {
        call_reply(call, buf_bytes(&result));
    }
}

static void on_end(void *arg, const struct mcp_end *end)
{
    struct pending *p = arg;
    struct call *call = p->call;

    drop_pending(p);
    switch (end->kind) {
    case MCP_END_RESULT:
        call_reply(call, end->result);
        break;
    case MCP_END_ERROR:
        reply_error(call, end);
        break;
    case MCP_END_TOO_LARGE:
    case MCP_END_TIMED_OUT:
        call_fail(call, end->sentence);
        break;
    case MCP_END_LOST:
        if (end->may_have_run) {
            call_fail(call, end->sentence);
        } else {
            call_refuse(call, end->sentence);
        }
        break;
    }
}

/* Why a call could not be sent. */
static const char *unsent_sentence(int r)
{
    switch (r) {
    case -ENOENT:
        return "its server has withdrawn this tool; nothing was sent";
    case -ENOBUFS:
        return "its server reads too slowly and too much waits for it; nothing was sent";
    case -EPIPE:
        return "its server is just ending; nothing was sent, and a later try starts it again";
    case -ESHUTDOWN:
        return "the tool servers are being ended; nothing was sent";
    case -EINVAL:
        return "its arguments are no JSON object; nothing was sent";
    default:
        return "there was no memory to send it; nothing was sent";
    }
}

void servers_call(struct servers *servers, struct call *call)
{
    struct pending *p = mem_new(sizeof *p);
    int r;

    if (p == NULL) {
        call_refuse(call, unsent_sentence(-ENOMEM));
        return;
    }
    *p = (struct pending){.servers = servers, .next = servers->pending, .call = call};
    if (p->next != NULL) {
        p->next->prev = p;
    }
    servers->pending = p;
    r = mcp_call(servers->mcp, call_tool(call), call_arguments(call), on_end, p, &p->at_server);
    if (r < 0) {
        drop_pending(p);
        call_refuse(call, unsent_sentence(r));
    }
}

static void give_up(struct pending *p)
{
    struct call *call = p->call;

    mcp_cancel(p->at_server);
    drop_pending(p);
    call_fail(call, "it was given up");
}

/* A server that is told to cancel may work on all the same: the call keeps its place until it
 * answers, dies, or the run ends. */
void servers_cancel(struct servers *servers, struct call *call)
{
    for (struct pending *p = servers->pending; p != NULL; p = p->next) {
        if (p->call == call) {
            if (!mcp_ask_cancel(p->at_server)) {
                give_up(p);
            }
            return;
        }
    }
}

void servers_close(struct servers *servers, void (*on_closed)(void *arg), void *arg)
{
    while (servers->pending != NULL) {
        give_up(servers->pending);
    }
    if (servers->is_connected) {
        mcp_close(servers->mcp, on_closed, arg);
    } else {
        on_closed(arg);
    }
}
