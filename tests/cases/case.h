/* SPDX-License-Identifier: MIT
 *
 * A case as tests/run-cases.c holds it, and small helpers. Included by that file alone.
 */
#ifndef CASES_CASE_H
#define CASES_CASE_H

#include "base/mem.h"
#include "host/host.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_FILE = 4 * 1024 * 1024,
    MAX_TEXT = 64 * 1024 * 1024,
    MAX_CALLS = 16384,
    SHOWN_BYTES = 1000,
    CUT_BYTES = 60,
};

/* A declared tool; auto_answer is how its calls are answered outside the transcript, or NULL. */
struct case_tool {
    char *name;
    char *schema;
    char *output_schema;
    char *description;
    char *auto_answer;
};

struct lines {
    char **items;
    size_t n;
    size_t cap;
};

struct job;

struct test {
    char *name; /* CHAPTER/NAME */
    char *code;
    size_t code_len;
    struct lines head; /* settings and comments, as they stand */
    struct lines want; /* events and answers */
    struct lines have;
    struct case_tool *tools;
    size_t n_tools;
    size_t cap_tools;
    struct toolset *set;
    struct limits limits;
    struct call *calls[MAX_CALLS]; /* by number; NULL once answered */
    size_t n_calls;                /* of the transcript */
    size_t n_all;                  /* with those of auto tools */
    size_t n_now;
    size_t n_most;
    size_t next_want; /* where the next "> " line is looked for */
    struct buf line;  /* output without a newline yet */
    long stop_ms;
    long kill_ms;
    bool has_count;
    bool has_parts;
    bool has_frames;
    const char *wakes; /* NULL: delivered at once; else nobody, lost or held */
    bool has_timed_out;
    struct run *run;
    struct job *job;
    struct buf fault;
};

static uv_loop_t loop;
static bool is_update;

static void *must(void *ptr)
{
    if (ptr == NULL) {
        fputs("run-cases: no memory\n", stderr);
        abort();
    }
    return ptr;
}

static void add_line(struct lines *l, struct bytes text)
{
    if (mem_reserve(&l->items, &l->cap, l->n + 1, sizeof *l->items) < 0) {
        must(NULL);
    }
    l->items[l->n] = must(mem_str(text));
    l->n++;
}

static void free_lines(struct lines *l)
{
    for (size_t i = 0; i < l->n; i++) {
        mem_free(l->items[i]);
    }
    mem_free(l->items);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* A long text as its start and its length. */
static void put_shown(struct buf *out, struct bytes text)
{
    size_t n = text.len > SHOWN_BYTES ? CUT_BYTES : text.len;

    for (size_t i = 0; i < n; i++) {
        if (text.ptr[i] == '\n') {
            buf_put_str(out, "\\n");
        } else {
            buf_put_u8(out, text.ptr[i]);
        }
    }
    if (n < text.len) {
        buf_printf(out, "... %zu bytes", text.len);
    }
}

static void add_have(struct test *t, struct buf *line)
{
    add_line(&t->have, buf_bytes(line));
    buf_done(line);
}

#endif
