/* SPDX-License-Identifier: MIT
 *
 * What the files behind include/torno.h share. Nobody else includes it.
 *
 * A torno_host has a loop of its own, so that its owner sees one descriptor. Tools live as long as
 * their agent: a call finds its handlers through the tool.
 */
#ifndef AGENT_API_H
#define AGENT_API_H

#include "agent/agent.h"
#include <torno.h>

struct torno_host {
    uv_loop_t loop;
    struct host *host;
    struct agents *agents;
    struct torno_host_options options;
    struct torno_agent *open; /* agents that nobody has closed */
    struct torno_agent
        *dead; /* those that torno_host_free() closed: callbacks may still name them */
    bool is_freeing;
    size_t n_scripts; /* of torno_run() that have not ended */
    bool is_inside;   /* its loop turns: a callback may be running */
    bool is_broken;
    bool is_agents_closed;
    bool is_host_closed;
};

struct api_tool {
    struct api_tool *next;
    struct tool tool; /* its data is this struct */
    char *name;
    char *description;
    char *input_schema;
    char *output_schema;
    struct torno_call_handlers handlers;
    void *arg;
};

/* Keeps the sentence of a failure for torno_error(); answers code. */
int api_fail(int code, const char *sentence);

struct torno_text api_text(struct bytes bytes);

/* Copies a tool, checked in itself and beside those that room has counted. */
int api_tool_new(const struct torno_tool *tool, struct toolset_room *room, struct api_tool **ret);
void api_tools_free(struct api_tool *tools);
/* One toolset of a list. */
int api_toolset(const struct api_tool *tools, struct toolset **ret);

/* A call goes to its tool's handlers. */
void api_on_call(struct tool_call *call);
void api_on_cancel(struct tool_call *call);

/* What is left of the agents that their host closed. */
void api_free_dead(struct torno_host *host);

/* The helper's path in a build or an installation: 0 with *ret_path, the caller's, or -ENOENT. */
int api_warden_path(char **ret_path);

#endif
