/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - two recordings side by side, as the writers of `tlbtrace diff` take them.
 */
#ifndef TLBTRACE_CMD_DIFF_H
#define TLBTRACE_CMD_DIFF_H

#include <stddef.h>

#include "cmd/fields.h"
#include "cmd/output/sink.h"
#include "cmd/report.h"

/* The same thing in both; address spaces are the same where their program is. */
struct diff_row {
	char label[128];
	struct sums a;
	struct sums b;
};

struct diff_table {
	enum report_by by;
	struct diff_row *rows; /* the largest change of instructions first */
	size_t n;
};

struct diff {
	const char *paths[2];
	struct sums total[2];
	struct diff_table *tables;
	size_t n_tables;
	struct field_list fields;
	size_t limit; /* rows in text; 0: all */
};

/* b - a. */
int64_t diff_change(const struct field *f, const struct sums *a, const struct sums *b);

/* The writers. Errors stay in the FILE. */
void diff_text(struct sink *s, const struct diff *d);
void diff_json(struct sink *s, const struct diff *d);
void diff_csv(struct sink *s, const struct diff *d);

#endif
