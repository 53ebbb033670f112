/* SPDX-License-Identifier: MIT
 *
 * What native code in a broken engine can do from inside a cell, in every tier, as root and as an
 * ordinary user: the attempts of wire/attempts.tbl.h, made by the cells of the warden that ships,
 * started with --attempts. Each must die as its row says, or come back with a harmless result.
 * And that no script gets there: the cells of an ordinary warden run the same texts as JavaScript.
 */
#include "t.h"
#include "warden-host.h"

struct outcome {
    char word[64]; /* a signal's or an errno's name, a number, or how the script ended */
    char sentence[WIRE_MAX_SENTENCE + 1];
    char message[256]; /* of a script that failed */
    int status;
};

static const struct row {
    const char *name;
    const char *wants;
} rows[] = {
#define ATTEMPT(name, wants, wall, sentence) {#name, wants},
#include "wire/attempts.tbl.h"
#undef ATTEMPT
};

/* Whether one of the words is this one. */
static bool is_among(const char *words, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = words; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, word, len) == 0 && (at[len] == ' ' || at[len] == '\0')) {
            return len > 0;
        }
    }
    return false;
}

static void read_ending(const struct frame *f, struct outcome *out)
{
    struct wire_ending e;

    if (f->type != WIRE_MSG_ending || wire_get_ending(f->body, &e) != 0) {
        snprintf(out->word, sizeof out->word, "a frame of type %u", f->type);
    } else if (e.kind == WIRE_END_FINISHED) {
        int cut = e.value.len >= 2 ? (int)e.value.len - 2 : 0; /* its quotes */

        snprintf(out->word, sizeof out->word, "%.*s", cut, (const char *)e.value.ptr + 1);
    } else {
        snprintf(out->word, sizeof out->word, "failed");
        snprintf(out->message, sizeof out->message, "%.*s: %.*s", (int)e.name.len,
                 (const char *)e.name.ptr, (int)e.message.len, (const char *)e.message.ptr);
    }
}

/* A start frame with every flag set, those too that no host knows. */
static void run_flagged(const struct cell *c, const char *code)
{
    _cleanup_(buf_done) struct buf out = buf_max(WIRE_MIB);
    struct wire_start m = {.memory_bytes = MEMORY,
                           .max_calls_out = 16,
                           .max_args_bytes = 65536,
                           .max_args_values = 1000,
                           .max_result_depth = 100,
                           .flags = UINT32_MAX,
                           .code = bytes_str(code),
                           .names = bytes_str("[]"),
                           .catalogue = bytes_str("[]")};

    wire_put_start(&out, &m);
    T_EQ(fd_write_all(c->socket, buf_bytes(&out)), 0);
}

/* Runs one text to its cell's end. */
static struct outcome run_text(const struct warden *w, const char *text,
                               void (*run)(const struct cell *c, const char *code))
{
    _cleanup_(buf_done) struct buf in = buf_max(WIRE_MIB);
    struct outcome out = {.word = ""};
    struct obituary died = {0};
    static uint32_t id;
    struct cell c;
    struct frame f;

    cell_start(w, ++id, &c);
    run(&c, text);
    if (cell_frame(&c, &in, &f) == 0) {
        read_ending(&f, &out);
    }
    cell_done(&c);
    T_EQ(next_obituary(w, &died), 0);
    out.status = died.status;
    snprintf(out.sentence, sizeof out.sentence, "%s", died.sentence);
    if (WIFSIGNALED(died.status)) {
        T_STR(out.word, ""); /* killed, so it has said nothing before */
        snprintf(out.word, sizeof out.word, "SIG%s", sigabbrev_np(WTERMSIG(died.status)));
    } else {
        T_EQ(died.status, 0);
    }
    return out;
}

static void check_row(const struct warden *w, const struct row *row)
{
    struct outcome out = run_text(w, row->name, cell_run);

    if (!is_among(row->wants, out.word)) {
        fprintf(stderr, "user %u, tier %c, %s: wants %s, came to \"%s\" %s\n", geteuid(), w->tier,
                row->name, row->wants, out.word, out.message);
    }
    T_OK(is_among(row->wants, out.word));
    T_EQ(strstr(out.sentence, "filter") != NULL, strcmp(out.word, "SIGSYS") == 0);
}

/* Those that do not end by themselves. */
static void check_by_hand(const struct warden *w)
{
    struct obituary died = {0};
    struct cell c;

    cell_start(w, 900, &c);
    cell_run(&c, "spin");
    poll(NULL, 0, 30);
    send_kill(w, 900);
    T_EQ(next_obituary(w, &died), 0);
    T_OK(WIFSIGNALED(died.status) && WTERMSIG(died.status) == SIGKILL);
    cell_done(&c);

    cell_start(w, 901, &c);
    cell_run(&c, "flood");
    poll(NULL, 0, 30); /* its socket is full, it blocks, the host has read nothing */
    cell_done(&c);
    T_EQ(next_obituary(w, &died), 0);
    T_EQ(died.cell, 901);
    T_EQ(died.status, 0); /* the host hung up: an error of write, no signal */
}

/* A text that is no attempt's name ends clearly, whatever it is. */
static void check_strangers(const struct warden *w)
{
    static const char *const texts[] = {"", "return 1", "open ", "Open", "frok"};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct outcome out = run_text(w, texts[i], cell_run);

        T_STR(out.word, "failed");
        T_OK(strstr(out.message, "NoSuchAttempt: this warden was started with --attempts") != NULL);
    }
}

static void test_tier(char tier)
{
    struct warden w;

    warden_option = "--attempts";
    T_EQ(warden_start(&w, tier, NULL), 0);
    T_EQ(w.tier, tier == 'B' && geteuid() != 0 ? 'C' : tier);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].wants[0] != '\0') {
            check_row(&w, &rows[i]);
        }
    }
    check_by_hand(&w);
    check_strangers(&w);
    warden_end(&w);
}

/* As a user there are two tiers. */
static void test_user_tiers(void)
{
    test_tier('A');
    test_tier('C');
}

/* The same texts, given to cells of a warden without the option, are JavaScript; no flag of a
 * start frame makes attempts of them. */
static void test_ordinary(void)
{
    struct warden w;

    warden_option = NULL;
    T_EQ(warden_start(&w, 'A', NULL), 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome out = run_text(&w, rows[i].name, run_flagged);
        char wanted[128];

        T_EQ(out.status, 0);
        snprintf(wanted, sizeof wanted, "ReferenceError: %s is not defined", rows[i].name);
        T_OK(strncmp(out.message, wanted, strlen(wanted)) == 0);
    }
    warden_end(&w);
}

/* An option that is none, or misspelt, is refused: it never means "an ordinary warden". */
static void test_options(void)
{
    static const char *const wrong[] = {"--attempt", "--attempts=1", "attempts", "--walls=D", ""};

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct warden w;
        int status = 0;

        warden_option = wrong[i];
        T_EQ(warden_start(&w, 'A', NULL), -EPIPE);
        close(w.control);
        waitpid(w.pid, &status, 0);
        T_OK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    }
}

int main(void)
{
    warden_program();
    test_tier('A');
    test_tier('B');
    test_tier('C');
    as_user(test_user_tiers);
    test_ordinary();
    test_options();
    return T_DONE("native");
}
