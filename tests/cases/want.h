/* SPDX-License-Identifier: MIT
 *
 * The .want file of a case: reading it, and comparing with what happened. Included by
 * tests/run-cases.c alone.
 */
#ifndef CASES_WANT_H
#define CASES_WANT_H

#include "base/fd.h"
#include "cases/case.h"

/* "*" stands for anything. */
static bool matches(const char *glob, const char *text)
{
    const char *star = NULL;
    const char *back = NULL;

    while (*text != '\0') {
        if (*glob == '*') {
            star = glob++;
            back = text;
        } else if (*glob == *text) {
            glob++;
            text++;
        } else if (star != NULL) {
            glob = star + 1;
            text = ++back;
        } else {
            return false;
        }
    }
    while (*glob == '*') {
        glob++;
    }
    return *glob == '\0';
}

static bool line_fits(const char *want, const char *have)
{
    return strchr("!~@=", want[0]) != NULL ? matches(want, have) : strcmp(want, have) == 0;
}

static bool is_as_wanted(struct test *t)
{
    size_t n = t->want.n > t->have.n ? t->want.n : t->have.n;

    for (size_t i = 0; i < n; i++) {
        const char *want = i < t->want.n ? t->want.items[i] : NULL;
        const char *have = i < t->have.n ? t->have.items[i] : NULL;

        if (want == NULL || have == NULL || !line_fits(want, have)) {
            buf_printf(&t->fault, "    line %zu: want %s\n             have %s\n",
                       t->head.n + i + 1, want == NULL ? "(the end)" : want,
                       have == NULL ? "(the end)" : have);
            return false;
        }
    }
    return true;
}

static void path_of(const struct test *t, const char *suffix, struct buf *ret)
{
    buf_printf(ret, "tests/cases/%s%s", t->name, suffix);
}

static struct case_tool *find_tool(struct test *t, const char *name, size_t len)
{
    for (size_t i = 0; i < t->n_tools; i++) {
        if (bytes_is(bytes_of(name, len), t->tools[i].name)) {
            return &t->tools[i];
        }
    }
    if (mem_reserve(&t->tools, &t->cap_tools, t->n_tools + 1, sizeof *t->tools) < 0) {
        must(NULL);
    }
    t->tools[t->n_tools] = (struct case_tool){.name = must(mem_str(bytes_of(name, len)))};
    t->n_tools++;
    return &t->tools[t->n_tools - 1];
}

/* A tool's line: NAME REST; a name with spaces stands in double quotes. */
static void read_tool_line(struct test *t, const char *text, const char *what)
{
    bool is_quoted = *text == '"';
    const char *name = text + (is_quoted ? 1 : 0);
    size_t len = strcspn(name, is_quoted ? "\"" : " ");
    const char *rest = name + len + (is_quoted ? 1 : 0);
    struct case_tool *tool = find_tool(t, name, len);
    char *value = *rest == ' ' ? must(mem_str(bytes_str(rest + 1))) : NULL;

    if (strcmp(what, "tool") == 0) {
        tool->schema = value;
    } else if (strcmp(what, "auto") == 0) {
        tool->auto_answer = value;
    } else if (strcmp(what, "describe") == 0) {
        tool->description = value;
    } else {
        tool->output_schema = value;
    }
}

static void read_head_line(struct test *t, const char *line)
{
    static const char *const of_tools[] = {"tool", "auto", "describe", "output"};
    size_t len = strcspn(line, " ");
    const char *rest = line[len] == ' ' ? line + len + 1 : line + len;

    for (size_t i = 0; i < ARRAY_SIZE(of_tools); i++) {
        if (bytes_is(bytes_of(line, len), of_tools[i])) {
            read_tool_line(t, rest, of_tools[i]);
            return;
        }
    }
    if (begins(line, "limit ")) {
        if (limits_parse(&t->limits, rest, &t->fault) < 0) {
            buf_put_str(&t->fault, "\n");
        }
    } else if (begins(line, "stop ")) {
        t->stop_ms = (long)strtoll(rest, NULL, 10);
    } else if (begins(line, "kill ")) {
        t->kill_ms = (long)strtoll(rest, NULL, 10);
    } else if (strcmp(line, "count") == 0) {
        t->has_count = true;
    } else if (strcmp(line, "parts") == 0) {
        t->has_parts = true;
    } else if (strcmp(line, "frames") == 0) {
        t->has_frames = true;
    } else if (strcmp(line, "wakes nobody") == 0 || strcmp(line, "wakes lost") == 0 ||
               strcmp(line, "wakes held") == 0) {
        t->wakes = rest; /* lies in head */
    } else if (line[0] != '#' && line[0] != '\0') {
        buf_printf(&t->fault, "    there is no setting \"%s\"\n", line);
    }
}

static void read_want(struct test *t, const char *text)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        struct bytes line = bytes_of(text, len);

        if (t->want.n == 0 && (len == 0 || strchr("><^~=!@", text[0]) == NULL)) {
            add_line(&t->head, line);
            read_head_line(t, t->head.items[t->head.n - 1]);
        } else {
            add_line(&t->want, line);
        }
        text += len + (text[len] == '\n' ? 1 : 0);
    }
}

static struct bytes or_none(const char *text)
{
    return text == NULL ? bytes_none() : bytes_str(text);
}

static void make_toolset(struct test *t)
{
    struct tool *tools = must(mem_array(t->n_tools, sizeof *tools));

    for (size_t i = 0; i < t->n_tools; i++) {
        tools[i] = (struct tool){.name = bytes_str(t->tools[i].name),
                                 .description = or_none(t->tools[i].description),
                                 .input_schema = or_none(t->tools[i].schema),
                                 .output_schema = or_none(t->tools[i].output_schema)};
    }
    if (toolset_new(tools, t->n_tools, &t->set, &t->fault) < 0) {
        buf_put_str(&t->fault, "\n");
    }
    mem_free(tools);
}

static void read_test(struct test *t)
{
    _cleanup_(buf_done) struct buf path = buf_max(PATH_MAX);
    _cleanup_(free_p) char *want = NULL;
    size_t len;

    path_of(t, ".js", &path);
    if (fd_read_file(buf_str(&path), MAX_FILE, &t->code, &t->code_len) < 0) {
        buf_printf(&t->fault, "    %s cannot be read\n", buf_str(&path));
    }
    buf_clear(&path);
    path_of(t, ".want", &path);
    if (fd_read_file(buf_str(&path), MAX_FILE, &want, &len) < 0) {
        if (!is_update) {
            buf_printf(&t->fault, "    %s cannot be read\n", buf_str(&path));
        }
        return;
    }
    read_want(t, want);
}

#endif
