/* SPDX-License-Identifier: MIT
 *
 * `torno --version`. The walls are those that stand, not those that should: it raises them.
 */
#include "cli/version.h"

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/trial.h"
#include "wire/limits.h"

static void put_walls(struct buf *text)
{
    _cleanup_(buf_done) struct buf sentence = buf_max(65536);
    _cleanup_(free_p) char *warden_path = NULL;
    struct trial trial;

    if (helper_path(&warden_path, &sentence) < 0) {
        buf_printf(text, "none: %s", buf_str(&sentence));
        return;
    }
    trial_run(warden_path, false, &trial);
    buf_printf(text, "%s%s",
               trial.is_ok ? "" : "none: ", buf_str(trial.is_ok ? &trial.walls : &trial.sentence));
    trial_done(&trial);
}

int version_main(void)
{
    _cleanup_(buf_done) struct buf text = buf_max(65536);

    buf_printf(&text, "torno %s\nengine: %s\nprotocol: %u\nwalls: ", TORNO_VERSION, TORNO_ENGINE,
               WIRE_VERSION);
    put_walls(&text);
    buf_put_str(&text, "\n");
    return cli_help(buf_str(&text));
}
