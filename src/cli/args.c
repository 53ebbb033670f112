/* SPDX-License-Identifier: MIT
 *
 * Options by table: --name VALUE, --name=VALUE, -h for --help. No abbreviations, so that a new
 * option never changes what an old command line means.
 */
#include "cli/args.h"

#include "base/mem.h"
#include "cli/cli.h"

static void say_unknown(const struct args *args, struct bytes name)
{
    _cleanup_(buf_done) struct buf known = buf_max(4096);

    for (size_t i = 0; i < args->n_options; i++) {
        const char *before = i == 0 ? "" : i + 1 == args->n_options ? " and " : ", ";

        buf_printf(&known, "%s%s", before, args->options[i].name);
    }
    cli_say("%.*s is not an option of torno %s, which has %s", (int)name.len,
            (const char *)name.ptr, args->command, buf_str(&known));
}

static const struct arg_option *find_option(const struct args *args, struct bytes name)
{
    if (bytes_is(name, "-h")) {
        name = bytes_str("--help");
    }
    for (size_t i = 0; i < args->n_options; i++) {
        if (bytes_is(name, args->options[i].name)) {
            return &args->options[i];
        }
    }
    return NULL;
}

/* Finds the value after the name, in the same word or the next one. */
static int take_value(struct args *args, const struct arg_option *option, const char *equals)
{
    if (option->value_name == NULL) {
        if (equals != NULL) {
            cli_say("%s takes no value, and was given \"%s\"", option->name, equals + 1);
            return ARG_BAD;
        }
        return option->key;
    }
    if (equals != NULL) {
        args->value = equals + 1;
    } else if (args->at < args->argc) {
        args->value = args->argv[args->at++];
    }
    if (args->value == NULL || args->value[0] == '\0') {
        cli_say("%s lacks its value: %s %s", option->name, option->name, option->value_name);
        return ARG_BAD;
    }
    return option->key;
}

int args_next(struct args *args)
{
    const struct arg_option *option;
    const char *equals;
    const char *word;

    args->value = NULL;
    if (args->at >= args->argc) {
        return ARG_END;
    }
    word = args->argv[args->at++];
    if (args->has_words_only || word[0] != '-' || word[1] == '\0') {
        args->value = word;
        return ARG_WORD;
    }
    if (strcmp(word, "--") == 0) {
        args->has_words_only = true;
        return args_next(args);
    }
    equals = strchr(word, '=');
    option =
        find_option(args, bytes_of(word, equals == NULL ? strlen(word) : (size_t)(equals - word)));
    if (option == NULL) {
        say_unknown(args, bytes_of(word, equals == NULL ? strlen(word) : (size_t)(equals - word)));
        return ARG_BAD;
    }
    return take_value(args, option, equals);
}
