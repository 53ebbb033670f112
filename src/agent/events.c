/* SPDX-License-Identifier: MIT
 *
 * What agents, their uses of the tool and turns add to the host's stream of events.
 *
 * An event has the time at which it came about, and is sent from the loop, since no callback is
 * called from inside the function that caused it. Where nobody listens, or there is no memory,
 * there is none.
 */
#include "agent/inside.h"

#include "base/clock.h"
#include "base/mem.h"

struct told {
    struct told *next;
    struct event event;
    char text[];
};

void agents_tell(struct agents *agents, enum event_type type, const struct run *run, int64_t number,
                 struct bytes text)
{
    struct told **at = &agents->told;
    struct told *told;

    if (!host_is_heard(agents->host)) {
        return;
    }
    told = mem_new(sizeof *told + text.len);
    if (told == NULL) {
        return;
    }
    if (text.len > 0) {
        memcpy(told->text, text.ptr, text.len);
    }
    told->event = (struct event){
        .type = type,
        .mono_us = clock_now_us(),
        .wall_ms = clock_wall_ms(),
        .run = run == NULL ? 0 : run_id(run),
        .number = number,
        .text = bytes_of(told->text, text.len),
    };
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = told;
    agents_arm(agents);
}

void agents_drop_told(struct agents *agents)
{
    while (agents->told != NULL) {
        struct told *told = agents->told;

        agents->told = told->next;
        mem_free(told);
    }
}

void agents_send_told(struct agents *agents)
{
    while (agents->told != NULL) {
        struct told *told = agents->told;

        agents->told = told->next;
        host_tell(agents->host, &told->event);
        mem_free(told);
    }
}
