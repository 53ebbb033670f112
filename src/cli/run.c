/* SPDX-License-Identifier: MIT
 *
 * `torno run`: the command line. Everything that can be wrong with what was given is told here,
 * before a process is started: flags, limits, the script, the configs, the helper.
 */
#include "cli/run.h"

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"

#include <inttypes.h>

enum { OPT_MCP = 1, OPT_JSON, OPT_LIMIT, OPT_LANGUAGE, OPT_HELP };

static const struct arg_option options_table[] = {
    {"--mcp", "FILE", OPT_MCP},           {"--json", NULL, OPT_JSON},
    {"--limit", "NAME=VALUE", OPT_LIMIT}, {"--language", "LANGUAGE", OPT_LANGUAGE},
    {"--help", NULL, OPT_HELP},
};

static const char help_head[] =
    "torno run [options] FILE|-    run one script; - reads it from stdin\n"
    "\n"
    "  --mcp FILE          its tools: MCP servers of an mcpServers JSON; repeatable\n"
    "  --json              one JSON object on stdout instead, whatever the ending\n"
    "  --limit NAME=VALUE  repeatable; units ms, s, m, h and B, KiB, MiB, GiB\n"
    "  --language LANGUAGE javascript, which is what there is so far\n"
    "\n"
    "stdout gets what the script writes, as it comes, then its value. stderr gets how\n"
    "it ended. Ctrl-C stops the script; a second one kills it.\n"
    "Exit: 0 finished, 1 failed or oversize, 2 usage or configuration, 3 crashed,\n"
    "4 expired, 130 stopped.\n"
    "\n"
    "Limits and their defaults:\n";

/* A default in the largest unit that it is a whole number of. */
static void put_value(struct buf *out, int64_t value, const char *unit)
{
    static const struct unit {
        const char *of;
        int64_t size;
        const char *name;
    } units[] = {
        {"ms", 3600000, "h"},          {"ms", 1000, "s"},      {"ms", 1, "ms"},
        {"bytes", 1024 * 1024, "MiB"}, {"bytes", 1024, "KiB"}, {"bytes", 1, "B"},
    };

    for (size_t i = 0; value != 0 && i < ARRAY_SIZE(units); i++) {
        if (strcmp(units[i].of, unit) == 0 && value % units[i].size == 0) {
            buf_printf(out, "%" PRId64 "%s", value / units[i].size, units[i].name);
            return;
        }
    }
    buf_printf(out, "%" PRId64, value);
}

static int show_help(void)
{
    static const struct row {
        const char *name;
        const char *unit;
        int64_t value;
    } rows[] = {
#define LIMIT(name, unit, def, min, max, sentence) {#name, unit, def},
#include "host/limits.tbl.h"
#undef LIMIT
    };
    _cleanup_(buf_done) struct buf text = buf_max(65536);
    size_t column = 0;

    buf_put_str(&text, help_head);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t start = text.len;

        buf_printf(&text, "  %s=", rows[i].name);
        put_value(&text, rows[i].value, rows[i].unit);
        while (text.len < start + 26) {
            buf_put_u8(&text, ' ');
        }
        column = column == 2 ? 0 : column + 1;
        if (column == 0 || i + 1 == ARRAY_SIZE(rows)) {
            while (text.data != NULL && text.data[text.len - 1] == ' ') {
                text.len--;
            }
            buf_put_str(&text, "\n");
        }
    }
    return cli_help(buf_str(&text));
}

static int take_limit(struct limits *limits, const char *assignment)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);

    if (limits_parse(limits, assignment, &sentence) < 0) {
        return cli_usage("--limit %s: %s", assignment, buf_str(&sentence));
    }
    return CLI_OK;
}

static int take_file(struct run_options *options, const char *word)
{
    if (options->file != NULL) {
        return cli_usage("one script at a time: %s and %s were given", options->file, word);
    }
    options->file = word;
    return CLI_OK;
}

static int take_mcp(struct run_options *options, const char *file)
{
    if (options->n_mcp == RUN_MAX_MCP) {
        return cli_usage("--mcp may be given at most %d times", RUN_MAX_MCP);
    }
    options->mcp[options->n_mcp++] = file;
    return CLI_OK;
}

static int take(struct run_options *options, int key, const char *value)
{
    switch (key) {
    case ARG_WORD:
        return take_file(options, value);
    case OPT_MCP:
        return take_mcp(options, value);
    case OPT_LIMIT:
        return take_limit(&options->limits, value);
    case OPT_LANGUAGE:
        options->language = value;
        return CLI_OK;
    case OPT_JSON:
        options->is_json = true;
        return CLI_OK;
    default:
        return CLI_USAGE;
    }
}

/* Loads what the command line names, then runs. */
static int load_and_run(const struct run_options *options, uv_loop_t *loop)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    _cleanup_(source_done) struct source source = {0};
    _cleanup_(free_p) char *warden_path = NULL;
    struct run_set set = {.options = options, .source = &source};
    int status;

    if (limits_check(&options->limits, &sentence) < 0 ||
        source_read(options->file, options->language, (size_t)options->limits.max_code, &source,
                    &sentence) < 0 ||
        helper_path(&warden_path, &sentence) < 0 ||
        servers_load(loop, options->mcp, options->n_mcp, &set.servers, &sentence) < 0) {
        return cli_usage("%s", buf_str(&sentence));
    }
    set.warden_path = warden_path;
    status = run_session(loop, &set);
    servers_free(set.servers);
    return status;
}

static int run_on_loop(const struct run_options *options)
{
    uv_loop_t loop;
    int r = uv_loop_init(&loop);
    int status;

    if (r < 0) {
        return cli_usage("the run could not be prepared: %s", strerror(-r));
    }
    status = load_and_run(options, &loop);
    uv_loop_close(&loop);
    return status;
}

int run_main(int argc, char **argv)
{
    struct run_options options = {.limits = limits_default()};
    struct args args = {.command = "run",
                        .options = options_table,
                        .n_options = ARRAY_SIZE(options_table),
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    int key;

    while ((key = args_next(&args)) != ARG_END) {
        if (key == OPT_HELP) {
            return show_help();
        }
        if (take(&options, key, args.value) != CLI_OK) {
            return CLI_USAGE;
        }
    }
    if (options.file == NULL) {
        return cli_usage("the script is missing: torno run [options] FILE, or - for stdin");
    }
    return run_on_loop(&options);
}
