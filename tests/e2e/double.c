/* SPDX-License-Identifier: MIT
 *
 * A stand-in MCP server over stdio that does on command what real servers do on bad days.
 *
 *     double [WORD[=VALUE]]...     how it behaves as a whole, see the table below
 *
 * Its tools: echo (its arguments as text and as structuredContent), fail (isError), refuse (a
 * JSON-RPC error), die (exit 3, last words on stderr), kill (SIGKILL to itself), sleep (no answer),
 * hold (no answer until "release"), twice (answers twice), number (a result that is no object),
 * broken (a line that is no JSON, with the id), big {"bytes":N}, cancelled (how many cancels came),
 * asked (the answers to its own requests), grow (one tool more), env {"name":"X"}.
 *
 * It does not try to be good: no checks, one thread, blocking.
 */
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "rpc/message.h"
#include "json/json.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX = 1 << 30 };

static const char *find_word(const char *word);

static struct {
    char **words;
    struct buf out;
    struct buf answers; /* to our own requests */
    struct buf held;    /* ids of calls to "hold", a newline after each */
    unsigned cancels;
    unsigned extra; /* tools grown */
} self;

/* Its value, "" without one, NULL where the word was not given. */
static const char *find_word(const char *word)
{
    for (char **at = self.words; *at != NULL; at++) {
        size_t len = strlen(word);

        if (strncmp(*at, word, len) == 0 && ((*at)[len] == '\0' || (*at)[len] == '=')) {
            return (*at)[len] == '=' ? *at + len + 1 : "";
        }
    }
    return NULL;
}

static long number(const char *text)
{
    int64_t value = 0;

    return text == NULL || json_int(bytes_str(text), 0, MAX, &value) < 0 ? 0 : (long)value;
}

/* One message, with whatever the words put around it. */
static void say(void)
{
    if (find_word("garbage") != NULL) {
        fd_write_all(1, bytes_str("Server is \xffrunning...\n\n{\"half\":\n"));
    }
    buf_put_str(&self.out, find_word("crlf") != NULL ? "\r\n" : "\n");
    if (find_word("bytewise") != NULL) {
        for (size_t i = 0; i < self.out.len; i++) {
            fd_write_all(1, bytes_of(self.out.data + i, 1));
            usleep(200);
        }
    } else {
        fd_write_all(1, buf_bytes(&self.out));
    }
    buf_clear(&self.out);
}

static void say_text(const char *message)
{
    buf_put_str(&self.out, message);
    say();
}

static void say_result(struct bytes id, const char *result)
{
    rpc_put_result(&self.out, id, bytes_str(result));
    say();
}

static void put_tool(const char *name)
{
    json_put_comma(&self.out);
    buf_put_str(&self.out, "{\"name\":");
    json_put_cstr(&self.out, name);
    buf_put_str(&self.out, ",\"description\":\"Does \\u0022it\\u0022.\\nReally.\",\"inputSchema\":"
                           "{\"type\":\"object\",\"x\":1.0}}");
}

static void put_bad_tools(void)
{
    json_put_comma(&self.out);
    buf_put_str(&self.out,
                "7,{\"name\":\"\",\"inputSchema\":{}},{\"name\":\"noschema\"},"
                "{\"name\":\"array\",\"inputSchema\":{\"type\":\"array\"}},"
                "{\"name\":\"task\",\"inputSchema\":{\"type\":\"object\"},\"execution\":"
                "{\"taskSupport\":\"required\"}},{\"name\":\"echo\",\"inputSchema\":{}},"
                "{\"name\":\"a\\u0000b\",\"inputSchema\":{}},{\"name\":9,\"inputSchema\":{}}");
}

/* Tools that a client can list and no script can have: one nested too deep, or too much of them. */
static void put_vast_tools(void)
{
    for (long i = 0; i < number(find_word("deep")); i++) {
        json_put_comma(&self.out);
        buf_printf(&self.out, "{\"name\":\"deep%ld\",\"inputSchema\":{\"x\":", i);
        memset(buf_grow(&self.out, 600), '[', 600);
        memset(buf_grow(&self.out, 600), ']', 600);
        buf_put_str(&self.out, "}}");
    }
    for (long i = 0; i < number(find_word("fat")); i++) {
        json_put_comma(&self.out);
        buf_printf(&self.out, "{\"name\":\"fat%ld\",\"inputSchema\":{},\"description\":\"", i);
        memset(buf_grow(&self.out, 1 << 20), 'x', 1 << 20);
        buf_put_str(&self.out, "\"}");
    }
}

/* The tools from the cursor on: a page holds page=N of them; the second page's cursor is "". */
static void list(struct bytes id, struct bytes params)
{
    static const char *const names[] = {"echo",      "fail",  "refuse", "die", "kill",   "sleep",
                                        "hold",      "twice", "number", "big", "broken", "release",
                                        "cancelled", "asked", "grow",   "env"};
    struct bytes cursor = json_get(params, "cursor");
    size_t page = (size_t)number(find_word("page"));
    size_t all = ARRAY_SIZE(names) + self.extra + (size_t)number(find_word("tools"));
    int64_t begin = 0;
    size_t end;

    if (cursor.len > 2) {
        json_int(bytes_of(cursor.ptr + 1, cursor.len - 2), 0, MAX, &begin);
    } else if (cursor.len == 2) {
        begin = (int64_t)page;
    }
    end = page == 0 || (size_t)begin + page > all ? all : (size_t)begin + page;
    buf_put_str(&self.out, "{\"result\":{\"tools\":[");
    for (size_t i = (size_t)begin; i < end; i++) {
        char name[32];

        snprintf(name, sizeof name, "more%zu", i - ARRAY_SIZE(names));
        put_tool(i < ARRAY_SIZE(names) ? names[i] : name);
    }
    if (find_word("bad") != NULL && end == all) {
        put_bad_tools();
    }
    if (end == all) {
        put_vast_tools();
    }
    buf_put_str(&self.out, "]");
    if (end < all || find_word("endless") != NULL) {
        json_put_key(&self.out, "nextCursor");
        buf_printf(&self.out, begin == 0 ? "\"\"" : "\"%zu\"", end);
    }
    buf_put_str(&self.out, "},\"jsonrpc\":\"2.0\",\"id\":");
    buf_put_bytes(&self.out, id);
    buf_put_str(&self.out, "}");
    say();
}

static void open_session(struct bytes id)
{
    const char *version = find_word("version");

    usleep((useconds_t)number(find_word("slow")) * 1000);
    if (find_word("refuse") != NULL) {
        rpc_put_error(&self.out, id, -32000, "not today");
        say();
        return;
    }
    buf_put_str(&self.out, "{\"jsonrpc\":\"2.0\",\"id\":");
    buf_put_bytes(&self.out, id);
    buf_put_str(&self.out, ",\"result\":{\"protocolVersion\":");
    json_put_cstr(&self.out, version == NULL ? "2025-11-25" : version);
    buf_put_str(&self.out, find_word("toolless") != NULL ? ",\"capabilities\":{}"
                                                         : ",\"capabilities\":{\"tools\":{}}");
    buf_put_str(&self.out, ",\"serverInfo\":{\"name\":\"double\",\"version\":\"1\"}}}");
    say();
}

/* What it does when it hears notifications/initialized. */
static void begin(void)
{
    for (long i = 0; i < number(find_word("storm")); i++) {
        say_text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    }
    if (find_word("asks") != NULL) {
        say_text("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n"
                 "{\"jsonrpc\":\"2.0\",\"id\":\"r\\u0041\",\"method\":\"roots/list\"}\n"
                 "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\",\"params\":{}}");
    }
    if (find_word("ends") != NULL) {
        fputs("cannot go on\n\n", stderr);
        exit(5);
    }
}

static void call_big(struct bytes id, struct bytes args)
{
    int64_t bytes = 0;

    json_int(json_get(args, "bytes"), 0, MAX, &bytes);
    buf_put_str(&self.out, "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
    memset(buf_grow(&self.out, (size_t)bytes), 'x', (size_t)bytes);
    buf_put_str(&self.out, "\"}]},\"jsonrpc\":\"2.0\",\"id\":");
    buf_put_bytes(&self.out, id);
    buf_put_str(&self.out, "}");
    say();
}

static void call_echo(struct bytes id, struct bytes args)
{
    _cleanup_(buf_done) struct buf result = buf_max(MAX);

    buf_put_str(&result, "{\"content\":[{\"type\":\"text\",\"text\":");
    json_put_str(&result, args);
    buf_put_str(&result, "}],\"structuredContent\":");
    buf_put_bytes(&result, args);
    buf_put_str(&result, "}");
    say_result(id, buf_str(&result));
}

static void release(struct bytes id)
{
    char *rest = (char *)(uintptr_t)buf_str(&self.held);
    char *held;

    say_result(id, "{\"content\":[]}");
    /* The last that came is answered first. */
    while ((held = strrchr(rest, ' ')) != NULL) {
        say_result(bytes_str(held + 1), "{\"content\":[]}");
        *held = '\0';
    }
    buf_clear(&self.held);
}

static void call_env(struct bytes id, struct bytes args)
{
    _cleanup_(buf_done) struct buf name = buf_max(1000);
    _cleanup_(buf_done) struct buf result = buf_max(MAX);
    const char *value;

    json_text(json_get(args, "name"), &name);
    value = getenv(buf_str(&name));
    buf_put_str(&result, "{\"content\":[],\"value\":");
    json_put_cstr(&result, value == NULL ? "(not set)" : value);
    buf_put_str(&result, "}");
    say_result(id, buf_str(&result));
}

static void say_count(struct bytes id, unsigned count)
{
    _cleanup_(buf_done) struct buf result = buf_max(1000);

    buf_printf(&result, "{\"content\":[],\"count\":%u}", count);
    say_result(id, buf_str(&result));
}

static void die(struct bytes id)
{
    (void)id;
    fputs("first line\nout of \x1b[31mluck\n", stderr);
    exit(3);
}

/* The tools that need no arguments. Returns whether name was one of them. */
static bool call_plain(struct bytes id, struct bytes name)
{
    if (json_is(name, "fail")) {
        say_result(id, "{\"content\":[{\"type\":\"text\",\"text\":\"no luck\"}],\"isError\":true}");
    } else if (json_is(name, "refuse")) {
        rpc_put_error(&self.out, id, -32602, "bad \"arguments\"");
        say();
    } else if (json_is(name, "die")) {
        die(id);
    } else if (json_is(name, "kill")) {
        raise(SIGKILL);
    } else if (json_is(name, "hold")) {
        buf_put_u8(&self.held, ' ');
        buf_put_bytes(&self.held, id);
    } else if (json_is(name, "release")) {
        release(id);
    } else if (json_is(name, "twice")) {
        say_result(id, "{\"content\":[]}");
        say_result(id, "{\"content\":[],\"second\":true}");
    } else if (json_is(name, "number")) {
        say_result(id, "7");
    } else if (json_is(name, "cancelled")) {
        say_count(id, self.cancels);
    } else if (json_is(name, "grow")) {
        self.extra++;
        say_text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
        say_result(id, "{\"content\":[]}");
    } else {
        return json_is(name, "sleep");
    }
    return true;
}

static void call(struct bytes id, struct bytes params)
{
    struct bytes name = json_get(params, "name");
    struct bytes args = json_get(params, "arguments");

    if (call_plain(id, name)) {
        return;
    }
    if (json_is(name, "echo")) {
        call_echo(id, args);
    } else if (json_is(name, "big")) {
        call_big(id, args);
    } else if (json_is(name, "env")) {
        call_env(id, args);
    } else if (json_is(name, "broken")) {
        buf_put_str(&self.out, "{\"jsonrpc\":\"2.0\",\"id\":");
        buf_put_bytes(&self.out, id);
        buf_put_str(&self.out, ",\"result\":{\"content\":[NaN]}}");
        say();
    } else if (json_is(name, "asked")) {
        _cleanup_(buf_done) struct buf result = buf_max(MAX);

        buf_printf(&result, "{\"content\":[],\"answers\":[%s]}", buf_str(&self.answers));
        say_result(id, buf_str(&result));
    } else {
        rpc_put_error(&self.out, id, -32602, "Unknown tool");
        say();
    }
}

static void hear(struct bytes line)
{
    struct rpc_message m;
    const char *why;

    if (rpc_parse(line, &m, &why) != 0) {
        fprintf(stderr, "double: got what is no message: %s\n", why);
        exit(9);
    }
    if (m.kind == RPC_RESULT || m.kind == RPC_ERROR) {
        if (self.answers.len > 0) {
            buf_put_u8(&self.answers, ',');
        }
        buf_put_bytes(&self.answers, line);
    } else if (find_word("silent") != NULL) {
        return;
    } else if (json_is(m.method, "initialize")) {
        open_session(m.id);
    } else if (json_is(m.method, "notifications/initialized")) {
        begin();
    } else if (json_is(m.method, "notifications/cancelled")) {
        self.cancels++;
    } else if (json_is(m.method, "tools/list")) {
        list(m.id, m.params);
    } else if (json_is(m.method, "tools/call")) {
        call(m.id, m.params);
    }
}

/* Before the first message. */
static void start(void)
{
    const char *file = find_word("child");

    if (find_word("exit") != NULL) {
        fputs("no such database\n", stderr);
        exit(4);
    }
    if (find_word("flood") != NULL) {
        for (int i = 0; i < 100000; i++) {
            fputs("a line of noise, as some servers like to make\n", stderr);
        }
    }
    if (find_word("stubborn") != NULL) {
        sigaction(SIGTERM, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    }
    if (file != NULL && fork() == 0) {
        FILE *to = fopen(file, "w");

        if (to != NULL) {
            fprintf(to, "%d\n", getpid());
            fclose(to);
        }
        sigaction(SIGTERM, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
        sleep(60);
        exit(0);
    }
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;

    (void)argc;
    self.words = argv + 1;
    self.out = buf_max(MAX);
    self.answers = buf_max(MAX);
    self.held = buf_max(MAX);
    start();
    if (find_word("deaf") != NULL) {
        sleep(60);
    }
    while ((len = getline(&line, &cap, stdin)) > 0) {
        hear(bytes_of(line, (size_t)len));
    }
    while (find_word("stubborn") != NULL) {
        sleep(60);
    }
    mem_free(line);
    buf_done(&self.out);
    buf_done(&self.answers);
    buf_done(&self.held);
    return 0;
}
