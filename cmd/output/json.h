/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - a streaming JSON writer: two spaces a level, keys in the order they are written.
 *
 * Only what nests correctly may be written; depth is limited to JSON_DEPTH. Errors of writing stay
 * in the FILE. The prefix is jw_: json_* is jansson's, and both are linked.
 */
#ifndef TLBTRACE_CMD_OUTPUT_JSON_H
#define TLBTRACE_CMD_OUTPUT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 32

struct json_writer {
	FILE *f;
	unsigned depth;
	bool used[JSON_DEPTH + 1];    /* something stands before, on this level */
	bool inlined[JSON_DEPTH + 1]; /* this level is on one line */
	bool after_key;
};

void jw_begin(struct json_writer *j, FILE *f);
/* After the outermost value: ends the line. */
void jw_end(struct json_writer *j);

/* The key of the next value; inside of objects only. */
void jw_key(struct json_writer *j, const char *key);

void jw_object(struct json_writer *j);
/* An object whose members stand on one line. */
void jw_object_inline(struct json_writer *j);
void jw_object_end(struct json_writer *j);
void jw_array(struct json_writer *j);
void jw_array_end(struct json_writer *j);

/* Bytes that are not valid UTF-8 become U+FFFD, one each. */
void jw_string(struct json_writer *j, const char *text);
void jw_u64(struct json_writer *j, uint64_t n);
void jw_i64(struct json_writer *j, int64_t n);
/* Microseconds, with the nanoseconds as three decimals. */
void jw_us(struct json_writer *j, uint64_t ns);
void jw_bool(struct json_writer *j, bool value);
/* Between 0 and 1, four decimals, rounded down: 1 means all of it. */
void jw_share(struct json_writer *j, uint64_t part, uint64_t whole);

/* Key and value. */
void jw_key_string(struct json_writer *j, const char *key, const char *text);
void jw_key_u64(struct json_writer *j, const char *key, uint64_t n);
void jw_key_address(struct json_writer *j, const char *key, uint64_t address); /* as "0x..." */
void jw_key_bool(struct json_writer *j, const char *key, bool value);

#endif
