/* SPDX-License-Identifier: MIT
 *
 * An MCP server that says anything: framing, messages, the session with its tools and calls.
 *
 * The first byte chooses the size of the pieces. Whatever comes: what we send is one legal
 * message a line, each call ends once, and nothing is left.
 */
#include "base/mem.h"
#include "mcp/catalogue.h"
#include "mcp/session.h"
#include "rpc/lines.h"
#include "rpc/message.h"

#include <assert.h>
#include <stdlib.h>

enum { CALLS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct trial {
    struct session session;
    struct mcp_call *calls[CALLS];
    unsigned ends[CALLS];
    bool has_failed;
};

struct slot {
    struct trial *trial;
    unsigned number;
};

static int on_send(void *arg, struct bytes line)
{
    struct rpc_message m;
    const char *why;

    (void)arg;
    assert(memchr(line.ptr, '\n', line.len) == NULL);
    assert(rpc_parse(line, &m, &why) == 0);
    return 0;
}

static void on_ready(void *arg)
{
    struct trial *t = arg;

    assert(t->session.is_listed && !t->has_failed);
}

static void on_failed(void *arg, const char *sentence)
{
    struct trial *t = arg;

    assert(sentence[0] != '\0');
    t->has_failed = true;
}

static void on_tools(void *arg, struct toolset *old)
{
    (void)arg;
    (void)old;
}

static void on_note(void *arg, const char *sentence)
{
    (void)arg;
    for (const char *at = sentence; *at != '\0'; at++) {
        assert((unsigned char)*at >= 0x20);
    }
}

static void on_end(void *arg, const struct mcp_end *end)
{
    struct slot *slot = arg;

    slot->trial->ends[slot->number]++;
    assert(slot->trial->ends[slot->number] == 1);
    assert(end->kind == MCP_END_RESULT ? json_kind(end->result) == JSON_OBJECT
                                       : end->sentence[0] != '\0');
}

static void try_catalogue(const struct toolset *tools)
{
    struct catalogue c = {0};

    assert(catalogue_add(&c, tools) == 0);
    catalogue_sort(&c, on_note, NULL);
    assert(c.n == tools->n);
    for (size_t i = 0; i < c.n; i++) {
        assert(catalogue_find(&c, bytes_str(c.list[i]->name)) == c.list[i]);
        assert(json_check(c.list[i]->input_schema, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL) == 0);
    }
    catalogue_done(&c);
}

static void feed(struct trial *t, struct lines *l, struct bytes chunk, int64_t now_ms)
{
    struct bytes line;
    enum lines_event event;

    assert(lines_feed(l, chunk) == 0);
    while ((event = lines_next(l, &line)) != LINES_NONE && !t->has_failed) {
        if (event == LINES_LINE) {
            session_line(&t->session, now_ms, line);
        } else {
            session_overlong(&t->session, now_ms, line);
        }
        session_due(&t->session);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct session_events events = {on_send, on_ready, on_failed, on_tools, on_note};
    struct trial t = {.session = {.name = "s",
                                  .events = &events,
                                  .arg = &t,
                                  .client_name = "c",
                                  .client_version = "1",
                                  .start_ms = 1000,
                                  .call_ms = 1000,
                                  .may_relist = true}};
    struct slot slots[CALLS];
    struct lines l;
    struct bytes rest = bytes_from(bytes_of(data, size), 1);
    size_t piece = size == 0 || data[0] == 0 ? 4096 : data[0];
    int64_t now_ms = 0;

    lines_init(&l, 4096);
    session_init(&t.session);
    session_start(&t.session, 0);
    for (unsigned i = 0; i < CALLS; i++) {
        slots[i] = (struct slot){&t, i};
        assert(session_call(&t.session, 0, "t", bytes_str("{\"a\":\n\"\\ud800\"}"), on_end,
                            &slots[i], &t.calls[i]) == 0);
    }
    while (rest.len > 0 && !t.has_failed) {
        feed(&t, &l, bytes_first(rest, piece), now_ms);
        rest = bytes_from(rest, piece);
        now_ms += 10;
        session_tick(&t.session, now_ms);
    }
    try_catalogue(&t.session.tools);
    if (t.ends[0] == 0) {
        session_cancel(t.calls[0]);
    }
    session_lose(&t.session, "over", true);
    for (unsigned i = 1; i < CALLS; i++) {
        assert(t.ends[i] == 1);
    }
    session_done(&t.session);
    lines_done(&l);
    return 0;
}
