/* SPDX-License-Identifier: MIT
 *
 * What `torno doctor` found, as one JSON object. Every key is always there; man/torno.1 tells
 * them, and a key that was told is not renamed.
 */
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "host/host.h"
#include "json/json.h"

static void put_text(struct buf *out, const char *key, const char *value)
{
    json_put_key(out, key);
    if (value == NULL) {
        buf_put_str(out, "null");
    } else {
        json_put_cstr(out, value);
    }
}

/* "" is null. */
static void put_bytes(struct buf *out, const char *key, struct bytes value)
{
    json_put_key(out, key);
    if (value.len == 0) {
        buf_put_str(out, "null");
    } else {
        json_put_str(out, value);
    }
}

static void put_number(struct buf *out, const char *key, int64_t value)
{
    json_put_key(out, key);
    if (value == FACT_UNKNOWN) {
        buf_put_str(out, "null");
    } else {
        json_put_int(out, value);
    }
}

static void put_flag(struct buf *out, const char *key, bool value)
{
    json_put_key(out, key);
    json_put_bool(out, value);
}

static void open_in(struct buf *out, const char *key, const char *bracket)
{
    json_put_key(out, key);
    buf_put_str(out, bracket);
}

/* A number that the helper wrote; null where it is none. */
static int64_t read_number(struct bytes text)
{
    int64_t n = FACT_UNKNOWN;

    if (json_check(text, 0, 1, 1, NULL, NULL) < 0 || json_int(text, 0, UINT32_MAX, &n) < 0) {
        return FACT_UNKNOWN;
    }
    return n;
}

static void put_helper(struct buf *out, const struct diagnosis *d)
{
    open_in(out, "helper", "{");
    put_text(out, "path", d->helper);
    put_bytes(out, "version", probe_get(&d->probe, "version"));
    put_number(out, "protocol", read_number(probe_get(&d->probe, "protocol")));
    buf_put_str(out, "}");
}

static void put_walls(struct buf *out, const struct diagnosis *d)
{
    open_in(out, "walls", "[");
    for (size_t i = 0; i < doctor_walls_n; i++) {
        if ((d->trial.cell_walls & doctor_walls[i].bit) != 0) {
            json_put_comma(out);
            json_put_cstr(out, doctor_walls[i].name);
        }
    }
    buf_put_str(out, "]");
}

static void put_probes(struct buf *out, const struct diagnosis *d)
{
    open_in(out, "probes", "[");
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct finding *f = &d->findings[i];

        json_put_comma(out);
        buf_put_str(out, "{");
        put_text(out, "name", f->name);
        put_text(out, "verdict", verdict_name(f->verdict));
        put_bytes(out, "result", f->value);
        put_text(out, "cause", f->cause);
        put_text(out, "advice", f->advice);
        buf_put_str(out, "}");
    }
    buf_put_str(out, "]");
}

static void put_attempts(struct buf *out, const struct escapes *escapes)
{
    open_in(out, "attempts", "[");
    for (size_t i = 0; i < escapes->n; i++) {
        const struct escape *e = &escapes->rows[i];

        if (e->is_tried) {
            json_put_comma(out);
            buf_put_str(out, "{");
            put_text(out, "name", e->name);
            put_text(out, "what", e->sentence);
            put_text(out, "wall", e->wall);
            put_text(out, "wants", e->wants);
            put_text(out, "result", e->came_to);
            put_flag(out, "is_stopped", e->is_stopped);
            buf_put_str(out, "}");
        }
    }
    buf_put_str(out, "]");
}

static void put_facts(struct buf *out, const struct facts *f)
{
    struct limits limits = limits_default();

    open_in(out, "facts", "{");
    put_text(out, "kernel", f->kernel);
    put_text(out, "arch", f->arch);
    put_number(out, "user", f->user);
    put_bytes(out, "container", bytes_str(f->container));
    put_bytes(out, "machine", bytes_str(f->machine));
    put_number(out, "seccomp", f->seccomp);
    put_number(out, "no_new_privs", f->no_new_privs);
    put_bytes(out, "capabilities", bytes_str(f->capabilities));
    put_number(out, "max_user_namespaces", f->max_user_namespaces);
    put_number(out, "unprivileged_userns_clone", f->unprivileged_userns_clone);
    put_number(out, "apparmor_restrict_unprivileged_userns", f->apparmor_restrict);
    put_text(out, "cgroup_controllers", f->cgroup);
    put_number(out, "address_space_limit_bytes", f->address_space_bytes);
    put_number(out, "data_limit_bytes", f->data_bytes);
    buf_put_str(out, "}");
    open_in(out, "memory", "{");
    put_number(out, "total_bytes", f->memory_total_bytes);
    put_number(out, "available_bytes", f->memory_available_bytes);
    put_number(out, "cgroup_limit_bytes", f->memory_limit_bytes);
    put_number(out, "script_bytes", limits.memory);
    put_number(out, "host_bytes", limits_host_bytes(&limits, NULL));
    buf_put_str(out, "}");
}

void doctor_put_json(struct buf *out, struct diagnosis *d)
{
    char tier[] = {trial_tier(&d->trial), '\0'};

    buf_put_str(out, "{");
    put_flag(out, "ok", d->is_ok);
    put_text(out, "sentence", buf_str(&d->sentence));
    put_text(out, "version", TORNO_VERSION);
    put_text(out, "engine", TORNO_ENGINE);
    put_number(out, "protocol", WIRE_VERSION);
    put_text(out, "program", d->program);
    put_helper(out, d);
    put_bytes(out, "tier", bytes_str(tier));
    put_text(out, "notice", trial_notice(&d->trial));
    put_walls(out, d);
    put_number(out, "first_call_us", d->trial.first_call_us);
    put_probes(out, d);
    put_attempts(out, &d->escapes);
    put_facts(out, &d->facts);
    buf_put_str(out, "}\n");
}
