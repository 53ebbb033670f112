/* SPDX-License-Identifier: MIT
 *
 * Reads the script. What is clearly another language is told here, before anything is
 * started: by --language, by the file's name, or by its first line of code (wire/language.h).
 */
#include "cli/source.h"

#include "base/fd.h"
#include "base/mem.h"
#include "wire/language.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

void source_done(struct source *source)
{
    mem_free(source->text);
    source->text = NULL;
}

struct bytes source_line(const struct source *source, int64_t line)
{
    return line < 1 ? bytes_none()
                    : language_line(bytes_of(source->text, source->len), (uint64_t)line);
}

static bool ends(struct bytes a, const char *with)
{
    size_t len = strlen(with);

    return a.len >= len && bytes_is(bytes_from(a, a.len - len), with);
}

/* The length of the UTF-8 character at the start of a, or 0 where it is none. */
static size_t utf8_length(struct bytes a)
{
    uint8_t lead = a.ptr[0];
    size_t len = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;

    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || a.len < len) {
        return 0;
    }
    for (size_t i = 1; i < len; i++) {
        if ((a.ptr[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((lead == 0xe0 && a.ptr[1] < 0xa0) || (lead == 0xed && a.ptr[1] > 0x9f) ||
        (lead == 0xf0 && a.ptr[1] < 0x90) || (lead == 0xf4 && a.ptr[1] > 0x8f)) {
        return 0;
    }
    return len;
}

static int check_text(const struct source *source, struct buf *ret_sentence)
{
    struct bytes text = bytes_of(source->text, source->len);
    int64_t line = 1;

    for (size_t at = 0, len = 0; at < text.len; at += len) {
        len = text.ptr[at] == '\0' ? 0 : utf8_length(bytes_from(text, at));
        if (len == 0) {
            buf_printf(ret_sentence,
                       "%s is not a script: line %" PRId64 " holds bytes that are not UTF-8 text",
                       source->name, line);
            return -EINVAL;
        }
        line += text.ptr[at] == '\n' ? 1 : 0;
    }
    return 0;
}

/* What --language and the file's name say. */
static int check_language(const char *path, const char *language, struct buf *ret_sentence)
{
    if (language != NULL && strcmp(language, "python") == 0) {
        buf_put_str(ret_sentence, "--language python: this version of torno does not run Python "
                                  "yet; write the script in JavaScript");
        return -EINVAL;
    }
    if (language != NULL && strcmp(language, "javascript") != 0) {
        buf_printf(ret_sentence, "--language %s is not known: javascript is what torno runs",
                   language);
        return -EINVAL;
    }
    if (ends(bytes_str(path), ".py")) {
        buf_printf(ret_sentence,
                   "%s is Python by its name, and this version of torno does not run Python yet; "
                   "write the script in JavaScript",
                   path);
        return -EINVAL;
    }
    return 0;
}

static int say_unread(const char *name, int r, size_t max, struct buf *ret_sentence)
{
    if (r == -EISDIR) {
        buf_printf(ret_sentence, "%s is a folder; give the file of a script, or - for stdin", name);
    } else if (r == -EFBIG) {
        buf_printf(ret_sentence, "%s is longer than max_code, which is %zu bytes", name, max);
    } else {
        buf_printf(ret_sentence, "%s cannot be read as a script: %s", name, strerror(-r));
    }
    return r;
}

/* stdin is read as the descriptor it is: a socket has no path that could be opened. */
static int read_stdin(size_t max, struct source *source)
{
    _cleanup_(buf_done) struct buf text = buf_max(max + 1);

    for (;;) {
        uint8_t chunk[8192];
        ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);

        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        if (n == 0) {
            break;
        }
        buf_put(&text, chunk, n < 0 ? 0 : (size_t)n);
        if (buf_fault(&text) != 0 || text.len > max) {
            return buf_fault(&text) == -ENOMEM ? -ENOMEM : -EFBIG;
        }
    }
    source->text = mem_str(buf_bytes(&text));
    source->len = text.len;
    return source->text == NULL ? -ENOMEM : 0;
}

int source_read(const char *path, const char *language, size_t max, struct source *ret,
                struct buf *ret_sentence)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct source source = {.name = is_stdin ? "<stdin>" : path};
    int r = check_language(path, language, ret_sentence);

    if (r < 0) {
        return r;
    }
    r = is_stdin ? read_stdin(max, &source) : fd_read_file(path, max, &source.text, &source.len);
    if (r < 0) {
        return say_unread(source.name, r, max, ret_sentence);
    }
    r = check_text(&source, ret_sentence);
    if (r == 0 && language_is_python(bytes_of(source.text, source.len))) {
        buf_printf(
            ret_sentence,
            "%s looks like Python by its first line, and this version of torno does not run Python "
            "yet; write the script in JavaScript",
            source.name);
        r = -EINVAL;
    }
    if (r < 0) {
        source_done(&source);
        return r;
    }
    *ret = source;
    return 0;
}
