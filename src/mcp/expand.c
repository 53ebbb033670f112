/* SPDX-License-Identifier: MIT
 *
 * ${NAME} in the strings of a config; see mcp/expand.h.
 *
 * Process: the host side. Owns nothing. What looks like a shell's form (${a%b}, $NAME) is none of
 * ours and passes. As in a shell, a default also stands in for a variable that is set but empty.
 */
#include "mcp/expand.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>

/* One ${...}, taken apart. */
struct form {
    struct bytes whole;
    struct bytes name;
    struct bytes fallback;
    bool has_fallback;
    bool is_foreign; /* an editor's own, such as ${input:key} */
};

static bool is_name(struct bytes a)
{
    for (size_t i = 0; i < a.len; i++) {
        bool is_letter = (a.ptr[i] | 0x20) >= 'a' && (a.ptr[i] | 0x20) <= 'z';
        bool is_digit = a.ptr[i] >= '0' && a.ptr[i] <= '9';

        if (!is_letter && a.ptr[i] != '_' && !(is_digit && i > 0)) {
            return false;
        }
    }
    return a.len > 0;
}

static bool begins(struct bytes a, const char *prefix)
{
    return bytes_is(bytes_first(a, strlen(prefix)), prefix);
}

/* Reads the form at the start of text; false where it is none that we know. */
static bool read_form(struct bytes text, struct form *ret)
{
    const uint8_t *close = begins(text, "${") ? memchr(text.ptr, '}', text.len) : NULL;
    struct bytes inner;
    const uint8_t *colon;

    if (close == NULL) {
        return false;
    }
    *ret = (struct form){.whole = bytes_first(text, (size_t)(close - text.ptr) + 1)};
    inner = bytes_of(text.ptr + 2, ret->whole.len - 3);
    ret->fallback = bytes_none();
    ret->is_foreign = begins(inner, "input:") || begins(inner, "command:") ||
                      begins(inner, "config:") || bytes_is(inner, "workspaceFolder");
    if (begins(inner, "env:")) {
        inner = bytes_from(inner, 4);
    }
    colon = memmem(inner.ptr, inner.len, ":-", 2);
    if (colon != NULL && !ret->is_foreign) {
        ret->has_fallback = true;
        ret->fallback = bytes_from(inner, (size_t)(colon - inner.ptr) + 2);
        inner = bytes_first(inner, (size_t)(colon - inner.ptr));
    }
    ret->name = inner;
    return ret->is_foreign || is_name(inner);
}

static int put_form(const struct form *form, struct buf *out)
{
    bool is_home = bytes_is(form->name, "userHome");
    _cleanup_(free_p) char *name = mem_str(is_home ? bytes_str("HOME") : form->name);
    const char *value;

    if (name == NULL) {
        return -ENOMEM;
    }
    value = form->is_foreign ? NULL : getenv(name);
    if (form->has_fallback && (value == NULL || value[0] == '\0')) {
        buf_put_bytes(out, form->fallback);
        return 0;
    }
    if (value == NULL) {
        return -ENOENT;
    }
    buf_put_str(out, value);
    return 0;
}

int mcp_expand(struct bytes text, struct buf *out, struct bytes *ret_name)
{
    while (text.len > 0) {
        const uint8_t *dollar = memchr(text.ptr, '$', text.len);
        size_t plain = dollar == NULL ? text.len : (size_t)(dollar - text.ptr);
        struct form form;

        buf_put(out, text.ptr, plain);
        text = bytes_from(text, plain);
        if (text.len > 0 && read_form(text, &form)) {
            int result = put_form(&form, out);

            if (result < 0) {
                *ret_name = form.name;
                return result;
            }
            text = bytes_from(text, form.whole.len);
        } else if (text.len > 0) {
            buf_put_u8(out, '$');
            text = bytes_from(text, 1);
        }
    }
    return buf_fault(out);
}
