/* SPDX-License-Identifier: MIT
 *
 * What the probe's lines mean for a user: a verdict, the cause, and what to change.
 */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "cli/facts.h"
#include "cli/probe.h"

enum verdict {
    VERDICT_OK = 1,
    VERDICT_WEAK, /* torno runs, with less between a script and the machine */
    VERDICT_BAD,  /* no script can run */
    VERDICT_INFO, /* neither: told because it may be of use */
    VERDICT_UNTRIED,
};

struct finding {
    const char *name;
    enum verdict verdict;
    struct bytes value;   /* as the probe told it, borrowed from it */
    const char *sentence; /* where it is well: what that means */
    const char *cause;    /* "" where it is well */
    const char *advice;   /* what to change; "" where there is nothing */
};

enum { FINDINGS_MAX = 24 };

/* Judges every line that the probe told and that is known here, in the order of the table; how
 * many were filled. */
size_t findings_judge(const struct probe *probe, const struct facts *facts,
                      struct finding ret[FINDINGS_MAX]);

/* ok, weak, bad, info, untried. */
const char *verdict_name(enum verdict verdict);

#endif
