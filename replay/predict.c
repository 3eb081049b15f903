/* SPDX-License-Identifier: GPL-2.0-or-later */
/* predict.c - classes under a policy. */
#include "replay/predict.h"

#include <string.h>

#include "analyze/geometry.h"
#include "analyze/observer.h"
#include "analyze/split.h"
#include "replay/radix.h"
#include "replay/stateful.h"
#include "replay/x86.h"

/*
 * flush_tlb_page() and flush_tlb_collapsed_pmd() on 64K pages ask no ceiling. A fault's page is the
 * former's; exec flushes its one page by flush_tlb_range().
 */
static bool asks_no_ceiling(const struct class_key *k, uint64_t pages)
{
	if (k->entry == ENTRY_COLLAPSED)
		return k->shift == 16;
	if (k->told || k->entry == ENTRY_RANGE)
		return k->entry == ENTRY_PAGE;
	return pages == 1 && !k->pwc && k->context == CONTEXT_OUTSIDE && k->cause != CAUSE_EXEC &&
	       k->shift < PMD_SHIFT;
}

/* Pages of one class in a call are one gather's, though it flushed them in batches. */
static uint64_t gather_of(const struct class_key *k)
{
	if (k->context != CONTEXT_CALL)
		return 0;
	return k->call_pages > k->pages ? k->call_pages : k->pages;
}

/*
 * The request that `pages` of the class were. Only the uncut class can be a range with two passes;
 * freed tables go with the first request of a cut one.
 */
static struct radix_request request_of(const struct class_key *k, uint64_t pages, bool first)
{
	bool uncut = pages == k->pages;

	return (struct radix_request){
		.pages = pages,
		.pages_2m = uncut ? k->pages_2m : 0,
		.range = (uncut && k->pages_2m) || k->entry == ENTRY_RANGE,
		.long_range = pages << k->shift >= PMD_BYTES,
		.tables = first && k->pwc && !k->pages_2m && k->entry != ENTRY_RANGE,
		.unlimited = asks_no_ceiling(k, pages),
		.local = k->local,
		.gather = gather_of(k),
	};
}

/* A multicast flush asks the global ceiling, then every CPU of the mask runs the local code. */
static struct tally tally_request(const struct class_key *k, const struct params *p,
				  const struct radix_request *r)
{
	struct params share = *p;

	if (!split_is_share(k, p))
		return radix_range(p, r);
	share.v[PARAM_LOCAL_CEILING] = p->v[PARAM_CEILING];
	return radix_range(&share, r);
}

static struct tally tally_of(const struct class_key *k, const struct params *p, uint64_t pages,
			     bool first)
{
	struct radix_request r = request_of(k, pages, first);

	return tally_request(k, p, &r);
}

static struct tally tally_pieces(const struct class_key *k, const struct params *p,
				 const struct pieces *pieces)
{
	struct tally sum = { .n = { 0 } };

	for (unsigned i = 0; i < pieces->n; i++) {
		const struct piece *piece = &pieces->p[i];
		uint64_t alone = i == 0 && piece->times; /* the first request of all */
		struct tally one = tally_of(k, p, piece->pages, true);

		tally_add(&sum, &one, alone);
		if (piece->times > alone)
			one = tally_of(k, p, piece->pages, false);
		tally_add(&sum, &one, piece->times - alone);
	}
	return sum;
}

static struct tally tally_cut(const struct class_key *k, const struct params *alt,
			      const struct params *recorded, enum cut cut)
{
	const struct params *longest = cut == CUT_LOOSE ? alt : recorded;
	struct pieces pieces = split_cut(k, cut, split_longest(k, longest));

	return tally_pieces(k, alt, &pieces);
}

/*
 * PWC and the 32 pages of one PMD: freed tables or a range, which ask the ceiling, or
 * flush_tlb_collapsed_pmd, which does not, and then perhaps its 2 MiB page by itself.
 */
static bool may_be_collapsed(const struct class_key *k)
{
	return !k->told && k->context == CONTEXT_UNKNOWN && k->pwc && k->shift == 16 &&
	       k->first == 0 && k->pages == pages_per_pmd(k->shift) && k->pages_2m <= 1;
}

static void include_collapsed(struct counts *out, const struct class_key *k,
			      const struct params *alt)
{
	struct class_key collapsed = *k;
	struct class_key huge = *k;
	struct tally t;

	collapsed.entry = ENTRY_COLLAPSED;
	collapsed.pages_2m = 0;
	t = tally_of(&collapsed, alt, k->pages, true);
	if (k->pages_2m) {
		struct tally one;

		huge.entry = ENTRY_PMD;
		huge.pages = 1;
		huge.pages_2m = 0;
		huge.pwc = false;
		huge.shift = PMD_SHIFT;
		one = tally_of(&huge, alt, 1, true);
		tally_add(&t, &one, 1);
	}
	counts_include(out, &t);
}

/*
 * Under a ceiling of 0 it matters whether a page came by flush_tlb_page(), which asks none; without
 * a probe both are possible wherever one page can be a request.
 */
static void include_pages(struct counts *out, const struct class_key *k, const struct params *alt)
{
	struct class_key page = *k;
	struct tally one;
	struct tally t = { .n = { 0 } };

	if (k->told || k->pwc || k->entry == ENTRY_RANGE || split_longest(k, alt) > 0 ||
	    (k->pages > 1 && !k->may_hide))
		return;
	page.told = true;
	page.entry = ENTRY_PAGE;
	one = tally_of(&page, alt, 1, true);
	tally_add(&t, &one, k->pages);
	counts_include(out, &t);
	page.entry = ENTRY_GATHER;
	one = tally_of(&page, alt, 1, true);
	t = (struct tally){ .n = { 0 } };
	tally_add(&t, &one, k->pages);
	counts_include(out, &t);
}

/* Requests of `size` pages, and what is left over. */
static struct tally tally_sized(const struct class_key *k, const struct params *alt, uint64_t size)
{
	struct pieces pieces = { .n = 0 };

	if (k->pages / size)
		pieces.p[pieces.n++] = (struct piece){ size, k->pages / size };
	if (k->pages % size)
		pieces.p[pieces.n++] = (struct piece){ k->pages % size, 1 };
	return tally_pieces(k, alt, &pieces);
}

/* The fewest requests that the recorded ceiling allows, of sizes as equal as can be. */
static struct tally tally_fewest(const struct class_key *k, const struct params *alt,
				 uint64_t longest)
{
	uint64_t requests = k->pages > longest ? (k->pages - 1) / longest + 1 : 1;
	uint64_t longer = k->pages % requests;
	struct pieces pieces = { .n = 0 };

	pieces.p[pieces.n++] = (struct piece){ k->pages / requests, requests - longer };
	if (longer)
		pieces.p[pieces.n++] = (struct piece){ k->pages / requests + 1, longer };
	return tally_pieces(k, alt, &pieces);
}

/* The most pages that one recorded request by address can have had, whatever ceiling is assumed. */
static uint64_t most_pages(const struct class_key *k, const struct model *recorded)
{
	uint64_t used = split_longest(k, &recorded->used);
	uint64_t most = recorded->fact[split_ceiling(k, &recorded->used)].hi;

	if (most < used)
		most = used;
	return most < k->pages ? most : k->pages;
}

/*
 * The ends of what any cut can cost: the fewest requests, those as long as they were recorded, and
 * those that the policy promotes most often, each one page longer than its ceiling.
 */
static void include_extremes(struct counts *out, const struct class_key *k,
			     const struct params *alt, const struct model *recorded)
{
	uint64_t longest = split_longest(k, &recorded->used);
	uint64_t most = most_pages(k, recorded);
	struct tally t;

	if (longest == 0)
		longest = 1;
	t = tally_fewest(k, alt, most ? most : 1);
	counts_include(out, &t);
	t = tally_sized(k, alt, longest);
	counts_include(out, &t);
	if (split_longest(k, alt) < longest) {
		t = tally_sized(k, alt, split_longest(k, alt) + 1);
		counts_include(out, &t);
	}
}

/* The pages before a second pass's first PMD, as one request of their own, and as several. */
static void include_head(struct counts *out, const struct class_key *k, const struct params *alt)
{
	uint64_t pages = split_head(k);
	struct class_key head = *k;
	struct class_key rest = *k;
	struct tally whole, one, t;

	if (pages == 0)
		return;
	head.pages_2m = 0;
	rest.pages -= pages;
	rest.first = 0;
	t = whole = tally_of(&rest, alt, rest.pages, true);
	one = tally_of(&head, alt, pages, true);
	tally_add(&t, &one, 1);
	counts_include(out, &t);
	one = tally_of(&head, alt, 1, true);
	tally_add(&whole, &one, pages);
	counts_include(out, &whole);
}

/* One request, longer than the ceiling that is assumed: not where the ceiling is known. */
static void include_uncut(struct counts *out, const struct class_key *k, const struct params *alt,
			  const struct model *model)
{
	const struct param_fact *ceiling = &model->fact[split_ceiling(k, &model->used)];
	struct tally t;

	if (ceiling->hi < k->pages)
		return;
	t = tally_of(k, alt, k->pages, true);
	counts_include(out, &t);
}

static struct counts predict_pages(const struct class_key *k, const struct params *alt,
				   const struct model *model, const struct call_evidence *calls)
{
	const struct params *recorded = &model->used;
	struct split split = split_of(k, recorded, calls);
	struct tally t = tally_cut(k, alt, recorded, split.likely);
	struct counts out = counts_exact(&t);

	if (may_be_collapsed(k))
		include_collapsed(&out, k, alt);
	include_pages(&out, k, alt);
	include_head(&out, k, alt);
	if (split.may_be_raised)
		include_uncut(&out, k, alt, model);
	if (split.other == split.likely)
		return out;
	if (split.other != CUT_ANY) {
		t = tally_cut(k, alt, recorded, split.other);
		counts_include(&out, &t);
		return out;
	}
	for (enum cut cut = CUT_WHOLE; cut <= CUT_SINGLES; cut++) {
		t = tally_cut(k, alt, recorded, cut);
		counts_include(&out, &t);
	}
	include_extremes(&out, k, alt, model);
	return out;
}

/* Where a gather may have covered more than is known of it, it may have been promoted. */
static void include_gather(struct counts *out, const struct class_key *k, const struct params *alt,
			   const struct params *recorded, const struct call_evidence *calls)
{
	struct class_key all = *k;
	struct tally t;

	if (alt->v[PARAM_PROMOTE] != PROMOTE_ENTIRE_RANGE ||
	    !(k->call_open || k->call_pages == CALL_PAGES_MOST))
		return;
	all.call_pages = UINT32_MAX;
	t = tally_cut(&all, alt, recorded, split_of(k, recorded, calls).likely);
	counts_include(out, &t);
}

/* Which pages flush_tlb_range() was asked for matters under range=mm, and where long ranges gain a
 * flush of the page walk cache. */
static void include_range(struct counts *out, const struct class_key *k, const struct params *alt,
			  const struct model *recorded, const struct call_evidence *calls)
{
	enum split_range reading = split_range_of(k, recorded);
	struct class_key range = *k;
	struct counts n;

	if (reading == SPLIT_RANGE_TOLD ||
	    (alt->v[PARAM_RANGE] != RANGE_MM && alt->v[PARAM_PWC] == recorded->used.v[PARAM_PWC]))
		return;
	range.entry = ENTRY_RANGE;
	n = predict_pages(&range, alt, recorded, calls);
	if (reading == SPLIT_RANGE_YES) {
		*out = n;
		return;
	}
	counts_include_both(out, &n);
}

/* A promoted range that a probe told. */
static struct tally tally_told(const struct class_key *k, const struct params *alt)
{
	struct radix_request r = request_of(k, k->pages, true);

	return tally_request(k, alt, &r);
}

/* A promoted range of so many pages, had it been asked under this policy. */
static struct tally tally_unpromoted(const struct class_key *k, const struct params *alt,
				     uint64_t pages, bool range, bool tables)
{
	unsigned shift = alt->v[PARAM_PAGE_SIZE] == 4096 ? 12 : 16;
	struct radix_request r = {
		.pages = pages,
		.pages_2m = range ? (pages << shift) >> PMD_SHIFT : 0,
		/* it may have been a gather beside another one */
		.pages_1g = range && k->shape == SHAPE_ALL ? (pages << shift) >> PUD_SHIFT : 0,
		.range = range,
		.long_range = pages << shift >= PMD_BYTES,
		.tables = tables,
		.local = k->local,
	};

	return tally_request(k, alt, &r);
}

/*
 * The fewest pages that a promoted request can have had. The ceiling that was recorded is perhaps
 * not known, only bounded from below; under that very ceiling the flush was promoted all the same,
 * but the same number, named, may be another ceiling.
 */
static uint64_t least_promoted(const struct class_key *k, const struct params *alt,
			       const struct model *recorded)
{
	struct params least = recorded->used;

	if (split_longest(k, alt) != split_longest(k, &recorded->used) ||
	    params_is_named(alt, split_ceiling(k, alt))) {
		least.v[PARAM_CEILING] = recorded->fact[PARAM_CEILING].lo;
		least.v[PARAM_LOCAL_CEILING] = recorded->fact[PARAM_LOCAL_CEILING].lo;
	}
	return split_longest(k, &least) + 1;
}

/* What a promoted request of `from` to `to` pages can cost where it is not promoted. */
static void include_unpromoted(struct counts *out, const struct class_key *k,
			       const struct params *alt, uint64_t from, uint64_t to, bool tables)
{
	struct tally t = tally_unpromoted(k, alt, from, false, tables);

	counts_include(out, &t);
	t = tally_unpromoted(k, alt, to, false, tables);
	counts_include(out, &t);
}

/*
 * A flush of the whole PID: a promoted range of unknown length, or a request for the whole mm.
 * Under ceilings at or below the recorded one it stays what it is; above, only bounds are known.
 */
static struct counts predict_whole_pid(const struct class_key *k, const struct params *alt,
				       const struct model *recorded)
{
	bool nests = split_nests_by_range(k, alt, &recorded->used);
	uint64_t from = nests ? 1 : least_promoted(k, alt, recorded);
	uint64_t limit = split_longest(k, alt);
	uint64_t to = k->pages_max < limit ? k->pages_max : limit;
	bool promoted = k->context == CONTEXT_CALL && !split_is_fixed(k) && !k->told;
	bool tables = k->shape == SHAPE_ALL;
	struct tally t = radix_whole_pid(alt, k->local);
	struct counts out;

	if (k->told && k->pages) {
		t = tally_told(k, alt);
		return counts_exact(&t);
	}
	t.n[COUNT_PROMOTED] = promoted;
	out = counts_exact(&t);
	if (!promoted && k->context == CONTEXT_UNKNOWN && !split_is_fixed(k) && !k->irq)
		out.hi.n[COUNT_PROMOTED] = 1;
	if ((split_is_fixed(k) && !nests) || from > to)
		return out;
	out.open = true;
	if (promoted && k->pages_max <= limit) {
		t = tally_unpromoted(k, alt, to, false, tables);
		out = counts_exact(&t);
		out.open = true;
	}
	include_unpromoted(&out, k, alt, from, to, tables);
	/* A gather that met another was full-mm, tables or not. */
	if (nests)
		include_unpromoted(&out, k, alt, from, to, false);
	/* flush_tlb_range adds a second pass; whether it was one a promoted flush does not tell. */
	t = tally_unpromoted(k, alt, to, true, false);
	counts_include(&out, &t);
	return out;
}

/* Any request that a guest may have sent by a hypervisor call, which costs the same for all: from
 * one instruction to the longest range that the ceiling allows, of either kind. */
static struct counts any_request(const struct class_key *k, const struct params *alt)
{
	unsigned shift = alt->v[PARAM_PAGE_SIZE] == 4096 ? 12 : 16;
	uint64_t pmd_pages = pages_per_pmd(shift);
	uint64_t longest = split_longest(k, alt);
	const struct radix_request requests[] = {
		{ .pages = longest, .tables = true, .local = k->local },
		{ .pages = longest,
		  .pages_2m = longest / pmd_pages,
		  .range = true,
		  .long_range = longest >= pmd_pages,
		  .local = k->local },
		/* flush_tlb_collapsed_pmd() */
		{ .pages = pmd_pages, .tables = true, .unlimited = shift == 16, .local = k->local },
	};
	struct tally t = radix_whole_pid(alt, k->local);
	struct counts out = counts_exact(&t);

	out.open = true;
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		t = radix_range(alt, &requests[i]);
		counts_include(&out, &t);
	}
	if (!k->local) {
		t = radix_kernel(alt);
		counts_include(&out, &t);
	}
	return out;
}

/* What a hypervisor call was for, carried out by instructions: told by a probe, or anything. */
static struct counts called_request(const struct class_key *k, const struct params *alt)
{
	struct tally t = radix_whole_pid(alt, k->local);

	if (!k->told)
		return any_request(k, alt);
	if (k->pages)
		t = tally_told(k, alt);
	else if (k->entry == ENTRY_KERNEL && !k->local)
		t = radix_kernel(alt);
	return counts_exact(&t);
}

/*
 * H_RPT_INVALIDATE. Which fixups a broadcast would have had a guest that makes none does not show:
 * all that the machine may have, unless the policy names them.
 */
static struct counts predict_hcall(const struct class_key *k, const struct params *alt,
				   const struct model *recorded)
{
	bool is_call = !k->local && !alt->v[PARAM_GTSE] && alt->v[PARAM_TARGET] == TARGET_RECORDED;
	const struct param_fact *fact = &recorded->fact[PARAM_FIXUPS];
	struct params other = *alt;
	struct tally call = radix_whole_pid(alt, false);
	struct counts out;

	if (is_call)
		return counts_exact(&call);
	out = called_request(k, alt);
	if (alt->v[PARAM_FIXUPS] != recorded->used.v[PARAM_FIXUPS])
		return out;
	for (uint64_t fixups = fact->lo; fixups <= fact->hi && fixups <= FIXUPS_OLD; fixups++) {
		struct counts one;

		other.v[PARAM_FIXUPS] = fixups;
		one = called_request(k, &other);
		counts_include_both(&out, &one);
	}
	return out;
}

static struct counts predict_shape(const struct class *c, const struct params *alt,
				   const struct model *recorded, const struct call_evidence *calls)
{
	const struct class_key *k = &c->key;
	struct counts out;
	struct tally t;

	switch ((enum flush_shape)k->shape) {
	case SHAPE_VA:
		out = predict_pages(k, alt, recorded, calls);
		include_gather(&out, k, alt, &recorded->used, calls);
		include_range(&out, k, alt, recorded, calls);
		return out;
	case SHAPE_PID:
	case SHAPE_ALL:
		return predict_whole_pid(k, alt, recorded);
	case SHAPE_PWC:
		t = radix_pwc(alt, k->local);
		break;
	case SHAPE_KERNEL:
		t = k->local ? radix_whole_pid(alt, true) : radix_kernel(alt);
		break;
	case SHAPE_HCALL:
		return predict_hcall(k, alt, recorded);
	case SHAPE_X86:
		return x86_predict(&k->x86, alt, recorded);
	default:
		t = class_recorded(c);
		break;
	}
	return counts_exact(&t);
}

/* With tlbie off the mask decides which ceiling was asked: where it does not tell, either. */
static void include_other_share(struct counts *out, const struct class *c, const struct params *alt,
				const struct model *recorded, const struct call_evidence *calls)
{
	unsigned kind = params_trim_kind(&recorded->used);
	struct class other = *c;
	struct counts n;

	if (!split_share_unsure(&c->key, &recorded->used))
		return;
	other.key.scope[kind] = split_is_share(&c->key, &recorded->used) ? MACHINE_LOCAL
									 : MACHINE_GLOBAL;
	n = predict_shape(&other, alt, recorded, calls);
	counts_include_both(out, &n);
}

struct counts predict_class(const struct class *c, const struct params *alt,
			    const struct model *recorded, const struct call_evidence *calls)
{
	struct counts out;

	/* Only POWER makes CPUs leave an mm's mask. */
	if (alt->v[PARAM_TARGET] != TARGET_RECORDED && c->key.irq)
		return (struct counts){ .open = false };
	out = predict_shape(c, alt, recorded, calls);
	include_other_share(&out, c, alt, recorded, calls);
	if (!c->key.irq || c->key.shape == SHAPE_X86)
		return out;
	out.lo.n[COUNT_IPIS] = out.lo.n[COUNT_FLUSHES];
	out.likely.n[COUNT_IPIS] = out.likely.n[COUNT_FLUSHES];
	out.hi.n[COUNT_IPIS] = out.hi.n[COUNT_FLUSHES];
	return out;
}

/* The recorded policy under the likely reading, in the counters that a recording has. */
static struct tally replay_class(const struct class *c, const struct model *recorded,
				 const struct call_evidence *calls)
{
	if (c->key.shape == SHAPE_X86)
		return x86_replay(&c->key.x86, recorded);
	return predict_class(c, &recorded->used, recorded, calls).likely;
}

static bool same_instructions(const struct tally *a, const struct tally *b)
{
	for (size_t i = COUNT_TLBIE; i <= COUNT_TLBIEL; i++)
		if (a->n[i] != b->n[i])
			return false;
	return a->n[COUNT_HCALLS] == b->n[COUNT_HCALLS] &&
	       a->n[COUNT_INVLPG] == b->n[COUNT_INVLPG] &&
	       a->n[COUNT_CR3_WRITES] == b->n[COUNT_CR3_WRITES];
}

bool predict_replays(const struct class *c, const struct model *recorded,
		     const struct call_evidence *calls)
{
	struct tally was = class_recorded(c);
	struct tally now = replay_class(c, recorded, calls);

	return same_instructions(&was, &now);
}

void predict_fidelity(struct fidelity *f, const struct trace *t, const struct model *recorded,
		      predict_filter filter, void *arg)
{
	const struct class *c = NULL;

	*f = (struct fidelity){ .flushes = 0 };
	while ((c = class_next_counted(t->classes, c))) {
		const struct call_evidence *calls = class_calls(t->classes, c->key.mm, c->key.cause);
		struct tally was = class_recorded(c);
		struct tally now;

		if (filter && !filter(arg, c))
			continue;
		if (c->key.asked) {
			was = stateful_recorded(c, recorded, calls);
			f->asked += c->count;
			f->known[split_known(&c->key, &recorded->used, calls)] += c->count;
			tally_add(&f->recorded, &was, 1);
			continue;
		}
		tally_add(&f->recorded, &was, c->count);
		if (c->key.shape == SHAPE_FOREIGN) {
			f->unmodelled += c->count;
			continue;
		}
		now = replay_class(c, recorded, calls);
		f->flushes += c->count;
		if (same_instructions(&was, &now))
			f->exact += c->count;
		tally_add(&f->replayed, &now, c->count);
		f->known[split_known(&c->key, &recorded->used, calls)] += c->count;
	}
}
