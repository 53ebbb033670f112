/* SPDX-License-Identifier: MIT
 *
 * The warden's own processes, as the kernel describes them: what monitor, init, zygote and cell
 * keep of rights, ids, limits and the inherited rest; how one zygote follows another; and what a
 * warden does under narrow limits and on older kernels, which filters play.
 */
#include "t.h"
#include "warden-host.h"

#include "warden/caps.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/personality.h>

enum { AT_ONCE = 10, MANY = 50, FORKS = 1000 }; /* as warden/nursery.h has it */

/* A warden with one cell, and who is who. */
struct crew {
    struct warden w;
    struct cell c;
    pid_t init; /* tiers B and C: the monitor */
    pid_t zygote;
    pid_t cell;
};

static void crew_start(struct crew *crew, char tier, void (*hostile)(void))
{
    pid_t pids[256];
    size_t n;

    T_EQ(warden_start(&crew->w, tier, hostile), 0);
    cell_start(&crew->w, 1, &crew->c);
    crew->zygote = find_zygote(&crew->w);
    crew->cell = find_cell(&crew->w);
    if (crew->zygote == 0 || crew->cell == 0) {
        T_FAIL("the warden's processes cannot be told apart");
        exit(T_DONE("processes")); /* a kill of 0 would be of all of us */
    }
    n = session_pids(crew->w.pid, pids);
    crew->init = crew->w.pid;
    for (size_t i = 0; i < n; i++) {
        if (pids[i] != crew->w.pid && pids[i] != crew->zygote && pids[i] != crew->cell) {
            crew->init = pids[i];
        }
    }
    T_EQ(crew->init != crew->w.pid, crew->w.tier == 'A');
}

static void crew_end(struct crew *crew)
{
    cell_done(&crew->c);
    warden_end(&crew->w);
}

static uint64_t caps_of(pid_t pid, const char *set)
{
    return strtoull(look_line(pid, "status", set), NULL, 16);
}

/* Exactly these capabilities, none to inherit, and no program brings others. */
static void check_rights(pid_t pid, uint64_t caps)
{
    T_EQ(caps_of(pid, "CapPrm:"), caps);
    T_EQ(caps_of(pid, "CapEff:"), caps);
    T_EQ(caps_of(pid, "CapInh:"), 0);
    T_EQ(caps_of(pid, "CapAmb:"), 0);
    T_STR(look_line(pid, "status", "NoNewPrivs:"), "1");
}

static unsigned long uid_of(pid_t pid)
{
    return strtoul(look_line(pid, "status", "Uid:"), NULL, 10);
}

/* The monitor of tier A has nothing left, not even root's id; the init and the zygote have a few
 * capabilities inside the namespaces; tier B's warden is root still, with what it uses. */
static void test_rights(char tier)
{
    const uint64_t ids = CAPS(SETUID) | CAPS(SETGID);
    const uint64_t inside = CAPS(KILL) | CAPS(SETPCAP) | CAPS(SYS_ADMIN) | ids;
    bool is_root = geteuid() == 0;
    struct crew crew;

    crew_start(&crew, tier, NULL);
    if (tier == 'A') {
        check_rights(crew.w.pid, 0);
        check_rights(crew.init, inside);
        check_rights(crew.zygote, CAPS(SYS_ADMIN) | (is_root ? ids : 0));
    } else if (tier == 'B') {
        check_rights(crew.w.pid, CAPS(KILL) | CAPS(SETPCAP) | CAPS(SYS_CHROOT) | ids);
        check_rights(crew.zygote, ids);
    } else {
        check_rights(crew.w.pid, 0);
        check_rights(crew.zygote, 0);
    }
    check_rights(crew.cell, 0);
    if (is_root) {
        T_EQ(caps_of(crew.w.pid, "CapBnd:") & ~(tier == 'B' ? inside | CAPS(SYS_CHROOT) : 0), 0);
        T_EQ(caps_of(crew.zygote, "CapBnd:"), 0);
        T_EQ(uid_of(crew.w.pid) == 0, tier == 'B');
        T_EQ(uid_of(crew.init) == 0, tier == 'B');
        T_STR(look_line(crew.w.pid, "status", "Groups:"), "");
        T_OK(uid_of(crew.cell) != uid_of(crew.zygote) || tier == 'C');
    }
    crew_end(&crew);
}

/* Every limit of a cell, soft and hard. */
static void check_limits(pid_t cell)
{
    static const struct {
        const char *name;
        unsigned long value;
    } rows[] = {
        /* 64 MiB of budget and a sixteenth, 64 of native stack, 44 of memory before there is a
         * budget, 5 for an ending, 2 of the program's own. */
        {"Max data size", (64UL + 4 + 64 + 44 + 5 + 2) << 20},
        {"Max cpu time", 90000},
        {"Max file size", 0},
        {"Max stack size", 1048576},
        {"Max core file size", 0},
        {"Max processes", 0},
        {"Max open files", 4},
        {"Max locked memory", 0},
        {"Max pending signals", 16},
        {"Max msgqueue size", 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        unsigned long soft = 1;
        unsigned long hard = 1;

        T_EQ(sscanf(look_line(cell, "limits", rows[i].name), "%lu %lu", &soft, &hard), 2);
        if (soft != rows[i].value || hard != rows[i].value) {
            fprintf(stderr, "%s: %lu %lu\n", rows[i].name, soft, hard);
        }
        T_OK(soft == rows[i].value && hard == rows[i].value);
    }
}

/* Nothing of the host's reaches any of them, and each can be found first when memory runs out. */
static void test_rest(char tier)
{
    struct crew crew;
    char *text = NULL;
    size_t len = 0;

    crew_start(&crew, tier, NULL);
    pid_t const all[] = {crew.w.pid, crew.init, crew.zygote, crew.cell};

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        char path[64];

        snprintf(path, sizeof path, "/proc/%d/environ", (int)all[i]);
        if (fd_read_file(path, 4096, &text, &len) == 0) { /* where we may look */
            T_EQ(len, 0);
            mem_free(text);
        }
        T_STR(look_line(all[i], "status", "Umask:"), "0077");
        T_STR(look_line(all[i], "status", "Threads:"), "1");
    }
    T_OK(strncmp(look_line(crew.zygote, "limits", "Max open files"), "1024 ", 5) == 0);
    T_OK(strncmp(look_line(crew.zygote, "limits", "Max core file size"), "0 ", 2) == 0);
    T_STR(look_line(crew.zygote, "status", "THP_enabled:"), "0");
    T_STR(look_line(crew.cell, "status", "THP_enabled:"), "0");
    T_STR(look_line(crew.zygote, "oom_score_adj", ""), "800");
    T_STR(look_line(crew.cell, "oom_score_adj", ""), "800");
    check_limits(crew.cell);
    /* What the last three of those hold before a script: the stack, the engine, its program. */
    T_OK(strtoul(look_line(crew.cell, "status", "VmData:"), NULL, 10) < (64 + 11 + 2) * 1024);
    crew_end(&crew);
}

/* Real time, a negative nice, and memory without any chance in its layout. */
static void be_eager(void)
{
    const struct sched_param first = {.sched_priority = 1};

    if (setpriority(PRIO_PROCESS, 0, -5) != 0 || sched_setscheduler(0, SCHED_FIFO, &first) != 0 ||
        personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC) < 0) {
        _exit(98);
    }
}

/* Where the zygote's program lies; 0 where we may not look. */
static unsigned long place_of(pid_t zygote)
{
    return strtoul(look_line(zygote, "maps", ""), NULL, 16);
}

/* A container's root that may not kill who has another id. */
static void be_unable_to_kill(void)
{
    if (prctl(PR_CAPBSET_DROP, CAP_KILL, 0, 0, 0) != 0) {
        _exit(98);
    }
}

/* Then it gives no id away where it would have to kill its owner (tier B); and the monitor of
 * tier A keeps the id that its host can still kill, without any right. */
static void test_no_kill(void)
{
    struct crew crew;

    crew_start(&crew, 'A', be_unable_to_kill);
    T_EQ(uid_of(crew.w.pid), 0);
    check_rights(crew.w.pid, 0);
    crew_end(&crew);
    crew_start(&crew, 'B', be_unable_to_kill);
    T_EQ(crew.w.tier, 'C');
    T_OK(strstr(crew.w.notice, "CAP_KILL is missing") != NULL);
    crew_end(&crew);
}

static void test_eager_host(void)
{
    struct crew crew;
    unsigned long place;

    crew_start(&crew, 'A', be_eager);
    place = place_of(crew.zygote);
    T_EQ(getpriority(PRIO_PROCESS, (id_t)crew.cell), 0);
    T_EQ(sched_getscheduler(crew.cell), SCHED_OTHER);
    T_STR(look_line(crew.zygote, "personality", ""), "00000000");
    crew_end(&crew);
    crew_start(&crew, 'A', be_eager);
    T_OK(place != 0 && place != place_of(crew.zygote));
    crew_end(&crew);
}

static void ask_some(const struct warden *w, uint32_t first)
{
    struct cell cells[AT_ONCE];
    struct obituary died = {0};
    uint32_t walls;

    for (uint32_t i = 0; i < AT_ONCE; i++) {
        cell_ask(w, first + i, &cells[i]);
    }
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        T_EQ(cell_hello(&cells[i], &walls), 0);
        cell_done(&cells[i]);
    }
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        T_EQ(next_obituary(w, &died), 0);
        T_EQ(died.status, 0);
    }
}

/* After many cells another zygote serves, with an address layout of its own. No request is lost
 * meanwhile, a cell of the old one lives on, and nothing is left over. */
static void test_change_over(char tier)
{
    struct crew crew;
    unsigned long place;
    pid_t next;

    crew_start(&crew, tier, NULL);
    place = place_of(crew.zygote);
    for (uint32_t i = 0; i < FORKS + 5 * AT_ONCE; i += AT_ONCE) {
        ask_some(&crew.w, 100 + i);
    }
    next = find_zygote(&crew.w);
    T_OK(next != crew.zygote);
    T_EQ(kill(crew.zygote, 0), -1);
    T_EQ(session_pids(crew.w.pid, NULL), tier == 'A' ? 4 : 3);
    T_OK(place == 0 || place != place_of(next));
    T_STR(look_line(crew.cell, "status", "Seccomp:"), "2");
    crew_end(&crew);
}

/* A request that is refused at once: what was asked before it has reached the zygote's socket. */
static void pass_barrier(const struct warden *w)
{
    struct wire_spawn m = {.cell = 1000000, .language = WIRE_JAVASCRIPT};
    struct obituary died = {0};

    send_spawn(w, &m, NULL, 0);
    T_EQ(next_obituary(w, &died), 0);
    T_EQ(died.cell, m.cell);
}

/* Asks until the pause is over. */
static void ask_after_pause(const struct warden *w)
{
    struct obituary died = {0};
    uint32_t id = 5000;
    int64_t end = clock_now_ms() + PATIENCE_MS;

    do {
        struct cell c;

        cell_ask(w, id++, &c);
        cell_done(&c);
        T_EQ(next_obituary(w, &died), 0);
    } while (strstr(died.sentence, "pause") != NULL && clock_now_ms() < end);
    T_EQ(died.status, 0);
}

/* The cells that a zygote was asked for and had not made when it died are told, each; after a pause
 * the next one serves. */
static void test_zygote_dies(void)
{
    struct crew crew;

    crew_start(&crew, 'A', NULL);
    kill(crew.zygote, SIGSTOP);
    for (uint32_t i = 0; i < MANY; i++) {
        struct cell c;

        cell_ask(&crew.w, 100 + i, &c);
        cell_done(&c);
    }
    pass_barrier(&crew.w);
    kill(crew.zygote, SIGKILL);
    for (uint32_t i = 0; i < MANY; i++) {
        struct obituary died = {0};

        T_EQ(next_obituary(&crew.w, &died), 0);
        T_OK(strstr(died.sentence, "zygote died") != NULL);
    }
    ask_after_pause(&crew.w);
    crew_end(&crew);
}

/* The next start's refusal. */
static void refuses(char tier, void (*hostile)(void), const char *part)
{
    struct warden w;

    T_EQ(warden_start(&w, tier, hostile), -EPERM);
    T_OK(strstr(w.notice, part) != NULL);
    if (strstr(w.notice, part) == NULL) {
        fprintf(stderr, "  \"%s\" is not in: %s\n", part, w.notice);
    }
    close(w.control);
    waitpid(w.pid, NULL, 0);
    T_EQ(survivors(w.pid), 0);
}

/* Makes system calls answer ENOSYS. */
static void lack(const unsigned *calls, unsigned char n)
{
    struct sock_filter code[16] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {.len = (unsigned short)(n + 3), .filter = code};

    for (unsigned char i = 0; i < n; i++) {
        code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i],
                                                   (unsigned char)(n - i), 0);
    }
    code[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
        _exit(98);
    }
}

/* An old kernel: no close_range, no clone3, no Landlock. A descriptor lies open
 * far beyond where a short look would find it. */
static void be_old(void)
{
    static const unsigned calls[] = {SYS_close_range, SYS_clone3, 444, 445, 446};

    dup2(3, 700);
    lack(calls, ARRAY_SIZE(calls));
}

static void be_older(void)
{
    static const unsigned calls[] = {SYS_pidfd_open};

    lack(calls, ARRAY_SIZE(calls));
}

static void test_old_kernels(char tier)
{
    struct crew crew;
    size_t n = 0;

    crew_start(&crew, tier, be_old);
    T_OK(strstr(crew.w.notice, "Landlock") != NULL);
    for (int fd = 0; fd < 1024 && geteuid() == 0; fd++) {
        char path[64];
        char to[64];

        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)crew.cell, fd);
        n += readlink(path, to, sizeof to) > 0;
    }
    T_EQ(n, geteuid() == 0 ? 4 : 0);
    crew_end(&crew);
    refuses(tier, be_older, "Linux 5.4");
}

static void limit(int resource, rlim_t most)
{
    struct rlimit both = {most, most};

    setrlimit((__rlimit_resource_t)resource, &both);
}

static void be_short_of_stack(void)
{
    limit(RLIMIT_STACK, 64 * 1024);
}

static void be_without_files(void)
{
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_MEMLOCK, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_MSGQUEUE, 0);
    limit(RLIMIT_SIGPENDING, 0);
}

static void be_short_of_space(void)
{
    limit(RLIMIT_AS, 64UL << 30);
}

static void be_short_of_data(void)
{
    limit(RLIMIT_DATA, 32UL << 20);
}

static void be_short_of_descriptors(void)
{
    limit(RLIMIT_NOFILE, 15);
}

/* Just enough. */
static void be_thrifty(void)
{
    limit(RLIMIT_NOFILE, 16);
}

static void be_short_of_time(void)
{
    limit(RLIMIT_CPU, 1);
}

/* What a narrow limit leaves out is told by its name; under the rest a cell runs, and keeps the
 * narrower one. */
static void test_narrow_limits(char tier)
{
    struct crew crew;

    refuses(tier, be_short_of_space, "ulimit -v");
    refuses(tier, be_short_of_data, "ulimit -d");
    refuses(tier, be_short_of_descriptors, "ulimit -n");
    crew_start(&crew, tier, be_short_of_stack);
    T_OK(strncmp(look_line(crew.cell, "limits", "Max stack size"), "65536 ", 6) == 0);
    crew_end(&crew);
    crew_start(&crew, tier, be_without_files);
    T_OK(strncmp(look_line(crew.cell, "limits", "Max pending signals"), "0 ", 2) == 0);
    crew_end(&crew);
    crew_start(&crew, tier, be_thrifty);
    crew_end(&crew);
}

/* As pid 1 the cell dies at the hard limit, by SIGKILL, which nobody else sent. */
static void test_inherited_time(char tier)
{
    struct crew crew;
    struct obituary died = {0};

    crew_start(&crew, tier, be_short_of_time);
    cell_run(&crew.c, "for (;;) {}");
    T_EQ(next_obituary(&crew.w, &died), 0);
    T_OK(WIFSIGNALED(died.status));
    T_OK(strstr(died.sentence, "ulimit -t") != NULL);
    crew_end(&crew);
}

static void test_tier(char tier)
{
    test_rights(tier);
    test_rest(tier);
    test_old_kernels(tier);
    test_narrow_limits(tier);
}

static void test_user_tiers(void)
{
    test_tier('A');
    test_tier('C');
}

int main(void)
{
    warden_program();
    test_tier('A');
    test_tier('B');
    test_tier('C');
    if (geteuid() == 0) {
        test_eager_host();
        test_no_kill();
    }
    test_inherited_time('A');
    test_inherited_time('C');
    test_change_over('A');
    if (getenv("SOAK") != NULL) {
        test_change_over('C');
    }
    test_zygote_dies();
    as_user(test_user_tiers);
    return T_DONE("processes");
}
