/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_sweep.c - the table of a sweep: one line per stretch of values that cost the same. */
#include "cmd/output/whatif_sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VALUE_COLUMNS 14
#define CELL_COLUMNS 22

static uint64_t recorded_value(const struct whatif_result *r, enum counter counter)
{
	return counter == COUNT_PROMOTED ? r->derived.likely.n[counter] : r->recorded.n[counter];
}

/* Rows that the table shows as one line. */
struct stretch {
	size_t from;
	size_t to;
};

static bool is_exact(const struct counts *c, enum counter counter)
{
	return c->lo.n[counter] == c->hi.n[counter];
}

/* As far as the table shows it: of an interval that is not open, the likely value. */
static bool is_same(const struct counts *a, const struct counts *b, enum counter counter)
{
	if (a->open != b->open || is_exact(a, counter) != is_exact(b, counter))
		return false;
	return a->likely.n[counter] == b->likely.n[counter] &&
	       (!a->open ||
		(a->lo.n[counter] == b->lo.n[counter] && a->hi.n[counter] == b->hi.n[counter]));
}

/* Where every value has bounds of its own, those that differ by less than twofold are one line. */
static bool is_near(const struct counts *a, const struct counts *b, enum counter counter)
{
	return a->lo.n[counter] == b->lo.n[counter] && b->hi.n[counter] / 2 <= a->hi.n[counter];
}

static bool belongs(const struct sweep *s, size_t row, size_t from, const enum counter *counters)
{
	const struct counts *a = &s->rows[from];
	const struct counts *b = &s->rows[row];

	for (; *counters != COUNTERS; counters++)
		if (!is_same(a, b, *counters) && !(a->open && b->open && is_near(a, b, *counters)))
			return false;
	return true;
}

static uint64_t highest(const struct sweep *s, const struct stretch *at, enum counter counter)
{
	uint64_t hi = 0;

	for (size_t row = at->from; row <= at->to; row++)
		if (s->rows[row].hi.n[counter] > hi)
			hi = s->rows[row].hi.n[counter];
	return hi;
}

static void write_cell(struct page *p, const struct sweep *s, const struct stretch *at,
		       enum counter counter, uint64_t was)
{
	const struct counts *c = &s->rows[at->from];
	uint64_t lo = c->lo.n[counter];
	uint64_t hi = highest(s, at, counter);
	enum ink ink = INK_PLAIN;
	char text[80];

	if (lo == hi || !c->open)
		(void)snprintf(text, sizeof(text), "%s%s",
			       page_number(p, c->likely.n[counter]).text, lo == hi ? "" : " ~");
	else
		(void)snprintf(text, sizeof(text), "%s %s %s", page_number(p, lo).text, p->dots,
			       page_number(p, hi).text);
	if (counter != COUNT_PROMOTED && hi < was)
		ink = INK_LESS;
	else if (counter != COUNT_PROMOTED && lo > was)
		ink = INK_MORE;
	page_right(p, ink, CELL_COLUMNS, text);
}

/* "1 … 31", or "32" where the stretch is one value. */
static void write_values(struct page *p, const struct sweep *s, size_t from, size_t to)
{
	char text[80];

	if (from == to)
		(void)snprintf(text, sizeof(text), "%" PRIu64, sweep_value(s, from));
	else
		(void)snprintf(text, sizeof(text), "%" PRIu64 " %s %" PRIu64, sweep_value(s, from),
			       p->dots, sweep_value(s, to));
	page_left(p, INK_PLAIN, VALUE_COLUMNS, text);
}

static void write_rows(struct page *p, const struct whatif_result *r, const enum counter *counters)
{
	const struct sweep *s = &r->sweep;
	struct stretch at;

	for (at.from = 0; at.from < s->n_rows; at.from = at.to + 1) {
		at.to = at.from;
		while (at.to + 1 < s->n_rows && belongs(s, at.to + 1, at.from, counters))
			at.to++;
		write_values(p, s, at.from, at.to);
		for (const enum counter *c = counters; *c != COUNTERS; c++)
			write_cell(p, s, &at, *c, recorded_value(r, *c));
		page_end_line(p);
	}
}

static void write_head(struct page *p, const struct whatif_result *r, const enum counter *counters)
{
	page_left(p, INK_BOLD, VALUE_COLUMNS, param_keys[r->sweep.range.which]);
	for (const enum counter *c = counters; *c != COUNTERS; c++)
		page_right(p, INK_BOLD, CELL_COLUMNS, counter_keys[*c]);
	page_end_line(p);
	page_left(p, INK_PLAIN, VALUE_COLUMNS, r->trace.asked ? "computed" : "recorded");
	for (const enum counter *c = counters; *c != COUNTERS; c++)
		page_right(p, INK_PLAIN, CELL_COLUMNS, page_number(p, recorded_value(r, *c)).text);
	page_end_line(p);
}

/* ", jumps at 32 (+31104) and 9 (-12)". */
static void knees_text(const struct page *p, const struct sweep *s, enum counter counter, char *buf,
		       size_t size)
{
	size_t rows[WHATIF_KNEES];
	size_t n = sweep_knees(s, counter, rows, WHATIF_KNEES);
	size_t used = 0;

	*buf = '\0';
	for (size_t i = 0; i < n && used < size; i++) {
		uint64_t before = s->rows[rows[i] - 1].likely.n[counter];
		uint64_t now = s->rows[rows[i]].likely.n[counter];

		used += (size_t)snprintf(buf + used, size - used, "%s%" PRIu64 " (%s)",
					 i == 0	     ? "; jumps at "
					 : i + 1 < n ? ", "
						     : " and ",
					 sweep_value(s, rows[i]),
					 number_signed((int64_t)(now - before), p->thousands).text);
	}
}

static void write_verdict(struct page *p, const struct whatif_result *r, enum counter counter)
{
	const struct sweep *s = &r->sweep;
	char knees[200];
	char to[32] = "";
	char mark[24];
	size_t first;
	size_t last;

	sweep_best(s, counter, &first, &last);
	if (last > first)
		(void)snprintf(to, sizeof(to), " to %" PRIu64, sweep_value(s, last));
	knees_text(p, s, counter, knees, sizeof(knees));
	(void)snprintf(mark, sizeof(mark), "  %-11s ", counter_keys[counter]);
	if (first == 0 && last + 1 == s->n_rows)
		page_paragraph(p, mark, "the same throughout");
	else
		page_paragraph(p, mark, "least at %s %" PRIu64 "%s%s", param_keys[s->range.which],
			       sweep_value(s, first), to, knees);
}

/* What the marks of the table mean, where it has them. */
static void write_legend(struct page *p, const struct sweep *s, const enum counter *counters)
{
	bool open = false;
	bool rough = false;

	for (size_t row = 0; row < s->n_rows; row++)
		for (const enum counter *c = counters; *c != COUNTERS; c++) {
			bool exact = is_exact(&s->rows[row], *c);

			open |= !exact && s->rows[row].open;
			rough |= !exact && !s->rows[row].open;
		}
	if (rough)
		page_paragraph(p, "  ",
			       "~ the likely value of an interval; JSON and CSV have its ends.");
	if (open)
		page_paragraph(p, "  ",
			       "Intervals: what was promoted may go page by page there. The least is "
			       "that of the upper end.");
}

void whatif_sweep(struct page *p, const struct whatif *w, const struct whatif_result *r)
{
	const enum counter *counters = whatif_swept_counters(r->x86);
	const struct policy *swept = whatif_swept(w);

	page_heading(p, "Sweep of %s (%s)", param_keys[r->sweep.range.which],
		     swept ? swept->text : "the recorded policy");
	write_head(p, r, counters);
	write_rows(p, r, counters);
	for (const enum counter *c = counters; *c != COUNTERS; c++)
		write_verdict(p, r, *c);
	write_legend(p, &r->sweep, counters);
}
