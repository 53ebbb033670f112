/* SPDX-License-Identifier: MIT
 *
 * The other walls of a cell, one at a time, each in a child: Landlock, limits, rights. The
 * filter has a test of its own; all of them together stand in warden-test.
 */
#include "cell/cell.h"
#include "cell/landlock.h"
#include "cell/limits.h"
#include "cell/rights.h"
#include "t.h"
#include "warden/cells.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1024UL * 1024UL)

/* The child's exit status: the number of the line where it went wrong, cut to 8 bits, or 0. */
static int in_child(int (*test)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        _exit(test());
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}
#define NEED(condition)                                                                            \
    if (!(condition)) {                                                                            \
        fprintf(stderr, "walls-test.c:%d: %s\n", __LINE__, #condition);                            \
        return 1;                                                                                  \
    }

static int landlock_files(void)
{
    NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    NEED(access("/", R_OK) == 0);
    NEED(cell_landlock_raise() == 0);
    NEED(open("/", O_RDONLY | O_DIRECTORY) < 0 && errno == EACCES);
    NEED(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
    NEED(open("/tmp/torno-walls-test", O_CREAT | O_WRONLY, 0600) < 0 && errno == EACCES);
    NEED(mkdir("/tmp/torno-walls-test", 0700) < 0 && errno == EACCES);
    return 0;
}

static int landlock_ports(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    int s = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    NEED(s >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && cell_landlock_raise() == 0);
    NEED(connect(s, (struct sockaddr *)&to, sizeof to) < 0 && errno == EACCES);
    NEED(bind(s, (struct sockaddr *)&to, sizeof to) < 0 && errno == EACCES);
    return 0;
}

static int landlock_signals(void)
{
    NEED(kill(getppid(), 0) == 0);
    NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && cell_landlock_raise() == 0);
    NEED(kill(getppid(), 0) < 0 && errno == EPERM);
    return 0;
}

static int landlock_needs_promise(void)
{
    NEED(cell_rights_drop() == 0);
    NEED(cell_landlock_raise() == -EPERM);
    return 0;
}

static void test_landlock(void)
{
    int abi = cell_landlock_abi();

    if (abi < 0) {
        T_EQ(cell_landlock_raise(), CELL_LANDLOCK_ABSENT);
        return;
    }
    T_EQ(in_child(landlock_files), 0);
    T_EQ(in_child(landlock_needs_promise), 0);
    if (abi >= 4) {
        T_EQ(in_child(landlock_ports), 0);
    }
    if (abi >= 6) {
        T_EQ(in_child(landlock_signals), 0);
    }
}

static int limits_lower(void)
{
    struct rlimit now;

    NEED(cell_limits_raise(64 * MIB) == 0);
    NEED(getrlimit(RLIMIT_DATA, &now) == 0 && now.rlim_cur == 64 * MIB && now.rlim_max == 64 * MIB);
    NEED(getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == 4 && now.rlim_max == 4);
    NEED(getrlimit(RLIMIT_FSIZE, &now) == 0 && now.rlim_max == 0);
    NEED(getrlimit(RLIMIT_NPROC, &now) == 0 && now.rlim_max == 0);
    NEED(getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_max == 0);
    NEED(getrlimit(RLIMIT_MEMLOCK, &now) == 0 && now.rlim_max == 0);
    return 0;
}

/* A stricter soft limit stays, though the hard one would allow more. */
static int limits_keep_stricter(void)
{
    struct rlimit now = {.rlim_cur = 2, .rlim_max = 1000};
    struct rlimit data = {.rlim_cur = 32 * MIB, .rlim_max = 48 * MIB};

    NEED(setrlimit(RLIMIT_NOFILE, &now) == 0 && setrlimit(RLIMIT_DATA, &data) == 0);
    NEED(cell_limits_raise(64 * MIB) == 0);
    NEED(getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == 2 && now.rlim_max == 4);
    NEED(getrlimit(RLIMIT_DATA, &data) == 0);
    NEED(data.rlim_cur == 32 * MIB && data.rlim_max == 48 * MIB);
    return 0;
}

static char *reserve(size_t size)
{
    void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* Memory that grows by mprotect inside a reservation is bounded, in small steps and at once. */
static int limits_bound_memory(void)
{
    char *at = reserve(8192 * MIB);
    size_t grown = 0;

    NEED(at != NULL && cell_limits_hold_memory() && cell_limits_raise(64 * MIB) == 0);
    NEED(mprotect(at, 8192 * MIB, PROT_READ | PROT_WRITE) < 0 && errno == ENOMEM);
    while (grown < 128 * MIB && mprotect(at + grown, MIB, PROT_READ | PROT_WRITE) == 0) {
        grown += MIB;
    }
    NEED(grown >= 32 * MIB && grown < 64 * MIB);
    return 0;
}

/* Why limits.c leaves RLIMIT_AS out: under one, the same bound has a hole. Where this fails,
 * the kernel has changed, and the notice on it may go. */
static int address_limit_opens_hole(void)
{
    struct rlimit space = {.rlim_cur = 9 * 1024 * MIB, .rlim_max = 9 * 1024 * MIB};
    char *at = reserve(8192 * MIB);

    NEED(at != NULL && setrlimit(RLIMIT_AS, &space) == 0);
    NEED(!cell_limits_hold_memory() && cell_limits_raise(64 * MIB) == 0);
    NEED(mprotect(at, 8192 * MIB, PROT_READ | PROT_WRITE) == 0);
    return 0;
}

static void test_limits(void)
{
    T_EQ(in_child(limits_lower), 0);
    T_EQ(in_child(limits_keep_stricter), 0);
    T_EQ(in_child(limits_bound_memory), 0);
    T_EQ(in_child(address_limit_opens_hole), 0);
}

static int rights_dropped(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3];

    NEED(cell_rights_drop() == 0 && syscall(SYS_capget, &header, have) == 0);
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        NEED(have[i].effective == 0 && have[i].permitted == 0 && have[i].inheritable == 0);
    }
    return 0;
}

static int rights_become(void)
{
    NEED(cell_rights_become(100007) == 0);
    NEED(getuid() == 100007 && geteuid() == 100007 && getgid() == 100007);
    NEED(getgroups(0, NULL) == 0 && setresuid(0, 0, 0) != 0);
    return 0;
}

static void test_rights(void)
{
    T_EQ(in_child(rights_dropped), 0);
    if (geteuid() == 0) {
        T_EQ(in_child(rights_become), 0);
    }
}

static void test_exit_sentences(void)
{
    T_OK(cell_exit_sentence(0) == NULL);
    T_OK(cell_exit_sentence(1) == NULL);
    T_OK(cell_exit_sentence(WIRE_EXIT_START) != NULL);
    T_OK(strstr(cell_exit_sentence(WIRE_EXIT_START + 10), "Landlock") != NULL);
    T_OK(strstr(cell_exit_sentence(WIRE_EXIT_START + 12), "filter") != NULL);
    T_OK(cell_exit_sentence(WIRE_EXIT_LAST) == NULL);
    T_OK(cell_exit_sentence(255) == NULL);
}

/* No two living cells share an id, and all lie in the range that is mapped. */
static void check_uids(const struct cells *cells)
{
    static bool is_taken[WARDEN_UIDS];

    memset(is_taken, 0, sizeof is_taken);
    for (size_t i = 0; i < cells->used; i++) {
        const struct cell_row *row = &cells->rows[i];

        T_OK(row->uid >= 1 && row->uid < WARDEN_UIDS && !is_taken[row->uid]);
        is_taken[row->uid % WARDEN_UIDS] = true;
    }
}

static void test_cells(void)
{
    static struct cells cells;
    struct cell_row *a = cells_add(&cells, 7);
    struct cell_row *b = cells_add(&cells, 8);

    T_OK(a != NULL && b != NULL && a != b);
    T_EQ(cells.asked, 2);
    T_OK(cells_find(&cells, 8) == b && cells_find(&cells, 9) == NULL);
    T_OK(cells_find_pid(&cells, 100) == NULL);
    cells_set_pid(&cells, b, 100);
    T_EQ(b->state, CELL_ALIVE);
    T_OK(cells_find_pid(&cells, 100) == b && cells_find_asked(&cells, 0) == a);
    a->state = CELL_DOOMED;
    cells_set_pid(&cells, a, 101);
    T_EQ(a->state, CELL_DOOMED);
    T_OK(cells_find_asked(&cells, 0) == NULL);
    cells_drop(&cells, a);
    T_OK(cells_find(&cells, 7) == NULL);
    T_EQ(cells.used, 2);
    T_EQ(cells_slot(&cells, cells_add(&cells, 9)), 0);
    cells_drop(&cells, cells_find(&cells, 9));
    cells_drop(&cells, b);
    T_EQ(cells.used, 0);
    T_EQ(cells.asked, 0);
    for (uint32_t i = 0; i < CELLS_MAX; i++) {
        T_OK(cells_add(&cells, i) != NULL);
    }
    T_OK(cells_add(&cells, CELLS_MAX) == NULL);
    check_uids(&cells);
    for (uint32_t i = 0; i < CELLS_MAX; i += 3) {
        cells_drop(&cells, cells_find(&cells, i));
    }
    for (uint32_t i = 0; i < CELLS_MAX; i += 3) {
        T_OK(cells_add(&cells, CELLS_MAX + i) != NULL);
    }
    check_uids(&cells);
}

/* The id of a cell that has gone is not the next one's, as long as there are others. */
static void test_uids_go_round(void)
{
    static struct cells cells;
    uint32_t before = 0;

    for (uint32_t i = 0; i < CELLS_MAX; i++) {
        struct cell_row *row = cells_add(&cells, i);

        T_EQ(row->uid, before + 1);
        before = row->uid;
        cells_drop(&cells, row);
    }
    T_EQ(cells_add(&cells, 0)->uid, 1);
}

int main(void)
{
    test_landlock();
    test_limits();
    test_rights();
    test_exit_sentences();
    test_cells();
    test_uids_go_round();
    return T_DONE("walls");
}
