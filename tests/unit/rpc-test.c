/* SPDX-License-Identifier: MIT
 *
 * rpc: messages, framing in pieces of every size, children that behave and that do not.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "rpc/child.h"
#include "rpc/command.h"
#include "rpc/lines.h"
#include "rpc/message.h"
#include "tests/unit/t.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int parse(const char *text, struct rpc_message *ret)
{
    const char *why;

    return rpc_parse(bytes_str(text), ret, &why);
}

static void test_parse(void)
{
    struct rpc_message m;

    T_EQ(parse("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}", &m), 0);
    T_EQ(m.kind, RPC_REQUEST);
    T_OK(bytes_is(m.id, "0") && json_is(m.method, "ping") && m.params.len == 0);
    T_EQ(parse("{\"method\":\"a\",\"params\":{\"x\":[1.0]},\"id\":\"\\u0031\",\"jsonrpc\":\"2.0\"}",
               &m),
         0);
    T_OK(bytes_is(m.id, "\"\\u0031\"") && bytes_is(m.params, "{\"x\":[1.0]}"));
    T_EQ(parse("{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[]}", &m), 0);
    T_EQ(m.kind, RPC_NOTIFICATION);
    T_EQ(parse(" {\"jsonrpc\":\"2.0\",\"id\":-5,\"result\":null,\"other\":1}\t", &m), 0);
    T_EQ(m.kind, RPC_RESULT);
    T_OK(bytes_is(m.result, "null") && bytes_is(m.id, "-5"));
    T_EQ(parse(
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":"
             "{}}}",
             &m),
         0);
    T_EQ(m.kind, RPC_ERROR);
    T_EQ(m.code, -32601);
    T_OK(json_is(m.message, "no") && bytes_is(m.data, "{}"));
    T_EQ(parse("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}", &m), 0);
    T_OK(m.kind == RPC_ERROR && m.id.len == 0);
}

static void test_refusals(void)
{
    static const char *const bad[] = {
        "7",
        "[]",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}]",
        "{}",
        "{\"id\":1,\"method\":\"a\"}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"a\"}",
        "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"a\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"result\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"result\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{\"code\":1,\"message\":\"\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1.5,\"message\":\"\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}",
        "{\"jsonrpc\":\"2.0\",\"id\":[],\"error\":{\"code\":1,\"message\":\"\"}}",
    };
    struct rpc_message m;

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        int result = parse(bad[i], &m);

        if (result != RPC_E_MESSAGE) {
            fprintf(stderr, "not refused: %s\n", bad[i]);
        }
        T_EQ(result, RPC_E_MESSAGE);
    }
    T_EQ(parse("{\"jsonrpc\":\"2.0\",\"id\":12,\"error\":{\"code\":\"x\"}}", &m), RPC_E_MESSAGE);
    T_OK(bytes_is(m.id, "12"));
    T_EQ(parse("{\"jsonrpc\":\"2.0\"", &m), RPC_E_JSON);
    T_EQ(parse("hello", &m), RPC_E_JSON);
    T_EQ(parse("", &m), RPC_E_JSON);
}

static const char *put_value(const char *text)
{
    static struct buf out = {.max = 1000};

    buf_clear(&out);
    rpc_put_value(&out, bytes_str(text));
    return buf_str(&out);
}

static void test_put(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(1000);

    T_STR(put_value("{\n\"a\":\r\n[1.0,\"\\n\"]}"), "{ \"a\":  [1.0,\"\\n\"]}");
    T_STR(put_value("\"\\ud83d\\ude00\""), "\"\\ud83d\\ude00\"");
    T_STR(put_value("\"\\uD83D\""), "\"\\ufffd\"");
    T_STR(put_value("\"\\ude00\\ud83d\""), "\"\\ufffd\\ufffd\"");
    T_STR(put_value("\"\\ud83d\\ud83d\\ude00x\""), "\"\\ufffd\\ud83d\\ude00x\"");
    T_STR(put_value("\"\\\\ud83d \\\\\\ud83d\""), "\"\\\\ud83d \\\\\\ufffd\"");
    T_STR(put_value("\"\\u00e9\""), "\"\\u00e9\"");
    rpc_put_request(&out, 7, "tools/list");
    buf_put_str(&out, "{}");
    rpc_put_end(&out);
    T_STR(buf_str(&out), "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{}}");
    buf_clear(&out);
    rpc_put_notification(&out, "n");
    buf_put_str(&out, "{}");
    rpc_put_end(&out);
    T_STR(buf_str(&out), "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}");
    buf_clear(&out);
    rpc_put_result(&out, bytes_str("\"1\""), bytes_str("{}"));
    T_STR(buf_str(&out), "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}");
    buf_clear(&out);
    rpc_put_error(&out, bytes_none(), -32700, "no \"JSON\"");
    T_STR(buf_str(&out), "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":"
                         "\"no \\\"JSON\\\"\"}}");
}

static int64_t guess(const char *ends)
{
    int64_t id = 0;

    return rpc_guess_id(bytes_str(ends), &id) < 0 ? -1 : id;
}

static void test_guess(void)
{
    T_EQ(guess("{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{\"a"), 12);
    T_EQ(guess("{\"id\":13,\"jsonrpc\":\"2.0\",\"result\":{\"a"), 13);
    T_EQ(guess("{\"result\":{\"id\":5,\"x\":1}},\"jsonrpc\":\"2.0\",\"id\":14}"), 14);
    T_EQ(guess("{\"result\":{\"x\":\"\"},\"id\":15,\"jsonrpc\":\"2.0\"}"), 15);
    T_EQ(guess("{\"result\":{\"id\":5}}"), -1);
    T_EQ(guess("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\""), -1);
    T_EQ(guess("{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"re"), -1);
    T_EQ(guess("{\"id\":"), -1);
    T_EQ(guess(",\"id\":"), -1);
    T_EQ(guess(","), -1);
    T_EQ(guess(""), -1);
}

/* Feeds text in pieces of the size and joins what comes out, "|" after lines, "!" after ends. */
static void frame(const char *text, size_t size, size_t max_bytes, struct buf *ret)
{
    struct lines l;
    struct bytes rest = bytes_str(text);

    lines_init(&l, max_bytes);
    while (rest.len > 0) {
        struct bytes line = bytes_none();
        enum lines_event event;

        T_EQ(lines_feed(&l, bytes_first(rest, size)), 0);
        rest = bytes_from(rest, size);
        while ((event = lines_next(&l, &line)) != LINES_NONE) {
            buf_put_bytes(ret, line);
            buf_put_str(ret, event == LINES_LINE ? "|" : "!");
        }
    }
    lines_done(&l);
}

static void test_lines(void)
{
    static const size_t sizes[] = {1, 2, 3, 5, 137, 4096};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        _cleanup_(buf_done) struct buf out = buf_max(10000);

        frame("one\ntwo\r\n\n \t\n\r\nthree\n\nfour\nrest", sizes[i], 4096, &out);
        T_STR(buf_str(&out), "one|two|three|four|");
    }
}

static void test_overlong(void)
{
    static const size_t sizes[] = {1, 137, 2048, 4096, 100000};
    _cleanup_(buf_done) struct buf text = buf_max(100000);
    _cleanup_(buf_done) struct buf want = buf_max(100000);

    buf_put_str(&text, "a\n");
    buf_put_str(&want, "a|");
    for (int i = 0; i < 20000; i++) {
        buf_put_u8(&text, (uint8_t)('a' + i % 26));
    }
    buf_put(&want, text.data + 2, LINES_END_BYTES);
    buf_put(&want, text.data + text.len - LINES_END_BYTES, LINES_END_BYTES);
    buf_put_str(&text, "\nb\n");
    buf_put_str(&want, "!b|");
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        _cleanup_(buf_done) struct buf out = buf_max(10000);

        frame(buf_str(&text), sizes[i], 4096, &out);
        T_STR(buf_str(&out), buf_str(&want));
    }
}

/* One child and what it told. */
struct watch {
    struct rpc_child *child;
    struct buf lines;
    struct buf death;
    size_t overlong_bytes;
    size_t stop_after_bytes; /* of lines; 0: never */
    bool is_gone;
};

static void on_line(void *arg, struct bytes line)
{
    struct watch *w = arg;

    buf_put_bytes(&w->lines, line);
    buf_put_str(&w->lines, "|");
    if (w->stop_after_bytes > 0 && w->lines.len >= w->stop_after_bytes) {
        rpc_child_stop(w->child);
    }
}

static void on_overlong(void *arg, struct bytes ends)
{
    struct watch *w = arg;

    w->overlong_bytes = ends.len;
}

static void on_death(void *arg, const char *sentence)
{
    struct watch *w = arg;

    buf_put_str(&w->death, sentence);
}

static void on_gone(void *arg)
{
    struct watch *w = arg;

    T_OK(!w->is_gone);
    w->is_gone = true;
}

static const struct rpc_child_events events = {on_line, on_overlong, on_death, on_gone};

static int start(struct watch *w, uv_loop_t *loop, char *const *argv, char *const *keeper,
                 struct buf *why)
{
    static char *env[] = {"GREETING=hello", "TERM=dumb", NULL};
    struct rpc_child_options options = {
        .loop = loop,
        .keeper = keeper,
        .argv = argv,
        .shown = argv[0],
        .env = env,
        .max_line_bytes = 1 << 20,
        .events = &events,
        .arg = w,
    };

    *w = (struct watch){.lines = buf_max(1 << 20), .death = buf_max(4096)};
    return rpc_child_start(&options, &w->child, why);
}

static void done(struct watch *w)
{
    T_OK(w->is_gone);
    buf_done(&w->lines);
    buf_done(&w->death);
}

/* Runs a shell command as a child to its end. */
static void run_shell(uv_loop_t *loop, struct watch *w, const char *script)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
    _cleanup_(buf_done) struct buf why = buf_max(1000);

    T_EQ(start(w, loop, argv, NULL, &why), 0);
    uv_run(loop, UV_RUN_DEFAULT);
}

static void test_child_talks(uv_loop_t *loop)
{
    char *argv[] = {"cat", NULL};
    _cleanup_(buf_done) struct buf why = buf_max(1000);
    struct watch w;

    T_EQ(start(&w, loop, argv, NULL, &why), 0);
    T_EQ(rpc_child_send(w.child, bytes_str("one")), 0);
    T_EQ(rpc_child_send(w.child, bytes_str("two")), 0);
    w.stop_after_bytes = 8;
    uv_run(loop, UV_RUN_DEFAULT);
    T_STR(buf_str(&w.lines), "one|two|");
    T_STR(buf_str(&w.death), "");
    done(&w);
}

static void test_child_ends(uv_loop_t *loop)
{
    struct watch w;

    run_shell(loop, &w, "echo out; echo first >&2; printf 'last \\033[1m words\\n\\n' >&2; exit 3");
    T_STR(buf_str(&w.lines), "out|");
    T_STR(buf_str(&w.death), "ended with status 3; its stderr says: last  [1m words");
    done(&w);
    run_shell(loop, &w,
              "printf 'Error: no such file\n    at a\n    at b\n\nNode.js v20\n' >&2; exit 1");
    T_STR(buf_str(&w.death), "ended with status 1; its stderr says: Error: no such file");
    done(&w);
    run_shell(loop, &w, "kill -9 $$");
    T_STR(buf_str(&w.death), "was ended by signal 9 (Killed)");
    done(&w);
    run_shell(loop, &w, "exec >&-; sleep 20");
    T_STR(buf_str(&w.death), "closed its end of the connection");
    done(&w);
}

static void test_child_environment(uv_loop_t *loop)
{
    struct watch w;

    setenv("TORNO_SECRET", "x", 1);
    run_shell(loop, &w,
              "env | cut -d= -f1 | grep -v -e '^_' -e PWD -e SHLVL | sort | tr '\\n' ' '; "
              "echo; echo $GREETING $TERM");
    T_OK(strstr(buf_str(&w.lines), "GREETING HOME PATH") != NULL ||
         strstr(buf_str(&w.lines), "GREETING HOME LOGNAME PATH") != NULL);
    T_OK(strstr(buf_str(&w.lines), "TORNO") == NULL);
    T_OK(strstr(buf_str(&w.lines), "|hello dumb|") != NULL);
    done(&w);
}

/* What is configured stands in the list once, in the place of ours. */
static void test_environment_list(void)
{
    char *extra[] = {"TERM=dumb", NULL};
    _cleanup_(free_p) char **env = NULL;
    unsigned terms = 0;

    setenv("TERM", "xterm", 1);
    env = rpc_command_env(extra);
    for (char **at = env; *at != NULL; at++) {
        terms += strncmp(*at, "TERM=", 5) == 0;
        T_OK(strcmp(*at, "TERM=xterm") != 0);
    }
    T_EQ(terms, 1);
}

static void test_child_cannot_start(uv_loop_t *loop)
{
    char *missing[] = {"no-such-program", NULL};
    char *path[] = {"/no/such/program", NULL};
    char *folder[] = {"/tmp", NULL};
    char *text[] = {"/etc/passwd", NULL};
    _cleanup_(buf_done) struct buf why = buf_max(1000);
    struct watch w;

    T_ERR(start(&w, loop, missing, NULL, &why), ENOENT);
    T_STR(buf_str(&why), "cannot be started: its command no-such-program is not found in PATH");
    buf_clear(&why);
    T_ERR(start(&w, loop, path, NULL, &why), ENOENT);
    T_STR(buf_str(&why), "cannot be started: its command /no/such/program does not exist");
    T_ERR(start(&w, loop, folder, NULL, &why), EACCES);
    T_ERR(start(&w, loop, text, NULL, &why), EACCES);
    T_EQ(uv_run(loop, UV_RUN_NOWAIT), 0);
}

static void test_child_overlong(uv_loop_t *loop)
{
    struct watch w;

    run_shell(loop, &w, "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo after");
    T_EQ(w.overlong_bytes, 2 * LINES_END_BYTES);
    T_STR(buf_str(&w.lines), "after|");
    done(&w);
}

/* A child that does not read: the queue is bounded, and our program gets no SIGPIPE. */
static void test_child_reads_nothing(uv_loop_t *loop)
{
    char *argv[] = {"sh", "-c", "echo ready; exec sleep 20 <&-", NULL};
    _cleanup_(free_p) char *megabyte = mem_array(1, 1 << 20);
    _cleanup_(buf_done) struct buf why = buf_max(1000);
    struct watch w;
    unsigned sent = 0;

    T_EQ(start(&w, loop, argv, NULL, &why), 0);
    memset(megabyte, 'x', 1 << 20);
    while (rpc_child_send(w.child, bytes_of(megabyte, 1 << 20)) == 0) {
        sent++;
    }
    T_EQ(sent, 63);
    T_ERR(rpc_child_send(w.child, bytes_of(megabyte, 1 << 20)), ENOBUFS);
    uv_run(loop, UV_RUN_DEFAULT);
    T_STR(buf_str(&w.death), "closed its end of the connection");
    done(&w);
}

/* Whether the process whose number a file holds runs still; a zombie does not. */
static bool is_alive(const char *file)
{
    _cleanup_(buf_done) struct buf path = buf_max(100);
    _cleanup_(free_p) char *number = NULL;
    _cleanup_(free_p) char *state = NULL;
    size_t len = 0;

    T_EQ(fd_read_file(file, 100, &number, &len), 0);
    T_OK(len > 1);
    buf_put_str(&path, "/proc/");
    buf_put(&path, number, len > 0 ? len - 1 : 0);
    buf_put_str(&path, "/stat");
    return fd_read_file(buf_str(&path), 4096, &state, &len) == 0 && strstr(state, ") Z ") == NULL;
}

/* It ignores SIGTERM and has a child of its own; both are gone within the steps of a stop. */
static void test_child_stubborn(uv_loop_t *loop)
{
    char file[] = "/tmp/rpc-test-XXXXXX";
    int fd = mkstemp(file);
    char script[300];
    char *argv[] = {"sh", "-c", script, NULL};
    _cleanup_(buf_done) struct buf why = buf_max(1000);
    int64_t begin_ms = clock_now_ms();
    struct watch w;

    snprintf(script, sizeof script,
             "trap '' TERM; sleep 60 & echo $! >%s; echo ready; while :; do sleep 1; done", file);
    T_OK(fd >= 0);
    T_EQ(start(&w, loop, argv, NULL, &why), 0);
    w.stop_after_bytes = 1;
    uv_run(loop, UV_RUN_DEFAULT);
    T_OK(clock_now_ms() - begin_ms >= 3900 && clock_now_ms() - begin_ms < 6000);
    usleep(100000); /* the grandchild is reaped by somebody else */
    T_OK(!is_alive(file));
    T_STR(buf_str(&w.death), "");
    close(fd);
    unlink(file);
    done(&w);
}

/* A leader that ends takes what it started with it. */
static void test_child_leaves_children(uv_loop_t *loop)
{
    char file[] = "/tmp/rpc-test-XXXXXX";
    int fd = mkstemp(file);
    char script[300];
    struct watch w;

    snprintf(script, sizeof script, "sleep 60 & echo $! >%s; exit 7", file);
    run_shell(loop, &w, script);
    T_STR(buf_str(&w.death), "ended with status 7");
    usleep(100000);
    T_OK(!is_alive(file));
    close(fd);
    unlink(file);
    done(&w);
}

static void test_keeper(uv_loop_t *loop)
{
    char *keeper[] = {"env", "KEPT=yes", NULL};
    char *argv[] = {"sh", "-c", "echo $KEPT; exit 137", NULL};
    _cleanup_(buf_done) struct buf why = buf_max(1000);
    struct watch w;

    T_EQ(start(&w, loop, argv, keeper, &why), 0);
    uv_run(loop, UV_RUN_DEFAULT);
    T_STR(buf_str(&w.lines), "yes|");
    T_STR(buf_str(&w.death), "was ended by signal 9 (Killed)");
    done(&w);
}

static void test_clean(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(1000);

    rpc_put_clean(&out, bytes_str("a\x1b[1m\tb\x7f\xff\xc2\x9b\xc3\xa9"), 100);
    T_STR(buf_str(&out), "a [1m b ? \xc3\xa9");
    buf_clear(&out);
    rpc_put_clean(&out, bytes_str("abc\xc3\xa9"), 4);
    T_STR(buf_str(&out), "abc...");
}

int main(void)
{
    uv_loop_t *loop = uv_default_loop();

    test_parse();
    test_refusals();
    test_put();
    test_guess();
    test_lines();
    test_overlong();
    test_clean();
    test_child_talks(loop);
    test_child_ends(loop);
    test_child_environment(loop);
    test_environment_list();
    test_child_cannot_start(loop);
    test_child_overlong(loop);
    test_child_reads_nothing(loop);
    test_child_leaves_children(loop);
    test_keeper(loop);
    test_child_stubborn(loop);
    T_EQ(uv_loop_close(loop), 0);
    return T_DONE("rpc");
}
