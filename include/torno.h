/* SPDX-License-Identifier: MIT
 *
 * libtorno: an AI agent's scripts, each in a walled process of its own.
 *
 * Pattern of use: torno_host_new() starts one helper process behind whose walls every script runs.
 * torno_agent_open() makes an owner of tools and limits. torno_agent_call() is the tool
 * code_execution as a model uses it (run, wait, stop, list), and answers by a callback with one
 * text for the model and the same facts as JSON. A script calls the agent's tools; each call
 * comes to on_call and is answered now or later, in any order. torno_run() is the door below:
 * one script's events, without an agent's rules.
 *
 * A host fits any loop: poll torno_host_fd() for reading for at most torno_host_timeout_ms(), then
 * call torno_host_dispatch(), from where all callbacks come. A program without a loop calls
 * torno_host_run().
 *
 * Rules to keep: a host and all that is made from it are used from one thread, and are neither
 * dispatched nor freed from one of its callbacks. After fork() a child
 * must not touch them (exec is fine). No callback is called from inside the function that caused
 * it. Free agents' and scripts' objects before their host, and the host last. The library prints
 * nothing, ends no program, changes no signal's handling, and leaves no process behind.
 *
 * Functions that can fail return 0 or a negative errno value; torno_error() has a sentence for the
 * last one that failed in this thread. What happens to a script is no error but an ending.
 * Texts are UTF-8; those given in are copied unless it says otherwise, those given to callbacks
 * last until the callback returns. Times are milliseconds, sizes bytes.
 */
#ifndef TORNO_H
#define TORNO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TORNO_API __attribute__((visibility("default")))
#else
#define TORNO_API
#endif

struct torno_host;
struct torno_agent;
struct torno_script; /* of torno_run() */
struct torno_call;
struct torno_watch;

/* A text by its bytes; not ended by a NUL. */
struct torno_text {
    const char *ptr;
    size_t len;
};

/* ---- hosts ---- */

/* What happens, in one stream for logs and inspectors; doc/events.md tells every type. */
struct torno_event {
    size_t size;
    const char *type; /* "call", "answered", "return" ... */
    int64_t mono_us;  /* CLOCK_MONOTONIC */
    int64_t wall_ms;  /* since 1970 */
    uint32_t run;     /* 0: none */
    uint32_t cell;
    int64_t number;
    struct torno_text text;
};

struct torno_host_options {
    size_t size;             /* sizeof(struct torno_host_options) */
    const char *warden_path; /* the helper program; NULL: the installed one */
    unsigned ready_cells;    /* processes made ahead of need; default 1 */
    unsigned max_scripts;    /* at once; default 16 */
    int64_t memory;          /* of a script, that ready processes are made for; default 128 MiB */
    void (*on_event)(void *arg, const struct torno_event *event); /* may be NULL */
    void *arg;
};
#define TORNO_HOST_OPTIONS                                                                         \
    {                                                                                              \
        sizeof(struct torno_host_options), NULL, 1, 16, 134217728, NULL, NULL                      \
    }

/* Makes a host and starts its helper; the walls rise while the caller goes on. options may be NULL.
 * 0 with *ret_host, -EINVAL, -ERANGE, -ENOMEM, or what the helper could not be started for. */
TORNO_API int torno_host_new(const struct torno_host_options *options,
                             struct torno_host **ret_host);

/* Ends every script (killed) and returns when every process of the host is gone; callbacks come
 * meanwhile, each watch's and script's last one; in them nothing new can be begun (-ESHUTDOWN).
 * Calls that were not answered are gone with it. Not from a callback: there it does nothing, and
 * torno_error() says so. NULL is fine. */
TORNO_API void torno_host_free(struct torno_host *host);

/* A descriptor that is readable when torno_host_dispatch() has something to do. */
TORNO_API int torno_host_fd(const struct torno_host *host);

/* How long to wait at most for the descriptor: milliseconds, 0 not at all, -1 without end. To be
 * asked again before each wait. */
TORNO_API int torno_host_timeout_ms(const struct torno_host *host);

/* Does what is due, calls back, and does not wait. 0 or -EINVAL; also where it is called from a
 * callback of the host. */
TORNO_API int torno_host_dispatch(struct torno_host *host);

/* Waits and dispatches until torno_host_break() or until nothing is left to wait for: no script
 * runs, no watch waits, no notice is due and no agent is closing. 0 or -EINVAL (as above). */
TORNO_API int torno_host_run(struct torno_host *host);

/* Has torno_host_run() return; from a callback. */
TORNO_API void torno_host_break(struct torno_host *host);

/* The walls that stand ("tier A", and what is weaker here), "" until they do; a refusal's sentence
 * where they cannot. Lasts until the next call on the host. */
TORNO_API const char *torno_host_walls(const struct torno_host *host);

/* The sentence of the last function that failed in this thread. */
TORNO_API const char *torno_error(void);

/* "0.1.0". */
TORNO_API const char *torno_version(void);

/* ---- tools ---- */

/* A call of a script for a tool. Answer it exactly once, now or later, also after its cancel was
 * heard; it lasts until then, or until its host is freed. Schemas are for the model and the script:
 * arguments are not checked against them. */
struct torno_call_handlers {
    void (*on_call)(void *arg, struct torno_call *call);
    /* Its answer is no longer wanted; the tool may be cancelled. May be NULL. */
    void (*on_cancel)(void *arg, struct torno_call *call);
};

struct torno_tool {
    size_t size;
    const char *name;          /* exact; any text of 1 to 1,024 bytes */
    const char *description;   /* may be NULL */
    const char *input_schema;  /* JSON Schema of an object; may be NULL */
    const char *output_schema; /* likewise */
    struct torno_call_handlers handlers;
    void *arg;
};
#define TORNO_TOOL                                                                                 \
    {                                                                                              \
        sizeof(struct torno_tool), NULL, NULL, NULL, NULL, {NULL, NULL}, NULL                      \
    }

TORNO_API uint32_t torno_call_id(const struct torno_call *call);
TORNO_API struct torno_text torno_call_tool(const struct torno_call *call);
/* The JSON text of an object, every digit as the script wrote it. */
TORNO_API struct torno_text torno_call_arguments(const struct torno_call *call);
/* Whose script called; "" where the script is forgotten, or was started by torno_run(). */
TORNO_API const char *torno_call_script_id(const struct torno_call *call);
/* The turn of the tool call that watches the script now; 0: none does. */
TORNO_API uint64_t torno_call_turn(const struct torno_call *call);
/* The longest text result that reaches the script whole, whatever its characters. */
TORNO_API size_t torno_call_result_max_chars(const struct torno_call *call);

/* Answers with the JSON text of { content, structuredContent?, isError? }, copied; any other object
 * is taken for structuredContent. The call is gone afterwards. 0, or -EINVAL for a text that is no
 * JSON object, or too deep or too long for the script, which is told so. */
TORNO_API int torno_call_reply(struct torno_call *call, const char *json, size_t len);
/* Answers with one text block; is_error says that the tool failed and may have done something. */
TORNO_API void torno_call_reply_text(struct torno_call *call, const char *text, size_t len,
                                     bool is_error);
/* The tool was lost; it may have done something. One sentence. */
TORNO_API void torno_call_fail(struct torno_call *call, const char *sentence);
/* The tool was not started; safe to try again. One sentence. */
TORNO_API void torno_call_refuse(struct torno_call *call, const char *sentence);

/* ---- agents ---- */

/* What comes without being asked for: a script's wake, or the notice that one which nobody watches
 * ended badly. */
struct torno_message {
    size_t size;
    const char *script_id;
    bool is_notice;
    struct torno_text payload; /* of a wake: JSON */
    struct torno_text text;    /* for a model */
};

struct torno_agent_options {
    size_t size;
    const char *name; /* may be NULL */
    bool is_primary;  /* its scripts outlive a turn */
    unsigned max_running;
    unsigned max_kept;
    size_t inline_chars;
    int64_t yield_ms;
    int64_t max_yield_ms;
    /* Deliver it, then say torno_agent_delivered(), now or later. NULL: scripts cannot wake, and
     * nothing tells of the end of one that is left. */
    void (*on_message)(void *arg, struct torno_agent *agent, const struct torno_message *message);
    /* What a script writes, as it comes. May be NULL. */
    void (*on_output)(void *arg, const char *script_id, struct torno_text text);
    void *arg;
};
#define TORNO_AGENT_OPTIONS                                                                        \
    {                                                                                              \
        sizeof(struct torno_agent_options), NULL, false, 3, 8, 24000, 30000, 600000, NULL, NULL,   \
            NULL                                                                                   \
    }

/* 0 with *ret_agent, -EINVAL, -ERANGE or -ENOMEM. options may be NULL. */
TORNO_API int torno_agent_open(struct torno_host *host, const struct torno_agent_options *options,
                               struct torno_agent **ret_agent);

/* Stops its scripts; its watches return that it is gone. on_closed (may be NULL) comes when their
 * processes are gone. The agent must not be used afterwards. */
TORNO_API void torno_agent_close(struct torno_agent *agent, void (*on_closed)(void *arg),
                                 void *arg);

/* Adds a tool, for the scripts that start from now on: 0, -EINVAL (name, schema), -EEXIST or
 * -ENOMEM. */
TORNO_API int torno_agent_add_tool(struct torno_agent *agent, const struct torno_tool *tool);

/* Sets a limit of its scripts, "memory=64MiB"; see LIMITS in libtorno(3). 0, -EINVAL or -ERANGE. */
TORNO_API int torno_agent_set_limit(struct torno_agent *agent, const char *assignment);

/* A call of the agent's tool that reached the host while a watch lasted. */
struct torno_round_call {
    const char *tool;
    const char *cause; /* why it was refused; NULL otherwise */
    bool is_refused;
};

struct torno_return {
    size_t size;
    struct torno_text text; /* for the model */
    struct torno_text json; /* the same facts, an object; see doc/returns.md */
    const char *script_id;  /* "" where there is none */
    bool is_error;
    const struct torno_round_call *calls;
    size_t n_calls;
};

typedef void (*torno_return_fn)(void *arg, const struct torno_return *ret);

/* One use of the tool with the input that the model gave, JSON text: {"action": "run", ...}.
 * on_return comes once, later, unless torno_watch_cancel() came first; what is wrong with the
 * input is a return too. turn is 0 or a live one. 0 with *ret_watch (may be NULL), or -ENOMEM. */
TORNO_API int torno_agent_call(struct torno_agent *agent, const char *json, size_t len,
                               uint64_t turn, torno_return_fn on_return, void *arg,
                               struct torno_watch **ret_watch);

/* The same, action by action; yield_ms -1 is the agent's own. */
TORNO_API int torno_agent_run(struct torno_agent *agent, const char *code, size_t len,
                              const char *language, int64_t yield_ms, uint64_t turn,
                              torno_return_fn on_return, void *arg, struct torno_watch **ret_watch);
TORNO_API int torno_agent_wait(struct torno_agent *agent, const char *script_id, int64_t yield_ms,
                               uint64_t turn, torno_return_fn on_return, void *arg,
                               struct torno_watch **ret_watch);
TORNO_API int torno_agent_stop(struct torno_agent *agent, const char *script_id, uint64_t turn,
                               torno_return_fn on_return, void *arg,
                               struct torno_watch **ret_watch);
TORNO_API int torno_agent_list(struct torno_agent *agent, torno_return_fn on_return, void *arg,
                               struct torno_watch **ret_watch);

/* The script that it is about, "" where there is none (yet). */
TORNO_API const char *torno_watch_script_id(const struct torno_watch *watch);

/* Nobody waits for this return any more: the script lives on, and on_return does not come. */
TORNO_API void torno_watch_cancel(struct torno_watch *watch);

/* The message that on_message gave has reached the agent, or could not. */
TORNO_API void torno_agent_delivered(struct torno_agent *agent, const char *script_id,
                                     bool is_delivered);

/* ---- turns ---- */

/* A new turn, live; 0: no memory. */
TORNO_API uint64_t torno_turn_open(struct torno_host *host);
/* One that had ended is live again; 0, -ENOENT where there never was such a turn, or -ENOMEM. */
TORNO_API int torno_turn_resume(struct torno_host *host, uint64_t turn);
/* It has ended as it should: where an agent is primary, the others' scripts whose turn is not live
 * are stopped, without a notice. */
TORNO_API void torno_turn_settle(struct torno_host *host, uint64_t turn);
/* It was given up: a script that its calls watch and that had not returned yet is stopped, one that
 * had is let go. */
TORNO_API void torno_turn_abandon(struct torno_host *host, uint64_t turn);

/* Whether code names one of n tools as a whole identifier anywhere. names are C strings. */
TORNO_API bool torno_code_names(const char *code, size_t len, const char *const *names, size_t n);

/* ---- one script, without an agent ---- */

struct torno_ending {
    size_t size;
    const char *kind;          /* "finished", "failed", "oversize", "crashed", "expired",
                                  "stopped" */
    struct torno_text reason;  /* "", or a word */
    struct torno_text value;   /* JSON; empty: none */
    struct torno_text name;    /* of the error */
    struct torno_text message; /* of the error, or what happened */
    struct torno_text json;    /* all of it, with the record of its calls; see doc/returns.md */
};

struct torno_run_options {
    size_t size;
    const char *code;
    size_t code_len;
    const char *language;           /* "javascript" (NULL too) or "python" */
    const struct torno_tool *tools; /* copied but for their args */
    size_t n_tools;
    const char *const *limits; /* "NAME=VALUE" */
    size_t n_limits;
    void (*on_output)(void *arg, struct torno_text text); /* may be NULL */
    /* Deliver it, then say torno_script_delivered(). NULL: the script cannot wake. */
    void (*on_wake)(void *arg, struct torno_script *script, struct torno_text payload);
    /* Once, its process already gone; the script may be freed in it, and the ending goes then. */
    void (*on_ended)(void *arg, struct torno_script *script, const struct torno_ending *ending);
    void *arg;
};
#define TORNO_RUN_OPTIONS                                                                          \
    {                                                                                              \
        sizeof(struct torno_run_options), NULL, 0, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL  \
    }

/* Starts a script: 0 with *ret_script, and one on_ended to come; or -EINVAL, -ERANGE, -EBUSY (all
 * places taken), -EHOSTDOWN (no walls), -ENOMEM. */
TORNO_API int torno_run(struct torno_host *host, const struct torno_run_options *options,
                        struct torno_script **ret_script);
/* Asks it to stop, and has it killed after the grace. */
TORNO_API void torno_script_stop(struct torno_script *script);
/* Kills it now. */
TORNO_API void torno_script_kill(struct torno_script *script);
TORNO_API void torno_script_delivered(struct torno_script *script, bool is_delivered);
/* After its end. */
TORNO_API void torno_script_free(struct torno_script *script);

#ifdef __cplusplus
}
#endif

#endif
