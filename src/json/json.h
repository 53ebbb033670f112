/* SPDX-License-Identifier: MIT
 *
 * Strict JSON (RFC 8259) as slices of the original text; never a tree.
 *
 * json_check() validates a text once; everything else here takes text that passed it and
 * answers with slices of it, so that numbers keep every digit and payloads pass untouched.
 * Text from outside is hostile: nesting is bounded, no recursion, nothing is allocated by
 * a number that was read.
 */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include "base/buf.h"

enum { JSON_MAX_DEPTH = 2000 };

enum json_kind {
    JSON_NONE = 0, /* no such member or item */
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

enum json_flag {
    JSON_UNIQUE_KEYS = 1, /* refuse duplicate keys in the outermost object */
};

struct json_fault {
    size_t offset;        /* where, in bytes */
    unsigned line;        /* 1-based */
    unsigned column;      /* 1-based, in bytes */
    const char *sentence; /* static: what is wrong */
};

/* Validates one JSON value with nothing but white space around it. 0, -EBADMSG (with *ret
 * filled, ret may be NULL), or -EMSGSIZE past max_depth or max_values. A value is every
 * scalar, array and object; keys are not. *ret_values may be NULL. Both faults fill *ret.
 * JSON_UNIQUE_KEYS may also answer -ENOMEM. A max_depth above JSON_MAX_DEPTH means that. */
int json_check(struct bytes text, unsigned flags, size_t max_depth, size_t max_values,
               size_t *ret_values, struct json_fault *ret);

/* The line and column (1-based, in bytes) of an offset into a text. */
void json_place(struct bytes text, size_t offset, unsigned *ret_line, unsigned *ret_column);

/* The kind of a checked value, leading white space allowed. */
enum json_kind json_kind(struct bytes value);

/* The member of a checked object by its key (compared decoded; the last one where keys
 * repeat), or an empty slice; also where value is no object. */
struct bytes json_get(struct bytes object, const char *key);

/* Walks a checked array or object: *at starts at 0. Returns false at the end. For an object
 * ret_key is the raw key with its quotes; for arrays it may be NULL. */
bool json_next(struct bytes value, size_t *at, struct bytes *ret_key, struct bytes *ret_item);

/* Decodes a checked string (quotes included) into out as UTF-8; a lone surrogate becomes
 * U+FFFD. 0, -EINVAL where it is no string, or out's fault. */
int json_text(struct bytes string, struct buf *out);

/* Reads a checked number that is an integer within the range; 0, -EINVAL (also where it is
 * written with a point or an exponent) or -ERANGE. */
int json_int(struct bytes number, int64_t min, int64_t max, int64_t *ret);

/* 0 with *ret, or -EINVAL where it is no boolean. */
int json_bool(struct bytes value, bool *ret);

/* Whether a checked value is the string str. */
bool json_is(struct bytes string, const char *str);

/* Copies JSON with comments (// and block) and trailing commas as plain JSON, each removed
 * byte replaced by a space, newlines kept, so that offsets stay true. */
void json_strip_comments(struct bytes text, struct buf *out);

/* The length of the legal UTF-8 sequence at at (1 to 4), or 0. */
size_t json_utf8_len(const uint8_t *at, const uint8_t *end);

/* Writers. Commas and colons are the caller's, except in json_key. */
void json_put_str(struct buf *out, struct bytes text); /* quoted; illegal UTF-8 becomes U+FFFD */
void json_put_cstr(struct buf *out, const char *str);
void json_put_int(struct buf *out, int64_t value);
void json_put_bool(struct buf *out, bool value);
/* "," unless the last byte is an opening bracket, then the quoted key and ":". */
void json_put_key(struct buf *out, const char *key);
/* "," unless the last byte is an opening bracket. */
void json_put_comma(struct buf *out);

#endif
