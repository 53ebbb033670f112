/* SPDX-License-Identifier: MIT
 *
 * The gate: the one place where a call passes before its tool starts.
 *
 * Calls of every language and transport come here; policies (allow, deny, ask, budgets) will
 * stand here too, and nothing else starts a tool.
 */
#ifndef HOST_GATE_H
#define HOST_GATE_H

#include "host/host.h"

enum gate_verdict {
    GATE_PASS = 0,
    GATE_REFUSE, /* the script is told, nothing is sent; the sentence says why */
    GATE_BREACH, /* a well-behaved cell never asks this; the sentence says what */
};

struct gate_call {
    const struct toolset *tools;
    const struct limits *limits;
    struct bytes name;
    struct bytes args;
    bool is_stopping; /* a stop was asked */
};

/* Judges a call; *ret_tool is the tool's index unless the verdict is GATE_BREACH. */
enum gate_verdict gate_judge(const struct gate_call *call, int *ret_tool, struct buf *ret_sentence);

#endif
