/* SPDX-License-Identifier: MIT
 *
 * Agents and their scripts on a real src/host and src/agent, without a warden and without a
 * process: the test plays every cell, carries out spawns and kills, and says what time it is.
 *
 * A cell is made as soon as a script wants one and is killed as soon as the host asks for it,
 * unless the stage holds that back; it says "seen" of each answer as it comes, unless it is blind.
 * All else (calls, output, wakes, endings, deaths) is the test's. Nothing waits: stage_pass() moves
 * the clock from timer to timer. Failures of the play itself abort. See unit/run-play.h for the
 * clock.
 */
#ifndef UNIT_AGENT_PLAY_H
#define UNIT_AGENT_PLAY_H

#include "agent/inside.h"
#include "unit/run-play.h"

struct stage_cell {
    struct stage_cell *next;
    uint32_t id; /* the host's */
    int fd;      /* the cell's end; -1: closed */
    struct buf in;
    bool is_blind;    /* it does not say "seen" */
    bool heard_stop;  /* a stop frame came */
    uint32_t results; /* answers that came */
};

struct stage {
    struct play play;
    struct agents *agents;
    struct stage_cell *cells;
    bool holds_spawns; /* no cell is made */
    bool holds_kills;  /* a kill is not carried out */
    bool is_closed;
};

/* A host with these tools (NULL at the end), agents on it, and ids that begin with "t-". */
static inline void stage_open(struct stage *s, const char *const *tools)
{
    *s = (struct stage){0};
    play_open(&s->play, tools);
    s->play.host->options.max_cells = 16;
    assert(agents_new(&(struct agents_options){.host = s->play.host, .loop = &s->play.loop},
                      &s->agents) == 0);
    memcpy(s->agents->tag, "t", sizeof "t");
}

static inline struct cell *stage_host_cell(const struct stage *s, uint32_t id)
{
    struct cell *c = s->play.host->cells;

    while (c != NULL && c->id != id) {
        c = c->next;
    }
    return c;
}

static inline void stage_send(struct stage *s, struct stage_cell *c, const struct buf *frame)
{
    struct bytes bytes = buf_bytes(frame);

    assert(buf_fault(frame) == 0);
    for (int idle = 0; c->fd >= 0 && bytes.len > 0 && idle < 8;) {
        ssize_t n = send(c->fd, bytes.ptr, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN) {
            break; /* nobody listens any more */
        }
        idle = n < 0 ? idle + 1 : 0;
        bytes = bytes_from(bytes, n < 0 ? 0 : (size_t)n);
        if (bytes.len > 0) {
            play_turn(&s->play);
        }
    }
}

/* What the cell sends, by its message: stage_put(s, c, call, .id = 1, .name = ..., .args = ...). */
#define stage_put(stage, cell, type, ...)                                                          \
    do {                                                                                           \
        struct buf stage_frame = buf_max((size_t)64 * 1024 * 1024);                                \
        wire_put_##type(&stage_frame, &(struct wire_##type){__VA_ARGS__});                         \
        stage_send((stage), (cell), &stage_frame);                                                 \
        buf_done(&stage_frame);                                                                    \
    } while (0)

/* Makes the cells that are wanted; whether there was one. */
static inline bool stage_spawn(struct stage *s)
{
    for (struct cell *c = s->play.host->cells; c != NULL; c = c->next) {
        if (c->wants_spawn && !s->holds_spawns && !c->wants_kill) {
            struct stage_cell *mine = mem_new(sizeof *mine);

            assert(mine != NULL);
            c->wants_spawn = false;
            *mine = (struct stage_cell){.next = s->cells,
                                        .id = c->id,
                                        .fd = steal_fd(&c->remote_socket),
                                        .in = buf_max((size_t)64 * 1024 * 1024)};
            s->cells = mine;
            stage_put(s, mine, hello, .version = WIRE_VERSION, .walls = 63);
            return true;
        }
    }
    return false;
}

static inline void stage_forget(struct stage *s, uint32_t id)
{
    for (struct stage_cell **at = &s->cells; *at != NULL; at = &(*at)->next) {
        struct stage_cell *c = *at;

        if (c->id == id) {
            *at = c->next;
            fd_close(c->fd);
            buf_done(&c->in);
            mem_free(c);
            return;
        }
    }
}

/* The warden tells the death of a cell, which is no longer valid. */
static inline void stage_bury(struct stage *s, uint32_t id, int status)
{
    struct wire_died m = {.cell = id,
                          .status = (uint32_t)status,
                          .cpu_ms = 3,
                          .peak_kib = 2048,
                          .sentence = bytes_none()};

    stage_forget(s, id);
    pool_died(s->play.host, &m);
}

/* Carries out a kill; whether there was one. */
static inline bool stage_kill(struct stage *s)
{
    for (struct cell *c = s->play.host->cells; c != NULL; c = c->next) {
        if (c->wants_kill && !s->holds_kills) {
            stage_bury(s, c->id, SIGKILL);
            return true;
        }
    }
    return false;
}

static inline void stage_hear(struct stage *s, struct stage_cell *c, const struct frame *f)
{
    struct wire_result result;

    if (f->type == WIRE_MSG_stop) {
        c->heard_stop = true;
    } else if (f->type == WIRE_MSG_result && wire_get_result(f->body, &result) == 0) {
        c->results++;
        if (!c->is_blind) {
            stage_put(s, c, seen, .id = result.id, .how = WIRE_SEEN_WHOLE);
        }
    }
}

/* The cell reads what is there; whether there was anything. */
static inline bool stage_read(struct stage *s, struct stage_cell *c)
{
    enum { STEP = 65536 };
    struct frame f;
    ssize_t n;

    if (c->fd < 0) {
        return false;
    }
    n = recv(c->fd, buf_grow(&c->in, STEP), STEP, MSG_DONTWAIT);
    c->in.len -= STEP - (n > 0 ? (size_t)n : 0);
    while (frame_next(buf_bytes(&c->in), SIZE_MAX, &f) == 0) {
        stage_hear(s, c, &f);
        buf_drop(&c->in, f.size);
    }
    return n > 0;
}

/* Goes on until nothing moves. */
static inline void stage_turn(struct stage *s)
{
    bool has_moved = true;

    while (has_moved) {
        play_turn(&s->play);
        has_moved = stage_spawn(s) || stage_kill(s);
        for (struct stage_cell *c = s->cells; c != NULL; c = c->next) {
            has_moved = stage_read(s, c) || has_moved;
        }
    }
}

/* Time passes, from timer to timer. */
static inline void stage_pass(struct stage *s, int64_t ms)
{
    stage_turn(s);
    while (ms > 0) {
        int timer = uv_loop_alive(&s->play.loop) ? uv_backend_timeout(&s->play.loop) : -1;
        int64_t step = timer < 1 ? 1 : timer;

        step = timer < 0 || step > ms ? ms : step;
        play_now_us += step * 1000;
        ms -= step;
        stage_turn(s);
    }
}

/* The cell of a script; NULL: it has none yet, or it is gone. */
static inline struct stage_cell *stage_cell(const struct stage *s, const struct script *script)
{
    const struct cell *mine = script == NULL ? NULL : script->run->cell;

    for (struct stage_cell *c = mine == NULL ? NULL : s->cells; c != NULL; c = c->next) {
        if (c->id == mine->id) {
            return c;
        }
    }
    return NULL;
}

/* Its process dies with this wait status; what it had sent is read. The cell is gone. */
static inline void stage_die(struct stage *s, struct stage_cell *c, int status)
{
    uint32_t id = c->id;

    fd_close(steal_fd(&c->fd));
    stage_bury(s, id, status);
    stage_turn(s);
}

static inline void stage_on_closed(void *arg)
{
    ((struct stage *)arg)->is_closed = true;
}

/* Closes the agents and the host: nothing of either is left. */
static inline void stage_close(struct stage *s)
{
    s->holds_spawns = false;
    s->holds_kills = false;
    agents_close(s->agents, stage_on_closed, s);
    for (int i = 0; i < 100 && !s->is_closed; i++) {
        stage_pass(s, 100);
    }
    assert(s->is_closed);
    agents_free(s->agents);
    while (s->play.host->cells != NULL) {
        stage_bury(s, s->play.host->cells->id, SIGKILL);
    }
    play_close(&s->play);
    assert(s->cells == NULL);
}

#endif
