/* SPDX-License-Identifier: MIT
 *
 * The cell's channel: this program is both ends, the host's one in a forked child where a
 * write could block.
 */
#include "base/fd.h"
#include "cell/channel.h"
#include "t.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static uint8_t room[4 * WIRE_MIB];
static bool has_room = true;

static uint8_t *take(size_t len)
{
    return has_room && len <= sizeof room ? room : NULL;
}

/* A fresh channel; the host's end. */
static int open_channel(int *ret_cell)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        _exit(1);
    }
    has_room = true;
    *ret_cell = pair[1];
    channel_init(pair[1], take);
    return pair[0];
}

/* Reads what the cell has sent so far as one line of words: "output:text call:3:name ...". */
static const char *heard(int host, size_t *ret_bytes)
{
    static uint8_t bytes[WIRE_MIB];
    static char words[4096];
    ssize_t n = recv(host, bytes, sizeof bytes, MSG_DONTWAIT);
    struct bytes in = bytes_of(bytes, n > 0 ? (size_t)n : 0);
    struct frame f;
    size_t at = 0;

    words[0] = '\0';
    if (ret_bytes != NULL) {
        *ret_bytes = in.len;
    }
    while (frame_next(in, WIRE_MAX_FRAME_FROM_CELL, &f) == 0) {
        struct wire_call call;
        struct wire_seen seen;
        struct wire_output output;

        if (f.type == WIRE_MSG_call && wire_get_call(f.body, &call) == 0) {
            at += (size_t)snprintf(words + at, sizeof words - at, "call:%u:%.*s ", call.id,
                                   (int)call.args.len, (const char *)call.args.ptr);
        } else if (f.type == WIRE_MSG_seen && wire_get_seen(f.body, &seen) == 0) {
            at += (size_t)snprintf(words + at, sizeof words - at, "seen:%u ", seen.id);
        } else if (f.type == WIRE_MSG_output && wire_get_output(f.body, &output) == 0) {
            at += (size_t)snprintf(words + at, sizeof words - at, "output:%.*s ",
                                   output.text.len < 40 ? (int)output.text.len : 3,
                                   (const char *)output.text.ptr);
        } else {
            at += (size_t)snprintf(words + at, sizeof words - at, "%s ", wire_name(f.type));
        }
        in = bytes_from(in, f.size);
    }
    return words;
}

static void send_call(uint32_t id, struct bytes args)
{
    struct wire_call m = {.id = id, .name = bytes_str("t"), .args = args};

    channel_call(&m);
}

static void test_order(void)
{
    int cell;
    int host = open_channel(&cell);

    channel_output(bytes_str("a"));
    channel_output(bytes_str("b"));
    send_call(1, bytes_str("{}"));
    channel_output(bytes_str("c"));
    channel_seen(&(struct wire_seen){.id = 1, .how = WIRE_SEEN_WHOLE});
    send_call(2, bytes_str("{2}"));
    T_STR(heard(host, NULL), ""); /* all of it waits for one write */
    channel_output(bytes_str("d"));
    channel_ending(&(struct wire_ending){.kind = WIRE_END_FINISHED,
                                         .name = bytes_none(),
                                         .message = bytes_none(),
                                         .frames = bytes_none(),
                                         .notes = bytes_none(),
                                         .value = bytes_str("1")});
    T_EQ(channel_flush(), 0);
    T_STR(heard(host, NULL), "output:ab call:1:{} output:c seen:1 call:2:{2} output:d ending ");
    close(host);
    close(cell);
}

/* Long arguments are written in place, and what waited goes before them. */
static void test_long_tail(void)
{
    static uint8_t args[100000];
    size_t bytes = 0;
    int cell;
    int host = open_channel(&cell);

    memset(args, 'x', sizeof args);
    channel_output(bytes_str("before"));
    send_call(1, bytes_of(args, sizeof args));
    channel_output(bytes_str("after"));
    T_EQ(channel_flush(), 0);
    T_OK(strncmp(heard(host, &bytes), "output:before call:1:xxx", 24) == 0);
    T_EQ(bytes, 9 + 6 + (5 + 4 + 5 + 4) + sizeof args + 9 + 5);
    close(host);
    close(cell);
}

/* Reads every output frame until the end of the stream; checks each one and the whole. */
static int check_stream(int host, const uint8_t *want, size_t len)
{
    static uint8_t got[2 * WIRE_MIB];
    size_t n = 0;
    size_t at = 0;
    struct bytes in;
    struct frame f;

    for (;;) {
        ssize_t r = read(host, got + n, sizeof got - n);

        if (r <= 0) {
            break;
        }
        n += (size_t)r;
    }
    in = bytes_of(got, n);
    while (frame_next(in, WIRE_MAX_FRAME_FROM_CELL, &f) == 0) {
        struct wire_output m;

        if (f.type != WIRE_MSG_output || wire_get_output(f.body, &m) != 0) {
            return 1;
        }
        if (at + m.text.len > len || memcmp(want + at, m.text.ptr, m.text.len) != 0) {
            return 2;
        }
        at += m.text.len;
        if (at < len && (want[at] & 0xC0) == 0x80) {
            return 3; /* cut inside a character */
        }
        in = bytes_from(in, f.size);
    }
    return in.len == 0 && at == len ? 0 : 4;
}

/* Text of four-byte characters after some of one byte, in pieces of this size. */
static void test_text(size_t piece, size_t ahead)
{
    static const uint8_t bird[] = {0xF0, 0x9F, 0x90, 0xA6};
    static uint8_t text[300000];
    int status = 1;
    int cell;
    int host = open_channel(&cell);
    pid_t pid;

    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = i < ahead ? 'a' : bird[(i - ahead) % sizeof bird];
    }
    pid = fork();
    if (pid == 0) {
        close(cell);
        _exit(check_stream(host, text, sizeof text));
    }
    close(host);
    for (size_t at = 0; at < sizeof text; at += piece) {
        channel_output(bytes_first(bytes_from(bytes_of(text, sizeof text), at), piece));
    }
    T_EQ(channel_flush(), 0);
    close(cell);
    waitpid(pid, &status, 0);
    T_EQ(WEXITSTATUS(status), 0);
}

/* Not UTF-8 at all: still cut in frames, nothing lost. */
static void test_not_utf8(void)
{
    static uint8_t text[200000];
    int cell;
    int host = open_channel(&cell);
    pid_t pid;
    int status = 1;

    memset(text, 0x80, sizeof text);
    pid = fork();
    if (pid == 0) {
        close(cell);
        _exit(check_stream(host, text, sizeof text) == 3 ? 0 : 1);
    }
    close(host);
    channel_output(bytes_of(text, sizeof text));
    T_EQ(channel_flush(), 0);
    close(cell);
    waitpid(pid, &status, 0);
    T_EQ(WEXITSTATUS(status), 0);
}

/* The host's side of the next tests: a result of size bytes, then a stop, in pieces. */
static void host_sends(int host, size_t size, size_t piece)
{
    static uint8_t payload[3 * WIRE_MIB];
    struct buf out = buf_max(8 * WIRE_MIB);
    struct wire_result m = {.id = 9, .kind = WIRE_RES_ANSWER};

    memset(payload, 'y', sizeof payload);
    m.payload = bytes_of(payload, size);
    wire_put_result(&out, &m);
    wire_put_stop(&out, &(struct wire_stop){.reason = 3});
    for (size_t at = 0; at < out.len; at += piece) {
        fd_write_all(host, bytes_first(bytes_from(buf_bytes(&out), at), piece));
    }
    buf_done(&out);
}

static void test_incoming(size_t size, size_t piece, bool may_take)
{
    int cell;
    int host = open_channel(&cell);
    struct channel_frame f;
    struct wire_result m;
    struct wire_stop stop;
    pid_t pid = fork();

    if (pid == 0) {
        close(cell);
        host_sends(host, size, piece);
        _exit(0);
    }
    close(host);
    has_room = may_take;
    T_EQ(channel_next(&f), 0);
    T_EQ(f.type, WIRE_MSG_result);
    T_EQ(f.len, size + 12);
    T_EQ(f.has_room, may_take);
    if (may_take) {
        T_OK(f.body.ptr == room);
        T_EQ(wire_get_result(f.body, &m), 0);
        T_OK(m.id == 9 && m.payload.len == size && (size == 0 || m.payload.ptr[size - 1] == 'y'));
    } else {
        T_EQ(f.body.len, f.len < CHANNEL_HEAD_BYTES ? f.len : CHANNEL_HEAD_BYTES);
        T_EQ(f.body.ptr[0], 9);
    }
    T_EQ(channel_next(&f), 0);
    T_EQ(f.type, WIRE_MSG_stop);
    T_OK(wire_get_stop(f.body, &stop) == 0 && stop.reason == 3);
    T_EQ(channel_next(&f), CHANNEL_E_CLOSED);
    T_EQ(channel_next(&f), CHANNEL_E_CLOSED);
    close(cell);
    waitpid(pid, NULL, 0);
}

/* What a host may never send. */
static void test_faults(void)
{
    static const struct {
        uint8_t bytes[8];
        int fault;
    } bad[] = {
        {{0, 0, 0, 0, 3}, -EBADMSG},              /* no type */
        {{0xff, 0xff, 0xff, 0xff, 2}, -EMSGSIZE}, /* 4 GiB */
        {{0, 4, 0, 0, 3}, -EBADMSG},              /* a stop of 1 KiB */
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int cell;
        int host = open_channel(&cell);
        struct channel_frame f;

        fd_write_all(host, bytes_of(bad[i].bytes, sizeof bad[i].bytes));
        T_EQ(channel_next(&f), bad[i].fault);
        T_EQ(channel_next(&f), bad[i].fault);
        close(host);
        close(cell);
    }
}

/* A host that is gone: sending does nothing, nothing dies. */
static void test_gone(void)
{
    int cell;
    int host = open_channel(&cell);

    close(host);
    for (int i = 0; i < 100; i++) {
        send_call((uint32_t)i, bytes_str("{}"));
        channel_output(bytes_str("text"));
    }
    T_EQ(channel_flush(), CHANNEL_E_CLOSED);
    T_EQ(channel_flush(), CHANNEL_E_CLOSED);
    close(cell);
}

/* A frame of our own past its maximum is never sent, not even in part. */
static void test_own_fault(void)
{
    static uint8_t name[WIRE_MAX_TOOL_NAME + 1];
    int cell;
    int host = open_channel(&cell);
    struct wire_call m = {.id = 1, .name = bytes_of(name, sizeof name), .args = bytes_none()};
    size_t bytes = 1;

    channel_call(&m);
    T_ERR(channel_flush(), EMSGSIZE);
    heard(host, &bytes);
    T_EQ(bytes, 0);
    close(host);
    close(cell);
}

/* Text of a script that computes on for long is heard before it ends. */
static void test_late_text(void)
{
    int cell;
    int host = open_channel(&cell);

    channel_output(bytes_str("soon"));
    usleep(60000);
    channel_output(bytes_str("er"));
    T_STR(heard(host, NULL), "output:sooner ");
    close(host);
    close(cell);
}

int main(void)
{
    static const size_t pieces[] = {300000, 4, 12, 4092, 4096, 4100, 16380, 16384, 20000, 65536};
    static const size_t sizes[] = {0, 1, 52, 53, 4000, 4096, 8192, 100000, 3 * WIRE_MIB};

    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    test_order();
    test_long_tail();
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        test_text(pieces[i], 0);
    }
    for (size_t ahead = 1; ahead < 4; ahead++) {
        test_text(300000, ahead);
    }
    test_not_utf8();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_incoming(sizes[i], 1 << 20, true);
        test_incoming(sizes[i], 1 << 20, false);
        test_incoming(sizes[i], 4097, true);
    }
    test_incoming(5000, 1, true);
    test_incoming(5000, 1, false);
    test_faults();
    test_gone();
    test_own_fault();
    test_late_text();
    return T_DONE("channel");
}
