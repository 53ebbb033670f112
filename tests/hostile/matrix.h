/* SPDX-License-Identifier: MIT
 *
 * Lies made from the table of messages: each message, of whichever sender, and each number that
 * is none, in each state of the channel; the cell's own also cut, too long, with a byte behind,
 * twice, a byte at a time, and half of it. Included by tests/hostile-test.c alone.
 *
 * One host lives through all of them: a script's code is what its cell does (hostile/lies.h), and
 * after each lie a well-behaved one must finish. At the end no process, descriptor or memory may
 * be left. A message is covered the day it stands in wire/messages.h; what cannot be known of it
 * (what it means twice) is asked of a row in `exceptions`.
 */
#ifndef HOSTILE_MATRIX_H
#define HOSTILE_MATRIX_H

#include "base/buf.h"
#include "base/mem.h"
#include "host/host.h"
#include "hostile/common.h"

#include <errno.h>
#include <fnmatch.h>
#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MATRIX_MAX = 2048,
    MATRIX_WARM = 40,
    MATRIX_LEAK_BYTES = 256 * 1024,
    MATRIX_TIMEOUT_MS = 120000
};

struct field {
    const char *name;
    uint32_t max;
    bool is_bytes;
};

#define FIELD_U32(name)        {#name, 0, false},
#define FIELD_BYTES(name, max) {#name, (max), true},
#define FIELDS_OF(msg, number, sender, states, fields)                                             \
    static const struct field msg##_fields[] = {fields(FIELD_U32, FIELD_BYTES, FIELD_BYTES)};
WIRE_MESSAGES(FIELDS_OF)

struct shape {
    const char *name;
    uint32_t number;
    enum wire_sender sender;
    uint32_t states;
    const struct field *fields;
    size_t n;
};

#define SHAPE_OF(msg, number, sender, states, fields)                                              \
    {#msg, (number), (sender), (states), msg##_fields, ARRAY_SIZE(msg##_fields)},
static const struct shape shapes[] = {WIRE_MESSAGES(SHAPE_OF)};

struct lie {
    char *name;
    char *code;
    char *expect;
    bool is_short; /* its lifetime is */
};

static struct matrix {
    struct lie lies[MATRIX_MAX];
    size_t n;
    size_t at;
    bool is_after; /* the script after the lie runs */
    uv_loop_t loop;
    uv_timer_t timeout;
    uv_timer_t look;
    struct host *host;
    struct toolset *tools;
    size_t warm_bytes;
    size_t ready;
    size_t died;
    size_t early; /* cells of which this many deaths are waited for, before the first script */
    size_t n_bad;
    bool is_closed;
    struct buf text; /* for the stand-in */
    struct buf fault;
} mx = {.text = {.max = 4 * 1024 * 1024}, .fault = {.max = 4 * 1024 * 1024}};

/* ---- the lies ---- */

/* What a sound message means where no rule of the table tells: a second time, and alone. */
static const struct exception {
    const char *name;
    const char *twice;
    const char *alone;
} exceptions[] = {
    {"call", "crashed/protocol: *used a call's id again*", "finished: 7"},
    {"seen", "crashed/protocol: *a call that is not out*",
     "crashed/protocol: *a call that is not out*"},
    {"output", "finished: 7", "finished: 7"},
    {"ending", "crashed/protocol: *\"ending\" after it had said*", "finished: {}"},
    {"sleep", "finished: 7", "finished: 7"},
    {"wake", "finished: 7", "finished: 7"}, /* nobody takes it, so that its id is free again */
};

static const struct exception *exception_of(const char *name)
{
    static const struct exception any = {"", "*", "*"};

    for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++) {
        if (strcmp(exceptions[i].name, name) == 0) {
            return &exceptions[i];
        }
    }
    return &any;
}

static void add_lie(const char *name, const char *what, size_t k, const char *code,
                    const char *expect, bool is_short)
{
    _cleanup_(buf_done) struct buf full = buf_max(1024);

    buf_printf(&full, "matrix-%s-%s-%zu", name, what, k);
    if (mx.n < MATRIX_MAX) {
        mx.lies[mx.n] = (struct lie){.name = mem_str(buf_bytes(&full)),
                                     .code = mem_str(bytes_str(code)),
                                     .expect = mem_str(bytes_str(expect)),
                                     .is_short = is_short};
        mx.n++;
    }
}

static struct bytes sample_of(const struct field *f)
{
    bool is_array = strcmp(f->name, "frames") == 0 || strcmp(f->name, "notes") == 0;

    return bytes_str(is_array ? "[]" : "{}");
}

/* The first n fields of a sound message. */
static void put_fields(struct buf *out, const struct shape *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s->fields[i].is_bytes) {
            buf_put_u32(out, (uint32_t)sample_of(&s->fields[i]).len);
            buf_put_bytes(out, sample_of(&s->fields[i]));
        } else {
            buf_put_u32(out, 1);
        }
    }
}

static void put_hex_bytes(struct buf *out, struct bytes a)
{
    for (size_t i = 0; i < a.len; i++) {
        buf_printf(out, " %02x", a.ptr[i]);
    }
}

/* A line that sends a frame of this type with the body's first len bytes, and so many zeros. */
static void put_line(struct buf *out, uint32_t type, struct bytes body, size_t zeros)
{
    buf_printf(out, "filled %u %zu", type, zeros);
    put_hex_bytes(out, body);
    buf_put_str(out, "\n");
}

/* Cut before, inside and behind the length of each field, and a byte more than there should be. */
static void add_cuts(const struct shape *s)
{
    _cleanup_(buf_done) struct buf expect = buf_max(1024);
    _cleanup_(buf_done) struct buf whole = buf_max(1024);

    buf_printf(&expect, "crashed/protocol: *its \"%s\" did not decode", s->name);
    put_fields(&whole, s, s->n);
    for (size_t len = 0; len <= whole.len + 1; len++) {
        _cleanup_(buf_done) struct buf code = buf_max(4096);

        if (len == whole.len) {
            continue;
        }
        put_line(&code, s->number, bytes_first(buf_bytes(&whole), len), len > whole.len ? 1 : 0);
        buf_put_str(&code, "hang\n");
        add_lie(s->name, "cut", len, buf_str(&code), buf_str(&expect), false);
    }
}

/* Each field of bytes one past its maximum, with its bytes and without; and the frame itself. */
static void add_long(const struct shape *s)
{
    _cleanup_(buf_done) struct buf expect = buf_max(1024);
    _cleanup_(buf_done) struct buf raw = buf_max(1024);

    buf_printf(&expect, "crashed/protocol: *its \"%s\" held a field past its cap", s->name);
    for (size_t i = 0; i < s->n; i++) {
        for (size_t zeros = 0; s->fields[i].is_bytes && zeros < 2; zeros++) {
            _cleanup_(buf_done) struct buf body = buf_max(1024);
            _cleanup_(buf_done) struct buf code = buf_max(4096);

            put_fields(&body, s, i);
            buf_put_u32(&body, zeros == 0 ? UINT32_MAX : s->fields[i].max + 1);
            put_line(&code, s->number, buf_bytes(&body),
                     zeros == 0 ? 0 : (size_t)s->fields[i].max + 1);
            buf_put_str(&code, "hang\n");
            add_lie(s->name, zeros == 0 ? "said-long" : "long", i, buf_str(&code), buf_str(&expect),
                    false);
        }
    }
    buf_printf(&raw, "raw 02 00 90 01 %02x\nhang\n", s->number);
    add_lie(s->name, "long-frame", 0, buf_str(&raw), "crashed/protocol: *longer than max_frame*",
            false);
}

/* A sound one that goes out so, then what comes after it. */
static void add_sound(const struct shape *s, const char *what, const char *before, unsigned times,
                      const char *after, const char *expect)
{
    _cleanup_(buf_done) struct buf body = buf_max(1024);
    _cleanup_(buf_done) struct buf code = buf_max(8192);

    put_fields(&body, s, s->n);
    buf_put_str(&code, before);
    for (unsigned i = 0; i < times; i++) {
        put_line(&code, s->number, buf_bytes(&body), 0);
    }
    buf_put_str(&code, after);
    add_lie(s->name, what, 0, buf_str(&code), expect, false);
}

/* The first half of a sound one, and then nothing, or the end. */
static void add_half(const struct shape *s)
{
    _cleanup_(buf_done) struct buf body = buf_max(1024);
    _cleanup_(buf_done) struct buf code = buf_max(4096);

    put_fields(&body, s, s->n);
    buf_printf(&code, "raw %02zx 00 00 00 %02x", body.len + 1, s->number);
    put_hex_bytes(&code, bytes_first(buf_bytes(&body), body.len / 2));
    buf_put_str(&code, "\nhang\n");
    add_lie(s->name, "half-and-silence", 0, buf_str(&code), "expired/lifetime: *was killed*", true);
    code.len -= strlen("hang\n");
    buf_put_str(&code, "exit 5\n");
    add_lie(s->name, "half-and-exit", 0, buf_str(&code), "crashed/exit: *status 5*", false);
}

static void add_of_cell(const struct shape *s)
{
    const struct exception *x = exception_of(s->name);
    bool is_ending = s->number == WIRE_MSG_ending;
    const char *later = "sleep 10\nending 1 7\n"; /* a call of a cell that is gone is not judged */

    add_cuts(s);
    add_long(s);
    add_half(s);
    add_sound(s, "slow", "slow\n", 1, is_ending ? "" : later, x->alone);
    add_sound(s, "twice", "", 2, is_ending ? "hang\n" : later, x->twice);
    add_sound(s, "flood", "", 64, is_ending ? "hang\n" : later, x->twice);
    add_sound(s, "after-the-ending", "ending 1 7\n", 1, "hang\n",
              "crashed/protocol: *after it had said how the script ended");
}

/* A number in the running and in the ended state: of another sender, or of nobody. */
static void add_foreign(uint32_t type, const struct shape *s)
{
    _cleanup_(buf_done) struct buf body = buf_max(4096);
    _cleanup_(buf_done) struct buf expect = buf_max(1024);

    if (s != NULL) {
        put_fields(&body, s, s->n);
        buf_printf(&expect, "crashed/protocol: *sent \"%s\", which is not its to send now",
                   s->name);
    } else {
        buf_printf(&expect, "crashed/protocol: *of unknown type %u", type);
    }
    for (int is_ended = 0; is_ended < 2; is_ended++) {
        _cleanup_(buf_done) struct buf code = buf_max(8192);

        buf_put_str(&code, is_ended == 0 ? "" : "ending 1 7\n");
        put_line(&code, type, buf_bytes(&body), 0);
        buf_put_str(&code, "hang\n");
        add_lie(s == NULL ? "unknown" : s->name, is_ended == 0 ? "foreign" : "foreign-ended", type,
                buf_str(&code),
                is_ended == 0 ? buf_str(&expect)
                              : "crashed/protocol: *after it had said how the script ended",
                false);
    }
}

static const struct shape *shape_of(uint32_t type)
{
    for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
        if (shapes[i].number == type) {
            return &shapes[i];
        }
    }
    return NULL;
}

static void add_all(void)
{
    for (uint32_t type = 0; type < 256; type++) {
        const struct shape *s = shape_of(type);

        if (s != NULL && s->sender == WIRE_CELL && (s->states & WIRE_ST_RUNNING) != 0) {
            add_of_cell(s);
        } else {
            add_foreign(type, s);
        }
    }
}

/* Every number but hello's where it is to be said, from a cell that has no script yet: a line each.
 * Such a cell is killed, and the script that waits never hears of it. */
static void add_early(bool has_hello)
{
    buf_printf(&mx.text, "# a line a cell\n%sa line a cell\ncell\n",
               has_hello ? "hello first\n" : "");
    for (uint32_t type = 0; type < 256; type++) {
        _cleanup_(buf_done) struct buf body = buf_max(4096);
        const struct shape *s = shape_of(type);

        if (s != NULL) {
            put_fields(&body, s, s->n);
        }
        if (type != WIRE_MSG_hello || has_hello) {
            put_line(&mx.text, type, buf_bytes(&body), 0);
            mx.early++;
        }
    }
    add_lie("early", has_hello ? "ready" : "new", 0, "0", "finished: \"fine\"", false);
}

static void make_running(void)
{
    buf_put_str(&mx.text, "# its script tells each cell what to do\nas told\n");
    add_all();
}

static void make_new(void)
{
    add_early(false);
}

static void make_ready(void)
{
    add_early(true);
}

/* A few in a row, and the script that waits is told. */
static void make_hello(void)
{
    static const uint8_t hello[9] = {1, 0, 0, 0, 63};

    buf_put_str(&mx.text, "# a hello that is none\na line a cell\ncell\n");
    put_line(&mx.text, WIRE_MSG_hello, bytes_of(hello, 0), 0);
    put_line(&mx.text, WIRE_MSG_hello, bytes_of(hello, 7), 0);
    put_line(&mx.text, WIRE_MSG_hello, bytes_of(hello, 9), 0);
    add_lie("early", "hello", 0, "0", "crashed/wall: *did not report the walls*", false);
}

static const struct matrix_part {
    const char *name;
    void (*make)(void);
    bool waits; /* until its early cells are dead, before a script starts */
    unsigned ready_cells;
} matrix_parts[] = {
    {"matrix-running", make_running, false, 0},
    {"matrix-new", make_new, false, 0},
    {"matrix-ready", make_ready, true, 1},
    {"matrix-hello", make_hello, false, 0},
};

/* ---- the host that lives through them ---- */

static size_t matrix_bytes(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

static void matrix_on_closed(void *arg)
{
    (void)arg;
    mx.is_closed = true;
}

static void matrix_finish(void)
{
    if (!uv_is_closing((uv_handle_t *)&mx.timeout)) {
        uv_close((uv_handle_t *)&mx.timeout, NULL);
        uv_close((uv_handle_t *)&mx.look, NULL);
        host_close(mx.host, matrix_on_closed, NULL);
    }
}

static void matrix_on_timeout(uv_timer_t *timer)
{
    (void)timer;
    buf_printf(&mx.fault, "    no end of %s\n", mx.at < mx.n ? mx.lies[mx.at].name : "it");
    matrix_finish();
}

static void matrix_on_call(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    call_reply(call, bytes_str("{\"content\":[]}"));
}

static void matrix_on_cancel(void *arg, struct run *run, struct call *call)
{
    (void)arg;
    (void)run;
    (void)call;
}

static void matrix_next(void);

static void matrix_on_ended(void *arg, struct run *run, const struct ending *e)
{
    _cleanup_(buf_done) struct buf have = buf_max(1024 * 1024);
    const struct lie *lie = &mx.lies[mx.at];

    (void)arg;
    put_ending(&have, e);
    if (fnmatch(mx.is_after ? "finished: \"fine\"" : lie->expect, buf_str(&have), 0) != 0) {
        buf_printf(&mx.fault, "    %s%s ended %s\n    wanted %s\n", mx.is_after ? "after " : "",
                   lie->name, buf_str(&have), mx.is_after ? "fine" : lie->expect);
        mx.n_bad++;
    }
    run_free(run);
    mx.at += mx.is_after ? 1 : 0;
    mx.is_after = !mx.is_after;
    if (mx.at == MATRIX_WARM) {
        mx.warm_bytes = matrix_bytes();
    }
    matrix_next();
}

static void matrix_next(void)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    struct run_input input = {
        .code = bytes_str("0"),
        .language = WIRE_JAVASCRIPT,
        .tools = mx.tools,
        .limits = limits_default(),
        .callbacks = {.on_call = matrix_on_call,
                      .on_cancel = matrix_on_cancel,
                      .on_ended = matrix_on_ended},
    };
    struct run *run;

    if (mx.at >= mx.n) {
        if (mx.n > MATRIX_WARM && matrix_bytes() > mx.warm_bytes + MATRIX_LEAK_BYTES) {
            buf_printf(&mx.fault, "    %zu bytes are held, %zu after the first lies\n",
                       matrix_bytes(), mx.warm_bytes);
        }
        matrix_finish();
        return;
    }
    if (!mx.is_after) {
        input.code = bytes_str(mx.lies[mx.at].code);
        input.limits.lifetime = mx.lies[mx.at].is_short ? 30 : input.limits.lifetime;
        input.limits.stop_grace = mx.lies[mx.at].is_short ? 0 : input.limits.stop_grace;
    }
    if (run_start(mx.host, &input, &run, &sentence) < 0) {
        buf_printf(&mx.fault, "    not started: %s\n", buf_str(&sentence));
        matrix_finish();
    }
}

static void matrix_on_event(void *arg, const struct event *event)
{
    (void)arg;
    mx.ready += event->type == EVENT_CELL_READY;
    mx.died += event->type == EVENT_CELL_DIED;
    if (event->type != EVENT_CELL_DIED || event->run != 0 || event->cell > mx.early) {
        return;
    }
    if (event->number != SIGKILL || event->text.len > 0) {
        buf_printf(&mx.fault, "    cell %u was not killed: status %d\n", event->cell,
                   (int)event->number);
    }
}

static void matrix_on_look(uv_timer_t *timer)
{
    if (mx.died >= mx.early) {
        uv_timer_stop(timer);
        matrix_next();
    }
}

/* Of the pages that host and cell share, how many are still mapped. */
static size_t count_pages(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    size_t n = 0;

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        n += strstr(line, "torno-page") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

static void matrix_check_end(void)
{
    if (count_pages() != 0) {
        buf_printf(&mx.fault, "    %zu shared pages were left\n", count_pages());
    }
    if (!mx.is_closed || mx.ready > mx.died || mx.died < mx.early) {
        buf_printf(&mx.fault, "    closed %d, %zu cells were ready, %zu are dead\n", mx.is_closed,
                   mx.ready, mx.died);
    }
    if (uv_loop_close(&mx.loop) != 0) {
        buf_put_str(&mx.fault, "    handles were left on the loop\n");
    }
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) {
        buf_put_str(&mx.fault, "    a process was left\n");
    }
}

/* Plays what was made against one host, with this program in the warden's place. */
static void matrix_play(const char *warden, const struct matrix_part *part)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    struct host_options options = HOST_OPTIONS_DEFAULT;
    struct tool tool = {.name = bytes_str("{}"), /* what every field of bytes is in a sample */
                        .description = bytes_none(),
                        .input_schema = bytes_none(),
                        .output_schema = bytes_none()};

    uv_loop_init(&mx.loop);
    uv_timer_init(&mx.loop, &mx.timeout);
    uv_timer_init(&mx.loop, &mx.look);
    uv_timer_start(&mx.timeout, matrix_on_timeout, MATRIX_TIMEOUT_MS, 0);
    options.loop = &mx.loop;
    options.warden_path = warden;
    options.ready_cells = part->ready_cells;
    options.memory /=
        2; /* not the scripts': none is made ahead for them, whose memory would vary */
    options.on_event = matrix_on_event;
    if (toolset_new(&tool, 1, &mx.tools, &sentence) < 0 ||
        host_new(&options, &mx.host, &sentence) < 0) {
        buf_printf(&mx.fault, "    no host: %s\n", buf_str(&sentence));
        return;
    }
    if (part->waits) {
        uv_timer_start(&mx.look, matrix_on_look, 1, 5);
    } else {
        matrix_next();
    }
    uv_run(&mx.loop, UV_RUN_DEFAULT);
    host_free(mx.host);
    toolset_free(mx.tools);
    matrix_check_end();
}

static void matrix_drop(void)
{
    for (size_t i = 0; i < mx.n; i++) {
        mem_free(mx.lies[i].name);
        mem_free(mx.lies[i].code);
        mem_free(mx.lies[i].expect);
    }
    buf_done(&mx.fault);
    buf_done(&mx.text);
    mx = (struct matrix){.text = buf_max(4 * 1024 * 1024), .fault = buf_max(4 * 1024 * 1024)};
}

#endif
