/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary_code.h - numbers, texts and parts of a summary, written and read by the same functions.
 *
 * What is described once in summary_fields.c is the file's layout both ways, so that writer and
 * reader cannot differ. A number is a LEB128 varint, a text its length and bytes. The first value that
 * is not there, or not in its range, makes the rest of the reading do nothing; zeros are read.
 */
#ifndef TLBTRACE_REPLAY_SUMMARY_CODE_H
#define TLBTRACE_REPLAY_SUMMARY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/bytes.h"

struct code {
	bool writing;
	bool no_memory;
	struct bytes in;
	uint8_t *out; /* owned */
	size_t n;
	size_t room;
	uint64_t unknown;  /* parts passed over */
	const char *wrong; /* the first value that is; NULL: all is well */
	uint64_t wrong_at; /* its offset */
};

bool code_ok(const struct code *c);
void code_fail(struct code *c, const char *what);

/* A number at v of 1, 2, 4 or 8 bytes of memory, at most max. */
void code_number(struct code *c, void *v, size_t width, uint64_t max, const char *what);
#define CODE(c, field, max) code_number(c, &(field), sizeof(field), max, #field)
#define CODE_ANY(c, field) code_number(c, &(field), sizeof(field), UINT64_MAX, #field)

void code_flag(struct code *c, bool *v, const char *what);
#define CODE_FLAG(c, field) code_flag(c, &(field), #field)

void code_signed(struct code *c, int32_t *v, const char *what);
#define CODE_SIGNED(c, field) code_signed(c, &(field), #field)

/* A terminated text in size bytes, the rest of which is zeroed. */
void code_text(struct code *c, char *text, size_t size, const char *what);
#define CODE_TEXT(c, field) code_text(c, field, sizeof(field), #field)

void code_bytes(struct code *c, void *v, size_t n, const char *what);

/*
 * How many follow, each of which takes least_bytes or more in the file. Reading, allocates *items for
 * them (NULL where there are none), zeroed.
 */
void code_items(struct code *c, void **items, size_t *n, size_t item_size, size_t least_bytes,
		const char *what);

/* The place of a part that is open. */
struct code_part {
	uint64_t outer; /* writing: where its size stands; reading: bytes of the outer part's end */
};

/* A part has a tag of 4 letters. One that begins with a small letter may be passed over. */
struct code_part code_begin(struct code *c, const char tag[4]);
void code_end(struct code *c, struct code_part part);

#endif
