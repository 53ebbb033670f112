/* SPDX-License-Identifier: MIT
 *
 * The host's pure parts: toolsets, the gate, the record, the judgement on an ending; and what
 * host_new refuses. Runs against a lying cell are tests/hostile, runs in a real one tests/cases.
 */
#include "host/host.h"

#include "base/mem.h"
#include "host/ending.h"
#include "host/gate.h"
#include "host/record.h"
#include "host/toolset.h"
#include "unit/t.h"
#include "json/json.h"

#include <errno.h>
#include <signal.h>

static struct buf sentence;

static void says(const char *part)
{
    T_OK(strstr(buf_str(&sentence), part) != NULL);
    if (strstr(buf_str(&sentence), part) == NULL) {
        fprintf(stderr, "  \"%s\" is not in: %s\n", part, buf_str(&sentence));
    }
    buf_clear(&sentence);
}

static struct tool tool(const char *name, const char *schema)
{
    return (struct tool){.name = bytes_str(name),
                         .description = bytes_str("What it \"does\"."),
                         .input_schema = bytes_str(schema),
                         .output_schema = bytes_none()};
}

/* ---- toolsets ---- */

static void test_toolset(void)
{
    struct tool tools[3] = {tool("b", "{\"type\":\"object\"}"), tool("a.x", ""), tool("c", "")};
    struct toolset *set = NULL;

    tools[2].output_schema = bytes_str("{\"k\":1}");
    T_EQ(toolset_new(tools, 3, &set, &sentence), 0);
    T_STR(buf_str(&set->names), "[\"b\",\"a.x\",\"c\"]");
    T_STR(buf_str(&set->catalogue),
          "[{\"name\":\"b\",\"description\":\"What it \\\"does\\\".\","
          "\"inputSchema\":{\"type\":\"object\"}},"
          "{\"name\":\"a.x\",\"description\":\"What it \\\"does\\\".\","
          "\"inputSchema\":{\"type\":\"object\"}},"
          "{\"name\":\"c\",\"description\":\"What it \\\"does\\\".\","
          "\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{\"k\":1}}]");
    T_OK(bytes_is(set->tools[toolset_find(set, bytes_str("a.x"))].name, "a.x"));
    T_OK(bytes_is(set->tools[toolset_find(set, bytes_str("c"))].name, "c"));
    T_EQ(toolset_find(set, bytes_str("a")), -1);
    T_EQ(toolset_find(set, bytes_none()), -1);
    T_EQ(toolset_find(NULL, bytes_str("a")), -1);
    toolset_free(set);
    T_EQ(toolset_new(NULL, 0, &set, &sentence), 0);
    T_STR(buf_str(&set->names), "[]");
    T_STR(buf_str(&set->catalogue), "[]");
    toolset_free(set);
}

static void refuses(const struct tool *tools, size_t n, int code, const char *part)
{
    struct toolset *set = NULL;

    T_ERR(toolset_new(tools, n, &set, &sentence), code);
    T_OK(set == NULL);
    says(part);
}

static void test_toolset_refusals(void)
{
    static char long_name[WIRE_MAX_TOOL_NAME + 2];
    struct tool tools[2] = {tool("a", ""), tool("a", "")};

    refuses(tools, 2, EEXIST, "\"a\" is declared twice");
    tools[1] = tool("", "");
    refuses(tools, 2, EINVAL, "tool number 2 has no name");
    tools[1] = tool("b", "{");
    refuses(tools, 2, EINVAL, "\"b\" has an input schema that is not JSON");
    tools[1] = tool("b", "[]");
    refuses(tools, 2, EINVAL, "not a JSON object");
    tools[1] = tool("b", "");
    tools[1].output_schema = bytes_str("true");
    refuses(tools, 2, EINVAL, "\"b\" has an output schema");
    tools[1] = tool("\xFF", "");
    refuses(tools, 2, EINVAL, "not UTF-8");
    memset(long_name, 'n', sizeof long_name - 1);
    tools[1] = tool(long_name, "");
    refuses(tools, 2, EMSGSIZE, "longer than 1,024 bytes");
    long_name[WIRE_MAX_TOOL_NAME] = '\0';
    {
        struct toolset *set = NULL;

        tools[1] = tool(long_name, "");
        T_EQ(toolset_new(tools, 2, &set, &sentence), 0); /* exactly that is fine */
        toolset_free(set);
    }
}

static void test_toolset_cap(void)
{
    struct buf big = buf_max(WIRE_MAX_CATALOGUE + 16);
    struct tool tools[2] = {tool("small", ""), tool("big", "")};

    memset(buf_grow(&big, WIRE_MAX_CATALOGUE), 'x', WIRE_MAX_CATALOGUE);
    tools[1].description = buf_bytes(&big);
    refuses(tools, 2, EMSGSIZE, "\"big\" is one too many");
    buf_done(&big);
}

/* ---- the gate ---- */

static enum gate_verdict judge(const struct toolset *set, const char *name, const char *args,
                               bool is_stopping)
{
    struct limits limits = limits_default();
    struct gate_call call = {.tools = set,
                             .limits = &limits,
                             .name = bytes_str(name),
                             .args = bytes_str(args),
                             .is_stopping = is_stopping};
    int index = -1;
    enum gate_verdict verdict;

    limits.max_args_bytes = 40;
    limits.max_args_values = 5;
    buf_clear(&sentence);
    verdict = gate_judge(&call, &index, &sentence);
    T_EQ(index >= 0, verdict != GATE_BREACH);
    return verdict;
}

static void test_gate(void)
{
    struct tool one = tool("add", "");
    struct toolset *set = NULL;

    T_EQ(toolset_new(&one, 1, &set, &sentence), 0);
    T_EQ(judge(set, "add", "{}", false), GATE_PASS);
    T_EQ(judge(set, "add", " {\"a\":[1,2,3]}", false), GATE_PASS);
    T_EQ(judge(set, "add", "{\"a\":[1,2,3,4]}", false), GATE_BREACH);
    says("max_args_values");
    T_EQ(judge(set, "add", "{\"a\":\"0123456789012345678901234567890\"}", false), GATE_PASS);
    T_EQ(judge(set, "add", "{\"a\":\"01234567890123456789012345678901234\"}", false), GATE_BREACH);
    says("max_args_bytes");
    T_EQ(judge(set, "sub", "{}", false), GATE_BREACH);
    says("\"sub\"");
    T_EQ(judge(set, "add", "[]", false), GATE_BREACH);
    says("not a JSON object");
    T_EQ(judge(set, "add", "{}x", false), GATE_BREACH);
    says("not JSON");
    T_EQ(judge(set, "add", "{}", true), GATE_REFUSE);
    says("stopped");
    T_EQ(judge(set, "sub", "{}", true), GATE_BREACH);
    T_EQ(judge(NULL, "add", "{}", false), GATE_BREACH);
    toolset_free(set);
}

/* ---- the record ---- */

static void settle(struct record *rec, int index, uint32_t id, enum call_state state)
{
    static const char arguments[] = "{\"text\":\"...\"}";
    struct record_fact fact = {.index = index,
                               .id = id,
                               .state = state,
                               .effect = EFFECT_DONE,
                               .ms = 5,
                               .arguments = bytes_str(arguments)};

    record_settle(rec, &fact);
}

static void test_record(void)
{
    struct tool one = tool("add", "");
    struct toolset *set = NULL;
    struct record rec;
    int first;

    T_EQ(toolset_new(&one, 1, &set, &sentence), 0);
    T_EQ(record_init(&rec, set), 0);
    first = record_arrive(&rec, 0, 7);
    T_EQ(rec.calls[first].state, CALL_NEVER_SENT);
    settle(&rec, first, 7, CALL_ANSWERED);
    T_EQ(rec.calls[first].state, CALL_ANSWERED);
    T_EQ(rec.calls[first].arguments.len, 0); /* it was seen */
    settle(&rec, record_arrive(&rec, 0, 8), 8, CALL_UNSEEN);
    T_OK(bytes_is(rec.calls[1].arguments, "{\"text\":\"...\"}"));
    for (uint32_t i = 2; i < 5000; i++) {
        settle(&rec, record_arrive(&rec, 0, i), i, i % 2 == 0 ? CALL_ANSWERED : CALL_TIMED_OUT);
    }
    T_EQ(rec.total, 5000);
    T_EQ(rec.n, RECORD_FIRST + RECORD_LOST); /* bounded, whatever comes */
    T_EQ(rec.calls[RECORD_FIRST].state, CALL_TIMED_OUT);
    T_EQ(rec.tools[0].counts[CALL_ANSWERED], 2500);
    T_EQ(rec.tools[0].counts[CALL_TIMED_OUT], 2499);
    T_EQ(rec.tools[0].counts[CALL_UNSEEN], 1);
    record_done(&rec);
    toolset_free(set);
}

static void test_record_cut(void)
{
    struct tool one = tool("add", "");
    struct toolset *set = NULL;
    struct buf arguments = buf_max(4096);
    struct record rec;
    struct record_fact fact = {.state = CALL_RUNNING};

    for (int i = 0; i < 400; i++) {
        buf_put_str(&arguments, "\xC3\xA9");
    }
    fact.arguments = buf_bytes(&arguments);
    T_EQ(toolset_new(&one, 1, &set, &sentence), 0);
    T_EQ(record_init(&rec, set), 0);
    fact.index = record_arrive(&rec, 0, 1);
    record_settle(&rec, &fact);
    T_EQ(rec.calls[0].arguments.len, 600); /* 300 characters of two bytes */
    record_done(&rec);
    toolset_free(set);
    buf_done(&arguments);
}

/* ---- endings ---- */

enum { EXITED_0 = 0, EXITED_7 = 7 << 8, STEP_4 = 104 << 8 };

static struct limits limits;
static struct wire_ending said;

static struct end_facts facts(void)
{
    limits = limits_default();
    said = (struct wire_ending){.kind = WIRE_END_FINISHED,
                                .name = bytes_str("E"),
                                .message = bytes_str("m"),
                                .frames = bytes_none(),
                                .notes = bytes_none(),
                                .value = bytes_str("1")};
    return (struct end_facts){.breach = "",
                              .has_process = true,
                              .early = "",
                              .early_reason = "",
                              .warden_end = "",
                              .warden_text = "",
                              .died_sentence = bytes_none(),
                              .limits = &limits};
}

static void ends(const struct end_facts *f, enum ending_kind kind, const char *reason,
                 const char *part)
{
    struct ending e = {.value = bytes_none()};

    buf_clear(&sentence);
    ending_decide(f, &sentence, &e);
    T_EQ(e.kind, kind);
    T_OK(bytes_is(e.reason, reason));
    T_EQ(e.value.len, kind == ENDING_FINISHED ? 1 : 0);
    T_OK(bytes_equal(e.error_message, buf_bytes(&sentence)));
    says(part);
}

static void test_said(void)
{
    struct end_facts f = facts();

    f.said = &said;
    ends(&f, ENDING_FINISHED, "", "");
    said.kind = WIRE_END_FAILED;
    ends(&f, ENDING_FAILED, "", "m");
    said.kind = WIRE_END_STALLED;
    ends(&f, ENDING_FAILED, "stalled", "m");
    said.kind = WIRE_END_OVERSIZE;
    ends(&f, ENDING_OVERSIZE, "", "m");
    said.kind = WIRE_END_TRAPPED;
    ends(&f, ENDING_CRASHED, "trap", "m");
    said.message = bytes_none();
    ends(&f, ENDING_CRASHED, "trap", "did not say how");
    said.message = bytes_str("m");
    said.kind = WIRE_END_STOPPED;
    f.cause = CAUSE_STOP;
    ends(&f, ENDING_STOPPED, "", "stopped");
    f.cause = CAUSE_LIFETIME;
    ends(&f, ENDING_EXPIRED, "lifetime", "its lifetime of 1 h passed");
    f.cause = CAUSE_CPU;
    ends(&f, ENDING_EXPIRED, "cpu", "processor");
    /* What it said after its time had passed stands, and that is told with it. */
    f.was_cut = true;
    said.kind = WIRE_END_FINISHED;
    ends(&f, ENDING_FINISHED, "cpu", "after it had returned");
    said.kind = WIRE_END_FAILED;
    ends(&f, ENDING_FAILED, "cpu", "m");
    said.kind = WIRE_END_OVERSIZE;
    ends(&f, ENDING_OVERSIZE, "", "m");
    f.cause = CAUSE_STOP;
    said.kind = WIRE_END_FINISHED;
    ends(&f, ENDING_FINISHED, "", "");
    f.cause = CAUSE_CPU;
    f.was_cut = false;
    /* What it said stands, whatever was asked or came after; a breach alone is stronger. */
    said.kind = WIRE_END_FINISHED;
    f.was_killed = true;
    f.status = SIGKILL;
    ends(&f, ENDING_FINISHED, "", "");
    f.is_warden_lost = true;
    ends(&f, ENDING_FINISHED, "", "");
    f.is_warden_lost = false;
    f.was_killed = false;
    f.cause = CAUSE_NONE;
    f.status = SIGSYS;
    ends(&f, ENDING_FINISHED, "wall", "it said so, and then its process was ended by SIGSYS");
    f.status = 7 << 8;
    ends(&f, ENDING_FINISHED, "exit", "status 7");
    said.kind = WIRE_END_FAILED;
    ends(&f, ENDING_FAILED, "exit", "m");
    said.kind = WIRE_END_FINISHED;
    f.breach = "it lied";
    ends(&f, ENDING_CRASHED, "protocol", "it lied");
}

static void test_killed(void)
{
    struct end_facts f = facts();

    f.cause = CAUSE_STOP;
    f.was_killed = true;
    f.status = SIGKILL;
    ends(&f, ENDING_STOPPED, "", "grace of 2 s");
    f.cause = CAUSE_KILL;
    ends(&f, ENDING_STOPPED, "", "by a kill");
    f.cause = CAUSE_LIFETIME;
    ends(&f, ENDING_EXPIRED, "lifetime", "output may be short");
    f.status = SIGSEGV; /* it died by itself, before the kill */
    ends(&f, ENDING_CRASHED, "signal", "SIGSEGV");
    f.status = EXITED_7;
    ends(&f, ENDING_CRASHED, "exit", "status 7");
    f.was_killed = false;
    f.status = SIGKILL; /* not ours */
    ends(&f, ENDING_CRASHED, "signal", "SIGKILL");
    f = facts();
    f.has_process = false;
    f.cause = CAUSE_STOP;
    ends(&f, ENDING_STOPPED, "", "before it began");
}

static void test_deaths(void)
{
    struct end_facts f = facts();

    f.status = EXITED_0;
    ends(&f, ENDING_CRASHED, "exit", "status 0");
    f.status = STEP_4;
    ends(&f, ENDING_CRASHED, "wall", "step 4");
    f.died_sentence = bytes_str("Landlock could not be raised");
    ends(&f, ENDING_CRASHED, "wall", "Landlock could not be raised");
    f = facts();
    f.status = SIGSYS;
    ends(&f, ENDING_CRASHED, "wall", "SIGSYS");
    f.status = SIGSEGV | 0x80; /* with a core */
    ends(&f, ENDING_CRASHED, "signal", "SIGSEGV");
    f.has_closed = true;
    ends(&f, ENDING_CRASHED, "protocol", "closed its channel");
    f = facts();
    f.is_warden_lost = true;
    f.warden_text = "error=oh";
    ends(&f, ENDING_CRASHED, "warden", "error=oh");
    f = facts();
    f.has_process = false;
    f.early = "no namespaces here";
    f.early_reason = "wall";
    ends(&f, ENDING_CRASHED, "wall", "no namespaces here");
}

static void test_names(void)
{
    T_STR(ending_name(ENDING_FINISHED), "finished");
    T_STR(ending_name(ENDING_STOPPED), "stopped");
    T_EQ(ending_exit_status(ENDING_FINISHED), 0);
    T_EQ(ending_exit_status(ENDING_FAILED), 1);
    T_EQ(ending_exit_status(ENDING_OVERSIZE), 1);
    T_EQ(ending_exit_status(ENDING_CRASHED), 3);
    T_EQ(ending_exit_status(ENDING_EXPIRED), 4);
    T_EQ(ending_exit_status(ENDING_STOPPED), 130);
    T_STR(call_state_name(CALL_NEVER_SENT), "never_sent");
    T_STR(call_effect_name(EFFECT_POSSIBLE), "possible");
}

/* ---- host_new ---- */

static void refuses_host(struct host_options options, int code, const char *part)
{
    struct host *host = NULL;

    buf_clear(&sentence);
    T_ERR(host_new(&options, &host, &sentence), code);
    T_OK(host == NULL);
    says(part);
}

static void test_host_refusals(void)
{
    struct host_options good = HOST_OPTIONS_DEFAULT;
    struct host_options bad;
    uv_loop_t loop;

    T_EQ(uv_loop_init(&loop), 0);
    good.loop = &loop;
    good.warden_path = "/nowhere/torno-warden";
    refuses_host(good, ENOENT, "/nowhere/torno-warden");
    bad = good;
    bad.loop = NULL;
    refuses_host(bad, EINVAL, "loop");
    bad = good;
    bad.max_cells = 0;
    bad.ready_cells = 0;
    refuses_host(bad, ERANGE, "max_cells");
    bad = good;
    bad.ready_cells = 17;
    refuses_host(bad, ERANGE, "ready_cells");
    bad = good;
    bad.memory = 1;
    refuses_host(bad, ERANGE, "memory");
    bad = good;
    bad.max_tier = 'D';
    refuses_host(bad, EINVAL, "max_tier");
    uv_run(&loop, UV_RUN_DEFAULT);
    T_EQ(uv_loop_close(&loop), 0); /* nothing was left on it */
}

int main(void)
{
    sentence = buf_max(1024 * 1024);
    test_toolset();
    test_toolset_refusals();
    test_toolset_cap();
    test_gate();
    test_record();
    test_record_cut();
    test_said();
    test_killed();
    test_deaths();
    test_names();
    test_host_refusals();
    buf_done(&sentence);
    return T_DONE("host");
}
