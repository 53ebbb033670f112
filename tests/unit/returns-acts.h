/* SPDX-License-Identifier: MIT
 *
 * What the lines of a play do: settings, the agent, cells, tools; see unit/returns-play.h.
 */
#ifndef UNIT_RETURNS_ACTS_H
#define UNIT_RETURNS_ACTS_H

#include "unit/returns-told.h"

/* ---- settings ---- */

static inline void set_agent(struct returns *r, struct bytes rest)
{
    struct agent_options *o = &r->options;
    struct bytes name = word_take(&rest);

    assert(r->agent == NULL);
    if (bytes_is(name, "deaf")) {
        r->is_deaf = true;
    } else if (bytes_is(name, "max_running")) {
        o->max_running = (unsigned)number_take(&rest);
    } else if (bytes_is(name, "max_kept")) {
        o->max_kept = (unsigned)number_take(&rest);
    } else {
        assert(bytes_is(name, "inline_chars"));
        o->inline_chars = (size_t)number_take(&rest);
    }
}

static inline void set_limit(struct returns *r, struct bytes rest)
{
    _cleanup_(buf_done) struct buf text = buf_max(256);
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);

    buf_put_bytes(&text, rest);
    assert(r->agent == NULL);
    assert(limits_parse(&r->options.limits, buf_str(&text), &sentence) == 0);
}

static inline void set_tool(struct returns *r, struct bytes rest)
{
    struct bytes name = word_take(&rest);

    assert(r->agent == NULL && r->n_tools < MAX_TOOLS - 1 && name.len < sizeof r->tools[0]);
    memcpy(r->tools[r->n_tools], name.ptr, name.len);
    r->is_auto[r->n_tools++] = bytes_is(rest, "auto");
}

/* The first line that is no setting: the house stands. */
static inline void returns_open(struct returns *r)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    const char *names[MAX_TOOLS] = {0};

    for (size_t i = 0; i < r->n_tools; i++) {
        names[i] = r->tools[i];
    }
    stage_open(&r->stage, names);
    r->stage.play.host->options.max_cells = r->places;
    r->options.tools = r->stage.play.tools;
    r->options.name = bytes_str("agent");
    r->options.arg = r;
    r->options.callbacks =
        (struct agent_callbacks){.on_call = returns_on_call,
                                 .on_cancel = returns_on_cancel,
                                 .on_ended = returns_on_ended,
                                 .on_message = r->is_deaf ? NULL : returns_on_message};
    assert(agent_open(r->stage.agents, &r->options, &r->agent, &sentence) == 0);
}

/* ---- what the agent does ---- */

static inline void do_ask(struct returns *r, struct bytes json)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    _cleanup_(buf_done) struct buf code = buf_max(4 << 20);
    _cleanup_(buf_done) struct buf id = buf_max(65536);
    struct agent_request request = {.turn = r->turn, .on_return = returns_on_return, .arg = r};

    assert(json_check(json, 0, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL) == 0);
    r->n_waiting++;
    if (agent_read_input(r->agent, json, &request.input, &code, &id, &sentence) < 0) {
        assert(agent_refuse(r->agent, &request, buf_str(&sentence), &r->last) == 0);
        return;
    }
    T_EQ(sentence.len, 0);
    assert(agent_do(r->agent, &request, &r->last) == 0);
    if (request.input.action == AGENT_RUN) {
        r->script = (unsigned)r->stage.agents->last_script;
    }
}

/* The owner of the agent turns the use down itself. */
static inline void do_deny(struct returns *r, struct bytes rest)
{
    _cleanup_(buf_done) struct buf text = buf_max(PLAY_BYTES);
    struct agent_request request = {.on_return = returns_on_return, .arg = r};

    play_unescape(&text, rest);
    r->n_waiting++;
    assert(agent_refuse(r->agent, &request, buf_str(&text), &r->last) == 0);
}

static inline void do_cancel(struct returns *r, struct bytes rest)
{
    (void)rest;
    assert(r->last != NULL);
    watch_cancel(steal_ptr(&r->last));
    r->n_waiting--;
}

static inline void do_delivered(struct returns *r, struct bytes rest)
{
    char id[ID_BYTES] = "";

    memcpy(id, rest.ptr, rest.len);
    agent_delivered(r->agent, id, true);
}

static inline void do_lost(struct returns *r, struct bytes rest)
{
    char id[ID_BYTES] = "";

    memcpy(id, rest.ptr, rest.len);
    agent_delivered(r->agent, id, false);
}

static inline void do_turn(struct returns *r, struct bytes rest)
{
    struct agents *agents = r->stage.agents;

    if (bytes_is(rest, "open")) {
        r->turn = turn_open(agents);
    } else if (bytes_is(rest, "settle")) {
        turn_settle(agents, r->turn);
    } else {
        assert(bytes_is(rest, "abandon"));
        turn_abandon(agents, r->turn);
    }
}

static inline void do_close(struct returns *r, struct bytes rest)
{
    (void)rest;
    agent_close(r->agent, NULL, NULL);
}

static inline void do_show(struct returns *r, struct bytes rest)
{
    assert(rest.len < sizeof r->shown);
    memset(r->shown, 0, sizeof r->shown);
    memcpy(r->shown, rest.ptr, rest.len);
}

static inline void do_pass(struct returns *r, struct bytes rest)
{
    stage_pass(&r->stage, number_take(&rest));
}

/* ---- what a cell does ---- */

static inline struct script *script_now(const struct returns *r)
{
    char id[ID_BYTES];

    snprintf(id, sizeof id, "t-%u", r->script);
    return script_find(r->agent, bytes_str(id));
}

static inline struct stage_cell *cell_now(const struct returns *r)
{
    struct stage_cell *c = stage_cell(&r->stage, script_now(r));

    assert(c != NULL);
    return c;
}

static inline void do_script(struct returns *r, struct bytes rest)
{
    r->script = (unsigned)number_take(&rest);
}

static inline void do_cells(struct returns *r, struct bytes rest)
{
    r->stage.holds_spawns = bytes_is(rest, "held");
}

static inline void do_call(struct returns *r, struct bytes rest)
{
    _cleanup_(buf_done) struct buf tool = buf_max(PLAY_BYTES);

    play_unescape(&tool, word_take(&rest));
    stage_put(&r->stage, cell_now(r), call, .id = ++r->last_call[r->script],
              .name = buf_bytes(&tool), .args = rest);
}

static inline void do_calls(struct returns *r, struct bytes rest)
{
    for (int64_t n = number_take(&rest); n > 0; n--) {
        do_call(r, rest);
        stage_turn(&r->stage);
    }
}

static inline void do_blind(struct returns *r, struct bytes rest)
{
    (void)rest;
    cell_now(r)->is_blind = true;
}

static inline void do_seen(struct returns *r, struct bytes rest)
{
    uint32_t id = (uint32_t)number_take(&rest);

    stage_put(&r->stage, cell_now(r), seen, .id = id,
              .how = bytes_is(rest, "too large") ? WIRE_SEEN_TOO_LARGE : WIRE_SEEN_WHOLE);
}

static inline void do_out(struct returns *r, struct bytes rest)
{
    _cleanup_(buf_done) struct buf text = buf_max(PLAY_BYTES);
    struct bytes left;

    play_unescape(&text, rest);
    left = buf_bytes(&text);
    while (left.len > 0) {
        stage_put(&r->stage, cell_now(r), output, .text = bytes_first(left, 60000));
        stage_turn(&r->stage);
        left = bytes_from(left, 60000);
    }
}

static inline void do_wake(struct returns *r, struct bytes rest)
{
    stage_put(&r->stage, cell_now(r), wake, .id = ++r->last_call[r->script], .payload = rest);
}

static inline void do_memory(struct returns *r, struct bytes rest)
{
    atomic_store(&script_now(r)->run->cell->page->memory_kib, (uint32_t)number_take(&rest));
}

static inline void do_frames(struct returns *r, struct bytes rest)
{
    buf_put_bytes(&r->frames, rest);
}

static inline void do_notes(struct returns *r, struct bytes rest)
{
    buf_put_bytes(&r->notes, rest);
}

static inline void do_end(struct returns *r, struct bytes rest)
{
    static const char *const kinds[] = {
        [WIRE_END_FINISHED] = "finished", [WIRE_END_FAILED] = "failed",
        [WIRE_END_STALLED] = "stalled",   [WIRE_END_STOPPED] = "stopped",
        [WIRE_END_OVERSIZE] = "oversize", [WIRE_END_TRAPPED] = "trapped"};
    _cleanup_(buf_done) struct buf text = buf_max(PLAY_BYTES);
    struct bytes word = word_take(&rest);
    struct wire_ending m = {.name = bytes_none(),
                            .message = bytes_none(),
                            .frames = buf_bytes(&r->frames),
                            .notes = buf_bytes(&r->notes),
                            .value = bytes_none()};
    struct stage_cell *cell = cell_now(r);
    const uint8_t *colon;

    for (uint32_t i = WIRE_END_FINISHED; i <= WIRE_END_LAST; i++) {
        m.kind = bytes_is(word, kinds[i]) ? i : m.kind;
    }
    assert(m.kind != 0);
    if (m.kind == WIRE_END_FINISHED) {
        m.value = rest;
    } else {
        play_unescape(&text, rest);
        rest = buf_bytes(&text);
        colon = memmem(rest.ptr, rest.len, ": ", 2);
        m.name = bytes_first(rest, colon == NULL ? 0 : (size_t)(colon - rest.ptr));
        m.message = colon == NULL ? rest : bytes_from(rest, m.name.len + 2);
    }
    stage_put(&r->stage, cell, ending, .kind = m.kind, .name = m.name, .message = m.message,
              .frames = m.frames, .notes = m.notes, .value = m.value);
    stage_turn(&r->stage);
    if (stage_cell(&r->stage, script_now(r)) == cell) {
        stage_die(&r->stage, cell, 0);
    }
    buf_clear(&r->frames);
    buf_clear(&r->notes);
}

static inline void do_exit(struct returns *r, struct bytes rest)
{
    stage_die(&r->stage, cell_now(r), (int)number_take(&rest) << 8);
}

static inline void do_signal(struct returns *r, struct bytes rest)
{
    stage_die(&r->stage, cell_now(r), (int)number_take(&rest));
}

static inline void do_hangup(struct returns *r, struct bytes rest)
{
    (void)rest;
    fd_close(steal_fd(&cell_now(r)->fd));
}

static inline void do_kill(struct returns *r, struct bytes rest)
{
    if (bytes_is(rest, "cpu")) {
        run_end_now(script_now(r)->run, CAUSE_CPU);
    } else {
        run_kill(script_now(r)->run);
    }
}

/* The walls can't stand, in these words; or the warden is gone, and every process with it. */
static inline void do_walls(struct returns *r, struct bytes rest)
{
    _cleanup_(buf_done) struct buf text = buf_max(PLAY_BYTES);
    struct host *host = r->stage.play.host;

    if (bytes_is(rest, "gone")) {
        snprintf(host->warden_end, sizeof host->warden_end, " (ended by SIGKILL)");
        host_warden_gone(host);
        while (r->stage.cells != NULL) {
            stage_forget(&r->stage, r->stage.cells->id);
        }
    } else {
        play_unescape(&text, rest);
        host_lost(host, buf_str(&text));
    }
}

/* ---- what a tool does ---- */

static inline struct tool_call *call_take(struct returns *r, struct bytes *rest)
{
    uint32_t id = (uint32_t)number_take(rest);

    for (size_t i = 0; i < MAX_PENDING; i++) {
        struct tool_call *call = r->pending[i];

        if (call != NULL && tool_call_id(call) == id && call->script == script_now(r)) {
            r->pending[i] = NULL;
            return call;
        }
    }
    abort();
}

static inline void do_reply(struct returns *r, struct bytes rest)
{
    struct tool_call *call = call_take(r, &rest);

    tool_reply(call, rest);
}

static inline void do_fail(struct returns *r, struct bytes rest)
{
    _cleanup_(buf_done) struct buf text = buf_max(PLAY_BYTES);
    struct tool_call *call = call_take(r, &rest);

    play_unescape(&text, rest);
    tool_fail(call, buf_str(&text));
}

static inline void do_refuse(struct returns *r, struct bytes rest)
{
    _cleanup_(buf_done) struct buf text = buf_max(PLAY_BYTES);
    struct tool_call *call = call_take(r, &rest);

    play_unescape(&text, rest);
    tool_refuse(call, buf_str(&text));
}

#endif
