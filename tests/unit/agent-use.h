/* SPDX-License-Identifier: MIT
 *
 * Uses of the tool on a stage (unit/agent-play.h), and what came of them.
 *
 * A use is one call of code_execution and remembers its return. What comes unasked for stands in
 * use_log, a word each: "wake:ID:PAYLOAD", "notice:ID", "ended:ID", "call:TURN:NAME",
 * "cancel:NAME".
 */
#ifndef UNIT_AGENT_USE_H
#define UNIT_AGENT_USE_H

#include "unit/agent-play.h"
#include "unit/t.h"

#include <stdlib.h>

struct use {
    struct watch *watch;
    int n_returns;
    bool is_error;
    char id[ID_BYTES];
    char text[4096];
    char round[1024]; /* "name " or "name!cause " */
    size_t n_calls;
};

enum { USE_MAX_CALLS = 32 };

static struct buf use_log;
static bool use_delivers = true; /* what comes is delivered at once */
static bool use_holds_calls;     /* calls are kept in use_calls, for the test to answer */
static struct tool_call *use_calls[USE_MAX_CALLS];
static size_t use_n_calls;
static bool use_is_inside; /* a function of the agent is being called: no callback may come */

static const char *const use_tools[] = {"say", "look", NULL};

static inline void use_put(const char *what, const char *id, struct bytes more)
{
    T_OK(!use_is_inside);
    buf_printf(&use_log, "%s%s", what, id);
    if (more.len > 0) {
        buf_put_str(&use_log, ":");
        buf_put_bytes(&use_log, more);
    }
    buf_put_str(&use_log, " ");
}

static inline void use_on_return(void *arg, const struct agent_return *ret)
{
    struct use *u = arg;
    size_t at = 0;

    T_OK(!use_is_inside);
    u->n_returns++;
    u->watch = NULL;
    u->is_error = ret->is_error;
    u->n_calls = ret->n_calls;
    snprintf(u->id, sizeof u->id, "%s", ret->script_id);
    snprintf(u->text, sizeof u->text, "%.*s", (int)ret->text.len, (const char *)ret->text.ptr);
    u->round[0] = '\0';
    for (size_t i = 0; i < ret->n_calls && at < sizeof u->round; i++) {
        const struct round_call *c = &ret->calls[i];

        at += (size_t)snprintf(u->round + at, sizeof u->round - at, "%s%s%s ", c->tool,
                               c->is_refused ? "!" : "", c->cause == NULL ? "" : c->cause);
    }
}

static inline void use_on_call(void *arg, struct tool_call *call)
{
    char turn[32];

    (void)arg;
    snprintf(turn, sizeof turn, "%" PRIu64, tool_call_turn(call));
    use_put("call:", turn, tool_call_name(call));
    if (use_holds_calls) {
        assert(use_n_calls < USE_MAX_CALLS);
        use_calls[use_n_calls++] = call;
    } else {
        tool_reply(call, bytes_str("{\"content\":[]}"));
    }
}

static inline void use_on_cancel(void *arg, struct tool_call *call)
{
    (void)arg;
    use_put("cancel", "", tool_call_name(call));
}

static inline void use_on_message(void *arg, struct agent *agent, const struct agent_message *m)
{
    (void)arg;
    use_put(m->is_notice ? "notice:" : "wake:", m->script_id, m->payload);
    if (use_delivers) {
        agent_delivered(agent, m->script_id, true);
    }
}

static inline void use_on_ended(void *arg, const char *script_id, const struct ending *ending)
{
    (void)arg;
    (void)ending;
    use_put("ended:", script_id, bytes_none());
}

static inline struct agent_options use_options(const struct stage *s, const char *name)
{
    struct agent_options o = AGENT_OPTIONS_DEFAULT;

    o.name = bytes_str(name);
    o.tools = s->play.tools;
    o.callbacks = (struct agent_callbacks){
        .on_call = use_on_call, .on_cancel = use_on_cancel, .on_message = use_on_message};
    return o;
}

static inline struct agent *use_open(struct stage *s, const struct agent_options *o)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct agent *agent = NULL;

    assert(agent_open(s->agents, o, &agent, &sentence) == 0);
    return agent;
}

static inline struct agent *use_agent(struct stage *s, const char *name)
{
    struct agent_options o = use_options(s, name);

    return use_open(s, &o);
}

static inline void use_begin(struct stage *s)
{
    stage_open(s, use_tools);
    use_log = buf_max(1 << 20);
    use_delivers = true;
    use_holds_calls = false;
    use_n_calls = 0;
}

static inline void use_end(struct stage *s)
{
    stage_close(s);
    buf_done(&use_log);
}

/* What has come since the last look is this. */
#define USE_LOG(want)                                                                              \
    do {                                                                                           \
        T_STR(buf_str(&use_log), (want));                                                          \
        buf_clear(&use_log);                                                                       \
    } while (0)

static inline void use_do(struct use *u, struct agent *agent, const struct agent_input *input,
                          uint64_t turn)
{
    struct agent_request request = {
        .input = *input, .turn = turn, .on_return = use_on_return, .arg = u};

    *u = (struct use){0};
    use_is_inside = true;
    assert(agent_do(agent, &request, &u->watch) == 0);
    use_is_inside = false;
}

static inline void use_run(struct use *u, struct agent *agent, int64_t yield_ms, uint64_t turn)
{
    use_do(u, agent,
           &(struct agent_input){.action = AGENT_RUN,
                                 .code = bytes_str("return 1"),
                                 .language = WIRE_JAVASCRIPT,
                                 .yield_ms = yield_ms,
                                 .script_id = bytes_none()},
           turn);
}

static inline void use_other(struct use *u, struct agent *agent, enum agent_action action,
                             const char *id, int64_t yield_ms, uint64_t turn)
{
    use_do(u, agent,
           &(struct agent_input){.action = action,
                                 .code = bytes_none(),
                                 .yield_ms = yield_ms,
                                 .script_id = bytes_str(id)},
           turn);
}

static inline void use_wait(struct use *u, struct agent *agent, const char *id, int64_t yield_ms)
{
    use_other(u, agent, AGENT_WAIT, id, yield_ms, 0);
}

static inline void use_stop(struct use *u, struct agent *agent, const char *id)
{
    use_other(u, agent, AGENT_STOP, id, -1, 0);
}

static inline void use_list(struct use *u, struct agent *agent)
{
    use_other(u, agent, AGENT_LIST, "", -1, 0);
}

static inline void use_cancel(struct use *u)
{
    use_is_inside = true;
    watch_cancel(steal_ptr(&u->watch));
    use_is_inside = false;
}

/* ---- what the scripts do ---- */

static inline struct stage_cell *use_cell(struct stage *s, struct agent *agent, const char *id)
{
    struct stage_cell *cell;

    stage_turn(s);
    cell = stage_cell(s, script_find(agent, bytes_str(id)));
    assert(cell != NULL);
    return cell;
}

static inline void use_write(struct stage *s, struct agent *agent, const char *id, const char *text)
{
    stage_put(s, use_cell(s, agent, id), output, .text = bytes_str(text));
    stage_turn(s);
}

static inline void use_call(struct stage *s, struct agent *agent, const char *id, uint32_t call,
                            const char *tool)
{
    stage_put(s, use_cell(s, agent, id), call, .id = call, .name = bytes_str(tool),
              .args = bytes_str("{}"));
    stage_turn(s);
}

static inline void use_wake(struct stage *s, struct agent *agent, const char *id, uint32_t wake,
                            const char *payload)
{
    stage_put(s, use_cell(s, agent, id), wake, .id = wake, .payload = bytes_str(payload));
    stage_turn(s);
}

/* It says how it ended; its process is there yet. */
static inline void use_say_end(struct stage *s, struct stage_cell *cell, uint32_t kind)
{
    stage_put(
        s, cell, ending, .kind = kind, .name = bytes_str(kind == WIRE_END_FAILED ? "Error" : ""),
        .message = bytes_str(kind == WIRE_END_FAILED ? "no luck" : ""), .frames = bytes_none(),
        .notes = bytes_none(), .value = bytes_str(kind == WIRE_END_FINISHED ? "42" : ""));
}

static inline void use_finish(struct stage *s, struct agent *agent, const char *id, uint32_t kind)
{
    struct stage_cell *cell = use_cell(s, agent, id);

    use_say_end(s, cell, kind);
    stage_die(s, cell, 0);
}

/* A run that has yielded at once: its id stands in u. */
static inline void use_left(struct use *u, struct stage *s, struct agent *agent, uint64_t turn)
{
    use_run(u, agent, 0, turn);
    stage_turn(s);
    stage_pass(s, 1);
    assert(u->n_returns == 1 && u->id[0] != '\0');
}

static inline bool has(const char *text, const char *part)
{
    bool is_there = strstr(text, part) != NULL;

    if (!is_there) {
        fprintf(stderr, "no \"%s\" in: %s\n", part, text);
    }
    return is_there;
}

static inline size_t count_kept(const struct agent *agent)
{
    size_t n = 0;

    for (const struct script *sc = agent->scripts; sc != NULL; sc = sc->next) {
        n += sc->end_order != 0;
    }
    return n;
}

#endif
