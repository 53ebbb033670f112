/* SPDX-License-Identifier: MIT
 *
 * The start of a run: what is refused, and what is made before a cell takes it.
 *
 * The start frame is encoded here, once; the catalogue of tools is not copied but written from
 * the toolset. Nothing is left behind by a refusal.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "host/link.h"
#include "host/pool.h"
#include "host/runs.h"
#include "host/toolset.h"
#include "host/utf8.h"

#include <errno.h>
#include <inttypes.h>

static int open_timer(struct run *run)
{
    run->timer = mem_new(sizeof *run->timer);
    if (run->timer == NULL) {
        return -ENOMEM;
    }
    uv_timer_init(run->host->loop, run->timer);
    run->timer->data = run;
    host_opened(run->host);
    return 0;
}

static int check_code(const struct run_input *input, struct buf *ret_sentence)
{
    if (input->language != WIRE_JAVASCRIPT) {
        buf_put_str(ret_sentence, "this build runs JavaScript only");
        return -EINVAL;
    }
    if (input->code.len > (size_t)input->limits.max_code) {
        buf_printf(ret_sentence, "the code is %zu bytes, more than max_code (%" PRId64 ")",
                   input->code.len, input->limits.max_code);
        return -EMSGSIZE;
    }
    if (utf8_fault(input->code) != input->code.len) {
        buf_printf(ret_sentence, "the code is not UTF-8 text (byte %zu)", utf8_fault(input->code));
        return -EINVAL;
    }
    return 0;
}

static int check_place(const struct host *host, struct buf *ret_sentence)
{
    unsigned n = 0;

    if (host->is_closing) {
        buf_put_str(ret_sentence, "the host is closing");
        return -EHOSTDOWN;
    }
    if (host->is_lost) {
        buf_put_str(ret_sentence, host_error(host));
        return -EHOSTDOWN;
    }
    for (const struct run *r = host->runs; r != NULL; r = r->next) {
        n++;
    }
    if (n >= host->options.max_cells) {
        buf_printf(ret_sentence, "all %u places of the host are taken by scripts that run",
                   host->options.max_cells);
        return -EBUSY;
    }
    return 0;
}

static int check_input(const struct host *host, const struct run_input *input,
                       struct buf *ret_sentence)
{
    int r = limits_check(&input->limits, ret_sentence);

    if (r == 0) {
        r = check_code(input, ret_sentence);
    }
    return r < 0 ? r : check_place(host, ret_sentence);
}

static int encode_start(struct run *run, struct bytes code)
{
    _cleanup_(buf_done) struct buf head =
        buf_max((size_t)WIRE_MAX_CODE + WIRE_MAX_NAMES + WIRE_MAX_PACKET);
    const struct toolset *set = run->tools;
    struct wire_start m = {
        .memory_bytes = (uint32_t)run->limits.memory,
        .max_calls_out = (uint32_t)run->limits.max_calls_out,
        .max_args_bytes = (uint32_t)run->limits.max_args_bytes,
        .max_args_values = (uint32_t)run->limits.max_args_values,
        .max_result_depth = (uint32_t)run->limits.max_result_depth,
        .max_wakes = (uint32_t)run->limits.max_wakes,
        .flags = run->limits.timers != 0 ? WIRE_START_TIMERS : 0,
        .code = code,
        .names = set == NULL ? bytes_str("[]") : buf_bytes(&set->names),
        .catalogue = set == NULL ? bytes_str("[]") : buf_bytes(&set->catalogue),
    };

    wire_head_start(&head, &m);
    if (buf_fault(&head) < 0) {
        return buf_fault(&head);
    }
    run->start = link_frame(buf_bytes(&head), m.catalogue, FRAME_OTHER);
    return run->start == NULL ? -ENOMEM : 0;
}

static int fill_run(struct run *run, const struct run_input *input)
{
    uint32_t max_calls = (uint32_t)input->limits.max_calls_out;
    int r;

    output_init(&run->output, (uint64_t)input->limits.output_head,
                (uint64_t)input->limits.output_tail);
    r = ledger_init(&run->ledger, max_calls, max_calls, input->limits.call_timeout);
    if (r == 0) {
        r = record_init(&run->record, input->tools);
    }
    if (r == 0) {
        run->calls = mem_array(run->ledger.n_slots, sizeof(struct call *));
        r = run->calls == NULL ? -ENOMEM : encode_start(run, input->code);
    }
    return r < 0 ? r : open_timer(run);
}

static struct run *new_run(struct host *host, const struct run_input *input)
{
    struct run *run = mem_new(sizeof *run);

    if (run == NULL) {
        return NULL;
    }
    run->host = host;
    run->tools = input->tools;
    run->limits = input->limits;
    run->callbacks = input->callbacks;
    run->arg = input->arg;
    run->armed_ms = INT64_MAX;
    run->kill_at_ms = INT64_MAX;
    run->tick_at_ms = INT64_MAX;
    run->next_cpu_ms = INT64_MAX;
    run->started_us = clock_now_us();
    run->first_call_us = -1;
    run->breach = buf_max((size_t)4 * WIRE_MAX_SENTENCE);
    run->early = buf_max((size_t)4 * WIRE_MAX_SENTENCE);
    run->message = buf_max((size_t)4 * WIRE_MAX_ERROR_MESSAGE);
    run->died_sentence = buf_max(WIRE_MAX_SENTENCE);
    run->early_reason = "";
    if (fill_run(run, input) < 0) {
        run_free(run);
        return NULL;
    }
    return run;
}

int run_start(struct host *host, const struct run_input *input, struct run **ret,
              struct buf *ret_sentence)
{
    struct run *run;
    int r = check_input(host, input, ret_sentence);

    if (r < 0) {
        return r;
    }
    run = new_run(host, input);
    if (run == NULL) {
        buf_put_str(ret_sentence, "there is no memory for another script");
        return -ENOMEM;
    }
    run->id = ++host->next_run;
    *host->runs_end = run;
    host->runs_end = &run->next;
    host->was_used = true;
    pool_balance(host);
    run_arm(run);
    host_wake(host);
    *ret = run;
    return 0;
}
