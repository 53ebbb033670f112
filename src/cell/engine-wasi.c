/* SPDX-License-Identifier: MIT
 *
 * What the module imports: clocks, randomness, and refusals.
 *
 * Runs in the zygote and in the cell. Pointers are guest addresses: a bad one faults
 * inside the reservation and ends the script as a trap. The only system call below is
 * clock_gettime(), which the vDSO answers; rt_random_seed() is for before the lock.
 *
 * Randomness is ChaCha20 (RFC 8439) under a key from the kernel, drawn afresh in each cell.
 */
#include "cell/engine-rt.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/random.h>

enum { WASI_OK = 0, WASI_BADF = 8, WASI_SPIPE = 70, WASI_INVAL = 28 };

static char stderr_text[RT_STDERR_MAX];
static size_t stderr_len;
static int64_t clock_start_us;
static bool is_clock_started;

static uint32_t random_key[8];
static uint64_t random_block;
static uint8_t random_left[64];
static size_t n_random_left;

static uint32_t rotate(uint32_t a, int by)
{
    return a << by | a >> (32 - by);
}

static void quarter(uint32_t *s, int a, int b, int c, int d)
{
    s[a] += s[b];
    s[d] = rotate(s[d] ^ s[a], 16);
    s[c] += s[d];
    s[b] = rotate(s[b] ^ s[c], 12);
    s[a] += s[b];
    s[d] = rotate(s[d] ^ s[a], 8);
    s[c] += s[d];
    s[b] = rotate(s[b] ^ s[c], 7);
}

static void fill_random(void)
{
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    uint32_t s[16];

    memcpy(start + 4, random_key, sizeof(random_key));
    memcpy(start + 12, &random_block, sizeof(random_block));
    random_block++;
    memcpy(s, start, sizeof(s));
    for (int i = 0; i < 10; i++) {
        for (int a = 0; a < 4; a++) {
            quarter(s, a, a + 4, a + 8, a + 12);
        }
        for (int a = 0; a < 4; a++) {
            quarter(s, a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4);
        }
    }
    for (int i = 0; i < 16; i++) {
        s[i] += start[i];
    }
    memcpy(random_left, s, sizeof(s));
    n_random_left = sizeof(s);
}

int rt_random_seed(void)
{
    if (getrandom(random_key, sizeof(random_key), 0) != (ssize_t)sizeof(random_key)) {
        return -EIO;
    }
    random_block = 0;
    n_random_left = 0;
    return 0;
}

void rt_random_bytes(void *into, size_t len)
{
    uint8_t *at = into;

    while (len > 0) {
        size_t n;

        if (n_random_left == 0) {
            fill_random();
        }
        n = len < n_random_left ? len : n_random_left;
        memcpy(at, random_left + (sizeof(random_left) - n_random_left), n);
        n_random_left -= n;
        at += n;
        len -= n;
    }
}

struct bytes rt_stderr(void)
{
    return bytes_of(stderr_text, stderr_len);
}

void rt_start_clock(void)
{
    clock_start_us = clock_now_us();
    is_clock_started = true;
}

double rt_clock_ms(void)
{
    return is_clock_started ? (double)(clock_now_us() - clock_start_us) / 1000 : 0;
}

typedef struct Z_wasi_snapshot_preview1_instance_t wasi;
typedef struct Z_env_instance_t env;

/* The monotonic clock counts from the script's start: the zygote's age is not its business. */
uint32_t Z_wasi_snapshot_preview1Z_clock_time_get(wasi *w, uint32_t id, uint64_t precision,
                                                  uint32_t ret_time)
{
    int64_t us = 0;

    (void)w;
    (void)precision;
    if (id == 0) {
        us = clock_read_us(CLOCK_REALTIME);
    } else if (is_clock_started) {
        us = clock_now_us() - clock_start_us;
    }
    rt_put_u64(ret_time, (uint64_t)us * 1000);
    return WASI_OK;
}

uint32_t Z_wasi_snapshot_preview1Z_random_get(wasi *w, uint32_t into, uint32_t len)
{
    (void)w;
    rt_random_bytes(rt_ptr(into), len);
    return WASI_OK;
}

/* Keeps what the engine says of its own accord (assertions), for a crash's message. */
uint32_t Z_wasi_snapshot_preview1Z_fd_write(wasi *w, uint32_t fd, uint32_t vectors, uint32_t n,
                                            uint32_t ret_written)
{
    uint32_t written = 0;

    (void)w;
    if (fd != 1 && fd != 2) {
        return WASI_BADF;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = rt_get_u32(vectors + 8 * i);
        uint32_t len = rt_get_u32(vectors + 8 * i + 4);
        size_t room = sizeof(stderr_text) - stderr_len;
        size_t take = len < room ? len : room;

        memcpy(stderr_text + stderr_len, rt_ptr(at), take);
        stderr_len += take;
        written += len;
    }
    rt_put_u32(ret_written, written);
    return WASI_OK;
}

uint32_t Z_wasi_snapshot_preview1Z_fd_close(wasi *w, uint32_t fd)
{
    (void)w;
    (void)fd;
    return WASI_BADF;
}

uint32_t Z_wasi_snapshot_preview1Z_fd_fdstat_get(wasi *w, uint32_t fd, uint32_t ret_stat)
{
    (void)w;
    if (fd != 1 && fd != 2) {
        return WASI_BADF;
    }
    memset(rt_ptr(ret_stat), 0, 24);
    *rt_ptr(ret_stat) = 2; /* a character device: written through, line by line */
    return WASI_OK;
}

uint32_t Z_wasi_snapshot_preview1Z_fd_seek(wasi *w, uint32_t fd, uint64_t offset, uint32_t whence,
                                           uint32_t ret_offset)
{
    (void)w;
    (void)fd;
    (void)offset;
    (void)whence;
    (void)ret_offset;
    return WASI_SPIPE;
}

/* The package's own glue calls these; the binding uses none of that glue. */
uint32_t Z_envZ_host_call(env *e, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t f)
{
    (void)e;
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    (void)f;
    return 0;
}

uint32_t Z_envZ_host_interrupt(env *e)
{
    (void)e;
    return 0;
}

uint32_t Z_envZ_host_module_load(env *e, uint32_t a, uint32_t b)
{
    (void)e;
    (void)a;
    (void)b;
    return 0;
}

uint32_t Z_envZ_host_module_normalize(env *e, uint32_t a, uint32_t b)
{
    (void)e;
    (void)a;
    (void)b;
    return 0;
}

void Z_envZ_host_promise_rejection(env *e, uint32_t a, uint32_t b, uint32_t c)
{
    (void)e;
    (void)a;
    (void)b;
    (void)c;
}

/* Scripts live in UTC. */
uint32_t Z_envZ_host_get_timezone_offset(env *e, uint32_t low, uint32_t high)
{
    (void)e;
    (void)low;
    (void)high;
    return 0;
}
