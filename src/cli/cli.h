/* SPDX-License-Identifier: MIT
 *
 * What the files of the command share: its subcommands, its exit statuses, its sentences.
 *
 * A subcommand gets argc and argv from its own name on and returns the exit status of the
 * process. Everything for a person goes to stderr as whole lines that begin with the
 * command's name; stdout is for what was asked for.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/buf.h"

#ifndef TORNO_VERSION
#define TORNO_VERSION "0.1.0"
#endif

/* The engine that this build holds, as `torno --version` and `torno doctor` tell it. */
#ifndef TORNO_ENGINE
#define TORNO_ENGINE "QuickJS-ng 0.18.0 (quickjs-wasi 3.7.0)"
#endif

enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2, /* usage or configuration: nothing was started */
    CLI_STOPPED = 130,
};

int run_main(int argc, char **argv);
int tools_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int keep_main(int argc, char **argv);

/* Writes "torno: " and one line to stderr, control characters made harmless. */
__attribute__((format(printf, 1, 2))) void cli_say(const char *format, ...);

/* As cli_say(), and returns CLI_USAGE. */
__attribute__((format(printf, 1, 2))) int cli_usage(const char *format, ...);

/* Writes a help text to stdout; CLI_OK, or CLI_FAILED where stdout takes nothing. */
int cli_help(const char *text);

/* Appends text for a terminal: control characters but newline and tab become U+FFFD, a newline
 * is followed by indent spaces. */
void cli_put_clean(struct buf *out, struct bytes text, unsigned indent);

/* The path of the helper program torno-warden, owned by the caller (mem_free): beside this
 * program, else in ../libexec/torno; 0, or -ENOENT with one sentence. */
int helper_path(char **ret_path, struct buf *ret_sentence);

#endif
