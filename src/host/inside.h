/* SPDX-License-Identifier: MIT
 *
 * The structs that the files of this room share. Nobody outside src/host includes it.
 *
 * A host owns its warden's channel, its cells and its list of runs; a run belongs to the caller and
 * is plain memory; a call belongs to its run and, once the run was freed, to the host until
 * its owner answers. Everything with a libuv handle (host, cell, the run's timer) is freed by the
 * handle's close callback alone.
 */
#ifndef HOST_INSIDE_H
#define HOST_INSIDE_H

#include "host/ending.h"
#include "host/host.h"
#include "host/ledger.h"
#include "host/output.h"
#include "host/record.h"

enum { LAST_WORDS_BYTES = 4096 };

/* What a frame to a cell is where it is no call's answer. */
enum frame_kind { FRAME_OTHER = -1, FRAME_TICK = -2 };

/* A frame on its way to a cell: head bytes of its own, then a tail borrowed from what outlives
 * the run. */
struct out_frame {
    struct out_frame *next;
    struct bytes tail;
    size_t head_len;
    size_t at; /* bytes written, of head and tail together */
    int slot;  /* whose answer it is, or an enum frame_kind */
    uint8_t head[];
};

struct cell {
    uv_poll_t poll;
    struct host *host;
    struct cell *next;
    struct run *run; /* NULL: in the pool, or its run has ended */
    struct wire_page *page;
    uint32_t id;
    uint32_t memory_bytes;
    enum wire_state state;
    int socket;
    int remote_socket; /* these two until the warden has them */
    int page_fd;
    pid_t pid; /* as the kernel told it with the hello; 0: not known */
    int pidfd; /* -1 but where its processor time is bounded */
    struct buf in;
    size_t max_frame;
    struct out_frame *out;
    struct out_frame **out_end;
    int64_t kill_at_ms; /* when its hello is due or, once it was killed, its obituary */
    bool is_late;       /* the obituary was due before */
    bool is_open;       /* frames are read and written */
    bool is_held;       /* its owner takes no output for now */
    bool has_eof;
    bool is_polled;
    bool wants_spawn;
    bool wants_kill;
    bool was_killed;
    bool is_dead;
    int status;
    int64_t cpu_ms;
    int64_t peak_bytes;
    struct buf died_sentence;
};

struct call {
    struct host *host;
    struct call *prev; /* the host's list of all calls */
    struct call *next;
    struct run *run; /* NULL: the run was freed */
    const struct tool *tool;
    char *args;
    size_t args_len;
    uint32_t id;
    int slot;
    int tool_index;
    int record_index;
    int64_t arrived_us;
    int64_t answered_us;
    enum call_state state; /* what the record says once the answer is seen */
    enum call_effect effect;
    bool is_at_tool;                 /* the owner holds it */
    bool is_settled;                 /* the record has it */
    bool is_announced;               /* the event of its answer is out */
    void *owner;                     /* the owner's struct for it, */
    void (*free_owner)(void *owner); /* where the host goes before it was answered */
};

struct wakes {
    struct wake *first; /* those that wait */
    int64_t next_at_ms; /* no earlier than this */
    uint32_t sent;
    uint32_t handed;
    uint32_t delivered;
    uint32_t out_id;
    bool is_out; /* the owner has one */
};

struct run {
    struct host *host;
    struct run *next;
    struct cell *cell; /* NULL: waits for one, or its process is gone */
    uint32_t id;
    const struct toolset *tools;
    struct limits limits;
    struct run_callbacks callbacks;
    void *arg;
    struct out_frame *start; /* until a cell has it */
    struct ledger ledger;
    struct call **calls; /* by slot */
    struct output output;
    struct record record;
    struct wakes wakes;
    uv_timer_t *timer;
    int64_t armed_ms;
    int64_t started_us;
    int64_t first_call_us;
    int64_t kill_at_ms;  /* INT64_MAX: no kill is due */
    int64_t tick_at_ms;  /* INT64_MAX: the cell wants none */
    uint32_t sleep_ms;   /* what it asked last */
    int64_t next_cpu_ms; /* when its processor time is looked at; INT64_MAX: never */
    uint64_t answered;
    enum end_cause cause;
    bool is_announced; /* the event of its start is out */
    bool has_missed;   /* it found no ready cell */
    bool was_killed;
    bool has_said;
    bool was_cut;   /* after a stop had been asked */
    bool is_over;   /* calls are being settled, or were */
    bool has_ended; /* its ending is known */
    bool is_gone;   /* its process is, or never was: the ending is due */
    struct wire_ending said;
    struct buf said_bytes; /* what said borrows from */
    struct buf breach;
    struct buf message;
    struct buf early; /* why it ends without a cell */
    const char *early_reason;
    bool has_process;
    bool has_closed;
    int status;
    int64_t cpu_ms;
    int64_t peak_bytes;
    struct buf died_sentence;
    struct ending ending;
};

struct host {
    struct host_options options;
    uv_loop_t *loop;
    struct limits defaults;
    uv_idle_t idle;
    uv_timer_t pool_timer;
    uv_poll_t control_poll;
    uv_poll_t death_poll;
    uv_poll_t words_poll;
    int control; /* the channel to the warden */
    int warden_pidfd;
    int words; /* what the warden writes to stderr */
    pid_t warden_pid;
    char warden_end[32]; /* how it ended, for a sentence, once it has */
    bool is_up;
    bool is_lost; /* refused, gone, or broke the protocol: no run starts any more */
    bool is_warden_gone;
    bool is_ticking;
    bool is_closing;
    bool is_control_polled; /* for room to write */
    bool is_unborn;         /* host_new failed half-way: it frees itself */
    unsigned handles;       /* open ones, of host, cells and timers */
    struct cell *cells;
    struct run *runs;
    struct run **runs_end;
    struct call *calls;
    uint32_t next_cell;
    uint32_t next_run;
    unsigned ready_target;
    unsigned young_deaths; /* cells that were not made or died before they were ready, in a row */
    uint32_t failed_cell;  /* the last one that was made before the last of those was known */
    bool had_ready;
    bool was_used;           /* since the last look at whether to shrink */
    int64_t shrink_at_ms;    /* when that look is due */
    int64_t spawn_after_ms;  /* after a failed start */
    int64_t refill_after_ms; /* a script that has just begun is not held up by a fork */
    int64_t close_deadline_ms;
    struct buf walls;
    struct buf error;
    struct buf last_words;
    void (*on_closed)(void *arg);
    void *on_closed_arg;
};

/* Counts a handle that was opened; the host is closed when all are. */
void host_opened(struct host *host);
/* In a close callback: counts it back, and finishes a close. Nothing of the host may be touched
 * after it. */
void host_handle_closed(struct host *host);

/* Has host_tick() run soon, from the loop. */
void host_wake(struct host *host);

/* The warden said that its walls stand, or what it could not do, or is gone. */
void host_is_up(struct host *host);
void host_lost(struct host *host, const char *sentence);
void host_warden_gone(struct host *host);

/* Sends an event where someone listens. */
void event_send(struct host *host, enum event_type type, const struct run *run,
                const struct cell *cell, int64_t number, struct bytes text);
void event_send_at(struct host *host, const struct event *event);

#endif
