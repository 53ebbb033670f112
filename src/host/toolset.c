/* SPDX-License-Identifier: MIT
 *
 * Makes a toolset: copies, checks, sorts, and writes the two texts that a start frame carries,
 * once for all runs.
 */
#include "host/toolset.h"

#include "base/mem.h"
#include "host/utf8.h"
#include "json/json.h"

#include <errno.h>
#include <stdlib.h>

enum { MAX_SCHEMA_DEPTH = 500 };

static int refuse(int code, struct bytes name, const char *what, struct buf *ret_sentence)
{
    struct bytes start = utf8_first(bytes_first(name, 400), 100);

    buf_put_str(ret_sentence, "tool \"");
    utf8_put_clean(ret_sentence, start);
    buf_printf(ret_sentence, "\"%s %s", start.len < name.len ? "..." : "", what);
    return code;
}

static int check_schema(const struct tool *tool, struct bytes schema, const char *which,
                        struct buf *ret_sentence)
{
    _cleanup_(buf_done) struct buf what = buf_max(1000);
    struct json_fault fault;

    if (schema.len == 0) {
        return 0;
    }
    if (json_check(schema, 0, MAX_SCHEMA_DEPTH, SIZE_MAX, NULL, &fault) < 0) {
        buf_printf(&what, "has an %s schema that is not JSON: %s (line %u, column %u)", which,
                   fault.sentence, fault.line, fault.column);
        return refuse(-EINVAL, tool->name, buf_str(&what), ret_sentence);
    }
    if (json_kind(schema) != JSON_OBJECT) {
        buf_printf(&what, "has an %s schema that is not a JSON object", which);
        return refuse(-EINVAL, tool->name, buf_str(&what), ret_sentence);
    }
    return 0;
}

static int check_tool(const struct tool *tool, struct buf *ret_sentence)
{
    int r;

    if (tool->name.len > WIRE_MAX_TOOL_NAME) {
        return refuse(-EMSGSIZE, tool->name, "has a name longer than 1,024 bytes", ret_sentence);
    }
    if (utf8_fault(tool->name) != tool->name.len) {
        return refuse(-EINVAL, tool->name, "has a name that is not UTF-8", ret_sentence);
    }
    r = check_schema(tool, tool->input_schema, "input", ret_sentence);
    return r < 0 ? r : check_schema(tool, tool->output_schema, "output", ret_sentence);
}

static void put_entry(struct buf *out, const struct tool *tool)
{
    json_put_comma(out);
    buf_put_str(out, "{");
    json_put_key(out, "name");
    json_put_str(out, tool->name);
    json_put_key(out, "description");
    json_put_str(out, tool->description);
    json_put_key(out, "inputSchema");
    buf_put_bytes(out, tool->input_schema.len > 0 ? tool->input_schema
                                                  : bytes_str("{\"type\":\"object\"}"));
    if (tool->output_schema.len > 0) {
        json_put_key(out, "outputSchema");
        buf_put_bytes(out, tool->output_schema);
    }
    buf_put_str(out, "}");
}

static const char one_too_many[] =
    "is one too many: names may take 4 MiB, descriptions and schemas of all tools 16 MiB";

static void put_name(struct buf *out, const struct tool *tool)
{
    json_put_comma(out);
    json_put_str(out, tool->name);
}

static int write_texts(struct toolset *set, struct buf *ret_sentence)
{
    buf_put_str(&set->names, "[");
    buf_put_str(&set->catalogue, "[");
    for (size_t i = 0; i < set->n; i++) {
        put_name(&set->names, &set->tools[i]);
        put_entry(&set->catalogue, &set->tools[i]);
        if (buf_fault(&set->names) == -EMSGSIZE || buf_fault(&set->catalogue) == -EMSGSIZE) {
            return refuse(-EMSGSIZE, set->tools[i].name, one_too_many, ret_sentence);
        }
    }
    buf_put_str(&set->names, "]");
    buf_put_str(&set->catalogue, "]");
    return buf_fault(&set->names) < 0 ? buf_fault(&set->names) : buf_fault(&set->catalogue);
}

int toolset_admit(struct toolset_room *room, const struct tool *tool, struct buf *ret_sentence)
{
    _cleanup_(buf_done) struct buf name = buf_max(WIRE_MAX_NAMES);
    _cleanup_(buf_done) struct buf entry = buf_max(WIRE_MAX_CATALOGUE);
    int r = check_tool(tool, ret_sentence);

    if (r < 0) {
        return r;
    }
    put_name(&name, tool);
    put_entry(&entry, tool);
    /* Beside the texts: a comma each, and the brackets. */
    if (buf_fault(&name) < 0 || buf_fault(&entry) < 0 ||
        room->names_bytes + name.len + 3 > WIRE_MAX_NAMES ||
        room->catalogue_bytes + entry.len + 3 > WIRE_MAX_CATALOGUE) {
        return refuse(-EMSGSIZE, tool->name, one_too_many, ret_sentence);
    }
    room->names_bytes += name.len + 1;
    room->catalogue_bytes += entry.len + 1;
    return 0;
}

static struct bytes copy_slice(char **at, struct bytes slice)
{
    struct bytes copy = bytes_of(*at, slice.len);

    if (slice.len > 0) { /* an owner may leave an empty slice all zero */
        memcpy(*at, slice.ptr, slice.len);
        *at += slice.len;
    }
    return copy;
}

static int copy_tools(struct toolset *set, const struct tool *tools)
{
    size_t len = 1;
    char *at;

    for (size_t i = 0; i < set->n; i++) {
        len += tools[i].name.len + tools[i].description.len + tools[i].input_schema.len +
               tools[i].output_schema.len;
    }
    set->tools = mem_array(set->n, sizeof *set->tools);
    set->text = mem_new(len);
    if (set->tools == NULL || set->text == NULL) {
        return -ENOMEM;
    }
    at = set->text;
    for (size_t i = 0; i < set->n; i++) {
        set->tools[i].name = copy_slice(&at, tools[i].name);
        set->tools[i].description = copy_slice(&at, tools[i].description);
        set->tools[i].input_schema = copy_slice(&at, tools[i].input_schema);
        set->tools[i].output_schema = copy_slice(&at, tools[i].output_schema);
        set->tools[i].data = tools[i].data;
    }
    return 0;
}

static int compare_tools(const void *a, const void *b)
{
    return bytes_compare(((const struct tool *)a)->name, ((const struct tool *)b)->name);
}

static int sort_tools(struct toolset *set, struct buf *ret_sentence)
{
    if (set->n > 1) {
        qsort(set->tools, set->n, sizeof *set->tools, compare_tools);
    }
    for (size_t i = 1; i < set->n; i++) {
        if (bytes_equal(set->tools[i - 1].name, set->tools[i].name)) {
            return refuse(-EEXIST, set->tools[i].name,
                          "is declared twice: names must differ from each other", ret_sentence);
        }
    }
    return 0;
}

static int fill(struct toolset *set, const struct tool *tools, struct buf *ret_sentence)
{
    int r;

    for (size_t i = 0; i < set->n; i++) {
        if (tools[i].name.len == 0) {
            buf_printf(ret_sentence, "tool number %zu has no name", i + 1);
            return -EINVAL;
        }
        r = check_tool(&tools[i], ret_sentence);
        if (r < 0) {
            return r;
        }
    }
    r = copy_tools(set, tools);
    if (r == 0) {
        r = write_texts(set, ret_sentence);
    }
    return r < 0 ? r : sort_tools(set, ret_sentence);
}

int toolset_new(const struct tool *tools, size_t n, struct toolset **ret, struct buf *ret_sentence)
{
    struct toolset *set = mem_new(sizeof *set);
    int r;

    if (set == NULL) {
        return -ENOMEM;
    }
    set->n = n;
    set->names = buf_max(WIRE_MAX_NAMES);
    set->catalogue = buf_max(WIRE_MAX_CATALOGUE);
    r = fill(set, tools, ret_sentence);
    if (r < 0) {
        if (r == -ENOMEM) {
            buf_put_str(ret_sentence, "there is no memory for the tools");
        }
        toolset_free(set);
        return r;
    }
    *ret = set;
    return 0;
}

void toolset_free(struct toolset *set)
{
    if (set == NULL) {
        return;
    }
    buf_done(&set->names);
    buf_done(&set->catalogue);
    mem_free(set->tools);
    mem_free(set->text);
    mem_free(set);
}

int toolset_find(const struct toolset *set, struct bytes name)
{
    size_t low = 0;
    size_t high = set == NULL ? 0 : set->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = bytes_compare(set->tools[mid].name, name);

        if (order == 0) {
            return (int)mid;
        }
        if (order < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return -1;
}
