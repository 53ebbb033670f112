/* SPDX-License-Identifier: MIT
 *
 * A host whose warden was started for attempts: its cells raise the same walls in the same order
 * as a script's, and then take the script's text as the name of one escape. One after another,
 * while the host forks the next cell. Here it is judged what each came to.
 */
#include "cli/escapes.h"

#include "base/mem.h"
#include "cli/trial.h"
#include "host/host.h"
#include "json/json.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

enum { MAX_SENTENCE = 65536, ESCAPE_MS = 2000 };

#define FILTER "filter"
#define LIMITS "limits"
#define FDS    "descriptors"
#define MEMORY "memory"

static const struct escape table[] = {
#define ATTEMPT(name, wants, wall, sentence) {#name, wall, wants, sentence, false, false, ""},
#include "wire/attempts.tbl.h"
#undef ATTEMPT
};

struct session {
    uv_loop_t loop;
    uv_timer_t timer;
    struct host *host;
    struct toolset *tools;
    struct run *run;
    struct escapes *result;
    size_t at; /* the row in work */
};

static void ignore_closed(void *arg)
{
    (void)arg;
}

static void finish(struct session *s)
{
    if (!uv_is_closing((uv_handle_t *)&s->timer)) {
        uv_close((uv_handle_t *)&s->timer, NULL);
        host_close(s->host, ignore_closed, NULL);
    }
}

/* Whether one of the words is this one. */
static bool is_among(const char *words, const char *word)
{
    struct bytes rest = bytes_str(words);

    while (rest.len > 0) {
        const uint8_t *space = memchr(rest.ptr, ' ', rest.len);
        size_t len = space == NULL ? rest.len : (size_t)(space - rest.ptr);

        if (bytes_is(bytes_first(rest, len), word)) {
            return true;
        }
        rest = bytes_from(rest, len + 1);
    }
    return false;
}

static void word_ending(const struct ending *ending, struct escape *e)
{
    _cleanup_(buf_done) struct buf value = buf_max(MAX_SENTENCE);

    if (ending->kind == ENDING_CRASHED && WIFSIGNALED(ending->exit_status)) {
        const char *name = sigabbrev_np(WTERMSIG(ending->exit_status));

        snprintf(e->came_to, sizeof e->came_to, "SIG%s", name == NULL ? "?" : name);
    } else if (ending->kind == ENDING_FINISHED && json_text(ending->value, &value) == 0) {
        snprintf(e->came_to, sizeof e->came_to, "%s", buf_str(&value));
    } else {
        snprintf(e->came_to, sizeof e->came_to, "%s", ending_name(ending->kind));
    }
}

static void on_ended(void *arg, struct run *run, const struct ending *ending)
{
    struct session *s = arg;
    struct escape *e = &s->result->rows[s->at];

    (void)run;
    if (host_error(s->host)[0] != '\0' || uv_is_closing((uv_handle_t *)&s->timer)) {
        finish(s); /* it was not tried: the host's error, or patience, says why */
        return;
    }
    word_ending(ending, e);
    e->is_tried = true;
    e->is_stopped = is_among(e->wants, e->came_to);
    s->result->tried++;
    s->result->stopped += e->is_stopped;
    s->at++;
    /* The run cannot be freed inside its own callback: the timer goes on. */
    uv_timer_start(&s->timer, s->timer.timer_cb, 0, 0);
}

/* Escapes make no calls. */
static void on_call(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    call_refuse(call, "there is no tool");
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    (void)call;
}

static int start_next(struct session *s)
{
    struct run_input input = {
        .language = WIRE_JAVASCRIPT,
        .tools = s->tools,
        .limits = limits_default(),
        .callbacks = {.on_call = on_call, .on_cancel = on_cancel, .on_ended = on_ended},
        .arg = s,
    };

    input.limits.lifetime = ESCAPE_MS;
    input.code = bytes_str(s->result->rows[s->at].name);
    return run_start(s->host, &input, &s->run, &s->result->sentence);
}

/* The next escape; or patience with the one that runs is over. */
static void on_timer(uv_timer_t *timer)
{
    struct session *s = timer->data;

    if (s->run != NULL && run_ending(s->run) == NULL) {
        buf_printf(&s->result->sentence, "the helper said nothing for %d seconds, and was ended",
                   TRIAL_PATIENCE_MS / 1000);
        finish(s);
        return;
    }
    if (s->run != NULL) {
        run_free(s->run);
        s->run = NULL;
    }
    while (s->at < s->result->n && s->result->rows[s->at].wants[0] == '\0') {
        s->at++; /* it ends only by hand */
    }
    if (s->at == s->result->n || start_next(s) < 0) {
        finish(s);
        return;
    }
    uv_timer_start(timer, on_timer, TRIAL_PATIENCE_MS, 0);
}

static void try_all(struct session *s, const char *warden_path)
{
    struct host_options options = HOST_OPTIONS_DEFAULT;
    struct buf *sentence = &s->result->sentence;

    options.loop = &s->loop;
    options.warden_path = warden_path;
    options.is_for_attempts = true;
    if (toolset_new(NULL, 0, &s->tools, sentence) < 0 ||
        host_new(&options, &s->host, sentence) < 0) {
        return;
    }
    uv_timer_init(&s->loop, &s->timer);
    s->timer.data = s;
    uv_timer_start(&s->timer, on_timer, 0, 0);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    if (s->at < s->result->n && sentence->len == 0) {
        buf_put_str(sentence, host_error(s->host));
    }
    if (s->run != NULL) {
        run_free(s->run);
    }
    host_free(s->host);
}

void escapes_try(const char *warden_path, struct escapes *ret)
{
    struct session s = {.result = ret};

    *ret = (struct escapes){
        .rows = xmem_new(sizeof table), .n = ARRAY_SIZE(table), .sentence = buf_max(MAX_SENTENCE)};
    memcpy(ret->rows, table, sizeof table);
    if (uv_loop_init(&s.loop) < 0) {
        buf_put_str(&ret->sentence, "no event loop could be made");
        return;
    }
    try_all(&s, warden_path);
    toolset_free(s.tools);
    uv_loop_close(&s.loop);
}

void escapes_done(struct escapes *escapes)
{
    mem_free(escapes->rows);
    buf_done(&escapes->sentence);
}
