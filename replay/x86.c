/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86.c - what a request costs on x86. */
#include "replay/x86.h"

#define WHOLE UINT64_MAX /* pages of a request for the whole mm */
#define PAGES_4K_PER_2M 512

/* Only mms that run on more CPUs than this ever get a global ASID (v6.15, use_global_asid()). */
#define GLOBAL_ASID_CPUS 3

static uint64_t divide_up(uint64_t n, uint64_t by)
{
	return n / by + (n % by != 0);
}

/*
 * One CPU's part. Under PTI the user's half is flushed too: single pages by INVPCID, all of it, or
 * what INVPCID is missing for, by the CR3 write of the next return to user mode: deferred. Requests
 * before that return share it.
 */
static void add_pages(struct counts *c, uint64_t cpus, uint64_t pages, uint64_t pti)
{
	struct tally t = { .n[COUNT_INVLPG] = pti == PTI_ON ? 2 * pages : pages };
	struct tally deferred = { .n[COUNT_CR3_WRITES] = pti == PTI_NO_INVPCID };
	struct counts one = counts_exact(&t);

	tally_add(&one.likely, &deferred, 1);
	tally_add(&one.hi, &deferred, 1);
	counts_add(c, &one, cpus);
}

static void add_all(struct counts *c, uint64_t cpus, uint64_t pti)
{
	struct tally t = { .n[COUNT_CR3_WRITES] = 1 };
	struct tally deferred = { .n[COUNT_CR3_WRITES] = pti != PTI_OFF };
	struct counts one = counts_exact(&t);

	tally_add(&one.likely, &deferred, 1);
	tally_add(&one.hi, &deferred, 1);
	counts_add(c, &one, cpus);
}

/* IPIs: those that were sent, but for what lazy-skip changes. */
static void add_ipis(struct counts *c, const struct x86_share *x86, const struct params *alt,
		     const struct params *recorded)
{
	bool skipped = recorded->v[PARAM_LAZY_SKIP];
	bool skips = alt->v[PARAM_LAZY_SKIP];

	c->lo.n[COUNT_IPIS] += skips && !skipped ? 0 : x86->ipis_min;
	c->likely.n[COUNT_IPIS] += x86->ipis_usual;
	c->hi.n[COUNT_IPIS] += skipped && !skips ? x86->mask_max : x86->ipis_max;
}

static bool goes_over(const struct params *alt, uint64_t pages)
{
	return pages > alt->v[PARAM_CEILING];
}

/* On so many CPUs, none of them behind. */
static struct counts on_cpus(uint64_t cpus, const struct params *alt, uint64_t pages)
{
	struct counts c = { .open = false };

	if (pages == WHOLE || goes_over(alt, pages))
		add_all(&c, cpus, alt->v[PARAM_PTI]);
	else
		add_pages(&c, cpus, pages, alt->v[PARAM_PTI]);
	return c;
}

/*
 * No events say which CPUs flushed: some for certain, others perhaps, those that ran the mm most
 * likely. Beside another request of the mm each may be a generation behind, and flush everything, or
 * ahead, and flush nothing.
 */
static struct counts by_asked(const struct x86_share *x86, const struct params *alt,
			      const struct params *recorded, uint64_t pages)
{
	bool crowded = x86->asked == X86_ASKED_CROWDED;
	uint64_t most = x86->partial_cpus + x86->full_cpus;
	struct counts c = on_cpus((x86->partial_cpus > 0) + x86->ipis_usual, alt, pages);

	c.lo = on_cpus(crowded ? 0 : x86->partial_cpus, alt, pages).lo;
	c.hi = on_cpus(most, alt, pages).hi;
	if (crowded && c.hi.n[COUNT_CR3_WRITES] < most)
		c.hi.n[COUNT_CR3_WRITES] = most;
	add_ipis(&c, x86, alt, recorded);
	return c;
}

/* A request of so many pages, sent by IPI. A CPU that was a generation behind stays behind. */
static struct counts by_ipi(const struct x86_share *x86, const struct params *alt,
			    const struct params *recorded, uint64_t pages)
{
	uint64_t pti = alt->v[PARAM_PTI];
	bool was_over = pages == WHOLE || goes_over(recorded, pages);
	uint64_t behind = was_over ? 0 : x86->full_cpus;
	uint64_t cpus = x86->partial_cpus + x86->full_cpus - behind;
	struct counts c = { .open = false };

	if (pages == WHOLE || goes_over(alt, pages))
		add_all(&c, cpus, pti);
	else
		add_pages(&c, cpus, pages, pti);
	add_all(&c, behind, pti);
	add_ipis(&c, x86, alt, recorded);
	return c;
}

/* The same for an mm with a global ASID: one broadcast for any number of CPUs. */
static struct counts by_broadcast(const struct params *alt, uint64_t pages)
{
	bool all = pages == WHOLE || goes_over(alt, pages);
	uint64_t n = all ? 1 : divide_up(pages, alt->v[PARAM_INVLPGB]);
	struct tally t = { .n[COUNT_INVLPGB] = alt->v[PARAM_PTI] == PTI_OFF ? n : 2 * n };

	return counts_exact(&t);
}

/* One reading of the request's size. */
static struct counts of_size(const struct x86_share *x86, const struct params *alt,
			     const struct params *recorded, uint64_t pages)
{
	struct counts c = x86->asked ? by_asked(x86, alt, recorded, pages)
				     : by_ipi(x86, alt, recorded, pages);
	struct counts broadcast;

	if (alt->v[PARAM_INVLPGB] && !recorded->v[PARAM_INVLPGB] && !x86->batch &&
	    x86->mask_max + 1 > GLOBAL_ASID_CPUS) {
		/* When the mm gets its global ASID is left to chance: (pid & 31) == (jiffies & 31). */
		broadcast = by_broadcast(alt, pages);
		counts_include_both(&broadcast, &c);
		c = broadcast;
	}
	c.lo.n[COUNT_FLUSHES] = c.likely.n[COUNT_FLUSHES] = c.hi.n[COUNT_FLUSHES] = !x86->orphan;
	if (pages != WHOLE && goes_over(alt, pages))
		c.lo.n[COUNT_PROMOTED] = c.likely.n[COUNT_PROMOTED] = c.hi.n[COUNT_PROMOTED] = !x86->orphan;
	return c;
}

/*
 * The fewest pages of a request that went over the recorded ceiling. Where only bounds of that are
 * known, a ceiling that is named may be another one, even if it is the number that is assumed.
 */
static uint64_t least_promoted(const struct params *alt, const struct model *recorded)
{
	uint64_t assumed = recorded->used.v[PARAM_CEILING];

	if (alt->v[PARAM_CEILING] == assumed && !params_is_named(alt, PARAM_CEILING))
		return assumed + 1;
	return recorded->fact[PARAM_CEILING].lo + 1;
}

/*
 * Everything was flushed, and how much was asked for is not recorded: the whole mm, or more than the
 * recorded ceiling. At ceilings up to that it stays what it is.
 */
static struct counts of_unknown_size(const struct x86_share *x86, const struct params *alt,
				     const struct model *recorded)
{
	uint64_t from = least_promoted(alt, recorded);
	uint64_t most = alt->v[PARAM_CEILING];
	uint64_t to = x86->pages_max < most ? x86->pages_max : most;
	struct params was = recorded->used;
	struct counts c = of_size(x86, alt, &was, WHOLE);
	struct counts other;

	if (x86->orphan || x86->full_cpus == 0)
		return c;
	if (from <= x86->pages_max)
		c.hi.n[COUNT_PROMOTED] = 1;
	if (x86->pages_max != UINT64_MAX)
		c.likely.n[COUNT_PROMOTED] = c.hi.n[COUNT_PROMOTED];
	if (from > to)
		return c;
	c.open = true;
	was.v[PARAM_CEILING] = from - 1; /* whatever is assumed: these sizes were over it */
	other = of_size(x86, alt, &was, to);
	/* A call that bounds it usually asked for just its range. */
	if (x86->pages_max <= most)
		c.likely = other.likely;
	counts_include_both(&c, &other);
	other = of_size(x86, alt, &was, from);
	counts_include_both(&c, &other);
	return c;
}

/*
 * The size of a request in its own pages. Those that went over the ceiling were sent as everything; one
 * that was sent as a number of 4K pages above it had larger pages, which no CPU that was a generation
 * behind shows.
 */
static uint64_t pages_of(const struct x86_share *x86, const struct params *recorded)
{
	bool larger = x86->sent && !x86->promoted && x86->shift == 12 &&
		      goes_over(recorded, x86->pages) && x86->pages % PAGES_4K_PER_2M == 0;

	return larger ? x86->pages / PAGES_4K_PER_2M : x86->pages;
}

struct counts x86_predict(const struct x86_share *x86, const struct params *alt,
			  const struct model *recorded)
{
	if (x86->whole)
		return of_size(x86, alt, &recorded->used, WHOLE);
	if (x86->pages == 0)
		return of_unknown_size(x86, alt, recorded);
	return of_size(x86, alt, &recorded->used, pages_of(x86, &recorded->used));
}

struct tally x86_replay(const struct x86_share *x86, const struct model *recorded)
{
	struct model plain = *recorded;

	plain.used.v[PARAM_PTI] = PTI_OFF;
	return x86_predict(x86, &plain.used, &plain).likely;
}
