/* SPDX-License-Identifier: MIT
 *
 * Each wall of a cell switched off alone, in every tier, and what then still stops native code:
 * the escapes of tests/walls/escapes.c, in the test build torno-warden-ablate, against baits that
 * this program lays out (a file, sockets, a process, shared memory, a queue).
 *
 * With the filter off, every other wall is taken away beside it in turn: where an escape then goes
 * through, that wall alone had held it. The outcome is doc/walls.md, written by this program with
 * UPDATE=1 and else compared with it, byte for byte, where root runs it on a kernel that has what
 * the table is about, the same as it was found on. Everywhere: no escape goes through while all
 * walls stand, and none but those of few_rows while one wall other than the filter is off. The
 * program that is installed has no such switch.
 */
#define WARDEN_FOLDER  "TESTBIN"
#define WARDEN_PROGRAM "build/plain/test", "torno-warden-ablate"
#include "baits.h"
#include "unit/t.h"
#include "unit/warden-host.h"

#include <sys/utsname.h>

enum { MAX_ESCAPES = 64, BATCH = 8, WORD = 24, MAX_TIERS = 5 };

static const struct escape {
    const char *name; /* in escapes.c, with a number of its own where it takes one */
    enum aim aim;
    const char *what;
} escapes[] = {
    {"read-file", FILE_, "read a file that everybody may read"},
    {"write-file", FILE_, "write to a file that everybody may write"},
    {"make-file", NEW_FILE, "make a file in a folder that is open to all"},
    {"stat", FILE_, "see whether a file exists"},
    {"touch", FILE_, "change a file's times"},
    {"chdir", FOLDER, "enter a folder"},
    {"list-root", NOTHING, "list the root folder"},
    {"mount", MOUNT, "mount a file system"},
    {"chroot", NOTHING, "change its root folder"},
    {"hostname", NOTHING, "set the machine's name"},
    {"exec", NOTHING, "run a program"},
    {"tcp", PORT, "connect to a TCP port of this machine"},
    {"udp", PORT, "send UDP to this machine"},
    {"tcp-listen", NOTHING, "listen on a TCP port"},
    {"unix", SOCKET, "connect to a local socket by path"},
    {"unix", ABSTRACT, "connect to a local socket by abstract name"},
    {"family 16", NOTHING, "open a socket to the kernel (netlink)"},
    {"family 40", NOTHING, "open a socket to the hypervisor (vsock)"},
    {"send-descriptor", NOTHING, "send its host a descriptor"},
    {"descriptors", NOTHING, "use a descriptor beside its four"},
    {"dup", NOTHING, "have a fifth descriptor"},
    {"fork", NOTHING, "make a process"},
    {"thread", NOTHING, "make a thread"},
    {"signal", VICTIM, "signal a process of the same user as the warden"},
    {"signal-all", NOTHING, "signal all that it may"},
    {"see-process", VICTIM, "see whether a process exists"},
    {"ptrace", VICTIM, "trace a process"},
    {"read-memory", VICTIM, "read a process's memory"},
    {"pidfd", VICTIM, "hold a process by descriptor"},
    {"limits-of", VICTIM, "read a process's limits"},
    {"shm", SHM, "reach shared memory (System V)"},
    {"queue", QUEUE, "reach a message queue (POSIX)"},
    {"key", NOTHING, "keep a key in the kernel"},
    {"user-space", NOTHING, "make a user namespace"},
    {"other-uid", NOTHING, "become another user"},
    {"caps", NOTHING, "have a capability"},
    {"raise-limit", NOTHING, "raise a limit"},
    {"nice", NOTHING, "run before others"},
    {"dumpable", NOTHING, "make its memory readable to others"},
    {"deathsig", NOTHING, "undo the signal of the warden's death"},
    {"exec-data", NOTHING, "make data executable"},
    {"exec-map", NOTHING, "map memory that is writable and executable"},
    {"shared-memory", NOTHING, "map 1 GiB of shared memory"},
    {"private-memory", NOTHING, "map 1 GiB of private memory"},
    {"grow", NOTHING, "grow by 1 GiB where the engine grows"},
    {"lock-memory", NOTHING, "lock memory"},
    {"memory-file", NOTHING, "keep 1 MiB in a memory file"},
    {"ring", NOTHING, "make an io_uring"},
    {"timers", NOTHING, "make 64 timers"},
    {"clock", NOTHING, "read a precise clock"},
};
enum { ESCAPES = ARRAY_SIZE(escapes) };

static const struct wall {
    const char *name; /* as ablate.c knows it */
    const char *what;
    bool is_of_a;    /* in tier A alone */
    bool is_of_root; /* where root starts the warden alone */
} walls[] = {
    {"landlock", "Landlock", false, false},
    {"limits", "limits", false, false},
    {"no-new-privs", "no new privileges", false, false},
    {"caps", "capabilities", false, false},
    {"uid", "user id", false, true},
    {"descriptors", "descriptors", false, false},
    {"dumpable", "unreadable memory", false, false},
    {"mdwe", "MDWE", false, false},
    {"root", "empty root", false, false},
    {"pid-ns", "pid namespace", true, false},
    {"net-ns", "network namespace", true, false},
    {"ipc-ns", "ipc namespace", true, false},
};
enum { WALLS = ARRAY_SIZE(walls) };

/* What goes through although all walls but one, which is not the filter, stand. */
static const struct {
    const char *off;
    const char *escape;
} few_rows[] = {
    {"limits", "grow"},
    {"descriptors", "descriptors"},
};

struct outcomes {
    char words[ESCAPES][WORD]; /* "SIGSYS", the name of an errno, "through", "no cell" */
};

struct tier_report {
    char tier;
    bool is_user;
    struct outcomes all;
    struct outcomes no_filter;
    struct outcomes singles[WALLS];
    char held[ESCAPES][256]; /* by what, with the filter off */
};

/* Of all tiers, in memory that the ordinary user's process shares. */
static struct {
    struct tier_report tiers[MAX_TIERS];
    size_t n;
} * report;

static void put_code(const struct escape *e, char tier, char *ret, size_t size)
{
    const pid_t self = getpid();

    switch (e->aim) {
    case NOTHING:
        snprintf(ret, size, "%s", e->name);
        break;
    case FILE_:
    case FOLDER:
        snprintf(ret, size, "%s %s", e->name, e->aim == FILE_ ? bait.file : bait.folder);
        break;
    case NEW_FILE:
        snprintf(ret, size, "%s %s", e->name, bait.made);
        break;
    case MOUNT: /* in tier A over its own root: nobody else sees that */
        snprintf(ret, size, "%s %s", e->name, tier == 'A' ? "/" : bait.mount);
        break;
    case PORT:
        snprintf(ret, size, "%s %d", e->name, bait.port);
        break;
    case SOCKET:
    case ABSTRACT:
        snprintf(ret, size, "%s %s", e->name, e->aim == SOCKET ? bait.socket : bait.abstract);
        break;
    case VICTIM:
        snprintf(ret, size, "%s %d", e->name, (int)bait.victim);
        break;
    case SHM:
        snprintf(ret, size, "%s %d", e->name, (int)(0x70000000 + self));
        break;
    case QUEUE:
        snprintf(ret, size, "%s %s", e->name, bait.queue + 1);
        break;
    }
}

/* ---- a warden without some walls, and every escape in a cell of its own ---- */

static void hear_end(const struct cell *c, char *ret_word)
{
    _cleanup_(buf_done) struct buf in = buf_max(WIRE_MIB);
    struct wire_ending ending;
    struct frame f;

    if (cell_frame(c, &in, &f) == 0 && f.type == WIRE_MSG_ending &&
        wire_get_ending(f.body, &ending) == 0 && ending.value.len > 2) {
        snprintf(ret_word, WORD, "%.*s", (int)ending.value.len - 2,
                 (const char *)ending.value.ptr + 1);
    }
}

static void hear_death(const struct warden *w, struct outcomes *out)
{
    struct obituary died = {0};
    char *word;

    if (next_obituary(w, &died) != 0 || died.cell >= ESCAPES) {
        T_FAIL("a cell's obituary did not come");
        return;
    }
    word = out->words[died.cell];
    if (word[0] != '\0') {
        return; /* it told by itself */
    }
    if (WIFSIGNALED(died.status)) {
        snprintf(word, WORD, "SIG%s", sigabbrev_np(WTERMSIG(died.status)));
    } else if (died.status == 0) {
        snprintf(word, WORD, "through"); /* it became another program */
    } else {
        snprintf(word, WORD, "no cell");
    }
}

static void run_batch(const struct warden *w, uint32_t first, uint32_t n, struct outcomes *out)
{
    struct cell cells[BATCH];
    char code[256];

    for (uint32_t i = 0; i < n; i++) {
        cell_ask(w, first + i, &cells[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t claims;

        out->words[first + i][0] = '\0';
        if (cell_hello(&cells[i], &claims) == 0) {
            put_code(&escapes[first + i], w->tier, code, sizeof code);
            cell_run(&cells[i], code);
            hear_end(&cells[i], out->words[first + i]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        cell_done(&cells[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        hear_death(w, out);
    }
}

/* Every escape, where these walls are off. */
static void run_all(char tier, const char *off, const char *also_off, struct outcomes *ret)
{
    static char variable[128];
    struct warden w;

    snprintf(variable, sizeof variable, "TORNO_WITHOUT=%s%s%s", off, also_off[0] != '\0' ? "," : "",
             also_off);
    warden_variable = variable;
    if (warden_start(&w, tier, NULL) != 0) {
        fprintf(stderr, "without %s, %s: %s\n", off, also_off, w.notice);
        T_FAIL("the warden is not up");
        return;
    }
    T_EQ(w.tier, tier);
    T_OK(strstr(w.notice, "test build") != NULL);
    for (uint32_t at = 0; at < ESCAPES; at += BATCH) {
        run_batch(&w, at, ESCAPES - at < BATCH ? ESCAPES - at : BATCH, ret);
    }
    close(w.control);
    waitpid(w.pid, NULL, 0);
    T_EQ(survivors(w.pid), 0); /* a process that a cell could make ends by itself */
    unlink(bait.made);
}

static bool is_through(const struct outcomes *o, size_t escape)
{
    return strcmp(o->words[escape], "through") == 0;
}

/* ---- the judgement ---- */

static bool is_few(const char *off, const char *escape)
{
    for (size_t i = 0; i < ARRAY_SIZE(few_rows); i++) {
        if (strcmp(few_rows[i].off, off) == 0 && strcmp(few_rows[i].escape, escape) == 0) {
            return true;
        }
    }
    return strcmp(escape, "clock") == 0;
}

static void check(const struct tier_report *t, const struct outcomes *o, const char *off)
{
    for (size_t i = 0; i < ESCAPES; i++) {
        bool is_good = is_through(o, i) == is_few(off, escapes[i].name);

        if (strcmp(off, "no-new-privs") == 0) {
            is_good = strcmp(o->words[i], "no cell") == 0; /* the filter cannot be raised then */
        }
        if (!is_good) {
            fprintf(stderr, "tier %c%s, without %s: %s: %s\n", t->tier, t->is_user ? ", user" : "",
                    off, escapes[i].what, o->words[i]);
        }
        T_OK(is_good);
    }
}

static bool is_raised_in(const struct wall *wall, const struct tier_report *t)
{
    if (strcmp(wall->name, "root") == 0 && t->tier == 'C') {
        return false;
    }
    return (!wall->is_of_a || t->tier == 'A') &&
           (!wall->is_of_root || (!t->is_user && t->tier != 'C'));
}

/* With the filter off and each other wall in turn: which one alone had held each escape. */
static void find_second_walls(struct tier_report *t)
{
    for (size_t k = 0; k < WALLS; k++) {
        struct outcomes pair;

        if (!is_raised_in(&walls[k], t)) {
            continue;
        }
        run_all(t->tier, "seccomp", walls[k].name, &pair);
        for (size_t i = 0; i < ESCAPES; i++) {
            size_t len = strlen(t->held[i]);

            if (is_through(&pair, i) && !is_through(&t->no_filter, i)) {
                snprintf(t->held[i] + len, sizeof t->held[i] - len, "%s%s", len > 0 ? " with " : "",
                         walls[k].what);
            }
        }
    }
}

static void test_tier(char tier, bool is_user)
{
    struct tier_report *t = &report->tiers[report->n++];

    *t = (struct tier_report){.tier = tier, .is_user = is_user};
    lay_baits();
    run_all(tier, "", "", &t->all);
    check(t, &t->all, "");
    for (size_t k = 0; k < WALLS; k++) {
        if (is_raised_in(&walls[k], t)) {
            run_all(tier, walls[k].name, "", &t->singles[k]);
            check(t, &t->singles[k], walls[k].name);
        }
    }
    run_all(tier, "seccomp", "", &t->no_filter);
    find_second_walls(t);
    take_baits_away();
}

/* ---- the document ---- */

/* "6.18": refusals of kernels differ, so that only the same one is compared. */
static const char *kernel(void)
{
    static struct utsname name;
    size_t len;

    uname(&name);
    len = strcspn(name.release, ".");
    len += name.release[len] == '.' ? 1 + strspn(name.release + len + 1, "0123456789") : 0;
    name.release[len] = '\0';
    return name.release;
}

static void put_held(struct buf *out, const struct tier_report *t, size_t escape)
{
    if (is_through(&t->no_filter, escape)) {
        buf_put_str(out, " **nothing** |");
    } else if (t->held[escape][0] != '\0') {
        buf_printf(out, " %s |", t->held[escape]);
    } else {
        buf_printf(out, " several (%s) |", t->no_filter.words[escape]);
    }
}

static void put_document(struct buf *out)
{
    buf_put_str(
        out,
        "# What each wall stops, and what stops it then\n\n"
        "Written by `tests/walls/ablation-test.c` (run with UPDATE=1) and compared with what it\n"
        "finds whenever it runs. Native code in a cell tries each line for real, against baits, "
        "in\n"
        "a test build of the warden that can leave walls out.\n\n"
        "\"Stopped by\" is what happens while all walls stand: SIGSYS is the filter's kill. The\n"
        "other columns say what still holds where the filter is off, found by taking away each\n"
        "other wall beside it: a name is the wall that alone holds then (two, joined by \"with\",\n"
        "where each is needed), \"several\" that more than one does, with the refusal that was\n"
        "seen, and **nothing** that the filter is the only wall.\n\n");
    buf_printf(out, "Found on Linux %s; other kernels may refuse in other words.\n\n", kernel());
    buf_put_str(out, "| what is tried | stopped by |");
    for (size_t k = 0; k < report->n; k++) {
        buf_printf(out, " %c, %s |", report->tiers[k].tier,
                   report->tiers[k].is_user ? "user" : "root");
    }
    buf_put_str(out, "\n| --- | --- |");
    for (size_t k = 0; k < report->n; k++) {
        buf_put_str(out, " --- |");
    }
    for (size_t i = 0; i < ESCAPES; i++) {
        bool is_open = is_through(&report->tiers[0].all, i);

        buf_printf(out, "\n| %s | %s |", escapes[i].what,
                   is_open ? "nothing, on purpose" : report->tiers[0].all.words[i]);
        for (size_t k = 0; k < report->n; k++) {
            put_held(out, &report->tiers[k], i);
        }
    }
    buf_put_str(out, "\n\nWith one wall off that is not the filter, and the filter standing:\n\n"
                     "| without | goes through |\n| --- | --- |\n");
    for (size_t k = 0; k < WALLS; k++) {
        bool is_none = true;

        buf_printf(out, "| %s |", walls[k].what);
        for (size_t i = 0; i < ESCAPES; i++) {
            if (is_through(&report->tiers[0].singles[k], i) &&
                !is_through(&report->tiers[0].all, i)) {
                buf_printf(out, "%s %s", is_none ? "" : ";", escapes[i].what);
                is_none = false;
            }
        }
        if (strcmp(walls[k].name, "no-new-privs") == 0) {
            buf_put_str(out, " nothing: no cell starts, since the filter needs it");
        } else if (is_none) {
            buf_put_str(out, " nothing");
        }
        buf_put_str(out, " |\n");
    }
}

/* Whether this kernel has all that the table is about. */
static bool is_usual_kernel(void)
{
    static const char *const lacks[] = {"ENOSYS", "EAFNOSUPPORT", "EOPNOTSUPP"};
    long abi = syscall(444, NULL, 0, 1);

    if (report->n != MAX_TIERS || abi < 6 || prctl(66, 0, 0, 0, 0) < 0) {
        return false;
    }
    for (size_t i = 0; i < ESCAPES * ARRAY_SIZE(lacks); i++) {
        if (strcmp(report->tiers[0].no_filter.words[i / ARRAY_SIZE(lacks)],
                   lacks[i % ARRAY_SIZE(lacks)]) == 0) {
            return false;
        }
    }
    return true;
}

static void compare_document(const char *path)
{
    _cleanup_(buf_done) struct buf now = buf_max(WIRE_MIB);
    char *was = NULL;
    size_t len = 0;
    char found_on[64];

    if (!is_usual_kernel()) {
        printf("ablation: %s is not compared: this machine has not all it is about\n", path);
        return;
    }
    put_document(&now);
    if (getenv("UPDATE") != NULL) {
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

        T_EQ(fd_write_all(fd, buf_bytes(&now)), 0);
        close(fd);
        return;
    }
    T_EQ(fd_read_file(path, WIRE_MIB, &was, &len), 0);
    snprintf(found_on, sizeof found_on, "Linux %s;", kernel());
    if (was != NULL && strstr(was, found_on) == NULL) {
        printf("ablation: %s is not compared: it was found on another kernel\n", path);
        mem_free(was);
        return;
    }
    T_OK(was != NULL && len == now.len && memcmp(was, now.data, len) == 0);
    if (was == NULL || len != now.len || memcmp(was, now.data, len) != 0) {
        fprintf(stderr, "%s differs from what was found; UPDATE=1 writes it anew:\n%s", path,
                buf_str(&now));
    }
    mem_free(was);
}

static bool has_text(const char *program, const char *text)
{
    char *bytes = NULL;
    size_t len = 0;
    bool is_there;

    T_EQ(fd_read_file(program, 64 * WIRE_MIB, &bytes, &len), 0);
    is_there = bytes != NULL && memmem(bytes, len, text, strlen(text)) != NULL;
    mem_free(bytes);
    return is_there;
}

/* Neither the switch's names nor its variable are in the program that is installed. */
static void test_release(void)
{
    static const char *const traces[] = {"TORNO_WITHOUT", "pid-ns", "that can leave walls out"};
    char release[4096];

    snprintf(release, sizeof release, "%s", path_in("BIN", "build", "torno-warden"));
    for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
        T_OK(!has_text(release, traces[i]));
        T_OK(has_text(warden_path(), traces[i]));
    }
}

static void test_user_tiers(void)
{
    test_tier('A', true);
    test_tier('C', true);
}

int main(void)
{
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    warden_option = "--attempts";
    warden_program();
    test_release();
    if (geteuid() == 0) {
        test_tier('A', false);
        test_tier('B', false);
        test_tier('C', false);
        as_user(test_user_tiers);
    } else {
        test_user_tiers();
    }
    compare_document("doc/walls.md");
    return T_DONE("ablation");
}
