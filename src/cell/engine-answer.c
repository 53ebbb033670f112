/* SPDX-License-Identifier: MIT
 *
 * A tool's answer as the guest's value (see engine-answer.h).
 */
#include "cell/engine-answer.h"

#include "cell/engine-js.h"

/* How deep arrays and objects lie in a JSON text. */
static size_t json_depth(struct bytes text)
{
    size_t depth = 0;
    size_t deepest = 0;

    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.ptr[i];

        if (c == '"') {
            for (i++; i < text.len && text.ptr[i] != '"'; i++) {
                i += text.ptr[i] == '\\';
            }
        } else if (c == '[' || c == '{') {
            depth++;
            deepest = depth > deepest ? depth : deepest;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0;
        }
    }
    return deepest;
}

static uint64_t parse_answer(struct bytes text)
{
    uint32_t at = rt_address(text.ptr);

    return at == 0 ? js_parse_bytes(text) : js_parse(at, text.len);
}

uint64_t answer_read(struct bytes payload, uint32_t max_depth, enum wire_seen_how *ret_how)
{
    uint32_t refusals = memory_refusals();
    uint64_t value;

    if (json_depth(payload) > max_depth) {
        return js_sentence("the result is nested more than %u deep; the call took effect",
                           max_depth);
    }
    value = parse_answer(payload);
    if (js_is_exception(value) && memory_refusals() != refusals) {
        js_free(qjs(JS_GetException, js_ctx));
        qjs(JS_RunGC, js_rt); /* cycles may hold what is missing */
        refusals = memory_refusals();
        value = parse_answer(payload);
    }
    if (!js_is_exception(value)) {
        *ret_how = WIRE_SEEN_WHOLE;
        return value;
    }
    js_free(qjs(JS_GetException, js_ctx));
    if (memory_refusals() == refusals) {
        return js_sentence("the result is not JSON; the call took effect");
    }
    return js_sentence("the script had no memory to take the result of %zu bytes; the call took "
                       "effect",
                       payload.len);
}
