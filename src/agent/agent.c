/* SPDX-License-Identifier: MIT
 *
 * Agents and what they share: the timer, the tag of ids, opening and closing.
 *
 * One timer serves all: it fires when the next watch is due, and looks at every watch and every
 * notice; there are few. A gone agent stays until its last script's process is gone, so that the
 * host's count of places holds.
 */
#include "agent/inside.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

static void on_timer(uv_timer_t *timer);

int agents_new(const struct agents_options *options, struct agents **ret)
{
    static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789";
    struct agents *agents = mem_new(sizeof *agents);
    uint8_t random[4] = {0};

    if (agents == NULL) {
        return -ENOMEM;
    }
    if (getrandom(random, sizeof random, 0) != sizeof random) {
        mem_free(agents);
        return -EIO;
    }
    agents->host = options->host;
    for (size_t i = 0; i < sizeof random; i++) {
        agents->tag[i] = letters[random[i] % (sizeof letters - 1)];
    }
    uv_timer_init(options->loop, &agents->timer);
    agents->timer.data = agents;
    *ret = agents;
    return 0;
}

/* One that is due, of those up to this order: what callbacks add is looked at another time, or an
 * owner that asks anew in each return would keep the loop. */
static struct watch *find_due(const struct agent *agent, int64_t now_ms, uint64_t last)
{
    for (struct watch *w = agent->watches; w != NULL && w->order <= last; w = w->next) {
        if (w->due_ms <= now_ms) {
            return w;
        }
    }
    return NULL;
}

static struct script *find_notice(const struct agent *agent)
{
    for (struct script *s = agent->scripts; s != NULL; s = s->next) {
        if (s->wants_notice && s->out == MESSAGE_NONE) {
            return s;
        }
    }
    return NULL;
}

/* Does one thing that is due; callbacks may change everything, so the search begins anew. */
static bool do_one(struct agents *agents, int64_t now_ms, uint64_t last)
{
    for (struct agent *a = agents->first; a != NULL; a = a->next) {
        struct watch *watch = find_due(a, now_ms, last);
        struct script *script = watch == NULL ? find_notice(a) : NULL;

        if (watch != NULL) {
            watch_return(watch);
            return true;
        }
        if (script != NULL) {
            script_notify(script);
            return true;
        }
    }
    return false;
}

static void start_timer(struct agents *agents, int64_t wait_ms)
{
    uv_update_time(agents->timer.loop);
    uv_timer_start(&agents->timer, on_timer, wait_ms < 0 ? 0 : (uint64_t)wait_ms, 0);
}

static int64_t next_due(const struct agents *agents)
{
    int64_t next = agents->must_look ? 0 : INT64_MAX;

    for (const struct agent *a = agents->first; a != NULL; a = a->next) {
        for (const struct watch *w = a->watches; w != NULL; w = w->next) {
            next = w->due_ms < next ? w->due_ms : next;
        }
    }
    return next;
}

/* A timer that is started anew for now, from its own callback, keeps the loop from all else. */
static void on_timer(uv_timer_t *timer)
{
    struct agents *agents = timer->data;
    int64_t now_ms = clock_now_ms();
    uint64_t last = agents->last_watch;
    int64_t next;

    agents->is_looking = true;
    agents_send_told(agents);
    while (do_one(agents, now_ms, last)) {
        agents_send_told(agents);
    }
    agents->must_look = false;
    agents_sweep(agents);
    agents_send_told(agents);
    agents->is_looking = false;
    next = next_due(agents);
    if (next != INT64_MAX && !uv_is_closing((uv_handle_t *)timer)) {
        start_timer(agents, next - now_ms < 1 ? 1 : next - now_ms);
    }
}

void agents_arm(struct agents *agents)
{
    agents->must_look = true;
    if (!agents->is_looking && !uv_is_closing((uv_handle_t *)&agents->timer)) {
        start_timer(agents, 0);
    }
}

/* ---- one agent ---- */

static int check_range(const char *what, uint64_t value, uint64_t min, uint64_t max,
                       struct buf *ret_sentence)
{
    if (value >= min && value <= max) {
        return 0;
    }
    buf_printf(ret_sentence, "%s must be between %ju and %ju; it is %ju", what, (uintmax_t)min,
               (uintmax_t)max, (uintmax_t)value);
    return -ERANGE;
}

static int check_options(const struct agent_options *o, struct buf *ret_sentence)
{
    int r = limits_check(&o->limits, ret_sentence);

    if (r == 0 && (o->callbacks.on_call == NULL || o->callbacks.on_cancel == NULL)) {
        buf_put_str(ret_sentence, "an agent needs on_call and on_cancel");
        r = -EINVAL;
    }
    if (r == 0) {
        r = check_range("max_running", o->max_running, 1, 1000, ret_sentence);
    }
    if (r == 0) {
        r = check_range("max_kept", o->max_kept, 0, 1000, ret_sentence);
    }
    if (r == 0) {
        r = check_range("inline_chars", o->inline_chars, 1000, 10 * 1000 * 1000, ret_sentence);
    }
    if (r == 0) {
        r = check_range("max_yield_ms", (uint64_t)o->max_yield_ms, 0, 86400000, ret_sentence);
    }
    if (r == 0) {
        r = check_range("yield_ms", (uint64_t)o->yield_ms, 0, (uint64_t)o->max_yield_ms,
                        ret_sentence);
    }
    return r;
}

int agent_open(struct agents *agents, const struct agent_options *options, struct agent **ret,
               struct buf *ret_sentence)
{
    int r = check_options(options, ret_sentence);
    struct agent *agent;
    struct agent **at = &agents->first;

    if (r < 0) {
        return r;
    }
    if (agents->is_closing) {
        buf_put_str(ret_sentence, "the host is closing: no agent can be opened any more");
        return -ESHUTDOWN;
    }
    agent = mem_new(sizeof *agent);
    if (agent == NULL) {
        buf_put_str(ret_sentence, "there is no memory for another agent");
        return -ENOMEM;
    }
    *agent = (struct agent){.agents = agents, .options = *options, .name = mem_str(options->name)};
    if (agent->name == NULL) {
        mem_free(agent);
        return -ENOMEM;
    }
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = agent;
    agents_tell(agents, EVENT_AGENT, NULL, 1, bytes_str(agent->name));
    *ret = agent;
    return 0;
}

void agent_set_tools(struct agent *agent, const struct toolset *tools)
{
    agent->options.tools = tools;
}

bool agent_uses_tools(const struct agent *agent, const struct toolset *tools)
{
    for (const struct script *s = agent->scripts; s != NULL; s = s->next) {
        if (s->tools == tools) {
            return true;
        }
    }
    return false;
}

void agent_set_limits(struct agent *agent, const struct limits *limits)
{
    agent->options.limits = *limits;
}

size_t agents_busy(const struct agents *agents)
{
    size_t n = 0;

    for (const struct agent *a = agents->first; a != NULL; a = a->next) {
        n += a->n_running + (a->is_gone ? 1 : 0) + (find_notice(a) != NULL ? 1 : 0);
        for (const struct watch *w = a->watches; w != NULL; w = w->next) {
            n++;
        }
    }
    return n;
}

/* Its watches return at once, its scripts are stopped. */
void agent_close(struct agent *agent, void (*on_closed)(void *arg), void *arg)
{
    if (agent->is_gone) {
        return;
    }
    agent->is_gone = true;
    agent->on_closed = on_closed;
    agent->on_closed_arg = arg;
    for (struct watch *w = agent->watches; w != NULL; w = w->next) {
        if (w->refusal.len == 0) {
            buf_put_str(&w->refusal, "This agent is gone; its scripts are stopped.");
        }
        w->due_ms = 0;
    }
    for (struct script *s = agent->scripts; s != NULL; s = s->next) {
        script_stop(s);
    }
    agents_arm(agent->agents);
}

static void free_agent(struct agent *agent)
{
    void (*on_closed)(void *arg) = agent->on_closed;
    void *arg = agent->on_closed_arg;

    agents_tell(agent->agents, EVENT_AGENT, NULL, 0, bytes_str(agent->name));
    mem_free(agent->name);
    mem_free(agent);
    if (on_closed != NULL) {
        on_closed(arg);
    }
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct agents *agents = handle->data;

    agents->is_timer_closed = true;
    agents->on_closed(agents->on_closed_arg);
}

void agents_sweep(struct agents *agents)
{
    struct agent **at = &agents->first;

    while (*at != NULL) {
        struct agent *agent = *at;

        if (agent->is_gone && agent->watches == NULL) {
            script_trim(agent);
        }
        if (!agent->is_gone || agent->watches != NULL || agent->scripts != NULL) {
            at = &agent->next;
            continue;
        }
        *at = agent->next;
        free_agent(agent);
        at = &agents->first; /* its callback may have opened or closed others */
    }
    if (agents->is_closing && agents->first == NULL &&
        !uv_is_closing((uv_handle_t *)&agents->timer)) {
        uv_close((uv_handle_t *)&agents->timer, on_timer_closed);
    }
}

void agents_close(struct agents *agents, void (*on_closed)(void *arg), void *arg)
{
    if (agents->is_closing) {
        return;
    }
    agents->is_closing = true;
    agents->on_closed = on_closed;
    agents->on_closed_arg = arg;
    for (struct agent *a = agents->first; a != NULL; a = a->next) {
        agent_close(a, NULL, NULL);
    }
    agents_arm(agents);
}

void agents_free(struct agents *agents)
{
    if (agents == NULL) {
        return;
    }
    agents_drop_told(agents);
    while (agents->turns != NULL) {
        struct turn *turn = agents->turns;

        agents->turns = turn->next;
        mem_free(turn);
    }
    mem_free(agents);
}
