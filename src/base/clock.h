/* SPDX-License-Identifier: MIT
 *
 * The two clocks of the project. Time is int64_t milliseconds of CLOCK_MONOTONIC
 * everywhere; wall time is for people and records only.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_read_us(clockid_t id)
{
    struct timespec now = {0};

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static inline int64_t clock_now_ms(void)
{
    return clock_read_us(CLOCK_MONOTONIC) / 1000;
}

static inline int64_t clock_now_us(void)
{
    return clock_read_us(CLOCK_MONOTONIC);
}

static inline int64_t clock_wall_ms(void)
{
    return clock_read_us(CLOCK_REALTIME) / 1000;
}

#endif
