/* SPDX-License-Identifier: MIT
 *
 * The events of unit/orders-model.h, each told to the model and done, and what must hold between
 * them and after the last one.
 */
#ifndef UNIT_ORDERS_EVENTS_H
#define UNIT_ORDERS_EVENTS_H

#include "unit/orders-model.h"

/* ---- what the owner does ---- */

static inline struct side *open_side(bool is_primary)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct side *side = &sides[n_sides++ % MODEL_SIDES];
    struct agent_options o = AGENT_OPTIONS_DEFAULT;

    assert(!side->is_used || side->is_closed);
    *side = (struct side){.is_primary = is_primary, .is_used = true};
    o.name = bytes_str("a");
    o.tools = stage.play.tools;
    o.is_primary = is_primary;
    o.max_running = MODEL_RUNNING;
    o.max_kept = MODEL_KEPT;
    o.limits.output_head = MODEL_OUTPUT;
    o.limits.output_tail = MODEL_OUTPUT;
    o.callbacks = (struct agent_callbacks){
        .on_call = on_call, .on_cancel = on_cancel, .on_message = on_message, .on_ended = on_ended};
    o.arg = side;
    assert(agent_open(stage.agents, &o, &side->agent, &sentence) == 0);
    return side;
}

static inline struct mwatch *use_tool(struct side *side, enum agent_action action, int script,
                                      int64_t yield_ms, uint64_t turn)
{
    struct mwatch *w = &watches[n_watches++ % MODEL_WATCHES];
    struct mscript *m = &scripts[script];
    bool is_ended_turn = turn != 0 && (turn > n_turns || !turns[turn]);
    char id[ID_BYTES];
    struct agent_request request = {
        .input = {.action = action,
                  .code = bytes_str(action == AGENT_RUN ? "return 1" : ""),
                  .language = WIRE_JAVASCRIPT,
                  .yield_ms = yield_ms},
        .turn = turn,
        .on_return = on_return,
        .arg = w,
    };

    assert(w->watch == NULL);
    snprintf(id, sizeof id, "t-%d", script);
    request.input.script_id = bytes_str(id);
    *w = (struct mwatch){.side = side, .turn = turn, .action = action};
    if (action == AGENT_RUN) {
        w->must_refuse = is_ended_turn || side->n_running >= MODEL_RUNNING;
    } else if (action != AGENT_LIST) {
        w->must_refuse = m->side != side || m->watch != NULL || !is_kept(m);
        w->script = w->must_refuse ? 0 : script;
    }
    is_inside = true;
    assert(agent_do(side->agent, &request, &w->watch) == 0);
    is_inside = false;
    if (action == AGENT_RUN && !w->must_refuse) {
        w->script = ++n_scripts;
        assert(n_scripts < MODEL_SCRIPTS);
        scripts[w->script] = (struct mscript){.side = side, .turn = turn};
        side->n_running++;
    }
    if (w->script != 0) {
        scripts[w->script].watch = w;
        scripts[w->script].is_marked |= action == AGENT_STOP;
    }
    return w;
}

static inline void cancel(struct mwatch *w)
{
    if (w == NULL || w->watch == NULL) {
        return;
    }
    w->is_cancelled = true;
    if (w->script != 0 && scripts[w->script].watch == w) {
        scripts[w->script].watch = NULL;
    }
    is_inside = true;
    watch_cancel(steal_ptr(&w->watch));
    is_inside = false;
}

static inline void deliver(int script, bool is_delivered)
{
    struct mscript *m = &scripts[script];
    char id[ID_BYTES];

    if (m->side == NULL || m->side->agent == NULL || !m->is_out) {
        return;
    }
    snprintf(id, sizeof id, "t-%d", script);
    m->is_out = false;
    m->delivered_ms = m->was_wake ? play_now_us / 1000 : m->delivered_ms;
    is_inside = true;
    agent_delivered(m->side->agent, id, is_delivered);
    is_inside = false;
}

/* how: 0 answer, 1 refuse, 2 fail. */
static inline void answer(size_t at, int how)
{
    struct mcall c;

    if (at >= n_calls) {
        return;
    }
    c = calls[at];
    calls[at] = calls[--n_calls];
    is_inside = true;
    if (how == 1) {
        if (c.watch != NULL && scripts[c.script].watch == c.watch) {
            c.watch->n_refused++;
        }
        tool_refuse(c.call, "no");
    } else if (how == 2) {
        tool_fail(c.call, "lost");
    } else {
        tool_reply(c.call, bytes_str("{\"content\":[]}"));
    }
    is_inside = false;
}

static inline bool has_primary(void)
{
    for (int i = 0; i < MODEL_SIDES && i < n_sides; i++) {
        if (sides[i].agent != NULL && sides[i].is_primary) {
            return true;
        }
    }
    return false;
}

static inline uint64_t open_turn(void)
{
    uint64_t turn = turn_open(stage.agents);

    T_EQ(turn, ++n_turns);
    assert(n_turns < MODEL_TURNS);
    turns[turn] = true;
    return turn;
}

static inline void resume_turn(uint64_t turn)
{
    bool is_one = turn > 0 && turn <= n_turns;

    T_EQ(turn_resume(stage.agents, turn), is_one);
    if (is_one) {
        turns[turn] = true;
    }
}

/* The scripts that may still run are the newest ones. */
static inline int first_script(void)
{
    return n_scripts > 2000 ? n_scripts - 2000 : 1;
}

static inline void settle_turn(uint64_t turn)
{
    if (turn > 0 && turn <= n_turns && turns[turn]) {
        turns[turn] = false;
        for (int i = first_script(); i <= n_scripts && has_primary(); i++) {
            struct mscript *m = &scripts[i];

            if (m->side->agent != NULL && !m->side->is_primary && m->order == 0 &&
                !turns[m->turn]) {
                m->is_marked = true;
            }
        }
    }
    is_inside = true;
    turn_settle(stage.agents, turn);
    is_inside = false;
}

static inline void abandon_turn(uint64_t turn)
{
    if (turn > 0 && turn <= n_turns && turns[turn]) {
        turns[turn] = false;
        for (int i = first_script(); i <= n_scripts; i++) {
            struct mscript *m = &scripts[i];

            if (m->side->agent != NULL && m->watch != NULL && m->watch->turn == turn) {
                m->is_marked |= !m->has_returned;
                m->watch->is_let_go = true;
                m->watch = NULL;
            }
        }
    }
    is_inside = true;
    turn_abandon(stage.agents, turn);
    is_inside = false;
}

static inline void close_side(struct side *side)
{
    struct agent *agent = steal_ptr(&side->agent);

    if (agent == NULL) {
        return;
    }
    for (int i = 0; i < MODEL_WATCHES && i < n_watches; i++) {
        struct mwatch *w = &watches[i];

        if (w->side == side && w->watch != NULL) {
            w->is_let_go = true;
            if (w->script != 0 && scripts[w->script].watch == w) {
                scripts[w->script].is_marked = true;
            }
        }
    }
    is_inside = true;
    agent_close(agent, on_side_closed, side);
    is_inside = false;
}

/* ---- what a script does ---- */

/* Its process, where that can still say something. */
static inline struct stage_cell *cell_of(int script)
{
    struct mscript *m = &scripts[script];
    char id[ID_BYTES];

    if (script == 0 || m->side->agent == NULL || m->order != 0) {
        return NULL;
    }
    snprintf(id, sizeof id, "t-%d", script);
    return stage_cell(&stage, script_find(m->side->agent, bytes_str(id)));
}

static inline void write_some(int script, unsigned n)
{
    _cleanup_(buf_done) struct buf text = buf_max(4096);
    struct stage_cell *cell = cell_of(script);
    struct mscript *m = &scripts[script];

    if (cell == NULL || m->said != 0) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        buf_printf(&text, "%c", stream_at(script, m->written++));
    }
    stage_put(&stage, cell, output, .text = buf_bytes(&text));
}

static inline void wake_agent(int script)
{
    struct stage_cell *cell = cell_of(script);

    if (cell != NULL && scripts[script].said == 0 && scripts[script].sends < 90) {
        stage_put(&stage, cell, wake, .id = ++scripts[script].sends, .payload = bytes_str("{}"));
    }
}

static inline void call_tool_of(int script)
{
    struct stage_cell *cell = cell_of(script);

    if (cell != NULL && scripts[script].said == 0 && n_calls < MODEL_CALLS / 2) {
        stage_put(&stage, cell, call, .id = ++scripts[script].sends, .name = bytes_str("look"),
                  .args = bytes_str("{}"));
    }
}

static inline void say_end(int script, uint32_t kind)
{
    struct stage_cell *cell = cell_of(script);

    if (cell != NULL && scripts[script].said == 0) {
        scripts[script].said = kind;
        stage_put(&stage, cell, ending, .kind = kind, .name = bytes_none(), .message = bytes_none(),
                  .frames = bytes_none(), .notes = bytes_none(), .value = bytes_none());
    }
}

/* Its process goes: it exits, or crashes. */
static inline void die(int script, int status)
{
    struct stage_cell *cell = cell_of(script);

    if (cell != NULL) {
        uint32_t id = cell->id;

        fd_close(steal_fd(&cell->fd));
        stage_bury(&stage, id, status);
    }
}

/* ---- what holds ---- */

/* The newest endings are kept, and no more than may be where nothing holds one. */
static inline void check_kept(struct side *side)
{
    size_t n_kept = 0;
    size_t n_newest = 0;
    size_t n_untold = 0;

    if (side->agent == NULL) {
        return;
    }
    for (const struct script *s = side->agent->scripts; s != NULL; s = s->next) {
        n_kept += s->end_order != 0;
        n_untold += s->end_order != 0 && (s->wants_notice || s->watch != NULL);
    }
    T_OK(n_kept <= MODEL_KEPT + n_untold);
    for (uint64_t order = n_ends; order > 0 && n_newest < MODEL_KEPT; order--) {
        int i = n_scripts;

        while (i > 0 && scripts[i].order != order) {
            i--;
        }
        if (i > 0 && scripts[i].side == side) {
            n_newest++;
            T_OK(is_kept(&scripts[i]));
        }
    }
    T_EQ(side->agent->n_running, side->n_running);
}

/* What is under way comes to its end: nothing is stuck, nothing is owed. */
static inline void settle_all(struct side *side)
{
    if (side->agent == NULL) {
        return;
    }
    for (int i = first_script(); i <= n_scripts; i++) {
        if (scripts[i].side == side && scripts[i].order == 0 && scripts[i].watch == NULL) {
            use_tool(side, AGENT_STOP, i, -1, 0);
        }
    }
    stage_pass(&stage, 40 * 1000); /* past every yield */
    for (int i = first_script(); i <= n_scripts; i++) {
        if (scripts[i].side == side && scripts[i].order == 0 && scripts[i].watch == NULL) {
            use_tool(side, AGENT_STOP, i, -1, 0);
        }
    }
    stage_pass(&stage, 3000);
    for (int round = 0; round < 3; round++) {
        for (int i = first_script(); i <= n_scripts; i++) {
            deliver(i, true);
        }
        stage_pass(&stage, 1);
    }
    T_EQ(side->n_running, 0);
    for (int i = first_script(); i <= n_scripts; i++) {
        const struct mscript *m = &scripts[i];

        if (m->side == side) {
            T_OK(m->order != 0 && m->watch == NULL && !m->is_out);
            T_OK(!is_kept(m) || !m->is_bad || m->is_told || m->is_marked || m->n_notices == 1);
        }
    }
    check_kept(side);
    for (int i = first_script(); i <= n_scripts; i++) { /* what was not told yet is there */
        if (scripts[i].side == side && is_kept(&scripts[i])) {
            use_tool(side, AGENT_WAIT, i, 0, 0);
        }
    }
    use_tool(side, AGENT_RUN, 0, 0, 0); /* a place is free */
    stage_pass(&stage, 2);
    T_OK(!watches[(n_watches - 1) % MODEL_WATCHES].must_refuse);
    say_end(n_scripts, WIRE_END_FINISHED);
    die(n_scripts, 0);
    stage_turn(&stage);
    T_OK(scripts[n_scripts].order != 0);
}

/* Every watch has returned that was not cancelled. */
static inline void check_returned(void)
{
    for (int i = 0; i < MODEL_WATCHES && i < n_watches; i++) {
        T_EQ(watches[i].n_returns, !watches[i].is_cancelled);
    }
}

#endif
