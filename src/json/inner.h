/* SPDX-License-Identifier: MIT
 *
 * What the files of this room share: white space, words of eight bytes, keys.
 * Nobody outside src/json includes it.
 */
#ifndef JSON_INNER_H
#define JSON_INNER_H

#include "base/bytes.h"

static inline const uint8_t *json_skip_space(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) {
        at++;
    }
    return at;
}

/* The high bit of each byte of eight that equals byte (exact up to the first hit). */
static inline uint64_t json_match8(uint64_t eight, uint8_t byte)
{
    uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t rest = eight ^ (ones * byte);

    return (rest - ones) & ~rest & (ones << 7);
}

/* The high bit of each byte of eight that is below 0x20 (exact up to the first hit). */
static inline uint64_t json_control8(uint64_t eight)
{
    uint64_t ones = UINT64_C(0x0101010101010101);

    return (eight - ones * 0x20) & ~eight & (ones << 7);
}

static inline uint64_t json_load8(const uint8_t *at)
{
    uint64_t eight;

    memcpy(&eight, at, sizeof eight);
    return eight;
}

/* Orders two raw strings (quotes included) by their decoded bytes. */
int json_compare_strings(struct bytes a, struct bytes b);

#endif
