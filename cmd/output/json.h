/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - a streaming JSON writer: two spaces a level, keys in the order they are written.
 *
 * Only what nests correctly may be written; depth is limited to JSON_DEPTH. Errors of writing stay
 * in the FILE.
 */
#ifndef TLBTRACE_CMD_OUTPUT_JSON_H
#define TLBTRACE_CMD_OUTPUT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 32

struct json {
	FILE *f;
	unsigned depth;
	bool used[JSON_DEPTH + 1];    /* something stands before, on this level */
	bool inlined[JSON_DEPTH + 1]; /* this level is on one line */
	bool after_key;
};

void json_begin(struct json *j, FILE *f);
/* After the outermost value: ends the line. */
void json_end(struct json *j);

/* The key of the next value; inside of objects only. */
void json_key(struct json *j, const char *key);

void json_object(struct json *j);
/* An object whose members stand on one line. */
void json_object_inline(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);

/* Bytes that are not valid UTF-8 become U+FFFD, one each. */
void json_string(struct json *j, const char *text);
void json_u64(struct json *j, uint64_t n);
void json_i64(struct json *j, int64_t n);
void json_bool(struct json *j, bool value);
/* Between 0 and 1, four decimals, rounded down: 1 means all of it. */
void json_share(struct json *j, uint64_t part, uint64_t whole);

/* Key and value. */
void json_key_string(struct json *j, const char *key, const char *text);
void json_key_u64(struct json *j, const char *key, uint64_t n);
void json_key_bool(struct json *j, const char *key, bool value);

#endif
