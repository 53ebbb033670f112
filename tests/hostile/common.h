/* SPDX-License-Identifier: MIT
 *
 * What the parts of tests/hostile-test.c share.
 */
#ifndef HOSTILE_COMMON_H
#define HOSTILE_COMMON_H

#include "base/buf.h"
#include "host/host.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static char stand_in[PATH_MAX]; /* the program */
static char scratch[PATH_MAX];  /* a folder */

static void put_ending(struct buf *out, const struct ending *e)
{
    buf_put_str(out, ending_name(e->kind));
    if (e->reason.len > 0) {
        buf_put_str(out, "/");
        buf_put_bytes(out, e->reason);
    }
    buf_put_str(out, ": ");
    buf_put_bytes(out, e->kind == ENDING_FINISHED ? e->value : e->error_message);
}

static int count_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    while (d != NULL && readdir(d) != NULL) {
        n++;
    }
    if (d != NULL) {
        closedir(d);
    }
    return n;
}

static bool write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (f == NULL) {
        return false;
    }
    fputs(text, f);
    return fclose(f) == 0;
}

static bool find_stand_in(void)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (n <= 0) {
        return false;
    }
    self[n] = '\0';
    slash = strrchr(self, '/');
    *slash = '\0';
    return snprintf(stand_in, sizeof stand_in, "%s/hostile/stand-in", self) <
               (int)sizeof stand_in &&
           access(stand_in, X_OK) == 0;
}

#endif
