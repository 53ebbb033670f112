/* SPDX-License-Identifier: MIT
 *
 * The one stream of events out of a host, each with both clocks.
 */
#include "base/clock.h"
#include "host/inside.h"

void event_send_at(struct host *host, const struct event *event)
{
    if (host->options.on_event != NULL) {
        host->options.on_event(host->options.event_arg, event);
    }
}

void event_send(struct host *host, enum event_type type, const struct run *run,
                const struct cell *cell, int64_t number, struct bytes text)
{
    struct event event = {
        .type = type,
        .mono_us = clock_now_us(),
        .wall_ms = clock_wall_ms(),
        .run = run == NULL ? 0 : run->id,
        .cell = cell == NULL ? 0 : cell->id,
        .number = number,
        .text = text,
    };

    event_send_at(host, &event);
}

void host_tell(struct host *host, const struct event *event)
{
    event_send_at(host, event);
}

bool host_is_heard(const struct host *host)
{
    return host->options.on_event != NULL;
}

const char *event_name(enum event_type type)
{
    static const char *const names[] = {
        "none",
#define EVENT(word, name, number, text) name,
#include "host/events.tbl.h"
#undef EVENT
    };

    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : names[0];
}
