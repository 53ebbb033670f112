/* SPDX-License-Identifier: MIT
 *
 * JSON-RPC 2.0 messages: taken apart into slices of the line, and built.
 *
 * A line from outside is checked once (rpc_parse); what it yields are slices that live as long
 * as the line. An id keeps its text, so that "1" and 1 stay different.
 */
#ifndef RPC_MESSAGE_H
#define RPC_MESSAGE_H

#include "json/json.h"

enum rpc_code {
    RPC_CODE_PARSE = -32700,
    RPC_CODE_REQUEST = -32600,
    RPC_CODE_METHOD = -32601,
    RPC_CODE_PARAMS = -32602,
    RPC_CODE_INTERNAL = -32603,
};

enum rpc_fault {
    RPC_E_JSON = 1,   /* no JSON, or nested too deep: code -32700 */
    RPC_E_MESSAGE = 2 /* JSON, but no message: code -32600 */
};

enum rpc_kind { RPC_REQUEST = 1, RPC_NOTIFICATION, RPC_RESULT, RPC_ERROR };

struct rpc_message {
    enum rpc_kind kind;
    struct bytes id;      /* raw; empty for a notification, or an error that names no request */
    struct bytes method;  /* raw string, quotes included: compare with json_is() */
    struct bytes params;  /* raw object or array, or empty */
    struct bytes result;  /* raw value */
    int64_t code;         /* of an error */
    struct bytes message; /* of an error: raw string */
    struct bytes data;    /* of an error: raw value, or empty */
};

/* Checks and takes apart one message. 0, RPC_E_JSON, RPC_E_MESSAGE or -ENOMEM. After a fault
 * *ret_why is a static sentence, and ret->id still holds the id where one could be read. */
int rpc_parse(struct bytes line, struct rpc_message *ret, const char **ret_why);

/* Appends a checked JSON value as one line: newlines between tokens become spaces, and an escape
 * that is half of a surrogate pair becomes \ufffd, since strict peers refuse it. */
void rpc_put_value(struct buf *out, struct bytes value);

/* Begins a request ({"jsonrpc","id","method","params":) or a notification; the caller appends
 * the params and rpc_put_end(). */
void rpc_put_request(struct buf *out, int64_t id, const char *method);
void rpc_put_notification(struct buf *out, const char *method);
void rpc_put_end(struct buf *out);

/* Appends a whole answer to the request of the raw id (empty: null). */
void rpc_put_result(struct buf *out, struct bytes id, struct bytes result);
void rpc_put_error(struct buf *out, struct bytes id, int64_t code, const char *message);

/* The id that an answer too long to keep was for, read from its first and last bytes as
 * lines_next() gives them; 0, or -EINVAL where it does not stand there. */
int rpc_guess_id(struct bytes ends, int64_t *ret_id);

#endif
