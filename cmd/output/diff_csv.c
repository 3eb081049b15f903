/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_csv.c - two recordings side by side as CSV: one counter of one thing a row. */
#include <inttypes.h>

#include "cmd/diff.h"
#include "cmd/output/csv.h"

static void write_rows(FILE *f, const struct diff *d, const char *by, const struct diff_row *row)
{
	for (size_t i = 0; i < d->fields.n; i++) {
		const struct field *field = d->fields.f[i];

		if (field->kind != FIELD_NUMBER)
			continue;
		(void)fprintf(f, "%s,", by);
		csv_quoted(f, row->label);
		(void)fprintf(f, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRId64 "\n", field->key,
			      field_value(field, &row->a, &row->a),
			      field_value(field, &row->b, &row->b),
			      diff_change(field, &row->a, &row->b));
	}
}

void diff_csv(struct sink *s, const struct diff *d)
{
	struct diff_row total = { .label = "", .a = d->total[0], .b = d->total[1] };

	(void)fputs("by,key,counter,a,b,change\n", s->f);
	write_rows(s->f, d, "total", &total);
	for (size_t i = 0; i < d->n_tables; i++)
		for (size_t k = 0; k < d->tables[i].n; k++)
			write_rows(s->f, d, report_by_keys[d->tables[i].by], &d->tables[i].rows[k]);
}
