/* SPDX-License-Identifier: MIT
 *
 * What must hold of agents and their scripts in whatever order things come: a model that is told
 * each event, knows what may follow, and checks every callback.
 *
 * It knows nothing of how src/agent does it but asks whether a script is still kept. A script
 * writes a stream whose characters follow from its number and their place, so that nothing can be
 * lost or told twice unseen. See unit/agent-play.h for the stage.
 */
#ifndef UNIT_ORDERS_MODEL_H
#define UNIT_ORDERS_MODEL_H

#include "unit/agent-play.h"
#include "unit/t.h"
#include "json/json.h"

#include <stdlib.h>

enum {
    MODEL_SCRIPTS = 1 << 17,
    MODEL_WATCHES = 4096, /* a ring */
    MODEL_SIDES = 4096,   /* likewise */
    MODEL_TURNS = 1 << 16,
    MODEL_CALLS = 64,
    MODEL_KEPT = 3,
    MODEL_RUNNING = 3,
    MODEL_OUTPUT = 30,
};

/* An agent. */
struct side {
    struct agent *agent; /* NULL: it was closed */
    bool is_primary;
    bool is_used;
    bool is_closed; /* and that was said */
    size_t n_running;
};

struct mwatch {
    struct watch *watch;
    struct side *side;
    int script; /* 0: none */
    uint64_t turn;
    enum agent_action action;
    bool must_refuse;
    bool is_let_go; /* by an abandoned turn or its agent's end */
    bool is_cancelled;
    int n_returns;
    size_t n_calls;
    size_t n_refused;
};

struct mscript {
    struct side *side;
    struct mwatch *watch; /* that has it */
    uint64_t turn;
    uint32_t sends; /* ids of its calls and wakes */
    uint64_t written;
    uint64_t told;
    uint64_t order;       /* of its ending; 0: it runs */
    uint32_t said;        /* how its cell said it ended */
    char state[16];       /* of its ending */
    int64_t delivered_ms; /* its last wake */
    bool is_bad;
    bool has_returned;
    bool is_told;   /* its ending was returned */
    bool is_marked; /* stopped, or nobody's */
    bool is_out;    /* a message of it is being delivered */
    bool was_wake;
    int n_notices;
};

struct mcall {
    struct tool_call *call;
    struct mwatch *watch; /* that collected it */
    int script;
};

static struct stage stage;
static struct mscript *scripts; /* by number, from 1 */
static int n_scripts;
static struct mwatch *watches;
static int n_watches;
static struct side *sides;
static int n_sides;
static bool *turns; /* which are live */
static uint64_t n_turns;
static struct mcall calls[MODEL_CALLS];
static size_t n_calls;
static uint64_t n_ends;
static bool is_inside; /* of a function that must not call back */
static uint64_t n_notices_seen, n_returns_seen, n_endings_seen; /* that the walk goes somewhere */

static const char *const model_tools[] = {"say", "look", NULL};

static inline int number_of(const char *id)
{
    return id[0] == '\0' ? 0 : (int)strtoull(id + 2, NULL, 10); /* "t-7" */
}

static inline char stream_at(int script, uint64_t at)
{
    return (char)('a' + ((uint64_t)script * 7 + at * 3 + at / 26) % 26);
}

static inline bool is_kept(const struct mscript *m)
{
    char id[ID_BYTES];

    snprintf(id, sizeof id, "t-%d", (int)(m - scripts));
    return m->side != NULL && m->side->agent != NULL &&
           script_find(m->side->agent, bytes_str(id)) != NULL;
}

/* ---- what comes ---- */

static inline void take_part(int script, struct bytes json)
{
    _cleanup_(buf_done) struct buf text = buf_max(1 << 20);
    struct mscript *m = &scripts[script];

    T_EQ(json_text(json, &text), 0);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != (uint8_t)stream_at(script, m->told++)) {
            T_FAIL("output lost, told twice or out of order");
            return;
        }
    }
}

static inline void take_output_of(int script, struct bytes structured)
{
    struct bytes output = json_get(structured, "output");
    int64_t dropped = -1;

    take_part(script, json_get(output, "head"));
    T_EQ(json_int(json_get(output, "dropped"), 0, INT64_MAX, &dropped), 0);
    scripts[script].told += (uint64_t)dropped;
    take_part(script, json_get(output, "tail"));
    T_OK(scripts[script].told <= scripts[script].written);
    if (scripts[script].order != 0) {
        T_EQ(scripts[script].told, scripts[script].written);
    }
}

static inline void take_script_return(struct mwatch *w, const struct agent_return *ret)
{
    struct bytes state = json_get(ret->structured, "state");
    struct mscript *m = &scripts[w->script];
    bool is_running = json_is(state, "running");

    T_EQ(number_of(ret->script_id), w->script);
    T_OK(m->watch == w);
    m->watch = NULL;
    m->has_returned = true;
    T_EQ(is_running, m->order == 0);
    if (m->order != 0) {
        T_OK(json_is(state, m->state));
        m->is_told = true;
    }
    T_EQ(ret->is_error, m->order != 0 && m->is_bad);
    T_OK(w->action != AGENT_STOP || m->order != 0);
    take_output_of(w->script, ret->structured);
}

static inline void on_return(void *arg, const struct agent_return *ret)
{
    struct mwatch *w = arg;
    struct bytes state = json_get(ret->structured, "state");
    bool is_left = json_is(state, "left");
    bool is_refused = json_is(state, "refused") || is_left;
    size_t n_refused = 0;

    T_OK(!is_inside && !w->is_cancelled && !w->side->is_closed);
    T_EQ(++w->n_returns, 1);
    w->watch = NULL;
    n_returns_seen++;
    T_EQ(is_refused, w->must_refuse || w->is_let_go);
    T_OK(!is_left || (w->is_let_go && number_of(ret->script_id) == w->script));
    T_EQ(ret->n_calls, w->n_calls);
    for (size_t i = 0; i < ret->n_calls; i++) {
        n_refused += ret->calls[i].is_refused;
    }
    T_EQ(n_refused, w->n_refused);
    if (is_refused) {
        T_OK(ret->is_error);
    } else if (w->script != 0) {
        take_script_return(w, ret);
    }
}

static inline void on_call(void *arg, struct tool_call *call)
{
    struct side *side = arg;
    int script = number_of(tool_call_script(call));
    struct mscript *m = &scripts[script];

    T_OK(!is_inside && side->agent != NULL && m->side == side && m->order == 0);
    T_EQ(tool_call_turn(call), m->watch == NULL ? 0 : m->watch->turn);
    assert(n_calls < MODEL_CALLS);
    calls[n_calls++] = (struct mcall){.call = call, .watch = m->watch, .script = script};
    if (m->watch != NULL) {
        m->watch->n_calls++;
    }
}

static inline void on_cancel(void *arg, struct tool_call *call)
{
    struct side *side = arg;

    (void)call;
    T_OK(!is_inside && !side->is_closed);
}

static inline void on_message(void *arg, struct agent *agent, const struct agent_message *message)
{
    struct side *side = arg;
    struct mscript *m = &scripts[number_of(message->script_id)];

    T_OK(!is_inside && side->agent == agent && m->side == side);
    T_OK(!m->is_out); /* one after the other */
    m->is_out = true;
    m->was_wake = !message->is_notice;
    if (message->is_notice) {
        T_EQ(++m->n_notices, 1);
        T_OK(m->order != 0 && m->is_bad && !m->is_told && !m->is_marked && m->watch == NULL);
        n_notices_seen++;
    } else {
        T_OK(m->order == 0 && !m->is_marked);
        T_OK(m->delivered_ms == 0 || play_now_us / 1000 >= m->delivered_ms + 1000);
    }
}

static inline void on_ended(void *arg, const char *script_id, const struct ending *ending)
{
    struct side *side = arg;
    struct mscript *m = &scripts[number_of(script_id)];

    T_OK(!is_inside && side->agent != NULL && m->side == side);
    T_EQ(m->order, 0); /* one ending */
    m->order = ++n_ends;
    m->is_bad = ending->kind != ENDING_FINISHED && ending->kind != ENDING_STOPPED;
    snprintf(m->state, sizeof m->state, "%s", ending_name(ending->kind));
    side->n_running--;
    n_endings_seen++;
}

static inline void on_side_closed(void *arg)
{
    struct side *side = arg;

    T_OK(!is_inside && side->agent == NULL && !side->is_closed);
    side->is_closed = true;
}

/* ---- begin and end ---- */

static inline void model_open(void)
{
    stage_open(&stage, model_tools);
    scripts = mem_array(MODEL_SCRIPTS, sizeof *scripts);
    watches = mem_array(MODEL_WATCHES, sizeof *watches);
    sides = mem_array(MODEL_SIDES, sizeof *sides);
    turns = mem_array(MODEL_TURNS, sizeof *turns);
    assert(scripts != NULL && watches != NULL && sides != NULL && turns != NULL);
}

static inline void model_clear(void)
{
    for (int i = 0; i <= n_scripts; i++) {
        scripts[i] = (struct mscript){0};
    }
    for (int i = 0; i < MODEL_WATCHES && i < n_watches; i++) {
        watches[i] = (struct mwatch){0};
    }
    n_watches = 0;
    stage.agents->last_script = 0;
    n_scripts = 0;
    for (uint64_t i = 0; i <= n_turns; i++) {
        turn_abandon(stage.agents, i);
        turns[i] = false;
    }
    stage.agents->last_turn = 0;
    n_turns = 0;
}

static inline void model_close(void)
{
    while (n_calls > 0) { /* a call is valid no longer than its host */
        tool_reply(calls[--n_calls].call, bytes_str("{}"));
    }
    stage_close(&stage);
    mem_free(scripts);
    mem_free(watches);
    mem_free(sides);
    mem_free(turns);
    n_scripts = 0;
    n_watches = 0;
    n_sides = 0;
    n_turns = 0;
    n_ends = 0;
}

#endif
