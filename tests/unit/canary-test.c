/* SPDX-License-Identifier: MIT
 *
 * The canary of the sanitizer build: a child that reads past a block and one that overflows an
 * int must die in it. In the plain build there is nothing to show but that this is no such build.
 */
#include "base/mem.h"
#include "unit/t.h"

#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_of(void (*fault)(volatile int *), volatile int *at)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        close(STDERR_FILENO);
        fault(at);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

static void read_past(volatile int *at)
{
    at[0] = at[4];
}

static void overflow(volatile int *at)
{
    at[0] = INT_MAX;
    at[0] = at[0] + 1;
}

int main(void)
{
    _cleanup_(free_p) void *block = mem_array(4, sizeof(int));
    int past = 1;

#ifdef __SANITIZE_ADDRESS__
    past = status_of(read_past, block);
    T_OK(past != 0);
    T_OK(status_of(overflow, block) != 0);
#else
    (void)read_past;
    T_EQ(status_of(overflow, block), 0);
    T_EQ(past, 1);
#endif
    return T_DONE("canary");
}
