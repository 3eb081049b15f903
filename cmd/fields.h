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

#define NO_LIMIT UINT64_MAX /* of sums.most.pages: a promoted request may have had any number */

/* What a row of any table counts. */
struct figures {
	struct tally t;	       /* recorded, or computed where a trace does not hold it */
	uint64_t pages;	       /* asked for by address, of whatever size */
	uint64_t local;	       /* requests that flushed only their own CPU */
	uint64_t global;       /* the others */
	uint64_t instructions; /* recorded, of all kinds */
};

struct sums {
	struct figures likely;
	struct figures least; /* as far as the trace can tell: these and the next differ where */
	struct figures most;  /* it cannot */
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
	size_t at;    /* offset of the number in struct figures */
	size_t whole; /* FIELD_SHARE: offset of what it is a part of */
	enum field_kind kind;
	bool of_total; /* FIELD_SHARE: …in the total of the table, not in the row */
};

#define FIELDS (COUNTERS + 6u)

extern const struct field fields[FIELDS];

/* The field's likely number; of a share its hundredths of a percent, rounded down. */
uint64_t field_value(const struct field *f, const struct sums *row, const struct sums *total);

/* What a row's number is between. */
struct field_bounds {
	uint64_t least;
	uint64_t most; /* NO_LIMIT: anything */
};

struct field_bounds field_bounds(const struct field *f, const struct sums *row);
/* True where the number is not one that every recording holds. */
bool field_is_computed(const struct field *f);
/* True where the number, or what it is a share of, is not certain. */
bool field_is_open(const struct field *f, const struct sums *row);

const char *field_head(const struct field *f);

/* The same as a cell of text: "12,345"; of a share "12.3". What is likely but not certain begins with
 * "~", what may be any number more with ">=". */
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
