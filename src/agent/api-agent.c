/* SPDX-License-Identifier: MIT
 *
 * include/torno.h: agents, watches, turns.
 *
 * Tools may be added at any time; the set that scripts get is made anew at the next start, and a
 * set goes once no script that was given it is kept. A watch of the API holds the inner one until
 * that has returned or was cancelled.
 */
#include "agent/api.h"

#include "base/mem.h"
#include "host/utf8.h"
#include "json/json.h"

#include <errno.h>

enum { SENTENCE_BYTES = 64 * 1024, MAX_CODE_BYTES = 64 * 1024 * 1024 };

struct api_set {
    struct api_set *next;
    struct toolset *set;
};

struct torno_agent {
    struct torno_host *host;
    struct torno_agent *next; /* of those that are open */
    struct agent *agent;
    struct torno_agent_options options;
    struct limits limits;
    struct api_tool *tools; /* the newest first */
    struct api_set *sets;   /* likewise */
    bool has_new_tools;
    bool is_hosts;            /* torno_host_free() closed it */
    struct toolset_room room; /* what the tools take of a start frame */
    void (*on_closed)(void *arg);
    void *on_closed_arg;
};

struct torno_watch {
    struct watch *watch;
    torno_return_fn on_return;
    void *arg;
};

/* ---- the inner agent's callbacks ---- */

static void on_call(void *arg, struct tool_call *call)
{
    (void)arg;
    api_on_call(call);
}

static void on_cancel(void *arg, struct tool_call *call)
{
    (void)arg;
    api_on_cancel(call);
}

static void on_message(void *arg, struct agent *inner, const struct agent_message *message)
{
    struct torno_agent *agent = arg;
    struct torno_message m = {
        .size = sizeof m,
        .script_id = message->script_id,
        .is_notice = message->is_notice,
        .payload = api_text(message->payload),
        .text = api_text(message->text),
    };

    (void)inner;
    agent->options.on_message(agent->options.arg, agent, &m);
}

static void on_output(void *arg, const char *script_id, struct bytes text)
{
    struct torno_agent *agent = arg;

    agent->options.on_output(agent->options.arg, script_id, api_text(text));
}

/* ---- open and close ---- */

int torno_agent_open(struct torno_host *host, const struct torno_agent_options *options,
                     struct torno_agent **ret_agent)
{
    static const struct torno_agent_options defaults = TORNO_AGENT_OPTIONS;
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    const struct torno_agent_options *o = options == NULL ? &defaults : options;
    struct agent_options inner = AGENT_OPTIONS_DEFAULT;
    struct torno_agent *agent;
    int r;

    if (host == NULL || ret_agent == NULL) {
        return api_fail(-EINVAL, "host and ret_agent must not be NULL");
    }
    if (o->size != sizeof *o) {
        return api_fail(-EINVAL, "torno_agent_options.size is not that of this library's version: "
                                 "start from TORNO_AGENT_OPTIONS");
    }
    agent = mem_new(sizeof *agent);
    if (agent == NULL) {
        return api_fail(-ENOMEM, "there is no memory for another agent");
    }
    *agent = (struct torno_agent){.host = host, .options = *o, .limits = inner.limits};
    inner.name = bytes_str(o->name == NULL ? "" : o->name);
    inner.is_primary = o->is_primary;
    inner.max_running = o->max_running;
    inner.max_kept = o->max_kept;
    inner.inline_chars = o->inline_chars;
    inner.yield_ms = o->yield_ms;
    inner.max_yield_ms = o->max_yield_ms;
    inner.callbacks = (struct agent_callbacks){
        .on_call = on_call,
        .on_cancel = on_cancel,
        .on_message = o->on_message == NULL ? NULL : on_message,
        .on_output = o->on_output == NULL ? NULL : on_output,
    };
    inner.arg = agent;
    r = agent_open(host->agents, &inner, &agent->agent, &sentence);
    if (r < 0) {
        mem_free(agent);
        return api_fail(r, buf_str(&sentence));
    }
    agent->next = host->open;
    host->open = agent;
    *ret_agent = agent;
    return 0;
}

static void on_agent_closed(void *arg)
{
    struct torno_agent *agent = arg;
    void (*on_closed)(void *) = agent->on_closed;
    void *on_closed_arg = agent->on_closed_arg;

    while (agent->sets != NULL) {
        struct api_set *set = agent->sets;

        agent->sets = set->next;
        toolset_free(set->set);
        mem_free(set);
    }
    api_tools_free(agent->tools);
    if (agent->is_hosts) {
        agent->tools = NULL;
        agent->next = agent->host->dead;
        agent->host->dead = agent;
    } else {
        mem_free(agent);
    }
    if (on_closed != NULL) {
        on_closed(on_closed_arg);
    }
}

void api_free_dead(struct torno_host *host)
{
    while (host->dead != NULL) {
        struct torno_agent *agent = host->dead;

        host->dead = agent->next;
        mem_free(agent);
    }
}

/* Its host is being freed, and callbacks come meanwhile. */
static int check_alive(const struct torno_agent *agent)
{
    return agent->host->is_freeing ? api_fail(-ESHUTDOWN, "the host is being freed") : 0;
}

void torno_agent_close(struct torno_agent *agent, void (*on_closed)(void *arg), void *arg)
{
    struct torno_agent **at = agent == NULL ? NULL : &agent->host->open;

    if (agent == NULL) {
        return;
    }
    while (*at != NULL && *at != agent) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        return; /* it was closed already */
    }
    *at = agent->next;
    agent->is_hosts = agent->host->is_freeing;
    agent->on_closed = on_closed;
    agent->on_closed_arg = arg;
    agent_close(agent->agent, on_agent_closed, agent);
}

int torno_agent_add_tool(struct torno_agent *agent, const struct torno_tool *tool)
{
    struct api_tool *t;
    struct toolset_room room;
    int r;

    if (agent == NULL) {
        return api_fail(-EINVAL, "agent must not be NULL");
    }
    r = check_alive(agent);
    if (r < 0) {
        return r;
    }
    room = agent->room;
    r = api_tool_new(tool, &room, &t);
    if (r < 0) {
        return r;
    }
    for (const struct api_tool *other = agent->tools; other != NULL; other = other->next) {
        if (strcmp(other->name, t->name) == 0) {
            _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);

            buf_printf(&sentence, "the agent has a tool \"%s\" already", t->name);
            api_tools_free(t);
            return api_fail(-EEXIST, buf_str(&sentence));
        }
    }
    agent->room = room;
    t->next = agent->tools;
    agent->tools = t;
    agent->has_new_tools = true;
    return 0;
}

int torno_agent_set_limit(struct torno_agent *agent, const char *assignment)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    struct limits limits;
    int r;

    if (agent == NULL || assignment == NULL) {
        return api_fail(-EINVAL, "agent and assignment must not be NULL");
    }
    r = check_alive(agent);
    if (r < 0) {
        return r;
    }
    limits = agent->limits;
    r = limits_parse(&limits, assignment, &sentence);
    if (r == 0) {
        r = limits_check(&limits, &sentence);
    }
    if (r < 0) {
        return api_fail(r, buf_str(&sentence));
    }
    agent->limits = limits;
    agent_set_limits(agent->agent, &limits);
    return 0;
}

/* Sets that no script was given any more go, but for the newest. */
static void drop_sets(struct torno_agent *agent)
{
    struct api_set **at = agent->sets == NULL ? NULL : &agent->sets->next;

    while (at != NULL && *at != NULL) {
        struct api_set *set = *at;

        if (agent_uses_tools(agent->agent, set->set)) {
            at = &set->next;
        } else {
            *at = set->next;
            toolset_free(set->set);
            mem_free(set);
        }
    }
}

static int renew_tools(struct torno_agent *agent)
{
    struct api_set *set;
    int r;

    if (!agent->has_new_tools) {
        return 0;
    }
    set = mem_new(sizeof *set);
    if (set == NULL) {
        return api_fail(-ENOMEM, "there is no memory for the tools");
    }
    r = api_toolset(agent->tools, &set->set);
    if (r < 0) {
        mem_free(set);
        return r;
    }
    set->next = agent->sets;
    agent->sets = set;
    agent->has_new_tools = false;
    agent_set_tools(agent->agent, set->set);
    drop_sets(agent);
    return 0;
}

/* ---- the tool ---- */

static void on_return(void *arg, const struct agent_return *ret)
{
    struct torno_watch *watch = arg;
    struct torno_return r = {
        .size = sizeof r,
        .text = api_text(ret->text),
        .json = api_text(ret->structured),
        .script_id = ret->script_id,
        .is_error = ret->is_error,
        .n_calls = ret->n_calls,
    };
    struct torno_round_call *calls = mem_array(ret->n_calls + 1, sizeof *calls);

    for (size_t i = 0; calls != NULL && i < ret->n_calls; i++) {
        calls[i] = (struct torno_round_call){.tool = ret->calls[i].tool,
                                             .cause = ret->calls[i].cause,
                                             .is_refused = ret->calls[i].is_refused};
    }
    watch->watch = NULL; /* a cancel in its return does nothing */
    r.calls = calls;
    r.n_calls = calls == NULL ? 0 : ret->n_calls;
    watch->on_return(watch->arg, &r);
    mem_free(calls);
    mem_free(watch);
}

/* A use of the tool; refusal, where there is one, is what it returns. */
static int begin(struct torno_agent *agent, struct agent_request *request, const char *refusal,
                 torno_return_fn fn, void *arg, struct torno_watch **ret_watch)
{
    struct torno_watch *watch;
    int r;

    if (agent == NULL || fn == NULL) {
        return api_fail(-EINVAL, "agent and on_return must not be NULL");
    }
    r = check_alive(agent);
    if (r == 0) {
        r = renew_tools(agent);
    }
    if (r < 0) {
        return r;
    }
    watch = mem_new(sizeof *watch);
    if (watch == NULL) {
        return api_fail(-ENOMEM, "there is no memory for another call of the tool");
    }
    *watch = (struct torno_watch){.on_return = fn, .arg = arg};
    request->on_return = on_return;
    request->arg = watch;
    r = refusal != NULL ? agent_refuse(agent->agent, request, refusal, &watch->watch)
                        : agent_do(agent->agent, request, &watch->watch);
    if (r < 0) {
        mem_free(watch);
        return api_fail(r, "there is no memory for another call of the tool");
    }
    if (ret_watch != NULL) {
        *ret_watch = watch;
    }
    return 0;
}

int torno_agent_call(struct torno_agent *agent, const char *json, size_t len, uint64_t turn,
                     torno_return_fn fn, void *arg, struct torno_watch **ret_watch)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(SENTENCE_BYTES);
    _cleanup_(buf_done) struct buf code = buf_max(MAX_CODE_BYTES);
    _cleanup_(buf_done) struct buf id = buf_max(SENTENCE_BYTES);
    struct agent_request request = {.turn = turn};
    struct json_fault fault;
    struct bytes text = bytes_of(json, len);

    if (agent == NULL) {
        return api_fail(-EINVAL, "agent must not be NULL");
    }
    if (agent->host->is_freeing) {
        return check_alive(agent);
    }
    if (json_check(text, JSON_UNIQUE_KEYS, JSON_MAX_DEPTH, SIZE_MAX, NULL, &fault) < 0) {
        buf_printf(&sentence, "The input isn't JSON: %s (line %u, column %u).", fault.sentence,
                   fault.line, fault.column);
        request.input.action = AGENT_LIST;
    } else {
        agent_read_input(agent->agent, text, &request.input, &code, &id, &sentence);
    }
    return begin(agent, &request, sentence.len > 0 ? buf_str(&sentence) : NULL, fn, arg, ret_watch);
}

int torno_agent_run(struct torno_agent *agent, const char *code, size_t len, const char *language,
                    int64_t yield_ms, uint64_t turn, torno_return_fn fn, void *arg,
                    struct torno_watch **ret_watch)
{
    bool is_python = language != NULL && strcmp(language, "python") == 0;
    bool is_known = language == NULL || is_python || strcmp(language, "javascript") == 0;
    struct agent_request request = {
        .input = {.action = AGENT_RUN,
                  .code = bytes_of(code, len),
                  .language = is_python ? WIRE_PYTHON : WIRE_JAVASCRIPT,
                  .yield_ms = yield_ms},
        .turn = turn,
    };

    return begin(agent, &request,
                 is_known ? NULL : "The input \"language\" must be javascript or python.", fn, arg,
                 ret_watch);
}

int torno_agent_wait(struct torno_agent *agent, const char *script_id, int64_t yield_ms,
                     uint64_t turn, torno_return_fn fn, void *arg, struct torno_watch **ret_watch)
{
    struct agent_request request = {
        .input = {.action = AGENT_WAIT,
                  .script_id = bytes_str(script_id == NULL ? "" : script_id),
                  .yield_ms = yield_ms},
        .turn = turn,
    };

    return begin(agent, &request, NULL, fn, arg, ret_watch);
}

int torno_agent_stop(struct torno_agent *agent, const char *script_id, uint64_t turn,
                     torno_return_fn fn, void *arg, struct torno_watch **ret_watch)
{
    struct agent_request request = {
        .input = {.action = AGENT_STOP, .script_id = bytes_str(script_id == NULL ? "" : script_id)},
        .turn = turn,
    };

    return begin(agent, &request, NULL, fn, arg, ret_watch);
}

int torno_agent_list(struct torno_agent *agent, torno_return_fn fn, void *arg,
                     struct torno_watch **ret_watch)
{
    struct agent_request request = {.input = {.action = AGENT_LIST}};

    return begin(agent, &request, NULL, fn, arg, ret_watch);
}

const char *torno_watch_script_id(const struct torno_watch *watch)
{
    return watch == NULL ? "" : watch_script_id(watch->watch);
}

void torno_watch_cancel(struct torno_watch *watch)
{
    if (watch != NULL && watch->watch != NULL) {
        watch_cancel(watch->watch);
        mem_free(watch);
    }
}

void torno_agent_delivered(struct torno_agent *agent, const char *script_id, bool is_delivered)
{
    if (agent != NULL && script_id != NULL && !agent->host->is_freeing) {
        agent_delivered(agent->agent, script_id, is_delivered);
    }
}

/* ---- turns ---- */

uint64_t torno_turn_open(struct torno_host *host)
{
    return turn_open(host->agents);
}

int torno_turn_resume(struct torno_host *host, uint64_t turn)
{
    return turn_resume(host->agents, turn)
               ? 0
               : api_fail(-ENOENT, "there never was such a turn, or there is no memory for it");
}

void torno_turn_settle(struct torno_host *host, uint64_t turn)
{
    turn_settle(host->agents, turn);
}

void torno_turn_abandon(struct torno_host *host, uint64_t turn)
{
    turn_abandon(host->agents, turn);
}

bool torno_code_names(const char *code, size_t len, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct bytes name = bytes_str(names[i]);

        if (code_names(bytes_of(code, len), &name, 1)) {
            return true;
        }
    }
    return false;
}
