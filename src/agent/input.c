/* SPDX-License-Identifier: MIT
 *
 * The tool's own input: which members there are, of what type, in what range.
 *
 * An input that is not known, has the wrong type, is out of range, or is missing is refused by
 * name, with what is right. The first fault is told.
 */
#include "agent/inside.h"
#include "agent/words.h"

#include "base/mem.h"
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>

enum { KEY_CHARS = 100 };

struct member {
    const char *key;
    enum json_kind kind;
    const char *type;
};

static const struct member members[] = {
    {"action", JSON_STRING, "a string: run, wait, stop or list"},
    {"code", JSON_STRING, "a string: the script"},
    {"language", JSON_STRING, "a string: javascript or python"},
    {"yield_ms", JSON_NUMBER, "a whole number of milliseconds"},
    {"script_id", JSON_STRING, "a string: the id of one of your scripts"},
};

static const struct {
    const char *name;
    enum agent_action action;
    const char *needs; /* the member it cannot be without */
    const char *takes; /* beside action, with spaces around */
} actions[] = {
    {"run", AGENT_RUN, "code", " code language yield_ms "},
    {"wait", AGENT_WAIT, "script_id", " script_id yield_ms "},
    {"stop", AGENT_STOP, "script_id", " script_id "},
    {"list", AGENT_LIST, NULL, " "},
};

static int check_member(struct bytes key, struct bytes value, struct buf *ret_sentence)
{
    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        if (!json_is(key, members[i].key)) {
            continue;
        }
        if (json_kind(value) != members[i].kind) {
            buf_printf(ret_sentence, "The input \"%s\" must be %s.", members[i].key,
                       members[i].type);
            return -EINVAL;
        }
        return 0;
    }
    buf_put_str(ret_sentence, "There is no input ");
    words_put_first(ret_sentence, key, KEY_CHARS, WORDS_ONE_LINE);
    buf_put_str(ret_sentence, ": the inputs are action, code, language, yield_ms and script_id.");
    return -EINVAL;
}

static int check_members(struct bytes json, struct buf *ret_sentence)
{
    struct bytes key;
    struct bytes value;
    size_t at = 0;
    int r = 0;

    if (json_kind(json) != JSON_OBJECT) {
        buf_put_str(ret_sentence, "The input must be an object, like {\"action\": \"run\", "
                                  "\"code\": \"return 1\"}.");
        return -EINVAL;
    }
    while (r == 0 && json_next(json, &at, &key, &value)) {
        r = check_member(key, value, ret_sentence);
    }
    return r;
}

/* Which action; one that is not named is a run, where there is code. */
static int read_action(struct bytes json, size_t *ret, struct buf *ret_sentence)
{
    struct bytes name = json_get(json, "action");

    for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
        if (json_is(name, actions[i].name)) {
            *ret = i;
            return 0;
        }
    }
    if (name.len == 0 && json_get(json, "code").len > 0) {
        *ret = 0;
        return 0;
    }
    buf_put_str(ret_sentence, name.len == 0
                                  ? "The input \"action\" is missing: run, wait, stop or list."
                                  : "The input \"action\" must be run, wait, stop or list.");
    return -EINVAL;
}

/* What an action needs is there, what it has no use for is not. */
static int check_action(struct bytes json, size_t i, struct buf *ret_sentence)
{
    for (size_t k = 1; k < ARRAY_SIZE(members); k++) {
        _cleanup_(buf_done) struct buf word = buf_max(64);

        buf_printf(&word, " %s ", members[k].key);
        if (json_get(json, members[k].key).len > 0 &&
            strstr(actions[i].takes, buf_str(&word)) == NULL) {
            buf_printf(ret_sentence, "The action \"%s\" takes no input \"%s\".", actions[i].name,
                       members[k].key);
            return -EINVAL;
        }
    }
    if (actions[i].needs != NULL && json_get(json, actions[i].needs).len == 0) {
        buf_printf(ret_sentence, "The action \"%s\" needs the input \"%s\".", actions[i].name,
                   actions[i].needs);
        return -EINVAL;
    }
    return 0;
}

static int read_language(struct bytes name, enum wire_language *ret, struct buf *ret_sentence)
{
    *ret = WIRE_JAVASCRIPT;
    if (name.len == 0 || json_is(name, "javascript")) {
        return 0;
    }
    if (json_is(name, "python")) {
        *ret = WIRE_PYTHON;
        return 0;
    }
    buf_put_str(ret_sentence, "The input \"language\" must be javascript or python.");
    return -EINVAL;
}

void input_put_yield(struct buf *out, const struct agent *agent)
{
    buf_printf(out,
               "The input \"yield_ms\" must be a whole number from 0 to %" PRId64
               " (milliseconds until the call returns with what there is).",
               agent->options.max_yield_ms);
}

static int read_yield(const struct agent *agent, struct bytes number, int64_t *ret,
                      struct buf *ret_sentence)
{
    *ret = -1;
    if (number.len == 0 || json_int(number, 0, agent->options.max_yield_ms, ret) == 0) {
        return 0;
    }
    input_put_yield(ret_sentence, agent);
    return -EINVAL;
}

int agent_read_input(const struct agent *agent, struct bytes json, struct agent_input *ret,
                     struct buf *code_space, struct buf *id_space, struct buf *ret_sentence)
{
    size_t action = 0;
    int r = check_members(json, ret_sentence);

    *ret = (struct agent_input){.code = bytes_none(), .script_id = bytes_none()};
    if (r == 0) {
        r = read_action(json, &action, ret_sentence);
    }
    if (r == 0) {
        r = check_action(json, action, ret_sentence);
    }
    if (r == 0) {
        r = read_language(json_get(json, "language"), &ret->language, ret_sentence);
    }
    if (r == 0) {
        r = read_yield(agent, json_get(json, "yield_ms"), &ret->yield_ms, ret_sentence);
    }
    if (r < 0) {
        return r;
    }
    ret->action = actions[action].action;
    if (actions[action].action == AGENT_RUN) {
        r = json_text(json_get(json, "code"), code_space);
        ret->code = buf_bytes(code_space);
    } else if (actions[action].needs != NULL) {
        r = json_text(json_get(json, "script_id"), id_space);
        ret->script_id = buf_bytes(id_space);
    }
    if (r < 0 && ret->action == AGENT_RUN) {
        buf_printf(ret_sentence, "The input \"code\" must be at most %" PRId64 " bytes long.",
                   agent->options.limits.max_code);
    } else if (r < 0) {
        buf_put_str(ret_sentence, "The input \"script_id\" is too long to be an id of yours.");
    }
    return r < 0 ? -EINVAL : 0;
}
