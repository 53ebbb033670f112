/* SPDX-License-Identifier: MIT
 *
 * A host of its own, as `torno run` has one, and a script whose value can only be right when
 * engine, cell, wire, gate and tool all work.
 */
#include "cli/trial.h"

#include "base/mem.h"
#include "host/host.h"

enum { MAX_SENTENCE = 65536 };

static const char code[] = "const answer = await tools.double({ number: 21 });\n"
                           "return answer.structuredContent.number;\n";

struct stage {
    uv_loop_t loop;
    uv_timer_t timer;
    struct host *host;
    struct toolset *tools;
    struct run *run;
    struct trial *result;
    bool has_script;
};

static void ignore_closed(void *arg)
{
    (void)arg;
}

static void finish(struct stage *a)
{
    if (!uv_is_closing((uv_handle_t *)&a->timer)) {
        uv_close((uv_handle_t *)&a->timer, NULL);
        host_close(a->host, ignore_closed, NULL);
    }
}

static void keep_walls(struct stage *a)
{
    buf_clear(&a->result->walls);
    if (host_error(a->host)[0] == '\0') { /* else what it says is why there are none */
        buf_put_str(&a->result->walls, host_walls(a->host));
    }
}

/* Patience is over, or (started anew from on_event) the walls stand and that was all. */
static void on_timer(uv_timer_t *timer)
{
    struct stage *a = timer->data;

    if (!a->result->is_ok) {
        buf_printf(&a->result->sentence, "the helper said nothing for %d seconds, and was ended",
                   TRIAL_PATIENCE_MS / 1000);
    }
    finish(a);
}

static void on_call(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    call_reply(call, bytes_str("{\"content\":[],\"structuredContent\":{\"number\":42}}"));
}

static void on_cancel(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    (void)call;
}

static void on_ended(void *arg, struct run *run, const struct ending *ending)
{
    struct stage *a = arg;

    (void)run;
    keep_walls(a);
    a->result->first_call_us = ending->first_call_us;
    a->result->is_ok = ending->kind == ENDING_FINISHED && bytes_is(ending->value, "42");
    /* What was said when patience ended stands: the stop that followed tells nothing. */
    if (!a->result->is_ok && a->result->sentence.len == 0) {
        buf_printf(&a->result->sentence, "the script %s", ending_name(ending->kind));
        if (ending->error_message.len > 0) {
            buf_put_str(&a->result->sentence, ": ");
            buf_put_bytes(&a->result->sentence, ending->error_message);
        }
    }
    finish(a);
}

static void on_event(void *arg, const struct event *event)
{
    struct stage *a = arg;

    if (event->type == EVENT_CELL_READY) {
        a->result->cell_walls = (uint32_t)event->number;
    }
    if (event->type == EVENT_WALLS_UP && !a->has_script) {
        keep_walls(a);
        a->result->is_ok = true;
        /* The host must not be closed from inside its own event: the timer does it. */
        uv_timer_start(&a->timer, on_timer, 0, 0);
    }
}

static int start_script(struct stage *a)
{
    struct tool tool = {.name = bytes_str("double")};
    struct run_input input = {
        .code = bytes_str(code),
        .language = WIRE_JAVASCRIPT,
        .limits = limits_default(),
        .callbacks = {.on_call = on_call, .on_cancel = on_cancel, .on_ended = on_ended},
        .arg = a,
    };
    int r = toolset_new(&tool, 1, &a->tools, &a->result->sentence);

    if (r == 0) {
        input.tools = a->tools;
        r = run_start(a->host, &input, &a->run, &a->result->sentence);
    }
    return r;
}

static void run_stage(struct stage *a, const char *warden_path)
{
    struct host_options options = HOST_OPTIONS_DEFAULT;
    int r;

    options.loop = &a->loop;
    options.warden_path = warden_path;
    options.on_event = on_event;
    options.event_arg = a;
    r = host_new(&options, &a->host, &a->result->sentence);
    if (r < 0) {
        return;
    }
    uv_timer_init(&a->loop, &a->timer);
    a->timer.data = a;
    uv_timer_start(&a->timer, on_timer, TRIAL_PATIENCE_MS, 0);
    if (a->has_script && start_script(a) < 0) {
        finish(a);
    }
    uv_run(&a->loop, UV_RUN_DEFAULT);
    if (!a->result->is_ok && a->result->sentence.len == 0) {
        buf_put_str(&a->result->sentence, host_error(a->host));
    }
    if (a->run != NULL) {
        run_free(a->run);
    }
    toolset_free(a->tools);
    host_free(a->host);
}

void trial_run(const char *warden_path, bool has_script, struct trial *ret)
{
    struct stage a = {.result = ret, .has_script = has_script};

    *ret = (struct trial){
        .walls = buf_max(MAX_SENTENCE), .sentence = buf_max(MAX_SENTENCE), .first_call_us = -1};
    if (uv_loop_init(&a.loop) < 0) {
        buf_put_str(&ret->sentence, "no event loop could be made");
        return;
    }
    run_stage(&a, warden_path);
    uv_loop_close(&a.loop);
}

void trial_done(struct trial *trial)
{
    buf_done(&trial->walls);
    buf_done(&trial->sentence);
}

/* host_walls() reads "tier A", and on where something is weaker: ": ..." */
char trial_tier(struct trial *trial)
{
    return trial->walls.len < 6 ? '\0' : buf_str(&trial->walls)[5];
}

const char *trial_notice(struct trial *trial)
{
    return trial->walls.len < 8 ? "" : buf_str(&trial->walls) + 8;
}
