/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_read.c - reads a trace and prices each of its classes once, for all tables. */
#include <stdlib.h>
#include <string.h>

#include "analyze/split.h"
#include "cmd/report.h"

static int out_of_memory(const char *path, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
}

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

static uint32_t size_of(const struct report_sizes *s, uint64_t pages)
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

static struct sums price_flush(const struct class *class, const struct counts *replayed)
{
	struct tally was = class_recorded(class);
	struct sums s = { .t = replayed->likely };

	for (size_t i = 0; i < COUNTERS; i++)
		if (report_holds((enum counter)i))
			s.t.n[i] = was.n[i];
	s.instructions = was.n[COUNT_TLBIE] + was.n[COUNT_TLBIEL] + was.n[COUNT_INVLPG] +
			 was.n[COUNT_CR3_WRITES];
	if (is_local(&class->key))
		s.local = s.t.n[COUNT_FLUSHES];
	else
		s.global = s.t.n[COUNT_FLUSHES];
	if (class->key.shape == SHAPE_VA)
		s.pages = class->key.pages;
	else if (class->key.shape == SHAPE_X86)
		s.pages = class->key.x86.pages;
	return s;
}

/* So many of n requests of the class, `pages` pages each. */
static struct sums share_of(const struct sums *all, const struct class_key *k,
			    const struct piece *piece, uint64_t n)
{
	struct sums s = { .pages = piece->pages * piece->times };

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

static void take_away(struct sums *from, const struct sums *part)
{
	for (size_t i = 0; i < COUNTERS; i++)
		less(&from->t.n[i], part->t.n[i]);
	less(&from->pages, part->pages);
	less(&from->local, part->local);
	less(&from->global, part->global);
	less(&from->instructions, part->instructions);
}

/* The requests of a run of pages, by size; the first has what belongs to none of them. */
static void price_pages(struct report_price *out, const struct report *r, const struct class *class,
			const struct call_evidence *calls, const struct sums *all)
{
	const struct params *used = &r->base.model.used;
	const struct class_key *k = &class->key;
	struct split split = split_of(k, used, calls);
	struct pieces pieces = split_cut(k, split.likely, split_longest(k, used));
	uint64_t n = 0;

	for (unsigned i = 0; i < pieces.n; i++)
		n += pieces.p[i].times;
	out->part[0].s = *all;
	out->n = 1;
	for (unsigned i = 1; i < pieces.n; i++) {
		struct report_part *part = &out->part[out->n++];

		part->size = size_of(&r->sizes, pieces.p[i].pages);
		part->s = share_of(all, k, &pieces.p[i], n);
		take_away(&out->part[0].s, &part->s);
	}
	out->part[0].size = size_of(&r->sizes, pieces.n ? pieces.p[0].pages : k->pages);
}

static uint32_t size_of_shape(const struct report *r, const struct class_key *k)
{
	switch ((enum flush_shape)k->shape) {
	case SHAPE_PID:
	case SHAPE_ALL:
		return r->sizes.whole;
	case SHAPE_PWC:
		return r->sizes.walk_cache;
	case SHAPE_KERNEL:
		return r->sizes.kernel;
	case SHAPE_X86:
		return k->x86.pages ? size_of(&r->sizes, k->x86.pages) : r->sizes.whole;
	default:
		return r->sizes.other;
	}
}

static void price_class(struct report_price *out, const struct report *r, const struct class *class)
{
	const struct class_key *k = &class->key;
	const struct call_evidence *calls = class_calls(r->base.trace.classes, k->mm,
							(enum flush_cause)k->cause);
	struct counts replayed = predict_class(class, &r->base.model.used, &r->base.model, calls);
	struct sums all = price_flush(class, &replayed);

	if (k->shape == SHAPE_VA) {
		price_pages(out, r, class, calls, &all);
		return;
	}
	out->n = 1;
	out->part[0].size = size_of_shape(r, k);
	out->part[0].s = all;
}

static int price_all(struct report *r, const struct common *c)
{
	size_t n = profile_classes(r->profile);

	r->prices = calloc(n + 1, sizeof(*r->prices));
	r->selected = calloc(n + 1, sizeof(*r->selected));
	if (!r->prices || !r->selected)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct class *class = profile_class(r->profile, (uint32_t)i);

		r->selected[i] = common_selects(c, &r->base.trace, class);
		price_class(&r->prices[i], r, class);
	}
	return 0;
}

struct named_mm {
	struct report_mm mm;
	uint32_t index;
};

/* 0: the same program and process, or both are what is left of those of that name. */
static int by_owner(const struct named_mm *x, const struct named_mm *y)
{
	int order = strcmp(x->mm.name, y->mm.name);

	if (!order)
		order = (x->mm.tgid > y->mm.tgid) - (x->mm.tgid < y->mm.tgid);
	return order ? order : (x->mm.ended > 0) - (y->mm.ended > 0);
}

static int by_name(const void *a, const void *b)
{
	const struct named_mm *x = a;
	const struct named_mm *y = b;
	int order = by_owner(x, y);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Those of the same program and process become one. */
static void number_mms(struct report *r, const struct named_mm *named, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || by_owner(&named[i - 1], &named[i]) != 0)
			r->mms[r->n_mms++] = named[i].mm;
		r->mm_of[named[i].index] = r->n_mms - 1;
	}
	r->mms[r->n_mms++] = (struct report_mm){ "", -1, 0 };
}

static int find_mms(struct report *r)
{
	const struct mm_table *mms = trace_mms(&r->base.trace);
	size_t n = mm_count(mms);
	struct named_mm *named = calloc(n + 1, sizeof(*named));

	r->mms = calloc(n + 1, sizeof(*r->mms));
	r->mm_of = calloc(n + 1, sizeof(*r->mm_of));
	if (!named || !r->mms || !r->mm_of) {
		free(named);
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		const struct mm *mm = mm_by_index(mms, (uint32_t)i);

		named[i].index = (uint32_t)i;
		named[i].mm.tgid = mm ? mm->tgid : -1;
		named[i].mm.ended = mm ? mm->members : 0;
		if (mm)
			memcpy(named[i].mm.name, mm->name, COMM_LEN);
		named[i].mm.name[COMM_LEN - 1] = '\0';
	}
	qsort(named, n, sizeof(*named), by_name);
	number_mms(r, named, n);
	free(named);
	return 0;
}

int report_read(struct report *r, const struct common *c, const char *path, uint64_t interval_ns,
		struct error *err)
{
	const struct whatif no_policies = { .results = &r->base, .n_results = 1 };
	struct common with_profile = *c;

	*r = (struct report){ .common = c, .interval_ns = interval_ns };
	r->profile = profile_new(&r->base.trace, interval_ns);
	if (!r->profile)
		return out_of_memory(path, err);
	with_profile.trace.flush = profile_flush;
	with_profile.trace.fold = profile_fold;
	with_profile.trace.flush_arg = r->profile;
	with_profile.trace.no_times = true;
	if (whatif_answer(&r->base, &no_policies, &with_profile, path, err))
		return -1;
	find_sizes(&r->sizes, &r->base.model);
	if (find_mms(r) || price_all(r, c))
		return out_of_memory(path, err);
	return 0;
}

void report_free(struct report *r)
{
	static const struct whatif no_policies;

	whatif_result_free(&r->base, &no_policies);
	profile_free(r->profile);
	free(r->prices);
	free(r->selected);
	free(r->mms);
	free(r->mm_of);
	*r = (struct report){ .n_mms = 0 };
}
