/* SPDX-License-Identifier: MIT
 *
 * The main of a fuzz target in `make check`: runs the target over every file of the corpus
 * folders given, and prints "NAME: N inputs", NAME being the first folder's last part. Status 1
 * where a folder cannot be read or holds nothing: an empty replay would prove nothing.
 */
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"

#include <dirent.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *folder, const char *name)
{
    _cleanup_(buf_done) struct buf path = buf_max(4096);
    _cleanup_(free_p) char *text = NULL;
    size_t len;

    buf_printf(&path, "%s/%s", folder, name);
    if (buf_fault(&path) != 0 || fd_read_file(buf_str(&path), 64 << 20, &text, &len) != 0) {
        fprintf(stderr, "%s/%s cannot be read\n", folder, name);
        return 1;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)text, len);
    return 0;
}

static int replay_folder(const char *folder, unsigned *count)
{
    DIR *dir = opendir(folder);
    int failures = 0;

    if (dir == NULL) {
        fprintf(stderr, "%s: no such corpus folder\n", folder);
        return 1;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            failures += replay_file(folder, entry->d_name);
            (*count)++;
        }
    }
    closedir(dir);
    return failures;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    int failures = 0;
    const char *slash;

    if (argc < 2) {
        fprintf(stderr, "usage: %s CORPUS-FOLDER...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        failures += replay_folder(argv[i], &count);
    }
    slash = strrchr(argv[1], '/');
    printf("%s: %u inputs\n", slash == NULL ? argv[1] : slash + 1, count);
    return failures > 0 || count == 0 ? 1 : 0;
}
