/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_fold.c - rows that no prediction tells apart become one; all have one order. */
#include <stdlib.h>
#include <string.h>

#include "replay/summary_fields.h"

#define NAMES_KEPT                                                                                 \
	(SUMMARY_MMS - 64u) /* before names are given up; readings of calls take the rest */

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/*
 * What an mm's calls showed decides how its runs are read (split.c): whether some of a kind promoted
 * once, and whether some did more often. Mms that differ in that have no sum.
 */
static int compare_calls(const struct summary_mm *a, const struct summary_mm *b)
{
	for (size_t i = 0; i < FLUSH_CAUSES; i++) {
		int differ = order(a->calls[i].promoted_once > 0, b->calls[i].promoted_once > 0);

		if (!differ)
			differ = order(a->calls[i].promoted_many > 0, b->calls[i].promoted_many > 0);
		if (differ)
			return differ;
	}
	return 0;
}

static int compare_mms(const struct summary_mm *a, const struct summary_mm *b)
{
	int differ = order(a->none, b->none);

	if (!differ)
		differ = strcmp(a->name, b->name);
	if (!differ)
		differ = order((uint32_t)a->tgid, (uint32_t)b->tgid);
	if (!differ)
		differ = order(a->members > 0, b->members > 0);
	return differ ? differ : compare_calls(a, b);
}

static void add_mm(struct summary_mm *to, const struct summary_mm *from)
{
	to->members = summary_sum(to->members, from->members);
	for (size_t i = 0; i < FLUSH_CAUSES; i++) {
		to->calls[i].promoted_once = summary_sum(to->calls[i].promoted_once,
							 from->calls[i].promoted_once);
		to->calls[i].promoted_many = summary_sum(to->calls[i].promoted_many,
							 from->calls[i].promoted_many);
	}
}

/* An mm and where it stood. */
struct placed_mm {
	struct summary_mm mm;
	uint32_t was;
};

static int by_mm(const void *a, const void *b)
{
	const struct placed_mm *x = a;
	const struct placed_mm *y = b;
	int differ = compare_mms(&x->mm, &y->mm);

	return differ ? differ : order(x->was, y->was);
}

/* Sorts the mms, makes equal ones one, and points the classes at them. False: no memory. */
static bool fold_mms(struct summary_group *g)
{
	struct placed_mm *placed = calloc(g->n_mms + 1, sizeof(*placed));
	uint32_t *now = calloc(g->n_mms + 1, sizeof(*now));
	size_t kept = 0;

	for (size_t i = 0; placed && now && i < g->n_mms; i++)
		placed[i] = (struct placed_mm){ g->mms[i], (uint32_t)i };
	if (placed && now && g->n_mms)
		qsort(placed, g->n_mms, sizeof(*placed), by_mm);
	for (size_t i = 0; placed && now && i < g->n_mms; i++) {
		if (kept && compare_mms(&g->mms[kept - 1], &placed[i].mm) == 0)
			add_mm(&g->mms[kept - 1], &placed[i].mm);
		else
			g->mms[kept++] = placed[i].mm;
		now[placed[i].was] = (uint32_t)kept - 1;
	}
	for (size_t i = 0; placed && now && i < g->n_classes; i++)
		g->classes[i].key.mm = now[g->classes[i].key.mm];
	if (placed && now)
		g->n_mms = kept;
	free(placed);
	free(now);
	return placed && now;
}

/*
 * Not all that is asked of a class is proportional to its sums: flushes that may reach CPUs which
 * nothing shows (stateful.c) likely reach one, and trims are compared with those of another kind. Classes that differ in that have
 * no sum.
 */
static unsigned side_of(const struct class *c)
{
	unsigned side = c->trims[TRIM_V6_6] >= c->trims[TRIM_V5_12];

	side = side << 1 | (c->ipis[TRIM_V6_6] >= c->ipis[TRIM_V5_12]);
	for (size_t i = 0; i < TRIMS; i++)
		side = side << 1 | (c->targets_most[i] > c->targets[i]);
	return side;
}

/* Where the scope is not sure, the wider of two readings is taken: by their targets a flush. */
static int compare_unsure(const struct class *a, const struct class *b)
{
	int differ = 0;

	for (size_t i = 0; i < TRIMS && !differ; i++) {
		unsigned __int128 x = (unsigned __int128)a->targets_most[i] * b->count;
		unsigned __int128 y = (unsigned __int128)b->targets_most[i] * a->count;

		if (a->key.scope[i] & MACHINE_UNSURE)
			differ = (x > y) - (x < y);
	}
	return differ;
}

static int compare_classes(const struct class *a, const struct class *b)
{
	int differ;

#define KEY_ORDER(field, most)                                                                     \
	differ = order(a->key.field, b->key.field);                                                \
	if (differ)                                                                                \
		return differ;
	SUMMARY_KEY_X(KEY_ORDER)
#undef KEY_ORDER
	differ = order(side_of(a), side_of(b));
	return differ ? differ : compare_unsure(a, b);
}

static int by_class(const void *a, const void *b)
{
	return compare_classes(a, b);
}

static void add_class(struct class *to, const struct class *from)
{
	to->count = summary_sum(to->count, from->count);
	for (size_t i = 0; i < TRIMS; i++) {
		to->ipis[i] = summary_sum(to->ipis[i], from->ipis[i]);
		to->trims[i] = summary_sum(to->trims[i], from->trims[i]);
		to->targets[i] = summary_sum(to->targets[i], from->targets[i]);
		to->targets_most[i] = summary_sum(to->targets_most[i], from->targets_most[i]);
		to->reached[i] = summary_sum(to->reached[i], from->reached[i]);
	}
}

static void fold_classes(struct summary_group *g)
{
	size_t kept = 0;

	if (g->n_classes)
		qsort(g->classes, g->n_classes, sizeof(*g->classes), by_class);
	for (size_t i = 0; i < g->n_classes; i++) {
		if (kept && compare_classes(&g->classes[kept - 1], &g->classes[i]) == 0)
			add_class(&g->classes[kept - 1], &g->classes[i]);
		else
			g->classes[kept++] = g->classes[i];
	}
	g->n_classes = kept;
}

/* How much was recorded of an mm. */
struct weight {
	uint64_t instructions;
	uint32_t mm;
};

static int by_weight(const void *a, const void *b)
{
	const struct weight *x = a;
	const struct weight *y = b;
	int differ = order(y->instructions, x->instructions);

	return differ ? differ : order(x->mm, y->mm);
}

static struct weight *weigh(const struct summary_group *g)
{
	struct weight *w = calloc(g->n_mms + 1, sizeof(*w));

	for (size_t i = 0; w && i < g->n_mms; i++)
		w[i].mm = (uint32_t)i;
	for (size_t i = 0; w && i < g->n_classes; i++) {
		const struct class *c = &g->classes[i];
		struct tally was = class_recorded(c);
		struct tally all = { .n = { 0 } };

		tally_add(&all, &was, c->count);
		w[c->key.mm].instructions += all.n[COUNT_TLBIE] + all.n[COUNT_TLBIEL] +
					     all.n[COUNT_INVLPG] + all.n[COUNT_CR3_WRITES];
	}
	if (w && g->n_mms)
		qsort(w, g->n_mms, sizeof(*w), by_weight);
	return w;
}

/* Takes what tells an mm from others of its name, and then the name, of those behind the `keep` first. */
static bool forget(struct summary_group *g, size_t keep, bool names)
{
	struct weight *w = weigh(g);

	for (size_t i = keep; w && i < g->n_mms; i++) {
		struct summary_mm *mm = &g->mms[w[i].mm];

		if (mm->none)
			continue;
		mm->tgid = -1;
		mm->members = mm->members ? mm->members : 1;
		if (names)
			memset(mm->name, 0, sizeof(mm->name));
	}
	free(w);
	return w && fold_mms(g);
}

bool summary_fold(struct summary_group *g)
{
	if (!fold_mms(g))
		return false;
	if (g->kept.inputs == 1 && g->n_mms > SUMMARY_MMS && !forget(g, SUMMARY_MMS / 2, false))
		return false;
	if (g->kept.inputs == 1 && g->n_mms > SUMMARY_MMS) {
		g->kept.folded = true;
		if (!forget(g, NAMES_KEPT, true))
			return false;
	}
	fold_classes(g);
	return true;
}
