/* SPDX-License-Identifier: MIT
 *
 * For engine-test.c: scripts played without walls or sockets. Each runs in a forked child, as a
 * cell is forked from its zygote. What it does is written down as a transcript:
 *
 *   > 1 echo {"a":1}        a call; it is answered by the tool's name, see answer_of()
 *   ~ text                  output
 *   ? too large             an answer that the script did not get whole
 *   = value                 finished; or "! kind name: message", frames and notes after it
 */
#ifndef TESTS_UNIT_ENGINE_PLAY_H
#define TESTS_UNIT_ENGINE_PLAY_H

#include "cell/engine.h"

#include "base/clock.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRANSCRIPT_BYTES = 1 << 20, MAX_QUEUE = 20000, PAYLOAD_BYTES = 1 << 16 };

struct shared {
    struct wire_page page;
    long faults_to_call;
    int64_t ended_us;
    size_t len;
    char text[TRANSCRIPT_BYTES];
};

struct pending {
    uint32_t id;
    char name[64];
    char args[512];
};

static struct shared *shared;
static struct pending *queue; /* in the child */
static size_t n_queued;
static size_t n_answered;
static long faults_before;
static uint32_t sleep_ms = WIRE_SLEEP_NONE;
static bool is_quiet; /* calls are not written down */
static uint32_t memory_mib = 128;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    va_list list;
    size_t room = TRANSCRIPT_BYTES - shared->len;
    int len;

    va_start(list, format);
    len = vsnprintf(shared->text + shared->len, room, format, list);
    va_end(list);
    if (len > 0) {
        shared->len += (size_t)len < room ? (size_t)len : room - 1;
    }
}

static long count_faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static void on_call(void *arg, uint32_t id, struct bytes name, struct bytes args)
{
    struct pending *p = &queue[n_queued++ % MAX_QUEUE];

    (void)arg;
    if (id == 1) {
        shared->faults_to_call = count_faults() - faults_before;
    }
    p->id = id;
    snprintf(p->name, sizeof(p->name), "%.*s", (int)name.len, (const char *)name.ptr);
    snprintf(p->args, sizeof(p->args), "%.*s", (int)args.len, (const char *)args.ptr);
    if (!is_quiet) {
        note("> %u %s %.80s\n", id, p->name, p->args);
    }
}

static void on_output(void *arg, struct bytes text)
{
    (void)arg;
    note("~ %.*s", (int)(text.len < 2000 ? text.len : 2000), (const char *)text.ptr);
    if (bytes_is(text, "stop!\n")) {
        atomic_store(&shared->page.stop, 1); /* as the host does, that has just read this */
    }
}

static void on_pulse(void *arg)
{
    (void)arg;
}

static void on_sleep(void *arg, uint32_t ms)
{
    (void)arg;
    sleep_ms = ms;
}

/* What a tool of this name answers; NULL for one that never does. */
static const char *answer_of(const struct pending *p, enum wire_result_kind *ret_kind)
{
    static char text[PAYLOAD_BYTES];

    *ret_kind = WIRE_RES_ANSWER;
    if (strcmp(p->name, "refuse") == 0) {
        *ret_kind = WIRE_RES_REFUSED;
        return "not allowed";
    }
    if (strcmp(p->name, "lose") == 0) {
        *ret_kind = WIRE_RES_FAILED;
        return "the server died";
    }
    if (strcmp(p->name, "late") == 0) {
        *ret_kind = WIRE_RES_TIMED_OUT;
        return "no answer in 300 s";
    }
    if (strcmp(p->name, "unsent") == 0) {
        *ret_kind = WIRE_RES_NEVER_SENT;
        return "never sent";
    }
    if (strcmp(p->name, "large") == 0) {
        *ret_kind = WIRE_RES_TOO_LARGE;
        return "past a third";
    }
    if (strcmp(p->name, "broken") == 0) {
        return "{\"content\":[";
    }
    if (strcmp(p->name, "deep") == 0) {
        memset(text, '[', 2001);
        memset(text + 2001, ']', 2001);
        text[4002] = 0;
        return text;
    }
    if (strcmp(p->name, "bare") == 0) {
        return p->args;
    }
    if (strcmp(p->name, "fail") == 0) {
        return "{\"content\":[{\"type\":\"text\",\"text\":\"bad\"}],\"isError\":true}";
    }
    if (strcmp(p->name, "add") == 0) {
        memset(text, ' ', PAYLOAD_BYTES - 1);
        memcpy(text + PAYLOAD_BYTES - 3, "[]", 3);
        return text;
    }
    if (strcmp(p->name, "never") == 0) {
        return NULL;
    }
    snprintf(text, sizeof(text),
             "{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}],\"structuredContent\":%s}",
             p->args);
    return text;
}

static enum engine_state answer_next(enum engine_state state)
{
    struct pending *p = &queue[n_answered++ % MAX_QUEUE];
    enum wire_result_kind kind;
    enum wire_seen_how how = WIRE_SEEN_WHOLE;
    const char *text = answer_of(p, &kind);
    uint8_t *room;

    if (text == NULL) {
        return state;
    }
    room = engine_take(strlen(text));
    if (room == NULL) {
        return engine_answer_no_room(p->id, kind, strlen(text), &how);
    }
    memcpy(room, text, strlen(text));
    state = engine_answer(p->id, kind, bytes_of(room, strlen(text)), &how);
    if (how != WIRE_SEEN_WHOLE) {
        note("? too large\n");
    }
    return state;
}

static void write_ending(enum engine_state state)
{
    static const char *const kinds[] = {"none",    "finished", "failed", "stalled",
                                        "stopped", "oversize", "trapped"};
    const struct wire_ending *e = engine_ending();

    if (state != ENGINE_ENDED) {
        note("waiting");
    } else if (e->kind == WIRE_END_FINISHED) {
        note("= %.*s", (int)e->value.len, (const char *)e->value.ptr);
    } else {
        note("! %s %.*s: %.*s", kinds[e->kind], (int)e->name.len, (const char *)e->name.ptr,
             (int)e->message.len, (const char *)e->message.ptr);
    }
    if (e->frames.len > 0) {
        note("\nframes %.*s", (int)e->frames.len, (const char *)e->frames.ptr);
    }
    if (e->notes.len > 0) {
        note("\nnotes %.*s", (int)e->notes.len, (const char *)e->notes.ptr);
    }
}

/* The child: a whole run, the answers in the order of the calls. */
static void run_script(struct bytes code)
{
    const struct engine_hooks hooks = {.call = on_call,
                                       .output = on_output,
                                       .sleep = on_sleep,
                                       .pulse = on_pulse,
                                       .page = &shared->page};
    const struct wire_start start = {
        .memory_bytes = memory_mib << 20,
        .max_calls_out = 16,
        .max_args_bytes = 4 << 20,
        .max_args_values = 100000,
        .max_result_depth = 2000,
        .flags = WIRE_START_TIMERS,
        .code = code,
        .names = bytes_str("[\"echo\",\"add\",\"refuse\",\"lose\",\"late\",\"unsent\",\"large\","
                           "\"broken\",\"deep\",\"bare\",\"fail\",\"never\",\"fs.read_file\","
                           "\"fs.write_file\",\"mem.create-it\"]"),
        .catalogue = bytes_str("[{\"name\":\"echo\",\"description\":\"says it again\","
                               "\"inputSchema\":{\"type\":\"object\"}}]"),
    };
    enum engine_state state;

    queue = calloc(MAX_QUEUE, sizeof(*queue));
    if (queue == NULL || engine_ready(&shared->page) < 0) {
        _exit(9);
    }
    faults_before = count_faults();
    state = engine_start(&hooks, &start);
    while (state == ENGINE_WAITING && (n_answered < n_queued || sleep_ms != WIRE_SLEEP_NONE)) {
        if (n_answered < n_queued) {
            state = answer_next(state);
        } else {
            usleep(sleep_ms * 500); /* early: what is not due is asked for again */
            sleep_ms = WIRE_SLEEP_NONE;
            state = engine_tick();
        }
        if (atomic_load(&shared->page.stop) != 0 && state == ENGINE_WAITING) {
            state = engine_stop();
        }
    }
    shared->ended_us = clock_now_us();
    write_ending(state);
    _exit(0);
}

static int play_bytes(struct bytes code, int stop_after_ms)
{
    int status = 0;
    pid_t child;

    memset(shared, 0, sizeof(*shared));
    child = fork();
    if (child == 0) {
        alarm(60);
        run_script(code);
    }
    if (stop_after_ms > 0) {
        usleep((useconds_t)stop_after_ms * 1000);
        shared->ended_us = 0;
        atomic_store(&shared->page.stop, 1);
    }
    waitpid(child, &status, 0);
    return status;
}

/* The transcript of a script. */
static const char *play(const char *code)
{
    int status = play_bytes(bytes_str(code), 0);

    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        snprintf(shared->text, sizeof(shared->text), "child ended with status %d", status);
    }
    return shared->text;
}

__attribute__((unused)) static const char *play_in(uint32_t mib, const char *code)
{
    const char *text;

    memory_mib = mib;
    text = play(code);
    memory_mib = 128;
    return text;
}

/* For main(): the page that children write to, and the engine. 0 or -1. */
static int play_init(void)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED || engine_init() < 0 ? -1 : 0;
}

#endif
