/* SPDX-License-Identifier: MIT
 *
 * What a child process is started with: its words, its short environment, and whether its
 * command is there at all. And its words as one clean line for people.
 */
#ifndef RPC_COMMAND_H
#define RPC_COMMAND_H

#include "base/buf.h"

/* The words of keeper (may be NULL) and argv as one list, whose strings are borrowed; the list
 * is the caller's (mem_free). NULL where there is no memory. */
char **rpc_command_argv(char *const *keeper, char *const *argv);

/* HOME, LOGNAME, PATH, SHELL, TERM and USER of ours, and over them extra (may be NULL), as a
 * list like that of rpc_command_argv(). */
char **rpc_command_env(char *const *extra);

/* 0, or -ENOENT or -EACCES with a sentence: the command as a program would find it in the PATH
 * of env, a relative path from cwd (NULL: ours). The sentence names it as shown, which holds no
 * secret. */
int rpc_command_find(const char *command, const char *shown, char *const *env, const char *cwd,
                     struct buf *ret_why);

/* Appends at most max bytes of a foreign text as one line: control characters become spaces,
 * bytes that are no UTF-8 become '?', and a cut is marked. */
void rpc_put_clean(struct buf *out, struct bytes text, size_t max);

#endif
