/* SPDX-License-Identifier: MIT
 *
 * What a lying cell can do: the lines after "cell" of a .frames file (tests/hostile/README), done
 * in order in a process of its own. Included by tests/hostile/stand-in.c alone.
 */
#ifndef HOSTILE_LIES_H
#define HOSTILE_LIES_H

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "wire/wire.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FRAME_MAX = 64 * 1024 * 1024 };

static bool is_slow;
static int cell_fd;

static void pause_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

static void send_bytes(struct bytes a)
{
    for (size_t i = 0; is_slow && i < a.len; i++) {
        if (fd_write_all(cell_fd, bytes_of(a.ptr + i, 1)) < 0) {
            _exit(0);
        }
        pause_ms(1);
    }
    if (!is_slow && fd_write_all(cell_fd, a) < 0) {
        _exit(0);
    }
}

static void send_buf(struct buf *b)
{
    send_bytes(buf_bytes(b));
    buf_done(b);
}

static void read_all(uint8_t *to, size_t len)
{
    while (len > 0) {
        ssize_t n = read(cell_fd, to, len);

        if (n <= 0) {
            _exit(0);
        }
        to += n;
        len -= (size_t)n;
    }
}

/* Reads one whole frame; its name, and its body, which is the caller's. */
static const char *read_whole(struct bytes *ret_body)
{
    uint8_t head[FRAME_HEADER_BYTES];
    struct reader r = reader_of(bytes_of(head, sizeof head));
    uint32_t len;
    uint8_t *body;

    read_all(head, sizeof head);
    len = reader_u32(&r) - 1;
    body = xmem_new(len + 1);
    read_all(body, len);
    *ret_body = bytes_of(body, len);
    return wire_name(reader_u8(&r));
}

static const char *read_frame(void)
{
    struct bytes body;
    const char *name = read_whole(&body);

    mem_free((void *)(uintptr_t)body.ptr);
    return name;
}

/* The body of the next frame, which must be this one. */
static struct bytes read_body(const char *name)
{
    struct bytes body;

    if (strcmp(read_whole(&body), name) != 0) {
        _exit(97);
    }
    return body;
}

/* Reads whole frames until one of this name came. */
static void await(char *name)
{
    while (strcmp(read_frame(), name) != 0) {
    }
}

static char *word(char **at)
{
    char *start = *at + strspn(*at, " ");
    size_t len = strcspn(start, " ");

    *at = start + len;
    if (**at != '\0') {
        **at = '\0';
        (*at)++;
    }
    return start;
}

static uint32_t number(char **at)
{
    return (uint32_t)strtoul(word(at), NULL, 10);
}

static void do_hello(char *at)
{
    struct buf b = buf_max(FRAME_MAX);
    struct wire_hello m = {.version = WIRE_VERSION, .walls = 63};

    if (*at != '\0') {
        m.version = number(&at);
        m.walls = number(&at);
    }
    wire_put_hello(&b, &m);
    send_buf(&b);
}

static void send_call(uint32_t id, struct bytes name, struct bytes args)
{
    struct buf b = buf_max(FRAME_MAX);
    struct wire_call m = {.id = id, .name = name, .args = args};

    wire_put_call(&b, &m);
    send_buf(&b);
}

static void do_call(char *at)
{
    uint32_t id = number(&at);
    struct bytes name = bytes_str(word(&at));

    send_call(id, name, bytes_str(at));
}

/* calls FIRST LAST NAME: one call for each id. */
static void do_calls(char *at)
{
    uint32_t first = number(&at);
    uint32_t last = number(&at);
    struct bytes name = bytes_str(word(&at));

    for (uint32_t id = first; id <= last; id++) {
        send_call(id, name, bytes_str("{}"));
    }
}

/* ID NAME N: a call whose arguments are start, N times unit, and end. */
static void do_filled(char *at, const char *start, const char *unit, const char *end, size_t less)
{
    struct buf args = buf_max(FRAME_MAX);
    uint32_t id = number(&at);
    struct bytes name = bytes_str(word(&at));
    size_t n = number(&at);

    buf_put_str(&args, start);
    for (size_t i = less; i < n; i++) {
        buf_put_str(&args, unit);
    }
    buf_put_str(&args, end);
    send_call(id, name, buf_bytes(&args));
    buf_done(&args);
}

/* big ID NAME BYTES: a call with so many bytes of arguments. */
static void do_big(char *at)
{
    do_filled(at, "{\"a\":\"", "x", "\"}", 8);
}

/* values ID NAME N: a call whose arguments hold N values in all. */
static void do_values(char *at)
{
    do_filled(at, "{\"a\":[0", ",1", "]}", 3);
}

/* deep ID NAME N: arguments nested N deep. */
static void do_deep(char *at)
{
    struct buf args = buf_max(FRAME_MAX);
    uint32_t id = number(&at);
    struct bytes name = bytes_str(word(&at));
    uint32_t n = number(&at);

    buf_put_str(&args, "{\"a\":");
    for (uint32_t i = 1; i < n; i++) {
        buf_put_u8(&args, '[');
    }
    for (uint32_t i = 1; i < n; i++) {
        buf_put_u8(&args, ']');
    }
    buf_put_str(&args, "}");
    send_call(id, name, buf_bytes(&args));
    buf_done(&args);
}

static void do_seen(char *at)
{
    struct buf b = buf_max(FRAME_MAX);
    struct wire_seen m = {.id = number(&at)};

    m.how = number(&at);
    wire_put_seen(&b, &m);
    send_buf(&b);
}

/* wakes FIRST LAST PAYLOAD: one for each id. */
static void do_wakes(char *at)
{
    uint32_t first = number(&at);
    uint32_t last = number(&at);

    for (uint32_t id = first; id <= last; id++) {
        struct buf b = buf_max(FRAME_MAX);
        struct wire_wake m = {.id = id, .payload = bytes_str(at)};

        wire_put_wake(&b, &m);
        send_buf(&b);
    }
}

/* pass: a hello, and a descriptor with each of its bytes. */
static void do_pass(char *at)
{
    struct buf b = buf_max(FRAME_MAX);
    struct wire_hello hello = {.version = WIRE_VERSION, .walls = 63};

    (void)at;
    wire_put_hello(&b, &hello);
    for (size_t i = 0; i < b.len; i++) {
        union {
            char space[CMSG_SPACE(sizeof(int))];
            struct cmsghdr align;
        } control = {0};
        struct iovec part = {.iov_base = &b.data[i], .iov_len = 1};
        struct msghdr m = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = sizeof control.space};
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);

        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &cell_fd, sizeof cell_fd);
        if (sendmsg(cell_fd, &m, MSG_NOSIGNAL) < 0) {
            _exit(0);
        }
    }
    buf_done(&b);
}

static void do_output(struct bytes text)
{
    struct buf b = buf_max(FRAME_MAX);
    struct wire_output m = {.text = text};

    wire_put_output(&b, &m);
    send_buf(&b);
}

/* flood N: output frames of 64 KiB. */
static void do_flood(char *at)
{
    static uint8_t text[WIRE_MAX_OUTPUT];
    uint32_t n = number(&at);

    memset(text, 'f', sizeof text);
    for (uint32_t i = 0; i < n; i++) {
        do_output(bytes_of(text, sizeof text));
    }
}

static void send_ending(uint32_t kind, const char *field, struct bytes text, const char *name)
{
    struct buf b = buf_max(FRAME_MAX);
    struct wire_ending m = {.kind = kind,
                            .name = bytes_str(name),
                            .message = bytes_none(),
                            .frames = bytes_none(),
                            .notes = bytes_none(),
                            .value = bytes_none()};
    struct bytes *to = strcmp(field, "notes") == 0    ? &m.notes
                       : strcmp(field, "frames") == 0 ? &m.frames
                       : strcmp(field, "value") == 0  ? &m.value
                                                      : &m.message;

    *to = text;
    wire_put_ending(&b, &m);
    send_buf(&b);
}

/* naps N MS PAUSE: N times, asks for a tick in MS, and waits PAUSE itself, but not for the tick. */
static void do_naps(char *at)
{
    uint32_t n = number(&at);
    struct wire_sleep m = {.ms = number(&at)};
    uint32_t wait_ms = number(&at);

    for (uint32_t i = 0; i < n; i++) {
        struct buf b = buf_max(FRAME_MAX);

        wire_put_sleep(&b, &m);
        send_buf(&b);
        if (wait_ms > 0) {
            pause_ms(wait_ms);
        }
    }
}

/* ticks LEAST MOST: counts those that come until none does for 100 ms, and ends as finished with
 * "counted" or their number. */
static void do_ticks(char *at)
{
    uint32_t least = number(&at);
    uint32_t most = number(&at);
    uint32_t n = 0;
    struct buf value = buf_max(64);

    while (poll(&(struct pollfd){.fd = cell_fd, .events = POLLIN}, 1, 100) > 0) {
        n += strcmp(read_frame(), "tick") == 0;
    }
    if (n < least || n > most) {
        buf_printf(&value, "%u", n);
    } else {
        buf_put_str(&value, "\"counted\"");
    }
    send_ending(WIRE_END_FINISHED, "value", buf_bytes(&value), "");
    buf_done(&value);
}

/* ending 1 VALUE | ending KIND NAME MESSAGE. */
static void do_ending(char *at)
{
    uint32_t kind = number(&at);
    const char *name = kind == WIRE_END_FINISHED ? "" : word(&at);

    send_ending(kind, kind == WIRE_END_FINISHED ? "value" : "message", bytes_str(at), name);
}

static void do_notes(char *at)
{
    send_ending(WIRE_END_FINISHED, "notes", bytes_str(at), "");
}

static void do_frames(char *at)
{
    send_ending(WIRE_END_FINISHED, "frames", bytes_str(at), "");
}

static void put_hex(struct buf *b, const char *hex)
{
    unsigned byte;

    while (sscanf(hex, " %2x", &byte) == 1) {
        buf_put_u8(b, (uint8_t)byte);
        hex += strspn(hex, " ");
        hex += 2;
    }
}

static void do_raw(char *at)
{
    struct buf b = buf_max(FRAME_MAX);

    put_hex(&b, at);
    send_buf(&b);
}

/* frame TYPE HEX: length and type are right, the body is what it is. */
static void do_frame(char *at)
{
    struct buf b = buf_max(FRAME_MAX);
    struct buf body = buf_max(FRAME_MAX);
    uint32_t type = number(&at);

    put_hex(&body, at);
    buf_put_u32(&b, (uint32_t)body.len + 1);
    buf_put_u8(&b, (uint8_t)type);
    buf_put_bytes(&b, buf_bytes(&body));
    buf_done(&body);
    send_buf(&b);
}

/* filled TYPE N HEX: the same, and N zeros more. */
static void do_filled_frame(char *at)
{
    struct buf b = buf_max(FRAME_MAX);
    struct buf body = buf_max(FRAME_MAX);
    uint32_t type = number(&at);
    uint32_t n = number(&at);
    uint8_t *zeros;

    put_hex(&body, at);
    zeros = buf_grow(&body, n);
    if (zeros != NULL) {
        memset(zeros, 0, n);
    }
    buf_put_u32(&b, (uint32_t)body.len + 1);
    buf_put_u8(&b, (uint8_t)type);
    buf_put_bytes(&b, buf_bytes(&body));
    buf_done(&body);
    send_buf(&b);
}

/* zeros N: so many bytes. */
static void do_zeros(char *at)
{
    static const uint8_t zeros[65536];
    size_t left = number(&at);

    while (left > 0) {
        size_t n = left < sizeof zeros ? left : sizeof zeros;

        send_bytes(bytes_of(zeros, n));
        left -= n;
    }
}

/* die SIGNAL: a sanitizer would catch some signals and exit instead. */
static void do_die(char *at)
{
    int signal_number = (int)number(&at);

    sigaction(signal_number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    raise(signal_number);
}

static void do_text(char *at)
{
    do_output(bytes_str(at));
}

static void do_sleep(char *at)
{
    pause_ms((long)number(&at));
}

static void do_slow(char *at)
{
    (void)at;
    is_slow = true;
}

static void do_close(char *at)
{
    (void)at;
    close(cell_fd);
    cell_fd = -1;
}

static void do_exit(char *at)
{
    _exit((int)number(&at));
}

/* spin: computes for ever. */
static void do_spin(char *at)
{
    for (volatile unsigned i = 0; *at == '\0'; i++) {
    }
}

static void do_hang(char *at)
{
    (void)at;
    pause_ms(60000);
}

static const struct verb {
    const char *name;
    void (*run)(char *at);
} verbs[] = {
    {"hello", do_hello},         {"await", await},      {"call", do_call},
    {"calls", do_calls},         {"big", do_big},       {"values", do_values},
    {"deep", do_deep},           {"seen", do_seen},     {"output", do_text},
    {"flood", do_flood},         {"ending", do_ending}, {"notes", do_notes},
    {"frames", do_frames},       {"raw", do_raw},       {"frame", do_frame},
    {"zeros", do_zeros},         {"sleep", do_sleep},   {"slow", do_slow},
    {"close", do_close},         {"exit", do_exit},     {"die", do_die},
    {"hang", do_hang},           {"spin", do_spin},     {"naps", do_naps},
    {"wakes", do_wakes},         {"pass", do_pass},     {"ticks", do_ticks},
    {"filled", do_filled_frame},
};

static void do_line(char *line)
{
    char *at = line;
    const char *verb = word(&at);

    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        if (strcmp(verb, verbs[i].name) == 0) {
            verbs[i].run(at);
            return;
        }
    }
    _exit(99); /* a line that there is not: the case fails by its ending */
}

static void do_lines(char *at)
{
    while (at != NULL && *at != '\0') {
        char *end = at + strcspn(at, "\n");
        bool is_last = *end == '\0';

        *end = '\0';
        if (*at != '\0' && *at != '#') {
            do_line(at);
        }
        at = is_last ? NULL : end + 1;
    }
}

/* The lines after "cell". */
static void lie(char *script)
{
    char *at = strstr(script, "\ncell\n");

    do_lines(at == NULL ? NULL : at + strlen("\ncell\n"));
}

/* Of the lines after "cell" the one with this number, from 1; without one it behaves. */
static void lie_by_number(char *script, uint32_t cell)
{
    char *at = strstr(script, "\ncell\n") + strlen("\ncell\n");

    for (uint32_t i = 1; i < cell && at != NULL; i++) {
        at = strchr(at, '\n');
        at = at == NULL ? NULL : at + 1;
    }
    if (at != NULL && *at != '\0') {
        at[strcspn(at, "\n")] = '\0';
        do_line(at);
        do_hang(at);
    }
}

/* The script that came is the lines to be done; none: it behaves. */
static void lie_as_told(void)
{
    struct wire_start m;
    struct bytes body = read_body("start");

    if (wire_get_start(body, &m) < 0) {
        _exit(98);
    }
    if (m.code.len > 1) {
        do_lines(mem_str(m.code));
    } else {
        send_ending(WIRE_END_FINISHED, "value", bytes_str("\"fine\""), "");
    }
}

static void behave(bool has_said_hello)
{
    char finished[] = "1 \"fine\"";

    if (!has_said_hello) {
        do_hello(finished + strlen(finished));
    }
    await("start");
    do_ending(finished);
}

#endif
