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
#include "cell/engine-source.h"
#include "cell/engine-wait.h"

#include <stdio.h>

static struct {
    uint64_t value_text, failure, stalled, notes;
} prelude;

static struct wire_ending ending; /* kind 0: not fixed */
static bool is_over;

static char name[WIRE_MAX_ERROR_NAME];
static char message[WIRE_MAX_ERROR_MESSAGE];
static char frames[WIRE_MAX_FRAMES_JSON];
static char notes[WIRE_MAX_NOTES];

void ending_init(uint64_t prelude_result)
{
    prelude.value_text = js_get(prelude_result, "valueText");
    prelude.failure = js_get(prelude_result, "failure");
    prelude.stalled = js_get(prelude_result, "stalled");
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

static void say_unread(void)
{
    if (ending.kind == WIRE_END_FAILED && ending.message.len == 0 && ending.name.len == 0) {
        ending_tell(1, bytes_str("the script threw an error that could not be read"));
    }
}

static void say_oversize(size_t len)
{
    char text[160];

    fix(WIRE_END_OVERSIZE);
    snprintf(text, sizeof(text), "the value is %zu bytes of JSON; at most %u can be returned", len,
             WIRE_MAX_VALUE);
    ending_tell(1, bytes_str(text));
}

/* Until it is read, the value is that it was not: a stop may come between. */
void ending_return(bool has_value)
{
    if (!ending_is_fixed()) {
        fix(WIRE_END_FINISHED);
        if (has_value) {
            ending.value = bytes_str("\"The script returned a value, and was stopped before it "
                                     "could be read\"");
        }
    }
}

void ending_read_value(uint64_t value)
{
    uint64_t text;

    memory_lend(true);
    text = js_call(prelude.value_text, 1, &value);
    if (js_is_exception(text)) {
        drop_exception();
        if (!js_sees_stop()) {
            ending.value = bytes_str("\"The script returned a value that could not be read\"");
        }
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
    } else {
        ending.value = bytes_none();
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
    say_unread();
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
    uint64_t waits;
    uint64_t told;

    fix(WIRE_END_STALLED);
    memory_lend(true);
    waits = wait_find();
    told = js_call(prelude.stalled, 1, &waits);
    if (js_is_exception(told)) {
        drop_exception();
    }
    js_free(told);
    js_free(waits);
    if (ending.message.len == 0) {
        ending_tell(1, bytes_str("the script waits for a promise that nothing can settle"));
    }
    memory_lend(false);
}

void ending_stop(void)
{
    if (!ending_is_fixed()) {
        fix(WIRE_END_STOPPED);
    }
    say_unread();
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

uint64_t ending_compile(struct bytes script)
{
    struct source_refusal refusal;
    uint64_t function = source_compile(script, &refusal);

    if (js_is_exception(function)) {
        if (js_sees_stop()) {
            drop_exception();
            ending_stop();
        } else {
            escape(refusal.text, refusal.why);
        }
        js_free(refusal.text);
        js_free(refusal.why);
        return JS_EXCEPTION;
    }
    return qjs(JS_EvalFunction, js_ctx, function);
}
