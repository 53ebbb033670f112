/* SPDX-License-Identifier: MIT
 *
 * Runs a command with every signal blocked and SIGCHLD ignored, as a careless parent would:
 * blocked COMMAND...
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    sigset_t all;

    if (argc < 2) {
        return 2;
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 2;
}
