/* SPDX-License-Identifier: MIT
 *
 * ${NAME} in the strings of a config.
 */
#ifndef MCP_EXPAND_H
#define MCP_EXPAND_H

#include "base/buf.h"

/* Appends text with ${NAME}, ${NAME:-default} and ${env:NAME} replaced from our environment, in
 * one pass; every other "$" stays as it is. 0; or -ENOENT where a name without a default is not
 * set, or cannot be known here (${input:x}): then *ret_name is its slice of text. */
int mcp_expand(struct bytes text, struct buf *out, struct bytes *ret_name);

#endif
