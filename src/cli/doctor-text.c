/* SPDX-License-Identifier: MIT
 *
 * What `torno doctor` found, for people: a verdict, a name and a sentence a line; below it, set
 * in, what to change.
 */
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "host/host.h"

#include <inttypes.h>

static void put_row(struct buf *out, enum verdict verdict, const char *name, const char *sentence)
{
    buf_printf(out, "%-5s %-12s %s\n", verdict_name(verdict), name, sentence);
}

static void put_advice(struct buf *out, const char *advice)
{
    if (advice[0] != '\0') {
        buf_printf(out, "      to change:   %s\n", advice);
    }
}

static void put_finding(struct buf *out, const struct finding *f)
{
    if (f->verdict == VERDICT_UNTRIED) {
        return;
    }
    if (f->cause[0] == '\0') {
        put_row(out, f->verdict, f->name, f->sentence);
        return;
    }
    buf_printf(out, "%-5s %-12s %.*s: %s\n", verdict_name(f->verdict), f->name, (int)f->value.len,
               (const char *)f->value.ptr, f->cause);
    put_advice(out, f->advice);
}

static void put_helper(struct buf *out, const struct diagnosis *d)
{
    struct bytes version = probe_get(&d->probe, "version");

    if (d->helper == NULL) {
        put_row(out, VERDICT_BAD, "helper", "torno-warden is missing");
        return;
    }
    if (!doctor_is_helper_strange(d)) {
        put_row(out, VERDICT_OK, "helper", d->helper);
        return;
    }
    buf_printf(out, "%-5s %-12s %s is of version %.*s, torno of %s\n", verdict_name(VERDICT_WEAK),
               "helper", d->helper, version.len == 0 ? 7 : (int)version.len,
               version.len == 0 ? "unknown" : (const char *)version.ptr, TORNO_VERSION);
    put_advice(out, "install torno and its helper together");
}

static void put_machine(struct buf *out, const struct facts *f)
{
    buf_printf(out, "%-5s %-12s Linux %s, %s, user %u%s%s%s%s\n", verdict_name(VERDICT_INFO),
               "machine", f->kernel, f->arch, f->user, f->container[0] == '\0' ? "" : ", in ",
               f->container, f->machine[0] == '\0' ? "" : ", ", f->machine);
}

static int64_t to_mib(int64_t bytes)
{
    return bytes == FACT_UNKNOWN ? bytes : bytes / (1024 * 1024);
}

static void put_resources(struct buf *out, const struct facts *f)
{
    struct limits limits;

    buf_printf(out, "%-5s %-12s %" PRId64 " MiB, of which %" PRId64 " are free",
               verdict_name(VERDICT_INFO), "memory", to_mib(f->memory_total_bytes),
               to_mib(f->memory_available_bytes));
    if (f->memory_limit_bytes != FACT_UNKNOWN) {
        buf_printf(out, "; torno's cgroup may use %" PRId64, to_mib(f->memory_limit_bytes));
    }
    limits = limits_default();
    buf_printf(out,
               "; a script may use %" PRId64
               " unless it is told otherwise, and torno holds at most "
               "%" PRId64 " for one that floods it\n",
               to_mib(limits.memory), to_mib(limits_host_bytes(&limits, NULL)));
    buf_printf(out, "%-5s %-12s %s%s\n", verdict_name(VERDICT_INFO), "cgroup",
               f->cgroup[0] == '\0' ? "no controllers here" : "controllers here: ", f->cgroup);
    if (f->address_space_bytes != FACT_UNKNOWN) {
        put_row(out, VERDICT_BAD, "ulimit -v",
                "under a limit on address space the kernel does not hold a script to its memory");
        put_advice(out, "ulimit -v unlimited");
    }
    if (f->data_bytes != FACT_UNKNOWN) {
        buf_printf(out,
                   "%-5s %-12s %" PRId64 " bytes: scripts may get less memory than they are "
                   "promised\n",
                   verdict_name(VERDICT_WEAK), "ulimit -d", f->data_bytes);
        put_advice(out, "ulimit -d unlimited");
    }
}

static const char *tier_sentence(char tier)
{
    switch (tier) {
    case 'A':
        return "both walls, in namespaces of its own";
    case 'B':
        return "root without namespaces: both walls, an empty folder and a user id per script";
    default:
        return "a user without namespaces: both walls alone";
    }
}

static void put_walls(struct buf *out, struct diagnosis *d)
{
    char tier = trial_tier(&d->trial);
    const char *comma = "";

    if (tier == '\0') {
        return;
    }
    buf_printf(out, "%-5s %-12s tier %c: %s\n",
               verdict_name(tier == 'A' ? VERDICT_OK : VERDICT_WEAK), "tier", tier,
               tier_sentence(tier));
    if (trial_notice(&d->trial)[0] != '\0') {
        put_row(out, VERDICT_WEAK, "notice", trial_notice(&d->trial));
    }
    buf_printf(out, "%-5s %-12s ", verdict_name(VERDICT_OK), "walls");
    for (size_t i = 0; i < doctor_walls_n; i++) {
        if ((d->trial.cell_walls & doctor_walls[i].bit) != 0) {
            buf_printf(out, "%s%s", comma, doctor_walls[i].name);
            comma = ", ";
        }
    }
    buf_put_str(out, "\n");
}

static void put_escapes(struct buf *out, const struct escapes *escapes)
{
    if (escapes->tried > 0 && escapes->stopped == escapes->tried) {
        buf_printf(out, "%-5s %-12s all %zu that were tried inside cells were stopped\n",
                   verdict_name(VERDICT_OK), "escapes", escapes->tried);
    }
    for (size_t i = 0; i < escapes->n; i++) {
        const struct escape *e = &escapes->rows[i];

        if (e->is_tried && !e->is_stopped) {
            buf_printf(out,
                       "%-5s %-12s %s was not stopped by the %s: to %s (wants %s, came to %s)\n",
                       verdict_name(VERDICT_BAD), "escapes", e->name, e->wall, e->sentence,
                       e->wants, e->came_to);
        }
    }
}

static void put_last(struct buf *out, struct diagnosis *d)
{
    if (d->is_ok) {
        buf_printf(out,
                   "\ngreen: a script ran behind these walls, its first tool call after %" PRId64
                   ".%03" PRId64 " ms\n",
                   d->trial.first_call_us / 1000, d->trial.first_call_us % 1000);
    } else {
        buf_printf(out, "\nred: no script can run safely here: %s\n", buf_str(&d->sentence));
    }
}

void doctor_put_text(struct buf *out, struct diagnosis *d)
{
    buf_printf(out, "torno %s, engine %s, protocol %u\n\n", TORNO_VERSION, TORNO_ENGINE,
               WIRE_VERSION);
    put_machine(out, &d->facts);
    put_helper(out, d);
    for (size_t i = 0; i < d->n_findings; i++) {
        put_finding(out, &d->findings[i]);
    }
    put_resources(out, &d->facts);
    put_walls(out, d);
    put_escapes(out, &d->escapes);
    put_last(out, d);
}
