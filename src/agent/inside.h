/* SPDX-License-Identifier: MIT
 *
 * The structs that the files of this room share. Nobody outside src/agent includes it.
 *
 * agents owns its agents, an agent its scripts and watches, a script its run and its calls at
 * tools. A gone agent lives on until its last script's process is gone.
 */
#ifndef AGENT_INSIDE_H
#define AGENT_INSIDE_H

#include "agent/agent.h"

enum { ID_BYTES = 24, LINE_CHARS = 80 };

struct turn {
    struct turn *next;
    uint64_t id;
};

struct agents {
    struct host *host;
    uv_timer_t timer; /* the next yield, notice or immediate return */
    struct agent *first;
    struct turn *turns; /* the live ones */
    struct told *told;  /* events on their way */
    uint64_t last_turn;
    uint64_t last_script;
    uint64_t last_end;
    uint64_t last_watch;
    char tag[8];     /* of this process of the host */
    bool is_looking; /* in the timer's callback */
    bool must_look;  /* something came up meanwhile */
    bool is_closing;
    bool is_timer_closed;
    void (*on_closed)(void *arg);
    void *on_closed_arg;
};

struct agent {
    struct agents *agents;
    struct agent *next;
    struct agent_options options;
    char *name;
    struct script *scripts; /* in the order of their starts */
    struct watch *watches;  /* likewise */
    size_t n_running;
    bool is_gone;
    void (*on_closed)(void *arg);
    void *on_closed_arg;
};

enum message_state { MESSAGE_NONE, MESSAGE_WAKE, MESSAGE_NOTICE };

struct script {
    struct agent *agent;
    struct script *next;
    struct run *run;
    const struct toolset *tools;
    struct watch *watch;     /* the one that watches it */
    struct tool_call *calls; /* at their tools */
    char id[ID_BYTES];
    struct buf first_line;
    uint64_t turn;
    int64_t started_ms;
    int64_t ended_ms;
    uint64_t end_order;     /* 0: it runs */
    enum message_state out; /* what the agent is being given of it */
    bool has_returned;      /* a first time */
    bool is_told;           /* its ending was returned, or is nobody's any more */
    bool is_quiet;          /* asked to stop: its end is no notice's */
    bool wants_notice;
    bool is_noticed; /* its notice went out: there is no second */
    bool is_telling; /* on_message has its id just now */
};

struct watch {
    struct agent *agent;
    struct watch *next;
    struct script *script;    /* NULL: none (a list, a refusal), or left */
    char script_id[ID_BYTES]; /* of one that it was made to leave */
    enum agent_action action;
    uint64_t turn;
    uint64_t order;
    int64_t due_ms; /* when it returns at the latest; INT64_MAX: at the script's end alone */
    void (*on_return)(void *arg, const struct agent_return *ret);
    void *arg;
    struct buf refusal; /* what it returns instead */
    struct round_call *calls;
    size_t n_calls;
    size_t cap_calls;
};

struct tool_call {
    struct tool_call *next;
    struct tool_call **list; /* that it stands in; NULL: forgotten */
    struct script *script;   /* NULL: forgotten, or of no agent's */
    struct call *call;
    struct watch *watch; /* that it was collected by, until that returns */
    size_t at;           /* where, in that one's calls */
};

/* A call for its owner, at the head of a list; NULL: no memory. */
struct tool_call *tool_call_new(struct call *call, struct tool_call **list);
struct tool_call *tool_call_find(struct tool_call *list, const struct call *call);
/* What the list belongs to goes: its calls' owners answer them some day. */
void tool_calls_forget(struct tool_call **list);

/* The refusal of a yield_ms that is out of range or no whole number. */
void input_put_yield(struct buf *out, const struct agent *agent);

/* Adds an event to the host's stream, sent soon; and sends those that wait. */
void agents_tell(struct agents *agents, enum event_type type, const struct run *run, int64_t number,
                 struct bytes text);
void agents_send_told(struct agents *agents);
void agents_drop_told(struct agents *agents);

/* Whether a turn is live. */
bool turn_is_live(const struct agents *agents, uint64_t turn);

/* Has the timer look at every watch and notice at the next time that one is due. */
void agents_arm(struct agents *agents);
/* A gone agent without scripts is freed here. */
void agents_sweep(struct agents *agents);

/* Starts a script for a watch: true, or false with the refusal in it. */
bool script_start(struct watch *watch, const struct agent_input *input);
struct script *script_find(const struct agent *agent, struct bytes id);
/* Asks it to stop; a second time does nothing. Its end sends no notice. */
void script_stop(struct script *script);
/* It has ended, or its watch has gone: a notice is due where it ended badly and nobody was told. */
void script_left(struct script *script);
/* Sends the notice that is due. */
void script_notify(struct script *script);
/* What is kept past the cap goes. */
void script_trim(struct agent *agent);
void script_free(struct script *script);

/* A watch returns: its script has ended, its time has passed, or it was refused. Frees it. */
void watch_return(struct watch *watch);
/* Its turn was abandoned: it returns that, soon, and its script is left. */
void watch_let_go(struct watch *watch);
/* A call of a watched script reached the host. */
void watch_collect(struct watch *watch, struct tool_call *call);

/* The text of a return: of a script, of a refusal, of a list. */
void text_return(struct buf *out, const struct watch *watch, const struct output_part *output);
void text_refusal(struct buf *out, const struct watch *watch);
void text_list(struct buf *out, const struct agent *agent);
/* How a script ended, on one line: what a list shows of it. */
void text_glimpse(struct buf *out, const struct ending *ending);
void text_notice(struct buf *out, const struct script *script);
void text_wake(struct buf *out, const struct script *script, struct bytes payload);
void text_running(struct buf *out, const struct agent *agent);
/* The part of it about a script's calls. */
void text_calls(struct buf *out, const struct script *script);
/* Whether a script did not see the answer of a call in this state, and how many there are. */
bool call_is_unseen(enum call_state state);
uint64_t record_count_unseen(const struct run_record *record);
/* Its calls that have not come out yet. */
uint64_t script_under_way(const struct script *script);
/* The same facts as a JSON object; see doc/returns.md. */
void structure_return(struct buf *out, const struct watch *watch, const struct output_part *output);
void structure_refusal(struct buf *out, const struct watch *watch);
/* One ending with its record, for a script without an agent. */
void structure_ending(struct buf *out, const struct ending *ending);
void structure_list(struct buf *out, const struct watch *watch);
/* Whether a model is to take the ending for an error. */
bool ending_is_error(const struct ending *ending);

#endif
