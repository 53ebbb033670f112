/* SPDX-License-Identifier: MIT
 *
 * One run from start to exit status, on a loop of its own: host and servers start side by side,
 * then the script, then everything closes. The loop ends by itself once nothing is left to do:
 * signals and the live line do not keep it.
 *
 * A first signal stops the script (or, before it started, everything); a second kills it and
 * drops what a slow reader has not taken; a third leaves at once, which ends every process of
 * ours too, since warden and keepers watch this one. A reader of stdout that goes away stops
 * the script as a signal does.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/live.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

enum { MAX_REPORT = 1 << 29, MAX_SENTENCE = 65536, WAKE_SHOWN_BYTES = 1200 };

struct session {
    const struct run_set *set;
    uv_loop_t *loop;
    struct signals signals;
    struct out out;
    struct live live;
    struct host *host;
    struct toolset *toolset;
    struct run *run;
    int64_t start_ms;
    int status;
    unsigned signals_seen;
    bool is_closing;
    bool is_terminal; /* stdout */
    struct buf wakes; /* their payloads, with commas, for --json */
};

static void do_nothing(void *arg)
{
    (void)arg;
}

/* Lets go of everything; the loop ends when it is gone. */
static void begin_close(struct session *s)
{
    if (s->is_closing) {
        return;
    }
    s->is_closing = true;
    live_close(&s->live);
    servers_close(s->set->servers, do_nothing, NULL);
    if (s->host != NULL) {
        host_close(s->host, do_nothing, NULL);
    }
}

static void fail(struct session *s, int status, const char *sentence)
{
    live_hide(&s->live);
    cli_say("%s", sentence);
    s->status = status;
    begin_close(s);
}

static void write_report(struct session *s, const struct ending *ending)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_REPORT);
    _cleanup_(buf_done) struct buf clean = buf_max(MAX_REPORT);

    report_text(&text, ending, s->set->source);
    cli_put_clean(&clean, buf_bytes(&text), 0);
    (void)fd_write_all(STDERR_FILENO, buf_bytes(&clean));
}

/* A second signal came while a slow reader had not taken everything. */
static void tell_loss(struct session *s)
{
    cli_say("stdout lacks its end: the second signal dropped what its reader had not taken");
    s->status = CLI_STOPPED;
}

/* What a script writes goes out as it is, but to a terminal only what that would not obey. */
static void put_out(struct session *s, struct bytes text)
{
    _cleanup_(buf_done) struct buf clean = buf_max(MAX_REPORT);

    if (s->is_terminal) {
        cli_put_clean(&clean, text, 0);
        text = buf_bytes(&clean);
    }
    out_put(&s->out, text);
}

static void write_result(struct session *s, const struct ending *ending)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_REPORT);

    if (s->set->options->is_json) {
        _cleanup_(buf_done) struct buf notes = buf_max(MAX_REPORT);
        struct output_part output = run_take_output(s->run);

        servers_put_notes(s->set->servers, &notes);
        report_json(&text, ending, &output, buf_bytes(&s->wakes), buf_bytes(&notes));
    } else {
        report_value(&text, ending);
        if (text.len > 0 && !s->out.at_line_start) {
            out_put(&s->out, bytes_str("\n"));
        }
    }
    put_out(s, buf_bytes(&text));
}

static void on_ended(void *arg, struct run *run, const struct ending *ending)
{
    struct session *s = arg;

    (void)run;
    live_hide(&s->live);
    s->status = ending_exit_status(ending->kind);
    if (s->status == CLI_OK && s->out.fault != 0) {
        s->status = CLI_FAILED;
    }
    write_result(s, ending);
    write_report(s, ending);
    if (s->out.fault == -ECANCELED) {
        tell_loss(s);
    }
    begin_close(s);
}

static void on_output(void *arg, struct run *run, struct bytes text)
{
    struct session *s = arg;

    (void)run;
    if (!s->set->options->is_json) {
        live_hide(&s->live);
        put_out(s, text);
    }
}

/* Whether stderr takes a line of at most PIPE_BUF bytes now. */
static bool stderr_has_room(void)
{
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLOUT) != 0;
}

/* Whoever ran the command is the script's agent: a line on stderr at once, its start where it is
 * long, and all of it in the object of --json. A reader that does not read gets none, and the
 * script is told so. */
static void on_wake(void *arg, struct run *run, struct bytes payload)
{
    struct session *s = arg;
    _cleanup_(buf_done) struct buf line = buf_max(MAX_SENTENCE);
    struct bytes start = bytes_first(payload, WAKE_SHOWN_BYTES);

    if (!stderr_has_room()) {
        run_wake_done(run, false);
        return;
    }
    while (start.len < payload.len && start.len > 0 && (payload.ptr[start.len] & 0xC0) == 0x80) {
        start.len--;
    }
    live_hide(&s->live);
    buf_put_str(&line, "torno: wake: ");
    cli_put_clean(&line, start, 0);
    buf_put_str(&line, start.len < payload.len ? "...\n" : "\n");
    (void)fd_write_all(STDERR_FILENO, bytes_first(buf_bytes(&line), PIPE_BUF));
    if (s->set->options->is_json) {
        buf_put_str(&s->wakes, s->wakes.len > 0 ? "," : "");
        buf_put_bytes(&s->wakes, payload);
    }
    run_wake_done(run, true);
}

static void on_call(void *arg, struct run *run, struct call *call)
{
    struct session *s = arg;

    (void)run;
    servers_call(s->set->servers, call);
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    struct session *s = arg;

    (void)run;
    servers_cancel(s->set->servers, call);
}

static void start_run(struct session *s)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(MAX_SENTENCE);
    struct run_input input = {
        .code = bytes_of(s->set->source->text, s->set->source->len),
        .language = WIRE_JAVASCRIPT,
        .limits = s->set->options->limits,
        .callbacks = {.on_call = on_call,
                      .on_cancel = on_cancel,
                      .on_output = on_output,
                      .on_wake = on_wake,
                      .on_ended = on_ended},
        .arg = s,
    };

    if (servers_toolset(s->set->servers, &s->toolset, &sentence) < 0) {
        fail(s, CLI_USAGE, buf_str(&sentence));
        return;
    }
    input.tools = s->toolset;
    if (run_start(s->host, &input, &s->run, &sentence) < 0) {
        fail(s, CLI_USAGE, buf_str(&sentence));
    }
}

static void on_servers_ready(void *arg)
{
    struct session *s = arg;

    if (!s->is_closing) {
        start_run(s);
    }
}

/* The object of a script that was stopped while its tools still started. */
static void write_unborn(struct session *s)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_REPORT);
    _cleanup_(buf_done) struct buf notes = buf_max(MAX_REPORT);
    struct output_part output = {.head = bytes_none(), .tail = bytes_none()};
    struct ending ending = {
        .kind = ENDING_STOPPED,
        .reason = bytes_none(),
        .value = bytes_none(),
        .error_name = bytes_none(),
        .error_message = bytes_str("it was stopped before it began"),
        .frames = bytes_none(),
        .notes = bytes_none(),
        .wall_ms = clock_now_ms() - s->start_ms,
        .first_call_us = -1,
        .walls = host_walls(s->host),
    };

    servers_put_notes(s->set->servers, &notes);
    report_json(&text, &ending, &output, bytes_none(), buf_bytes(&notes));
    out_put(&s->out, buf_bytes(&text));
}

/* Asks the script to end, or gives up on starting it. */
static void stop(struct session *s)
{
    if (s->run == NULL) {
        s->status = CLI_STOPPED;
        if (s->set->options->is_json && !s->is_closing) {
            write_unborn(s);
        }
        begin_close(s);
    } else if (!s->is_closing) {
        run_stop(s->run);
    }
}

static void kill_run(struct session *s)
{
    bool has_lost = !out_is_empty(&s->out) && out_drop(&s->out) > 0;

    if (s->run != NULL && !s->is_closing) {
        run_kill(s->run); /* its end tells what was lost */
    } else if (has_lost) {
        tell_loss(s);
    }
}

static void on_signal(void *arg, int number)
{
    struct session *s = arg;

    s->signals_seen++;
    live_hide(&s->live);
    if (s->signals_seen == 1) {
        if (!s->is_closing) {
            cli_say("SIG%s: stopping the script; a second one kills it", sigabbrev_np(number));
        }
        stop(s);
    } else if (s->signals_seen == 2) {
        kill_run(s);
    } else {
        _exit(CLI_STOPPED);
    }
}

static void on_out_fault(void *arg, int error)
{
    struct session *s = arg;

    live_hide(&s->live);
    if (error == -EPIPE) {
        cli_say("the reader of stdout went away, so %s",
                s->is_closing ? "it did not get everything" : "the script is stopped");
    } else {
        cli_say("stdout cannot be written (%s), so %s", strerror(-error),
                s->is_closing ? "it lacks its end" : "the script is stopped");
    }
    if (s->status == CLI_OK) {
        s->status = CLI_FAILED;
    }
    if (s->run != NULL && run_ending(s->run) == NULL) {
        run_stop(s->run);
    }
}

/* A script that writes faster than the reader reads is held back. */
static void on_out_pace(void *arg, bool is_behind)
{
    struct session *s = arg;

    if (s->run != NULL && run_ending(s->run) == NULL) {
        run_hold(s->run, is_behind);
    }
}

static void compose_live(void *arg, struct buf *line)
{
    struct session *s = arg;
    int64_t ms = clock_now_ms() - s->start_ms;

    if (s->run == NULL) {
        size_t n = servers_count(s->set->servers);

        buf_printf(line, "torno: starting %zu tool server%s", n, n == 1 ? "" : "s");
    } else {
        struct run_counts counts = run_counts(s->run);

        buf_printf(line, "torno: %" PRIu64 " call%s made, %" PRIu64 " running", counts.calls,
                   counts.calls == 1 ? "" : "s", counts.out);
    }
    buf_printf(line, ", %" PRId64 ".%" PRId64 " s", ms / 1000, ms % 1000 / 100);
}

/* Signals, stdout and the live line. */
static int open_terminal(struct session *s)
{
    int r = signals_init(&s->signals, s->loop, on_signal, s);

    if (r == 0) {
        r = out_init(&s->out, s->loop, STDOUT_FILENO);
    }
    if (r < 0) {
        return r;
    }
    s->out.on_fault = on_out_fault;
    s->out.on_pace = on_out_pace;
    s->out.arg = s;
    return live_init(&s->live, s->loop, &s->out, compose_live, s);
}

/* Starts host and servers side by side. */
static void start_all(struct session *s)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(MAX_SENTENCE);
    struct host_options options = HOST_OPTIONS_DEFAULT;
    int r;

    options.loop = s->loop;
    options.warden_path = s->set->warden_path;
    options.memory = s->set->options->limits.memory;
    options.max_cells = 1;
    if (host_new(&options, &s->host, &sentence) < 0) {
        fail(s, CLI_USAGE, buf_str(&sentence));
        return;
    }
    r = servers_connect(s->set->servers, on_servers_ready, s);
    if (r < 0) {
        buf_printf(&sentence, "the tool servers could not be started: %s", strerror(-r));
        fail(s, CLI_USAGE, buf_str(&sentence));
    }
}

/* After the loop has ended: what is left. */
static void free_all(struct session *s)
{
    signals_close(&s->signals);
    out_close(&s->out);
    uv_run(s->loop, UV_RUN_DEFAULT);
    if (s->run != NULL) {
        run_free(s->run);
    }
    toolset_free(s->toolset);
    buf_done(&s->wakes);
    if (s->host != NULL) {
        host_free(s->host);
    }
}

int run_session(uv_loop_t *loop, const struct run_set *set)
{
    struct session s = {.set = set,
                        .loop = loop,
                        .signals = {.fd = -1},
                        .out = {.epoll_fd = -1},
                        .start_ms = clock_now_ms(),
                        .status = CLI_FAILED,
                        .is_terminal = isatty(STDOUT_FILENO) != 0,
                        .wakes = buf_max(MAX_REPORT)};
    int r = open_terminal(&s);

    if (r < 0) {
        s.status = cli_usage("the run could not be prepared: %s", strerror(-r));
    } else {
        start_all(&s);
        uv_run(loop, UV_RUN_DEFAULT);
    }
    free_all(&s);
    return s.status;
}
