/* SPDX-License-Identifier: MIT
 *
 * What `torno doctor` found, and the two ways to tell it.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli/escapes.h"
#include "cli/facts.h"
#include "cli/findings.h"
#include "cli/probe.h"
#include "cli/trial.h"

struct diagnosis {
    bool is_ok;          /* a script ran, and every escape was stopped */
    struct buf sentence; /* what went wrong, empty where nothing did */
    char *program;       /* torno's own path; NULL */
    char *helper;        /* the helper's; NULL where it is missing */
    struct facts facts;
    struct probe probe;
    struct finding findings[FINDINGS_MAX];
    size_t n_findings;
    struct trial trial;
    struct escapes escapes;
};

/* The walls that a cell may claim, by their bits and names. */
struct doctor_wall {
    uint32_t bit;
    const char *name;
};
extern const struct doctor_wall doctor_walls[];
extern const size_t doctor_walls_n;

/* Whether the helper says that it is of another version than torno, or says nothing of it. */
bool doctor_is_helper_strange(const struct diagnosis *d);

/* A line for each thing, and a last one that says whether scripts can run here. */
void doctor_put_text(struct buf *out, struct diagnosis *d);

/* One object; man/torno.1 tells its keys. */
void doctor_put_json(struct buf *out, struct diagnosis *d);

#endif
