/* SPDX-License-Identifier: MIT
 *
 * `torno tools`: what a script would see, a signature a line. Starts the servers, lists, ends them.
 */
#include "base/fd.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/run.h"
#include "cli/servers.h"
#include "cli/signals.h"
#include "cli/signature.h"

#include <ctype.h>
#include <unistd.h>

enum { OPT_MCP = 1, OPT_HELP, MAX_WORDS = 64, MAX_SUMMARY = 100, MAX_LIST = 1 << 26 };

static const struct arg_option options_table[] = {
    {"--mcp", "FILE", OPT_MCP},
    {"--help", NULL, OPT_HELP},
};

static const char help[] =
    "torno tools --mcp FILE [WORDS]    show the tools that a script would see\n"
    "\n"
    "  --mcp FILE   MCP servers of an mcpServers JSON; repeatable\n"
    "  WORDS        only tools that hold all of these in name or description\n"
    "\n"
    "Each tool has its exact name, its arguments as TypeScript, and, where its\n"
    "server says so, the shape of its result's .data; below it the first sentence\n"
    "of its description. A script calls it as tools[\"server.tool\"]({ ... }).\n"
    "Exit: 0 tools were shown, 1 a server failed, 2 usage, configuration, or no tool.\n";

struct tools {
    const char *mcp[RUN_MAX_MCP];
    size_t n_mcp;
    const char *words[MAX_WORDS];
    size_t n_words;
    struct servers *servers;
    uv_loop_t loop;
    struct signals signals;
    struct buf list;
    size_t n_shown;
    size_t n_all;
    int status;
};

static bool holds(struct bytes text, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++) {
        if (strncasecmp((const char *)text.ptr + i, word, len) == 0) {
            return true;
        }
    }
    return false;
}

/* The first sentence or line, of a length that fits one line. */
static struct bytes summary_of(struct bytes text)
{
    size_t len = 0;

    while (text.len > 0 && isspace(text.ptr[0])) {
        text = bytes_from(text, 1);
    }
    while (len < text.len && len < MAX_SUMMARY && text.ptr[len] != '\n' &&
           !(text.ptr[len] == '.' && (len + 1 == text.len || isspace(text.ptr[len + 1])))) {
        len++;
    }
    while (len > 0 && len < text.len && (text.ptr[len] & 0xc0) == 0x80) {
        len--;
    }
    return bytes_first(text, len);
}

static void show_tool(void *arg, const struct tool *tool)
{
    _cleanup_(buf_done) struct buf line = buf_max(65536);
    struct tools *t = arg;
    struct bytes summary = summary_of(tool->description);

    t->n_all++;
    for (size_t i = 0; i < t->n_words; i++) {
        if (!holds(tool->name, t->words[i]) && !holds(tool->description, t->words[i])) {
            return;
        }
    }
    t->n_shown++;
    signature_put(&line, tool->name, tool->input_schema, tool->output_schema);
    buf_put_str(&line, "\n");
    if (summary.len > 0) {
        buf_put_str(&line, "    ");
        buf_put_bytes(&line, summary);
        buf_put_str(&line, "\n");
    }
    cli_put_clean(&t->list, buf_bytes(&line), 0);
}

static void on_closed(void *arg)
{
    (void)arg;
}

static void on_ready(void *arg)
{
    struct tools *t = arg;

    servers_each_tool(t->servers, show_tool, t);
    servers_close(t->servers, on_closed, t);
}

static void on_signal(void *arg, int number)
{
    struct tools *t = arg;

    (void)number;
    if (t->status == CLI_STOPPED) {
        _exit(CLI_STOPPED);
    }
    t->status = CLI_STOPPED;
    servers_close(t->servers, on_closed, t);
}

static int show(struct tools *t)
{
    if (t->n_all == 0) {
        return cli_usage("the servers have no tools");
    }
    if (t->n_shown == 0) {
        return cli_usage("no tool holds all of these words; without them all %zu tools are shown",
                         t->n_all);
    }
    return fd_write_all(STDOUT_FILENO, buf_bytes(&t->list)) < 0 ? CLI_FAILED : CLI_OK;
}

static int list_tools(struct tools *t)
{
    int r = signals_init(&t->signals, &t->loop, on_signal, t);

    if (r == 0) {
        r = servers_connect(t->servers, on_ready, t);
    }
    if (r < 0) {
        cli_say("the tools cannot be listed: %s", strerror(-r));
        t->status = CLI_FAILED;
        servers_close(t->servers, on_closed, t);
    }
    uv_run(&t->loop, UV_RUN_DEFAULT);
    signals_close(&t->signals);
    uv_run(&t->loop, UV_RUN_DEFAULT);
    if (t->status != CLI_OK) {
        return t->status;
    }
    r = show(t);
    return r == CLI_OK && servers_failed(t->servers) > 0 ? CLI_FAILED : r;
}

static int take(struct tools *t, int key, const char *value)
{
    if (key == OPT_MCP && t->n_mcp < RUN_MAX_MCP) {
        t->mcp[t->n_mcp++] = value;
        return CLI_OK;
    }
    if (key == ARG_WORD && t->n_words < MAX_WORDS) {
        t->words[t->n_words++] = value;
        return CLI_OK;
    }
    return key == ARG_BAD ? CLI_USAGE : cli_usage("torno tools: too many words or files");
}

static int load_and_list(struct tools *t)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    int status;

    if (servers_load(&t->loop, t->mcp, t->n_mcp, &t->servers, &sentence) < 0) {
        return cli_usage("%s", buf_str(&sentence));
    }
    status = list_tools(t);
    servers_free(t->servers);
    return status;
}

static int list_on_loop(struct tools *t)
{
    int status;
    int r;

    if (t->n_mcp == 0) {
        return cli_usage("torno tools needs the servers: torno tools --mcp FILE");
    }
    r = uv_loop_init(&t->loop);
    if (r < 0) {
        cli_say("the tools cannot be listed: %s", strerror(-r));
        return CLI_FAILED;
    }
    status = load_and_list(t);
    uv_loop_close(&t->loop);
    return status;
}

int tools_main(int argc, char **argv)
{
    struct tools t = {.list = buf_max(MAX_LIST), .signals = {.fd = -1}};
    struct args args = {.command = "tools",
                        .options = options_table,
                        .n_options = ARRAY_SIZE(options_table),
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    int status = CLI_OK;
    int key;

    while (status == CLI_OK && (key = args_next(&args)) != ARG_END) {
        if (key == OPT_HELP) {
            return cli_help(help);
        }
        status = take(&t, key, args.value);
    }
    if (status == CLI_OK) {
        status = list_on_loop(&t);
    }
    buf_done(&t.list);
    return status;
}
