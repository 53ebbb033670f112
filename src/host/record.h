/* SPDX-License-Identifier: MIT
 *
 * What the host knows of a script's calls, whatever becomes of the cell.
 *
 * Bounded: the first RECORD_FIRST calls each have an entry, and so have up to RECORD_LOST more
 * whose answer the script did not see; what is beyond is counted, per tool and in all.
 */
#ifndef HOST_RECORD_H
#define HOST_RECORD_H

#include "host/host.h"

enum { RECORD_FIRST = 1000, RECORD_LOST = 1000, RECORD_ARGUMENT_CHARS = 300 };

struct record {
    struct record_call *calls;
    size_t n;
    size_t cap;
    size_t n_late;             /* entries past the first RECORD_FIRST */
    size_t total;              /* calls that arrived */
    struct record_tool *tools; /* one for each tool of the set */
    size_t n_tools;
};

/* What is known of a call when it is settled. */
struct record_fact {
    int index; /* from record_arrive() */
    int tool;
    uint32_t id;
    enum call_state state;
    enum call_effect effect;
    int64_t ms;
    struct bytes arguments;
};

/* 0 or -ENOMEM. */
int record_init(struct record *rec, const struct toolset *tools);
void record_done(struct record *rec);

/* A call arrived: its index, or -1 where it is past the first. Until it is settled it stands as
 * never sent. */
int record_arrive(struct record *rec, int tool, uint32_t id);

/* How a call came out, once for each; without memory it is only counted. */
void record_settle(struct record *rec, const struct record_fact *fact);

/* Whether the script did not see the answer of a call in this state. */
bool record_is_lost(enum call_state state);

#endif
