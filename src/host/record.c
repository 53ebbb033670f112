/* SPDX-License-Identifier: MIT
 *
 * The record; see host/record.h.
 */
#include "host/record.h"

#include "base/mem.h"
#include "host/toolset.h"
#include "host/utf8.h"

#include <errno.h>

int record_init(struct record *rec, const struct toolset *tools)
{
    *rec = (struct record){.n_tools = tools == NULL ? 0 : tools->n};
    rec->tools = mem_array(rec->n_tools, sizeof *rec->tools);
    if (rec->tools == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; tools != NULL && i < tools->n; i++) {
        rec->tools[i].name = tools->tools[i].name;
    }
    return 0;
}

void record_done(struct record *rec)
{
    for (size_t i = 0; i < rec->n; i++) {
        if (rec->calls[i].arguments.len > 0) {
            mem_free((void *)(uintptr_t)rec->calls[i].arguments.ptr);
        }
    }
    mem_free(rec->calls);
    mem_free(rec->tools);
    *rec = (struct record){0};
}

bool record_is_lost(enum call_state state)
{
    return state == CALL_TIMED_OUT || state == CALL_TOO_LARGE || state == CALL_UNSEEN ||
           state == CALL_RUNNING;
}

static int add_entry(struct record *rec, int tool, uint32_t id)
{
    if (mem_reserve(&rec->calls, &rec->cap, rec->n + 1, sizeof *rec->calls) < 0) {
        return -1;
    }
    rec->calls[rec->n] = (struct record_call){
        .id = id,
        .tool = rec->tools[tool].name,
        .state = CALL_NEVER_SENT,
        .arguments = bytes_none(),
    };
    rec->n++;
    return (int)rec->n - 1;
}

int record_arrive(struct record *rec, int tool, uint32_t id)
{
    rec->total++;
    return rec->total <= RECORD_FIRST ? add_entry(rec, tool, id) : -1;
}

static struct bytes copy_arguments(struct bytes arguments)
{
    struct bytes cut = utf8_first(arguments, RECORD_ARGUMENT_CHARS);
    char *copy = cut.len == 0 ? NULL : mem_str(cut);

    return copy == NULL ? bytes_none() : bytes_of(copy, cut.len);
}

void record_settle(struct record *rec, const struct record_fact *fact)
{
    bool is_lost = record_is_lost(fact->state);
    int index = fact->index;

    rec->tools[fact->tool].counts[fact->state]++;
    if (index < 0 && is_lost && rec->n_late < RECORD_LOST) {
        index = add_entry(rec, fact->tool, fact->id);
        rec->n_late += index < 0 ? 0 : 1;
    }
    if (index < 0) {
        return;
    }
    rec->calls[index].state = fact->state;
    rec->calls[index].effect = fact->effect;
    rec->calls[index].ms = fact->ms;
    if (is_lost) {
        rec->calls[index].arguments = copy_arguments(fact->arguments);
    }
}
