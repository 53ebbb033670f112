/* SPDX-License-Identifier: MIT
 *
 * The host's side of scripts: what the rooms above (agent, cli) see.
 *
 * Pattern of use: a host is made on a libuv loop and starts one warden; a toolset is made once
 * and shared by runs; run_start() takes a script and answers through callbacks on that loop:
 * tools' calls, output, and at last exactly one ending. A run describes itself by values, so
 * that another host could execute it. One thread; callbacks are never called from inside
 * host_new, run_start, run_stop or call_*: always later, from the loop.
 *
 * Beside other life in its program (tests/walls/embed-test.c): one thread at a time turns a host's
 * loop; the one that made it may end, and hosts on other loops run in other threads. No signal is
 * handled, blocked or ignored; the program may reap every child it sees, the warden too, or ignore
 * SIGCHLD. Descriptors are CLOEXEC. 0, 1 and 2 must be open when the loop is made (libuv's rule).
 *
 * Ownership: the caller owns host, toolset and run, and frees runs before their host; a struct call
 * is valid until it is answered, also after its cancel was heard and after its run was freed, and
 * no longer than its host; slices given to callbacks are borrowed for the call. Errors of use are
 * -errno plus host_error(); what happens to a script is an ending, never an error.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "base/buf.h"
#include "wire/wire.h"

#include <uv.h>

struct host;
struct run;
struct call;
struct toolset;
struct toolset_room {
    size_t names_bytes;     /* as JSON text, in the start frame */
    size_t catalogue_bytes; /* the same */
};

/* Limits: one int64_t per row of limits.tbl.h. */
#define LIMIT(name, unit, def, min, max, sentence) int64_t name;
struct limits {
#include "host/limits.tbl.h"
};
#undef LIMIT

/* The defaults. */
struct limits limits_default(void);

/* 0, or -ERANGE with one sentence that names the first limit out of range and what is right. */
int limits_check(const struct limits *limits, struct buf *ret_sentence);

/* Sets one limit from "NAME=VALUE" with units (ms s m h; B KiB MiB GiB); 0, or -EINVAL/-ERANGE with
 * one sentence that names the limit, what is wrong and what is right. */
int limits_parse(struct limits *limits, const char *assignment, struct buf *ret_sentence);

/* The most bytes that a host holds for one script with these limits and tools (NULL: none),
 * whatever its cell does; ARCHITECTURE.md tells the sum. */
int64_t limits_host_bytes(const struct limits *limits, const struct toolset *tools);

/* A tool as an agent declares it. Schemas are JSON text or empty; all slices are copied. */
struct tool {
    struct bytes name; /* exact; 1 to WIRE_MAX_TOOL_NAME bytes of UTF-8 */
    struct bytes description;
    struct bytes input_schema;
    struct bytes output_schema;
    void *data; /* the owner's */
};

/* Copies and checks tools; 0, or -EINVAL/-EEXIST/-EMSGSIZE with one sentence that names the tool.
 */
int toolset_new(const struct tool *tools, size_t n, struct toolset **ret, struct buf *ret_sentence);
/* Whether a toolset takes this tool beside those that room has counted: 0 and counted, or -errno
 * and one sentence. For tools of strangers, of which a bad one is left out. */
int toolset_admit(struct toolset_room *room, const struct tool *tool, struct buf *ret_sentence);
void toolset_free(struct toolset *set); /* after every run that uses it was freed */

/* Events: one stream out of the host, for logs and inspectors. */
enum event_type {
    EVENT_NONE = 0,
#define EVENT(word, name, number, text) EVENT_##word,
#include "host/events.tbl.h"
#undef EVENT
};
/* "call", as it stands in the table. */
const char *event_name(enum event_type type);
struct event {
    enum event_type type;
    int64_t mono_us;
    int64_t wall_ms;
    uint32_t run; /* 0: none */
    uint32_t cell;
    int64_t number;
    struct bytes text;
};

struct host_options {
    uv_loop_t *loop;         /* the caller's; outlives the host */
    const char *warden_path; /* the helper program */
    unsigned ready_cells; /* cells forked ahead of need; default 1 through HOST_OPTIONS_DEFAULT */
    unsigned max_cells;   /* scripts at once; default 16 */
    int64_t memory;       /* the budget that ready cells are made for; default of limits */
    char max_tier;        /* 'A', or 'B'/'C' to raise less (tests, doctor); 0: the best there is */
    bool is_for_attempts; /* cells take a script's text as the name of an escape (doctor, tests) */
    void (*on_event)(void *arg, const struct event *event); /* may be NULL */
    void *event_arg;
};
#define HOST_OPTIONS_DEFAULT                                                                       \
    (struct host_options)                                                                          \
    {                                                                                              \
        .ready_cells = 1, .max_cells = 16, .memory = 128 * 1024 * 1024                             \
    }

/* Sends an event of the rooms above into the stream of the host, and whether anybody hears it. */
void host_tell(struct host *host, const struct event *event);
bool host_is_heard(const struct host *host);

/* Makes a host and starts its warden; the walls rise while the caller goes on. 0 with *ret, or
 * -errno with *ret_sentence. */
int host_new(const struct host_options *options, struct host **ret, struct buf *ret_sentence);

/* Asks every run to end (killed without grace) and calls back when every process of the host is
 * gone and its handles are closed; after that host_free. */
void host_close(struct host *host, void (*on_closed)(void *arg), void *arg);
void host_free(struct host *host);

/* One sentence on what walls stand ("tier A: ..."), "" until they do; a refusal's sentence after
 * one. */
const char *host_walls(const struct host *host);
const char *host_error(const struct host *host);

enum ending_kind {
#define ENDING(word, name, status, sentence) ENDING_##word,
#include "host/endings.tbl.h"
#undef ENDING
    ENDING_COUNT
};

enum call_state { /* of a call in the record */
                  CALL_ANSWERED,
                  CALL_FAILED, /* answered with isError, or its owner was lost */
                  CALL_REFUSED,
                  CALL_TIMED_OUT,
                  CALL_TOO_LARGE,
                  CALL_UNSEEN,  /* answered, but the script ended before it saw it */
                  CALL_RUNNING, /* still at its tool when the script ended */
                  CALL_NEVER_SENT,
};
enum { CALL_STATES = CALL_NEVER_SENT + 1 };
enum call_effect { EFFECT_NONE, EFFECT_POSSIBLE, EFFECT_DONE };

const char *ending_name(enum ending_kind kind);
int ending_exit_status(enum ending_kind kind);
const char *call_state_name(enum call_state state);
const char *call_effect_name(enum call_effect effect);

struct record_call {
    uint32_t id;
    struct bytes tool;
    enum call_state state;
    enum call_effect effect;
    int64_t ms; /* from its arrival to its answer, or to the ending */
    struct bytes
        arguments; /* only where the script did not see the answer; cut at 300 characters */
};

struct record_tool {
    struct bytes name;
    uint32_t counts[CALL_STATES]; /* of its calls, by how they came out */
};

struct ending {
    enum ending_kind kind;
    struct bytes
        reason; /* "", or a word: stalled lifetime cpu protocol signal exit trap wall warden */
    struct bytes value; /* JSON text; empty: no value */
    struct bytes error_name;
    struct bytes
        error_message;    /* also says, for crashed, what happened, and what the engine wrote */
    struct bytes frames;  /* JSON array of {function, line, column}, or empty */
    struct bytes notes;   /* JSON array (wire/messages.h), or empty */
    bool may_lack_output; /* killed after the grace */
    int exit_status;      /* wait status of the process */
    int64_t memory_peak_bytes;
    int64_t cpu_ms;
    int64_t wall_ms;
    int64_t first_call_us; /* from run_start to the first call at the gate; -1: none */
    const char *walls;
    /* The first 1,000, and of later ones up to 1,000 whose answer was not seen. */
    const struct record_call *calls;
    size_t n_calls;
    size_t calls_total;
    size_t calls_dropped;            /* those that calls leaves out */
    const struct record_tool *tools; /* a row for each tool of the toolset, all calls counted */
    size_t n_tools;
    uint32_t wakes_sent;      /* by the cell; max_wakes counts these */
    uint32_t wakes_handed;    /* to on_wake */
    uint32_t wakes_delivered; /* without error */
};

/* The output since the last take: its first and last characters and what was dropped between. */
struct output_part {
    struct bytes head;
    struct bytes tail;
    uint64_t dropped_characters;
};

struct run_callbacks {
    /* A call passed the gate: answer it now or later with call_reply, call_fail or call_refuse. */
    void (*on_call)(void *arg, struct run *run, struct call *call);
    /* Its answer is no longer wanted (timed out, or the run ended): the tool may be cancelled. The
     * call object stays valid until it is answered; answering it then frees its place. */
    void (*on_cancel)(void *arg, struct run *run, struct call *call);
    /* The script wrote something; whole as it came, before head and tail. May be NULL. */
    void (*on_output)(void *arg, struct run *run, struct bytes text);
    /* The script sends its agent a message, JSON text: deliver it, then say run_wake_done(), here
     * or later. No other comes before that. NULL: every wake is refused. */
    void (*on_wake)(void *arg, struct run *run, struct bytes payload);
    /* Exactly once, the process already gone. The ending is borrowed until run_free(). */
    void (*on_ended)(void *arg, struct run *run, const struct ending *ending);
};

struct run_input {
    struct bytes code; /* copied */
    enum wire_language language;
    const struct toolset *tools;
    struct limits limits;
    struct run_callbacks callbacks;
    void *arg;
};

/* Accepts a script: 0 with *ret, or -EINVAL/-ERANGE/-EMSGSIZE (input), -EBUSY (all places taken),
 * -EHOSTDOWN (walls refused or warden lost), with one sentence. After 0 there will be one ending.
 */
int run_start(struct host *host, const struct run_input *input, struct run **ret,
              struct buf *ret_sentence);

/* Asks it to stop: flag and frame, then after stop_grace the kill. Again: nothing more. */
void run_stop(struct run *run);
/* Takes nothing that the script sends until it is released, for an owner that cannot take its
 * output as fast as it comes: the script waits in its write, its time goes on. A stop releases it.
 */
void run_hold(struct run *run, bool is_held);
/* Kills at once; the ending is stopped. */
void run_kill(struct run *run);
/* The wake that on_wake gave was delivered, or could not be; the script is told, the next may come
 * after wake_spacing. Not after run_free(). */
void run_wake_done(struct run *run, bool is_delivered);
/* After its ending only. */
void run_free(struct run *run);

uint32_t run_id(const struct run *run);
const struct ending *run_ending(const struct run *run); /* NULL while it runs */
/* Output since the last take, borrowed until the next take or run_free(). */
struct output_part run_take_output(struct run *run);
/* Counts for a live line. */
struct run_counts {
    uint64_t calls;
    uint64_t answered;
    uint64_t out;
    uint64_t wakes_delivered;
    int64_t memory_bytes; /* the cell's claim */
};
struct run_counts run_counts(const struct run *run);
/* Its calls that came out by now, borrowed until the loop goes on; those under way stand in the
 * list as never sent. Of one that has ended, what the ending says. */
struct run_record {
    const struct record_call *calls;
    size_t n_calls;
    const struct record_tool *tools;
    size_t n_tools;
};
struct run_record run_record(const struct run *run);

uint32_t call_id(const struct call *call);
struct bytes call_tool(const struct call *call);
void *call_tool_data(const struct call *call);
struct bytes call_arguments(const struct call *call); /* JSON object text, checked */
struct run *call_run(const struct call *call);
/* What the owner keeps for a call; free_owner is called where the host is freed before the call was
 * answered, and not otherwise. */
void call_set_owner(struct call *call, void *owner, void (*free_owner)(void *owner));
/* The longest text result that reaches the script whole whatever its characters. */
size_t call_result_max_chars(const struct call *call);

/* Answers; the call is gone for the caller afterwards. result is the JSON text of an object
 * { content, structuredContent?, isError? }, copied. Text that is not a JSON object, is nested past
 * max_result_depth or is longer than a third of the script's memory reaches the script as a
 * ResultTooLarge that says which, and is -EINVAL here; 0 otherwise. */
int call_reply(struct call *call, struct bytes result);
/* The tool's owner was lost, effect possible; one sentence. */
void call_fail(struct call *call, const char *sentence);
/* Turned down before the tool started; safe to retry; one sentence. */
void call_refuse(struct call *call, const char *sentence);

#endif
