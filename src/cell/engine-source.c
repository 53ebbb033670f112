/* SPDX-License-Identifier: MIT
 *
 * Compiling a script (see engine-source.h). Runs in the cell, before anything of the script
 * does, within the script's memory.
 *
 * JavaScript is tried first. What does not parse is told to be Python, if its first line or the
 * line of the error can't be JavaScript; else it is read as TypeScript by a part of the library.
 * The error that is shown is the one of JavaScript, unless TypeScript's lies further down: then
 * JavaScript stumbled over a type.
 *
 * Lines are kept throughout; columns are, but on a line that lost a type.
 */
#include "cell/engine-source.h"

#include "cell/engine-js.h"
#include "cell/engine-library.h"
#include "wire/language.h"

#include <ctype.h>

enum { FENCE_LEAST = 3 };

/* The body of an async method without a name. A body that closes the function early may
 * fit one wrapping, but not both: what follows must start with a comma or a brace in an
 * object, and can't where a statement starts. The opening stays on the script's first line. */
static const char opening[] = "({async''()       {";
static const char closing[] = "\n}})['']";
static const char other_opening[] = "async function f(){";
static const char other_closing[] = "\n}";
_Static_assert(sizeof(opening) == sizeof(other_opening), "columns of both count from one place");

static const char closes_early[] = "the script closes a brace that it never opened";
static const char goes_on[] = "the script goes on after the Markdown fence around it; send the "
                              "code alone";
static const char is_python[] = "the script is Python, and this version of torno does not run "
                                "Python yet; write it in JavaScript";

/* What is to be compiled of a script: code, behind so many line ends as came before it. */
struct source {
    struct bytes code;
    size_t n_lines_before;
    bool says_python; /* the fence does */
    bool has_more;    /* behind the fence */
};

size_t source_opening_len(void)
{
    return sizeof(opening) - 1;
}

static struct bytes trim(struct bytes a)
{
    while (a.len > 0 && isspace(a.ptr[0])) {
        a = bytes_from(a, 1);
    }
    while (a.len > 0 && isspace(a.ptr[a.len - 1])) {
        a = bytes_first(a, a.len - 1);
    }
    return a;
}

/* The length of the line at the start of rest, with its end. */
static size_t line_length(struct bytes rest)
{
    const uint8_t *newline = memchr(rest.ptr, '\n', rest.len);

    return newline == NULL ? rest.len : (size_t)(newline - rest.ptr) + 1;
}

/* How many of the character that a line starts with it starts with, if that is a fence's. */
static size_t fence_length(struct bytes line)
{
    size_t len = 0;

    if (line.len == 0 || (line.ptr[0] != '`' && line.ptr[0] != '~')) {
        return 0;
    }
    while (len < line.len && line.ptr[len] == line.ptr[0]) {
        len++;
    }
    return len >= FENCE_LEAST ? len : 0;
}

static bool is_closing(struct bytes line, uint8_t mark, size_t least)
{
    return line.len >= least && line.ptr[0] == mark && fence_length(line) == line.len;
}

/* What stands between a fence's opening, which is len long, and its closing: the last line that
 * says anything, or none where the fence was never closed. */
static void cut_at_closing(struct source *source, uint8_t mark, size_t len)
{
    struct bytes code = source->code;
    size_t closed_at = code.len;
    bool is_closed = false;

    for (size_t at = 0, n = 0; at < code.len; at += n) {
        struct bytes line;

        n = line_length(bytes_from(code, at));
        line = trim(bytes_first(bytes_from(code, at), n));
        if (is_closing(line, mark, len)) {
            closed_at = at;
            is_closed = true;
            source->has_more = false;
        } else if (line.len > 0 && is_closed) {
            source->has_more = true;
        }
    }
    if (!source->has_more) {
        source->code = bytes_first(code, closed_at);
    }
}

static bool names_python(struct bytes info)
{
    return bytes_is(info, "python") || bytes_is(info, "py") || bytes_is(info, "python3");
}

/* A fence's first line, trimmed: what it says behind its mark. No mark of backticks has more of
 * them behind it. */
static bool is_opening(struct bytes line, struct bytes *ret_info)
{
    size_t len = fence_length(line);

    *ret_info = trim(bytes_from(line, len));
    return len > 0 && (line.ptr[0] == '~' || memchr(ret_info->ptr, '`', ret_info->len) == NULL);
}

/* Takes off a fence, or a first line that starts with #!. */
static struct source read_source(struct bytes script)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct source source = {.code = script};
    size_t at = bytes_is(bytes_first(script, 3), mark) ? 3 : 0;
    struct bytes info;

    if (bytes_is(bytes_first(bytes_from(script, at), 2), "#!") && !language_is_python(script)) {
        size_t len = line_length(bytes_from(script, at));

        source.code = bytes_from(script, at + len);
        source.n_lines_before = source.code.len > 0;
        return source;
    }
    for (size_t n_lines = 1, n = 0; at < script.len; at += n, n_lines++) {
        struct bytes line;

        n = line_length(bytes_from(script, at));
        line = trim(bytes_first(bytes_from(script, at), n));
        if (line.len == 0) {
            continue;
        }
        if (is_opening(line, &info)) {
            source.code = bytes_from(script, at + n);
            source.n_lines_before = n_lines;
            source.says_python = names_python(info);
            cut_at_closing(&source, line.ptr[0], fence_length(line));
        }
        return source;
    }
    return source;
}

static uint8_t *append(uint8_t *to, struct bytes part)
{
    memcpy(to, part.ptr, part.len);
    return to + part.len;
}

/* Compiles a source with text before and after it; nothing is run. */
static uint64_t compile(const struct source *source, const char *before, const char *after)
{
    size_t len = strlen(before) + source->n_lines_before + source->code.len + strlen(after);
    uint32_t at = memory_take(len);
    uint64_t function;
    uint8_t *to;

    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, js_ctx);
    }
    to = append(rt_ptr(at), bytes_str(before));
    memset(to, '\n', source->n_lines_before);
    append(append(to + source->n_lines_before, source->code), bytes_str(after));
    function =
        js_eval(bytes_of(rt_ptr(at), len), "<script>", 1, JS_EVAL_GLOBAL | JS_EVAL_COMPILE_ONLY);
    memory_give_back(at);
    return function;
}

/* Whether an error is about super, which a method may say and no script. */
static bool is_about_super(uint64_t error)
{
    static const char word[] = "super";
    uint64_t message = js_get(error, "message");
    struct bytes text;
    uint32_t at;
    bool is_super;

    text = js_text(message, &at);
    is_super = at != 0 && memmem(text.ptr, text.len, word, sizeof(word) - 1) != NULL;
    js_text_done(at);
    js_free(message);
    return is_super;
}

/* Compiles it both ways; *ret_why is set where the exception does not say what is wrong. */
static uint64_t compile_both(const struct source *source, uint64_t *ret_why)
{
    uint64_t method = compile(source, opening, closing);
    uint64_t other;

    *ret_why = JS_UNDEFINED;
    if (js_is_exception(method)) {
        return method;
    }
    other = compile(source, other_opening, other_closing);
    if (js_is_exception(other)) {
        js_free(method);
        other = qjs(JS_GetException, js_ctx);
        if (!is_about_super(other)) {
            *ret_why = js_sentence(closes_early);
        }
        return qjs(JS_Throw, js_ctx, other);
    }
    js_free(other);
    return method;
}

/* The line that an error's stack names first; 0 where it names none. */
static uint64_t line_of(uint64_t error)
{
    static const char place[] = "<script>:";
    uint64_t stack = js_get(error, "stack");
    uint32_t text_at;
    struct bytes text = js_text(stack, &text_at);
    const uint8_t *found = memmem(text.ptr, text.len, place, sizeof(place) - 1);
    uint64_t line = 0;

    if (found != NULL) {
        for (found += sizeof(place) - 1; isdigit(*found) && line < UINT32_MAX; found++) {
            line = 10 * line + (uint64_t)(*found - '0');
        }
    }
    js_text_done(text_at);
    js_free(stack);
    return line;
}

/* The source as a string, its lines where they were. */
static uint64_t source_string(const struct source *source)
{
    size_t len = source->n_lines_before + source->code.len;
    uint32_t at = memory_take(len);
    uint64_t text;

    if (at == 0) {
        return qjs(JS_ThrowOutOfMemory, js_ctx);
    }
    memset(rt_ptr(at), '\n', source->n_lines_before);
    append(rt_ptr(at) + source->n_lines_before, source->code);
    text = js_string(bytes_of(rt_ptr(at), len));
    memory_give_back(at);
    return text;
}

/* The source without its types, as a string; or an exception. */
static uint64_t remove_types(const struct source *source)
{
    uint64_t part = library_load(bytes_str("typescript"));
    uint64_t function;
    uint64_t text;
    uint64_t result;

    if (js_is_exception(part)) {
        return part;
    }
    function = js_get(part, "removeTypes");
    js_free(part);
    text = source_string(source);
    result = js_is_exception(text) ? text : js_call(function, 1, &text);
    js_free(text);
    js_free(function);
    return result;
}

/* Reads a source as TypeScript and compiles it. Where that fails the exception is pending, and
 * *ret_refusal->text is what it was read in, if not the source. */
static uint64_t compile_types(const struct source *source, struct source_refusal *ret_refusal)
{
    uint64_t plain = remove_types(source);
    struct source stripped = {.code = bytes_none()};
    uint64_t method;
    uint32_t at;

    *ret_refusal = (struct source_refusal){JS_UNDEFINED, JS_UNDEFINED};
    qjs(JS_RunGC, js_rt);
    if (js_is_exception(plain)) {
        return plain;
    }
    stripped.code = js_text(plain, &at);
    method =
        at == 0 ? qjs(JS_ThrowOutOfMemory, js_ctx) : compile_both(&stripped, &ret_refusal->why);
    js_text_done(at);
    ret_refusal->text = plain;
    return method;
}

/* JavaScript's error, held while TypeScript is tried; *refusal is JavaScript's. */
static uint64_t try_types(const struct source *source, uint64_t error,
                          struct source_refusal *refusal)
{
    uint32_t refusals = memory_refusals();
    struct source_refusal other;
    uint64_t method = compile_types(source, &other);
    uint64_t other_error;

    if (!js_is_exception(method)) {
        js_free(other.text);
        js_free(refusal->why);
        js_free(error);
        return method;
    }
    if (js_sees_stop()) {
        js_free(error);
        return method;
    }
    other_error = qjs(JS_GetException, js_ctx);
    if (memory_refusals() != refusals) {
        js_free(refusal->why);
        refusal->why = js_sentence("the script is not JavaScript, and there is no memory to read "
                                   "it as TypeScript (give it more, or write JavaScript)");
    } else if (line_of(other_error) > line_of(error)) {
        js_free(refusal->why);
        *refusal = other;
        js_free(error);
        return qjs(JS_Throw, js_ctx, other_error);
    }
    js_free(other.why);
    js_free(other.text);
    js_free(other_error);
    return qjs(JS_Throw, js_ctx, error);
}

/* Sees to it that a refusal has a text: it shows the line of the error. */
static void keep_text(struct bytes script, struct source_refusal *refusal)
{
    if (refusal->text == JS_UNDEFINED) {
        memory_lend(true);
        refusal->text = js_string(script);
        if (js_is_exception(refusal->text)) {
            js_free(qjs(JS_GetException, js_ctx));
            refusal->text = JS_UNDEFINED;
        }
        memory_lend(false);
    }
}

/* An error for a source that is not worth compiling: it may well compile, and never means it. */
static uint64_t throw_plain(const struct source *source, uint64_t *ret_why)
{
    struct source broken = {.code = bytes_str(")")};
    uint64_t error;

    js_free(compile(&broken, opening, closing));
    error = qjs(JS_GetException, js_ctx);
    js_put(error, "stack", js_string(bytes_none())); /* no place in the script */
    *ret_why = js_sentence("%s", source->says_python ? is_python : goes_on);
    return qjs(JS_Throw, js_ctx, error);
}

/* JavaScript failed: says that it is Python, or tries TypeScript. */
static uint64_t compile_other(const struct source *source, struct bytes script,
                              struct source_refusal *refusal)
{
    uint64_t error = qjs(JS_GetException, js_ctx);

    if (language_is_python(source->code) ||
        language_is_python_line(language_line(script, line_of(error)))) {
        js_free(refusal->why);
        refusal->why = js_sentence("%s", is_python);
        return qjs(JS_Throw, js_ctx, error);
    }
    return try_types(source, error, refusal);
}

uint64_t source_compile(struct bytes script, struct source_refusal *ret_refusal)
{
    struct source source = read_source(script);
    uint32_t refusals = memory_refusals();
    uint64_t method;

    *ret_refusal = (struct source_refusal){JS_UNDEFINED, JS_UNDEFINED};
    if (source.says_python || source.has_more) {
        return throw_plain(&source, &ret_refusal->why);
    }
    method = compile_both(&source, &ret_refusal->why);
    if (js_is_exception(method) && !js_sees_stop() && memory_refusals() == refusals) {
        method = compile_other(&source, script, ret_refusal);
    }
    if (js_is_exception(method)) {
        keep_text(script, ret_refusal);
    }
    return method;
}
