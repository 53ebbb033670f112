/* SPDX-License-Identifier: MIT
 *
 * mcp/config: the spellings that are taken, variables, and each sentence about what is wrong.
 */
#include "mcp/config.h"

#include "base/mem.h"
#include "mcp/expand.h"
#include "tests/unit/t.h"

#include <errno.h>
#include <stdlib.h>

static struct buf notes = {.max = 10000};

static void on_note(void *arg, const char *sentence)
{
    (void)arg;
    buf_printf(&notes, "%s\n", sentence);
}

/* Reads a text; *ret_error holds what was said, for the test to compare. */
static int read_text(struct mcp_config *c, const char *text, const char **ret_error)
{
    static struct buf error = {.max = 10000};
    int result;

    *c = (struct mcp_config){.on_note = on_note};
    buf_clear(&notes);
    buf_clear(&error);
    result = mcp_config_read(c, "f.json", bytes_str(text), &error);
    *ret_error = buf_str(&error);
    return result;
}

static void expect_error(const char *text, const char *want)
{
    struct mcp_config c;
    const char *error;

    T_ERR(read_text(&c, text, &error), EINVAL);
    T_STR(error, want);
    T_EQ(c.n, 0);
    mcp_config_done(&c);
}

/* Of the first server. */
static void expect_fault(const char *text, const char *want)
{
    struct mcp_config c;
    const char *error;

    T_EQ(read_text(&c, text, &error), 0);
    T_EQ(c.n, 1);
    T_STR(c.n == 0 ? NULL : c.servers[0].fault, want);
    mcp_config_done(&c);
}

static void test_whole(void)
{
    struct mcp_config c;
    const char *error;
    int result = read_text(&c,
                           "\xef\xbb\xbf// my servers\n"
                           "{ \"theme\": 1, \"mcpServers\": {\n"
                           "  \"files\": { /* local */ \"command\": \"npx\",\n"
                           "    \"args\": [\"-y\", \"x//y\", \"${D:-/tmp}\",],\n"
                           "    \"env\": { \"A\": \"1\", \"B\": \"\", },\n"
                           "    \"cwd\": \"/\", \"timeout\": 5000, \"startup_timeout_sec\": 7,\n"
                           "  },\n"
                           "  \"off\": { \"command\": 7, \"disabled\": true },\n"
                           "  \"off2\": { \"enabled\": false },\n"
                           "} }\n",
                           &error);

    T_EQ(result, 0);
    T_STR(error, "");
    T_STR(buf_str(&notes), "");
    T_EQ(c.n, 3);
    if (c.n == 3) {
        T_STR(c.servers[0].name, "files");
        T_STR(c.servers[0].file, "f.json");
        T_EQ(c.servers[0].line, 3);
        T_STR(c.servers[0].argv[0], "npx");
        T_STR(c.servers[0].argv[2], "x//y");
        T_STR(c.servers[0].argv[3], "/tmp");
        T_OK(c.servers[0].argv[4] == NULL);
        T_STR(c.servers[0].env[0], "A=1");
        T_STR(c.servers[0].env[1], "B=");
        T_OK(c.servers[0].env[2] == NULL);
        T_STR(c.servers[0].cwd, "/");
        T_EQ(c.servers[0].call_ms, 5000);
        T_EQ(c.servers[0].start_ms, 7000);
        T_OK(!c.servers[0].is_disabled && c.servers[0].fault == NULL);
        T_OK(c.servers[1].is_disabled && c.servers[2].is_disabled);
    }
    mcp_config_done(&c);
}

static void test_spellings(void)
{
    static const char *const good[] = {
        "{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}",
        "{\"servers\":{\"a\":{\"type\":\"stdio\",\"command\":\"x\"}},\"inputs\":[]}",
        "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[\"x\"],\"environment\":{}}}}",
        "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"url\":\"unused\",\"type\":\"stdio\"}}}",
        "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[],\"env\":{},\"alwaysLoad\":true}}}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        struct mcp_config c;
        const char *error;

        T_EQ(read_text(&c, good[i], &error), 0);
        T_STR(error, "");
        T_STR(buf_str(&notes), "");
        T_EQ(c.n, 1);
        if (c.n == 1) {
            T_OK(c.servers[0].fault == NULL);
            T_STR(c.servers[0].argv[0], "x");
            T_STR(c.servers[0].shown, "x");
            T_OK(c.servers[0].argv[1] == NULL);
        }
        mcp_config_done(&c);
    }
}

static void test_unknown_key(void)
{
    struct mcp_config c;
    const char *error;

    T_EQ(read_text(&c, "{\"servers\":{\"a\":{\"command\":\"x\",\n\"colour\":1}}}", &error), 0);
    T_STR(buf_str(&notes), "f.json:2: server \"a\": the key \"colour\" is not known and ignored\n");
    mcp_config_done(&c);
}

static void test_faults(void)
{
    static const char *const http[] = {
        "{\"servers\":{\"a\":{\"url\":\"http://x\"}}}",
        "{\"servers\":{\"a\":{\"httpUrl\":\"http://x\",\"headers\":{}}}}",
        "{\"servers\":{\"a\":{\"type\":\"http\",\"url\":\"http://x\"}}}",
        "{\"servers\":{\"a\":{\"type\":\"sse\",\"url\":\"http://x\"}}}",
        "{\"servers\":{\"a\":{\"type\":\"streamable-http\",\"url\":\"${NO_SUCH}\"}}}",
        "{\"servers\":{\"a\":{\"type\":\"streamableHttp\",\"url\":\"http://x\"}}}",
        "{\"servers\":{\"a\":{\"type\":\"remote\",\"url\":\"http://x\"}}}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(http); i++) {
        expect_fault(http[i], "f.json:1: server \"a\": servers over HTTP are not supported yet, "
                              "only those with a \"command\"");
    }
    unsetenv("NO_SUCH");
    expect_fault("{\"servers\":{\"a\":{\"command\":\"x\",\n\"env\":{\"T\":\"k=${NO_SUCH}\"}}}}",
                 "f.json:2: server \"a\": \"env\": T needs ${NO_SUCH}, which is not set; set that "
                 "environment variable, or write ${NAME:-default}");
    expect_fault("{\"servers\":{\"a\":{\"command\":\"x\",\"args\":[\"${input:key}\"]}}}",
                 "f.json:1: server \"a\": \"args\" needs ${input:key}, which is not set; set that "
                 "environment variable, or write ${NAME:-default}");
    expect_fault("{\"servers\":{\"a\":{\"command\":\"x\",\"envFile\":\".env\"}}}",
                 "f.json:1: server \"a\": \"envFile\" is not supported yet; write the variables "
                 "into \"env\"");
    expect_fault("{\"servers\":{\"a\":{\"command\":\"${NO_SUCH}\"}}}",
                 "f.json:1: server \"a\": \"command\" needs ${NO_SUCH}, which is not set; set that "
                 "environment variable, or write ${NAME:-default}");
}

static void test_file_errors(void)
{
    static const char *const shape =
        "f.json:1: there must be an object \"mcpServers\" of servers by name: { \"mcpServers\": { "
        "\"NAME\": { \"command\": \"...\", \"args\": [\"...\"] } } }";

    expect_error(
        "{\"servers\":{},\"mcpServers\":{\"a\":{\"command\":\"x\"}}}",
        "f.json:1: there are servers under \"mcpServers\" and under \"servers\"; put them all "
        "under \"mcpServers\"");
    expect_error("{\"mcpServers\":{}", "f.json:1:17: this is not JSON: a comma or } is expected");
    expect_error("", "f.json:1:1: this is not JSON: a value is missing at the end of the text");
    expect_error("[mcp_servers.x]\ncommand = 1", "f.json:1:2: this is not JSON: a value is "
                                                 "expected");
    expect_error("{\"servers\":{},\"servers\":{}}",
                 "f.json:1:15: this is not JSON: a key stands here for the second time");
    expect_error("{}", shape);
    expect_error("[]", shape);
    expect_error("{\"mcpServers\":[]}", shape);
}

static void test_server_errors(void)
{
    expect_error("{\"servers\":{\n\"a\":7}}", "f.json:2: server \"a\": a server must be an object: "
                                              "{ \"command\": \"...\", \"args\": [\"...\"] }");
    expect_error("{\"servers\":{\"\":{}}}",
                 "f.json:1: a server's name must have 1 to 128 bytes and no control characters");
    expect_error("{\"servers\":{\"a\\n\":{}}}",
                 "f.json:1: a server's name must have 1 to 128 bytes and no control characters");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\"},\n\"a\":{\"command\":\"y\"}}}",
                 "f.json:2: the server \"a\" is already described in f.json:1; give one of them "
                 "another name");
    expect_error("{\"servers\":{\"a\":{}}}",
                 "f.json:1: server \"a\": \"command\" is missing: the program that is the server");
    expect_error("{\"servers\":{\"a\":{\"command\":\"\"}}}",
                 "f.json:1: server \"a\": \"command\" must name a program");
    expect_error("{\"servers\":{\"a\":{\"command\":[]}}}",
                 "f.json:1: server \"a\": \"command\" must name a program");
    expect_error("{\"servers\":{\"a\":{\"command\":5}}}",
                 "f.json:1: server \"a\": \"command\" must be a string");
    expect_error("{\"servers\":{\"a\":{\"command\":\"a\\u0000b\"}}}",
                 "f.json:1: server \"a\": \"command\" must not hold the character U+0000");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"args\":\"y\"}}}",
                 "f.json:1: server \"a\": \"args\" must be an array of strings");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"args\":[\"y\",\n80]}}}",
                 "f.json:2: server \"a\": \"args\" must be an array of strings; put this item in "
                 "quotes");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"env\":[]}}}",
                 "f.json:1: server \"a\": \"env\" must be an object of strings by name");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"env\":{\"PORT\":80}}}}",
                 "f.json:1: server \"a\": \"env\": PORT must be a string");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"env\":{\"A=B\":\"\"}}}}",
                 "f.json:1: server \"a\": \"env\" holds a name that no variable can have");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"disabled\":\"yes\"}}}",
                 "f.json:1: server \"a\": \"disabled\" must be true or false");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"timeout\":0}}}",
                 "f.json:1: server \"a\": \"timeout\" must be a whole number of milliseconds, at "
                 "least 1");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"type\":\"pipe\"}}}",
                 "f.json:1: server \"a\": \"type\" must be \"stdio\" (or \"http\", \"sse\")");
    expect_error("{\"servers\":{\"a\":{\"command\":\"x\",\"env\":{},\"environment\":{}}}}",
                 "f.json:1: server \"a\": \"environment\" is said already by \"env\"; keep one of "
                 "them");
}

/* A file that is refused adds nothing; a second file may not name a server again. */
static void test_two_files(void)
{
    _cleanup_(buf_done) struct buf error = buf_max(1000);
    struct mcp_config c = {0};

    T_EQ(mcp_config_read(&c, "a.json", bytes_str("{\"servers\":{\"a\":{\"command\":\"x\"}}}"),
                         &error),
         0);
    T_ERR(mcp_config_read(&c, "b.json",
                          bytes_str("{\"servers\":{\"b\":{\"command\":\"x\"},"
                                    "\"a\":{\"command\":\"x\"}}}"),
                          &error),
          EINVAL);
    T_STR(buf_str(&error), "b.json:1: the server \"a\" is already described in a.json:1; give one "
                           "of them another name");
    T_EQ(c.n, 1);
    buf_clear(&error);
    T_ERR(mcp_config_load(&c, "/no/such/file", &error), ENOENT);
    T_STR(buf_str(&error), "/no/such/file: cannot be read: No such file or directory");
    buf_clear(&error);
    T_ERR(mcp_config_load(&c, "/tmp", &error), EISDIR);
    T_EQ(c.n, 1);
    mcp_config_done(&c);
}

static const char *expand(const char *text)
{
    static struct buf out = {.max = 10000};
    struct bytes missing = bytes_none();

    buf_clear(&out);
    if (mcp_expand(bytes_str(text), &out, &missing) < 0) {
        buf_clear(&out);
        buf_printf(&out, "(%.*s)", (int)missing.len, (const char *)missing.ptr);
    }
    return buf_str(&out);
}

static void test_expand(void)
{
    setenv("V_1", "one", 1);
    setenv("EMPTY", "", 1);
    setenv("NESTED", "${V_1}", 1);
    setenv("HOME", "/home/me", 1);
    unsetenv("NO_SUCH");
    T_STR(expand("a ${V_1} b${V_1}"), "a one bone");
    T_STR(expand("${env:V_1}"), "one");
    T_STR(expand("${V_1:-two}${NO_SUCH:-two}${EMPTY:-two}${EMPTY}"), "onetwotwo");
    T_STR(expand("${env:NO_SUCH:-x:-y}"), "x:-y");
    T_STR(expand("${NO_SUCH:-}"), "");
    T_STR(expand("${NESTED}"), "${V_1}");
    T_STR(expand("${userHome}/x"), "/home/me/x");
    T_STR(expand("$V_1 ${a%b} ${1A} ${} $ $$ ${ \\${V_1}"), "$V_1 ${a%b} ${1A} ${} $ $$ ${ \\one");
    T_STR(expand("${unclosed"), "${unclosed");
    T_STR(expand("x${NO_SUCH}"), "(NO_SUCH)");
    T_STR(expand("${env:NO_SUCH}"), "(NO_SUCH)");
    T_STR(expand("${workspaceFolder}"), "(workspaceFolder)");
    T_STR(expand("${input:token:-x}"), "(input:token:-x)");
}

/* No value reaches a sentence. */
static void test_no_secrets(void)
{
    struct mcp_config c;
    const char *error;

    setenv("SECRET", "hunter2", 1);
    T_ERR(read_text(&c,
                    "{\"servers\":{\"a\":{\"command\":\"${SECRET}\",\"args\":[\"${SECRET}\",7],"
                    "\"hunter\":1}}}",
                    &error),
          EINVAL);
    T_OK(strstr(error, "hunter2") == NULL && strstr(buf_str(&notes), "hunter2") == NULL);
    mcp_config_done(&c);
    T_EQ(read_text(&c, "{\"servers\":{\"a\":{\"command\":\"/${SECRET}\"}}}", &error), 0);
    T_STR(c.n == 1 ? c.servers[0].shown : NULL, "/${SECRET}");
    T_STR(c.n == 1 ? c.servers[0].argv[0] : NULL, "/hunter2");
    mcp_config_done(&c);
}

int main(void)
{
    test_whole();
    test_spellings();
    test_unknown_key();
    test_faults();
    test_file_errors();
    test_server_errors();
    test_two_files();
    test_expand();
    test_no_secrets();
    buf_done(&notes);
    return T_DONE("mcp-config");
}
