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
	bool quiet;	   /* with -v, or where an alternative changes it */
};

static const struct row power_rows[] = {
	{ "flushes *", COUNT_FLUSHES, COUNTERS, true, true, true, false, false },
	{ "tlbie", COUNT_TLBIE, COUNTERS, false, false, false, true, false },
	{ "  by page", COUNT_TLBIE_VA, COUNTERS, false, true, false, false, false },
	{ "  by PID", COUNT_TLBIE_PID, COUNTERS, false, true, false, false, false },
	{ "  page walks", COUNT_TLBIE_PWC, COUNTERS, false, true, false, false, false },
	{ "  fixups", COUNT_TLBIE_FIXUP, COUNTERS, false, true, false, false, false },
	{ "  kernel", COUNT_TLBIE_KERNEL, COUNTERS, false, true, false, false, false },
	{ "  guests", COUNT_TLBIE_LPID, COUNTERS, false, true, false, false, false },
	{ "  hash", COUNT_TLBIE_HASH, COUNTERS, false, true, false, false, false },
	{ "tlbiel", COUNT_TLBIEL, COUNTERS, false, false, false, true, false },
	{ "promoted *", COUNT_PROMOTED, COUNTERS, true, false, true, false, false },
	{ "barriers *", COUNT_PTESYNC, COUNT_TLBSYNC, true, false, false, false, false },
	{ "IPIs *", COUNT_IPIS, COUNTERS, true, false, false, false, true },
	{ "hcalls *", COUNT_HCALLS, COUNTERS, true, false, false, false, false },
	{ "lazy atomics *", COUNT_LAZY_ATOMICS, COUNTERS, true, false, false, false, true },
	{ "lazy IPIs *", COUNT_SHOOT_IPIS, COUNTERS, true, false, false, false, true },
	{ "  useful", COUNT_SHOOT_IPIS_USEFUL, COUNTERS, true, false, true, false, true },
};

static const struct row x86_rows[] = {
	{ "flushes *", COUNT_FLUSHES, COUNTERS, true, true, true, false, false },
	{ "invlpg", COUNT_INVLPG, COUNTERS, false, false, false, true, false },
	{ "CR3 writes", COUNT_CR3_WRITES, COUNTERS, false, false, false, true, false },
	{ "invlpgb *", COUNT_INVLPGB, COUNTERS, true, false, false, false, false },
	{ "IPIs *", COUNT_IPIS, COUNTERS, true, false, false, false, false },
	{ "promoted *", COUNT_PROMOTED, COUNTERS, true, false, true, false, false },
};

static uint64_t row_value(const struct row *row, const struct tally *t)
{
	return t->n[row->counter] + (row->plus == COUNTERS ? 0 : t->n[row->plus]);
}

/* Of requests alone, nothing is recorded that could be counted. */
static bool is_derived(const struct whatif_table *t, const struct row *row)
{
	return row->derived || whatif_is_computed(t->w);
}

static uint64_t recorded_value(const struct whatif_table *t, const struct row *row)
{
	const struct tally *held = t->r ? &t->r->recorded : &t->w->recorded;
	const struct counts *derived = t->r ? &t->r->derived : &t->w->derived;

	return row_value(row, is_derived(t, row) ? &derived->likely : held);
}

static const struct counts *policy_counts(const struct whatif_table *t, size_t policy)
{
	return t->r ? &t->r->answers[policy].total : &t->w->totals[policy];
}

/* A recorded guest without GTSE has its hypervisor calls in the trace: the star is not for them. */
static const char *label_of(const struct whatif_table *t, const struct row *row)
{
	bool held = t->r && row->counter == COUNT_HCALLS && !t->r->model.used.v[PARAM_GTSE];

	return held ? "hcalls" : row->label;
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

/* The alternatives beside each other in one table. */
struct band {
	size_t policy[CELLS];
	size_t n;
};

static void write_legend(struct page *p, const struct whatif *w, const struct band *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct policy *policy = &w->policies[b->policy[i]];

		if (!head_fits(policy))
			page_paragraph(p, "", "[%zu] is %s", b->policy[i] + 1, policy->text);
	}
}

static void write_head(struct page *p, const struct whatif *w, const struct band *b)
{
	char number[24];

	page_left(p, INK_BOLD, LABEL_COLUMNS, "");
	page_right(p, INK_BOLD, RECORDED_COLUMNS, whatif_recorded_head(w));
	for (size_t i = 0; i < b->n; i++) {
		const struct policy *policy = &w->policies[b->policy[i]];

		(void)snprintf(number, sizeof(number), "[%zu]", b->policy[i] + 1);
		page_right(p, INK_BOLD, CELL_COLUMNS,
			   head_fits(policy) ? policy_head(policy) : number);
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
	return !is_derived(t, row) || is_exact(row, t->r ? &t->r->derived : &t->w->derived);
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
			 const struct band *b)
{
	size_t n = b->n;

	while (n > 0 && !has_bound(t, row, policy_counts(t, b->policy[n - 1])))
		n--;
	if (n == 0 && recorded_is_exact(t, row))
		return;
	page_left(p, INK_PLAIN, LABEL_COLUMNS, "");
	if (recorded_is_exact(t, row))
		page_left(p, INK_PLAIN, RECORDED_COLUMNS, "");
	else
		write_interval(p, row, t->r ? &t->r->derived : &t->w->derived, RECORDED_COLUMNS);
	for (size_t i = 0; i < n; i++)
		write_bound(p, t, row, policy_counts(t, b->policy[i]));
	page_end_line(p);
}

static void write_row(struct page *p, const struct whatif_table *t, const struct row *row,
		      const struct band *b)
{
	uint64_t was = recorded_value(t, row);

	page_left(p, INK_PLAIN, LABEL_COLUMNS, label_of(t, row));
	page_right(p, INK_PLAIN, RECORDED_COLUMNS, page_number(p, was).text);
	for (size_t i = 0; i < b->n; i++) {
		const struct counts *c = policy_counts(t, b->policy[i]);

		if (c->open && !is_exact(row, c))
			write_interval(p, row, c, CELL_COLUMNS);
		else
			write_likely(p, row, c, was);
	}
	page_end_line(p);
	write_bounds(p, t, row, b);
}

/* Whether any alternative counts otherwise than the recorded policy. */
static bool is_changed(const struct whatif_table *t, const struct row *row)
{
	const struct counts *was = t->r ? &t->r->derived : &t->w->derived;

	for (size_t i = 0; i < t->w->n_policies; i++) {
		const struct counts *now = policy_counts(t, i);

		if (policy_is_comparable(t->w->policies[i].kind) &&
		    (row_value(row, &now->lo) != row_value(row, &was->lo) ||
		     row_value(row, &now->hi) != row_value(row, &was->hi)))
			return true;
	}
	return false;
}

/* Rows of only zeros say nothing, but for those that people look for. */
static bool is_shown(const struct whatif_table *t, const struct row *row)
{
	bool zero = recorded_value(t, row) == 0 && recorded_is_exact(t, row);

	if (row->verbose && !t->verbose)
		return false;
	if (row->quiet && !t->verbose && !is_changed(t, row))
		return false;
	for (size_t i = 0; i < t->w->n_policies; i++)
		zero &= row_value(row, &policy_counts(t, i)->hi) == 0;
	return !zero || row->always;
}

static void write_band(struct page *p, const struct whatif_table *t, const struct band *b)
{
	bool x86 = whatif_is_x86(t->w);
	const struct row *rows = x86 ? x86_rows : power_rows;
	size_t n = x86 ? sizeof(x86_rows) / sizeof(*rows) : sizeof(power_rows) / sizeof(*rows);

	write_legend(p, t->w, b);
	write_head(p, t->w, b);
	for (size_t i = 0; i < n; i++)
		if (is_shown(t, &rows[i]))
			write_row(p, t, &rows[i], b);
}

/* The comparable policies from *at on that fit beside each other. */
static struct band next_band(const struct whatif *w, size_t *at)
{
	struct band b = { .n = 0 };

	for (; *at < w->n_policies && b.n < CELLS; ++*at)
		if (policy_is_comparable(w->policies[*at].kind))
			b.policy[b.n++] = *at;
	return b;
}

void whatif_table(struct page *p, const struct whatif_table *t)
{
	size_t at = 0;
	struct band b = next_band(t->w, &at);

	write_band(p, t, &b);
	for (b = next_band(t->w, &at); b.n; b = next_band(t->w, &at)) {
		page_end_line(p);
		write_band(p, t, &b);
	}
	if (whatif_is_computed(t->w))
		page_paragraph(
			p, "",
			"* computed, and so is all else: only requests were recorded, and this is "
			"what the policy that ran made of them");
	else
		page_paragraph(p, "", "* computed: a trace does not hold these");
}
