/* SPDX-License-Identifier: MIT
 *
 * What an ending says: as text for people, and as one JSON object for programs.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/source.h"
#include "host/host.h"

/* Appends lines for stderr: how the script ended, its error with frames and source line, and the
 * calls whose answers it did not see. Nothing for a script that finished and left nothing open. */
void report_text(struct buf *out, const struct ending *ending, const struct source *source);

/* Appends the script's value as it goes to stdout: a string as it is, else JSON, with a line end.
 * Nothing where it has none. */
void report_value(struct buf *out, const struct ending *ending);

/* Appends the object of `torno run --json` and a line end. wakes is their payloads, more_notes JSON
 * objects that come after the script's own notes, each with commas between, or empty. */
void report_json(struct buf *out, const struct ending *ending, const struct output_part *output,
                 struct bytes wakes, struct bytes more_notes);

/* Appends the lines about calls whose answers the script did not see (report.c's own). */
void report_unseen(struct buf *out, const struct ending *ending);

/* Words of the script's: further lines are indented, so that none can look like one of ours. */
void report_put_words(struct buf *out, struct bytes text);

#endif
