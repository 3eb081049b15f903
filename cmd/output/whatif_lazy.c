/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_lazy.c - lazy TLB by program: whose mm_count, how contended, how often. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/output/whatif_parts.h"

#define NAME_COLUMNS 18
#define CELL_COLUMNS 12
#define ROWS_SHOWN 5

static bool is_asked(const struct whatif *w, const struct whatif_result *r)
{
	for (size_t i = 0; i < w->n_policies; i++)
		if (policy_is_comparable(w->policies[i].kind) &&
		    r->answers[i].params.v[PARAM_LAZY] != r->model.used.v[PARAM_LAZY])
			return true;
	return false;
}

static void write_row(struct page *p, const struct lazy_row *row)
{
	const uint64_t cells[] = { row->mms, row->atomics, row->cpus, row->peak, row->deaths };

	page_left(p, INK_PLAIN, NAME_COLUMNS, row->name);
	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++)
		page_right(p, INK_PLAIN, CELL_COLUMNS, page_number(p, cells[i]).text);
	page_end_line(p);
}

static void write_head(struct page *p)
{
	static const char *const heads[] = { "mms", "atomics", "CPUs", "in a second", "ends" };

	page_heading(p, "Lazy TLB by program: atomics on mm_count where it is counted (refcount)");
	page_left(p, INK_BOLD, NAME_COLUMNS, "");
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		page_right(p, INK_BOLD, CELL_COLUMNS, heads[i]);
	page_end_line(p);
}

void whatif_part_lazy(struct page *p, const struct whatif *w, const struct whatif_result *r)
{
	const struct follower *f = watch_follower(r->watch);
	const struct lazy_row *rows;
	size_t n;

	if (!f || !is_asked(w, r))
		return;
	rows = follower_sums(f)->rows;
	n = follower_sums(f)->n_rows;
	write_head(p);
	for (size_t i = 0; i < n && i < ROWS_SHOWN; i++)
		write_row(p, &rows[i]);
	if (n > ROWS_SHOWN)
		page_paragraph(p, "", "and %zu other names", n - ROWS_SHOWN);
	page_paragraph(p, "",
		       "CPUs and the most in a second are those of the one mm that has most; together "
		       "all had %s in their busiest second.",
		       page_number(p, follower_lazy_totals(f).peak).text);
}
