/* SPDX-License-Identifier: MIT
 *
 * The warden as its host sees it, in every tier that this machine can raise: this program
 * plays the host (warden-host.h). What kills leave behind is kills-test's to look at.
 */
#include "t.h"
#include "warden-host.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>

enum { LEAK_CELLS = 100, MANY = 64 };

static char tier_wanted(char asked)
{
    if (asked == 'B' && geteuid() != 0) {
        return 'C';
    }
    return asked;
}

static const char *last_word(const char *line)
{
    const char *tab = strrchr(line, '\t');

    return tab != NULL ? tab + 1 : line;
}

/* What the kernel says of a cell that waits for its script. */
static void check_status(pid_t pid, char tier)
{
    static const char *const none[] = {"CapInh:", "CapPrm:", "CapEff:", "CapAmb:"};

    T_OK(pid > 0);
    T_STR(look_line(pid, "status", "Seccomp:"), "2");
    T_STR(look_line(pid, "status", "NoNewPrivs:"), "1");
    T_STR(look_line(pid, "status", "SigBlk:"), "0000000000000000");
    T_STR(look_line(pid, "status", "SigIgn:"), "0000000001001000"); /* SIGPIPE, SIGXFSZ */
    T_STR(look_line(pid, "status", "Threads:"), "1");
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        T_STR(look_line(pid, "status", none[i]), "0000000000000000");
    }
    if (tier != 'C') {
        T_STR(look_line(pid, "status", "CapBnd:"), "0000000000000000");
    }
    if (geteuid() == 0) {
        T_OK(strtoul(look_line(pid, "status", "Uid:"), NULL, 10) >= 60000);
        T_STR(look_line(pid, "status", "Groups:"), "");
    }
    if (tier == 'A') {
        T_STR(last_word(look_line(pid, "status", "NSpid:")), "1");
    } else {
        T_OK(strcmp(last_word(look_line(pid, "status", "NSpid:")), "1") != 0);
    }
    T_OK(strncmp(look_line(pid, "limits", "Max file size"), "0 ", 2) == 0);
    T_OK(strncmp(look_line(pid, "limits", "Max processes"), "0 ", 2) == 0);
    T_OK(strncmp(look_line(pid, "limits", "Max core file size"), "0 ", 2) == 0);
    T_OK(strncmp(look_line(pid, "limits", "Max data size"), "unlimited", 9) != 0);
}

/* What only root may look at, since cells are not dumpable: descriptors and mounts. */
static void check_inside(pid_t pid, char tier)
{
    char path[64];
    char *text = NULL;
    size_t len = 0;
    size_t n = 0;

    if (geteuid() != 0) {
        return;
    }
    for (int fd = 0; fd < 64; fd++) {
        char to[64] = "";

        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
        if (readlink(path, to, sizeof to - 1) > 0) {
            n++;
            T_OK(fd > 2 || strcmp(to, "/dev/null") == 0);
            T_OK(fd != 3 || strncmp(to, "socket:", 7) == 0);
        }
    }
    T_EQ(n, 4);
    if (tier == 'A') {
        snprintf(path, sizeof path, "/proc/%d/mountinfo", (int)pid);
        T_EQ(fd_read_file(path, 65536, &text, &len), 0);
        T_OK(text != NULL && strchr(text, '\n') == text + len - 1); /* one mount */
        T_OK(text != NULL && strstr(text, " / ro,") != NULL);
        mem_free(text);
    }
    if (tier == 'B') {
        char root[256] = "";

        snprintf(path, sizeof path, "/proc/%d/root", (int)pid);
        T_OK(readlink(path, root, sizeof root - 1) > 0 && strstr(root, "deleted") != NULL);
    }
}

static void test_cell(char asked)
{
    struct warden w;
    struct cell c;
    struct obituary died = {0};
    uint32_t walls = 0;
    uint32_t wanted =
        WIRE_WALL_SECCOMP | WIRE_WALL_NO_NEW_PRIVS | WIRE_WALL_LIMITS | WIRE_WALL_NO_CAPS;

    T_EQ(warden_start(&w, asked, NULL), 0);
    T_EQ(w.tier, tier_wanted(asked));
    T_OK(asked == 'B' || strlen(w.notice) == 0);
    cell_ask(&w, 5, &c);
    T_EQ(cell_hello(&c, &walls), 0);
    T_EQ(walls & wanted, wanted);
    T_EQ((walls & WIRE_WALL_PID_NS) != 0, w.tier == 'A');
    check_status(find_cell(&w), w.tier);
    check_inside(find_cell(&w), w.tier);
    send_kill(&w, 6); /* unknown: ignored */
    send_kill(&w, 5);
    T_EQ(next_obituary(&w, &died), 0);
    T_EQ(died.cell, 5);
    T_OK(WIFSIGNALED(died.status) && WTERMSIG(died.status) == SIGKILL);
    T_STR(died.sentence, "");
    T_OK(died.peak_kib > 0);
    cell_done(&c);
    warden_end(&w);
}

static void send_answer(const struct cell *c, uint32_t id)
{
    _cleanup_(buf_done) struct buf out = buf_max(4096);
    struct wire_result m = {
        .id = id, .kind = WIRE_RES_ANSWER, .payload = bytes_str("{\"content\":[]}")};

    wire_put_result(&out, &m);
    T_EQ(fd_write_all(c->socket, buf_bytes(&out)), 0);
}

/* The next frame, which must be of this type; its body is in's. */
static struct bytes expect(const struct cell *c, struct buf *in, uint32_t type)
{
    struct frame f = {0};

    T_EQ(cell_frame(c, in, &f), 0);
    T_STR(wire_name(f.type), wire_name(type));
    return f.body;
}

/* A whole conversation: start, calls and answers, the ending, the obituary. An answer is seen
 * before the call that the script makes next. */
static void test_script(char asked)
{
    _cleanup_(buf_done) struct buf in = buf_max(WIRE_MIB);
    struct warden w;
    struct cell c;
    struct wire_call call = {0};
    struct wire_ending ending = {0};
    struct obituary died = {0};

    T_EQ(warden_start(&w, asked, NULL), 0);
    cell_start(&w, 1, &c);
    cell_run(&c, "text('hello'); await tools.t({a: 1}); const r = await tools.t({});"
                 "return r.content.length");
    expect(&c, &in, WIRE_MSG_output);
    T_EQ(wire_get_call(expect(&c, &in, WIRE_MSG_call), &call), 0);
    T_OK(bytes_is(call.name, "t") && bytes_is(call.args, "{\"a\":1}"));
    send_answer(&c, call.id);
    expect(&c, &in, WIRE_MSG_seen);
    T_EQ(wire_get_call(expect(&c, &in, WIRE_MSG_call), &call), 0);
    send_answer(&c, call.id);
    expect(&c, &in, WIRE_MSG_seen);
    T_EQ(wire_get_ending(expect(&c, &in, WIRE_MSG_ending), &ending), 0);
    T_EQ(ending.kind, WIRE_END_FINISHED);
    T_OK(bytes_is(ending.value, "0"));
    T_EQ(next_obituary(&w, &died), 0);
    T_OK(WIFEXITED(died.status) && WEXITSTATUS(died.status) == 0);
    cell_done(&c);
    warden_end(&w);
}

/* A waiting script hears a stop frame, a computing one the flag in the page. */
static void test_stop(char asked)
{
    _cleanup_(buf_done) struct buf in = buf_max(WIRE_MIB);
    _cleanup_(buf_done) struct buf out = buf_max(64);
    struct warden w;
    struct cell waiting;
    struct cell computing;
    struct frame f;
    struct wire_ending ending = {0};

    T_EQ(warden_start(&w, asked, NULL), 0);
    cell_start(&w, 1, &waiting);
    cell_start(&w, 2, &computing);
    cell_run(&waiting, "await tools.t({})");
    cell_run(&computing, "for (;;) {}");
    T_EQ(cell_frame(&waiting, &in, &f), 0);
    T_EQ(f.type, WIRE_MSG_call);
    wire_put_stop(&out, &(struct wire_stop){.reason = 1});
    fd_write_all(waiting.socket, buf_bytes(&out));
    T_EQ(cell_frame(&waiting, &in, &f), 0);
    T_EQ(wire_get_ending(f.body, &ending), 0);
    T_EQ(ending.kind, WIRE_END_STOPPED);
    poll(NULL, 0, 20);
    computing.page->stop = 1;
    T_EQ(cell_frame(&computing, &in, &f), 0);
    T_EQ(wire_get_ending(f.body, &ending), 0);
    T_EQ(ending.kind, WIRE_END_STOPPED);
    cell_done(&computing);
    cell_start(&w, 3, &computing);
    computing.page->stop = 1; /* before its script has come */
    cell_run(&computing, "return 1");
    T_OK(cell_frame(&computing, &in, &f) == 0 && wire_get_ending(f.body, &ending) == 0);
    T_EQ(ending.kind, WIRE_END_STOPPED);
    cell_done(&waiting);
    cell_done(&computing);
    warden_end(&w);
}

/* A host that hangs up, and one that sends nonsense, end the cell alone. */
static void test_cell_ends(char asked)
{
    static const uint8_t nonsense[] = {1, 0, 0, 0, 200};
    struct warden w;
    struct cell c;
    struct obituary died = {0};
    pid_t pid;

    T_EQ(warden_start(&w, asked, NULL), 0);
    cell_start(&w, 1, &c);
    cell_done(&c);
    T_EQ(next_obituary(&w, &died), 0);
    T_EQ(died.status, 0);
    T_STR(died.sentence, "");

    cell_start(&w, 2, &c);
    fd_write_all(c.socket, bytes_of(nonsense, sizeof nonsense));
    T_EQ(next_obituary(&w, &died), 0);
    T_OK(WIFEXITED(died.status) && WEXITSTATUS(died.status) > WIRE_EXIT_START);
    T_OK(strstr(died.sentence, "protocol") != NULL);
    cell_done(&c);

    cell_start(&w, 3, &c);
    pid = find_cell(&w);
    T_OK(pid > 0);
    kill(pid, SIGKILL);
    T_EQ(next_obituary(&w, &died), 0);
    T_EQ(died.cell, 3);
    T_OK(strstr(died.sentence, "from outside") != NULL);
    cell_done(&c);
    warden_end(&w);
}

static void expect_refusal(const struct warden *w, const struct wire_spawn *m, const int *fds,
                           size_t n, const char *word)
{
    struct obituary died = {0};

    send_spawn(w, m, fds, n);
    T_EQ(next_obituary(w, &died), 0);
    T_EQ(died.cell, m->cell);
    T_EQ(died.status, WIRE_EXIT_START << 8);
    T_OK(strstr(died.sentence, word) != NULL);
}

static void test_bad_spawns(char asked)
{
    struct wire_spawn good = {.cell = 1, .language = WIRE_JAVASCRIPT, .memory_bytes = MEMORY};
    struct wire_spawn m;
    struct warden w;
    struct cell c;
    int page = make_page(true);
    int unsealed = make_page(false);
    int pair[2];

    T_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    T_EQ(warden_start(&w, asked, NULL), 0);
    expect_refusal(&w, &good, NULL, 0, "two descriptors");
    expect_refusal(&w, &good, pair, 1, "two descriptors");
    expect_refusal(&w, &good, (int[]){pair[1], unsealed}, 2, "sealed");
    expect_refusal(&w, &good, pair, 2, "sealed");
    m = good;
    m.language = WIRE_PYTHON;
    expect_refusal(&w, &m, (int[]){pair[1], page}, 2, "JavaScript");
    m = good;
    m.memory_bytes = 0;
    expect_refusal(&w, &m, (int[]){pair[1], page}, 2, "memory");
    cell_start(&w, 1, &c); /* and it serves on */
    cell_done(&c);
    close(page);
    close(unsealed);
    close(pair[0]);
    close(pair[1]);
    warden_end(&w);
}

/* Whatever a host sends that it may not ends the warden, and with it the cells. */
static void test_bad_packets(char asked)
{
    static const struct {
        uint8_t bytes[12];
        size_t len;
    } bad[] = {
        {{0}, 1},
        {{0, 0, 0, 0, 0}, 5},
        {{1, 0, 0, 0, 200}, 5},                           /* no such type */
        {{1, 0, 0, 0, WIRE_MSG_kill}, 5},                 /* a field is missing */
        {{5, 0, 0, 0, WIRE_MSG_kill, 1}, 6},              /* shorter than it says */
        {{5, 0, 0, 0, WIRE_MSG_kill, 1, 0, 0, 0, 9}, 10}, /* longer */
        {{5, 0, 0, 0, WIRE_MSG_stop, 1, 0, 0, 0}, 9},     /* a cell's */
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct warden w;
        struct cell c;
        struct packet p;
        struct frame f;

        T_EQ(warden_start(&w, asked, NULL), 0);
        cell_start(&w, 1, &c);
        T_EQ(packet_send(w.control, true, bytes_of(bad[i].bytes, bad[i].len), NULL, 0), 0);
        T_EQ(next_packet(&w, &p, &f), -EPIPE);
        cell_done(&c);
        warden_end(&w);
    }
}

/* A zygote that dies is made again; one that dies young, after a pause. */
static void test_zygote_dies(char asked)
{
    struct warden w;
    struct cell c;
    struct obituary died = {0};
    struct wire_spawn m = {.cell = 3, .language = WIRE_JAVASCRIPT, .memory_bytes = MEMORY};
    int page = make_page(true);
    int pair[2];

    T_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    T_EQ(warden_start(&w, asked, NULL), 0);
    poll(NULL, 0, 1100); /* no longer young */
    kill(find_zygote(&w), SIGKILL);
    poll(NULL, 0, 50);
    cell_start(&w, 1, &c);
    cell_done(&c);
    T_EQ(next_obituary(&w, &died), 0);
    kill(find_zygote(&w), SIGKILL); /* young: a pause of 100 ms */
    poll(NULL, 0, 20);
    expect_refusal(&w, &m, (int[]){pair[1], page}, 2, "pause");
    poll(NULL, 0, 200);
    cell_start(&w, 4, &c);
    cell_done(&c);
    close(page);
    close(pair[0]);
    close(pair[1]);
    warden_end(&w);
}

/* What a careless host may hand down. */
static void be_hostile(void)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct rlimit files = {.rlim_cur = 400, .rlim_max = 400};
    char folder[] = "/tmp/torno-test-XXXXXX";
    sigset_t all;

    for (int i = 20; i < 220; i++) {
        dup2(3, i);
    }
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &ignored, NULL);
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setrlimit(RLIMIT_NOFILE, &files);
    umask(0);
    if (mkdtemp(folder) != NULL && chdir(folder) == 0) {
        rmdir(folder);
    }
    alarm(1);
    close(0);
    close(1);
    close(2);
}

static void test_hostile(char asked)
{
    struct warden w;
    struct cell c;

    T_EQ(warden_start(&w, asked, be_hostile), 0);
    cell_start(&w, 1, &c);
    check_status(find_cell(&w), w.tier);
    check_inside(find_cell(&w), w.tier);
    poll(NULL, 0, asked == 'A' ? 1200 : 0); /* past the inherited alarm */
    cell_done(&c);
    cell_start(&w, 2, &c);
    cell_done(&c);
    warden_end(&w);
}

/* Many cells leave nothing: no process, no zombie, no descriptor of the init's. */
static void test_leaks(char asked)
{
    struct warden w;
    struct obituary died = {0};

    T_EQ(warden_start(&w, asked, NULL), 0);
    for (uint32_t i = 0; i < LEAK_CELLS; i++) {
        struct cell c;

        cell_start(&w, i, &c);
        cell_done(&c);
        T_EQ(next_obituary(&w, &died), 0);
        T_EQ(died.cell, i);
    }
    T_EQ(session_pids(w.pid, NULL), w.tier == 'A' ? 3 : 2);
    warden_end(&w);
}

/* Many at once, killed in one go. */
static void test_many(char asked)
{
    static struct cell cells[MANY];
    struct warden w;
    struct obituary died = {0};

    T_EQ(warden_start(&w, asked, NULL), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        cell_ask(&w, i, &cells[i]);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        send_kill(&w, i); /* some have no pid yet */
    }
    for (uint32_t i = 0; i < MANY; i++) {
        T_EQ(next_obituary(&w, &died), 0);
        T_OK(WIFSIGNALED(died.status) && WTERMSIG(died.status) == SIGKILL);
        cell_done(&cells[i]);
    }
    warden_end(&w);
}

/* A host that is gone before the warden looks: it must not stay. */
static void test_wrong_host(void)
{
    int pair[2];
    int status = 0;
    pid_t pid;

    T_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    pid = fork();
    if (pid == 0) {
        exec_warden(pair[1], 1, 'A', NULL); /* pid 1 is not its parent */
    }
    waitpid(pid, &status, 0);
    T_EQ(WEXITSTATUS(status), 1);
    close(pair[0]);
    close(pair[1]);
}

/* A container's usual filter: no clone3, no namespaces, no mounts. */
static void be_contained(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};

    if (geteuid() != 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    }
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
        _exit(98);
    }
}

/* The best that there is, where that is not tier A: told with its cause. */
static void test_contained(void)
{
    struct warden w;
    struct cell c;

    T_EQ(warden_start(&w, 'A', be_contained), 0);
    T_EQ(w.tier, geteuid() == 0 ? 'B' : 'C');
    T_OK(strstr(w.notice, "namespaces") != NULL);
    cell_start(&w, 1, &c);
    check_status(find_cell(&w), w.tier);
    cell_done(&c);
    warden_end(&w);
}

static void be_short_of_space(void)
{
    struct rlimit space = {.rlim_cur = 256UL << 20, .rlim_max = 256UL << 20};

    setrlimit(RLIMIT_AS, &space);
}

static void test_refused(void)
{
    struct warden w;
    int status = -1;

    T_EQ(warden_start(&w, 'A', be_short_of_space), -EPERM);
    T_OK(strstr(w.notice, "ulimit -v") != NULL);
    close(w.control);
    waitpid(w.pid, &status, 0);
    T_EQ(survivors(w.pid), 0);
}

/* A warden that ends takes spinning cells along before it is gone itself. */
static void test_end(char asked)
{
    struct cell cells[8];
    struct warden w;

    T_EQ(warden_start(&w, asked, NULL), 0);
    for (uint32_t i = 0; i < ARRAY_SIZE(cells); i++) {
        cell_start(&w, i, &cells[i]);
        cell_run(&cells[i], "for (;;) {}");
    }
    warden_end(&w);
    for (uint32_t i = 0; i < ARRAY_SIZE(cells); i++) {
        cell_done(&cells[i]);
    }
}

static void test_tier(char tier)
{
    test_cell(tier);
    test_script(tier);
    test_stop(tier);
    test_end(tier);
    test_cell_ends(tier);
    test_bad_spawns(tier);
    test_bad_packets(tier);
    test_zygote_dies(tier);
    test_hostile(tier);
    test_leaks(tier);
    test_many(tier);
}

static void test_user_tiers(void)
{
    test_tier('A');
    test_tier('C');
    test_contained();
}

int main(void)
{
    warden_program();
    test_tier('A');
    test_tier('B');
    test_tier('C');
    test_contained();
    test_refused();
    test_wrong_host();
    as_user(test_user_tiers);
    return T_DONE("warden");
}
