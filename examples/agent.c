/* SPDX-License-Identifier: MIT
 *
 * A whole agent on libtorno: its loop, its tools, its turns, and what comes unasked for.
 *
 * The model is scripted: model_next() stands where a request to a model's API would, and gives the
 * input of code_execution that the model chose after what it has read. Everything else is as a
 * harness has it. Prints the transcript; times,
 * sizes and ids are told as TIME, SIZE and ID, since they differ from run to run.
 */
#include <torno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct harness {
    struct torno_host *host;
    struct torno_agent *agent;
    uint64_t turn;
    size_t step;
    char script_id[32]; /* the last one that is running */
    char tag[32];       /* what ids begin with */
    char input[512];    /* what the model chose */
    struct torno_call *slow;
};

/* ---- the model ---- */

/* The input of its next tool call, or NULL: it has said its last word. */
static const char *model_next(struct harness *h)
{
    static const char *const steps[] = {
        /* a hundred calls at once, of which it reads one number */
        "{\"action\":\"run\",\"code\":\"const all = await Promise.all([...Array(100).keys()].map("
        "(n) => tools.price({ n }))); return all.reduce((sum, r) => sum + r.data, 0)\"}",
        /* something that the harness does not let it do */
        "{\"action\":\"run\",\"code\":\"await tools.pay({ amount: 1e6 })\"}",
        /* a script that takes longer than it wants to wait */
        "{\"action\":\"run\",\"yield_ms\":20,\"code\":\"text('begun'); const r = await tools.slow("
        "{}); await wake_agent('half way'); return r.text\"}",
        "{\"action\":\"wait\",\"script_id\":\"%s\"}",
        "{\"action\":\"list\"}",
    };

    if (h->step == sizeof steps / sizeof *steps) {
        return NULL;
    }
    snprintf(h->input, sizeof h->input,
             strstr(steps[h->step], "%s") == NULL ? "%s" : steps[h->step],
             strstr(steps[h->step], "%s") == NULL ? steps[h->step] : h->script_id);
    h->step++;
    return h->input;
}

/* ---- the transcript ---- */

/* How long a time or a size at the start of text is ("20 ms", "1.5 s", "2.3 MiB"), or 0. */
static size_t figure_length(const char *text, size_t len, const char **ret_word)
{
    static const char *const units[][2] = {{" ms", "TIME"}, {" s", "TIME"}, {" MiB", "SIZE"}};
    size_t n = 0;

    while (n < len && strchr("0123456789.", text[n]) != NULL) {
        n++;
    }
    for (size_t i = 0; n > 0 && i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i][0]);

        if (len - n >= unit && memcmp(text + n, units[i][0], unit) == 0) {
            *ret_word = units[i][1];
            return n + unit;
        }
    }
    return 0;
}

/* Times, sizes and the tag of ids differ from run to run. */
static void print(const struct harness *h, const char *who, struct torno_text text)
{
    size_t tag = strlen(h->tag);

    printf("%s ", who);
    for (size_t i = 0; i < text.len;) {
        const char *word = "";
        size_t figure =
            i > 0 && text.ptr[i - 1] == ' ' ? figure_length(text.ptr + i, text.len - i, &word) : 0;

        if (tag > 0 && text.len - i >= tag && memcmp(text.ptr + i, h->tag, tag) == 0) {
            fputs("ID-", stdout);
            i += tag;
        } else if (figure > 0) {
            fputs(word, stdout);
            i += figure;
        } else {
            putchar(text.ptr[i++]);
        }
    }
    if (text.len == 0 || text.ptr[text.len - 1] != '\n') {
        putchar('\n');
    }
}

/* ---- tools ---- */

static void on_price(void *arg, struct torno_call *call)
{
    (void)arg;
    torno_call_reply_text(call, "2", 1, false); /* answered now */
}

static void on_pay(void *arg, struct torno_call *call)
{
    (void)arg;
    torno_call_refuse(call, "payments need a person's yes"); /* nothing was done */
}

static void on_slow(void *arg, struct torno_call *call)
{
    struct harness *h = arg;

    h->slow = call; /* answered later */
}

static void add_tool(struct harness *h, const char *name, const char *description,
                     void (*on_call)(void *, struct torno_call *))
{
    struct torno_tool tool = TORNO_TOOL;

    tool.name = name;
    tool.description = description;
    tool.handlers.on_call = on_call;
    tool.arg = h;
    if (torno_agent_add_tool(h->agent, &tool) < 0) {
        fprintf(stderr, "agent: %s\n", torno_error());
        exit(1);
    }
}

/* ---- the loop ---- */

static void on_return(void *arg, const struct torno_return *ret)
{
    struct harness *h = arg;

    if (h->tag[0] == '\0' && strchr(ret->script_id, '-') != NULL) {
        snprintf(h->tag, sizeof h->tag, "%.*s",
                 (int)(strchr(ret->script_id, '-') + 1 - ret->script_id), ret->script_id);
    }
    print(h, ret->is_error ? "error " : "tool  ", ret->text); /* into the model's context */
    if (strstr(ret->json.ptr, "\"state\":\"running\"") != NULL && ret->script_id[0] != '\0') {
        snprintf(h->script_id, sizeof h->script_id, "%s", ret->script_id);
    }
    if (h->slow != NULL) { /* the slow tool is done meanwhile */
        torno_call_reply_text(h->slow, "done", 4, false);
        h->slow = NULL;
    }
    torno_host_break(h->host);
}

/* What a script says while it runs, or that one which is left ended badly: a new message to the
 * model. */
static void on_message(void *arg, struct torno_agent *agent, const struct torno_message *message)
{
    print(arg, "wake  ", message->text);
    torno_agent_delivered(agent, message->script_id, true);
}

int main(int argc, char **argv)
{
    struct torno_host_options host_options = TORNO_HOST_OPTIONS;
    struct torno_agent_options options = TORNO_AGENT_OPTIONS;
    struct harness h = {0};
    const char *input;

    host_options.warden_path = argc > 1 ? argv[1] : NULL;
    options.name = "example";
    options.is_primary = true;
    options.on_message = on_message;
    options.arg = &h;
    if (torno_host_new(&host_options, &h.host) < 0 ||
        torno_agent_open(h.host, &options, &h.agent) < 0 ||
        torno_agent_set_limit(h.agent, "memory=64MiB") < 0) {
        fprintf(stderr, "agent: %s\n", torno_error());
        return 1;
    }
    add_tool(&h, "price", "The price of article n.", on_price);
    add_tool(&h, "pay", "Pays an amount.", on_pay);
    add_tool(&h, "slow", "Takes its time.", on_slow);
    h.turn = torno_turn_open(h.host);
    while ((input = model_next(&h)) != NULL) {
        if (torno_agent_call(h.agent, input, strlen(input), h.turn, on_return, &h, NULL) < 0) {
            fprintf(stderr, "agent: %s\n", torno_error());
            return 1;
        }
        torno_host_run(h.host);
    }
    torno_turn_settle(h.host, h.turn);
    torno_agent_close(h.agent, NULL, NULL);
    torno_host_free(h.host);
    return 0;
}
