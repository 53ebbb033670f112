/* SPDX-License-Identifier: MIT
 *
 * An agent's scripts: the code_execution tool behind the library, the gateway and the host
 * protocol.
 *
 * A struct agents stands on one host and holds its agents, their scripts and the turns. An agent
 * is an owner of tools and limits; each use of the tool (agent_do) is a watch, which returns
 * exactly once unless it is cancelled. One thread, the host's loop; callbacks come from the loop,
 * never from inside the function that caused them.
 *
 * Ownership: the caller owns agents, closes them before the host, and keeps what a callback's
 * arg points at until the agent's on_closed. Slices in callbacks are borrowed for the call. What
 * a model did wrong (an unknown input, no room, a script that is gone) is a return with is_error
 * and a sentence, never an error of use.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "host/host.h"

struct agents;
struct agent;
struct watch;
struct tool_call; /* a call at a tool of an agent's */

struct agents_options {
    struct host *host; /* outlives the agents */
    uv_loop_t *loop;   /* the host's */
};

/* 0 with *ret, or -ENOMEM/-EIO. */
int agents_new(const struct agents_options *options, struct agents **ret);
/* Closes every agent and calls back when none is left and nothing of it is in the loop. */
void agents_close(struct agents *agents, void (*on_closed)(void *arg), void *arg);
void agents_free(struct agents *agents); /* after on_closed */

/* What reaches the agent without being asked for: a wake of a script, or the notice that a script
 * nobody watches ended badly. */
struct agent_message {
    const char *script_id;
    bool is_notice;
    struct bytes payload; /* of a wake: JSON */
    struct bytes text;    /* for a model: both kinds */
};

struct agent_callbacks {
    /* A call for one of the agent's tools: answer it now or later (tool_reply, tool_fail,
     * tool_refuse), in any order. */
    void (*on_call)(void *arg, struct tool_call *call);
    /* Its answer is no longer wanted; it must be answered all the same. */
    void (*on_cancel)(void *arg, struct tool_call *call);
    /* Deliver it, then say agent_delivered(), now or later; no other of this script comes before.
     * NULL: scripts cannot wake, and nothing tells of the end of a script that is left. */
    void (*on_message)(void *arg, struct agent *agent, const struct agent_message *message);
    /* What a script writes, as it comes. May be NULL. */
    void (*on_output)(void *arg, const char *script_id, struct bytes text);
    /* A script has ended, in whatever way, watched or not. May be NULL. */
    void (*on_ended)(void *arg, const char *script_id, const struct ending *ending);
};

struct agent_options {
    struct bytes name; /* copied; any text */
    const struct toolset *tools;
    struct limits limits;
    bool is_primary;
    unsigned max_running; /* scripts at once; default 3 */
    unsigned max_kept;    /* endings; default 8 */
    size_t inline_chars;  /* the longest return; default 24,000 */
    int64_t yield_ms;     /* default 30,000 */
    int64_t max_yield_ms; /* default 600,000 */
    struct agent_callbacks callbacks;
    void *arg;
};
#define AGENT_OPTIONS_DEFAULT                                                                      \
    (struct agent_options)                                                                         \
    {                                                                                              \
        .limits = limits_default(), .max_running = 3, .max_kept = 8, .inline_chars = 24000,        \
        .yield_ms = 30000, .max_yield_ms = 600000                                                  \
    }

/* 0 with *ret, or -ERANGE/-EINVAL/-ENOMEM/-ESHUTDOWN with one sentence. */
int agent_open(struct agents *agents, const struct agent_options *options, struct agent **ret,
               struct buf *ret_sentence);
/* Stops its scripts, whose endings nobody hears; its watches return that it is gone. on_closed
 * comes when their processes are gone; the agent is freed with it. */
void agent_close(struct agent *agent, void (*on_closed)(void *arg), void *arg);
/* Other tools from the next script on; the set before must outlive the scripts that use it. */
void agent_set_tools(struct agent *agent, const struct toolset *tools);
/* Whether a script of its, ended or not, was given these tools. */
bool agent_uses_tools(const struct agent *agent, const struct toolset *tools);
/* The limits of the scripts that start from now on, in range. */
void agent_set_limits(struct agent *agent, const struct limits *limits);
/* Watches and running scripts. */
size_t agents_busy(const struct agents *agents);

enum agent_action { AGENT_RUN = 1, AGENT_WAIT, AGENT_STOP, AGENT_LIST };

struct agent_input {
    enum agent_action action;
    struct bytes code;
    enum wire_language language;
    int64_t yield_ms; /* -1: the agent's default */
    struct bytes script_id;
};

/* Reads the tool's own input, a checked JSON object: 0, or -EINVAL with one sentence that names
 * what is wrong and what is right. code is decoded into code_space, script_id into id_space. */
int agent_read_input(const struct agent *agent, struct bytes json, struct agent_input *ret,
                     struct buf *code_space, struct buf *id_space, struct buf *ret_sentence);

/* A call that reached the host while a watch lasted. Past the first 1,000 there is one more entry
 * for each tool that is called, not refused, which stands for all its calls. */
struct round_call {
    char *tool;
    bool is_refused; /* by the dispatcher: nothing ran */
    char *cause;     /* why, or NULL */
};

struct agent_return {
    struct bytes text;       /* for a model */
    struct bytes structured; /* the same facts, a JSON object */
    bool is_error;
    const char *script_id; /* "" where there is no script */
    const struct round_call *calls;
    size_t n_calls;
};

struct agent_request {
    struct agent_input input;
    uint64_t turn;
    void (*on_return)(void *arg, const struct agent_return *ret); /* once, unless cancelled */
    void *arg;
};

/* One use of the tool. 0 with *ret, the watch, valid until its return or cancel; or -ENOMEM. */
int agent_do(struct agent *agent, const struct agent_request *request, struct watch **ret);
/* As agent_do(), and the return says why the input was refused. */
int agent_refuse(struct agent *agent, const struct agent_request *request, const char *sentence,
                 struct watch **ret);
/* The script that it is about, "" where there is none. */
const char *watch_script_id(const struct watch *watch);
/* Its client is not interested any more: the script lives on, left. */
void watch_cancel(struct watch *watch);

/* The message that on_message gave has reached the agent, or could not. */
void agent_delivered(struct agent *agent, const char *script_id, bool is_delivered);

/* Turns. A new one; one that had ended is live again (false: there never was such a turn); the end
 * of one: settled, or abandoned. */
uint64_t turn_open(struct agents *agents);
bool turn_resume(struct agents *agents, uint64_t turn);
void turn_settle(struct agents *agents, uint64_t turn);
void turn_abandon(struct agents *agents, uint64_t turn);

/* Calls at tools. The turn is that of the call which watches the script when it is asked: at the
 * call's arrival, or at its answer; 0 for a script that is left. */
uint32_t tool_call_id(const struct tool_call *call);
struct bytes tool_call_name(const struct tool_call *call);
void *tool_call_data(const struct tool_call *call); /* of its struct tool */
struct bytes tool_call_arguments(const struct tool_call *call);
const char *tool_call_script(const struct tool_call *call); /* "" once the script is forgotten */
uint64_t tool_call_turn(const struct tool_call *call);
size_t tool_call_result_max_chars(const struct tool_call *call);

/* Answers, as call_reply(), call_fail() and call_refuse(); the call is gone afterwards. */
int tool_reply(struct tool_call *call, struct bytes result);
void tool_fail(struct tool_call *call, const char *sentence);
void tool_refuse(struct tool_call *call, const char *sentence);

/* Whether code names one of the tools as a whole identifier anywhere, comments and strings too. */
bool code_names(struct bytes code, const struct bytes *names, size_t n);

#endif
