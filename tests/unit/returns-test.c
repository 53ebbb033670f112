/* SPDX-License-Identifier: MIT
 *
 * What an agent is told: the plays of tests/returns, each with its expectation in the file itself;
 * the cut of a text at every place; and doc/returns.md against the structures that the plays gave.
 *
 *   returns-test [NAME...]     from the project's folder; UPDATE=1 rewrites the plays
 */
#include "agent/words.h"
#include "unit/returns-play.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/pidfd.h>

enum { MIN_PLAYS = 60 };

static bool has_no_pidfd;

/* The cells' process is this one: no descriptor of it is needed, or there is none to be had. */
__attribute__((visibility("default"))) int pidfd_open(pid_t pid, unsigned flags)
{
    (void)pid;
    (void)flags;
    if (has_no_pidfd) {
        errno = EMFILE;
        return -1;
    }
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static struct buf seen = {.max = 1 << 20}; /* "\npath\n" of each key that a structure had */

/* ---- the structure's keys ---- */

static bool has_line(const struct buf *lines, struct bytes path)
{
    _cleanup_(buf_done) struct buf line = buf_max(4096);

    buf_put_str(&line, "\n");
    buf_put_bytes(&line, path);
    buf_put_str(&line, "\n");
    return lines->len > 0 && memmem(lines->data, lines->len, line.data, line.len) != NULL;
}

/* Notes every key under a value by its path: "error.name", "unseen[].tool", "tools.NAME.STATE". */
static void note_keys(const char *path, struct bytes value)
{
    struct bytes key;
    struct bytes item;
    size_t at = 0;
    bool is_object = json_kind(value) == JSON_OBJECT;

    if (json_kind(value) != JSON_ARRAY && !is_object) {
        return;
    }
    while (json_next(value, &at, &key, &item)) {
        char below[PATH_MAX];
        bool is_tools = strcmp(path, "tools") == 0;
        bool is_states = strncmp(path, "tools.", 6) == 0;

        if (!is_object) {
            snprintf(below, sizeof below, "%s[]", path);
        } else if (is_tools || is_states) {
            snprintf(below, sizeof below, "%s.%s", path, is_tools ? "NAME" : "STATE");
        } else {
            snprintf(below, sizeof below, "%s%s%.*s", path, path[0] == '\0' ? "" : ".",
                     (int)key.len - 2, (const char *)key.ptr + 1);
        }
        if (is_object && !has_line(&seen, bytes_str(below))) {
            buf_printf(&seen, "\n%s\n", below);
        }
        if (strcmp(below, "value") != 0 && strcmp(below, "notes[]") != 0 &&
            strcmp(below, "error.frames[]") != 0) {
            note_keys(below, item);
        }
    }
}

static void on_structure(struct bytes structure)
{
    note_keys("", structure);
}

static void read_file(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "re");
    size_t n = 1;

    if (f == NULL) {
        fprintf(stderr, "%s cannot be read: run from the project's folder\n", path);
        T_FAIL("a file is missing");
        return;
    }
    while (n > 0) {
        uint8_t *at = buf_grow(out, 65536);

        assert(at != NULL);
        n = fread(at, 1, 65536, f);
        out->len -= 65536 - n;
    }
    fclose(f);
}

/* Each row of the page's tables begins with "| `path`". */
static void test_page(void)
{
    _cleanup_(buf_done) struct buf page = buf_max(PLAY_BYTES);
    _cleanup_(buf_done) struct buf told = buf_max(PLAY_BYTES);
    struct bytes left;

    read_file("doc/returns.md", &page);
    left = buf_bytes(&page);
    while (left.len > 0) {
        const uint8_t *end = memchr(left.ptr, '\n', left.len);
        struct bytes line = bytes_first(left, end == NULL ? left.len : (size_t)(end - left.ptr));
        const uint8_t *tick = line.len < 3 ? NULL : memchr(line.ptr + 3, '`', line.len - 3);

        left = bytes_from(left, line.len + 1);
        if (tick != NULL && memcmp(line.ptr, "| `", 3) == 0) {
            struct bytes path = bytes_of(line.ptr + 3, (size_t)(tick - line.ptr) - 3);

            buf_printf(&told, "\n%.*s\n", (int)path.len, (const char *)path.ptr);
            if (!has_line(&seen, path)) {
                fprintf(stderr, "no play's structure has %.*s\n", (int)path.len,
                        (const char *)path.ptr);
                T_FAIL("doc/returns.md tells a key that no return had");
            }
        }
    }
    T_OK(told.len > 0);
    left = buf_bytes(&seen);
    while (left.len > 0) {
        const uint8_t *end = memchr(left.ptr + 1, '\n', left.len - 1);
        struct bytes path = bytes_of(left.ptr + 1, (size_t)(end - left.ptr) - 1);

        if (!has_line(&told, path)) {
            fprintf(stderr, "doc/returns.md does not tell %.*s\n", (int)path.len,
                    (const char *)path.ptr);
            T_FAIL("a key of a return is in no document");
        }
        left = bytes_from(left, path.len + 2);
    }
}

/* ---- the plays ---- */

static void tell_difference(const char *path, struct bytes have, struct bytes want)
{
    int line = 1;

    for (;; line++) {
        const uint8_t *h = memchr(have.ptr, '\n', have.len);
        const uint8_t *w = memchr(want.ptr, '\n', want.len);
        struct bytes one = bytes_first(have, h == NULL ? have.len : (size_t)(h - have.ptr));
        struct bytes other = bytes_first(want, w == NULL ? want.len : (size_t)(w - want.ptr));

        if (!bytes_equal(one, other) || h == NULL || w == NULL) {
            fprintf(stderr, "%s:%d:\n  have %.*s\n  want %.*s\n", path, line, (int)one.len,
                    (const char *)one.ptr, (int)other.len, (const char *)other.ptr);
            T_FAIL("a play went otherwise");
            return;
        }
        have = bytes_from(have, one.len + 1);
        want = bytes_from(want, other.len + 1);
    }
}

static void run_play(const char *path)
{
    _cleanup_(buf_done) struct buf want = buf_max(PLAY_BYTES);
    _cleanup_(buf_done) struct buf have = buf_max(PLAY_BYTES);
    int failures = t_failures;

    read_file(path, &want);
    returns_play(buf_bytes(&want), on_structure, &have);
    if (t_failures > failures) {
        fprintf(stderr, "  in %s\n", path);
    }
    if (bytes_equal(buf_bytes(&have), buf_bytes(&want))) {
        t_checks++;
        return;
    }
    if (getenv("UPDATE") != NULL) {
        FILE *f = fopen(path, "we");

        assert(f != NULL && fwrite(have.data, 1, have.len, f) == have.len && fclose(f) == 0);
        printf("%s rewritten\n", path);
        return;
    }
    tell_difference(path, buf_bytes(&have), buf_bytes(&want));
}

static int is_play(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 5 && strcmp(entry->d_name + len - 5, ".play") == 0;
}

static void test_all(void)
{
    struct dirent **names = NULL;
    int n = scandir("tests/returns", &names, is_play, alphasort);

    T_OK(n >= MIN_PLAYS);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "tests/returns/%s", names[i]->d_name);
        run_play(path);
        free(names[i]);
    }
    free(names);
}

/* ---- the cut, everywhere ---- */

/* n characters of one to four bytes, in turn. */
static void put_mixed(struct buf *out, uint64_t from, uint64_t n)
{
    static const char *const characters[] = {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};

    for (uint64_t i = from; i < from + n; i++) {
        buf_put_str(out, characters[i % ARRAY_SIZE(characters)]);
    }
}

static uint64_t count_left_out(struct bytes text)
{
    const uint8_t *mark = memmem(text.ptr, text.len, "[... ", 5);

    return mark == NULL ? 0 : strtoull((const char *)mark + 5, NULL, 10);
}

/* The characters of the text itself: all but the mark and its line ends. */
static uint64_t count_kept(struct bytes text)
{
    const uint8_t *mark = memmem(text.ptr, text.len, "[... ", 5);
    const uint8_t *end = mark == NULL ? NULL : memchr(mark, '\n', text.len);
    uint64_t n = utf8_count(text);

    if (mark == NULL) {
        return n;
    }
    n -= utf8_count(bytes_of(mark, (size_t)(end + 1 - mark)));
    return n - (mark > text.ptr ? 1 : 0);
}

static void check_cut(uint64_t n_head, uint64_t n_tail, uint64_t dropped, uint64_t room)
{
    _cleanup_(buf_done) struct buf head = buf_max(1 << 16);
    _cleanup_(buf_done) struct buf tail = buf_max(1 << 16);
    _cleanup_(buf_done) struct buf out = buf_max(1 << 18);
    uint64_t all = n_head + n_tail + dropped;
    struct bytes text;

    put_mixed(&head, 0, n_head);
    put_mixed(&tail, n_head + dropped, n_tail);
    words_put_cut(
        &out, &(struct cut){.head = buf_bytes(&head), .tail = buf_bytes(&tail), .dropped = dropped},
        room);
    text = buf_bytes(&out);
    T_OK(utf8_count(text) <= room);
    T_EQ(utf8_fault(text), text.len);
    T_EQ(count_kept(text) + count_left_out(text), all);
    if (dropped == 0 && all <= room) {
        T_EQ(count_kept(text), all);
    }
    if (all > room) { /* the room is used, but for what the mark might have taken */
        T_OK(count_kept(text) + 60 >= room || count_kept(text) == n_head + n_tail);
    }
}

static void test_cut(void)
{
    for (uint64_t room = 60; room < 200; room++) {
        for (uint64_t n = room - 5; n < room + 75; n += 3) {
            check_cut(n, 0, 0, room);
            check_cut(n / 2, n - n / 2, 0, room);
            check_cut(7, n, 0, room);
        }
        check_cut(90, 90, 1, room);
        check_cut(3, 177, 1000, room);
        check_cut(177, 3, 999999, room);
        check_cut(0, 177, 5, room);
        check_cut(177, 0, 5, room);
    }
}

static void test_first(void)
{
    for (uint64_t max = 0; max < 12; max++) {
        _cleanup_(buf_done) struct buf text = buf_max(1 << 12);
        _cleanup_(buf_done) struct buf out = buf_max(1 << 12);

        put_mixed(&text, 0, 9);
        words_put_first(&out, buf_bytes(&text), max, WORDS_ONE_LINE);
        T_EQ(utf8_fault(buf_bytes(&out)), out.len);
        T_EQ(utf8_count(buf_bytes(&out)), max < 9 ? max + 3 : 9);
    }
}

static void plain_is(const char *text, const char *want)
{
    _cleanup_(buf_done) struct buf out = buf_max(1 << 12);

    words_put_plain(&out, bytes_str(text), WORDS_AS_IS);
    T_STR(buf_str(&out), want);
    T_OK(is_plain(buf_bytes(&out)));
}

/* No escape code and no control character reaches a model. */
static void test_plain(void)
{
    plain_is("", "");
    plain_is("a\tb\nc", "a\tb\nc");
    plain_is("\x1b[1;31mred\x1b[0m\x1b[K.", "red.");
    plain_is("\x1b]0;title\a-\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "-link");
    plain_is("\x1b(Bx\x1b=y\x1bMz", "xyz");
    plain_is("\x1bP1$q\x1b\\k", "k");
    plain_is("a\r\nb\rc\r\r\nd", "a\nb\nc\n\nd");
    plain_is("bell\a nul\b del\x7f c1\xC2\x9B", "bell\xEF\xBF\xBD nul\xEF\xBF\xBD del\xEF\xBF\xBD "
                                                "c1\xEF\xBF\xBD");
    plain_is("\x1b", "");                              /* cut off */
    plain_is("\x1b[31", "");                           /* the same */
    plain_is("\x1b]0;no end\nnext", "0;no end\nnext"); /* what has no end hides nothing */
    plain_is("\x1b]0;line\nnext\a", "0;line\nnext\xEF\xBF\xBD");
    plain_is("\x1b[3\nnext", "3\nnext");
    plain_is("\x1b\x1b[1mx", "x");
    plain_is("\xC3\xA9\x1b[m\xE2\x82\xAC", "\xC3\xA9\xE2\x82\xAC");
    plain_is("\xFF\xC3", "\xEF\xBF\xBD\xEF\xBF\xBD"); /* not legal */
}

/* ---- what no play has ---- */

/* Of more than 40 tools the first are named. */
static void test_many_tools(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(1 << 16);
    struct record_tool tools[45] = {0};
    struct run run = {.record = {.tools = tools, .n_tools = ARRAY_SIZE(tools), .total = 46}};
    struct script script = {.run = &run};

    for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
        tools[i].name = bytes_str(i % 2 == 0 ? "a" : "b");
        tools[i].counts[CALL_ANSWERED] = i == 44 ? 2 : 1;
    }
    text_calls(&out, &script);
    T_OK(strncmp(buf_str(&out), "46 calls answered so far: a, b, a,", 34) == 0);
    T_OK(strstr(buf_str(&out), "a, b, other tools (6).\n") != NULL);
    T_EQ(out.len, strlen("46 calls answered so far: other tools (6).\n") + (size_t)40 * 3);
}

/* Calls that the record does not hold are counted by tool. */
static void test_past_the_record(void)
{
    _cleanup_(buf_done) struct buf out = buf_max(1 << 16);
    struct record_call call = {.tool = bytes_str("a"), .state = CALL_ANSWERED};
    struct record_tool tool = {.name = bytes_str("a"), .counts = {[CALL_TIMED_OUT] = 3}};
    struct run run = {.record = {.tools = &tool, .n_tools = 1, .calls = &call, .n = 1, .total = 3}};
    struct script script = {.run = &run};

    text_calls(&out, &script);
    T_STR(buf_str(&out), "3 calls got no answer in time; they may have taken effect:\n  a (3)\n");
}

/* Where there is no memory for the facts, the structure says that, and is whole. */
static void test_no_memory(void)
{
    struct agent agent = {0};
    struct watch watch = {.agent = &agent, .refusal = buf_max(1 << 16)};

    for (int i = 0; i < 3000; i++) {
        buf_put_str(&watch.refusal, "x");
    }
    for (size_t max = 1000; max < 5000; max += 500) {
        _cleanup_(buf_done) struct buf out = buf_max(max);
        struct bytes refusal;

        structure_refusal(&out, &watch);
        T_EQ(json_check(buf_bytes(&out), JSON_UNIQUE_KEYS, JSON_MAX_DEPTH, SIZE_MAX, NULL, NULL),
             0);
        refusal = json_get(buf_bytes(&out), "refusal");
        T_EQ(memmem(refusal.ptr, refusal.len, "no memory", 9) == NULL, max >= 3500);
    }
    buf_done(&watch.refusal);
}

/* A cell whose processor time cannot be watched ends its script, and no other cell is taken. */
static void test_no_pidfd(void)
{
    static const char play[] = "limit cpu_time=1m\n> {\"code\": \"x\"}\n";
    _cleanup_(buf_done) struct buf have = buf_max(1 << 16);

    has_no_pidfd = true;
    returns_play(bytes_str(play), on_structure, &have);
    has_no_pidfd = false;
    T_OK(strstr(buf_str(&have), "its processor time is bounded, and cannot be read here") != NULL);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Up to max pieces that are hard for a text; for JSON only those that it takes. */
static void put_any(struct buf *out, uint32_t *state, uint32_t max, bool is_json)
{
    static const char *const pieces[] = {"\\e[",     "\\e]0;",           "\\x07", "\\n", "\\r",
                                         "\xC3\xA9", "\xF0\x9F\x98\x80", "zzz"};
    static const char *const of_json[] = {"\\u001b[", "\\u009b",          "\\n", "\\r", "\\ud800",
                                          "\xC3\xA9", "\xF0\x9F\x98\x80", "zzz"};

    for (uint32_t n = next_random(state) % (max + 1); n > 0; n--) {
        uint32_t pick = next_random(state) % (ARRAY_SIZE(pieces) + 1);

        if (pick < ARRAY_SIZE(pieces)) {
            buf_put_str(out, is_json ? of_json[pick] : pieces[pick]);
        } else if (!is_json) {
            buf_printf(out, "\\x%02x", next_random(state) & 0xFF);
        }
    }
}

static void put_any_life(struct buf *play, uint32_t *state)
{
    for (uint32_t n = next_random(state) % 12; n > 0; n--) {
        buf_put_str(play, "call a {\"x\":\"");
        put_any(play, state, 100, true);
        buf_put_str(play, "\"}\nwake \"");
        put_any(play, state, 100, true);
        buf_put_str(play, "\"\nout ");
        put_any(play, state, 1500, false);
        buf_put_str(play, "\n");
        if (next_random(state) % 4 == 0) {
            buf_put_str(play,
                        "> {\"action\": \"wait\", \"script_id\": \"t-1\", \"yield_ms\": 0}\n");
        }
    }
}

static void put_any_end(struct buf *play, uint32_t *state)
{
    static const char *const ends[] = {"failed", "stalled", "oversize", "trapped"};

    buf_put_str(play, "notes [{\"note\":\"unhandled_rejection\",\"message\":\"");
    put_any(play, state, 300, true);
    buf_put_str(play, "\"}]\nframes [{\"function\":\"");
    put_any(play, state, 300, true);
    buf_put_str(play, "\",\"line\":1}]\nend ");
    if (next_random(state) % 2 == 0) {
        buf_put_str(play, "finished \"");
        put_any(play, state, 3000, true);
        buf_put_str(play, "\"\n");
        return;
    }
    buf_printf(play, "%s ", ends[next_random(state) % ARRAY_SIZE(ends)]);
    put_any(play, state, 20, false);
    buf_put_str(play, ": ");
    put_any(play, state, 3000, false);
    buf_put_str(play, "\n");
}

/* Whatever a script does, its returns keep the rules: the checks are those of every return. */
static void test_any(uint32_t seed)
{
    _cleanup_(buf_done) struct buf play = buf_max(PLAY_BYTES);
    _cleanup_(buf_done) struct buf have = buf_max(PLAY_BYTES);
    uint32_t state = seed;

    buf_printf(&play, "agent inline_chars %u\n", 1000 + next_random(&state) % 2000);
    buf_printf(&play, "limit output_head=%u\n", next_random(&state) % 3000);
    buf_printf(&play, "limit output_tail=%u\n", next_random(&state) % 3000);
    buf_put_str(&play, "tool a\n> {\"yield_ms\": 0, \"code\": \"");
    put_any(&play, &state, 50, true);
    buf_put_str(&play, "\"}\n");
    put_any_life(&play, &state);
    put_any_end(&play, &state);
    buf_put_str(&play, "> {\"action\": \"list\"}\n");
    buf_put_str(&play, "> {\"action\": \"wait\", \"script_id\": \"t-1\"}\n");
    returns_play(buf_bytes(&play), on_structure, &have);
}

static void test_anything(void)
{
    uint32_t n = getenv("SOAK") != NULL ? 20000 : 300;
    int failures = t_failures;

    for (uint32_t seed = 1; seed <= n && t_failures == failures; seed++) {
        test_any(seed);
        if (t_failures > failures) {
            fprintf(stderr, "  with seed %u\n", seed);
        }
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "tests/returns/%s.play", argv[i]);
        run_play(path);
    }
    if (argc == 1) {
        test_cut();
        test_first();
        test_plain();
        test_many_tools();
        test_past_the_record();
        test_no_memory();
        test_no_pidfd();
        test_anything();
        test_all();
        test_page();
    }
    buf_done(&seen);
    return T_DONE("returns");
}
