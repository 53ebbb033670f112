/* SPDX-License-Identifier: MIT
 *
 * `torno run`: what its command line says, and the run itself.
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/servers.h"
#include "cli/source.h"

enum { RUN_MAX_MCP = 64 };

struct run_options {
    const char *file;
    const char *language; /* NULL: by the file */
    const char *mcp[RUN_MAX_MCP];
    size_t n_mcp;
    struct limits limits;
    bool is_json;
};

/* What a run is started with; all of it borrowed. */
struct run_set {
    const struct run_options *options;
    const struct source *source;
    struct servers *servers; /* loaded, not connected */
    const char *warden_path;
};

/* Runs one script to its end on the loop and writes what it wrote, its value and its report.
 * Blocks. The exit status of the process. */
int run_session(uv_loop_t *loop, const struct run_set *set);

#endif
