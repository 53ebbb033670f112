/* SPDX-License-Identifier: MIT
 *
 * torno-warden: the helper program that a host starts; not for people, but for --probe.
 *
 *   torno-warden HOSTPID [--walls=A|B|C] [--attempts]   serves the host on descriptor 3
 *   torno-warden --probe                                tells what walls this machine can raise
 *   torno-warden --zygote PID LETTERS                   started by itself alone (zygote.c)
 *
 * --walls bounds the tier; with --attempts its cells make escapes, no scripts (for torno doctor).
 *
 * Exit status: 0 after an orderly end, 1 where no wall could be raised, 2 for wrong arguments.
 */
#include "warden/monitor.h"
#include "warden/probe.h"
#include "warden/zygote.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "torno-warden is started by torno. By hand: torno-warden --probe tells what walls this "
    "machine can raise.\n";

/* A process id in decimal digits; 0 where it is none. */
static pid_t read_pid(const char *text)
{
    int64_t pid = 0;

    for (; *text >= '0' && *text <= '9'; text++) {
        pid = pid * 10 + (*text - '0');
        if (pid > INT32_MAX) {
            return 0;
        }
    }
    return *text == '\0' ? (pid_t)pid : 0;
}

/* 'A', 'B' or 'C' out of --walls=X; 0 where it is none. */
static char read_tier(const char *text)
{
    static const char option[] = "--walls=";
    const char *letter = text + sizeof option - 1;

    if (strncmp(text, option, sizeof option - 1) != 0 || letter[0] < 'A' || letter[0] > 'C' ||
        letter[1] != '\0') {
        return 0;
    }
    return letter[0];
}

/* The options behind the pid: false where one is none. */
static bool read_options(char **argv, char *ret_tier, bool *ret_is_for_attempts)
{
    for (; *argv != NULL; argv++) {
        char tier = read_tier(*argv);

        if (tier != 0) {
            *ret_tier = tier;
        } else if (strcmp(*argv, "--attempts") == 0) {
            *ret_is_for_attempts = true;
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    pid_t host = argc >= 2 ? read_pid(argv[1]) : 0;
    char tier = 'A';
    bool is_for_attempts = false;

    if (argc == 2 && strcmp(argv[1], "--probe") == 0) {
        return probe_main();
    }
    if (argc == 4 && strcmp(argv[1], "--zygote") == 0) {
        zygote_main(read_pid(argv[2]), argv[3]);
    }
    if (host <= 0 || !read_options(argv + 2, &tier, &is_for_attempts)) {
        fputs(usage, stderr);
        return 2;
    }
    return monitor_main(host, tier, is_for_attempts);
}
