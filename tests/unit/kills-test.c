/* SPDX-License-Identifier: MIT
 *
 * Nothing survives: the host or the monitor is killed at a random moment, with cells being
 * made, waiting and computing; each row is tried TRIES times (KILLS in the environment for
 * more). A careless child of the host's keeps every descriptor of its open meanwhile.
 */
#include "t.h"
#include "warden-host.h"

#include <sys/random.h>

enum { TRIES = 10, MOMENTS_MS = 60, MANY = 32 };

/* Whom a kill takes. */
enum victim { HOST, MONITOR, HOST_OF_STOPPED_MONITOR };

/* The host of test_kills: tells the pids of its warden and of a careless child, which keeps
 * all its descriptors; makes cells until it is killed. */
static void be_host(int tell, char asked)
{
    struct warden w;
    pid_t careless;
    struct cell cells[MANY];

    dup2(open("/dev/null", O_RDWR), 2); /* once the warden is killed, its failures say nothing */
    if (warden_start(&w, asked, NULL) != 0) {
        _exit(1);
    }
    careless = fork();
    if (careless == 0) {
        sleep(60);
        _exit(0);
    }
    fd_write_all(tell, bytes_of((pid_t[]){w.pid, careless}, 2 * sizeof w.pid));
    for (uint32_t i = 0; i < MANY; i++) {
        cell_ask(&w, i, &cells[i]);
        poll(NULL, 0, 1);
        if (i % 3 == 0) {
            cell_run(&cells[i], "for (;;) {}");
        }
    }
    pause();
}

static void test_kill(char asked, enum victim victim, int moment_ms)
{
    int tell[2];
    pid_t pids[2] = {0, 0}; /* the warden, the careless child */
    pid_t host;

    T_EQ(pipe2(tell, O_CLOEXEC), 0);
    host = fork();
    if (host == 0) {
        be_host(tell[1], asked);
    }
    close(tell[1]);
    T_EQ(read(tell[0], pids, sizeof pids), sizeof pids);
    close(tell[0]);
    poll(NULL, 0, moment_ms);
    if (victim == HOST_OF_STOPPED_MONITOR) {
        kill(pids[0], SIGSTOP);
    }
    kill(victim == MONITOR ? pids[0] : host, SIGKILL);
    if (victim == HOST_OF_STOPPED_MONITOR) {
        /* All but the stopped one itself go; it goes when it may run again. */
        int64_t end = clock_now_ms() + 5000;

        while (session_pids(pids[0], NULL) > 1 && clock_now_ms() < end) {
            poll(NULL, 0, 2);
        }
        T_EQ(session_pids(pids[0], NULL), 1);
        kill(pids[0], SIGCONT);
    }
    T_EQ(survivors(pids[0]), 0);
    kill(host, SIGKILL);
    kill(pids[1], SIGKILL);
    waitpid(host, NULL, 0);
}

/* A moment of the first MOMENTS_MS. */
static int random_moment(void)
{
    uint16_t bits = 0;

    T_EQ(getrandom(&bits, sizeof bits, 0), sizeof bits);
    return bits % MOMENTS_MS;
}

static int tries(void)
{
    const char *set = getenv("KILLS");
    int n = TRIES;

    if (set != NULL) {
        sscanf(set, "%d", &n);
    }
    return n;
}

static void test_kills(char asked)
{
    for (int i = tries(); i > 0; i--) {
        test_kill(asked, HOST, random_moment());
        test_kill(asked, MONITOR, random_moment());
        if (asked == 'A') {
            test_kill(asked, HOST_OF_STOPPED_MONITOR, random_moment());
        }
    }
}

static void test_user_tiers(void)
{
    test_kills('A');
    test_kills('C');
}

int main(void)
{
    warden_program();
    test_kills('A');
    test_kills('B');
    test_kills('C');
    as_user(test_user_tiers);
    return T_DONE("kills");
}
