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

/* As far as the table shows it: of an interval that is not open, the likely value. */
static bool is_same(struct sweep_cell a, struct sweep_cell b, bool open)
{
	if ((a.lo == a.hi) != (b.lo == b.hi) || a.likely != b.likely)
		return false;
	return !open || (a.lo == b.lo && a.hi == b.hi);
}

/* Where every value has bounds of its own, those that differ by less than twofold are one line. */
static bool is_near(struct sweep_cell a, struct sweep_cell b)
{
	return a.lo == b.lo && b.hi / 2 <= a.hi;
}

static bool belongs(const struct sweep *s, size_t row, size_t from, const enum counter *counters)
{
	const struct sweep_piece *a = sweep_piece(s, from);
	const struct sweep_piece *b = sweep_piece(s, row);

	if (a->open != b->open)
		return false;
	for (; *counters != COUNTERS; counters++) {
		struct sweep_cell x = sweep_cell(a, from, *counters);
		struct sweep_cell y = sweep_cell(b, row, *counters);

		if (!is_same(x, y, a->open) && !(a->open && is_near(x, y)))
			return false;
	}
	return true;
}

/* The last row that belongs to row `from`. On a straight piece all rows between two that do, do. */
static size_t last_of(const struct sweep *s, size_t from, const enum counter *counters)
{
	size_t row = from;

	while (row + 1 < s->n_rows && belongs(s, row + 1, from, counters)) {
		size_t end = sweep_last(s, sweep_piece(s, row + 1));

		row = belongs(s, end, from, counters) ? end : row + 1;
	}
	return row;
}

static uint64_t highest(const struct sweep *s, const struct stretch *at, enum counter counter)
{
	uint64_t hi = 0;

	for (size_t row = at->from; row <= at->to; row++) {
		const struct sweep_piece *piece = sweep_piece(s, row);
		uint64_t first = sweep_cell(piece, row, counter).hi;
		uint64_t last;

		row = sweep_last(s, piece) < at->to ? sweep_last(s, piece) : at->to;
		last = sweep_cell(piece, row, counter).hi;
		first = last > first ? last : first;
		hi = first > hi ? first : hi;
	}
	return hi;
}

static void write_cell(struct page *p, const struct sweep *s, const struct stretch *at,
		       enum counter counter, uint64_t was)
{
	const struct sweep_piece *piece = sweep_piece(s, at->from);
	struct sweep_cell cell = sweep_cell(piece, at->from, counter);
	uint64_t hi = highest(s, at, counter);
	enum ink ink = INK_PLAIN;
	char text[80];

	if (cell.lo == hi || !piece->open)
		(void)snprintf(text, sizeof(text), "%s%s", page_number(p, cell.likely).text,
			       cell.lo == hi ? "" : " ~");
	else
		(void)snprintf(text, sizeof(text), "%s %s %s", page_number(p, cell.lo).text,
			       p->dots, page_number(p, hi).text);
	if (counter != COUNT_PROMOTED && hi < was)
		ink = INK_LESS;
	else if (counter != COUNT_PROMOTED && cell.lo > was)
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
		at.to = last_of(s, at.from, counters);
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
		uint64_t before = sweep_row(s, rows[i] - 1).likely.n[counter];
		uint64_t now = sweep_row(s, rows[i]).likely.n[counter];

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

/* In every row of the piece. */
static bool is_exact(const struct sweep *s, const struct sweep_piece *piece, enum counter counter)
{
	struct sweep_cell last = sweep_cell(piece, sweep_last(s, piece), counter);

	return piece->at.n[0][counter] == piece->at.n[2][counter] && last.lo == last.hi;
}

/* What the marks of the table mean, where it has them. */
static void write_legend(struct page *p, const struct sweep *s, const enum counter *counters)
{
	bool open = false;
	bool rough = false;

	for (size_t i = 0; i < s->n_pieces; i++)
		for (const enum counter *c = counters; *c != COUNTERS; c++) {
			bool exact = is_exact(s, &s->pieces[i], *c);

			open |= !exact && s->pieces[i].open;
			rough |= !exact && !s->pieces[i].open;
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
