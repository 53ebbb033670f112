/* SPDX-License-Identifier: MIT
 *
 * mcp/session by bytes alone: what goes out, what each answer does, times, lost connections.
 */
#include "mcp/session.h"

#include "base/mem.h"
#include "mcp/catalogue.h"
#include "tests/unit/t.h"

#include <errno.h>

/* What the session told, as one text. */
static struct buf told = {.max = 1 << 20};
static int send_fault;

static int on_send(void *arg, struct bytes line)
{
    (void)arg;
    if (send_fault == 0) {
        buf_printf(&told, ">%.*s\n", (int)line.len, (const char *)line.ptr);
    }
    return send_fault;
}

static void on_ready(void *arg)
{
    (void)arg;
    buf_put_str(&told, "ready\n");
}

static void on_failed(void *arg, const char *sentence)
{
    (void)arg;
    buf_printf(&told, "failed: %s\n", sentence);
}

static void on_tools(void *arg, struct toolset *old)
{
    (void)arg;
    buf_printf(&told, "tools, there were %zu\n", old->n);
}

static void on_note(void *arg, const char *sentence)
{
    (void)arg;
    buf_printf(&told, "note: %s\n", sentence);
}

static const struct session_events events = {on_send, on_ready, on_failed, on_tools, on_note};

static void on_end(void *arg, const struct mcp_end *end)
{
    static const char *const kinds[] = {"result", "error", "too large", "timed out", "lost"};

    buf_printf(&told, "%s: %s", (const char *)arg, kinds[end->kind]);
    if (end->kind == MCP_END_RESULT) {
        buf_printf(&told, " %.*s%s", (int)end->result.len, (const char *)end->result.ptr,
                   end->is_error ? " (is error)" : "");
    } else if (end->kind == MCP_END_ERROR) {
        buf_printf(&told, " %d \"%.*s\"", (int)end->code, (int)end->message.len,
                   (const char *)end->message.ptr);
    }
    buf_printf(&told, "%s: %s\n", end->may_have_run ? "" : " never ran", end->sentence);
}

static void expect(const char *want)
{
    T_STR(buf_str(&told), want);
    buf_clear(&told);
}

static struct session new_session(void)
{
    return (struct session){
        .name = "s",
        .events = &events,
        .client_name = "torno",
        .client_version = "1",
        .start_ms = 1000,
    };
}

static void hear(struct session *s, const char *line)
{
    session_line(s, 100, bytes_str(line));
}

static struct mcp_call *call(struct session *s, const char *label, const char *args)
{
    struct mcp_call *ret = NULL;

    T_EQ(session_call(s, 100, "t", bytes_str(args), on_end, (char *)(uintptr_t)label, &ret), 0);
    return ret;
}

#define INITIALIZE(id)                                                                             \
    ">{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"initialize\",\"params\":{"                  \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"torno\","   \
    "\"version\":\"1\"}}}\n"
#define INITIALIZED                                                                                \
    ">{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\n"
#define LIST(id) ">{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/list\",\"params\":{}}\n"
#define CALL(id, args)                                                                             \
    ">{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"t\","   \
    "\"arguments\":" args "}}\n"
#define CANCELLED(id, reason)                                                                      \
    ">{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" #id  \
    ",\"reason\":\"" reason "\"}}\n"
#define OPENING(id)                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{\"protocolVersion\":\"2024-11-05\","          \
    "\"capabilities\":{\"tools\":{}}}}"
#define TOOLS(id, tools) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{\"tools\":[" tools "]}}"
#define TOOL(name)       "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"

/* Opens with ids 1 and 2; the next is 3. */
static void open_session(struct session *s)
{
    session_init(s);
    session_start(s, 0);
    hear(s, OPENING(1));
    hear(s, TOOLS(2, TOOL("t")));
    expect(INITIALIZE(1) INITIALIZED LIST(2) "ready\n");
}

static void close_session(struct session *s)
{
    session_lose(s, "closed", true);
    session_done(s);
    buf_clear(&told);
}

static void test_opening(void)
{
    static const char *const versions[] = {"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18",
                                           "2025-11-25"};

    for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
        struct session s = new_session();
        char line[200];

        session_init(&s);
        session_start(&s, 0);
        T_EQ(session_due(&s), 1000);
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"%s\","
                 "\"capabilities\":{}}}",
                 versions[i]);
        hear(&s, line);
        expect(INITIALIZE(1) INITIALIZED "note: server \"s\" says that it has no tools\nready\n");
        T_EQ(s.state, SESSION_OPEN);
        T_EQ(session_due(&s), INT64_MAX);
        close_session(&s);
    }
}

static void fail_opening(const char *line, const char *want)
{
    struct session s = new_session();

    session_init(&s);
    session_start(&s, 0);
    buf_clear(&told);
    hear(&s, line);
    expect(want);
    T_EQ(s.state, SESSION_DOWN);
    T_EQ(session_due(&s), INT64_MAX);
    close_session(&s);
}

static void test_bad_opening(void)
{
    struct session s = new_session();

    fail_opening("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2026-07-28\"}}",
                 "failed: server \"s\" answered initialize with the protocol version "
                 "\"2026-07-28\", which is not known\n");
    fail_opening("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}",
                 "failed: server \"s\" answered initialize without a protocol version\n");
    fail_opening("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-5,\"message\":\"no\\nway\"}}",
                 "failed: server \"s\" refused initialize: no way (code -5)\n");
    fail_opening("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":7}",
                 "failed: server \"s\" answered with what is no message: \"error\" must be an "
                 "object\n");
    session_init(&s);
    session_start(&s, 0);
    session_tick(&s, 999);
    session_tick(&s, 1000);
    expect(INITIALIZE(1) "failed: server \"s\" did not start: initialize had no answer within 1000 "
                         "ms\n");
    close_session(&s);
}

static void test_pages(void)
{
    struct session s = new_session();

    session_init(&s);
    session_start(&s, 0);
    hear(&s, OPENING(1));
    buf_clear(&told);
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[" TOOL("a") "],\"nextCursor\":"
                                                                               "\"\"}}");
    expect(
        ">{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\"}}\n");
    hear(&s,
         "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[],\"nextCursor\":\"p\\u0061\"}}");
    expect(">{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{\"cursor\":"
           "\"p\\u0061\"}}\n");
    hear(&s, TOOLS(4, TOOL("b")));
    expect("ready\n");
    T_EQ(s.tools.n, 2);
    T_STR(s.tools.list[1]->name, "s.b");
    T_STR(s.tools.list[1]->own_name, "b");
    T_OK(bytes_is(s.tools.list[1]->input_schema, "{\"type\":\"object\"}"));
    close_session(&s);
}

static void test_endless_pages(void)
{
    struct session s = new_session();

    session_init(&s);
    session_start(&s, 0);
    hear(&s, OPENING(1));
    for (int id = 2; id < 2 + SESSION_MAX_PAGES; id++) {
        char line[200];

        buf_clear(&told);
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[{\"name\":\"n%d\","
                 "\"inputSchema\":{}}],\"nextCursor\":\"x\"}}",
                 id, id);
        hear(&s, line);
    }
    expect("note: server \"s\" lists its tools without an end; only the first 1000 pages are "
           "taken\nready\n");
    T_EQ(s.tools.n, SESSION_MAX_PAGES);
    close_session(&s);
}

static void test_bad_listing(void)
{
    struct session s = new_session();

    session_init(&s);
    session_start(&s, 0);
    hear(&s, OPENING(1));
    buf_clear(&told);
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":{}}}");
    expect("failed: server \"s\" could not list its tools: its answer holds no array \"tools\"\n");
    close_session(&s);
    s = new_session();
    session_init(&s);
    session_start(&s, 0);
    hear(&s, OPENING(1));
    buf_clear(&told);
    session_tick(&s, 1100);
    expect("failed: server \"s\" could not list its tools: no answer within 1000 ms\n");
    close_session(&s);
}

static void test_bad_tools(void)
{
    struct session s = new_session();

    session_init(&s);
    session_start(&s, 0);
    hear(&s, OPENING(1));
    buf_clear(&told);
    hear(&s, TOOLS(2, TOOL("a") ",7," TOOL(
                          "a") ",{\"name\":\"b\"},{\"name\":\"c\",\"inputSchema\":"
                               "{\"type\":\"array\"}},{\"name\":\"d\\u0000\",\"inputSchema\":{}},"
                               "{\"name\":\"e\",\"inputSchema\":{},\"description\":7,"
                               "\"outputSchema\":7,\"annotations\":{\"x\":1}},"
                               "{\"name\":\"f\",\"inputSchema\":{},\"execution\":{\"taskSupport\":"
                               "\"required\"}},[]"));
    expect("note: server \"s\" a tool is left out: its name is missing, too long or no clean text\n"
           "note: server \"s\" tool a is left out: its name stands in the list already\n"
           "note: server \"s\" tool b is left out: its inputSchema is no object\n"
           "note: server \"s\" tool c is left out: its inputSchema is not of type object\n"
           "note: server \"s\" a tool is left out: its name is missing, too long or no clean text\n"
           "note: server \"s\" 2 more tools are left out\nready\n");
    T_EQ(s.tools.n, 2);
    T_STR(s.tools.list[1]->own_name, "e");
    T_EQ(s.tools.list[1]->description.len, 0);
    T_EQ(s.tools.list[1]->output_schema.len, 0);
    T_OK(bytes_is(s.tools.list[1]->annotations, "{\"x\":1}"));
    close_session(&s);
}

static void test_calls(void)
{
    struct session s = new_session();

    open_session(&s);
    call(&s, "one", "{\n\"n\":1.0,\"s\":\"\\ud83d\"}");
    call(&s, "two", "{}");
    call(&s, "three", "{}");
    call(&s, "four", "{}");
    expect(CALL(3, "{ \"n\":1.0,\"s\":\"\\ufffd\"}") CALL(4, "{}") CALL(5, "{}") CALL(6, "{}"));
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[ 1.0 ],\"isError\":true}}");
    expect("two: result {\"content\":[ 1.0 ],\"isError\":true} (is error): \n");
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}");
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":\"3\",\"result\":{}}");
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":99,\"error\":{\"code\":1,\"message\":\"\"}}");
    expect("");
    T_EQ(s.strays, 3);
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
    expect("");
    T_EQ(s.strays, 4);
    hear(
        &s,
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"bad \\\"a\\\"\"}}");
    expect(
        "one: error -32602 \"bad \"a\"\" never ran: server \"s\" answered with error -32602: bad "
        "\"a\"\n");
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-1,\"message\":\"\"}}");
    expect("three: error -1 \"\": server \"s\" answered with error -1: \n");
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":[]}");
    expect("four: lost: server \"s\" answered with a result that is no object\n");
    T_EQ(s.answered, 3);
    close_session(&s);
}

static void test_spoiled_answers(void)
{
    struct session s = new_session();

    open_session(&s);
    call(&s, "one", "{}");
    call(&s, "two", "{}");
    call(&s, "three", "{}");
    buf_clear(&told);
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":3}");
    expect("one: lost: server \"s\" answered with what is no message: a message needs \"method\", "
           "\"result\" or \"error\"\n");
    hear(&s, "{\"result\":{\"content\":[NaN]},\"jsonrpc\":\"2.0\",\"id\":4}");
    expect("two: lost: server \"s\" answered with what is no message: a value is expected\n");
    session_overlong(&s, 100,
                     bytes_str("{\"result\":{\"a\":\"xxx\"},\"jsonrpc\":\"2.0\",\"id\":5}"));
    expect("three: too large: server \"s\" answered with a message that is too large\n");
    session_overlong(&s, 100, bytes_str("xxxx"));
    expect("note: server \"s\" sends messages that are too large; they are dropped\n");
    session_overlong(&s, 100, bytes_str("yyyy"));
    expect(""); /* told once: a server cannot flood whoever reads the notes */
    close_session(&s);
}

static void test_garbage(void)
{
    struct session s = new_session();

    open_session(&s);
    hear(&s, "Server running\x1b[0m on \xff stdio");
    expect("note: server \"s\" writes lines to its stdout that are no messages, such as: Server "
           "running [0m on ? stdio\n");
    hear(&s, "again");
    hear(&s, "[]");
    hear(&s, "{}");
    expect("");
    T_EQ(s.garbage, 4);
    close_session(&s);
}

static void test_requests(void)
{
    struct session s = new_session();

    session_init(&s);
    session_start(&s, 0);
    buf_clear(&told);
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}");
    expect(">{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n");
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"roots/list\",\"params\":{}}");
    expect(
        ">{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32601,\"message\":\"this client "
        "offers no such method\"}}\n");
    hear(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}");
    hear(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\",\"params\":{}}");
    expect("");
    close_session(&s);
}

static void test_cancel_and_time(void)
{
    struct session s = new_session();
    struct mcp_call *one;

    s.call_ms = 50;
    open_session(&s);
    one = call(&s, "one", "{}");
    call(&s, "two", "{}");
    buf_clear(&told);
    T_EQ(session_due(&s), 150);
    session_cancel(one);
    expect(CANCELLED(3, "the caller gave up"));
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    session_tick(&s, 149);
    expect("");
    session_tick(&s, 150);
    expect(CANCELLED(4, "no answer in time") "two: timed out: server \"s\" did not answer within "
                                             "50 ms\n");
    T_EQ(session_due(&s), INT64_MAX);
    close_session(&s);
}

static void test_lost(void)
{
    struct session s = new_session();
    struct mcp_call *waiting;

    open_session(&s);
    call(&s, "one", "{}");
    buf_clear(&told);
    session_lose(&s, "it died", false);
    expect("one: lost: it died\n");
    call(&s, "two", "{}");
    waiting = call(&s, "three", "{}");
    session_cancel(waiting);
    session_lose(&s, "it died again", false);
    expect("");
    session_start(&s, 0);
    hear(&s, OPENING(4));
    expect(INITIALIZE(4) INITIALIZED CALL(5, "{}"));
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
    expect("two: result {}: \n");
    session_lose(&s, "", false);
    call(&s, "four", "{}");
    session_lose(&s, "gave up", true);
    expect("four: lost never ran: gave up\n");
    close_session(&s);
}

/* Who loses a call calls again: that call waits for the next connection. */
static void on_end_again(void *arg, const struct mcp_end *end)
{
    struct mcp_call *ret;

    on_end((char *)(uintptr_t) "first", end);
    T_EQ(session_call(arg, 0, "t", bytes_str("{}"), on_end, (char *)(uintptr_t) "again", &ret), 0);
}

static void test_lost_again(void)
{
    struct session s = new_session();
    struct mcp_call *ret;

    open_session(&s);
    T_EQ(session_call(&s, 0, "t", bytes_str("{}"), on_end_again, &s, &ret), 0);
    buf_clear(&told);
    session_lose(&s, "it died", true);
    expect("first: lost: it died\n");
    session_start(&s, 0);
    hear(&s, OPENING(4));
    expect(INITIALIZE(4) INITIALIZED CALL(5, "{}"));
    close_session(&s);
}

static void add_page(struct toolset *set, const char *server, const char *page)
{
    struct bytes cursor;

    T_EQ(toolset_add_page(set, server, bytes_str(page), &cursor), 0);
    T_EQ(cursor.len, 0);
}

static void test_one_name_twice(void)
{
    struct toolset one = {0};
    struct toolset other = {0};
    struct catalogue c = {0};

    add_page(&one, "a.b", "{\"tools\":[" TOOL("c") "," TOOL("d") "]}");
    add_page(&other, "a", "{\"tools\":[" TOOL("b.c") "," TOOL("z") "]}");
    T_EQ(catalogue_add(&c, &one), 0);
    T_EQ(catalogue_add(&c, &other), 0);
    catalogue_sort(&c, on_note, NULL);
    expect("note: tool c of server \"a.b\" is left out: server \"a\" has one of the same exact "
           "name\n");
    T_EQ(c.n, 3);
    T_OK(catalogue_find(&c, bytes_str("a.b.c")) == other.list[0]);
    T_OK(catalogue_find(&c, bytes_str("a.b.d")) == one.list[1]);
    T_OK(catalogue_find(&c, bytes_str("a.z")) == other.list[1]);
    T_OK(catalogue_find(&c, bytes_str("a.b")) == NULL);
    T_OK(catalogue_find(&c, bytes_none()) == NULL);
    catalogue_done(&c);
    toolset_done(&one);
    toolset_done(&other);
}

static void test_send_fault(void)
{
    struct session s = new_session();
    struct mcp_call *ret;

    open_session(&s);
    send_fault = -ENOBUFS;
    T_ERR(session_call(&s, 0, "t", bytes_str("{}"), on_end, NULL, &ret), ENOBUFS);
    session_lose(&s, "", false);
    call(&s, "one", "{}");
    session_start(&s, 0);
    hear(&s, OPENING(4));
    expect("one: lost never ran: server \"s\" took no more calls: No buffer space available\n");
    send_fault = 0;
    close_session(&s);
}

static void test_changes_while_listing(void)
{
    static const char *const changed =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
    struct session s = new_session();

    session_init(&s);
    session_start(&s, 0);
    hear(&s, OPENING(1));
    buf_clear(&told);
    for (int i = 0; i < 4; i++) {
        hear(&s, changed);
    }
    hear(&s, TOOLS(2, TOOL("a")));
    expect(LIST(3));
    hear(&s, TOOLS(3, TOOL("a") "," TOOL("b")));
    expect("ready\n");
    T_EQ(s.tools.n, 2);
    hear(&s, changed);
    T_EQ(session_due(&s), INT64_MAX);
    close_session(&s);
}

static void test_changes_later(void)
{
    static const char *const changed =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
    struct session s = new_session();

    s.may_relist = true;
    open_session(&s);
    hear(&s, changed);
    session_line(&s, 150, bytes_str(changed));
    T_EQ(session_due(&s), 100 + SESSION_RELIST_MS);
    session_tick(&s, 100 + SESSION_RELIST_MS);
    expect(LIST(3));
    hear(&s, changed);
    hear(&s, TOOLS(3, TOOL("a") "," TOOL("b")));
    expect("tools, there were 1\n");
    T_EQ(session_due(&s), 100 + SESSION_RELIST_MS);
    session_tick(&s, 100 + SESSION_RELIST_MS);
    expect(LIST(4));
    hear(&s, "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":1,\"message\":\"busy\"}}");
    expect("note: server \"s\" could not list its tools again: busy; the old list stays\n");
    T_EQ(s.tools.n, 2);
    close_session(&s);
}

int main(void)
{
    test_opening();
    test_bad_opening();
    test_pages();
    test_endless_pages();
    test_bad_listing();
    test_bad_tools();
    test_calls();
    test_spoiled_answers();
    test_garbage();
    test_requests();
    test_cancel_and_time();
    test_lost();
    test_lost_again();
    test_one_name_twice();
    test_send_fault();
    test_changes_while_listing();
    test_changes_later();
    buf_done(&told);
    return T_DONE("mcp-session");
}
