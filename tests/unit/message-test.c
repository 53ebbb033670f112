/* SPDX-License-Identifier: MIT
 *
 * What an agent hears without asking (src/agent/script.c): its scripts' wakes, and the notice that
 * one which nobody watches ended badly. Cells are played, time is said; see unit/agent-use.h.
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

/* ---- a script that nobody watches ---- */

static void test_cancel(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_run(&u, agent, -1, 0);
    use_write(&s, agent, "t-1", "kept");
    use_cancel(&u);
    stage_pass(&s, 60000);
    T_EQ(u.n_returns, 0);
    T_OK(!use_cell(&s, agent, "t-1")->heard_stop);
    use_wait(&u, agent, "t-1", 1);
    stage_pass(&s, 1);
    T_OK(u.n_returns == 1 && has(u.text, "kept"));
    use_wait(&u, agent, "t-1", -1);
    use_cancel(&u);
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    USE_LOG("notice:t-1 ");
    for (int i = 0; i < 2; i++) { /* nobody was told, but the notice went out: no second */
        use_wait(&u, agent, "t-1", -1);
        use_cancel(&u);
        stage_pass(&s, 1);
    }
    USE_LOG("");
    use_list(&u, agent);
    use_cancel(&u);
    stage_pass(&s, 1);
    T_EQ(u.n_returns, 0);
    end();
}

static void cancel_when_ended(void *arg, const char *script_id, const struct ending *ending)
{
    struct use *u = arg;

    (void)script_id;
    (void)ending;
    if (u->watch != NULL) {
        watch_cancel(steal_ptr(&u->watch));
    }
}

/* The client goes just as the script has ended and before its return: nobody was told. */
static void test_cancel_at_the_end(void)
{
    struct agent_options o;
    struct agent *agent;
    struct use u;

    begin();
    o = use_options(&s, "a");
    o.callbacks.on_ended = cancel_when_ended;
    o.arg = &u;
    agent = use_open(&s, &o);
    use_run(&u, agent, -1, 0);
    stage_turn(&s);
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    T_EQ(u.n_returns, 0);
    USE_LOG("notice:t-1 ");
    use_run(&u, agent, -1, 0);
    stage_turn(&s);
    use_finish(&s, agent, "t-2", WIRE_END_FINISHED);
    USE_LOG("");
    end();
}

static void test_notice_kinds(void)
{
    static const struct {
        uint32_t kind;
        bool is_told;
    } rows[] = {
        {WIRE_END_FINISHED, false}, {WIRE_END_FAILED, true},  {WIRE_END_STALLED, true},
        {WIRE_END_OVERSIZE, true},  {WIRE_END_TRAPPED, true},
    };
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char want[64];

        use_left(&u, &s, agent, 0);
        snprintf(want, sizeof want, "notice:%s ", u.id);
        use_finish(&s, agent, u.id, rows[i].kind);
        USE_LOG(rows[i].is_told ? want : "");
    }
    use_left(&u, &s, agent, 0);
    stage_die(&s, use_cell(&s, agent, u.id), SIGSEGV);
    USE_LOG("notice:t-6 ");
    use_left(&u, &s, agent, 0);
    stage_pass(&s, 3600 * 1000 + 2000);
    USE_LOG("notice:t-7 ");
    use_wait(&u, agent, "t-7", 0);
    stage_pass(&s, 1);
    T_OK(u.is_error && has(u.text, "its lifetime of 1 h passed"));
    end();
}

/* Whoever has no ear for messages is sent none, and cannot be woken. */
static void test_no_messages(void)
{
    struct agent_options o;
    struct agent *agent;
    struct use u;

    begin();
    o = use_options(&s, "a");
    o.callbacks.on_message = NULL;
    agent = use_open(&s, &o);
    use_left(&u, &s, agent, 0);
    use_wake(&s, agent, "t-1", 1, "1");
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    stage_pass(&s, 1000);
    T_EQ(run_ending(agent->scripts->run)->wakes_sent, 1);
    T_EQ(run_ending(agent->scripts->run)->wakes_handed, 0);
    USE_LOG("");
    end();
}

static void test_notice_after_its_wake(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_delivers = false;
    use_left(&u, &s, agent, 0);
    use_wake(&s, agent, "t-1", 1, "\"w\"");
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    stage_pass(&s, 5000);
    USE_LOG("wake:t-1:\"w\" ");
    agent_delivered(agent, "t-1", false); /* it could not be: the notice comes all the same */
    USE_LOG("");
    stage_turn(&s);
    USE_LOG("notice:t-1 ");

    use_left(&u, &s, agent, 0); /* a wait has meanwhile returned the ending */
    use_wake(&s, agent, "t-2", 1, "2");
    use_finish(&s, agent, "t-2", WIRE_END_FAILED);
    use_wait(&u, agent, "t-2", -1);
    stage_pass(&s, 1);
    T_OK(u.n_returns == 1 && u.is_error);
    agent_delivered(agent, "t-2", true);
    stage_pass(&s, 1);
    USE_LOG("wake:t-2:2 ");

    use_left(&u, &s, agent, 0); /* one that was cancelled has not */
    use_wake(&s, agent, "t-3", 1, "3");
    use_finish(&s, agent, "t-3", WIRE_END_FAILED);
    use_wait(&u, agent, "t-3", -1);
    agent_delivered(agent, "t-3", true);
    use_cancel(&u);
    stage_pass(&s, 1);
    USE_LOG("wake:t-3:3 notice:t-3 ");
    end();
}

static struct use waiting;

/* Says that the wake has arrived, and waits for the script in the same breath. */
static void on_list(void *arg, const struct agent_return *ret)
{
    (void)ret;
    agent_delivered(arg, "t-1", true);
    use_wait(&waiting, arg, "t-1", -1);
}

static void test_wait_from_a_return(void)
{
    struct agent_request list = {.input = {.action = AGENT_LIST,
                                           .code = bytes_none(),
                                           .yield_ms = -1,
                                           .script_id = bytes_none()},
                                 .on_return = on_list};
    struct watch *watch;
    struct use u;

    begin();
    list.arg = use_agent(&s, "a");
    use_delivers = false;
    use_left(&u, &s, list.arg, 0);
    use_wake(&s, list.arg, "t-1", 1, "1");
    use_finish(&s, list.arg, "t-1", WIRE_END_FAILED);
    T_EQ(agent_do(list.arg, &list, &watch), 0);
    stage_pass(&s, 10);
    T_OK(waiting.n_returns == 1 && has(waiting.text, "no luck"));
    USE_LOG("wake:t-1:1 "); /* and no notice */
    end();
}

/* A stop marks its script before anything else can happen. */
static void test_stop_sends_no_notice(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_left(&u, &s, agent, 0); /* it throws as the stop comes */
    use_say_end(&s, use_cell(&s, agent, "t-1"), WIRE_END_FAILED);
    use_stop(&u, agent, "t-1");
    use_cancel(&u);
    stage_die(&s, use_cell(&s, agent, "t-1"), 0);
    USE_LOG("");

    use_delivers = false;
    use_left(&u, &s, agent, 0); /* its notice waits */
    use_wake(&s, agent, "t-2", 1, "2");
    use_finish(&s, agent, "t-2", WIRE_END_FAILED);
    use_stop(&u, agent, "t-2");
    agent_delivered(agent, "t-2", true);
    stage_pass(&s, 1);
    T_OK(u.n_returns == 1 && u.is_error && has(u.text, "no luck"));
    USE_LOG("wake:t-2:2 ");
    end();
}

static char ended_id[ID_BYTES];

static void deliver_when_ended(void *arg, const char *script_id, const struct ending *ending)
{
    struct agent **agent = arg;

    (void)ending;
    snprintf(ended_id, sizeof ended_id, "%s", script_id);
    agent_delivered(*agent, "t-1", true);
}

/* What an owner does when it hears of an end may let the script go. */
static void test_on_ended(void)
{
    struct agent_options o;
    struct agent *agent;
    struct use u;

    begin();
    o = use_options(&s, "a");
    o.callbacks.on_ended = deliver_when_ended;
    o.arg = &agent;
    o.max_kept = 0;
    agent = use_open(&s, &o);
    use_delivers = false;
    use_left(&u, &s, agent, 0);
    use_wake(&s, agent, "t-1", 1, "1");
    use_finish(&s, agent, "t-1", WIRE_END_FINISHED);
    T_STR(ended_id, "t-1");
    T_EQ(count_kept(agent), 0);
    use_run(&u, agent, -1, 0); /* none is kept, and the ending is told all the same */
    stage_turn(&s);
    use_finish(&s, agent, "t-2", WIRE_END_FINISHED);
    T_OK(u.n_returns == 1 && has(u.text, "42"));
    T_OK(agent->scripts == NULL);
    end();
}

/* ---- wakes ---- */

static void test_wakes(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_delivers = false;
    use_left(&u, &s, agent, 0);
    use_wake(&s, agent, "t-1", 1, "1");
    use_wake(&s, agent, "t-1", 2, "2");
    use_wake(&s, agent, "t-1", 3, "3");
    stage_pass(&s, 5000);
    USE_LOG("wake:t-1:1 ");
    agent_delivered(agent, "t-1", true); /* the second is counted from here */
    agent_delivered(agent, "t-1", true); /* there is none out */
    stage_pass(&s, 999);
    USE_LOG("");
    stage_pass(&s, 1);
    USE_LOG("wake:t-1:2 ");
    agent_delivered(agent, "t-1", false);
    use_stop(&u, agent, "t-1"); /* what waits is never sent */
    stage_pass(&s, 1500);
    use_finish(&s, agent, "t-1", WIRE_END_STOPPED);
    stage_pass(&s, 5000);
    USE_LOG("");
    T_EQ(run_ending(agent->scripts->run)->wakes_sent, 3);
    T_EQ(run_ending(agent->scripts->run)->wakes_handed, 2);
    T_EQ(run_ending(agent->scripts->run)->wakes_delivered, 1);
    use_list(&u, agent);
    stage_turn(&s);
    T_OK(has(u.text, "1 wake"));
    end();
}

static void test_wake_caps(void)
{
    struct agent_options o;
    struct agent *agent;
    struct use u;

    begin();
    o = use_options(&s, "a");
    o.limits.max_wakes = 0;
    agent = use_open(&s, &o);
    use_left(&u, &s, agent, 0);
    use_wake(&s, agent, "t-1", 1, "1"); /* its own cell would have refused it */
    stage_pass(&s, 1);
    USE_LOG("notice:t-1 ");
    use_wait(&u, agent, "t-1", 0);
    stage_pass(&s, 1);
    T_OK(has(u.text, "max_wakes (0)"));
    end();
}

int main(void)
{
    test_cancel();
    test_cancel_at_the_end();
    test_notice_kinds();
    test_no_messages();
    test_notice_after_its_wake();
    test_wait_from_a_return();
    test_stop_sends_no_notice();
    test_on_ended();
    test_wakes();
    test_wake_caps();
    return T_DONE("message");
}
