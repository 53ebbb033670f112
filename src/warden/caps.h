/* SPDX-License-Identifier: MIT
 *
 * Capabilities of the warden's own processes: each keeps what it still needs.
 */
#ifndef WARDEN_CAPS_H
#define WARDEN_CAPS_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>

#define CAPS(name) (UINT64_C(1) << CAP_##name)

/* Gives up every capability but these, and lowers the bounding set as caps_bound(). 0 or
 * -errno. */
int caps_keep(uint64_t keep);

/* Lowers the bounding set to these, where this process may: no later program brings others back,
 * while this one keeps what it has. 0 or -errno. */
int caps_bound(uint64_t keep);

/* Whether this process may use a capability now. */
bool caps_has(int cap);

#endif
