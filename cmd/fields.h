/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields.h - the columns of all tables as data: text, CSV, JSON, HTML and the terminal share them.
 */
#ifndef TLBTRACE_CMD_FIELDS_H
#define TLBTRACE_CMD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/count.h"
#include "analyze/error.h"
#include "cmd/output/number.h"

/* What a row of any table counts. */
struct sums {
	struct tally t;	 /* recorded, or computed where a trace does not hold it; likely values */
	uint64_t pages;	 /* flushed by address, of whatever size */
	uint64_t local;	 /* requests that flushed only their own CPU */
	uint64_t global; /* the others */
	uint64_t instructions; /* recorded, of all kinds */
};

void sums_add(struct sums *sum, const struct sums *add, uint64_t times);

enum field_kind {
	FIELD_NUMBER,
	FIELD_SHARE, /* of another number, in hundredths of a percent */
};

struct field {
	const char *key;  /* in options and formats for programs */
	const char *head; /* above the column, for people; NULL: the key */
	const char *what;
	size_t at;    /* offset of the number in struct sums */
	size_t whole; /* FIELD_SHARE: offset of what it is a part of */
	enum field_kind kind;
	bool of_total; /* FIELD_SHARE: …in the total of the table, not in the row */
};

#define FIELDS (COUNTERS + 6u)

extern const struct field fields[FIELDS];

/* The field's number; of a share its hundredths of a percent, rounded down. */
uint64_t field_value(const struct field *f, const struct sums *row, const struct sums *total);

const char *field_head(const struct field *f);

/* The same as a cell of text: "12,345"; of a share "12.3". */
struct number field_text(const struct field *f, const struct sums *row, const struct sums *total,
			 bool thousands);

/* Fields in the order of their columns. */
struct field_list {
	const struct field *f[FIELDS];
	size_t n;
};

/* "flushes,tlbie". On failure *err (ERROR_USAGE) names the valid ones. */
int fields_parse(struct field_list *out, const char *option, const char *text, struct error *err);

/* NULL where there is none of this name. */
const struct field *field_by_key(const char *key);

/* What is worth a column where nobody says. */
struct field_list fields_usual(bool x86);
/* All that flushes of such a machine have. */
struct field_list fields_all(bool x86);

#endif
