/* SPDX-License-Identifier: MIT
 *
 * libtorno beside a program's own libuv loop: a poll handle on the host's descriptor, a timer for
 * its timeout, and a prepare handle that sets the timer before each wait.
 */
#define _GNU_SOURCE 1
#include <torno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static struct torno_host *host;
static uv_poll_t poll_handle;
static uv_timer_t timer;
static uv_prepare_t prepare;
static int status = 1;

static void dispatch(void)
{
    torno_host_dispatch(host);
}

static void on_poll(uv_poll_t *handle, int fault, int events)
{
    (void)handle;
    (void)fault;
    (void)events;
    dispatch();
}

static void on_timer(uv_timer_t *handle)
{
    (void)handle;
    dispatch();
}

static void on_prepare(uv_prepare_t *handle)
{
    int wait_ms = torno_host_timeout_ms(host);

    (void)handle;
    if (wait_ms >= 0) {
        uv_timer_start(&timer, on_timer, (uint64_t)wait_ms, 0);
    } else {
        uv_timer_stop(&timer);
    }
}

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
    status = ret->is_error ? 1 : 0;
    uv_close((uv_handle_t *)&poll_handle, NULL);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_close((uv_handle_t *)&prepare, NULL);
}

int main(void)
{
    static const char code[] = "const r = await tools.half({}); return 2 * r.data";
    struct torno_tool tool = TORNO_TOOL;
    struct torno_agent *agent;
    uv_loop_t *loop = uv_default_loop();

    tool.name = "half";
    tool.handlers.on_call = on_call;
    if (torno_host_new(NULL, &host) < 0 || torno_agent_open(host, NULL, &agent) < 0 ||
        torno_agent_add_tool(agent, &tool) < 0 ||
        torno_agent_run(agent, code, strlen(code), NULL, -1, 0, on_return, NULL, NULL) < 0) {
        fprintf(stderr, "libuv: %s\n", torno_error());
        return 1;
    }
    uv_poll_init(loop, &poll_handle, torno_host_fd(host));
    uv_poll_start(&poll_handle, UV_READABLE, on_poll);
    uv_timer_init(loop, &timer);
    uv_prepare_init(loop, &prepare);
    uv_prepare_start(&prepare, on_prepare);
    uv_run(loop, UV_RUN_DEFAULT);
    torno_agent_close(agent, NULL, NULL);
    torno_host_free(host);
    uv_loop_close(loop);
    return status;
}
