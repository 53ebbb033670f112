/* SPDX-License-Identifier: MIT
 *
 * mcp with real processes: the double (tests/e2e/double.c) in every mood, through mcp.h alone.
 */
#include "tests/unit/mcp-bench.h"

#include <errno.h>

static void expect_failed(const char *words, const struct mcp_options *extra, const char *want)
{
    struct bench b;

    open_double(&b, words, extra);
    T_EQ(mcp_server_at(b.m, 0).state, MCP_FAILED);
    T_STR(mcp_server_at(b.m, 0).sentence, want);
    T_EQ(mcp_tool_count(b.m), 0);
    close_bench(&b);
}

static void test_good_day(void)
{
    struct bench b;
    struct answer a;
    struct mcp_call *none;
    const struct mcp_tool *tool;

    open_double(&b, "", NULL);
    T_EQ(mcp_server_count(b.m), 1);
    T_EQ(mcp_server_at(b.m, 0).state, MCP_LISTED);
    T_EQ(mcp_server_at(b.m, 0).tools, 16);
    T_EQ(mcp_tool_count(b.m), 16);
    tool = mcp_find(b.m, bytes_str("d.echo"));
    T_OK(tool != NULL);
    if (tool != NULL) {
        T_STR(tool->server, "d");
        T_STR(tool->own_name, "echo");
        T_OK(bytes_is(tool->description, "Does \"it\".\nReally."));
        T_OK(bytes_is(tool->input_schema, "{\"type\":\"object\",\"x\":1.0}"));
    }
    for (size_t i = 1; i < mcp_tool_count(b.m); i++) {
        T_OK(strcmp(mcp_tool_at(b.m, i - 1)->name, mcp_tool_at(b.m, i)->name) < 0);
    }
    T_OK(mcp_find(b.m, bytes_str("echo")) == NULL);
    ask(&b, "d.echo", "{\"n\": 12345678901234567890.10,\n\"s\":\"\xc3\xa9\"}", &a);
    T_EQ(a.kind, MCP_END_RESULT);
    T_OK(strstr(a.result, "\"structuredContent\":{\"n\": 12345678901234567890.10, \"s\":"
                          "\"\xc3\xa9\"}}") != NULL);
    ask(&b, "d.fail", "{}", &a);
    T_EQ(a.kind, MCP_END_RESULT);
    T_OK(a.is_error);
    ask(&b, "d.refuse", "{}", &a);
    T_EQ(a.kind, MCP_END_ERROR);
    T_EQ(a.code, -32602);
    T_OK(!a.may_have_run);
    T_STR(a.message, "bad \"arguments\"");
    T_STR(a.sentence, "server \"d\" answered with error -32602: bad \"arguments\"");
    T_ERR(mcp_call(b.m, bytes_str("d.none"), bytes_str("{}"), on_end, &a, &none), ENOENT);
    T_ERR(mcp_call(b.m, bytes_str("d.echo"), bytes_str("[]"), on_end, &a, &none), EINVAL);
    T_ERR(mcp_call(b.m, bytes_str("d.echo"), bytes_str("{"), on_end, &a, &none), EINVAL);
    T_STR(buf_str(&b.notes), "");
    close_bench(&b);
}

/* Each of these moods must make no difference to the tools and to calls. */
static void test_moods(void)
{
    static const char *const moods[] = {
        "\"page=3\"",   "\"garbage\"",
        "\"crlf\"",     "\"bytewise\",\"page=16\"",
        "\"flood\"",    "\"storm=4\"",
        "\"asks\"",     "\"bad\"",
        "\"slow=300\"", "\"version=2024-11-05\"",
    };

    for (size_t i = 0; i < ARRAY_SIZE(moods); i++) {
        struct bench b;
        struct answer a;

        open_double(&b, moods[i], NULL);
        T_EQ(mcp_tool_count(b.m), 16);
        ask(&b, "d.echo", "{\"a\":1}", &a);
        T_EQ(a.kind, MCP_END_RESULT);
        T_OK(strstr(a.result, "{\"a\":1}}") != NULL);
        close_bench(&b);
    }
}

static void test_mood_details(void)
{
    struct bench b;
    struct answer a;

    open_double(&b, "\"garbage\"", NULL);
    T_STR(buf_str(&b.notes), "server \"d\" writes lines to its stdout that are no messages, such "
                             "as: Server is ?running...\n");
    close_bench(&b);
    open_double(&b, "\"bad\"", NULL);
    T_OK(strstr(buf_str(&b.notes), "server \"d\" tool noschema is left out: its inputSchema is no "
                                   "object\n") != NULL);
    close_bench(&b);
    open_double(&b, "\"asks\"", NULL);
    ask(&b, "d.asked", "{}", &a);
    T_STR(a.result,
          "{\"content\":[],\"answers\":[{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}} "
          ",{\"jsonrpc\":\"2.0\",\"id\":\"r\\u0041\",\"error\":{\"code\":-32601,\"message\":\"this "
          "client offers no such method\"}} "
          ",{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,"
          "\"message\":\"this client offers no such method\"}} ]}");
    close_bench(&b);
    open_double(&b, "\"toolless\"", NULL);
    T_EQ(mcp_server_at(b.m, 0).state, MCP_LISTED);
    T_EQ(mcp_tool_count(b.m), 0);
    close_bench(&b);
    open_double(&b, "\"tools=500\",\"page=7\"", NULL);
    T_EQ(mcp_tool_count(b.m), 516);
    T_OK(mcp_find(b.m, bytes_str("d.more499")) != NULL);
    close_bench(&b);
}

static void test_bad_starts(void)
{
    struct mcp_options short_start = {.start_ms = 300};

    expect_failed("\"exit\"", NULL,
                  "server \"d\" ended with status 4; its stderr says: no such "
                  "database");
    expect_failed("\"ends\"", NULL,
                  "server \"d\" ended with status 5; its stderr says: cannot go on");
    expect_failed("\"refuse\"", NULL, "server \"d\" refused initialize: not today (code -32000)");
    expect_failed("\"version=1999-01-01\"", NULL,
                  "server \"d\" answered initialize with the protocol version \"1999-01-01\", "
                  "which is not known");
    expect_failed("\"silent\"", &short_start,
                  "server \"d\" did not start: initialize had no answer within 300 ms");
    expect_failed("\"deaf\"", &short_start,
                  "server \"d\" did not start: initialize had no answer within 300 ms");
}

static void test_several(void)
{
    struct bench b;
    struct answer a;
    int64_t begin_ms = clock_now_ms();

    open_bench(&b,
               "\"a\":{\"command\":\"@\",\"args\":[\"slow=700\"]},"
               "\"b\":{\"command\":\"no-such-program-${NO:-x}\"},"
               "\"c\":{\"command\":\"@\",\"args\":[\"slow=700\"],\"env\":{\"X\":\"yes\"}},"
               "\"off\":{\"command\":\"@\",\"disabled\":true},"
               "\"web\":{\"url\":\"http://x\"},"
               "\"a.b\":{\"command\":\"@\",\"args\":[\"slow=700\",\"exit\"]}",
               NULL);
    T_OK(clock_now_ms() - begin_ms < 1300);
    T_EQ(mcp_server_count(b.m), 6);
    T_EQ(mcp_server_at(b.m, 0).state, MCP_LISTED);
    T_EQ(mcp_server_at(b.m, 1).state, MCP_FAILED);
    T_STR(mcp_server_at(b.m, 1).sentence, "server \"b\" cannot be started: its command "
                                          "no-such-program-${NO:-x} is not found in PATH");
    T_EQ(mcp_server_at(b.m, 2).state, MCP_LISTED);
    T_EQ(mcp_server_at(b.m, 3).state, MCP_DISABLED);
    T_EQ(mcp_server_at(b.m, 4).state, MCP_FAILED);
    T_OK(strstr(mcp_server_at(b.m, 4).sentence, "server \"web\": servers over HTTP are not "
                                                "supported yet") != NULL);
    T_EQ(mcp_server_at(b.m, 5).state, MCP_FAILED);
    T_EQ(mcp_tool_count(b.m), 32);
    ask(&b, "a.env", "{\"name\":\"X\"}", &a);
    T_STR(a.result, "{\"content\":[],\"value\":\"(not set)\"}");
    ask(&b, "c.env", "{\"name\":\"X\"}", &a);
    T_STR(a.result, "{\"content\":[],\"value\":\"yes\"}");
    ask(&b, "c.env", "{\"name\":\"TORNO_SECRET\"}", &a);
    T_STR(a.result, "{\"content\":[],\"value\":\"(not set)\"}");
    close_bench(&b);
}

static void test_none(void)
{
    struct bench b;
    struct mcp *m;
    struct mcp_options options = {.loop = &loop, .client_name = "t", .client_version = "1"};
    bool is_closed = false;

    open_bench(&b, "", NULL);
    T_EQ(mcp_tool_count(b.m), 0);
    close_bench(&b);
    T_EQ(mcp_new(&options, &m), 0);
    T_ERR(mcp_load(m, "/no/such.json"), ENOENT);
    T_STR(mcp_error(m), "/no/such.json: cannot be read: No such file or directory");
    mcp_free(m);
    T_EQ(mcp_new(&options, &m), 0);
    b.is_closed = false;
    mcp_close(m, on_closed, &b);
    T_OK(b.is_closed && !is_closed);
    mcp_free(m);
    mcp_free(NULL);
}

/* A command that is not there is told before anything starts. */
static void test_check(void)
{
    static const char text[] = "{\"servers\":{\"web\":{\"url\":\"x\"},\"off\":{\"disabled\":true},"
                               "\"ok\":{\"command\":\"sh\"},\n\"gone\":{\"command\":\"no-such\"}}}";
    char path[] = "/tmp/mcp-test-XXXXXX";
    int fd = mkstemp(path);
    struct mcp_options options = {.loop = &loop, .client_name = "t", .client_version = "1"};
    _cleanup_(buf_done) struct buf want = buf_max(1000);
    struct mcp *m;

    T_EQ(fd_write_all(fd, bytes_str(text)), 0);
    T_EQ(mcp_new(&options, &m), 0);
    T_EQ(mcp_check(m), 0);
    T_EQ(mcp_load(m, path), 0);
    T_ERR(mcp_check(m), ENOENT);
    buf_printf(&want,
               "%s:2: server \"gone\": cannot be started: its command no-such is not found "
               "in PATH",
               path);
    T_STR(mcp_error(m), buf_str(&want));
    mcp_free(m);
    close(fd);
    unlink(path);
}

static void test_concurrent(void)
{
    enum { MANY = 200 };
    static struct answer held[MANY];
    struct answer a;
    struct bench b;

    open_double(&b, "", NULL);
    ended = 0;
    for (size_t i = 0; i < MANY; i++) {
        begin(&b, "d.hold", "{}", &held[i]);
    }
    mcp_cancel(held[50].call);
    ask(&b, "d.cancelled", "{}", &a);
    T_STR(a.result, "{\"content\":[],\"count\":1}");
    ask(&b, "d.release", "{}", &a);
    wait_for(&held[0]);
    for (size_t i = 0; i < MANY; i++) {
        T_EQ(held[i].ends, i == 50 ? 0 : 1);
        T_EQ(held[i].kind, MCP_END_RESULT);
    }
    /* They were answered in reverse. */
    T_OK(held[MANY - 1].order < held[0].order);
    ask(&b, "d.twice", "{}", &a);
    ask(&b, "d.echo", "{}", &a);
    T_EQ(a.ends, 1);
    close_bench(&b);
}

static void test_deaths(void)
{
    struct bench b;
    struct answer a;
    struct answer other;
    int64_t begin_ms;

    open_double(&b, "", NULL);
    begin(&b, "d.sleep", "{}", &other);
    ask(&b, "d.die", "{}", &a);
    T_EQ(a.kind, MCP_END_LOST);
    T_OK(a.may_have_run);
    T_STR(a.sentence, "server \"d\" ended with status 3; its stderr says: out of "
                      " [31mluck");
    T_EQ(other.ends, 1);
    T_STR(other.sentence, a.sentence);
    ask(&b, "d.echo", "{}", &a);
    T_EQ(a.kind, MCP_END_RESULT);
    ask(&b, "d.kill", "{}", &a);
    T_STR(a.sentence, "server \"d\" was ended by signal 9 (Killed)");
    begin_ms = clock_now_ms();
    for (int i = 0; i < 5; i++) {
        ask(&b, "d.die", "{}", &a);
        T_EQ(a.kind, MCP_END_LOST);
    }
    /* 100, 200, 400 and 800 ms: it keeps dying, so it is started later each time. */
    T_OK(clock_now_ms() - begin_ms >= 1500);
    ask(&b, "d.echo", "{}", &a);
    T_EQ(a.kind, MCP_END_RESULT);
    /* An answered call makes it good again. */
    begin_ms = clock_now_ms();
    ask(&b, "d.die", "{}", &a);
    ask(&b, "d.echo", "{}", &a);
    T_EQ(a.kind, MCP_END_RESULT);
    T_OK(clock_now_ms() - begin_ms < 1000);
    close_bench(&b);
}

static void test_nonsense(void)
{
    struct bench b;
    struct answer a;

    open_double(&b, "", NULL);
    ask(&b, "d.number", "{}", &a);
    T_EQ(a.kind, MCP_END_LOST);
    T_STR(a.sentence, "server \"d\" answered with a result that is no object");
    ask(&b, "d.broken", "{}", &a);
    T_EQ(a.kind, MCP_END_LOST);
    T_STR(a.sentence, "server \"d\" answered with what is no message: a value is expected");
    close_bench(&b);
}

static void test_large(void)
{
    struct mcp_options small = {.max_line_bytes = 1 << 20};
    struct bench b;
    struct answer a;

    open_double(&b, "", NULL);
    ask(&b, "d.big", "{\"bytes\":20000000}", &a);
    T_EQ(a.kind, MCP_END_RESULT);
    T_OK(a.result_bytes > 20000000);
    ask(&b, "d.big", "{\"bytes\":34000000}", &a);
    T_EQ(a.kind, MCP_END_TOO_LARGE);
    T_STR(a.sentence, "server \"d\" answered with a message that is too large");
    ask(&b, "d.echo", "{}", &a);
    T_EQ(a.kind, MCP_END_RESULT);
    close_bench(&b);
    open_double(&b, "", &small);
    ask(&b, "d.big", "{\"bytes\":2000000}", &a);
    T_EQ(a.kind, MCP_END_TOO_LARGE);
    close_bench(&b);
}

static void test_call_time(void)
{
    struct mcp_options options = {.call_ms = 200};
    struct bench b;
    struct answer a;

    open_double(&b, "", &options);
    ask(&b, "d.sleep", "{}", &a);
    T_EQ(a.kind, MCP_END_TIMED_OUT);
    T_STR(a.sentence, "server \"d\" did not answer within 200 ms");
    ask(&b, "d.cancelled", "{}", &a);
    T_STR(a.result, "{\"content\":[],\"count\":1}");
    close_bench(&b);
}

static void test_changes(void)
{
    struct mcp_options options = {.on_tools = on_tools};
    struct bench b;
    struct answer a;

    open_double(&b, "", &options);
    ask(&b, "d.grow", "{}", &a);
    T_EQ(mcp_tool_count(b.m), 16);
    run_for(600);
    T_EQ(b.changes, 1);
    T_EQ(mcp_tool_count(b.m), 17);
    T_OK(mcp_find(b.m, bytes_str("d.more0")) != NULL);
    close_bench(&b);
    open_double(&b, "", NULL);
    ask(&b, "d.grow", "{}", &a);
    run_for(400);
    T_EQ(mcp_tool_count(b.m), 16);
    close_bench(&b);
}

/* A close while calls are out: they end as lost, and stubborn processes are gone at the end. */
static void test_close(void)
{
    char file[] = "/tmp/mcp-test-XXXXXX";
    char words[200];
    int fd = mkstemp(file);
    _cleanup_(free_p) char *number = NULL;
    _cleanup_(free_p) char *state = NULL;
    _cleanup_(buf_done) struct buf path = buf_max(100);
    size_t len = 0;
    struct bench b;
    struct answer a;
    struct mcp_call *none;

    snprintf(words, sizeof words, "\"stubborn\",\"child=%s\"", file);
    open_double(&b, words, NULL);
    begin(&b, "d.sleep", "{}", &a);
    run_for(50);
    mcp_close(b.m, on_closed, &b);
    T_EQ(a.ends, 1);
    T_EQ(a.kind, MCP_END_LOST);
    T_STR(a.sentence, "server \"d\" is being closed");
    T_ERR(mcp_call(b.m, bytes_str("d.echo"), bytes_str("{}"), on_end, &a, &none), ESHUTDOWN);
    run_until(&b.is_closed);
    mcp_free(b.m);
    buf_done(&b.notes);
    usleep(100000);
    T_EQ(fd_read_file(file, 100, &number, &len), 0);
    buf_put_str(&path, "/proc/");
    buf_put(&path, number, len > 0 ? len - 1 : 0);
    buf_put_str(&path, "/stat");
    T_OK(fd_read_file(buf_str(&path), 4096, &state, &len) < 0 || strstr(state, ") Z ") != NULL);
    close(fd);
    unlink(file);
}

/* Calls from within the end of a call, and a close from there. */
struct chain {
    struct bench *b;
    unsigned left;
    struct mcp_call *call;
};

static void on_chain(void *arg, const struct mcp_end *end)
{
    struct chain *c = arg;

    if (c->left == 0) {
        mcp_close(c->b->m, on_closed, c->b);
        return;
    }
    T_EQ(end->kind, MCP_END_RESULT);
    c->left--;
    T_EQ(mcp_call(c->b->m, bytes_str("d.echo"), bytes_str("{}"), on_chain, c, &c->call), 0);
}

static void test_reentry(void)
{
    struct bench b;
    struct chain c = {.b = &b, .left = 50};
    struct answer a;

    open_double(&b, "", NULL);
    begin(&b, "d.sleep", "{}", &a);
    T_EQ(mcp_call(b.m, bytes_str("d.echo"), bytes_str("{}"), on_chain, &c, &c.call), 0);
    run_until(&b.is_closed);
    T_EQ(c.left, 0);
    T_EQ(a.kind, MCP_END_LOST);
    mcp_free(b.m);
    buf_done(&b.notes);
}

int main(int argc, char **argv)
{
    (void)argc;
    init_bench(argv[0]);
    test_good_day();
    test_moods();
    test_mood_details();
    test_bad_starts();
    test_several();
    test_none();
    test_check();
    test_concurrent();
    test_deaths();
    test_nonsense();
    test_large();
    test_call_time();
    test_changes();
    test_close();
    test_reentry();
    T_EQ(uv_loop_close(&loop), 0);
    return T_DONE("mcp-upstream");
}
