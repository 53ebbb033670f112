/* SPDX-License-Identifier: MIT
 *
 * Python told from JavaScript by single lines (see language.h). Only a line that can't be
 * JavaScript counts, since a script may well carry Python in a string.
 */
#include "wire/language.h"

#include "base/mem.h"

#include <ctype.h>

static bool begins(struct bytes a, const char *with)
{
    return bytes_is(bytes_first(a, strlen(with)), with);
}

static bool ends(struct bytes a, const char *with)
{
    size_t len = strlen(with);

    return a.len >= len && bytes_is(bytes_from(a, a.len - len), with);
}

static bool holds(struct bytes a, const char *what)
{
    return memmem(a.ptr, a.len, what, strlen(what)) != NULL;
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

/* Without the byte order mark that it may start with. */
static struct bytes past_mark(struct bytes source)
{
    return begins(source, "\xef\xbb\xbf") ? bytes_from(source, 3) : source;
}

bool language_is_python_line(struct bytes line)
{
    static const char *const blocks[] = {
        "def ",   "class ", "async def ", "if ",         "for ",
        "while ", "with ",  "try:",       "async with ", "async for "};

    line = trim(line);
    if (begins(line, "#!")) {
        return holds(line, "python");
    }
    if (begins(line, "# ") || bytes_is(line, "#") || begins(line, "\"\"\"") ||
        begins(line, "'''")) {
        return true;
    }
    if (begins(line, "from ") && holds(line, " import ")) {
        return true;
    }
    /* JavaScript's import has quotes, or goes on with braces or a star. */
    if (begins(line, "import ") && !holds(line, "\"") && !holds(line, "'") && !holds(line, "`") &&
        !holds(line, "{") && !holds(line, "*") && !holds(line, " from")) {
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
        if (begins(line, blocks[i]) && ends(line, ":")) {
            return true;
        }
    }
    return false;
}

/* The first line of rest, which goes on behind it. */
static struct bytes next_line(struct bytes *rest)
{
    const uint8_t *newline = memchr(rest->ptr, '\n', rest->len);
    size_t len = newline == NULL ? rest->len : (size_t)(newline - rest->ptr);
    struct bytes line = bytes_first(*rest, len);

    *rest = bytes_from(*rest, newline == NULL ? len : len + 1);
    return line;
}

bool language_is_python(struct bytes source)
{
    struct bytes rest = past_mark(source);

    while (rest.len > 0) {
        struct bytes line = trim(next_line(&rest));

        if (line.len > 0) {
            return language_is_python_line(line);
        }
    }
    return false;
}

struct bytes language_line(struct bytes source, uint64_t line)
{
    struct bytes rest = source;

    for (uint64_t at = 1; rest.len > 0; at++) {
        struct bytes text = next_line(&rest);

        if (at == line) {
            return bytes_first(text, text.len > 0 && text.ptr[text.len - 1] == '\r' ? text.len - 1
                                                                                    : text.len);
        }
    }
    return bytes_none();
}
