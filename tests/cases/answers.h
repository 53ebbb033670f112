/* SPDX-License-Identifier: MIT
 *
 * What the host does in a case: every form of an answer. Included by tests/run-cases.c alone.
 */
#ifndef CASES_ANSWERS_H
#define CASES_ANSWERS_H

#include "cases/case.h"
#include "json/json.h"

/* A late answer on its way. */
struct late {
    uv_timer_t timer;
    struct test *test;
    size_t number;
    char *text;
};

static void reply_text(struct call *call, struct bytes text, bool is_error)
{
    _cleanup_(buf_done) struct buf b = buf_max(MAX_TEXT);

    buf_put_str(&b, "{\"content\":[{\"type\":\"text\",\"text\":");
    json_put_str(&b, text);
    buf_put_str(&b, is_error ? "}],\"isError\":true}" : "}]}");
    call_reply(call, buf_bytes(&b));
}

static void reply_data(struct call *call, struct bytes json)
{
    _cleanup_(buf_done) struct buf b = buf_max(MAX_TEXT);

    buf_put_str(&b, "{\"content\":[],\"structuredContent\":");
    buf_put_bytes(&b, json);
    buf_put_str(&b, "}");
    call_reply(call, buf_bytes(&b));
}

/* A text result whose JSON takes exactly len bytes. */
static void reply_fill(struct call *call, size_t len)
{
    static const char before[] = "{\"content\":[{\"type\":\"text\",\"text\":\"";
    static const char after[] = "\"}]}";
    _cleanup_(buf_done) struct buf b = buf_max(MAX_TEXT);
    size_t n = len - (sizeof before - 1) - (sizeof after - 1);
    uint8_t *at;

    buf_put_str(&b, before);
    at = must(buf_grow(&b, n));
    memset(at, 'x', n);
    buf_put_str(&b, after);
    call_reply(call, buf_bytes(&b));
}

/* A result of len levels, its own object and its structuredContent's arrays. */
static void reply_deep(struct call *call, size_t len)
{
    _cleanup_(buf_done) struct buf b = buf_max(MAX_TEXT);

    buf_put_str(&b, "{\"content\":[],\"structuredContent\":");
    for (size_t i = 1; i < len; i++) {
        buf_put_str(&b, "[");
    }
    for (size_t i = 1; i < len; i++) {
        buf_put_str(&b, "]");
    }
    buf_put_str(&b, "}");
    call_reply(call, buf_bytes(&b));
}

static void on_late_closed(uv_handle_t *handle)
{
    struct late *late = handle->data;

    mem_free(late->text);
    mem_free(late);
}

static struct call *take_call(struct test *t, size_t number)
{
    struct call *call = number < MAX_CALLS ? t->calls[number] : NULL;

    if (call == NULL) {
        buf_printf(&t->fault, "    call %zu is not there to be answered\n", number);
        return NULL;
    }
    t->calls[number] = NULL;
    t->n_now--;
    return call;
}

static bool give_answer(struct test *t, size_t number, const char *form);

static void on_late(uv_timer_t *timer)
{
    struct late *late = timer->data;

    if (late->test->run != NULL && late->test->calls[late->number] != NULL) {
        give_answer(late->test, late->number, late->text);
    }
    uv_close((uv_handle_t *)timer, on_late_closed);
}

static void answer_late(struct test *t, size_t number, const char *rest)
{
    struct late *late = must(mem_new(sizeof *late));
    char *text = NULL;
    long ms = (long)strtoll(rest, &text, 10);

    late->test = t;
    late->number = number;
    late->text = must(mem_new(strlen(text) + 3));
    snprintf(late->text, strlen(text) + 3, "<%s", text);
    uv_timer_init(&loop, &late->timer);
    late->timer.data = late;
    uv_timer_start(&late->timer, on_late, (uint64_t)ms, 0);
}

/* form is an answer's line from its "<" on; false where there is no such form. */
static bool give_answer(struct test *t, size_t number, const char *form)
{
    size_t len = strcspn(form, " ");
    struct bytes verb = bytes_of(form, len);
    const char *rest = form[len] == ' ' ? form + len + 1 : form + len;
    struct call *call;

    if (bytes_is(verb, "<hold")) {
        return true;
    }
    if (bytes_is(verb, "<late")) {
        answer_late(t, number, rest);
        return true;
    }
    call = take_call(t, number);
    if (call == NULL) {
        return true;
    }
    if (bytes_is(verb, "<")) {
        reply_text(call, bytes_str(rest), false);
    } else if (bytes_is(verb, "<error")) {
        reply_text(call, bytes_str(rest), true);
    } else if (bytes_is(verb, "<raw")) {
        call_reply(call, bytes_str(rest));
    } else if (bytes_is(verb, "<data")) {
        reply_data(call, bytes_str(rest));
    } else if (bytes_is(verb, "<echo")) {
        reply_data(call, call_arguments(call));
    } else if (bytes_is(verb, "<fill")) {
        reply_fill(call, strtoul(rest, NULL, 10));
    } else if (bytes_is(verb, "<deep")) {
        reply_deep(call, strtoul(rest, NULL, 10));
    } else if (bytes_is(verb, "<refuse")) {
        call_refuse(call, rest);
    } else if (bytes_is(verb, "<fail")) {
        call_fail(call, rest);
    } else {
        return false;
    }
    return true;
}

/* An answer's line of the transcript: "<VERB#K REST" answers call K, without #K the newest. */
static void do_answer(struct test *t, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *hash = memchr(line, '#', len);
    size_t number = hash == NULL ? t->n_all : strtoul(hash + 1, NULL, 10);
    _cleanup_(buf_done) struct buf form = buf_max(MAX_TEXT);

    buf_put(&form, line, hash == NULL ? len : (size_t)(hash - line));
    buf_put_str(&form, line + len);
    if (!give_answer(t, number, buf_str(&form))) {
        buf_printf(&t->fault, "    there is no answer \"%s\"\n", line);
    }
}

static void do_action(struct test *t, const char *line)
{
    if (line[0] == '<') {
        do_answer(t, line);
    } else if (strcmp(line, "^ stop") == 0) {
        run_stop(t->run);
    } else if (strcmp(line, "^ kill") == 0) {
        run_kill(t->run);
    } else {
        buf_printf(&t->fault, "    there is no action \"%s\"\n", line);
    }
}

/* What follows the next "> " line of the .want: done, and part of what happened. */
static void do_actions(struct test *t)
{
    while (t->next_want < t->want.n && !begins(t->want.items[t->next_want], "> ")) {
        t->next_want++;
    }
    t->next_want++;
    while (t->next_want < t->want.n && strchr("<^", t->want.items[t->next_want][0]) != NULL) {
        add_line(&t->have, bytes_str(t->want.items[t->next_want]));
        do_action(t, t->want.items[t->next_want]);
        t->next_want++;
    }
}

#endif
