/* SPDX-License-Identifier: MIT
 *
 * Endings (see engine-ending.h).
 *
 * Reading a value or an error runs code of the script's: the prelude is closed meanwhile, so
 * that nothing of it goes out, and memory is lent, so that a script which ran out of it
 * can still be told from one that did not. Texts are kept in static buffers, a value in
 * guest memory, where it stays.
 */
#include "cell/engine-ending.h"

#include "cell/engine-js.h"

#include <stdio.h>

static struct {
    uint64_t value_text, failure, notes;
} prelude;

static struct wire_ending ending; /* kind 0: not fixed */
static bool is_over;

static char name[WIRE_MAX_ERROR_NAME];
static char message[WIRE_MAX_ERROR_MESSAGE];
static char frames[WIRE_MAX_FRAMES_JSON];
static char notes[WIRE_MAX_NOTES];

/* The body of an async method without a name. A body that closes the function early may
 * fit one wrapping, but not both: what follows must start with a comma or a brace in an
 * object, and can't where a statement starts. The opening stays on the script's first line. */
static const char opening[] = "({async''(){";
static const char closing[] = "\n}})['']";
static const char other_opening[] = "async function f(){";
static const char other_closing[] = "\n}";

size_t ending_opening_len(void)
{
    return sizeof(opening) - 1;
}

void ending_init(uint64_t prelude_result)
{
    prelude.value_text = js_get(prelude_result, "valueText");
    prelude.failure = js_get(prelude_result, "failure");
    prelude.notes = js_get(prelude_result, "notes");
}

bool ending_is_fixed(void)
{
    return ending.kind != 0;
}

bool ending_is_over(void)
{
    return is_over;
}

const struct wire_ending *ending_get(void)
{
    return &ending;
}

/* Copies into a static buffer, cut between characters where it is too long. */
static struct bytes keep(char *into, size_t size, struct bytes text)
{
    size_t len = text.len;

    if (len > size) {
        for (len = size; len > 0 && (text.ptr[len] & 0xc0) == 0x80; len--) {
        }
    }
    memcpy(into, text.ptr, len);
    return bytes_of(into, len);
}

void ending_tell(uint32_t part, struct bytes text)
{
    switch (part) {
    case 0:
        ending.name = keep(name, sizeof(name), text);
        break;
    case 1:
        ending.message = keep(message, sizeof(message), text);
        break;
    default:
        /* JSON can't be cut: the prelude keeps it short, and a long one is left out. */
        ending.frames =
            text.len > sizeof(frames) ? bytes_none() : keep(frames, sizeof(frames), text);
        break;
    }
}

static void fix(enum wire_ending_kind kind)
{
    ending = (struct wire_ending){.kind = kind,
                                  .name = bytes_none(),
                                  .message = bytes_none(),
                                  .frames = bytes_none(),
                                  .notes = bytes_none(),
                                  .value = bytes_none()};
}

/* An exception of the prelude's own while it reads: no memory, or a stop. */
static void drop_exception(void)
{
    js_free(qjs(JS_GetException, js_ctx));
}

static void say_oversize(size_t len)
{
    char text[160];

    fix(WIRE_END_OVERSIZE);
    snprintf(text, sizeof(text), "the value is %zu bytes of JSON; at most %u can be returned", len,
             WIRE_MAX_VALUE);
    ending_tell(1, bytes_str(text));
}

void ending_return(void)
{
    if (!ending_is_fixed()) {
        fix(WIRE_END_FINISHED);
    }
}

void ending_read_value(uint64_t value)
{
    uint64_t text;

    memory_lend(true);
    text = js_call(prelude.value_text, 1, &value);
    if (js_is_exception(text)) {
        drop_exception();
        /* After a stop, what was not read is left out. */
        ending.value = js_sees_stop()
                           ? bytes_none()
                           : bytes_str("\"The script returned a value that could not be read\"");
    } else if (text != JS_UNDEFINED) {
        uint32_t at;
        struct bytes json = js_text(text, &at);

        if (at == 0) {
            json = bytes_str("\"The script returned a value that there is no memory for\"");
        }
        ending.value = json;
        if (json.len > WIRE_MAX_VALUE) {
            say_oversize(json.len);
        }
    }
    js_free(text);
    memory_lend(false);
}

/* Where the script did not compile, code is its text as a string, and why may be a better
 * message; else both are undefined. */
static void read_failure(uint64_t reason, uint64_t code, uint64_t why)
{
    uint64_t arguments[] = {reason, code, why};
    uint64_t told;

    fix(WIRE_END_FAILED);
    memory_lend(true);
    told = js_call(prelude.failure, 3, arguments);
    if (js_is_exception(told)) {
        drop_exception();
    }
    js_free(told);
    if (ending.message.len == 0 && ending.name.len == 0) {
        ending_tell(1, bytes_str("the script threw an error that could not be read"));
    }
    memory_lend(false);
}

void ending_fail(uint64_t reason)
{
    if (!ending_is_fixed()) {
        read_failure(reason, JS_UNDEFINED, JS_UNDEFINED);
    }
}

static void escape(uint64_t code, uint64_t why)
{
    uint64_t error = qjs(JS_GetException, js_ctx);

    read_failure(error, code, why);
    js_free(error);
    ending_close();
}

void ending_escape(void)
{
    escape(JS_UNDEFINED, JS_UNDEFINED);
}

void ending_stall(void)
{
    fix(WIRE_END_STALLED);
    ending_tell(1, bytes_str("the script waits for a promise that nothing can settle: no call is "
                             "out and nothing is queued"));
}

void ending_stop(void)
{
    if (!ending_is_fixed()) {
        fix(WIRE_END_STOPPED);
    }
    is_over = true;
}

void ending_trap(const char *trap_name, struct bytes engine_wrote)
{
    size_t len;

    fix(WIRE_END_TRAPPED);
    len = (size_t)snprintf(message, sizeof(message), "%s%s%.*s", trap_name,
                           engine_wrote.len > 0 ? ": " : "", (int)engine_wrote.len,
                           (const char *)engine_wrote.ptr);
    ending.message = bytes_of(message, len);
    is_over = true;
}

void ending_close(void)
{
    uint64_t text;
    uint32_t at;

    memory_lend(true);
    text = js_call(prelude.notes, 0, NULL);
    if (js_is_exception(text)) {
        drop_exception();
    } else {
        struct bytes json = js_text(text, &at);

        if (json.len <= sizeof(notes)) {
            ending.notes = keep(notes, sizeof(notes), json);
        }
        js_text_done(at);
    }
    js_free(text);
    is_over = true;
}

static uint8_t *append(uint8_t *to, struct bytes part)
{
    memcpy(to, part.ptr, part.len);
    return to + part.len;
}

/* Compiles code with text before and after it; nothing is run. */
static uint64_t compile(struct bytes code, const char *before, const char *after)
{
    size_t len = strlen(before) + code.len + strlen(after);
    uint32_t at = memory_take(len);
    uint64_t function;

    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, js_ctx);
    }
    append(append(append(rt_ptr(at), bytes_str(before)), code), bytes_str(after));
    function =
        js_eval(bytes_of(rt_ptr(at), len), "<script>", 1, JS_EVAL_GLOBAL | JS_EVAL_COMPILE_ONLY);
    memory_give_back(at);
    return function;
}

/* Ends the script with the pending error of compile(), which shows the source line. */
static uint64_t refuse(struct bytes code, uint64_t why)
{
    uint64_t text;

    memory_lend(true);
    text = js_string(code);
    escape(js_is_exception(text) ? JS_UNDEFINED : text, why);
    memory_lend(false);
    js_free(text);
    js_free(why);
    return JS_EXCEPTION;
}

uint64_t ending_compile(struct bytes code)
{
    uint64_t method = compile(code, opening, closing);
    uint64_t other;

    if (js_is_exception(method)) {
        return refuse(code, JS_UNDEFINED);
    }
    other = compile(code, other_opening, other_closing);
    if (js_is_exception(other)) {
        js_free(method);
        return refuse(code, js_sentence("the script closes a brace that it never opened"));
    }
    js_free(other);
    return qjs(JS_EvalFunction, js_ctx, method);
}
