/* SPDX-License-Identifier: MIT
 *
 * The settings of one server; see mcp/settings.h.
 *
 * Process: the host side. First every member finds its place in a table, then the places are read
 * in an order of ours: a server that is disabled is not looked into, one that speaks HTTP not
 * expanded. A wrong kind refuses the file; what is right but cannot be had becomes the server's
 * fault.
 */
#include "mcp/settings.h"

#include "base/mem.h"
#include "mcp/expand.h"
#include "json/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum { MAX_TEXT = 1 << 20, MAX_WORDS = 10000 };

enum place {
    PLACE_COMMAND,
    PLACE_ARGS,
    PLACE_ENV,
    PLACE_CWD,
    PLACE_TYPE,
    PLACE_URL,
    PLACE_DISABLED,
    PLACE_ENABLED,
    PLACE_CALL_MS,
    PLACE_CALL_S,
    PLACE_START_S,
    PLACE_ENV_FILE,
    PLACE_COUNT,
    PLACE_IGNORED = PLACE_COUNT, /* known, and nothing to us */
};

static const struct {
    const char *key;
    enum place place;
} keys[] = {
    {"command", PLACE_COMMAND},
    {"args", PLACE_ARGS},
    {"env", PLACE_ENV},
    {"environment", PLACE_ENV},
    {"cwd", PLACE_CWD},
    {"type", PLACE_TYPE},
    {"transport", PLACE_TYPE},
    {"url", PLACE_URL},
    {"httpUrl", PLACE_URL},
    {"serverUrl", PLACE_URL},
    {"disabled", PLACE_DISABLED},
    {"enabled", PLACE_ENABLED},
    {"timeout", PLACE_CALL_MS},
    {"request_timeout_ms", PLACE_CALL_MS},
    {"tool_timeout_sec", PLACE_CALL_S},
    {"startup_timeout_sec", PLACE_START_S},
    {"envFile", PLACE_ENV_FILE},
    {"headers", PLACE_IGNORED},
    {"headersHelper", PLACE_IGNORED},
    {"oauth", PLACE_IGNORED},
    {"auth", PLACE_IGNORED},
    {"description", PLACE_IGNORED},
    {"alwaysLoad", PLACE_IGNORED},
    {"alwaysAllow", PLACE_IGNORED},
    {"autoApprove", PLACE_IGNORED},
    {"trust", PLACE_IGNORED},
    {"dev", PLACE_IGNORED},
    {"sandbox", PLACE_IGNORED},
};

/* The members of one server, by place. */
struct members {
    struct bytes values[PLACE_COUNT];
    const char *names[PLACE_COUNT];
};

unsigned settings_line(const struct settings *s, struct bytes slice)
{
    unsigned line = 1;
    unsigned column;

    if (slice.ptr >= s->text.ptr && slice.ptr <= s->text.ptr + s->text.len) {
        json_place(s->text, (size_t)(slice.ptr - s->text.ptr), &line, &column);
    }
    return line;
}

/* "FILE:LINE: server "NAME": " and the rest. */
static void put_sentence(const struct settings *s, struct buf *out, const char *format,
                         va_list args)
{
    char rest[1024];

    vsnprintf(rest, sizeof rest, format, args);
    buf_printf(out, "%s:%u: ", s->file, settings_line(s, s->at));
    if (s->server != NULL) {
        buf_printf(out, "server \"%s\": ", s->server->name);
    }
    buf_put_str(out, rest);
}

int settings_refuse(struct settings *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_sentence(s, s->error, format, args);
    va_end(args);
    return -EINVAL;
}

__attribute__((format(printf, 2, 3))) static void note(const struct settings *s, const char *format,
                                                       ...)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    va_list args;

    if (s->on_note == NULL) {
        return;
    }
    va_start(args, format);
    put_sentence(s, &sentence, format, args);
    va_end(args);
    s->on_note(s->arg, buf_str(&sentence));
}

/* Makes it the server's fault, the first one only. */
__attribute__((format(printf, 2, 3))) static int blame(struct settings *s, const char *format, ...)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    va_list args;

    if (s->server->fault != NULL) {
        return 0;
    }
    va_start(args, format);
    put_sentence(s, &sentence, format, args);
    va_end(args);
    s->server->fault = mem_str(buf_bytes(&sentence));
    return s->server->fault == NULL ? -ENOMEM : 0;
}

/* Decodes and expands one string. 0 with *ret (or, where a variable is missing, the fault told and
 * *ret NULL), or -errno. */
static int read_string(struct settings *s, struct bytes value, const char *what, char **ret)
{
    _cleanup_(buf_done) struct buf raw = buf_max(MAX_TEXT);
    _cleanup_(buf_done) struct buf full = buf_max(MAX_TEXT);
    struct bytes missing = bytes_none();
    int result = 0;

    s->at = value;
    *ret = NULL;
    if (json_kind(value) != JSON_STRING) {
        return settings_refuse(s, "%s must be a string", what);
    }
    result = json_text(value, &raw);
    if (result == 0) {
        result = mcp_expand(buf_bytes(&raw), &full, &missing);
    }
    if (result == -ENOENT) {
        return blame(s,
                     "%s needs ${%.*s}, which is not set; set that environment variable, or write "
                     "${NAME:-default}",
                     what, (int)missing.len, (const char *)missing.ptr);
    }
    if (result < 0) {
        return result;
    }
    if (memchr(buf_str(&full), '\0', full.len) != NULL) {
        return settings_refuse(s, "%s must not hold the character U+0000", what);
    }
    *ret = mem_str(buf_bytes(&full));
    return *ret == NULL ? -ENOMEM : 0;
}

/* Lists with a NULL at the end, grown one by one. */
struct words {
    char **list;
    size_t n;
    size_t cap;
};

/* Takes the string. */
static int take_word(struct words *w, char *word)
{
    if (word == NULL) {
        return 0;
    }
    if (mem_reserve(&w->list, &w->cap, w->n + 2, sizeof *w->list) < 0) {
        mem_free(word);
        return -ENOMEM;
    }
    w->list[w->n] = word;
    w->n++;
    w->list[w->n] = NULL;
    return 0;
}

static int read_words(struct settings *s, struct bytes value, const char *what, struct words *w)
{
    struct bytes item;
    size_t at = 0;

    s->at = value;
    if (json_kind(value) != JSON_ARRAY) {
        return settings_refuse(s, "%s must be an array of strings", what);
    }
    while (json_next(value, &at, NULL, &item)) {
        char *word;
        int result;

        s->at = item;
        if (json_kind(item) != JSON_STRING) {
            return settings_refuse(s, "%s must be an array of strings; put this item in quotes",
                                   what);
        }
        result = read_string(s, item, what, &word);
        if (result == 0) {
            result = take_word(w, word);
        }
        if (result < 0) {
            return result;
        }
    }
    return 0;
}

/* The command as the file spells it: no value of a variable stands in it. */
static int read_shown(struct settings *s, struct bytes value)
{
    _cleanup_(buf_done) struct buf raw = buf_max(MAX_TEXT);
    int result = json_text(value, &raw);

    if (result < 0) {
        return result;
    }
    s->server->shown = mem_str(buf_bytes(&raw));
    return s->server->shown == NULL ? -ENOMEM : 0;
}

static int read_command(struct settings *s, const struct members *m, struct words *w)
{
    struct bytes value = m->values[PLACE_COMMAND];
    struct bytes first = value;
    size_t at = 0;
    char *word;
    int result;

    if (json_kind(value) == JSON_ARRAY) {
        if (!json_next(value, &at, NULL, &first)) {
            s->at = value;
            return settings_refuse(s, "\"command\" must name a program");
        }
        result = read_words(s, value, "\"command\"", w);
    } else {
        result = read_string(s, value, "\"command\"", &word);
        if (result == 0) {
            result = take_word(w, word);
        }
    }
    s->at = value;
    if (result == 0 && s->server->fault == NULL && w->list != NULL && w->list[0][0] == '\0') {
        return settings_refuse(s, "\"command\" must name a program");
    }
    return result < 0 ? result : read_shown(s, first);
}

static bool is_variable_name(const struct buf *name)
{
    return name->len > 0 && memchr(name->data, '=', name->len) == NULL &&
           memchr(name->data, '\0', name->len) == NULL;
}

static int read_variable(struct settings *s, struct bytes key, struct bytes value, struct words *w)
{
    _cleanup_(buf_done) struct buf line = buf_max(MAX_TEXT * 2);
    _cleanup_(buf_done) struct buf what = buf_max(4096);
    _cleanup_(free_p) char *text = NULL;
    int result = json_text(key, &line);

    s->at = key;
    if (result == 0 && !is_variable_name(&line)) {
        return settings_refuse(s, "\"env\" holds a name that no variable can have");
    }
    buf_printf(&what, "\"env\": %.200s", buf_str(&line));
    if (result == 0) {
        result = read_string(s, value, buf_str(&what), &text);
    }
    if (result < 0 || text == NULL) {
        return result;
    }
    buf_put_u8(&line, '=');
    buf_put_str(&line, text);
    if (buf_fault(&line) != 0) {
        return buf_fault(&line);
    }
    text = (mem_free(text), mem_str(buf_bytes(&line)));
    return text == NULL ? -ENOMEM : take_word(w, steal_ptr(&text));
}

static int read_env(struct settings *s, struct bytes value, struct words *w)
{
    struct bytes key;
    struct bytes item;
    size_t at = 0;

    s->at = value;
    if (json_kind(value) != JSON_OBJECT) {
        return settings_refuse(s, "\"env\" must be an object of strings by name");
    }
    while (json_next(value, &at, &key, &item)) {
        int result = read_variable(s, key, item, w);

        if (result < 0) {
            return result;
        }
    }
    return 0;
}

static int read_flag(struct settings *s, const struct members *m, enum place place, bool *ret)
{
    if (m->values[place].len == 0) {
        return 0;
    }
    s->at = m->values[place];
    if (json_bool(s->at, ret) < 0) {
        return settings_refuse(s, "\"%s\" must be true or false", m->names[place]);
    }
    return 0;
}

static int read_ms(struct settings *s, const struct members *m, enum place place, int64_t unit_ms,
                   int64_t *ret_ms)
{
    int64_t value = 0;

    if (m->values[place].len == 0) {
        return 0;
    }
    s->at = m->values[place];
    if (json_int(s->at, 1, INT32_MAX / unit_ms, &value) < 0) {
        return settings_refuse(s, "\"%s\" must be a whole number of %s, at least 1",
                               m->names[place], unit_ms == 1 ? "milliseconds" : "seconds");
    }
    *ret_ms = value * unit_ms;
    return 0;
}

static bool is_one_of(struct bytes value, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (json_is(value, *words)) {
            return true;
        }
    }
    return false;
}

/* Finds out how the server is spoken to; what is not stdio becomes its fault. */
static int read_transport(struct settings *s, const struct members *m)
{
    static const char *const stdio[] = {"stdio", "local", NULL};
    static const char *const remote[] = {
        "http", "streamable-http", "streamableHttp", "sse", "ws", "remote", NULL};
    struct bytes type = m->values[PLACE_TYPE];
    bool has_url = m->values[PLACE_URL].len > 0;
    bool is_remote = is_one_of(type, remote);

    s->at = type.len > 0 ? type : m->values[PLACE_URL];
    if (type.len > 0 && !is_remote && !is_one_of(type, stdio)) {
        return settings_refuse(s, "\"%s\" must be \"stdio\" (or \"http\", \"sse\")",
                               m->names[PLACE_TYPE]);
    }
    if (is_remote || (type.len == 0 && has_url && m->values[PLACE_COMMAND].len == 0)) {
        return blame(s, "servers over HTTP are not supported yet, only those with a \"command\"");
    }
    if (m->values[PLACE_COMMAND].len == 0) {
        s->at = bytes_none();
        return -ENODATA;
    }
    if (m->values[PLACE_ENV_FILE].len > 0) {
        s->at = m->values[PLACE_ENV_FILE];
        return blame(s, "\"envFile\" is not supported yet; write the variables into \"env\"");
    }
    return 0;
}

static int read_parts(struct settings *s, const struct members *m, struct words *argv,
                      struct words *env)
{
    int result = read_command(s, m, argv);

    if (result == 0 && m->values[PLACE_ARGS].len > 0) {
        result = read_words(s, m->values[PLACE_ARGS], "\"args\"", argv);
    }
    if (result == 0 && m->values[PLACE_ENV].len > 0) {
        result = read_env(s, m->values[PLACE_ENV], env);
    }
    if (result == 0 && m->values[PLACE_CWD].len > 0) {
        result = read_string(s, m->values[PLACE_CWD], "\"cwd\"", &s->server->cwd);
    }
    if (result == 0) {
        result = read_ms(s, m, PLACE_CALL_S, 1000, &s->server->call_ms);
    }
    if (result == 0) {
        result = read_ms(s, m, PLACE_CALL_MS, 1, &s->server->call_ms);
    }
    return result == 0 ? read_ms(s, m, PLACE_START_S, 1000, &s->server->start_ms) : result;
}

/* Puts one member into its place. */
static int sort_member(struct settings *s, struct bytes key, struct bytes item, struct members *m)
{
    s->at = key;
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        enum place place = keys[i].place;

        if (!json_is(key, keys[i].key)) {
            continue;
        }
        if (place == PLACE_IGNORED) {
            return 0;
        }
        if (m->values[place].len > 0) {
            return settings_refuse(s, "\"%s\" is said already by \"%s\"; keep one of them",
                                   keys[i].key, m->names[place]);
        }
        m->values[place] = item;
        m->names[place] = keys[i].key;
        return 0;
    }
    note(s, "the key %.*s is not known and ignored", (int)(key.len < 80 ? key.len : 80),
         (const char *)key.ptr);
    return 0;
}

static int read_members(struct settings *s, struct bytes object, const struct members *m)
{
    struct words argv = {0};
    struct words env = {0};
    bool is_enabled = true;
    int result = read_flag(s, m, PLACE_DISABLED, &s->server->is_disabled);

    if (result == 0) {
        result = read_flag(s, m, PLACE_ENABLED, &is_enabled);
    }
    s->server->is_disabled = s->server->is_disabled || !is_enabled;
    if (result == 0 && !s->server->is_disabled) {
        result = read_transport(s, m);
    }
    if (result == -ENODATA) {
        s->at = object;
        return settings_refuse(s, "\"command\" is missing: the program that is the server");
    }
    if (result < 0 || s->server->is_disabled || s->server->fault != NULL) {
        return result;
    }
    result = read_parts(s, m, &argv, &env);
    s->server->argv = argv.list;
    s->server->env = env.list;
    return result;
}

int settings_read_server(struct settings *s, struct bytes object)
{
    struct members m = {0};
    struct bytes key;
    struct bytes item;
    size_t at = 0;

    if (json_kind(object) != JSON_OBJECT) {
        return settings_refuse(s, "a server must be an object: { \"command\": \"...\", \"args\": "
                                  "[\"...\"] }");
    }
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        m.values[i] = bytes_none();
    }
    while (json_next(object, &at, &key, &item)) {
        int result = sort_member(s, key, item, &m);

        if (result < 0) {
            return result;
        }
    }
    return read_members(s, object, &m);
}
