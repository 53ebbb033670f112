/* SPDX-License-Identifier: MIT
 *
 * Turns and rounds (src/agent/turn.c, watch.c, call.c, names.c): which scripts live on when a turn
 * ends, whose turn a call carries, what a watch collects, and whether code names a tool. Cells are
 * played, time is said; see unit/agent-use.h.
 */
#include "unit/agent-use.h"

static struct stage s;
static struct agent *primary;
static struct agent *other;

/* Two agents, the first of them primary where it is to be. */
static void begin(bool has_primary)
{
    struct agent_options o;

    use_begin(&s);
    o = use_options(&s, "first");
    o.is_primary = has_primary;
    primary = use_open(&s, &o);
    other = use_agent(&s, "other");
}

static void end(void)
{
    use_end(&s);
}

static bool is_stopping(struct agent *agent, const char *id)
{
    return use_cell(&s, agent, id)->heard_stop;
}

/* ---- turns ---- */

static void test_settle(void)
{
    uint64_t one;
    uint64_t two;
    struct use u;
    struct use watching;

    begin(true);
    one = turn_open(s.agents);
    two = turn_open(s.agents);
    T_OK(one != 0 && two != 0 && one != two);
    use_left(&u, &s, primary, one); /* t-1 */
    use_left(&u, &s, primary, 0);   /* t-2 */
    use_left(&u, &s, other, one);   /* t-3 */
    use_left(&u, &s, other, two);   /* t-4 */
    use_left(&u, &s, other, 0);     /* t-5: started in no turn */
    use_other(&watching, other, AGENT_WAIT, "t-3", -1, two);
    turn_settle(s.agents, one);
    stage_turn(&s);
    T_OK(!is_stopping(primary, "t-1") && !is_stopping(primary, "t-2"));
    T_OK(is_stopping(other, "t-3") && !is_stopping(other, "t-4") && is_stopping(other, "t-5"));
    T_EQ(watching.n_returns, 0); /* whoever watches hears of its end */
    use_finish(&s, other, "t-3", WIRE_END_FAILED);
    T_OK(watching.n_returns == 1 && has(watching.text, "no luck"));
    use_finish(&s, other, "t-5", WIRE_END_FAILED); /* without a notice */
    USE_LOG("");
    turn_settle(s.agents, one); /* it has ended: nothing more */
    turn_settle(s.agents, 77);
    turn_settle(s.agents, 0);
    stage_turn(&s);
    T_OK(!is_stopping(other, "t-4"));
    turn_settle(s.agents, two);
    stage_turn(&s);
    T_OK(is_stopping(other, "t-4"));
    end();
}

/* Where no agent is primary, every agent's scripts outlive a turn. */
static void test_settle_without_primary(void)
{
    uint64_t turn;
    struct use u;

    begin(false);
    turn = turn_open(s.agents);
    use_left(&u, &s, primary, turn);
    use_left(&u, &s, other, turn);
    use_left(&u, &s, other, 0);
    turn_settle(s.agents, turn);
    stage_turn(&s);
    T_OK(!is_stopping(primary, "t-1") && !is_stopping(other, "t-2") && !is_stopping(other, "t-3"));
    end();
}

/* A failure that waits for its wake's delivery is told all the same: a settle stops what runs. */
static void test_settle_leaves_notices(void)
{
    uint64_t turn;
    struct use u;

    begin(true);
    turn = turn_open(s.agents);
    use_delivers = false;
    use_left(&u, &s, other, turn);
    use_wake(&s, other, "t-1", 1, "1");
    use_finish(&s, other, "t-1", WIRE_END_FAILED);
    turn_settle(s.agents, turn);
    agent_delivered(other, "t-1", true);
    stage_pass(&s, 1);
    USE_LOG("wake:t-1:1 notice:t-1 ");
    end();
}

static void test_resume(void)
{
    uint64_t one;
    uint64_t two;
    struct use u;

    begin(true);
    one = turn_open(s.agents);
    use_left(&u, &s, primary, 0);
    turn_settle(s.agents, one);
    use_run(&u, other, 0, one);
    stage_pass(&s, 1);
    T_OK(u.n_returns == 1 && u.is_error && has(u.text, "turn") && has(u.text, "has ended"));
    T_EQ(other->n_running, 0);
    use_run(&u, primary, 0, one); /* whichever agent's */
    stage_pass(&s, 1);
    T_OK(u.is_error && has(u.text, "has ended"));
    use_other(&u, primary, AGENT_WAIT, "t-1", 0, one); /* but not a wait */
    stage_pass(&s, 1);
    T_OK(!u.is_error && has(u.text, "still running"));
    T_OK(turn_resume(s.agents, one));
    T_OK(turn_resume(s.agents, one)); /* it is live: nothing changes */
    T_OK(!turn_resume(s.agents, 0));
    T_OK(!turn_resume(s.agents, one + 1));
    use_left(&u, &s, other, one);
    T_STR(u.id, "t-2");
    two = turn_open(s.agents);
    T_OK(two > one);
    turn_settle(s.agents, two); /* its mark is off */
    stage_turn(&s);
    T_OK(!is_stopping(other, "t-2"));
    turn_settle(s.agents, one); /* once is enough, though it was resumed twice */
    stage_turn(&s);
    T_OK(is_stopping(other, "t-2"));
    end();
}

static void test_abandon(void)
{
    uint64_t one;
    uint64_t two;
    struct use u[6];

    begin(true);
    one = turn_open(s.agents);
    two = turn_open(s.agents);
    use_run(&u[0], primary, -1, one);  /* t-1: its own call watches it, no return yet */
    use_run(&u[1], other, -1, one);    /* t-2: whichever agent's */
    use_left(&u[2], &s, primary, one); /* t-3: left */
    use_left(&u[3], &s, other, one);   /* t-4: has returned once, and is watched again */
    use_other(&u[3], other, AGENT_WAIT, "t-4", -1, one);
    use_run(&u[4], other, -1, two);    /* t-5: another turn's */
    use_left(&u[5], &s, primary, two); /* t-6: another's, watched by a call of this one */
    use_other(&u[5], primary, AGENT_WAIT, "t-6", -1, one);
    turn_abandon(s.agents, one);
    T_EQ(u[0].n_returns + u[1].n_returns, 0);
    stage_turn(&s);
    T_OK(u[0].n_returns == 1 && u[0].is_error &&
         has(u[0].text, "abandoned; the script is stopped"));
    T_OK(u[1].n_returns == 1 && has(u[1].text, "abandoned; the script is stopped"));
    T_OK(u[3].n_returns == 1 && has(u[3].text, "abandoned; the script lives on"));
    T_OK(u[5].n_returns == 1 && has(u[5].text, "abandoned; the script lives on"));
    T_EQ(u[4].n_returns, 0);
    T_OK(is_stopping(primary, "t-1") && is_stopping(other, "t-2"));
    T_OK(!is_stopping(primary, "t-3") && !is_stopping(other, "t-4"));
    T_OK(!is_stopping(other, "t-5") && !is_stopping(primary, "t-6"));
    use_finish(&s, primary, "t-1", WIRE_END_FAILED); /* stopped: no notice */
    use_finish(&s, primary, "t-6", WIRE_END_FAILED); /* left: a notice */
    USE_LOG("notice:t-6 ");
    turn_abandon(s.agents, one); /* it has ended */
    turn_abandon(s.agents, 0);
    turn_abandon(s.agents, 99);
    stage_turn(&s);
    T_EQ(u[4].n_returns, 0);
    end();
}

/* The output of a script that is let go of is not lost with the return. */
static void test_abandon_keeps_output(void)
{
    uint64_t turn;
    struct use u;

    begin(true);
    turn = turn_open(s.agents);
    use_left(&u, &s, primary, turn);
    use_other(&u, primary, AGENT_WAIT, "t-1", -1, turn);
    use_write(&s, primary, "t-1", "precious");
    turn_abandon(s.agents, turn);
    stage_turn(&s);
    T_OK(u.n_returns == 1 && strstr(u.text, "precious") == NULL);
    use_wait(&u, primary, "t-1", 0);
    stage_pass(&s, 1);
    T_OK(has(u.text, "precious"));
    end();
}

static uint64_t turn_to_abandon;

static void abandon_when_ended(void *arg, const char *script_id, const struct ending *ending)
{
    (void)arg;
    (void)script_id;
    (void)ending;
    turn_abandon(s.agents, turn_to_abandon);
}

/* The turn goes just as a script has ended and before its return. */
static void test_abandon_at_the_end(void)
{
    struct agent_options o;
    struct agent *agent;
    struct use u;

    begin(true);
    o = use_options(&s, "third");
    o.callbacks.on_ended = abandon_when_ended;
    agent = use_open(&s, &o);
    turn_to_abandon = turn_open(s.agents);
    use_run(&u, agent, -1, turn_to_abandon);
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    T_OK(u.n_returns == 1 && has(u.text, "the script has ended"));
    USE_LOG("");
    turn_to_abandon = turn_open(s.agents);
    use_left(&u, &s, agent, turn_to_abandon);
    use_other(&u, agent, AGENT_WAIT, "t-2", -1, turn_to_abandon);
    use_finish(&s, agent, "t-2", WIRE_END_FAILED);
    T_OK(u.n_returns == 1 && has(u.text, "the script has ended"));
    USE_LOG("notice:t-2 "); /* it had returned once, so it was let go of */
    use_wait(&u, agent, "t-1", 0);
    stage_pass(&s, 1);
    T_OK(u.is_error && has(u.text, "no luck"));
    end();
}

/* A stop's watch that is let go of does not say that its script lives on. */
static void test_abandon_a_stop(void)
{
    uint64_t turn;
    struct use u;

    begin(true);
    turn = turn_open(s.agents);
    use_left(&u, &s, primary, turn);
    use_other(&u, primary, AGENT_STOP, "t-1", -1, turn);
    turn_abandon(s.agents, turn);
    stage_turn(&s);
    T_OK(u.n_returns == 1 && has(u.text, "the script is stopped"));
    use_finish(&s, primary, "t-1", WIRE_END_STOPPED);
    USE_LOG("");
    end();
}

/* ---- the turn of a call ---- */

static void test_call_turns(void)
{
    uint64_t one;
    uint64_t two;
    struct use u;
    char want[64];

    begin(true);
    one = turn_open(s.agents);
    two = turn_open(s.agents);
    use_holds_calls = true;
    use_run(&u, primary, 10, one);
    use_call(&s, primary, "t-1", 1, "say");
    snprintf(want, sizeof want, "call:%" PRIu64 ":say ", one);
    USE_LOG(want);
    T_EQ(tool_call_turn(use_calls[0]), one);
    T_STR(tool_call_script(use_calls[0]), "t-1");
    stage_pass(&s, 10);
    T_EQ(u.n_returns, 1);
    T_EQ(tool_call_turn(use_calls[0]), 0); /* an answer that came now would end no turn */
    use_call(&s, primary, "t-1", 2, "look");
    USE_LOG("call:0:look "); /* a left script's carry none */
    use_other(&u, primary, AGENT_WAIT, "t-1", 10, two);
    T_EQ(tool_call_turn(use_calls[0]), two); /* it would end the turn of who watches now */
    T_EQ(tool_call_turn(use_calls[1]), two);
    use_call(&s, primary, "t-1", 3, "say");
    snprintf(want, sizeof want, "call:%" PRIu64 ":say ", two);
    USE_LOG(want);
    turn_abandon(s.agents, two);
    T_EQ(tool_call_turn(use_calls[2]), 0);
    for (size_t i = 0; i < 3; i++) {
        tool_reply(use_calls[i], bytes_str("{\"content\":[]}"));
    }
    end();
}

static void test_result_max_chars(void)
{
    static const int64_t sizes[] = {4 * 1024 * 1024, 100 * 1024 * 1024, 128 * 1024 * 1024};
    struct agent_options o;
    struct agent *agent;
    struct use u;

    begin(true);
    use_holds_calls = true;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        o = use_options(&s, "sized");
        o.limits.memory = sizes[i];
        agent = use_open(&s, &o);
        use_left(&u, &s, agent, 0);
        use_call(&s, agent, u.id, 1, "say");
        T_EQ(tool_call_result_max_chars(use_calls[i]), (sizes[i] / 3 - 80) / 6);
        tool_reply(use_calls[i], bytes_str("{\"content\":[]}"));
    }
    end();
}

/* ---- rounds ---- */

static void test_rounds(void)
{
    struct use u;

    begin(true);
    use_holds_calls = true;
    use_run(&u, primary, 10, 0);
    use_call(&s, primary, "t-1", 1, "say");
    use_call(&s, primary, "t-1", 2, "say");
    use_call(&s, primary, "t-1", 3, "look");
    use_call(&s, primary, "t-1", 4, "look");
    tool_reply(use_calls[0],
               bytes_str("{\"content\":[],\"refused\":true}")); /* no tool can say so */
    tool_refuse(use_calls[1], "not now");
    tool_fail(use_calls[2], "lost");
    stage_pass(&s, 10);
    T_EQ(u.n_returns, 1);
    T_STR(u.round, "say say!not now look look ");
    use_call(&s, primary, "t-1", 5, "say"); /* nobody watches: nobody's */
    use_wait(&u, primary, "t-1", 10);
    tool_refuse(use_calls[3], "too late"); /* of the watch before: it has returned */
    tool_refuse(use_calls[4], "unseen");
    use_call(&s, primary, "t-1", 6, "look");
    stage_pass(&s, 10);
    T_STR(u.round, "look ");
    use_wait(&u, primary, "t-1", 10);
    stage_pass(&s, 10);
    T_STR(u.round, ""); /* once each */
    use_wait(&u, primary, "t-1", -1);
    use_call(&s, primary, "t-1", 7, "say");
    tool_refuse(use_calls[6], "policy");
    tool_reply(use_calls[5], bytes_str("{\"content\":[]}"));
    use_finish(&s, primary, "t-1", WIRE_END_FAILED);
    T_STR(u.round, "say!policy ");
    T_EQ(u.n_calls, 1);
    end();
}

/* What is collected has a cap, and past it no tool is missed. */
static void test_rounds_are_bounded(void)
{
    struct use u;

    begin(true);
    use_run(&u, primary, -1, 0);
    stage_turn(&s);
    for (uint32_t i = 1; i <= 1200; i++) {
        use_call(&s, primary, "t-1", i, "look");
    }
    use_holds_calls = true;
    for (uint32_t i = 1201; i <= 1205; i++) {
        use_call(&s, primary, "t-1", i, "say");
    }
    for (size_t i = 0; i < 5; i++) {
        tool_refuse(use_calls[i], "no");
    }
    use_finish(&s, primary, "t-1", WIRE_END_FINISHED);
    T_EQ(u.n_returns, 1);
    T_EQ(u.n_calls, 1002);
    T_OK(strstr(u.round, "!") == NULL);
    buf_clear(&use_log);
    end();
}

/* ---- names ---- */

static bool names(const char *code, const char *name)
{
    struct bytes list[] = {bytes_str("absent"), bytes_str(name)};

    return code_names(bytes_str(code), list, 2);
}

static void test_names(void)
{
    T_OK(names("tools[\"chat--say\"]({})", "say"));
    T_OK(!names("tools.say_hello({})", "say"));
    T_OK(names("say", "say"));
    T_OK(names("await tools.say({})", "say"));
    T_OK(names("// say nothing", "say"));
    T_OK(names("'do say so'", "say"));
    T_OK(!names("essay", "say"));
    T_OK(!names("says", "say"));
    T_OK(!names("$say", "say"));
    T_OK(!names("say$", "say"));
    T_OK(!names("say1 2say _say", "say"));
    T_OK(names("says say", "say")); /* the second one */
    T_OK(names("sayssay.say", "say"));
    T_OK(!names("Say", "say"));
    T_OK(!names("", "say"));
    T_OK(!names("sa", "say"));
    T_OK(!names("anything", ""));
    T_OK(!names("", ""));
    T_OK(!code_names(bytes_str("say"), NULL, 0));
}

static void test_hostile_names(void)
{
    T_OK(!names("say", "s.y"));
    T_OK(names("tools['s.y']", "s.y"));
    T_OK(!names("anything", ".*"));
    T_OK(names("a.*b", ".*"));
    T_OK(names("x[a-z]+(y", "[a-z]+("));
    T_OK(!names("tools.a", "[a-z]"));
    T_OK(names("tools['a\\\\b']", "a\\\\b"));
    T_OK(names("tools['files.read']", "files.read"));
    T_OK(!names("tools['files.readAll']", "files.read"));
    T_OK(names("tools['@scope/tool']", "@scope/tool"));
    T_OK(names("a@scope/tool", "@scope/tool")); /* its own ends are no letters: a hold is cheap */
    T_OK(names("tools['run!now']", "run!"));
    T_OK(names("aaaaaaaa-aa", "aa"));
    T_OK(!names("aaaaaaaa", "aa"));
    T_OK(!names("x", "a name that is longer than the code"));
}

/* Some characters past ASCII are spaces and dashes: none joins a name to what stands beside it. */
static void test_foreign_names(void)
{
    T_OK(names("tools.\xC2\xA0say({})", "say"));        /* a no-break space */
    T_OK(names("tools[`chat\xE2\x80\x94say`]", "say")); /* a dash */
    T_OK(names("\xEF\xBB\xBFsay()", "say"));            /* a byte order mark */
    T_OK(names("tools['\xC3\xBC"
               "ber']",
               "\xC3\xBC"
               "ber"));
    T_OK(names("tools.\xE5\x90\x8D({})", "\xE5\x90\x8D"));
    T_OK(!names("tools.\xE5\x90\x8D({})", "\xE5\x90"
                                          "\x8E"));
    T_OK(!names("tools.\xC3\xBC"
                "bern",
                "\xC3\xBC"
                "ber"));
}

/* A code of any bytes is looked through to its end. */
static void test_names_by_length(void)
{
    static const uint8_t code[] = {'a', 0, 's', 'a', 'y', 0, 0xFF, 's', 'a'};
    struct bytes name = bytes_str("say");

    T_OK(code_names(bytes_of(code, sizeof code), &name, 1));
    T_OK(!code_names(bytes_of(code, 4), &name, 1));
    T_OK(!code_names(bytes_of(code + 5, sizeof code - 5), &name, 1));
}

/* The longest code and a long name, each all one letter: no match is looked for twice. */
static void test_long_names(void)
{
    static uint8_t code[1 << 20];
    struct bytes name = bytes_of(code, 1000);

    memset(code, 'a', sizeof code);
    T_OK(!code_names(bytes_of(code, sizeof code), &name, 1));
    code[sizeof code - 1001] = '.';
    T_OK(code_names(bytes_of(code, sizeof code), &name, 1));
}

int main(void)
{
    test_settle();
    test_settle_without_primary();
    test_settle_leaves_notices();
    test_resume();
    test_abandon();
    test_abandon_keeps_output();
    test_abandon_at_the_end();
    test_abandon_a_stop();
    test_call_turns();
    test_result_max_chars();
    test_rounds();
    test_rounds_are_bounded();
    test_names();
    test_hostile_names();
    test_foreign_names();
    test_names_by_length();
    test_long_names();
    return T_DONE("turn");
}
