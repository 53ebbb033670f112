/* SPDX-License-Identifier: MIT
 *
 * The command line of one subcommand, by a table of its options.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

struct arg_option {
    const char *name;       /* with its dashes: "--mcp" */
    const char *value_name; /* "FILE", or NULL where it takes none */
    int key;                /* above 0; what args_next() returns for it */
};

enum { ARG_END = 0, ARG_WORD = -1, ARG_BAD = -2 };

struct args {
    const char *command; /* "run" */
    const struct arg_option *options;
    size_t n_options;
    int argc;
    char **argv;
    int at; /* the next one; starts at 1 */
    bool has_words_only;
    const char *value; /* of the option or word that was just read; may be NULL */
};

/* The next option's key, ARG_WORD, ARG_END, or ARG_BAD once a sentence about it was said. Options
 * may follow words; "--" ends them; "-" is a word. */
int args_next(struct args *args);

#endif
