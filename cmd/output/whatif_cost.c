/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_cost.c - time as --cost has it, and what promotions cost beside their instructions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/whatif_parts.h"

#define LABEL_COLUMNS 40
#define CELL_COLUMNS 14
#define MMS_SHOWN 3

/* "412.3 us", in thousands of the largest unit that fits. */
static struct number time_text(uint64_t ns)
{
	static const char *const units[] = { "us", "ms", "s" };
	struct number out;
	uint64_t one = 1000;
	size_t unit = 0;

	while (unit < 2 && ns / one >= 1000) {
		one *= 1000;
		unit++;
	}
	(void)snprintf(out.text, sizeof(out.text), "%" PRIu64 ".%" PRIu64 " %s", ns / one,
		       ns % one / (one / 10), units[unit]);
	return out;
}

static void write_time(struct page *p, const char *label, const struct cost *cost,
		       const struct counts *c, uint64_t was)
{
	uint64_t lo = cost_of(cost, &c->lo);
	uint64_t hi = cost_of(cost, &c->hi);
	char text[80];

	(void)snprintf(text, sizeof(text), "%s", time_text(hi).text);
	if (lo != hi)
		(void)snprintf(text, sizeof(text), "%s %s %s", time_text(lo).text, p->dots,
			       time_text(hi).text);
	page_left(p, INK_PLAIN, LABEL_COLUMNS, label);
	page_right(p, INK_PLAIN, lo == hi ? CELL_COLUMNS : 2 * CELL_COLUMNS, text);
	if (lo == hi && was != hi)
		page_right(p, hi < was ? INK_LESS : INK_MORE, CELL_COLUMNS,
			   number_change(was, hi).text);
	page_end_line(p);
}

static void list_costs(const struct cost *c, char *text, size_t size)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		size_t used = strlen(text);

		if (c->ps[i])
			(void)snprintf(text + used, size - used,
				       "%s%s %" PRIu64 ".%02" PRIu64 " ns", used ? ", " : "",
				       counter_keys[i], c->ps[i] / 1000, c->ps[i] % 1000 / 10);
	}
}

/* Whether anything that the policy counts has a cost. */
static bool is_priced(const struct cost *cost, const struct policy_kind *kind)
{
	for (const enum counter *id = kind->counters; *id != COUNTERS; id++)
		if (cost->ps[*id])
			return true;
	return false;
}

void whatif_part_cost(struct page *p, const struct whatif *w, const struct whatif_result *r)
{
	struct counts was;
	char text[512] = "";

	if (!w->cost.given)
		return;
	was = whatif_recorded_counts(r);
	list_costs(&w->cost, text, sizeof(text));
	page_heading(p, "Time by --cost: %s each%s", text,
		     w->cost.seed ? " (from the table of seed 000)" : "");
	write_time(p, "  recorded policy", &w->cost, &was, cost_of(&w->cost, &was.hi));
	for (size_t i = 0; i < w->n_policies; i++) {
		char label[sizeof(w->policies[i].text) + 4];

		if (!is_priced(&w->cost, w->policies[i].kind))
			continue;
		(void)snprintf(label, sizeof(label), "  %s", w->policies[i].text);
		write_time(p, label, &w->cost, &r->answers[i].total, cost_of(&w->cost, &was.likely));
	}
}

/* "28 to 35 (116.9 a second)", the rate of the most. */
static void promoted_text(struct page *p, const struct whatif_result *r, const struct counts *c,
			  char *text, size_t size)
{
	uint64_t lo = c->lo.n[COUNT_PROMOTED];
	uint64_t hi = c->hi.n[COUNT_PROMOTED];
	size_t used;

	(void)snprintf(text, size, "%s", page_number(p, hi).text);
	if (lo != hi)
		(void)snprintf(text, size, "%s to %s", page_number(p, lo).text,
			       page_number(p, hi).text);
	used = strlen(text);
	if (r->duration_ns >= 1000000)
		(void)snprintf(text + used, size - used, " (%" PRIu64 " a second%s)",
			       (uint64_t)((unsigned __int128)hi * 1000000000 / r->duration_ns),
			       lo == hi ? "" : " at most");
}

static void write_promoted(struct page *p, const struct whatif_result *r,
			   const struct whatif_answer *a)
{
	size_t shown = 0;
	char text[96];

	for (size_t i = 0; i < a->n_mms && shown < MMS_SHOWN; i++) {
		const struct whatif_mm *mm = &a->mms[i];
		char tgid[16] = "";

		if (mm->counts.hi.n[COUNT_PROMOTED] == 0)
			continue;
		promoted_text(p, r, &mm->counts, text, sizeof(text));
		if (mm->tgid >= 0)
			(void)snprintf(tgid, sizeof(tgid), "/%" PRId32, mm->tgid);
		page_paragraph(p, "  ", "%s: %s%s %s", a->policy->text,
			       *mm->name ? mm->name : "others", tgid, text);
		shown++;
	}
}

static bool promotes_more(const struct whatif_result *r, const struct whatif_answer *a)
{
	return policy_is_comparable(a->policy->kind) &&
	       a->total.likely.n[COUNT_PROMOTED] > r->derived.likely.n[COUNT_PROMOTED];
}

void whatif_part_promoted(struct page *p, const struct whatif *w, const struct whatif_result *r)
{
	bool any = false;

	for (size_t i = 0; i < w->n_policies; i++) {
		if (!promotes_more(r, &r->answers[i]))
			continue;
		if (!any)
			page_heading(p, "Promotions: with each, every other live translation of that "
					"mm is lost");
		any = true;
		write_promoted(p, r, &r->answers[i]);
	}
	if (any)
		page_paragraph(p, "  ", "How many translations that is, a trace cannot say.");
}
