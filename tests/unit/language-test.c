/* SPDX-License-Identifier: MIT
 *
 * wire/language.c: Python told from JavaScript, and lines of a source.
 */
#include "wire/language.h"

#include "tests/unit/t.h"

static bool is_python(const char *source)
{
    return language_is_python(bytes_str(source));
}

static void test_python(void)
{
    static const char *const python[] = {
        "import os",
        "\n\n  from a import b\n",
        "# a comment",
        "#",
        "#!/usr/bin/env python3\nx = 1",
        "\"\"\"What it does.\"\"\"",
        "def f(x):\n    return x",
        "async def f():",
        "for i in range(3):",
        "if x:",
        "try:",
        "class A:",
        "\xef\xbb\xbfimport os, sys",
    };

    for (size_t i = 0; i < sizeof(python) / sizeof(python[0]); i++) {
        T_OK(is_python(python[i]));
    }
}

static void test_javascript(void)
{
    static const char *const javascript[] = {
        "",
        "\n \n",
        "import fs from 'fs'",
        "import \"x\"",
        "import { a } from \"a\"",
        "import * as a from `a`",
        "import a from \"a\"",
        "// # a comment\n# none",
        "#!/usr/bin/env torno\nreturn 1",
        "#x in y",
        "class A {\n}",
        "if (x) {",
        "for (const x of y) {",
        "const code = `\nimport os\n`",
        "label:\nfor (;;) {}",
        "`import os`",
    };

    for (size_t i = 0; i < sizeof(javascript) / sizeof(javascript[0]); i++) {
        T_OK(!is_python(javascript[i]));
    }
}

static bool line_is(const char *source, uint64_t line, const char *want)
{
    return bytes_is(language_line(bytes_str(source), line), want);
}

static void test_lines(void)
{
    T_OK(line_is("a\nb\r\nc", 1, "a"));
    T_OK(line_is("a\nb\r\nc", 2, "b"));
    T_OK(line_is("a\nb\r\nc", 3, "c"));
    T_OK(line_is("a\nb\r\nc", 4, ""));
    T_OK(line_is("a\n\nc", 2, ""));
    T_OK(line_is("\n", 1, ""));
    T_OK(line_is("a", 0, ""));
    T_OK(line_is("", 1, ""));
}

int main(void)
{
    test_python();
    test_javascript();
    test_lines();
    T_DONE("language");
}
