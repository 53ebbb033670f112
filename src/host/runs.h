/* SPDX-License-Identifier: MIT
 *
 * A run as the other files of this room drive it.
 */
#ifndef HOST_RUNS_H
#define HOST_RUNS_H

#include "host/inside.h"

/* Gives a ready cell to a run that waits, and sends the start. */
void run_take_cell(struct run *run, struct cell *cell);

/* A frame of the run's cell; its state allows it. */
void run_frame(struct run *run, const struct frame *frame);

/* The run's cell did what none does: it is killed. */
void run_breach(struct run *run, const char *sentence);
/* Its ending is longer than max_frame: it is not read. */
void run_oversize(struct run *run);

/* The run's cell closed its channel. */
void run_eof(struct run *run);

/* The run's process is gone, all it had sent was read: the ending is due. */
void run_cell_gone(struct run *run);

/* Ends a run that no cell could be made for; reason is an ending's, and lasts. */
void run_end_early(struct run *run, const char *reason, const char *sentence);

/* From the loop: starts waiting calls and sends events. */
void run_tick(struct run *run);

/* From the loop, once its process is gone: settles everything and tells the caller. The run may
 * be freed in it. */
void run_finish(struct run *run);

/* Kills, for a cause. */
void run_end_now(struct run *run, enum end_cause cause);

/* A frame with an answer could be sent, or not any more. */
void run_answer_written(struct run *run, int slot);

/* Sets the run's timer to its next deadline. */
void run_arm(struct run *run);

#endif
