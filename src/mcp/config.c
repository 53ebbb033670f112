/* SPDX-License-Identifier: MIT
 *
 * Config files: the file, its servers, their names; see mcp/config.h and settings.h.
 *
 * Process: the host side. Owns the strings of the servers. Offsets survive the stripping of
 * comments, so that each sentence can name a line.
 */
#include "mcp/config.h"

#include "base/fd.h"
#include "base/mem.h"
#include "mcp/settings.h"
#include "json/json.h"

#include <errno.h>

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
        mem_free(list[i]);
    }
    mem_free(list);
}

static void free_server(struct mcp_config_server *server)
{
    mem_free(server->name);
    mem_free(server->file);
    free_list(server->argv);
    free_list(server->env);
    mem_free(server->cwd);
    mem_free(server->shown);
    mem_free(server->fault);
}

static void forget_after(struct mcp_config *c, size_t n)
{
    while (c->n > n) {
        c->n--;
        free_server(&c->servers[c->n]);
    }
}

void mcp_config_done(struct mcp_config *c)
{
    forget_after(c, 0);
    mem_free(c->servers);
    *c = (struct mcp_config){.on_note = c->on_note, .arg = c->arg};
}

static bool is_clean_name(const struct buf *name)
{
    for (size_t i = 0; i < name->len; i++) {
        if (name->data[i] < 0x20 || name->data[i] == 0x7f) {
            return false;
        }
    }
    return name->len > 0 && name->len <= MCP_CONFIG_MAX_NAME;
}

static const struct mcp_config_server *find_server(const struct mcp_config *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->servers[i].name, name) == 0) {
            return &c->servers[i];
        }
    }
    return NULL;
}

/* Gives a server its place and its name. */
static int add_name(struct mcp_config *c, struct settings *s, struct bytes key)
{
    _cleanup_(buf_done) struct buf name = buf_max(s->text.len);
    const struct mcp_config_server *other;

    s->at = key;
    if (json_text(key, &name) < 0) {
        return -ENOMEM;
    }
    if (!is_clean_name(&name)) {
        return settings_refuse(s,
                               "a server's name must have 1 to %d bytes and no control "
                               "characters",
                               MCP_CONFIG_MAX_NAME);
    }
    other = find_server(c, buf_str(&name));
    if (other != NULL) {
        return settings_refuse(s,
                               "the server \"%s\" is already described in %s:%u; give one of "
                               "them another name",
                               buf_str(&name), other->file, other->line);
    }
    if (mem_reserve(&c->servers, &c->cap, c->n + 1, sizeof *c->servers) < 0) {
        return -ENOMEM;
    }
    s->server = &c->servers[c->n];
    *s->server = (struct mcp_config_server){.line = settings_line(s, key)};
    c->n++;
    s->server->name = mem_str(buf_bytes(&name));
    s->server->file = mem_str(bytes_str(s->file));
    return s->server->name == NULL || s->server->file == NULL ? -ENOMEM : 0;
}

/* The key that the servers stand under, NULL where there is none; *ret_second is another such key.
 */
static const char *find_servers(struct bytes text, const char **ret_second)
{
    static const char *const keys[] = {"mcpServers", "servers", "mcp"};
    const char *first = NULL;

    *ret_second = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (json_get(text, keys[i]).len > 0) {
            *(first == NULL ? &first : ret_second) = keys[i];
        }
    }
    return first;
}

static int read_servers(struct mcp_config *c, struct settings *s)
{
    const char *second;
    const char *first = find_servers(s->text, &second);
    struct bytes servers = first == NULL ? bytes_none() : json_get(s->text, first);
    struct bytes key;
    struct bytes item;
    size_t at = 0;

    s->at = servers.len > 0 ? servers : s->text;
    if (json_kind(servers) != JSON_OBJECT) {
        return settings_refuse(s, "there must be an object \"mcpServers\" of servers by name: "
                                  "{ \"mcpServers\": { \"NAME\": { \"command\": \"...\", \"args\": "
                                  "[\"...\"] } } }");
    }
    if (second != NULL) {
        return settings_refuse(s,
                               "there are servers under \"%s\" and under \"%s\"; put them all "
                               "under \"%s\"",
                               first, second, first);
    }
    while (json_next(servers, &at, &key, &item)) {
        int result = add_name(c, s, key);

        if (result == 0) {
            s->at = item;
            result = settings_read_server(s, item);
        }
        s->server = NULL;
        if (result < 0) {
            return result;
        }
    }
    return 0;
}

static int read_text(struct mcp_config *c, struct settings *s)
{
    struct json_fault fault = {0};
    int result;

    result = json_check(s->text, JSON_UNIQUE_KEYS, 64, 1 << 20, NULL, &fault);
    if (result != 0 && result != -ENOMEM) {
        buf_printf(s->error, "%s:%u:%u: this is not JSON: %s", s->file, fault.line, fault.column,
                   fault.sentence);
        return -EINVAL;
    }
    return result == 0 ? read_servers(c, s) : result;
}

int mcp_config_read(struct mcp_config *c, const char *file, struct bytes text,
                    struct buf *ret_error)
{
    _cleanup_(buf_done) struct buf plain = buf_max(MCP_CONFIG_MAX_BYTES);
    struct settings s = {.file = file, .error = ret_error, .on_note = c->on_note, .arg = c->arg};
    size_t before = c->n;
    int result;

    json_strip_comments(text, &plain);
    if (plain.len >= 3 && memcmp(plain.data, "\xef\xbb\xbf", 3) == 0) {
        memset(plain.data, ' ', 3); /* the byte order mark of some editors */
    }
    s.text = buf_bytes(&plain);
    s.at = s.text;
    result = buf_fault(&plain) != 0 ? buf_fault(&plain) : read_text(c, &s);
    if (result < 0) {
        forget_after(c, before);
    }
    if (result < 0 && ret_error->len == 0) {
        buf_printf(ret_error, "%s: cannot be read: %s", file, strerror(-result));
    }
    return result;
}

int mcp_config_load(struct mcp_config *c, const char *path, struct buf *ret_error)
{
    _cleanup_(free_p) char *text = NULL;
    size_t len = 0;
    int result = fd_read_file(path, MCP_CONFIG_MAX_BYTES, &text, &len);

    if (result < 0) {
        buf_printf(ret_error, "%s: cannot be read: %s", path, strerror(-result));
        return result;
    }
    return mcp_config_read(c, path, bytes_of(text, len), ret_error);
}
