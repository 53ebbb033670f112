/* SPDX-License-Identifier: MIT
 *
 * Nothing survives: somebody of a run is killed at a random moment, with cells being made, ready,
 * waiting, computing and flooding; each row is tried TRIES times (KILLS in the environment for
 * more; an argument names the only row to try). A careless child of the host's keeps its
 * descriptors open meanwhile, and this program keeps the host's end of every cell's socket, so that
 * no cell ends for want of a host.
 *
 * Survivors are looked for twice: the other ends of those sockets, and of a pipe that monitor,
 * init and zygote inherit as their log, must close; and no process of the session may be left.
 *
 * Tiers B and C have nobody but the monitor to kill cells: while it is stopped, they go on. There
 * the row waits until it may run again.
 */
#include "t.h"
#include "warden-host.h"

#include <sys/random.h>

enum { TRIES = 10, MOMENTS_MS = 60, MANY = 24, GONE_MS = 5000, MAX_TIMES = 100000 };

/* Whom a kill takes, in that order. */
struct row {
    const char *name;
    char stopped; /* 'm'onitor, 'i'nit, 'z'ygote: gets SIGSTOP first; 0: nobody */
    char victims[3];
};
static const struct row rows[] = {
    {"host", 0, "h"},
    {"monitor", 0, "m"},
    {"init", 0, "i"},
    {"zygote-then-host", 0, "zh"},
    {"host-of-stopped-monitor", 'm', "h"},
    {"host-of-stopped-init", 'i', "h"},
    {"host-of-stopped-zygote", 'z', "h"},
};

static int pairs[MANY][2]; /* of the cells' sockets: the host's end, the cell's end */
static int log_pipe[2];
static int64_t times[MAX_TIMES]; /* from the kill to the last one gone */
static size_t n_times;

static void take_log(void)
{
    dup2(log_pipe[1], 2);
}

static void ask_with(const struct warden *w, uint32_t id, int socket)
{
    struct wire_spawn m = {.cell = id, .language = WIRE_JAVASCRIPT, .memory_bytes = MEMORY};
    int page = make_page(true);

    send_spawn(w, &m, (int[]){socket, page}, 2);
    close(page);
}

/* The host: tells the pids of its warden and of a careless child; makes cells until it is
 * killed. */
static void be_host(int tell, char asked)
{
    static const char *const codes[] = {"for (;;) {}", "await tools.t({})",
                                        "for (;;) text('x'.repeat(9999))", NULL};
    struct warden w;
    pid_t careless;

    dup2(open("/dev/null", O_RDWR), 2); /* once the warden is killed, its failures say nothing */
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    if (warden_start(&w, asked, take_log) != 0) {
        _exit(1);
    }
    close(log_pipe[1]);
    careless = fork();
    if (careless == 0) {
        for (size_t i = 0; i < MANY; i++) {
            close(pairs[i][1]);
        }
        sleep(60);
        _exit(0);
    }
    fd_write_all(tell, bytes_of((pid_t[]){w.pid, careless}, 2 * sizeof w.pid));
    for (uint32_t i = 0; i < MANY; i++) {
        struct cell c = {.id = i, .socket = pairs[i][0]};

        ask_with(&w, i, pairs[i][1]);
        close(pairs[i][1]);
        poll(NULL, 0, 1);
        if (codes[i % ARRAY_SIZE(codes)] != NULL) {
            cell_run(&c, codes[i % ARRAY_SIZE(codes)]);
        }
    }
    pause();
}

/* The oldest living child of a process; 0 where it has none. */
static pid_t child_of(pid_t session, pid_t parent)
{
    pid_t pids[256];
    size_t n = session_pids(session, pids);
    pid_t oldest = 0;

    for (size_t i = 0; i < n; i++) {
        int of = 0;

        sscanf(look_line(pids[i], "status", "PPid:"), "%d", &of);
        if (of == parent && (oldest == 0 || pids[i] < oldest)) {
            oldest = pids[i];
        }
    }
    return oldest;
}

/* The process that a letter of a row means; tiers B and C have one for monitor and init. */
static pid_t find(char who, pid_t host, pid_t monitor, char tier)
{
    pid_t init = monitor;

    if (who == 'h') {
        return host;
    }
    if (tier == 'A' && who != 'm') {
        init = child_of(monitor, monitor);
    }
    return who == 'z' ? child_of(monitor, init) : init;
}

/* How many of the ends that this program holds are still open on the other side. */
static size_t open_ends(void)
{
    struct pollfd fds[MANY + 1];
    size_t n = 0;

    for (size_t i = 0; i < MANY; i++) {
        fds[i] = (struct pollfd){.fd = pairs[i][0], .events = POLLRDHUP};
    }
    fds[MANY] = (struct pollfd){.fd = log_pipe[0], .events = 0};
    poll(fds, MANY + 1, 0);
    for (size_t i = 0; i <= MANY; i++) {
        n += (fds[i].revents & POLLHUP) == 0;
    }
    return n;
}

/* Waits until every end has closed and at most stay processes of the session are left: true. */
static bool is_gone(pid_t session, size_t stay)
{
    int64_t start = clock_now_ms();

    while (session_pids(session, NULL) > stay || (stay == 0 && open_ends() > 0)) {
        if (clock_now_ms() - start > GONE_MS) {
            fprintf(stderr, "  left: %zu processes, %zu open ends\n", session_pids(session, NULL),
                    open_ends());
            return false;
        }
        poll(NULL, 0, 2);
    }
    if (n_times < MAX_TIMES) {
        times[n_times++] = clock_now_ms() - start;
    }
    return true;
}

static void make_ends(void)
{
    T_EQ(pipe2(log_pipe, O_CLOEXEC), 0);
    for (size_t i = 0; i < MANY; i++) {
        T_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pairs[i]), 0);
    }
}

static void close_ends(void)
{
    close(log_pipe[0]);
    for (size_t i = 0; i < MANY; i++) {
        close(pairs[i][0]);
    }
}

static void kill_by(const struct row *row, pid_t host, pid_t monitor, char tier)
{
    pid_t stopped = row->stopped != 0 ? find(row->stopped, host, monitor, tier) : 0;

    if (stopped > 0) {
        kill(stopped, SIGSTOP);
    }
    for (const char *who = row->victims; *who != '\0'; who++) {
        pid_t victim = find(*who, host, monitor, tier);

        if (victim > 0) {
            kill(victim, SIGKILL);
        }
    }
    if (stopped == monitor) {
        /* In tier A all but the stopped one itself go, and it goes when it may run again. */
        T_OK(tier != 'A' || is_gone(monitor, 1));
        kill(stopped, SIGCONT);
    }
}

static void test_kill(const struct row *row, char tier, int moment_ms)
{
    int tell[2];
    pid_t pids[2] = {0, 0}; /* the warden, the careless child */
    bool is_good;
    pid_t host;

    make_ends();
    T_EQ(pipe2(tell, O_CLOEXEC), 0);
    host = fork();
    if (host == 0) {
        be_host(tell[1], tier);
    }
    close(tell[1]);
    close(log_pipe[1]);
    for (size_t i = 0; i < MANY; i++) {
        close(pairs[i][1]);
    }
    T_EQ(read(tell[0], pids, sizeof pids), sizeof pids);
    close(tell[0]);
    poll(NULL, 0, moment_ms);
    kill_by(row, host, pids[0], tier);
    is_good = is_gone(pids[0], 0);
    if (!is_good) {
        fprintf(stderr, "  %s, tier %c, as %s, after %d ms\n", row->name, tier,
                geteuid() == 0 ? "root" : "user", moment_ms);
    }
    T_OK(is_good);
    kill(host, SIGKILL);
    kill(pids[1], SIGKILL);
    waitpid(host, NULL, 0);
    close_ends();
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

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* One row in one tier; a line of figures where the number of tries was asked for. */
static void test_row(const struct row *row, char tier)
{
    int failures = t_failures;

    n_times = 0;
    for (int i = tries(); i > 0; i--) {
        test_kill(row, tier, random_moment());
    }
    if (getenv("KILLS") != NULL && n_times > 0) {
        qsort(times, n_times, sizeof times[0], compare_times);
        printf("%-24s %c %-4s %5d tries %d survived, gone after p50 %d max %d ms\n", row->name,
               tier, geteuid() == 0 ? "root" : "user", tries(), t_failures - failures,
               (int)times[n_times / 2], (int)times[n_times - 1]);
        fflush(stdout);
    }
}

static const char *wanted; /* the name of the only row to try; NULL: all */

static void test_tier(char tier)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        /* Where one process is monitor and init, a row for each would be the same. */
        bool is_twice = tier != 'A' && strstr(rows[i].name, "init") != NULL;

        if (!is_twice && (wanted == NULL || strcmp(rows[i].name, wanted) == 0)) {
            test_row(&rows[i], tier);
        }
    }
}

static void test_user_tiers(void)
{
    test_tier('A');
    test_tier('C');
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? argv[1] : NULL;
    warden_program();
    test_tier('A');
    test_tier('B');
    test_tier('C');
    as_user(test_user_tiers);
    return T_DONE("kills");
}
