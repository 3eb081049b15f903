/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_text.c - two recordings side by side as text: one counter of one thing a line. */
#include <string.h>

#include "cmd/diff.h"
#include "cmd/output/page.h"

#define LABEL_COLUMNS 22
#define FIELD_COLUMNS 14
#define COUNT_COLUMNS 12
#define CHANGE_COLUMNS 10

static void write_head(struct page *p, const char *what)
{
	page_left(p, INK_PLAIN, LABEL_COLUMNS, what);
	page_left(p, INK_PLAIN, FIELD_COLUMNS, "");
	page_right(p, INK_BOLD, COUNT_COLUMNS, "A");
	page_right(p, INK_BOLD, COUNT_COLUMNS, "B");
	page_right(p, INK_BOLD, COUNT_COLUMNS, "change");
	page_end_line(p);
}

/* Where what both can be has common numbers, nobody can say what changed. */
static bool is_unclear(const struct field *f, const struct sums *a, const struct sums *b)
{
	struct field_bounds x = field_bounds(f, a);
	struct field_bounds y = field_bounds(f, b);
	bool exact = x.least == x.most && y.least == y.most;

	return !exact && x.most >= y.least && y.most >= x.least;
}

static void write_change(struct page *p, const struct field *f, const struct sums *a,
			 const struct sums *b)
{
	int64_t change = diff_change(f, a, b);
	enum ink ink = change < 0 ? INK_LESS : change > 0 ? INK_MORE : INK_PLAIN;

	if (is_unclear(f, a, b)) {
		page_right(p, INK_PLAIN, COUNT_COLUMNS, "?");
		return;
	}
	page_right(p, ink, COUNT_COLUMNS, change ? number_signed(change, p->thousands).text : "0");
	page_right(p, ink, CHANGE_COLUMNS,
		   number_change(field_value(f, a, a), field_value(f, b, b)).text);
}

static void write_line(struct page *p, const char *label, const struct field *f,
		       const struct sums *a, const struct sums *b)
{
	page_left(p, INK_PLAIN, LABEL_COLUMNS, label);
	page_left(p, INK_PLAIN, FIELD_COLUMNS, f->key);
	page_right(p, INK_PLAIN, COUNT_COLUMNS, field_text(f, a, a, p->thousands).text);
	page_right(p, INK_PLAIN, COUNT_COLUMNS, field_text(f, b, b, p->thousands).text);
	if (f->kind == FIELD_NUMBER)
		write_change(p, f, a, b);
	page_end_line(p);
}

/* Counters that are 0 on both sides say nothing. */
static void write_row(struct page *p, const struct diff *d, const struct diff_row *row)
{
	const char *label = row->label;

	for (size_t i = 0; i < d->fields.n; i++) {
		const struct field *f = d->fields.f[i];

		if (!field_value(f, &row->a, &row->a) && !field_value(f, &row->b, &row->b))
			continue;
		write_line(p, label, f, &row->a, &row->b);
		label = "";
	}
}

static void write_table(struct page *p, const struct diff *d, const struct diff_table *t)
{
	page_end_line(p);
	write_head(p, report_by_keys[t->by]);
	for (size_t i = 0; i < t->n && (d->limit == 0 || i < d->limit); i++)
		write_row(p, d, &t->rows[i]);
	if (d->limit && t->n > d->limit)
		page_paragraph(p, "", "and %zu others that changed less", t->n - d->limit);
}

void diff_text(struct sink *s, const struct diff *d)
{
	struct diff_row total = { .label = "total", .a = d->total[0], .b = d->total[1] };
	struct page p = page_on(s);

	page_paragraph(&p, "A: ", "%s", d->paths[0]);
	page_paragraph(&p, "B: ", "%s", d->paths[1]);
	page_paragraph(&p, "",
		       "~ is likely, >= at least, ? may be more or less: the trace leaves it open.");
	page_end_line(&p);
	write_head(&p, "");
	write_row(&p, d, &total);
	for (size_t i = 0; i < d->n_tables; i++)
		write_table(&p, d, &d->tables[i]);
}
