/* SPDX-License-Identifier: MIT
 *
 * The MCP servers of one command: their configs, their tools as a toolset, calls to them.
 */
#ifndef CLI_SERVERS_H
#define CLI_SERVERS_H

#include "host/host.h"

struct servers;

/* Reads every config file and looks for the servers' commands; nothing is started. 0, or -errno
 * with one sentence that names the file or the server and what is right. */
int servers_load(uv_loop_t *loop, const char *const *files, size_t n_files, struct servers **ret,
                 struct buf *ret_sentence);
void servers_free(struct servers *servers);

/* How many there are. */
size_t servers_count(const struct servers *servers);

/* How many could not show their tools. */
size_t servers_failed(const struct servers *servers);

/* Appends a JSON object for each that failed, commas between: {"note": "server_failed", "server",
 * "message"}. */
void servers_put_notes(const struct servers *servers, struct buf *out);

/* Starts all of them; on_ready comes once, when each has shown its tools or has failed (which is
 * said on stderr, by name): from the loop, or at once where there are none. 0 or -errno. */
int servers_connect(struct servers *servers, void (*on_ready)(void *arg), void *arg);

/* Visits every tool, sorted by server and name. The slices are borrowed for the call. */
void servers_each_tool(const struct servers *servers,
                       void (*visit)(void *arg, const struct tool *tool), void *arg);

/* All tools as a toolset. 0, or -errno with one sentence. */
int servers_toolset(struct servers *servers, struct toolset **ret, struct buf *ret_sentence);

/* Sends a call to the server of its tool, and answers it when that answers. */
void servers_call(struct servers *servers, struct call *call);

/* Tells the server that the answer is no longer wanted, and gives the call back. */
void servers_cancel(struct servers *servers, struct call *call);

/* Ends every server and gives all calls back; on_closed comes when no process of theirs is left.
 * Where nothing was connected it comes at once. */
void servers_close(struct servers *servers, void (*on_closed)(void *arg), void *arg);

#endif
