/* SPDX-License-Identifier: MIT
 *
 * Comments and trailing commas out of a settings file, so that json_check() may be strict.
 *
 * Process: the host side. Works on the copy in out. Every byte keeps its offset. A comment that
 * is not closed, and a comma where no value came before it, stay for json_check() to refuse.
 */
#include "json/json.h"

#include "json/inner.h"

struct strip {
    uint8_t *at;
    uint8_t *end;
    uint8_t *comma; /* the last comma, where only space has followed it */
    uint8_t last;   /* the last byte that was neither space nor comment */
};

static void blank(uint8_t *from, const uint8_t *to)
{
    for (; from < to; from++) {
        *from = *from == '\n' || *from == '\r' ? *from : ' ';
    }
}

/* The end of the comment that begins at at; NULL where none does, or it never ends. */
static uint8_t *find_comment_end(uint8_t *at, uint8_t *end)
{
    uint8_t *found;

    if (end - at < 2 || at[0] != '/') {
        return NULL;
    }
    if (at[1] == '/') {
        found = memchr(at, '\n', (size_t)(end - at));
        return found == NULL ? end : found;
    }
    if (at[1] != '*') {
        return NULL;
    }
    found = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
    return found == NULL ? NULL : found + 2;
}

static void pass_string(struct strip *s)
{
    s->at++;
    while (s->at < s->end && *s->at != '"') {
        s->at += *s->at == '\\' && s->end - s->at >= 2 ? 2 : 1;
    }
    s->at += s->at < s->end ? 1 : 0;
}

/* One byte, or one string, that stays. */
static void pass(struct strip *s)
{
    uint8_t c = *s->at;

    if ((c == ']' || c == '}') && s->comma != NULL) {
        *s->comma = ' ';
    }
    s->comma = NULL;
    if (c == ',' && s->last != ',' && s->last != '[' && s->last != '{' && s->last != ':' &&
        s->last != 0) {
        s->comma = s->at;
    }
    s->last = c;
    if (c == '"') {
        pass_string(s);
    } else {
        s->at++;
    }
}

void json_strip_comments(struct bytes text, struct buf *out)
{
    uint8_t *copy = buf_grow(out, text.len);
    struct strip s;

    if (copy == NULL) {
        return;
    }
    memcpy(copy, text.ptr, text.len);
    s = (struct strip){.at = copy, .end = copy + text.len};
    for (;;) {
        uint8_t *after;

        s.at += json_skip_space(s.at, s.end) - s.at;
        if (s.at == s.end) {
            return;
        }
        after = find_comment_end(s.at, s.end);
        if (after == NULL) {
            pass(&s);
        } else {
            blank(s.at, after);
            s.at = after;
        }
    }
}
