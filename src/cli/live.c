/* SPDX-License-Identifier: MIT
 *
 * One line on stderr, rewritten in place ten times a second after a first wait, so that a quick
 * script shows none. It is never longer than the terminal is wide.
 */
#include "cli/live.h"

#include "base/fd.h"
#include "base/mem.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FIRST_MS = 400, EVERY_MS = 100, MAX_LINE = 1024, NARROWEST = 20 };

static size_t columns(void)
{
    struct winsize size = {0};

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < NARROWEST) {
        return 80;
    }
    return size.ws_col;
}

static void show(struct live *live)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_LINE);
    _cleanup_(buf_done) struct buf line = buf_max(2 * MAX_LINE);

    if (live->may_disturb && !(live->out->at_line_start && out_is_empty(live->out))) {
        return;
    }
    live->compose(live->arg, &text);
    buf_put_str(&line, "\r");
    cli_put_clean(&line, bytes_first(buf_bytes(&text), columns() - 1), 0);
    buf_put_str(&line, "\033[K");
    live->is_shown = true;
    (void)fd_write_all(STDERR_FILENO, buf_bytes(&line));
}

static void on_timer(uv_timer_t *timer)
{
    show(timer->data);
}

int live_init(struct live *live, uv_loop_t *loop, const struct out *out,
              void (*compose)(void *arg, struct buf *line), void *arg)
{
    const char *term = getenv("TERM");

    *live = (struct live){.out = out, .compose = compose, .arg = arg};
    live->is_on = isatty(STDERR_FILENO) != 0 && term != NULL && strcmp(term, "dumb") != 0;
    live->may_disturb = isatty(STDOUT_FILENO) != 0;
    if (!live->is_on) {
        return 0;
    }
    live->timer.data = live;
    uv_timer_init(loop, &live->timer);
    return uv_timer_start(&live->timer, on_timer, FIRST_MS, EVERY_MS);
}

void live_hide(struct live *live)
{
    if (live->is_shown) {
        live->is_shown = false;
        (void)fd_write_all(STDERR_FILENO, bytes_str("\r\033[K"));
    }
}

void live_close(struct live *live)
{
    live_hide(live);
    if (live->is_on && !uv_is_closing((uv_handle_t *)&live->timer)) {
        uv_close((uv_handle_t *)&live->timer, NULL);
    }
}
