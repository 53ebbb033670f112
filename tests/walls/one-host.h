/* SPDX-License-Identifier: MIT
 *
 * A host for the proofs of tests/walls: the real one of src/host, on a loop of its own, that runs
 * a script to its end with one tool, "t". Every function works on the thread that opened it.
 */
#ifndef TESTS_WALLS_ONE_HOST_H
#define TESTS_WALLS_ONE_HOST_H

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/host.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct one {
    uv_loop_t loop;
    struct host *host;
    struct toolset *tools;
    void (*on_call)(void *arg); /* NULL, or what happens before a call is answered */
    void *arg;
    struct run *run;
    bool is_for_attempts; /* set between one_init and one_open */
    bool is_over;
    bool is_closed;
    int exit_status;
    enum ending_kind kind;
    char value[256];
    char message[1024];
};

static inline const char *one_warden(void)
{
    static _Thread_local char path[4096];
    const char *folder = getenv("BIN");

    snprintf(path, sizeof path, "%s/torno-warden", folder != NULL ? folder : "build");
    return path;
}

/* From now on the warden is a copy in a folder that every user may enter; 0 or -1. */
static inline int one_copy_warden(void)
{
    char folder[64];
    char path[96];
    char *bytes = NULL;
    size_t len = 0;
    int r = fd_read_file(one_warden(), 64 * WIRE_MIB, &bytes, &len);
    int fd;

    snprintf(folder, sizeof folder, "/tmp/walls-warden-%d", (int)getpid());
    snprintf(path, sizeof path, "%s/torno-warden", folder);
    if (r != 0 || mkdir(folder, 0755) != 0 || chmod(folder, 0755) != 0) {
        return -1;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    r = fd_write_all(fd, bytes_of(bytes, len));
    mem_free(bytes);
    if (r != 0 || fchmod(fd, 0755) != 0 || close(fd) != 0) {
        return -1;
    }
    return setenv("BIN", folder, 1);
}

/* Takes the copy away; 0 or -1. */
static inline int one_drop_warden(void)
{
    const char *folder = getenv("BIN");

    return folder != NULL && unlink(one_warden()) == 0 ? rmdir(folder) : -1;
}

static inline void one_called(void *arg, struct run *run, struct call *call)
{
    struct one *one = arg;

    (void)run;
    if (one->on_call != NULL) {
        one->on_call(one->arg);
    }
    call_reply(call, bytes_str("{\"content\":[{\"type\":\"text\",\"text\":\"answer\"}]}"));
}

static inline void one_ended(void *arg, struct run *run, const struct ending *ending)
{
    struct one *one = arg;

    (void)run;
    one->kind = ending->kind;
    one->exit_status = ending->exit_status;
    snprintf(one->value, sizeof one->value, "%.*s", (int)ending->value.len,
             (const char *)ending->value.ptr);
    snprintf(one->message, sizeof one->message, "%.*s", (int)ending->error_message.len,
             (const char *)ending->error_message.ptr);
    one->is_over = true;
}

static inline void one_turn_until(struct one *one, const bool *flag)
{
    while (!*flag && uv_run(&one->loop, UV_RUN_ONCE) != 0) {
    }
}

/* The loop, which libuv wants to make while 0, 1 and 2 are open. */
static inline int one_init(struct one *one)
{
    *one = (struct one){.host = NULL};
    return uv_loop_init(&one->loop);
}

/* Opens a host of at most this tier (0: the best) that keeps so many cells ready; 0, or -errno
 * with the sentence in message. */
static inline int one_open(struct one *one, const char *warden, char max_tier, unsigned ready)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(4096);
    struct host_options options = HOST_OPTIONS_DEFAULT;
    struct tool tool = {.name = bytes_str("t"),
                        .description = bytes_none(),
                        .input_schema = bytes_none(),
                        .output_schema = bytes_none()};
    int r = toolset_new(&tool, 1, &one->tools, &sentence);

    options.loop = &one->loop;
    options.warden_path = warden;
    options.max_tier = max_tier;
    options.ready_cells = ready;
    options.is_for_attempts = one->is_for_attempts;
    if (r == 0) {
        r = host_new(&options, &one->host, &sentence);
    }
    snprintf(one->message, sizeof one->message, "%s", buf_str(&sentence));
    return r;
}

/* Starts a script; 0, or -errno with the sentence in message. */
static inline int one_start(struct one *one, const char *code)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(8192);
    struct run_input input = {
        .code = bytes_str(code),
        .language = WIRE_JAVASCRIPT,
        .tools = one->tools,
        .limits = limits_default(),
        .callbacks = {.on_call = one_called, .on_ended = one_ended},
        .arg = one,
    };
    int r = run_start(one->host, &input, &one->run, &sentence);

    one->is_over = false;
    if (r != 0) {
        snprintf(one->message, sizeof one->message, "%s", buf_str(&sentence));
    }
    return r;
}

/* Runs a script to its end: what it was stands in kind, value and message. */
static inline int one_run(struct one *one, const char *code)
{
    int r = one_start(one, code);

    if (r == 0) {
        one_turn_until(one, &one->is_over);
        run_free(one->run);
        one->run = NULL;
    }
    return r;
}

static inline void one_closed(void *arg)
{
    *(bool *)arg = true;
}

static inline void one_close(struct one *one)
{
    if (one->host != NULL) {
        host_close(one->host, one_closed, &one->is_closed);
        one_turn_until(one, &one->is_closed);
        host_free(one->host);
    }
    uv_run(&one->loop, UV_RUN_DEFAULT);
    toolset_free(one->tools);
    uv_loop_close(&one->loop);
}

#endif
