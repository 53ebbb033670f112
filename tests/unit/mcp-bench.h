/* SPDX-License-Identifier: MIT
 *
 * For the tests of mcp with real processes: an mcp over doubles (tests/e2e/double.c), and calls
 * whose ends are kept.
 */
#ifndef TESTS_UNIT_MCP_BENCH_H
#define TESTS_UNIT_MCP_BENCH_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "mcp/mcp.h"
#include "tests/unit/t.h"

#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

static char double_path[4096];
static uv_loop_t loop;

/* One mcp and what it told. */
struct bench {
    struct mcp *m;
    struct buf notes;
    bool is_connected;
    bool is_closed;
    unsigned changes;
};

/* One call and how it ended. */
struct answer {
    struct mcp_call *call;
    unsigned ends;
    enum mcp_end_kind kind;
    bool is_error;
    bool may_have_run;
    int64_t code;
    unsigned order; /* 1: it ended first */
    char result[400];
    size_t result_bytes;
    char message[400];
    char sentence[600];
};

static unsigned ended;

static inline void on_note(void *arg, const char *sentence)
{
    struct bench *b = arg;

    buf_printf(&b->notes, "%s\n", sentence);
}

static inline void on_tools(void *arg)
{
    struct bench *b = arg;

    b->changes++;
}

static inline void on_connected(void *arg)
{
    struct bench *b = arg;

    T_OK(!b->is_connected);
    b->is_connected = true;
}

static inline void on_closed(void *arg)
{
    struct bench *b = arg;

    T_OK(!b->is_closed);
    b->is_closed = true;
}

static inline void on_end(void *arg, const struct mcp_end *end)
{
    struct answer *a = arg;

    a->ends++;
    ended++;
    a->order = ended;
    a->kind = end->kind;
    a->is_error = end->is_error;
    a->may_have_run = end->may_have_run;
    a->code = end->code;
    a->result_bytes = end->result.len;
    snprintf(a->result, sizeof a->result, "%.*s", (int)end->result.len,
             (const char *)end->result.ptr);
    snprintf(a->message, sizeof a->message, "%.*s", (int)end->message.len,
             (const char *)end->message.ptr);
    snprintf(a->sentence, sizeof a->sentence, "%s", end->sentence);
}

/* Runs the loop until the flag is set, 20 s at most. */
static inline void run_until(const bool *flag)
{
    int64_t end_ms = clock_now_ms() + 20000;

    while (!*flag && clock_now_ms() < end_ms && uv_run(&loop, UV_RUN_ONCE) != 0) {
    }
    T_OK(*flag);
}

/* Runs the loop until the call has ended. */
static inline void wait_for(const struct answer *a)
{
    int64_t end_ms = clock_now_ms() + 20000;

    while (a->ends == 0 && clock_now_ms() < end_ms && uv_run(&loop, UV_RUN_ONCE) != 0) {
    }
    T_EQ(a->ends, 1);
}

static inline void on_pause(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static inline void run_for(unsigned ms)
{
    uv_timer_t timer;
    bool is_over = false;

    uv_timer_init(&loop, &timer);
    timer.data = &is_over;
    uv_timer_start(&timer, on_pause, ms, 0);
    run_until(&is_over);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
}

/* Loads the JSON with %s for the double, and connects. */
static inline void open_bench(struct bench *b, const char *servers, const struct mcp_options *extra)
{
    char path[] = "/tmp/mcp-test-XXXXXX";
    int fd = mkstemp(path);
    _cleanup_(buf_done) struct buf text = buf_max(100000);
    struct mcp_options options = {.loop = &loop,
                                  .client_name = "test",
                                  .client_version = "1",
                                  .start_ms = extra == NULL ? 0 : extra->start_ms,
                                  .call_ms = extra == NULL ? 0 : extra->call_ms,
                                  .max_line_bytes = extra == NULL ? 0 : extra->max_line_bytes,
                                  .on_tools = extra == NULL ? NULL : extra->on_tools,
                                  .on_note = on_note,
                                  .arg = b};

    *b = (struct bench){.notes = buf_max(100000)};
    buf_put_str(&text, "{\"mcpServers\":{");
    for (const char *at = servers; *at != '\0'; at++) {
        if (*at == '@') {
            buf_put_str(&text, double_path);
        } else {
            buf_put_u8(&text, (uint8_t)*at);
        }
    }
    buf_put_str(&text, "}}");
    T_EQ(fd_write_all(fd, buf_bytes(&text)), 0);
    T_EQ(mcp_new(&options, &b->m), 0);
    T_EQ(mcp_load(b->m, path), 0);
    T_STR(mcp_error(b->m), "");
    T_EQ(mcp_connect(b->m, on_connected, b), 0);
    T_OK(!b->is_connected);
    run_until(&b->is_connected);
    close(fd);
    unlink(path);
}

static inline void close_bench(struct bench *b)
{
    mcp_close(b->m, on_closed, b);
    run_until(&b->is_closed);
    T_EQ(uv_run(&loop, UV_RUN_NOWAIT), 0);
    mcp_free(b->m);
    buf_done(&b->notes);
}

/* With one server "d" and words (a JSON list's content). */
static inline void open_double(struct bench *b, const char *words, const struct mcp_options *extra)
{
    char servers[1000];

    snprintf(servers, sizeof servers, "\"d\":{\"command\":\"@\",\"args\":[%s]}", words);
    open_bench(b, servers, extra);
}

static inline void begin(struct bench *b, const char *tool, const char *args, struct answer *ret)
{
    *ret = (struct answer){0};
    T_EQ(mcp_call(b->m, bytes_str(tool), bytes_str(args), on_end, ret, &ret->call), 0);
    T_EQ(ret->ends, 0);
}

static inline void ask(struct bench *b, const char *tool, const char *args, struct answer *ret)
{
    begin(b, tool, args, ret);
    wait_for(ret);
}

/* Finds the double: TORNO_DOUBLE, or e2e/double beside this program. */
static inline void init_bench(char *program)
{
    const char *given = getenv("TORNO_DOUBLE");

    snprintf(double_path, sizeof double_path, "%s/e2e/double", dirname(program));
    if (given != NULL) {
        snprintf(double_path, sizeof double_path, "%s", given);
    }
    setenv("TORNO_SECRET", "x", 1);
    T_EQ(uv_loop_init(&loop), 0);
}

#endif
