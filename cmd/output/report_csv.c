/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_csv.c - the tables of a report as CSV (RFC 4180, \n line ends). */
#include <inttypes.h>

#include "cmd/output/csv.h"
#include "cmd/report.h"

static void write_value(FILE *f, const struct field *field, const struct report_row *row,
			const struct report_table *t)
{
	uint64_t n = field_value(field, &row->s, &t->total);

	if (field->kind == FIELD_SHARE)
		(void)fprintf(f, ",%" PRIu64 ".%04" PRIu64, n / 10000, n % 10000);
	else
		(void)fprintf(f, ",%" PRIu64, n);
}

/* Counts that a recording does not always tell. */
static bool has_bounds(const struct field *f)
{
	return f->kind == FIELD_NUMBER && field_is_computed(f);
}

/* Behind all fields, the bounds of those that may have any. */
static void write_head(FILE *f, enum report_by by, const struct field_list *list)
{
	(void)fprintf(f, "input,%s", report_by_keys[by]);
	for (size_t i = 0; i < list->n; i++)
		(void)fprintf(f, ",%s", list->f[i]->key);
	for (size_t i = 0; i < list->n; i++)
		if (has_bounds(list->f[i]))
			(void)fprintf(f, ",%s_lo,%s_hi", list->f[i]->key, list->f[i]->key);
	(void)fputc('\n', f);
}

/* The upper one is empty where there is no limit. */
static void write_bounds(FILE *f, const struct field *field, const struct sums *s)
{
	struct field_bounds b = field_bounds(field, s);

	(void)fprintf(f, ",%" PRIu64 ",", b.least);
	if (b.most != NO_LIMIT)
		(void)fprintf(f, "%" PRIu64, b.most);
}

static void write_rows(FILE *f, const char *input, const struct report_table *t,
		       const struct field_list *list)
{
	for (size_t i = 0; i < t->n; i++) {
		csv_text(f, input);
		(void)fputc(',', f);
		csv_text(f, t->rows[i].label);
		for (size_t k = 0; k < list->n; k++)
			write_value(f, list->f[k], &t->rows[i], t);
		for (size_t k = 0; k < list->n; k++)
			if (has_bounds(list->f[k]))
				write_bounds(f, list->f[k], &t->rows[i].s);
		(void)fputc('\n', f);
	}
}

void report_csv_table(FILE *f, const char *input, const struct report_table *t,
		      const struct field_list *list)
{
	write_head(f, t->by, list);
	write_rows(f, input, t, list);
}

int report_csv(struct sink *s, const struct report_request *q)
{
	struct field_list list = q->fields.n ? q->fields : fields_all(q->reports[0].base.x86);

	write_head(s->f, q->by, &list);
	for (size_t i = 0; i < q->n_reports; i++) {
		struct report_table t;

		if (report_asked(&t, &q->reports[i], q))
			return -1;
		write_rows(s->f, q->reports[i].base.path, &t, &list);
		report_table_free(&t);
	}
	return 0;
}
