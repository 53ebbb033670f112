/* SPDX-License-Identifier: MIT
 *
 * bytecode SOURCE OUT: compiles JavaScript by the engine itself and writes its bytecode.
 *
 * Runs at build time, natively, linked with the engine's object and the binding's lower half
 * (src/cell/engine-{rt,js,memory,wasi}.c). What it writes is read by the same engine alone.
 * The source's text is left out, and so are lines and columns: no stack shows our frames, and
 * Function.prototype.toString says "[native code]". An error in the source is said with its place.
 */
#include "base/fd.h"
#include "base/mem.h"
#include "cell/engine-js.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_SOURCE_BYTES = 4 << 20, WRITE_BYTECODE = 1, WRITE_NO_SOURCE = 16, WRITE_NO_DEBUG = 32 };

struct job {
    const char *source_path;
    const char *out_path;
    bool is_done;
};

static void say_exception(const char *path)
{
    uint64_t error = qjs(JS_GetException, js_ctx);
    uint64_t stack = js_get(error, "stack");
    uint32_t at;
    struct bytes text = js_text(error, &at);

    fprintf(stderr, "%s: %.*s\n", path, (int)text.len, (const char *)text.ptr);
    text = js_text(stack, &at);
    fprintf(stderr, "%.*s\n", (int)text.len, (const char *)text.ptr);
}

static bool write_file(const char *path, struct bytes bytes)
{
    FILE *file = fopen(path, "wb");
    bool is_written = file != NULL && fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len;

    if (file == NULL || fclose(file) != 0 || !is_written) {
        perror(path);
        return false;
    }
    return true;
}

static void run(void *arg)
{
    struct job *job = arg;
    _cleanup_(free_p) char *source = NULL;
    size_t len = 0;
    uint64_t function;
    uint32_t at;

    if (fd_read_file(job->source_path, MAX_SOURCE_BYTES, &source, &len) < 0) {
        perror(job->source_path);
        return;
    }
    qjs(_initialize);
    if (js_open() < 0) {
        fprintf(stderr, "bytecode: the engine does not start\n");
        return;
    }
    function =
        js_eval(bytes_of(source, len), job->source_path, 1, JS_EVAL_GLOBAL | JS_EVAL_COMPILE_ONLY);
    if (js_is_exception(function)) {
        say_exception(job->source_path);
        return;
    }
    at = qjs(JS_WriteObject, js_ctx, js_scratch(), function,
             WRITE_BYTECODE | WRITE_NO_SOURCE | WRITE_NO_DEBUG);
    if (at == 0) {
        say_exception(job->source_path);
        return;
    }
    job->is_done = write_file(job->out_path, bytes_of(rt_ptr(at), rt_get_u32(js_scratch())));
}

int main(int argc, char **argv)
{
    struct job job = {0};

    if (argc != 3) {
        fprintf(stderr, "usage: bytecode SOURCE OUT\n");
        return 2;
    }
    job.source_path = argv[1];
    job.out_path = argv[2];
    if (rt_open() < 0 || !rt_enter(run, &job)) {
        fprintf(stderr, "bytecode: the engine trapped: %s\n", rt_trap_name());
        return 1;
    }
    return job.is_done ? 0 : 1;
}
