/* SPDX-License-Identifier: MIT
 *
 * The start of a JavaScript cell as a numbered list, and its end.
 *
 * Runs in a child that the zygote has just forked. Each step is one call; a step that fails
 * ends the process with WIRE_EXIT_START and its number, before the cell has read a script,
 * and the warden's obituary carries the step's sentence. Nothing is ever skipped but
 * Landlock where the kernel has none: then the cell does not claim it.
 *
 * Order: descriptors first; the engine's pages before the limits; ids before the signal of
 * the parent's death, since a change of ids clears that; Landlock before the limits, since it
 * needs a descriptor; the filter last, since it refuses all the rest.
 */
#include "cell/cell.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cell/attempt.h"
#include "cell/channel.h"
#include "cell/engine.h"
#include "cell/landlock.h"
#include "cell/limits.h"
#include "cell/rights.h"
#include "cell/script.h"
#include "cell/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HOST_FD = 3 };

static uint32_t walls; /* those that stand, as the hello will claim them */

static int reset_signals(const struct cell_inherit *inherit)
{
    sigset_t none;

    (void)inherit;
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL) == 0 ? 0 : -errno;
}

/* 0 is /dev/null already: the monitor saw to it. */
static int keep_descriptors(const struct cell_inherit *inherit)
{
    if (dup2(inherit->socket, HOST_FD) < 0 || dup2(0, 1) < 0 || dup2(0, 2) < 0 ||
        (!ablate_is_off(OFF_DESCRIPTORS) && fd_close_from(HOST_FD + 1) != 0)) {
        return -errno;
    }
    return fd_set_nonblock(HOST_FD, false);
}

static int check_pid(const struct cell_inherit *inherit)
{
    if (!inherit->has_pid_ns) {
        return 0;
    }
    walls |= WIRE_WALL_PID_NS;
    return syscall(SYS_getpid) == 1 ? 0 : -EPERM;
}

static int warm_up(const struct cell_inherit *inherit)
{
    channel_init(HOST_FD, engine_take);
    return engine_ready(inherit->page);
}

static int become_nobody(const struct cell_inherit *inherit)
{
    return inherit->may_drop_uid ? cell_rights_become(inherit->uid) : 0;
}

static int drop_rights(const struct cell_inherit *inherit)
{
    (void)inherit;
    walls |= WIRE_WALL_NO_CAPS;
    return cell_rights_drop();
}

/* In a pid namespace of its own the cell dies with its parent anyway, and sees none. */
static int die_with_parent(const struct cell_inherit *inherit)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return -errno;
    }
    return inherit->has_pid_ns || getppid() == inherit->parent ? 0 : -ESRCH;
}

static int hide_memory(const struct cell_inherit *inherit)
{
    (void)inherit;
    return prctl(PR_SET_DUMPABLE, 0) == 0 ? 0 : -errno;
}

static int refuse_privileges(const struct cell_inherit *inherit)
{
    (void)inherit;
    walls |= WIRE_WALL_NO_NEW_PRIVS;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

static int raise_landlock(const struct cell_inherit *inherit)
{
    int r = cell_landlock_raise();

    (void)inherit;
    if (r == 0) {
        walls |= WIRE_WALL_LANDLOCK;
    }
    return r == CELL_LANDLOCK_ABSENT ? 0 : r;
}

static int raise_limits(const struct cell_inherit *inherit)
{
    if (cell_limits_hold_memory()) {
        walls |= WIRE_WALL_LIMITS;
    }
    return cell_limits_raise(engine_data_limit(inherit->memory_bytes));
}

static int raise_filter(const struct cell_inherit *inherit)
{
    (void)inherit;
    walls |= WIRE_WALL_SECCOMP;
    return cell_filter_raise();
}

static int say_hello(const struct cell_inherit *inherit)
{
    struct wire_hello m = {.version = WIRE_VERSION, .walls = walls};

    (void)inherit;
    channel_hello(&m);
    return channel_flush() < 0 ? -EPIPE : 0;
}

static int serve_script(const struct cell_inherit *inherit)
{
    int r =
        inherit->is_for_attempts ? attempt_serve(inherit->memory_bytes) : script_run(inherit->page);

    return r == SCRIPT_E_CLOSED ? 0 : r;
}

struct step {
    int (*run)(const struct cell_inherit *inherit);
    unsigned wall; /* the one it raises, for a test build that leaves it out; 0: it always runs */
    const char *sentence;
};

/* The number of a step is its place here, from 1. */
static const struct step steps[] = {
    {reset_signals, 0, "the cell's start failed: the signal mask could not be cleared"},
    {keep_descriptors, 0, "the cell's start failed: its descriptors could not be closed"},
    {check_pid, 0, "the cell's start failed: it is not alone in a pid namespace of its own"},
    {warm_up, 0,
     "the cell's start failed: the engine could not make itself ready (memory or seeds)"},
    {become_nobody, OFF_UID, "the cell's start failed: it could not take a user id of its own"},
    {drop_rights, OFF_CAPS, "the cell's start failed: its capabilities could not be dropped"},
    {die_with_parent, 0, "the cell's start failed: it could not be tied to the warden's life"},
    {hide_memory, OFF_DUMPABLE,
     "the cell's start failed: its memory could not be made unreadable to others"},
    {refuse_privileges, OFF_NO_NEW_PRIVS, "the cell's start failed: no_new_privs could not be set"},
    {raise_landlock, OFF_LANDLOCK,
     "the cell's start failed: the Landlock wall could not be raised"},
    {raise_limits, OFF_LIMITS, "the cell's start failed: its resource limits could not be set"},
    {raise_filter, OFF_SECCOMP,
     "the cell's start failed: the system-call filter could not be installed"},
    {say_hello, 0, "the cell could not speak to its host"},
    {serve_script, 0, "the cell and its host did not agree on the protocol"},
};
_Static_assert(WIRE_EXIT_START + ARRAY_SIZE(steps) <= WIRE_EXIT_LAST, "a status for every step");

void cell_main(const struct cell_inherit *inherit)
{
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        if (!ablate_is_off(steps[i].wall) && steps[i].run(inherit) != 0) {
            _exit(WIRE_EXIT_START + (int)i + 1);
        }
    }
    _exit(0);
}

const char *cell_exit_sentence(int status)
{
    int step = status - WIRE_EXIT_START;

    if (step == 0) {
        return "the cell could not be forked";
    }
    if (step < 0 || step > (int)ARRAY_SIZE(steps)) {
        return NULL;
    }
    return steps[step - 1].sentence;
}

int cell_prepare_filter(const char **ret_sentence)
{
    return cell_filter_build(ret_sentence);
}

int cell_prepare(const char **ret_sentence)
{
    int r = engine_init();

    if (r != 0) {
        *ret_sentence = r == -ENOMEM
                            ? "the engine could not reserve its memory; a limit on address space "
                              "or data (ulimit -v, ulimit -d) may be in the way"
                            : "the engine could not be made ready";
    }
    return r;
}
