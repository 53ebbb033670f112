/* SPDX-License-Identifier: MIT
 *
 * Trying the house on this machine: its walls, and one real script behind them.
 */
#ifndef CLI_TRIAL_H
#define CLI_TRIAL_H

#include "base/buf.h"

/* How long a helper may be silent before it counts as mute. */
enum { TRIAL_PATIENCE_MS = 5000 };

struct trial {
    bool is_ok;            /* what was asked for worked */
    uint32_t cell_walls;   /* what a cell claimed: a set of enum wire_wall */
    struct buf walls;      /* the sentence on the walls, empty where none stand */
    struct buf sentence;   /* what went wrong, empty where nothing did */
    int64_t first_call_us; /* of the script; -1: none */
};

/* Raises the walls and, where has_script, runs a script that calls a tool. Blocks for a few
 * milliseconds, at most TRIAL_PATIENCE_MS and the time to close. trial_done() frees what it
 * fills. */
void trial_run(const char *warden_path, bool has_script, struct trial *ret);
void trial_done(struct trial *trial);

/* The letter of the tier that stands, 0 where none does; and what is weaker here, or "". */
char trial_tier(struct trial *trial);
const char *trial_notice(struct trial *trial);

#endif
