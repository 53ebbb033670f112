/* SPDX-License-Identifier: MIT
 *
 * libtorno beside a program's own epoll loop: the host is one more descriptor and one more timeout.
 * The program has a timer of its own, which goes on ticking while a script runs.
 */
#define _GNU_SOURCE 1
#include <torno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int is_done;

static void on_call(void *arg, struct torno_call *call)
{
    (void)arg;
    torno_call_reply_text(call, "21", 2, false);
}

static void on_return(void *arg, const struct torno_return *ret)
{
    const char *end = ret->text.ptr + ret->text.len;
    const char *value = memmem(ret->text.ptr, ret->text.len, "Value: ", strlen("Value: "));

    (void)arg;
    value = value == NULL ? ret->text.ptr : value;
    fwrite(value, 1, (size_t)(end - value), stdout);
    is_done = 1;
}

static void die(const char *what)
{
    fprintf(stderr, "epoll: %s: %s\n", what, torno_error());
    exit(1);
}

int main(void)
{
    static const char input[] =
        "{\"action\": \"run\", \"code\": \"await sleep(50); const r = await "
        "tools.half({}); return 2 * r.data\"}";
    struct torno_tool tool = TORNO_TOOL;
    struct itimerspec every = {{0, 10000000}, {0, 10000000}};
    struct torno_host *host;
    struct torno_agent *agent;
    int loop = epoll_create1(EPOLL_CLOEXEC);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event of_timer = {EPOLLIN, {.fd = timer}};
    struct epoll_event of_host = {EPOLLIN, {.fd = -1}};
    unsigned ticks = 0;

    if (torno_host_new(NULL, &host) < 0) {
        die("no host");
    }
    tool.name = "half";
    tool.handlers.on_call = on_call;
    if (torno_agent_open(host, NULL, &agent) < 0 || torno_agent_add_tool(agent, &tool) < 0 ||
        torno_agent_call(agent, input, strlen(input), 0, on_return, NULL, NULL) < 0) {
        die("no agent");
    }
    timerfd_settime(timer, 0, &every, NULL);
    epoll_ctl(loop, EPOLL_CTL_ADD, timer, &of_timer);
    epoll_ctl(loop, EPOLL_CTL_ADD, torno_host_fd(host), &of_host);
    while (!is_done) {
        struct epoll_event events[4];
        int n = epoll_wait(loop, events, 4, torno_host_timeout_ms(host));

        for (int i = 0; i < n; i++) {
            uint64_t count;

            if (events[i].data.fd == timer && read(timer, &count, sizeof count) > 0) {
                ticks++;
            }
        }
        torno_host_dispatch(host); /* also where the time was up */
    }
    printf("the program's own timer ticked meanwhile: %s\n", ticks > 0 ? "yes" : "no");
    torno_agent_close(agent, NULL, NULL);
    torno_host_free(host);
    close(timer);
    close(loop);
    return ticks > 0 ? 0 : 1;
}
