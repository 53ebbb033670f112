/* SPDX-License-Identifier: MIT
 *
 * Turns: which scripts live on when a unit of the agent's work ends.
 *
 * A turn is a number; the live ones stand in a list, every other number that was given out is
 * a turn that has ended. Where no agent is named primary, every agent's scripts outlive a turn.
 */
#include "agent/inside.h"

#include "base/mem.h"

bool turn_is_live(const struct agents *agents, uint64_t turn)
{
    for (const struct turn *t = agents->turns; t != NULL; t = t->next) {
        if (t->id == turn) {
            return true;
        }
    }
    return false;
}

static bool add(struct agents *agents, uint64_t id)
{
    struct turn *turn = mem_new(sizeof *turn);

    if (turn == NULL) {
        return false;
    }
    *turn = (struct turn){.next = agents->turns, .id = id};
    agents->turns = turn;
    return true;
}

uint64_t turn_open(struct agents *agents)
{
    if (!add(agents, agents->last_turn + 1)) {
        return 0;
    }
    agents_tell(agents, EVENT_TURN, NULL, (int64_t)++agents->last_turn, bytes_str("opened"));
    return agents->last_turn;
}

bool turn_resume(struct agents *agents, uint64_t turn)
{
    if (turn == 0 || turn > agents->last_turn) {
        return false;
    }
    if (turn_is_live(agents, turn)) {
        return true;
    }
    agents_tell(agents, EVENT_TURN, NULL, (int64_t)turn, bytes_str("resumed"));
    return add(agents, turn);
}

/* Takes it off the list; whether it was there. */
static bool end(struct agents *agents, uint64_t id)
{
    for (struct turn **at = &agents->turns; *at != NULL; at = &(*at)->next) {
        struct turn *turn = *at;

        if (turn->id == id) {
            *at = turn->next;
            mem_free(turn);
            return true;
        }
    }
    return false;
}

static bool has_primary(const struct agents *agents)
{
    for (const struct agent *a = agents->first; a != NULL; a = a->next) {
        if (a->options.is_primary && !a->is_gone) {
            return true;
        }
    }
    return false;
}

void turn_settle(struct agents *agents, uint64_t turn)
{
    if (!end(agents, turn)) {
        return;
    }
    agents_tell(agents, EVENT_TURN, NULL, (int64_t)turn, bytes_str("settled"));
    if (!has_primary(agents)) {
        return;
    }
    for (struct agent *a = agents->first; a != NULL; a = a->next) {
        for (struct script *s = a->scripts; s != NULL && !a->options.is_primary; s = s->next) {
            if (s->end_order == 0 && !turn_is_live(agents, s->turn)) {
                script_stop(s); /* one that has ended keeps its notice */
            }
        }
    }
}

void turn_abandon(struct agents *agents, uint64_t turn)
{
    if (!end(agents, turn)) {
        return;
    }
    agents_tell(agents, EVENT_TURN, NULL, (int64_t)turn, bytes_str("abandoned"));
    for (struct agent *a = agents->first; a != NULL; a = a->next) {
        for (struct script *s = a->scripts; s != NULL; s = s->next) {
            if (s->watch == NULL || s->watch->turn != turn) {
                continue;
            }
            if (!s->has_returned) {
                script_stop(s);
            }
            watch_let_go(s->watch);
        }
    }
}
