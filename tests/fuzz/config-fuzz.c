/* SPDX-License-Identifier: MIT
 *
 * A config file that says anything: it is refused with a sentence, or every server is either
 * whole or has its fault; and no value of a variable gets into a sentence.
 */
#include "base/mem.h"
#include "mcp/config.h"

#include <assert.h>
#include <stdlib.h>

static const char secret[] = "hunter2-0451";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sentence(void *arg, const char *sentence)
{
    (void)arg;
    assert(sentence[0] != '\0');
    assert(strstr(sentence, secret) == NULL);
}

static void check_server(const struct mcp_config_server *server)
{
    assert(server->name != NULL && server->name[0] != '\0' && server->line >= 1);
    if (server->fault != NULL) {
        check_sentence(NULL, server->fault);
    } else if (!server->is_disabled) {
        assert(server->argv != NULL && server->argv[0] != NULL && server->argv[0][0] != '\0');
        assert(server->shown != NULL && strstr(server->shown, secret) == NULL);
        assert(server->call_ms >= 0 && server->start_ms >= 0);
        for (size_t i = 0; server->env != NULL && server->env[i] != NULL; i++) {
            assert(strchr(server->env[i], '=') != NULL);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_(buf_done) struct buf error = buf_max(1 << 20);
    struct mcp_config c = {.on_note = check_sentence};
    int result;

    setenv("S", secret, 1);
    if (memmem(data, size, "hunter2", 7) != NULL) {
        return 0;
    }
    result = mcp_config_read(&c, "f", bytes_of(data, size), &error);
    if (result < 0) {
        check_sentence(NULL, buf_str(&error));
        assert(c.n == 0);
    }
    for (size_t i = 0; i < c.n; i++) {
        check_server(&c.servers[i]);
    }
    mcp_config_done(&c);
    return 0;
}
