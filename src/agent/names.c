/* SPDX-License-Identifier: MIT
 *
 * Whether code names a tool, for a host that must know before it speaks.
 *
 * Names are matched as text, as whole identifiers: beside a letter, digit, "_" or "$" of the name's
 * own ends must stand no other. All characters past ASCII count as none, since some are spaces; a
 * false hold is cheap, a miss is not, so strings and comments count too.
 */
#include "agent/agent.h"

static bool is_part(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

/* Whether two bytes that stand side by side belong to one identifier. */
static bool are_joined(uint8_t a, uint8_t b)
{
    return is_part(a) && is_part(b);
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
        if ((found == code.ptr || !are_joined(found[-1], found[0])) &&
            (found + name.len == end || !are_joined(found[name.len - 1], found[name.len]))) {
            return true;
        }
        at = found + 1;
        while (is_part(*found) && at < end && is_part(*at)) {
            at++; /* what begins inside an identifier is joined to what stands before it */
        }
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
