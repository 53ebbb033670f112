/* SPDX-License-Identifier: MIT
 *
 * Whether code names a tool, for a host that must know before it speaks.
 *
 * Names are matched as text, as whole identifiers: what stands before and after must be no
 * letter, digit, "_" or "$". Bytes past ASCII count as letters. A false hold is cheap, so strings
 * and comments count too.
 */
#include "agent/agent.h"

static bool is_part(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c >= 0x80;
}

static bool names_one(struct bytes code, struct bytes name)
{
    const uint8_t *at = code.ptr;
    const uint8_t *end = code.ptr + code.len;

    while (name.len > 0 && (size_t)(end - at) >= name.len) {
        const uint8_t *found = memmem(at, (size_t)(end - at), name.ptr, name.len);

        if (found == NULL) {
            break;
        }
        if ((found == code.ptr || !is_part(found[-1])) &&
            (found + name.len == end || !is_part(found[name.len]))) {
            return true;
        }
        at = found + 1;
    }
    return false;
}

bool code_names(struct bytes code, const struct bytes *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (names_one(code, names[i])) {
            return true;
        }
    }
    return false;
}
