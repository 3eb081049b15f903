/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_table.c - the table of counts. */
#include "cmd/output/whatif_table.h"

#include <stdio.h>
#include <string.h>

#define LABEL_COLUMNS 16
#define RECORDED_COLUMNS 12
#define CELL_COLUMNS 26
#define CHANGE_COLUMNS 10
#define CELLS 2

/* Rows: counters, or the sum of two. */
struct row {
	const char *label;
	enum counter counter;
	enum counter plus; /* COUNTERS: nothing */
	bool derived;	   /* a recording does not hold it */
	bool verbose;	   /* with -v only */
	bool neutral;	   /* more of it is neither good nor bad */
	bool always;	   /* even if all of it is 0 */
};

static const struct row power_rows[] = {
	{ "flushes *", COUNT_FLUSHES, COUNTERS, true, true, true, false },
	{ "tlbie", COUNT_TLBIE, COUNTERS, false, false, false, true },
	{ "  by page", COUNT_TLBIE_VA, COUNTERS, false, true, false, false },
	{ "  by PID", COUNT_TLBIE_PID, COUNTERS, false, true, false, false },
	{ "  page walks", COUNT_TLBIE_PWC, COUNTERS, false, true, false, false },
	{ "  fixups", COUNT_TLBIE_FIXUP, COUNTERS, false, true, false, false },
	{ "  kernel", COUNT_TLBIE_KERNEL, COUNTERS, false, true, false, false },
	{ "  guests", COUNT_TLBIE_LPID, COUNTERS, false, true, false, false },
	{ "  hash", COUNT_TLBIE_HASH, COUNTERS, false, true, false, false },
	{ "tlbiel", COUNT_TLBIEL, COUNTERS, false, false, false, true },
	{ "promoted *", COUNT_PROMOTED, COUNTERS, true, false, true, false },
	{ "barriers *", COUNT_PTESYNC, COUNT_TLBSYNC, true, false, false, false },
};

static const struct row x86_rows[] = {
	{ "flushes *", COUNT_FLUSHES, COUNTERS, true, true, true, false },
	{ "invlpg", COUNT_INVLPG, COUNTERS, false, false, false, true },
	{ "CR3 writes", COUNT_CR3_WRITES, COUNTERS, false, false, false, true },
	{ "invlpgb *", COUNT_INVLPGB, COUNTERS, true, false, false, false },
	{ "IPIs *", COUNT_IPIS, COUNTERS, true, false, false, false },
	{ "promoted *", COUNT_PROMOTED, COUNTERS, true, false, true, false },
};

static uint64_t row_value(const struct row *row, const struct tally *t)
{
	return t->n[row->counter] + (row->plus == COUNTERS ? 0 : t->n[row->plus]);
}

static uint64_t recorded_value(const struct whatif_table *t, const struct row *row)
{
	const struct tally *held = t->r ? &t->r->recorded : &t->w->recorded;
	const struct counts *derived = t->r ? &t->r->derived : &t->w->derived;

	return row_value(row, row->derived ? &derived->likely : held);
}

static const struct counts *policy_counts(const struct whatif_table *t, size_t policy)
{
	return t->r ? &t->r->answers[policy].total : &t->w->totals[policy];
}

/* A policy's name as a column head: without its first word, which is that of all, if need be. */
static const char *policy_head(const struct policy *policy)
{
	const char *changes = strchr(policy->text, ',');

	return changes ? changes + 1 : policy->text;
}

/* Heads that do not fit are numbers, which a legend explains. */
static bool head_fits(const struct policy *policy)
{
	return strlen(policy_head(policy)) <= CELL_COLUMNS - 2;
}

static void write_legend(struct page *p, const struct whatif *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (!head_fits(&w->policies[i]))
			page_paragraph(p, "", "[%zu] is %s", i + 1, w->policies[i].text);
}

static void write_head(struct page *p, const struct whatif *w, size_t from, size_t to)
{
	char number[24];

	page_left(p, INK_BOLD, LABEL_COLUMNS, "");
	page_right(p, INK_BOLD, RECORDED_COLUMNS, "recorded");
	for (size_t i = from; i < to; i++) {
		(void)snprintf(number, sizeof(number), "[%zu]", i + 1);
		page_right(p, INK_BOLD, CELL_COLUMNS,
			   head_fits(&w->policies[i]) ? policy_head(&w->policies[i]) : number);
	}
	page_end_line(p);
}

static enum ink ink_of(uint64_t was, uint64_t now)
{
	if (was == now)
		return INK_PLAIN;
	return now < was ? INK_LESS : INK_MORE;
}

/* The value that is preferred and its change; nothing where no value is. */
static void write_likely(struct page *p, const struct row *row, const struct counts *c, uint64_t was)
{
	uint64_t now = row_value(row, &c->likely);

	page_right(p, INK_PLAIN, CELL_COLUMNS - CHANGE_COLUMNS, page_number(p, now).text);
	page_right(p, row->neutral ? INK_PLAIN : ink_of(was, now), CHANGE_COLUMNS,
		   number_change(was, now).text);
}

static void write_interval(struct page *p, const struct row *row, const struct counts *c,
			   int columns)
{
	char text[80];

	(void)snprintf(text, sizeof(text), "%s %s %s", page_number(p, row_value(row, &c->lo)).text,
		       p->dots, page_number(p, row_value(row, &c->hi)).text);
	page_right(p, INK_PLAIN, columns, text);
}

/* "-90.1 … -40.0 %". */
static void write_change_interval(struct page *p, const struct row *row, const struct counts *c,
				  uint64_t was)
{
	uint64_t lo = row_value(row, &c->lo);
	uint64_t hi = row_value(row, &c->hi);
	char text[80];

	(void)snprintf(text, sizeof(text), "%s %s %s", lo == was ? "0" : number_change(was, lo).text,
		       p->dots, hi == was ? "0 %" : number_change(was, hi).text);
	page_right(p, INK_PLAIN, CELL_COLUMNS, text);
}

static bool is_exact(const struct row *row, const struct counts *c)
{
	return row_value(row, &c->lo) == row_value(row, &c->hi);
}

/* What is known of the recorded kernel's own row, where it is no exact count. */
static bool recorded_is_exact(const struct whatif_table *t, const struct row *row)
{
	return !row->derived || is_exact(row, t->r ? &t->r->derived : &t->w->derived);
}

/* Of an open prediction the second line has the change, which nothing has where nothing was. */
static bool has_bound(const struct whatif_table *t, const struct row *row, const struct counts *c)
{
	return !is_exact(row, c) && !(c->open && recorded_value(t, row) == 0);
}

static void write_bound(struct page *p, const struct whatif_table *t, const struct row *row,
			const struct counts *c)
{
	if (!has_bound(t, row, c))
		page_left(p, INK_PLAIN, CELL_COLUMNS, "");
	else if (c->open)
		write_change_interval(p, row, c, recorded_value(t, row));
	else
		write_interval(p, row, c, CELL_COLUMNS);
}

/* The second line of a row: what the first has no room for, up to the last that needs it. */
static void write_bounds(struct page *p, const struct whatif_table *t, const struct row *row,
			 size_t from, size_t to)
{
	while (to > from && !has_bound(t, row, policy_counts(t, to - 1)))
		to--;
	if (to == from && recorded_is_exact(t, row))
		return;
	page_left(p, INK_PLAIN, LABEL_COLUMNS, "");
	if (recorded_is_exact(t, row))
		page_left(p, INK_PLAIN, RECORDED_COLUMNS, "");
	else
		write_interval(p, row, t->r ? &t->r->derived : &t->w->derived, RECORDED_COLUMNS);
	for (size_t i = from; i < to; i++)
		write_bound(p, t, row, policy_counts(t, i));
	page_end_line(p);
}

static void write_row(struct page *p, const struct whatif_table *t, const struct row *row,
		      size_t from, size_t to)
{
	uint64_t was = recorded_value(t, row);

	page_left(p, INK_PLAIN, LABEL_COLUMNS, row->label);
	page_right(p, INK_PLAIN, RECORDED_COLUMNS, page_number(p, was).text);
	for (size_t i = from; i < to; i++) {
		const struct counts *c = policy_counts(t, i);

		if (c->open && !is_exact(row, c))
			write_interval(p, row, c, CELL_COLUMNS);
		else
			write_likely(p, row, c, was);
	}
	page_end_line(p);
	write_bounds(p, t, row, from, to);
}

/* Rows of only zeros say nothing, but for those that people look for. */
static bool is_shown(const struct whatif_table *t, const struct row *row)
{
	bool zero = recorded_value(t, row) == 0 && recorded_is_exact(t, row);

	if (row->verbose && !t->verbose)
		return false;
	for (size_t i = 0; i < t->w->n_policies; i++)
		zero &= row_value(row, &policy_counts(t, i)->hi) == 0;
	return !zero || row->always;
}

static void write_band(struct page *p, const struct whatif_table *t, size_t from, size_t to)
{
	bool x86 = whatif_is_x86(t->w);
	const struct row *rows = x86 ? x86_rows : power_rows;
	size_t n = x86 ? sizeof(x86_rows) / sizeof(*rows) : sizeof(power_rows) / sizeof(*rows);

	write_legend(p, t->w, from, to);
	write_head(p, t->w, from, to);
	for (size_t i = 0; i < n; i++)
		if (is_shown(t, &rows[i]))
			write_row(p, t, &rows[i], from, to);
}

void whatif_table(struct page *p, const struct whatif_table *t)
{
	size_t n = t->w->n_policies;
	size_t from = 0;

	do {
		if (from)
			page_end_line(p);
		write_band(p, t, from, from + CELLS < n ? from + CELLS : n);
		from += CELLS;
	} while (from < n);
	page_paragraph(p, "", "* computed: a trace does not hold these");
}
