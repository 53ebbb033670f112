/* SPDX-License-Identifier: MIT
 *
 * Checks for unit tests: a program per module, no framework. A failed check prints where
 * and what, and the program goes on; T_DONE gives the exit status.
 */
#ifndef TESTS_UNIT_T_H
#define TESTS_UNIT_T_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int t_checks;
static int t_failures;

static inline void t_report(int is_ok, const char *file, int line, const char *what)
{
    t_checks++;
    if (!is_ok) {
        t_failures++;
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
    }
}

static inline void t_equal(int64_t have, int64_t want, const char *file, int line, const char *what)
{
    t_checks++;
    if (have != want) {
        t_failures++;
        fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %" PRId64 "\n", file, line, what, have,
                want);
    }
}

static inline void t_string(const char *have, const char *want, const char *file, int line)
{
    t_checks++;
    if (have == NULL || strcmp(have, want) != 0) {
        t_failures++;
        fprintf(stderr, "%s:%d: have \"%s\"\n  want \"%s\"\n", file, line,
                have == NULL ? "(null)" : have, want);
    }
}

#define T_OK(condition)         t_report((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define T_FAIL(what)            t_report(0, __FILE__, __LINE__, (what))
#define T_EQ(have, want)        t_equal((int64_t)(have), (int64_t)(want), __FILE__, __LINE__, #have)
#define T_STR(have, want)       t_string((have), (want), __FILE__, __LINE__)
#define T_ERR(have, want_errno) t_equal((have), -(want_errno), __FILE__, __LINE__, #have)

/* The last line of main: return T_DONE("name"); */
static inline int t_done(const char *name)
{
    printf("%s: %d checks\n", name, t_checks);
    return t_failures == 0 ? 0 : 1;
}
#define T_DONE(name) t_done(name)

#endif
