/* SPDX-License-Identifier: MIT
 *
 * Runs the ECMAScript parser tests of the package test262-parser-tests through the engine: what
 * must parse does, what must not is a SyntaxError.
 *
 *   parse FOLDER EXPECTED     from the root of the repository
 *
 * FOLDER holds pass/, fail/ and early/; EXPECTED names the files that are known to come out
 * otherwise, one a line, "#" before a comment. A file that comes out otherwise and is not named
 * there fails, and so does one that is named and comes out right. UPDATE=1 prints the list as it
 * would be. Each file is compiled in a forked child, and not run. The last line is
 * "N passed, N failed".
 */
#include "cell/engine-js.h"
#include "cell/engine.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SOURCE = 1 << 20, MAX_EXPECTED = 500, JS_EVAL_MODULE = 1, PARSES = 0, REFUSED = 1 };

static char source[MAX_SOURCE];
static size_t source_len;
static char expected_text[1 << 16];
static const char *expected[MAX_EXPECTED];
static size_t n_expected;
static unsigned passed;
static unsigned failed;

struct compile {
    int32_t flags;
    int result;
};

static void run_compile(void *arg)
{
    struct compile *c = arg;
    uint64_t value = js_eval(bytes_of(source, source_len), "<test>", 1, c->flags);
    uint32_t at;
    struct bytes text;

    if (!js_is_exception(value)) {
        c->result = PARSES;
        return;
    }
    text = js_text(qjs(JS_GetException, js_ctx), &at);
    c->result = text.len > 11 && memcmp(text.ptr, "SyntaxError", 11) == 0 ? REFUSED : 2;
}

/* PARSES, REFUSED, or anything else: an error of another kind, a trap, a crash. */
static int compile(bool is_module)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        struct compile c = {.flags = JS_EVAL_COMPILE_ONLY | (is_module ? JS_EVAL_MODULE : 0)};

        alarm(10);
        _exit(rt_enter(run_compile, &c) ? c.result : 3);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static void read_source(const char *path)
{
    FILE *f = fopen(path, "r");

    source_len = 0;
    if (f != NULL) {
        source_len = fread(source, 1, sizeof(source) - 1, f);
        fclose(f);
    }
    source[source_len] = 0;
}

static void read_expected(const char *path)
{
    FILE *f = fopen(path, "r");
    char *rest = NULL;

    if (f == NULL) {
        return;
    }
    expected_text[fread(expected_text, 1, sizeof(expected_text) - 1, f)] = 0;
    fclose(f);
    for (char *line = strtok_r(expected_text, "\n", &rest);
         line != NULL && n_expected < MAX_EXPECTED; line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] != '#') {
            expected[n_expected++] = line;
        }
    }
}

static bool is_expected(const char *name)
{
    for (size_t i = 0; i < n_expected; i++) {
        if (strcmp(expected[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void judge(const char *name, int want, int have)
{
    bool is_right = want == have;

    if (getenv("UPDATE") != NULL) {
        if (!is_right) {
            puts(name);
        }
        return;
    }
    if (is_right != is_expected(name)) {
        passed++;
        return;
    }
    failed++;
    printf("FAIL %s: %s\n", name,
           is_right ? "is on the list, but comes out right"
                    : (want == PARSES ? "does not parse" : "is not refused"));
}

static void run_folder(const char *root, const char *folder, int want)
{
    char pattern[4096];
    glob_t found;

    snprintf(pattern, sizeof(pattern), "%s/%s/*.js", root, folder);
    if (glob(pattern, 0, NULL, &found) != 0) {
        printf("%s holds no tests\n", pattern);
        failed++;
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = found.gl_pathv[i] + strlen(root) + 1;

        read_source(found.gl_pathv[i]);
        judge(name, want, compile(strstr(name, ".module.js") != NULL));
    }
    globfree(&found);
}

int main(int argc, char **argv)
{
    if (argc != 3 || engine_init() < 0) {
        fprintf(stderr, "parse FOLDER EXPECTED, from the root of the repository\n");
        return 2;
    }
    read_expected(argv[2]);
    run_folder(argv[1], "pass", PARSES);
    run_folder(argv[1], "pass-explicit", PARSES);
    run_folder(argv[1], "fail", REFUSED);
    run_folder(argv[1], "early", REFUSED);
    if (getenv("UPDATE") == NULL) {
        printf("%u passed, %u failed\n", passed, failed);
    }
    return failed == 0 ? 0 : 1;
}
