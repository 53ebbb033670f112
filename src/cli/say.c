/* SPDX-License-Identifier: MIT
 *
 * Sentences for people, on stderr. Text in them may come from a script or a server: control
 * characters never reach the terminal.
 */
#include "base/fd.h"
#include "base/mem.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_SENTENCE = 256 * 1024 };

/* The length of the control character at the start of a, 0 where there is none: C0 but newline and
 * tab, DEL, C1 (C2 80 to C2 9F), and the marks that turn the direction of text or end a line
 * without a newline (U+2028 to U+202E, U+2066 to U+2069). */
static size_t control_length(struct bytes a)
{
    const uint8_t *p = a.ptr;

    if (p[0] < 0x20 || p[0] == 0x7f) {
        return p[0] == '\n' || p[0] == '\t' ? 0 : 1;
    }
    if (p[0] == 0xc2 && a.len > 1 && p[1] >= 0x80 && p[1] <= 0x9f) {
        return 2;
    }
    if (p[0] == 0xe2 && a.len > 2 &&
        ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
         (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9))) {
        return 3;
    }
    return 0;
}

void cli_put_clean(struct buf *out, struct bytes text, unsigned indent)
{
    while (text.len > 0) {
        size_t len = control_length(text);
        uint8_t byte = text.ptr[0];

        text = bytes_from(text, len == 0 ? 1 : len);
        if (len > 0) {
            buf_put_str(out, "\xef\xbf\xbd");
            continue;
        }
        buf_put_u8(out, byte);
        for (unsigned n = 0; byte == '\n' && n < indent; n++) {
            buf_put_u8(out, ' ');
        }
    }
}

static void say(const char *format, va_list list)
{
    _cleanup_(buf_done) struct buf text = buf_max(MAX_SENTENCE);
    _cleanup_(buf_done) struct buf line = buf_max(4 * MAX_SENTENCE);
    va_list again;
    char *room;
    int len;

    va_copy(again, list);
    len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    room = len < 0 ? NULL : (char *)buf_grow(&text, (size_t)len + 1);
    buf_put_str(&line, "torno: ");
    if (room == NULL) {
        buf_put_str(&line, "a message was too long to be shown");
    } else {
        vsnprintf(room, (size_t)len + 1, format, list);
        cli_put_clean(&line, bytes_of(room, (size_t)len), 2);
    }
    buf_put_str(&line, "\n");
    /* Where stderr is gone there is nobody left to tell. */
    (void)fd_write_all(STDERR_FILENO, buf_bytes(&line));
}

void cli_say(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    say(format, list);
    va_end(list);
}

int cli_usage(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    say(format, list);
    va_end(list);
    return CLI_USAGE;
}

int cli_help(const char *text)
{
    int r = fd_write_all(STDOUT_FILENO, bytes_str(text));

    if (r < 0 && r != -EPIPE) {
        cli_say("stdout took nothing: %s", strerror(-r));
    }
    return r < 0 ? CLI_FAILED : CLI_OK;
}
