/* SPDX-License-Identifier: MIT
 *
 * `torno doctor`: what works on this machine, and what to change where something does not.
 *
 * The helper's probe finds by trying what the kernel allows; what can be read only words the
 * causes. Neither decides: one real script, run as `torno run` would, and every escape of the
 * table, made inside real cells of the helper that runs scripts, do.
 */
#include "cli/doctor.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "wire/wire.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

enum { OPT_JSON = 1, OPT_HELP, MAX_NAMED = 8, MAX_TEXT = 1 << 20 };

static const struct arg_option options_table[] = {
    {"--json", NULL, OPT_JSON},
    {"--help", NULL, OPT_HELP},
};

static const char help[] =
    "torno doctor [--json]    what works on this machine, and what to change\n"
    "\n"
    "  --json   one JSON object: every finding by name\n"
    "\n"
    "Each line begins with ok, weak (torno runs, with less between a script and the\n"
    "machine), bad or info. The last line says whether a real script ran behind the\n"
    "walls, and whether every escape that was tried inside them was stopped.\n"
    "Exit: 0 both, 1 not, 2 usage.\n";

const struct doctor_wall doctor_walls[] = {
    {WIRE_WALL_SECCOMP, "seccomp"},           {WIRE_WALL_LANDLOCK, "landlock"},
    {WIRE_WALL_NO_NEW_PRIVS, "no_new_privs"}, {WIRE_WALL_LIMITS, "limits"},
    {WIRE_WALL_NO_CAPS, "no_caps"},           {WIRE_WALL_PID_NS, "pid_ns"},
};
const size_t doctor_walls_n = ARRAY_SIZE(doctor_walls);

bool doctor_is_helper_strange(const struct diagnosis *d)
{
    return !bytes_is(probe_get(&d->probe, "version"), TORNO_VERSION);
}

static void diagnosis_done(struct diagnosis *d)
{
    buf_done(&d->sentence);
    mem_free(d->program);
    mem_free(d->helper);
    probe_done(&d->probe);
    trial_done(&d->trial);
    escapes_done(&d->escapes);
}

static char *own_path(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);

    return n <= 0 ? NULL : mem_str(bytes_of(path, (size_t)n));
}

static void name_open_escapes(struct diagnosis *d)
{
    size_t open = d->escapes.tried - d->escapes.stopped;
    size_t told = 0;

    buf_put_str(&d->sentence, "escapes that were not stopped: ");
    for (size_t i = 0; i < d->escapes.n && told < MAX_NAMED; i++) {
        const struct escape *e = &d->escapes.rows[i];

        if (e->is_tried && !e->is_stopped) {
            buf_printf(&d->sentence, "%s%s", told == 0 ? "" : ", ", e->name);
            told++;
        }
    }
    if (open > told) {
        buf_printf(&d->sentence, ", and %zu more", open - told);
    }
}

/* What decides: a script, and then the escapes. */
static void decide(struct diagnosis *d)
{
    trial_run(d->helper, true, &d->trial);
    if (!d->trial.is_ok) {
        buf_put_bytes(&d->sentence, buf_bytes(&d->trial.sentence));
        return;
    }
    escapes_try(d->helper, &d->escapes);
    if (d->escapes.sentence.len > 0) {
        buf_put_str(&d->sentence, "the escapes could not be tried: ");
        buf_put_bytes(&d->sentence, buf_bytes(&d->escapes.sentence));
        return;
    }
    d->is_ok = d->escapes.tried > 0 && d->escapes.stopped == d->escapes.tried;
    if (!d->is_ok) {
        name_open_escapes(d);
    }
}

static void diagnose(struct diagnosis *d)
{
    _cleanup_(buf_done) struct buf why = buf_max(65536);
    int r;

    facts_read(&d->facts);
    d->program = own_path();
    if (helper_path(&d->helper, &d->sentence) < 0) {
        return;
    }
    r = probe_run(d->helper, &d->probe, &why);
    if (r == -ETIMEDOUT) {
        buf_put_bytes(&d->sentence, buf_bytes(&why));
        return; /* the same helper would be asked for cells */
    }
    if (r == 0) {
        d->n_findings = findings_judge(&d->probe, &d->facts, d->findings);
    }
    decide(d);
    if (r < 0 && !d->is_ok) {
        buf_put_str(&d->sentence, "; ");
        buf_put_bytes(&d->sentence, buf_bytes(&why));
    }
}

static int examine(bool is_json)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_TEXT);
    _cleanup_(buf_done) struct buf clean = buf_max(MAX_TEXT);
    _cleanup_(diagnosis_done) struct diagnosis d = {.sentence = buf_max(65536),
                                                    .trial = {.first_call_us = -1}};

    diagnose(&d);
    if (is_json) {
        doctor_put_json(&clean, &d);
    } else {
        doctor_put_text(&text, &d);
        cli_put_clean(&clean, buf_bytes(&text), 0);
    }
    if (fd_write_all(STDOUT_FILENO, buf_bytes(&clean)) < 0) {
        return CLI_FAILED;
    }
    return d.is_ok ? CLI_OK : CLI_FAILED;
}

int doctor_main(int argc, char **argv)
{
    struct args args = {.command = "doctor",
                        .options = options_table,
                        .n_options = ARRAY_SIZE(options_table),
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    bool is_json = false;
    int key;

    while ((key = args_next(&args)) != ARG_END) {
        if (key == OPT_HELP) {
            return cli_help(help);
        }
        if (key == ARG_WORD) {
            return cli_usage("torno doctor takes no words, and was given \"%s\"", args.value);
        }
        if (key == ARG_BAD) {
            return CLI_USAGE;
        }
        is_json = true;
    }
    return examine(is_json);
}
