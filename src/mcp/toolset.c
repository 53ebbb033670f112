/* SPDX-License-Identifier: MIT
 *
 * The tools of one server; see mcp/toolset.h.
 *
 * Process: the host side. A tool and its texts are one piece of memory. A tool that cannot be used
 * costs itself only; the same for a schema or description of the wrong kind, as far as the tool
 * can do without.
 */
#include "mcp/toolset.h"

#include "base/mem.h"
#include "json/json.h"

#include <errno.h>

enum { MAX_REASONS = 5 };

/* What a tool says of itself, as slices of the page. */
struct entry {
    struct bytes name;
    struct bytes description;
    struct bytes input;
    struct bytes output;
    struct bytes annotations;
    struct bytes execution;
};

static void take_member(struct entry *e, struct bytes key, struct bytes item)
{
    if (json_is(key, "name")) {
        e->name = item;
    } else if (json_is(key, "description")) {
        e->description = item;
    } else if (json_is(key, "inputSchema")) {
        e->input = item;
    } else if (json_is(key, "outputSchema")) {
        e->output = item;
    } else if (json_is(key, "annotations")) {
        e->annotations = item;
    } else if (json_is(key, "execution")) {
        e->execution = item;
    }
}

static struct entry open_entry(struct bytes object)
{
    struct entry e = {bytes_none(), bytes_none(), bytes_none(),
                      bytes_none(), bytes_none(), bytes_none()};
    struct bytes key;
    struct bytes item;
    size_t at = 0;

    while (json_kind(object) == JSON_OBJECT && json_next(object, &at, &key, &item)) {
        take_member(&e, key, item);
    }
    return e;
}

static bool is_clean_name(const struct buf *name)
{
    for (size_t i = 0; i < name->len; i++) {
        if (name->data[i] < 0x20 || name->data[i] == 0x7f) {
            return false;
        }
    }
    return name->len > 0;
}

/* Why a tool cannot be used, or NULL; leaves its decoded name in name. */
static const char *find_flaw(const struct entry *e, struct buf *name)
{
    struct bytes type = json_get(e->input, "type");

    if (json_text(e->name, name) < 0 || !is_clean_name(name)) {
        buf_clear(name);
        return "its name is missing, too long or no clean text";
    }
    if (json_kind(e->input) != JSON_OBJECT) {
        return "its inputSchema is no object";
    }
    if (type.len > 0 && !json_is(type, "object")) {
        return "its inputSchema is not of type object";
    }
    if (json_is(json_get(e->execution, "taskSupport"), "required")) {
        return "it works as a task only, which is not supported yet";
    }
    return NULL;
}

static void leave_out(struct toolset *set, const struct buf *name, const char *why)
{
    set->left_out++;
    if (set->left_out > MAX_REASONS) {
        return;
    }
    set->reason.max = 8192;
    if (name->len > 0) {
        buf_printf(&set->reason, "tool %.*s is left out: %s\n", (int)name->len,
                   (const char *)name->data, why);
    } else {
        buf_printf(&set->reason, "a tool is left out: %s\n", why);
    }
}

static bool has_tool(const struct toolset *set, const struct buf *name)
{
    for (size_t i = 0; i < set->n; i++) {
        if (bytes_is(buf_bytes(name), set->list[i]->own_name)) {
            return true;
        }
    }
    return false;
}

/* Copies a slice to *at and moves it on. */
static struct bytes put_copy(uint8_t **at, struct bytes a)
{
    struct bytes copy = bytes_of(*at, a.len);

    memcpy(*at, a.ptr, a.len);
    *at += a.len;
    return copy;
}

static struct bytes only_object(struct bytes value)
{
    return json_kind(value) == JSON_OBJECT ? value : bytes_none();
}

/* name is "server.tool" with a NUL, from own_at on the tool's own. */
static struct mcp_tool *new_tool(const struct entry *e, struct bytes name, size_t own_at,
                                 const char *server, struct bytes description)
{
    struct bytes output = only_object(e->output);
    struct bytes annotations = only_object(e->annotations);
    size_t size = name.len + description.len + e->input.len + output.len + annotations.len;
    struct mcp_tool *tool = mem_new(sizeof *tool + size);
    uint8_t *at;

    if (tool == NULL) {
        return NULL;
    }
    at = (uint8_t *)(tool + 1);
    tool->name = (const char *)put_copy(&at, name).ptr;
    tool->own_name = tool->name + own_at;
    tool->server = server;
    tool->description = put_copy(&at, description);
    tool->input_schema = put_copy(&at, e->input);
    tool->output_schema = put_copy(&at, output);
    tool->annotations = put_copy(&at, annotations);
    return tool;
}

static int take_tool(struct toolset *set, const char *server, const struct entry *e,
                     const struct buf *own)
{
    _cleanup_(buf_done) struct buf name = buf_max(4096);
    _cleanup_(buf_done) struct buf description = buf_max(e->description.len * 3);
    size_t own_at = strlen(server) + 1;
    struct mcp_tool *tool;

    buf_printf(&name, "%s.%s", server, buf_str((struct buf *)own));
    buf_put_u8(&name, 0);
    if (buf_fault(&name) != 0 ||
        mem_reserve(&set->list, &set->cap, set->n + 1, sizeof *set->list) < 0) {
        return -ENOMEM;
    }
    json_text(e->description, &description);
    tool = new_tool(e, buf_bytes(&name), own_at, server, buf_bytes(&description));
    if (tool == NULL) {
        return -ENOMEM;
    }
    set->list[set->n] = tool;
    set->n++;
    set->bytes += name.len + description.len + e->input.len + e->output.len + e->annotations.len;
    return 0;
}

static int add_entry(struct toolset *set, const char *server, struct bytes item)
{
    _cleanup_(buf_done) struct buf name = buf_max(TOOLSET_MAX_NAME);
    struct entry e = open_entry(item);
    const char *flaw = find_flaw(&e, &name);

    if (flaw == NULL && has_tool(set, &name)) {
        flaw = "its name stands in the list already";
    }
    if (flaw != NULL) {
        leave_out(set, &name, flaw);
        return 0;
    }
    if (set->n == TOOLSET_MAX_TOOLS || set->bytes + item.len > TOOLSET_MAX_BYTES) {
        return -EMSGSIZE;
    }
    return take_tool(set, server, &e, &name);
}

int toolset_add_page(struct toolset *set, const char *server, struct bytes result,
                     struct bytes *ret_cursor)
{
    struct bytes tools = json_get(result, "tools");
    struct bytes cursor = json_get(result, "nextCursor");
    struct bytes item;
    size_t at = 0;

    if (json_kind(tools) != JSON_ARRAY) {
        return -EBADMSG;
    }
    while (json_next(tools, &at, NULL, &item)) {
        int fault = add_entry(set, server, item);

        if (fault < 0) {
            return fault;
        }
    }
    *ret_cursor = json_kind(cursor) == JSON_STRING ? cursor : bytes_none();
    return 0;
}

void toolset_done(struct toolset *set)
{
    for (size_t i = 0; i < set->n; i++) {
        mem_free(set->list[i]);
    }
    mem_free(set->list);
    buf_done(&set->reason);
    *set = (struct toolset){0};
}
