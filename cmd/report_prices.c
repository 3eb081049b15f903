/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_prices.c - what a flush of each kind was and cost, worked out once for all tables. */
#include <stdlib.h>
#include <string.h>

#include "analyze/split.h"
#include "cmd/report.h"
#include "replay/stateful.h"

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static void find_sizes(struct report_sizes *s, const struct model *m)
{
	size_t kept = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		s->most[s->n++] = UINT64_C(1) << bit;
	s->most[s->n++] = m->used.v[PARAM_CEILING];
	s->most[s->n++] = m->used.v[PARAM_LOCAL_CEILING];
	s->most[s->n++] = UINT64_MAX;
	qsort(s->most, s->n, sizeof(*s->most), by_size);
	for (size_t i = 0; i < s->n; i++)
		if (s->most[i] && (kept == 0 || s->most[kept - 1] != s->most[i]))
			s->most[kept++] = s->most[i];
	s->n = (uint32_t)kept;
	s->whole = s->n;
	s->walk_cache = s->n + 1;
	s->kernel = s->n + 2;
	s->other = s->n + 3;
	s->rows = s->n + 4;
}

uint32_t report_size_of(const struct report_sizes *s, uint64_t pages)
{
	uint32_t i = 0;

	while (s->most[i] < pages)
		i++;
	return i;
}

/* Counters that a trace holds come from it, all others from the replay of the recorded policy. */
bool report_holds(enum counter c)
{
	return (c >= COUNT_TLBIE && c <= COUNT_TLBIEL) || c == COUNT_INVLPG || c == COUNT_CR3_WRITES;
}

static bool is_local(const struct class_key *k)
{
	if (k->shape != SHAPE_X86)
		return k->local || k->irq;
	return !k->x86.sent && !k->x86.orphan && k->x86.ipis_usual == 0;
}

/* One reading of a flush: what was recorded, and the replay for all else. */
static struct figures figures_of(const struct class *class, const struct tally *replayed)
{
	struct tally was = class->key.asked ? *replayed : class_recorded(class);
	struct figures n = { .t = *replayed };

	for (size_t i = 0; i < COUNTERS; i++)
		if (report_holds((enum counter)i))
			n.t.n[i] = was.n[i];
	n.instructions = was.n[COUNT_TLBIE] + was.n[COUNT_TLBIEL] + was.n[COUNT_INVLPG] +
			 was.n[COUNT_CR3_WRITES];
	if (is_local(&class->key))
		n.local = n.t.n[COUNT_FLUSHES];
	else
		n.global = n.t.n[COUNT_FLUSHES];
	return n;
}

/*
 * Pages that were asked for by address. A promoted request hides how many, but not that they were more
 * than the ceiling; what may not have been promoted at all perhaps asked for the whole mm.
 */
static void find_pages(struct sums *s, const struct kind *kind, const struct params *used)
{
	const struct class_key *k = &kind->like.key;
	bool x86 = k->shape == SHAPE_X86;
	uint64_t pages = x86 ? k->x86.pages : k->pages;
	uint64_t most = x86 ? k->x86.pages_max : k->pages_max;

	if (k->shape != SHAPE_VA && split_known(k, used, kind->calls) == KNOWN_CENSORED) {
		pages = (x86 ? used->v[PARAM_CEILING] : split_longest(k, used)) + 1;
		s->least.pages = s->least.t.n[COUNT_PROMOTED] ? pages : 0;
		s->likely.pages = s->least.pages;
		s->most.pages = most == PAGES_UNKNOWN || most < pages ? NO_LIMIT : most;
		return;
	}
	if (k->shape == SHAPE_VA || x86 || k->told)
		s->likely.pages = s->least.pages = s->most.pages = pages;
}

/* One flush of the kind; where only its request was recorded, masks may decide its scope. */
static struct counts replay(const struct kind *kind, const struct model *m)
{
	struct class one = kind->like;

	one.count = 1;
	if (kind->like.key.asked)
		return stateful_class(&one, &m->used, m, kind->calls);
	return predict_class(&one, &m->used, m, kind->calls);
}

static struct sums price_flush(const struct kind *kind, const struct model *m)
{
	struct counts replayed = replay(kind, m);
	struct sums s = { .likely = figures_of(&kind->like, &replayed.likely),
			  .least = figures_of(&kind->like, &replayed.lo),
			  .most = figures_of(&kind->like, &replayed.hi) };

	find_pages(&s, kind, &m->used);
	return s;
}

/* So many of the n requests of a flush, `pages` pages each. */
static struct figures share_of(const struct figures *all, const struct class_key *k,
			       const struct piece *piece, uint64_t n)
{
	struct figures s = { .pages = piece->pages * piece->times };

	for (size_t i = 0; i < COUNTERS; i++)
		if (!report_holds((enum counter)i))
			s.t.n[i] = all->t.n[i] * piece->times / n;
	s.t.n[k->local ? COUNT_TLBIEL : COUNT_TLBIE] = s.pages;
	if (!k->local)
		s.t.n[COUNT_TLBIE_VA] = s.pages;
	s.local = all->local ? piece->times : 0;
	s.global = all->global ? piece->times : 0;
	s.instructions = s.pages;
	return s;
}

static void less(uint64_t *n, uint64_t part)
{
	*n -= part < *n ? part : *n;
}

static void take_away(struct figures *from, const struct figures *part)
{
	for (size_t i = 0; i < COUNTERS; i++)
		less(&from->t.n[i], part->t.n[i]);
	less(&from->pages, part->pages);
	less(&from->local, part->local);
	less(&from->global, part->global);
	less(&from->instructions, part->instructions);
}

/* Where a flush may have been cut otherwise, its requests of one size may be none or all of it. */
static void bound_part(struct report_part *part, const struct sums *all, bool open)
{
	static const struct figures nothing;

	part->s.least = open ? nothing : part->s.likely;
	part->s.most = open ? all->most : part->s.likely;
}

/* The requests of a run of pages, by size; the first has what belongs to none of them. */
static void price_pages(struct report_price *out, const struct report *r, const struct kind *kind)
{
	const struct class_key *k = &kind->like.key;
	struct pieces pieces = split_cut(k, kind->split.likely,
					 split_longest(k, &r->base.model.used));
	bool open = kind->split.other != kind->split.likely;
	uint64_t n = 0;

	for (unsigned i = 0; i < pieces.n; i++)
		n += pieces.p[i].times;
	out->part[0].s = out->all;
	out->n = 1;
	for (unsigned i = 1; i < pieces.n; i++) {
		struct report_part *part = &out->part[out->n++];

		part->size = report_size_of(&r->sizes, pieces.p[i].pages);
		part->s.likely = share_of(&out->all.likely, k, &pieces.p[i], n);
		take_away(&out->part[0].s.likely, &part->s.likely);
		bound_part(part, &out->all, open);
	}
	if (pieces.n > 1)
		bound_part(&out->part[0], &out->all, open);
	out->part[0].size = report_size_of(&r->sizes, pieces.n ? pieces.p[0].pages : k->pages);
}

uint32_t report_size_of_request(const struct report *r, const struct class_key *k, uint64_t pages)
{
	switch ((enum flush_shape)k->shape) {
	case SHAPE_VA:
		return report_size_of(&r->sizes, pages);
	case SHAPE_PID:
	case SHAPE_ALL:
		return r->sizes.whole;
	case SHAPE_PWC:
		return r->sizes.walk_cache;
	case SHAPE_KERNEL:
		return r->sizes.kernel;
	case SHAPE_X86:
		return k->x86.pages ? report_size_of(&r->sizes, k->x86.pages) : r->sizes.whole;
	default:
		return r->sizes.other;
	}
}

static void price_kind(struct report_price *out, const struct report *r, const struct kind *kind)
{
	out->all = price_flush(kind, &r->base.model);
	if (kind->like.key.shape == SHAPE_VA) {
		price_pages(out, r, kind);
		return;
	}
	out->n = 1;
	out->part[0].size = report_size_of_request(r, &kind->like.key, 0);
	out->part[0].s = out->all;
}

static int find_kinds(struct report *r)
{
	const struct class_table *classes = r->base.trace.classes;
	size_t n = profile_classes(r->profile);

	r->kind_of = calloc(n + 1, sizeof(*r->kind_of));
	r->selected = calloc(n + 1, sizeof(*r->selected));
	if (!r->kind_of || !r->selected)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct class *class = profile_class(r->profile, (uint32_t)i);

		if (class->count == 0)
			continue;
		r->selected[i] = common_selects(r->common, &r->base.trace, class);
		if (kinds_add(&r->kinds, class, &r->base.model,
			      class_calls(classes, class->key.mm, class->key.cause), &r->kind_of[i]))
			return -1;
	}
	return 0;
}

int report_price(struct report *r)
{
	find_sizes(&r->sizes, &r->base.model);
	if (find_kinds(r))
		return -1;
	r->prices = calloc(r->kinds.n + 1, sizeof(*r->prices));
	if (!r->prices)
		return -1;
	for (size_t i = 0; i < r->kinds.n; i++)
		price_kind(&r->prices[i], r, &r->kinds.kind[i]);
	return 0;
}
