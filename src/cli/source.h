/* SPDX-License-Identifier: MIT
 *
 * The script's source: reading it, and telling what is clearly not JavaScript.
 */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "base/buf.h"

struct source {
    const char *name; /* for frames: the path as given, or "<stdin>"; borrowed */
    char *text;
    size_t len;
};

/* Reads a script of at most max bytes from a file, or from stdin where path is "-"; 0, or -errno
 * with one sentence that names the file. language is what --language said, or NULL. */
int source_read(const char *path, const char *language, size_t max, struct source *ret,
                struct buf *ret_sentence);
void source_done(struct source *source);

/* The text of a line (1-based) without its end; empty where there is none. */
struct bytes source_line(const struct source *source, int64_t line);

#endif
