/* SPDX-License-Identifier: MIT
 *
 * What native code in a broken engine can do from inside a cell, in every tier: the probes of
 * tests/native/engine.c, run in a test build of the warden, torno-warden-native in the folder
 * TESTBIN. Each probe must die as its row says, or come back with a harmless result.
 */
#define WARDEN_FOLDER  "TESTBIN"
#define WARDEN_PROGRAM "build/plain/test", "torno-warden-native"
#include "t.h"
#include "warden-host.h"

enum { DATA_MIB = MEMORY / (1024 * 1024), ANY_RESULT = -1000 };

/* How a probe ends: by a signal, or with its result as the script's value. */
static const struct row {
    const char *probe;
    int signal; /* 0: it comes back */
    long least;
    long most;
} rows[] = {
    {"open", SIGSYS, 0, 0},
    {"stat", SIGSYS, 0, 0},
    {"chmod", SIGSYS, 0, 0},
    {"socket", SIGSYS, 0, 0},
    {"vsock", SIGSYS, 0, 0},
    {"sendmsg", SIGSYS, 0, 0},
    {"recvmsg", SIGSYS, 0, 0},
    {"dup", SIGSYS, 0, 0},
    {"ioctl", SIGSYS, 0, 0},
    {"fcntl", SIGSYS, 0, 0},
    {"poll", SIGSYS, 0, 0},
    {"fork", SIGSYS, 0, 0},
    {"clone", SIGSYS, 0, 0},
    {"clone3", SIGSYS, 0, 0},
    {"exec", SIGSYS, 0, 0},
    {"kill", SIGSYS, 0, 0},
    {"kill-all", SIGSYS, 0, 0},
    {"ptrace", SIGSYS, 0, 0},
    {"getpid", SIGSYS, 0, 0},
    {"setrlimit", SIGSYS, 0, 0},
    {"dumpable", SIGSYS, 0, 0},
    {"deathsig", SIGSYS, 0, 0},
    {"filter", SIGSYS, 0, 0},
    {"sigaction", SIGSYS, 0, 0},
    {"mmap", SIGSYS, 0, 0},
    {"mmap-shared", SIGSYS, 0, 0},
    {"munmap", SIGSYS, 0, 0},
    {"mremap", SIGSYS, 0, 0},
    {"brk", SIGSYS, 0, 0},
    {"memfd", SIGSYS, 0, 0},
    {"io_uring", SIGSYS, 0, 0},
    {"userfaultfd", SIGSYS, 0, 0},
    {"setuid", SIGSYS, 0, 0},
    {"unshare", SIGSYS, 0, 0},
    {"x32-write", SIGSYS, 0, 0},
    {"mprotect-exec", SIGSYS, 0, 0},
    {"mprotect-rwx", SIGSYS, 0, 0},
    {"mprotect-down", SIGSYS, 0, 0},
    {"mprotect-high", SIGSYS, 0, 0},
    {"allocate", SIGSYS, 0, 0},
    {"vsyscall", SIGSYS, 0, 0},
    {"own-text", SIGSEGV, 0, 0}, /* it loses the right to run it */
    {"null-write", SIGSEGV, 0, 0},
    {"jump-to-data", SIGSEGV, 0, 0},
    {"main-stack", SIGSEGV, 0, 0},
    {"trap", SIGILL, 0, 0},
    {"grow-all", 0, -ENOMEM, -ENOMEM},
    {"grow-steps", 0, DATA_MIB / 2, DATA_MIB},
    {"other-fds", 0, 0, 0},
    {"read-null", 0, 0, 0},
};

/* Runs one probe to its cell's end; *ret_value is the script's value, or ANY_RESULT. */
static int run_probe(const struct warden *w, const char *probe, struct obituary *ret_died,
                     long *ret_value)
{
    _cleanup_(buf_done) struct buf in = buf_max(WIRE_MIB);
    static uint32_t id;
    struct cell c;
    struct frame f;
    struct wire_ending ending;

    *ret_value = ANY_RESULT;
    cell_start(w, ++id, &c);
    cell_run(&c, probe);
    if (cell_frame(&c, &in, &f) == 0 && f.type == WIRE_MSG_ending &&
        wire_get_ending(f.body, &ending) == 0) {
        char text[32] = "";

        snprintf(text, sizeof text, "%.*s", (int)ending.value.len, (const char *)ending.value.ptr);
        sscanf(text, "%ld", ret_value);
    }
    cell_done(&c);
    return next_obituary(w, ret_died);
}

static void check_row(const struct warden *w, const struct row *row)
{
    struct obituary died = {0};
    long value;
    bool is_good;

    T_EQ(run_probe(w, row->probe, &died, &value), 0);
    if (row->signal != 0) {
        is_good =
            WIFSIGNALED(died.status) && WTERMSIG(died.status) == row->signal && value == ANY_RESULT;
    } else {
        is_good = died.status == 0 && value >= row->least && value <= row->most;
    }
    if (!is_good) {
        fprintf(stderr, "tier %c, %s: wait status %x, result %ld\n", w->tier, row->probe,
                (unsigned)died.status, value);
    }
    T_OK(is_good);
    T_EQ(strstr(died.sentence, "filter") != NULL, row->signal == SIGSYS);
}

/* Those that do not end by themselves, or not alike everywhere. */
static void check_rest(const struct warden *w)
{
    struct obituary died = {0};
    struct cell c;
    long value;

    T_EQ(run_probe(w, "int80", &died, &value), 0);
    T_OK(WIFSIGNALED(died.status) &&
         (WTERMSIG(died.status) == SIGSYS || WTERMSIG(died.status) == SIGSEGV));
    T_EQ(run_probe(w, "abort", &died, &value), 0);
    T_OK(WIFSIGNALED(died.status)); /* which signal, pid 1 and the filter decide */

    cell_start(w, 900, &c);
    cell_run(&c, "spin");
    poll(NULL, 0, 30);
    send_kill(w, 900);
    T_EQ(next_obituary(w, &died), 0);
    T_OK(WIFSIGNALED(died.status) && WTERMSIG(died.status) == SIGKILL);
    cell_done(&c);

    cell_start(w, 901, &c);
    cell_run(&c, "flood");
    poll(NULL, 0, 30); /* its socket is full, it blocks, the host has read nothing */
    cell_done(&c);
    T_EQ(next_obituary(w, &died), 0);
    T_EQ(died.cell, 901);
    T_EQ(died.status, 0); /* the host hung up: an error of write, no signal */
}

int main(void)
{
    static const char tiers[] = "ABC";

    warden_program();
    for (const char *tier = tiers; *tier != '\0'; tier++) {
        struct warden w;

        T_EQ(warden_start(&w, *tier, NULL), 0);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            check_row(&w, &rows[i]);
        }
        check_rest(&w);
        warden_end(&w);
    }
    return T_DONE("native");
}
