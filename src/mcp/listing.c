/* SPDX-License-Identifier: MIT
 *
 * The listing of a session: tools/list, page by page, and again when the server says so.
 *
 * Process: the host side. The fresh list replaces the old one as a whole, when its last page is
 * there. Changes that are told while a list is under way, or in a burst, cause one more listing.
 */
#include "mcp/session.h"

#include "rpc/message.h"
#include "json/json.h"

#include <errno.h>

enum { MAX_REPEATS = 3 }; /* of the first listing, before it is taken as it is */

/* cursor is a raw string, or empty for the first page. */
static void ask(struct session *s, int64_t now_ms, struct bytes cursor)
{
    s->last_id++;
    s->list_id = s->last_id;
    s->due_ms = now_ms + s->start_ms;
    rpc_put_request(&s->out, s->list_id, "tools/list");
    buf_put_str(&s->out, "{");
    if (cursor.len > 0) {
        json_put_key(&s->out, "cursor");
        rpc_put_value(&s->out, cursor);
    }
    buf_put_str(&s->out, "}");
    rpc_put_end(&s->out);
    session_send(s); /* where it fails, the time limit or the death follows */
}

void listing_begin(struct session *s, int64_t now_ms)
{
    s->pages = 0;
    s->is_list_old = false;
    s->relist_ms = INT64_MAX;
    toolset_done(&s->fresh);
    ask(s, now_ms, bytes_none());
}

static void tell_reasons(struct session *s)
{
    struct bytes rest = buf_bytes(&s->tools.reason);
    size_t told = 0;

    while (rest.len > 0) {
        const uint8_t *newline = memchr(rest.ptr, '\n', rest.len);
        size_t len = newline == NULL ? rest.len : (size_t)(newline - rest.ptr);

        session_note(s, "%.*s", (int)len, (const char *)rest.ptr);
        rest = bytes_from(rest, len + 1);
        told++;
    }
    if (s->tools.left_out > told) {
        session_note(s, "%zu more tools are left out", s->tools.left_out - told);
    }
}

/* The list is whole. */
static void finish(struct session *s, int64_t now_ms)
{
    struct toolset old = s->tools;
    bool was_listed = s->is_listed;

    s->list_id = 0;
    if (!was_listed && s->is_list_old && s->repeats < MAX_REPEATS) {
        s->repeats++;
        listing_begin(s, now_ms);
        return;
    }
    s->tools = s->fresh;
    s->fresh = (struct toolset){0};
    s->is_listed = true;
    tell_reasons(s);
    if (s->is_list_old && s->may_relist) {
        s->relist_ms = now_ms + SESSION_RELIST_MS;
    }
    if (was_listed) {
        s->events->on_tools(s->arg, &old);
    } else {
        s->events->on_ready(s->arg);
    }
    toolset_done(&old);
}

void listing_take(struct session *s, int64_t now_ms, struct bytes result)
{
    struct bytes cursor = bytes_none();
    int fault = toolset_add_page(&s->fresh, s->name, result, &cursor);

    s->list_id = 0;
    if (fault == -EBADMSG) {
        listing_fault(s, "its answer holds no array \"tools\"");
        return;
    }
    if (fault < 0) {
        session_note(s, "lists more tools than can be held; only the first %zu are taken",
                     s->fresh.n);
    } else if (cursor.len > 0) {
        s->pages++;
        if (s->pages < SESSION_MAX_PAGES) {
            ask(s, now_ms, cursor);
            return;
        }
        session_note(s, "lists its tools without an end; only the first %d pages are taken",
                     SESSION_MAX_PAGES);
    }
    finish(s, now_ms);
}

void listing_fault(struct session *s, const char *why)
{
    s->list_id = 0;
    toolset_done(&s->fresh);
    if (s->is_listed) {
        session_note(s, "could not list its tools again: %s; the old list stays", why);
    } else {
        session_fail(s, "could not list its tools: %s", why);
    }
}

void listing_changed(struct session *s, int64_t now_ms)
{
    if (s->list_id != 0) {
        s->is_list_old = true;
    } else if (s->is_listed && s->may_relist && s->relist_ms == INT64_MAX) {
        s->relist_ms = now_ms + SESSION_RELIST_MS;
    }
}
