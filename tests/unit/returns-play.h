/* SPDX-License-Identifier: MIT
 *
 * Reads tests/returns/NAME.play, does what its lines say on a stage (unit/agent-play.h), and writes
 * the file anew with what the agent was told. tests/returns/README tells the form.
 */
#ifndef UNIT_RETURNS_PLAY_H
#define UNIT_RETURNS_PLAY_H

#include "unit/returns-acts.h"

static const struct {
    const char *word;
    void (*act)(struct returns *r, struct bytes rest);
    bool is_setting;
} returns_verbs[] = {
    {"agent", set_agent, true},
    {"limit", set_limit, true},
    {"tool", set_tool, true},
    {">", do_ask, false},
    {"cancel", do_cancel, false},
    {"deny", do_deny, false},
    {"delivered", do_delivered, false},
    {"lost", do_lost, false},
    {"turn", do_turn, false},
    {"close", do_close, false},
    {"show", do_show, true},
    {"pass", do_pass, false},
    {"script", do_script, false},
    {"cells", do_cells, false},
    {"call", do_call, false},
    {"calls", do_calls, false},
    {"blind", do_blind, false},
    {"seen", do_seen, false},
    {"out", do_out, false},
    {"wake", do_wake, false},
    {"memory", do_memory, false},
    {"frames", do_frames, false},
    {"notes", do_notes, false},
    {"end", do_end, false},
    {"exit", do_exit, false},
    {"signal", do_signal, false},
    {"hangup", do_hangup, false},
    {"walls", do_walls, false},
    {"kill", do_kill, false},
    {"reply", do_reply, false},
    {"fail", do_fail, false},
    {"refuse", do_refuse, false},
};

static inline void returns_line(struct returns *r, struct bytes line)
{
    _cleanup_(buf_done) struct buf text = buf_max(PLAY_BYTES);
    struct bytes rest;
    struct bytes word;

    play_expand(&text, line);
    rest = buf_bytes(&text);
    word = word_take(&rest);
    for (size_t i = 0; i < ARRAY_SIZE(returns_verbs); i++) {
        if (bytes_is(word, returns_verbs[i].word)) {
            if (!returns_verbs[i].is_setting && r->agent == NULL) {
                returns_open(r);
            }
            returns_verbs[i].act(r, rest);
            if (r->agent != NULL) {
                stage_turn(&r->stage);
            }
            return;
        }
    }
    if (bytes_is(word, "places")) {
        r->places = (unsigned)number_take(&rest);
        return;
    }
    fprintf(stderr, "there is no \"%.*s\"\n", (int)word.len, (const char *)word.ptr);
    abort();
}

/* What is left: nothing of it is told any more, all of it must go. */
static inline void returns_close(struct returns *r)
{
    size_t len = r->have.len;

    stage_pass(&r->stage, 0);
    T_EQ(r->n_waiting, 0); /* a play says how everything ends */
    for (size_t i = 0; i < MAX_PENDING; i++) {
        if (r->pending[i] != NULL) {
            tool_fail(steal_ptr(&r->pending[i]), "the play is over");
        }
    }
    stage_close(&r->stage);
    T_EQ(r->have.len, len);
    buf_done(&r->frames);
    buf_done(&r->notes);
}

/* Plays a file's text; ret_have is the file as it would be right. */
static inline void returns_play(struct bytes file, void (*on_structure)(struct bytes),
                                struct buf *ret_have)
{
    struct returns *r = mem_new(sizeof *r);

    assert(r != NULL);
    r->options = AGENT_OPTIONS_DEFAULT;
    r->places = 16;
    r->on_structure = on_structure;
    r->frames = buf_max(PLAY_BYTES);
    r->notes = buf_max(PLAY_BYTES);
    r->have = buf_max(PLAY_BYTES);
    play_now_us = (int64_t)PLAY_START_MS * 1000;
    while (file.len > 0) {
        const uint8_t *end = memchr(file.ptr, '\n', file.len);
        size_t len = end == NULL ? file.len : (size_t)(end - file.ptr);
        struct bytes line = bytes_first(file, len);

        file = bytes_from(file, len + 1);
        if (len > 0 && strchr("=|@", line.ptr[0]) != NULL) {
            continue; /* what was expected */
        }
        buf_put_bytes(&r->have, line);
        buf_put_str(&r->have, "\n");
        if (len > 0 && line.ptr[0] != '#') {
            returns_line(r, line);
        }
    }
    returns_close(r);
    buf_put_bytes(ret_have, buf_bytes(&r->have));
    buf_done(&r->have);
    mem_free(r);
}

#endif
