/* SPDX-License-Identifier: MIT
 *
 * What `torno-warden --probe` says.
 */
#ifndef CLI_PROBE_H
#define CLI_PROBE_H

#include "base/buf.h"

enum { PROBE_MAX = 64 };

struct probe {
    struct buf text; /* what it wrote; the slices below lie in it */
    struct bytes names[PROBE_MAX];
    struct bytes values[PROBE_MAX];
    size_t n;
};

/* Runs it and reads its lines; 0, or -errno with one sentence. probe_done() frees. Blocks; a
 * helper that says nothing for three seconds is ended (-ETIMEDOUT). */
int probe_run(const char *warden_path, struct probe *ret, struct buf *ret_sentence);
void probe_done(struct probe *probe);

/* The value of a name, empty where it was not said. */
struct bytes probe_get(const struct probe *probe, const char *name);

#endif
