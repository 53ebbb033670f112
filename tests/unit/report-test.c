/* SPDX-License-Identifier: MIT
 *
 * An ending as text and as the object of --json; text for terminals; the script's source.
 */
#include "cli/cli.h"
#include "cli/report.h"
#include "unit/t.h"
#include "json/json.h"

static struct buf out = {.max = 1 << 20};

static struct source source_of(const char *text)
{
    return (struct source){.name = "s.js", .text = (char *)(uintptr_t)text, .len = strlen(text)};
}

static const char *text_of(const struct ending *ending, const char *code)
{
    struct source source = source_of(code);

    buf_clear(&out);
    report_text(&out, ending, &source);
    return buf_str(&out);
}

static struct ending failed(const char *message, const char *frames)
{
    return (struct ending){.kind = ENDING_FAILED,
                           .reason = bytes_none(),
                           .value = bytes_none(),
                           .error_name = bytes_str("Error"),
                           .error_message = bytes_str(message),
                           .frames = bytes_str(frames),
                           .notes = bytes_none(),
                           .walls = "tier A",
                           .first_call_us = -1};
}

static void test_text(void)
{
    struct ending e = failed("no", "[{\"function\":\"f\",\"line\":2,\"column\":3},"
                                   "{\"function\":\"\",\"line\":3,\"column\":1}]");

    T_STR(text_of(&e, "one\n\ttwo\nthree"), "torno: s.js failed: Error: no\n"
                                            "     2 | \ttwo\n"
                                            "       | \t ^\n"
                                            "    at f (s.js:2:3)\n"
                                            "    at s.js:3:1\n");
    /* A message that shows the line itself, as a syntax error's does: it is not shown twice. */
    e.error_message = bytes_str("bad (line 2, column 2)\ntwo\n ^");
    T_STR(text_of(&e, "one\ntwo\nthree"),
          "torno: s.js failed: Error: bad (line 2, column 2)\n  two\n   ^\n"
          "    at f (s.js:2:3)\n    at s.js:3:1\n");
    e.error_message = bytes_str("no ^");
    T_OK(strstr(text_of(&e, "one\ntwo\nthree"), "     2 | two\n") != NULL);
    e.error_message = bytes_str("no");
    e.frames = bytes_str("[{\"function\":\"f\",\"line\":9,\"column\":3}]");
    T_STR(text_of(&e, "one"), "torno: s.js failed: Error: no\n    at f (s.js:9:3)\n");
    e.frames = bytes_str("[{\"function\":7,\"line\":\"x\"}]");
    T_STR(text_of(&e, "one"), "torno: s.js failed: Error: no\n    at \n");
    e.frames = bytes_none();
    e.frames = bytes_str("[{\"function\":\"f\\ntorno: forged\",\"line\":9,\"column\":3}]");
    e.error_message = bytes_str("no\ntorno: forged");
    e.notes = bytes_str("[{\"note\":\"unhandled_rejection\",\"name\":\"\",\"message\":"
                        "\"a\\ntorno: forged\"},{\n\"torno: forged\":1}]");
    T_STR(text_of(&e, "one"), "torno: s.js failed: Error: no\n  torno: forged\n"
                              "    at f\n  torno: forged (s.js:9:3)\n"
                              "torno: nothing handled the rejection: a\n  torno: forged\n"
                              "torno: {\n  \"torno: forged\":1}\n");
    e.error_message = bytes_str("no");
    e.notes = bytes_none();
    e.frames = bytes_none();
    e.reason = bytes_str("stalled");
    T_STR(text_of(&e, "one"), "torno: s.js failed (stalled): Error: no\n");
    e.kind = ENDING_FINISHED;
    e.reason = bytes_str("lifetime");
    e.error_name = bytes_none();
    T_STR(text_of(&e, "one"), "torno: s.js finished (lifetime): no\n");
    e.reason = bytes_none();
    T_STR(text_of(&e, "one"), "");
    e.may_lack_output = true;
    T_STR(text_of(&e, "one"), "torno: the script was killed, so its output may lack its end\n");
}

static void test_notes(void)
{
    struct ending e = failed("", "");

    e.kind = ENDING_FINISHED;
    e.notes = bytes_str(
        "[{\"note\":\"not_awaited\",\"tool\":\"a.b\",\"call\":3,\"state\":\"answered\"},"
        "{\"note\":\"not_awaited\",\"tool\":\"c\",\"call\":4,\"state\":\"not sent\",\"count\":84},"
        "{\"note\":\"not_awaited\",\"tool\":\"c\",\"call\":9,\"state\":\"CallTimeout\"},"
        "{\"note\":\"unhandled_rejection\",\"name\":\"E\",\"message\":\"m\",\"line\":3,"
        "\"column\":7},"
        "{\"note\":\"more\",\"count\":4},{\"note\":\"new\"}]");
    T_STR(text_of(&e, ""), "torno: the call a.b was not awaited: answered\n"
                           "torno: 84 calls of c were not awaited: never sent\n"
                           "torno: the call c was not awaited: rejected with CallTimeout\n"
                           "torno: nothing handled the rejection E: m (line 3, column 7)\n"
                           "torno: more of these: 4\n"
                           "torno: {\"note\":\"new\"}\n");
}

static void test_timers_note(void)
{
    struct ending e = failed("no", "");

    e.kind = ENDING_FINISHED;
    e.notes = bytes_str("[{\"note\":\"timers_dropped\",\"count\":3}]");
    T_STR(text_of(&e, ""),
          "torno: timers that had not fired when the script returned, dropped: 3\n");
}

static void test_unseen(void)
{
    static struct record_call calls[40];
    struct ending e = failed("", "");

    for (size_t i = 0; i < 40; i++) {
        calls[i] = (struct record_call){.id = (uint32_t)i + 1,
                                        .tool = bytes_str(i % 2 == 0 ? "t.even" : "t.odd"),
                                        .state = i < 20 ? CALL_ANSWERED : CALL_RUNNING,
                                        .effect = i < 20 ? EFFECT_DONE : EFFECT_POSSIBLE,
                                        .arguments = bytes_str("{}")};
    }
    e.kind = ENDING_FINISHED;
    e.calls = calls;
    e.n_calls = 21;
    T_STR(text_of(&e, ""), "torno: the call t.even({}) was still running when the script ended; it "
                           "may have taken effect\n");
    e.n_calls = 40;
    T_OK(strstr(text_of(&e, ""), "torno: and 5 more unseen calls of t.even\n"
                                 "torno: and 5 more unseen calls of t.odd\n") != NULL);
    e.n_calls = 31;
    T_OK(strstr(text_of(&e, ""), "torno: and 1 more unseen call of t.even\n") != NULL);
    calls[20].state = CALL_NEVER_SENT;
    calls[20].effect = EFFECT_NONE;
    e.n_calls = 21;
    T_STR(text_of(&e, ""), "torno: the call t.even({}) was never sent; it had no effect\n");
}

static const char *value_of(const char *json)
{
    struct ending e = failed("", "");

    e.value = bytes_str(json);
    buf_clear(&out);
    report_value(&out, &e);
    return buf_str(&out);
}

static void test_value(void)
{
    T_STR(value_of(""), "");
    T_STR(value_of("\"a\\nb\""), "a\nb\n");
    T_STR(value_of("\"a\\n\""), "a\n");
    T_STR(value_of("\"\""), "\n");
    T_STR(value_of("12345678901234567890.10"), "12345678901234567890.10\n");
    T_STR(value_of("{\"a\":\"b\"}"), "{\"a\":\"b\"}\n");
}

static const char *json_of(const struct ending *ending, const char *head, const char *tail)
{
    struct output_part output = {
        .head = bytes_str(head), .tail = bytes_str(tail), .dropped_characters = 7};

    buf_clear(&out);
    report_json(&out, ending, &output, bytes_str("{\"half\":1},2"),
                bytes_str("{\"note\":\"last\"}"));
    T_EQ(json_check(buf_bytes(&out), JSON_UNIQUE_KEYS, 100, 10000, NULL, NULL), 0);
    return buf_str(&out);
}

static void test_json(void)
{
    struct record_call calls[] = {
        {.id = 1,
         .tool = bytes_str("a\"b"),
         .state = CALL_ANSWERED,
         .effect = EFFECT_DONE,
         .ms = 5},
        {.id = 2,
         .tool = bytes_str("c"),
         .state = CALL_UNSEEN,
         .effect = EFFECT_DONE,
         .arguments = bytes_str("{\"x\":")},
    };
    struct ending e = failed("m", "[{\"function\":\"\",\"line\":1,\"column\":2}]");

    e.calls = calls;
    e.n_calls = 2;
    e.calls_dropped = 3;
    e.wall_ms = 10;
    e.cpu_ms = 2;
    e.memory_peak_bytes = 4096;
    e.first_call_us = 1234056;
    e.wakes_sent = 3;
    e.wakes_delivered = 2;
    e.notes = bytes_str("[{\"note\":\"x\"}]");
    T_STR(json_of(&e, "h\n", "t"),
          "{\"ending\":\"failed\",\"reason\":\"\",\"value\":null,\"error\":{\"name\":\"Error\","
          "\"message\":\"m\",\"frames\":[{\"function\":\"\",\"line\":1,\"column\":2}]},\"calls\":["
          "{\"id\":1,\"tool\":\"a\\\"b\",\"state\":\"answered\",\"effect\":\"done\",\"ms\":5},"
          "{\"id\":2,\"tool\":\"c\",\"state\":\"unseen\",\"effect\":\"done\",\"ms\":0,"
          "\"arguments\":\"{\\\"x\\\":\"}],\"calls_dropped\":3,\"output\":\"h\\nt\",\"dropped\":7,"
          "\"walls\":\"tier A\",\"stats\":{\"wall_ms\":10,\"cpu_ms\":2,\"memory_peak\":4096,"
          "\"first_call_ms\":1234.056},\"wakes\":{\"sent\":3,\"delivered\":2,"
          "\"payloads\":[{\"half\":1},2]},\"notes\":[{\"note\":\"x\"},{\"note\":\"last\"}]}\n");
    e = failed("", "");
    e.error_name = bytes_none();
    e.value = bytes_str("[1]");
    T_OK(strstr(json_of(&e, "", ""), "\"value\":[1],\"error\":null,\"calls\":[],") != NULL);
    T_OK(strstr(buf_str(&out), "\"first_call_ms\":null},\"wakes\":") != NULL);
}

static const char *clean(const char *text, size_t len, unsigned indent)
{
    buf_clear(&out);
    cli_put_clean(&out, bytes_of(text, len), indent);
    return buf_str(&out);
}

static void test_clean(void)
{
#define BAD "\xef\xbf\xbd"
    T_STR(clean("a\tb\nc", 5, 2), "a\tb\n  c");
    T_STR(clean("\x1b[31m\a\r\x7f\0", 9, 0), BAD "[31m" BAD BAD BAD BAD);
    T_STR(clean("\xc2\x85\xc2\xa0", 4, 0), BAD "\xc2\xa0");
    T_STR(clean("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa6", 9, 0), BAD BAD "\xe2\x80\xa6");
    T_STR(clean("\xc2", 1, 0), "\xc2");
    T_STR(clean("\xe2\x80", 2, 0), "\xe2\x80");
}

static void test_source(void)
{
    struct source source = source_of("one\r\n\ntwo");

    T_OK(bytes_is(source_line(&source, 1), "one"));
    T_OK(bytes_is(source_line(&source, 2), ""));
    T_OK(bytes_is(source_line(&source, 3), "two"));
    T_OK(bytes_is(source_line(&source, 4), ""));
    T_OK(bytes_is(source_line(&source, 0), ""));
    T_OK(bytes_is(source_line(&source, -1), ""));
}

int main(void)
{
    test_text();
    test_notes();
    test_timers_note();
    test_unseen();
    test_value();
    test_json();
    test_clean();
    test_source();
    buf_done(&out);
    return T_DONE("report");
}
