/* SPDX-License-Identifier: MIT
 *
 * The stream of events (src/host/events.tbl.h, doc/events.md): what a script's life tells, in the
 * order of the times, each with both clocks, and never from inside the function that caused it.
 * Cells are played, time is said; see unit/agent-use.h.
 */
#include "base/clock.h"
#include "unit/agent-use.h"

static struct stage s;
static struct buf heard; /* "name:number:text " */
static int64_t last_us;
static size_t n_runless;

static void on_event(void *arg, const struct event *event)
{
    T_OK(arg == &s);
    T_OK(!use_is_inside);
    T_OK(event->mono_us > 0 && event->mono_us <= clock_now_us());
    T_OK(event->wall_ms > 1700000000000);
    last_us = event->mono_us > last_us ? event->mono_us : last_us;
    n_runless += event->run == 0;
    buf_printf(&heard, "%s:%" PRId64 ":", event_name(event->type), event->number);
    buf_put_bytes(&heard, event->text);
    buf_put_str(&heard, " ");
}

static void hears(const char *want)
{
    T_STR(buf_str(&heard), want);
    buf_clear(&heard);
}

static void begin(void)
{
    use_begin(&s);
    heard = buf_max(1 << 16);
    s.play.host->options.on_event = on_event;
    s.play.host->options.event_arg = &s;
}

static void test_life(void)
{
    struct agent *agent;
    struct use u;
    uint64_t turn;

    begin();
    turn = turn_open(s.agents);
    agent = use_agent(&s, "a");
    hears("");
    stage_turn(&s);
    hears("turn:1:opened agent:1:a ");
    use_run(&u, agent, -1, turn);
    hears("");
    stage_turn(&s);
    T_OK(has(buf_str(&heard), "watch:1: script:1:t-1 "));
    buf_clear(&heard);
    use_write(&s, agent, "t-1", "some");
    use_call(&s, agent, "t-1", 5, "say");
    stage_turn(&s);
    T_OK(has(buf_str(&heard), "output:4: "));
    T_OK(has(buf_str(&heard), "call:5:say "));
    T_OK(has(buf_str(&heard), "answered:5:answered "));
    buf_clear(&heard);
    use_wake(&s, agent, "t-1", 3, "[1]");
    stage_turn(&s);
    T_OK(has(buf_str(&heard), "wake:3:[1] "));
    T_OK(has(buf_str(&heard), "message:0:t-1 "));
    buf_clear(&heard);
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    T_OK(has(buf_str(&heard), "run_ended:0:failed "));
    T_OK(has(buf_str(&heard), "return:1:t-1 "));
    buf_clear(&heard);
    use_list(&u, agent);
    stage_turn(&s);
    hears("watch:4: return:0: ");
    turn_settle(s.agents, turn);
    T_OK(turn_resume(s.agents, turn));
    turn_abandon(s.agents, turn);
    turn_abandon(s.agents, turn); /* it had ended */
    stage_turn(&s);
    hears("turn:1:settled turn:1:resumed turn:1:abandoned ");
    T_OK(n_runless > 0);
    agent_close(agent, NULL, NULL);
    stage_turn(&s);
    hears("agent:0:a ");
    use_end(&s);
    buf_done(&heard);
}

/* A script that is left, and ends badly. */
static void test_notice(void)
{
    struct agent *agent;
    struct use u;

    begin();
    agent = use_agent(&s, "a");
    use_left(&u, &s, agent, 0);
    buf_clear(&heard);
    use_finish(&s, agent, "t-1", WIRE_END_FAILED);
    T_OK(has(buf_str(&heard), "message:1:t-1 "));
    T_OK(strstr(buf_str(&heard), "return:") == NULL);
    use_end(&s);
    buf_done(&heard);
}

/* Nobody listens: nothing is kept for them. */
static void test_deaf(void)
{
    begin();
    s.play.host->options.on_event = NULL;
    turn_open(s.agents);
    T_OK(s.agents->told == NULL);
    s.play.host->options.on_event = on_event;
    stage_turn(&s);
    hears("");
    turn_open(s.agents);
    T_OK(s.agents->told != NULL); /* and what nobody heard is freed with the agents */
    use_end(&s);
    buf_done(&heard);
}

int main(void)
{
    test_life();
    test_notice();
    test_deaf();
    return T_DONE("events");
}
