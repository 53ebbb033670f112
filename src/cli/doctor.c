/* SPDX-License-Identifier: MIT
 *
 * `torno doctor`: what works on this machine, and what to change where something does not.
 * The probe's findings explain; one real script, run as `torno run` would, decides.
 */
#include "base/fd.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/probe.h"
#include "cli/trial.h"
#include "wire/limits.h"
#include "json/json.h"

#include <inttypes.h>
#include <unistd.h>

enum { OPT_JSON = 1, OPT_HELP, MAX_TEXT = 1 << 20 };

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
    "machine) or bad. The last line says whether a real script ran behind the walls.\n"
    "Exit: 0 it ran, 1 it did not, 2 usage.\n";

/* What a finding means: its name in the probe, and what to do where its value is "no". */
struct finding {
    const char *name;
    const char *means;
    bool is_needed;
    const char *advice;
};

static const struct finding findings[] = {
    {"seccomp", "a script's process is killed at any system call but a few", true,
     "needs a kernel with seccomp filters; in a container, a seccomp profile that allows "
     "seccomp(2)"},
    {"landlock", "the kernel closes every file to a script", false,
     "use Linux 5.13 or newer, with landlock in the kernel parameter lsm="},
    {"namespaces", "a script has users, processes and mounts of its own", false,
     "set user.max_user_namespaces above 0 and allow unprivileged user namespaces "
     "(sysctl kernel.unprivileged_userns_clone=1, or "
     "kernel.apparmor_restrict_unprivileged_userns=0)"},
    {"mdwe", "memory that was written can never be run", false, "use Linux 6.3 or newer"},
    {"pidfd", "the end of a process can be waited for", true, "use Linux 5.3 or newer"},
    {"clone3", "a process can be put into namespaces as it starts", false,
     "use Linux 5.3 or newer, or a container whose profile allows clone3"},
    {"clock", "the time is read without a system call", false,
     "see /sys/devices/system/clocksource: tsc or kvm-clock would make scripts faster"},
};

static void put_row(struct buf *out, const char *verdict, const char *name, struct bytes value,
                    const char *sentence)
{
    buf_printf(out, "%-5s %-12s %.*s%s%s\n", verdict, name, (int)value.len, (const char *)value.ptr,
               value.len > 0 && sentence[0] != '\0' ? ": " : "", sentence);
}

static void put_finding(struct buf *out, const struct probe *probe, const struct finding *f)
{
    struct bytes value = probe_get(probe, f->name);
    bool is_no = bytes_is(bytes_first(value, 2), "no");
    bool is_plain = bytes_is(value, "yes") || bytes_is(value, "no");

    if (value.len == 0) {
        return;
    }
    put_row(out,
            !is_no         ? "ok"
            : f->is_needed ? "bad"
                           : "weak",
            f->name, is_plain ? bytes_none() : value, is_no ? f->advice : f->means);
}

/* The escapes that the probe tried, as one row. */
static void put_escapes(struct buf *out, const struct probe *probe)
{
    _cleanup_(buf_done) struct buf open = buf_max(4096);
    size_t tried = 0;

    for (size_t i = 0; i < probe->n; i++) {
        if (bytes_is(bytes_first(probe->names[i], 7), "escape.")) {
            tried++;
            if (!bytes_is(probe->values[i], "stopped")) {
                buf_put_str(&open, open.len == 0 ? "" : ", ");
                buf_put_bytes(&open, bytes_from(probe->names[i], 7));
            }
        }
    }
    if (tried > 0 && open.len == 0) {
        buf_printf(out, "ok    escapes      all %zu that were tried were stopped\n", tried);
    } else if (tried > 0) {
        buf_printf(out, "bad   escapes      not stopped: %s\n", buf_str(&open));
    }
}

static void put_limits(struct buf *out, const struct probe *probe)
{
    struct bytes value = probe_get(probe, "address_space_limit");

    if (value.len > 0 && !bytes_is(value, "none")) {
        put_row(out, "weak", "ulimit -v", value,
                "bytes of address space may be too few for the engine; set it to unlimited");
    }
}

static void put_probe(struct buf *out, const struct probe *probe)
{
    struct bytes kernel = probe_get(probe, "kernel");
    struct bytes notice = probe_get(probe, "notice");

    if (kernel.len > 0) {
        buf_printf(out, "ok    kernel       Linux %.*s\n", (int)kernel.len,
                   (const char *)kernel.ptr);
    }
    for (size_t i = 0; i < ARRAY_SIZE(findings); i++) {
        put_finding(out, probe, &findings[i]);
    }
    put_escapes(out, probe);
    put_limits(out, probe);
    if (notice.len > 0) {
        put_row(out, "weak", "notice", notice, "");
    }
}

static void put_trial(struct buf *out, struct trial *trial)
{
    if (trial->walls.len > 0) {
        buf_printf(out, "%-5s walls        %s\n", trial->is_ok ? "ok" : "bad",
                   buf_str(&trial->walls));
    }
    if (trial->is_ok) {
        buf_printf(out,
                   "\ngreen: a script ran behind these walls, its first tool call after "
                   "%" PRId64 ".%03" PRId64 " ms\n",
                   trial->first_call_us / 1000, trial->first_call_us % 1000);
    } else {
        buf_printf(out, "\nred: no script can run here: %s\n", buf_str(&trial->sentence));
    }
}

static void put_text(struct buf *out, const struct probe *probe, struct trial *trial)
{
    buf_printf(out, "torno %s, engine %s, protocol %u\n\n", TORNO_VERSION, TORNO_ENGINE,
               WIRE_VERSION);
    put_probe(out, probe);
    put_trial(out, trial);
}

static void put_member(struct buf *out, const char *key, struct bytes value)
{
    json_put_key(out, key);
    json_put_str(out, value);
}

static void put_json(struct buf *out, const struct probe *probe, struct trial *trial)
{
    buf_put_str(out, "{");
    put_member(out, "version", bytes_str(TORNO_VERSION));
    put_member(out, "engine", bytes_str(TORNO_ENGINE));
    json_put_key(out, "protocol");
    json_put_int(out, WIRE_VERSION);
    json_put_key(out, "probe");
    buf_put_str(out, "{");
    for (size_t i = 0; i < probe->n; i++) {
        json_put_comma(out);
        json_put_str(out, probe->names[i]);
        buf_put_str(out, ":");
        json_put_str(out, probe->values[i]);
    }
    buf_put_str(out, "}");
    put_member(out, "walls", buf_bytes(&trial->walls));
    json_put_key(out, "is_green");
    json_put_bool(out, trial->is_ok);
    put_member(out, "sentence", buf_bytes(&trial->sentence));
    json_put_key(out, "first_call_us");
    json_put_int(out, trial->first_call_us);
    buf_put_str(out, "}\n");
}

static int examine(bool is_json)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    _cleanup_(buf_done) struct buf text = buf_max(MAX_TEXT);
    _cleanup_(buf_done) struct buf clean = buf_max(MAX_TEXT);
    _cleanup_(free_p) char *warden_path = NULL;
    _cleanup_(probe_done) struct probe probe = {0};
    _cleanup_(trial_done) struct trial trial = {0};

    if (helper_path(&warden_path, &sentence) < 0) {
        cli_say("%s", buf_str(&sentence));
        return CLI_FAILED;
    }
    if (probe_run(warden_path, &probe, &sentence) < 0) {
        cli_say("%s", buf_str(&sentence));
    }
    trial_run(warden_path, true, &trial);
    if (is_json) {
        put_json(&clean, &probe, &trial);
    } else {
        put_text(&text, &probe, &trial);
        cli_put_clean(&clean, buf_bytes(&text), 0);
    }
    if (fd_write_all(STDOUT_FILENO, buf_bytes(&clean)) < 0) {
        return CLI_FAILED;
    }
    return trial.is_ok ? CLI_OK : CLI_FAILED;
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
