/* SPDX-License-Identifier: MIT
 *
 * An agent's scripts (src/agent): run, wait, stop, list, who watches, which places there are, what
 * is kept, the end of an agent. Cells are played, time is said; see unit/agent-use.h. What comes
 * unasked for is in message-test.c.
 */
#include "unit/agent-use.h"

static struct stage s;

static void begin(void)
{
    use_begin(&s);
}

static void end(void)
{
    use_end(&s);
}

/* ---- run, wait, stop, list ---- */

static void test_run_to_its_end(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_run(&u, agent, -1, 0);
    stage_turn(&s);
    T_EQ(u.n_returns, 0);
    use_finish(&s, agent, "t-1", WIRE_END_FINISHED);
    T_EQ(u.n_returns, 1);
    T_STR(u.id, "t-1");
    T_OK(!u.is_error && has(u.text, "finished") && has(u.text, "42"));
    end();
}

static void test_yields(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_run(&u, agent, -1, 0);
    use_write(&s, agent, "t-1", "one ");
    stage_pass(&s, 29999);
    T_EQ(u.n_returns, 0);
    stage_pass(&s, 1);
    T_EQ(u.n_returns, 1);
    T_OK(!u.is_error && has(u.text, "still running") && has(u.text, "one "));
    use_write(&s, agent, "t-1", "two ");
    use_wait(&u, agent, "t-1", 7);
    stage_pass(&s, 7);
    T_OK(u.n_returns == 1 && has(u.text, "two ") && strstr(u.text, "one") == NULL);
    use_wait(&u, agent, "t-1", 600000);
    stage_pass(&s, 599999);
    T_EQ(u.n_returns, 0);
    stage_pass(&s, 1);
    T_EQ(u.n_returns, 1);
    T_OK(strstr(u.text, "two") == NULL);
    use_wait(&u, agent, "t-1", -1);
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    T_OK(u.n_returns == 1 && u.is_error && has(u.text, "no luck"));
    use_wait(&u, agent, "t-1", -1); /* an ended one's, again */
    stage_pass(&s, 1);
    T_OK(u.n_returns == 1 && u.is_error && has(u.text, "no luck"));
    USE_LOG("");
    end();
}

/* The doors of the library give a yield_ms that nobody has read before. */
static void test_yield_range(void)
{
    static const int64_t wrong[] = {-2, INT64_MIN, 600001, INT64_MAX};
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        use_run(&u, agent, wrong[i], 0);
        stage_pass(&s, 1);
        T_OK(u.n_returns == 1 && u.is_error && has(u.text, "yield_ms") && has(u.text, "600000"));
        if (u.n_returns == 0) {
            use_cancel(&u);
        }
    }
    T_EQ(agent->n_running, 0);
    end();
}

static void test_stop(void)
{
    struct agent *agent;
    struct use u;
    struct use again;

    begin();
    agent = use_agent(&s, "a");
    use_left(&u, &s, agent, 0);
    use_stop(&u, agent, "t-1");
    stage_turn(&s);
    T_OK(use_cell(&s, agent, "t-1")->heard_stop);
    T_EQ(u.n_returns, 0);
    use_say_end(&s, use_cell(&s, agent, "t-1"), WIRE_END_STOPPED);
    stage_turn(&s);
    T_EQ(u.n_returns, 0); /* its process is there yet */
    stage_die(&s, use_cell(&s, agent, "t-1"), 0);
    T_OK(u.n_returns == 1 && !u.is_error && has(u.text, "stopped"));
    use_stop(&again, agent, "t-1");
    stage_pass(&s, 1);
    T_OK(again.n_returns == 1 && !again.is_error && has(again.text, "stopped"));

    use_left(&u, &s, agent, 0); /* one that does not hear: its grace bounds it, and nothing else */
    use_other(&u, agent, AGENT_STOP, "t-2", 0, 0);
    stage_pass(&s, 1999);
    T_EQ(u.n_returns, 0);
    stage_pass(&s, 2);
    T_OK(u.n_returns == 1 && has(u.text, "stopped"));
    USE_LOG("");
    end();
}

static void test_list(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_list(&u, agent);
    T_EQ(u.n_returns, 0); /* from the loop, never from inside */
    stage_turn(&s);
    T_OK(u.n_returns == 1 && !u.is_error && has(u.text, "no scripts"));
    use_left(&u, &s, agent, 0);
    use_left(&u, &s, agent, 0);
    use_finish(&s, agent, "t-1", WIRE_END_FINISHED);
    use_list(&u, agent);
    stage_turn(&s);
    T_OK(has(u.text, "t-1: ") && has(u.text, "finished") && has(u.text, "t-2: running"));
    end();
}

static void test_one_watcher(void)
{
    struct agent *agent;
    struct use first;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_run(&first, agent, 50, 0);
    stage_turn(&s);
    use_wait(&u, agent, "t-1", 0);
    stage_pass(&s, 1);
    T_OK(u.n_returns == 1 && u.is_error && has(u.text, "watched by another call"));
    use_stop(&u, agent, "t-1");
    stage_pass(&s, 1);
    T_OK(u.n_returns == 1 && u.is_error && has(u.text, "watched by another call"));
    T_OK(!use_cell(&s, agent, "t-1")->heard_stop);
    use_write(&s, agent, "t-1", "mine");
    T_EQ(first.n_returns, 0);
    stage_pass(&s, 48);
    T_OK(first.n_returns == 1 && has(first.text, "mine") && has(first.text, "still running"));
    use_finish(&s, agent, "t-1", WIRE_END_FAILED); /* the stop that was refused marks nothing */
    USE_LOG("notice:t-1 ");
    use_wait(&u, agent, "t-9", 0);
    stage_pass(&s, 1);
    T_OK(u.is_error && has(u.text, "no script \"t-9\""));
    end();
}

/* Two calls of one time return in their order. */
static void test_order_of_returns(void)
{
    struct agent *agent;
    struct use u[3];

    begin();
    agent = use_agent(&s, "a");
    for (int i = 0; i < 3; i++) {
        use_list(&u[i], agent);
    }
    T_OK(agent->watches == u[0].watch);
    stage_turn(&s);
    T_EQ(u[0].n_returns + u[1].n_returns + u[2].n_returns, 3);
    end();
}

static int n_relists;

static void on_relist(void *arg, const struct agent_return *ret)
{
    struct agent *agent = arg;
    struct watch *watch;
    struct agent_request request = {.input = {.action = AGENT_LIST,
                                              .code = bytes_none(),
                                              .yield_ms = -1,
                                              .script_id = bytes_none()},
                                    .on_return = on_relist,
                                    .arg = agent};

    (void)ret;
    if (++n_relists < 1000 && !agent->is_gone) {
        agent_do(agent, &request, &watch);
    }
}

/* An owner that asks anew in each return does not keep the loop. */
static void test_asks_anew(void)
{
    struct agent *agent;

    begin();
    agent = use_agent(&s, "a");
    n_relists = -1;
    on_relist(agent, NULL);
    stage_turn(&s);
    T_EQ(n_relists, 1);
    stage_pass(&s, 5);
    T_OK(n_relists > 3 && n_relists < 10);
    end();
}

/* ---- capacity ---- */

static void test_places_of_an_agent(void)
{
    struct agent *agent;
    struct use u[4];

    begin();
    agent = use_agent(&s, "a");
    for (int i = 0; i < 3; i++) {
        use_left(&u[i], &s, agent, 0);
    }
    use_run(&u[3], agent, -1, 0);
    stage_pass(&s, 1);
    T_OK(u[3].n_returns == 1 && u[3].is_error && u[3].id[0] == '\0');
    T_OK(has(u[3].text, "3 of your") && has(u[3].text, "t-1 (") && has(u[3].text, "t-2 (") &&
         has(u[3].text, "t-3 ("));
    use_stop(&u[3], agent, "t-2"); /* a stopping one has its place until its process is gone */
    stage_turn(&s);
    use_run(&u[0], agent, -1, 0);
    stage_pass(&s, 1);
    T_OK(u[0].is_error);
    use_finish(&s, agent, "t-2", WIRE_END_STOPPED);
    use_left(&u[0], &s, agent, 0);
    T_STR(u[0].id, "t-4");
    end();
}

static int n_closed;

static void on_closed(void *arg)
{
    (void)arg;
    n_closed++;
}

static void test_places_of_a_host(void)
{
    struct agent *agents[6];
    struct use u;

    begin();
    n_closed = 0;
    for (int i = 0; i < 6; i++) {
        agents[i] = use_agent(&s, "same");
    }
    for (int i = 0; i < 16; i++) {
        use_left(&u, &s, agents[i / 3], 0);
    }
    use_run(&u, agents[5], 0, 0);
    stage_pass(&s, 1);
    T_OK(u.is_error && has(u.text, "all 16 places"));
    use_list(&u, agents[5]); /* it has one of its own: */
    stage_turn(&s);
    T_OK(has(u.text, "t-16: running") && strstr(u.text, "t-15") == NULL);
    s.holds_kills = true; /* a gone agent's processes that do not exit hold their places */
    agent_close(agents[0], on_closed, NULL);
    stage_pass(&s, 5000);
    T_EQ(n_closed, 0);
    use_run(&u, agents[5], 0, 0);
    stage_pass(&s, 1);
    T_OK(u.is_error && has(u.text, "all 16 places"));
    s.holds_kills = false;
    stage_pass(&s, 10);
    T_EQ(n_closed, 1);
    use_left(&u, &s, agents[5], 0);
    T_STR(u.id, "t-17");
    USE_LOG("");
    end();
}

/* ---- what is kept ---- */

static void run_to_end(struct agent *agent, const char *id)
{
    struct use u;

    use_run(&u, agent, -1, 0);
    stage_turn(&s);
    use_finish(&s, agent, id, WIRE_END_FINISHED);
    T_EQ(u.n_returns, 1);
    T_STR(u.id, id);
}

static void test_kept_by_sequence(void)
{
    struct agent *agent;
    struct use u;
    struct use stopped;
    char id[32];

    begin();
    agent = use_agent(&s, "a");
    use_left(&u, &s, agent, 0); /* t-1 starts first and ends last; all at one time */
    for (int i = 2; i <= 9; i++) {
        snprintf(id, sizeof id, "t-%d", i);
        run_to_end(agent, id);
    }
    use_finish(&s, agent, "t-1", WIRE_END_FINISHED);
    T_EQ(count_kept(agent), 8);
    T_OK(script_find(agent, bytes_str("t-1")) != NULL);
    T_OK(script_find(agent, bytes_str("t-2")) == NULL);
    T_OK(script_find(agent, bytes_str("t-3")) != NULL);
    s.holds_spawns = true; /* one that ends before it has a process counts too */
    use_run(&u, agent, 0, 0);
    stage_pass(&s, 1);
    T_OK(has(u.text, "running"));
    use_stop(&stopped, agent, u.id);
    stage_turn(&s);
    T_OK(stopped.n_returns == 1 && has(stopped.text, "stopped"));
    T_EQ(count_kept(agent), 8);
    T_OK(script_find(agent, bytes_str("t-10")) != NULL);
    T_OK(script_find(agent, bytes_str("t-3")) == NULL);
    use_wait(&u, agent, "t-3", 0);
    stage_pass(&s, 1);
    T_OK(u.is_error && has(u.text, "no script \"t-3\""));
    end();
}

/* What an owner does not deliver holds nothing for ever, and takes no other's place. */
static void test_kept_is_bounded(void)
{
    struct agent *agent;
    struct use u;
    char id[32];

    begin();
    agent = use_agent(&s, "a");
    use_delivers = false;
    for (int i = 1; i <= 60; i++) {
        snprintf(id, sizeof id, "t-%d", i);
        use_left(&u, &s, agent, 0);
        use_finish(&s, agent, id, WIRE_END_FAILED);
    }
    T_EQ(count_kept(agent), 8);
    T_OK(script_find(agent, bytes_str("t-60")) != NULL);
    T_OK(script_find(agent, bytes_str("t-53")) != NULL);
    for (int i = 61; i <= 120; i++) { /* a wake of each never arrives: the notice waits for it */
        snprintf(id, sizeof id, "t-%d", i);
        use_left(&u, &s, agent, 0);
        use_wake(&s, agent, id, 1, "1");
        use_finish(&s, agent, id, WIRE_END_FAILED);
    }
    T_OK(count_kept(agent) >= 8 && count_kept(agent) <= 24);
    buf_clear(&use_log);
    use_delivers = true;
    for (int i = 61; i <= 120; i++) {
        snprintf(id, sizeof id, "t-%d", i);
        agent_delivered(agent, id, true);
    }
    stage_pass(&s, 1);
    T_EQ(count_kept(agent), 8);
    T_OK(has(buf_str(&use_log), "notice:t-120 "));
    end();
}

static void test_held_one_takes_no_place(void)
{
    struct agent *agent;
    struct use u;
    char id[32];

    begin();
    agent = use_agent(&s, "a");
    use_delivers = false;
    use_left(&u, &s, agent, 0);
    use_wake(&s, agent, "t-1", 1, "1");
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    USE_LOG("wake:t-1:1 ");
    for (int i = 2; i <= 9; i++) {
        snprintf(id, sizeof id, "t-%d", i);
        run_to_end(agent, id);
    }
    T_OK(script_find(agent, bytes_str("t-2")) != NULL); /* the last 8 that ended are there */
    T_OK(script_find(agent, bytes_str("t-1")) != NULL); /* and one with a notice to come */
    agent_delivered(agent, "t-1", true);
    stage_pass(&s, 1);
    USE_LOG("notice:t-1 ");
    T_EQ(count_kept(agent), 8);
    T_OK(script_find(agent, bytes_str("t-1")) == NULL);
    end();
}

static void test_ids(void)
{
    struct agents *other = NULL;

    begin();
    assert(agents_new(&(struct agents_options){.host = s.play.host, .loop = &s.play.loop},
                      &other) == 0);
    T_EQ(strlen(other->tag), 4);
    T_OK(strspn(other->tag, "abcdefghjkmnpqrstuvwxyz23456789") == 4);
    n_closed = 0;
    agents_close(other, on_closed, NULL);
    stage_pass(&s, 1);
    T_EQ(n_closed, 1);
    agents_free(other);
    end();
}

/* ---- the end of an agent ---- */

static void test_gone_agent(void)
{
    struct agent *agent;
    struct agent *later;
    struct use u;
    struct use watching;

    begin();
    n_closed = 0;
    agent = use_agent(&s, "a");
    use_left(&u, &s, agent, 0);
    use_finish(&s, agent, "t-1", WIRE_END_FINISHED);
    use_run(&watching, agent, -1, 0);
    use_left(&u, &s, agent, 0);
    use_holds_calls = true;
    use_call(&s, agent, "t-3", 1, "say");
    USE_LOG("call:0:say ");
    agent_close(agent, on_closed, NULL);
    T_EQ(watching.n_returns, 0);
    later = use_agent(&s, "a");
    use_list(&u, later);
    stage_turn(&s);
    T_OK(watching.n_returns == 1 && watching.is_error && has(watching.text, "gone"));
    T_OK(has(u.text, "no scripts"));
    T_EQ(n_closed, 0); /* their processes are there */
    use_wait(&u, later, "t-3", 0);
    stage_pass(&s, 1);
    T_OK(u.is_error && has(u.text, "no script \"t-3\""));
    use_finish(&s, agent, "t-2", WIRE_END_STOPPED);
    USE_LOG("");
    use_finish(&s, agent, "t-3", WIRE_END_FAILED); /* no notice */
    USE_LOG("cancel:say ");
    T_EQ(n_closed, 1);
    T_STR(tool_call_script(use_calls[0]), "");
    T_EQ(tool_call_turn(use_calls[0]), 0);
    tool_reply(use_calls[0], bytes_str("{\"content\":[]}")); /* it goes nowhere */
    stage_pass(&s, 3000);
    USE_LOG("");
    end();
}

/* A call that is read after its agent went is turned down; a wake is not delivered. */
static void test_gone_agent_hears_nothing(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_left(&u, &s, agent, 0);
    use_delivers = false;
    use_wake(&s, agent, "t-1", 1, "1");
    USE_LOG("wake:t-1:1 ");
    n_closed = 0;
    agent_close(agent, on_closed, NULL);
    use_call(&s, agent, "t-1", 1, "say");
    use_write(&s, agent, "t-1", "x");
    use_wake(&s, agent, "t-1", 2, "2");
    stage_pass(&s, 3000);
    T_EQ(n_closed, 1);
    USE_LOG("");
    end();
}

static void test_closing_host_opens_none(void)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct agent_options o;
    struct agent *agent = NULL;
    int r;

    begin();
    o = use_options(&s, "late");
    agents_close(s.agents, stage_on_closed, &s);
    r = agent_open(s.agents, &o, &agent, &sentence);
    T_EQ(r, -ESHUTDOWN);
    T_OK(has(buf_str(&sentence), "closing"));
    if (r == 0) {
        agent_close(agent, NULL, NULL);
    }
    stage_pass(&s, 10);
    T_OK(s.is_closed);
    end();
}

int main(void)
{
    test_run_to_its_end();
    test_yields();
    test_yield_range();
    test_stop();
    test_list();
    test_one_watcher();
    test_order_of_returns();
    test_asks_anew();
    test_places_of_an_agent();
    test_places_of_a_host();
    test_kept_by_sequence();
    test_kept_is_bounded();
    test_held_one_takes_no_place();
    test_ids();
    test_gone_agent();
    test_gone_agent_hears_nothing();
    test_closing_host_opens_none();
    return T_DONE("agent");
}
