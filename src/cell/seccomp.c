/* SPDX-License-Identifier: MIT
 *
 * The filter of JavaScript cells, as a table with a reason per row.
 *
 * The monitor builds it with libseccomp into static memory, before it forks; a cell only
 * installs it, so that libseccomp never runs in a cell. What the table does not name kills
 * the process (SIGSYS), and so does a call of another architecture or of x32. Numbers are
 * libseccomp's business; an architecture that nobody has checked is refused.
 *
 * Known limit: read and write are allowed on every descriptor; a cell holds /dev/null and
 * its own socket alone.
 */
#include "cell/seccomp.h"
#include "cell/cell.h"

#include "base/fd.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PROGRAM_MAX = 128, ANY = -1 };

struct row {
    int call;
    int argument;  /* the number of one that is looked at, from 0, ANY: all arguments pass */
    int64_t value; /* what it must be, all its bits */
    const char *reason;
};

static const struct row rows[] = {
    {SCMP_SYS(read), ANY, 0, "frames from the host"},
    {SCMP_SYS(write), ANY, 0, "frames to the host"},
    /* Memory that was written could otherwise be made read-only, and count against no limit. */
    {SCMP_SYS(mprotect), 2, PROT_READ | PROT_WRITE, "the engine's memory grows, and never shrinks"},
    {SCMP_SYS(rt_sigprocmask), ANY, 0, "a trap's sigsetjmp keeps the mask"},
    {SCMP_SYS(rt_sigreturn), ANY, 0, "a fault handler that returns"},
    {SCMP_SYS(clock_gettime), 0, CLOCK_MONOTONIC, "where the vDSO cannot read the clock"},
    {SCMP_SYS(clock_gettime), 0, CLOCK_REALTIME, "the same; other ids are processes' clocks"},
    {SCMP_SYS(exit_group), ANY, 0, "the end"},
};

static struct sock_filter program[PROGRAM_MAX];
static unsigned short program_len;

static int add_row(scmp_filter_ctx filter, const struct row *row)
{
    bool is_looked_at = row->argument != ANY;
    struct scmp_arg_cmp one = {.arg = is_looked_at ? (unsigned)row->argument : 0,
                               .op = SCMP_CMP_EQ,
                               .datum_a = (scmp_datum_t)row->value,
                               .datum_b = 0};

    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, row->call, is_looked_at, &one);
}

static int add_rows(scmp_filter_ctx filter)
{
    int r = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(rows); i++) {
        r = add_row(filter, &rows[i]);
    }
    return r;
}

/* Copies libseccomp's program out of the pipe it exports to: a pipe holds it many times over, and
 * no limit on files (ulimit -f) touches it. */
static int take_program(scmp_filter_ctx filter)
{
    _cleanup_(close_p) int from = -1;
    _cleanup_(close_p) int to = -1;
    int ends[2];
    ssize_t len;
    int r;

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return -errno;
    }
    from = ends[0];
    to = ends[1];
    r = seccomp_export_bpf(filter, to);
    if (r != 0) {
        return r;
    }
    len = read(from, program, sizeof program);
    if (len <= 0 || len == (ssize_t)sizeof program || len % (ssize_t)sizeof program[0] != 0) {
        return len < 0 ? -errno : -EFBIG;
    }
    program_len = (unsigned short)((size_t)len / sizeof program[0]);
    return 0;
}

int cell_filter_build(const char **ret_sentence)
{
    scmp_filter_ctx filter;
    int r;

#if !defined(__x86_64__)
    *ret_sentence = "the system-call filter has been checked for x86-64 only; this is another "
                    "architecture, so no cell is made";
    return -ENOTSUP;
#endif
    if (program_len > 0) {
        return 0;
    }
    filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (filter == NULL) {
        *ret_sentence = "the system-call filter could not be made: libseccomp has no context";
        return -ENOMEM;
    }
    r = add_rows(filter);
    if (r == 0) {
        r = take_program(filter);
    }
    seccomp_release(filter);
    if (r != 0) {
        *ret_sentence = "the system-call filter could not be built from its table";
    }
    return r;
}

int cell_filter_raise(void)
{
    struct sock_fprog fprog = {.len = program_len, .filter = program};

    if (program_len == 0) {
        return -ENOENT;
    }
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog) != 0) {
        return -errno;
    }
    return 0;
}
