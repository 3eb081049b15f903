/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split.c - readings of a class's pages as requests. */
#include "analyze/split.h"

#include "analyze/geometry.h"
#include "analyze/observer.h"

#define LOOSE_PMDS 128u

bool split_is_share(const struct class_key *k, const struct params *p)
{
	unsigned scope = k->scope[params_trim_kind(p)] & MACHINE_SCOPE;

	return k->irq || (k->local && !p->v[PARAM_TLBIE] && scope == MACHINE_GLOBAL);
}

bool split_share_unsure(const struct class_key *k, const struct params *p)
{
	return k->local && !k->irq && !p->v[PARAM_TLBIE] &&
	       (k->scope[params_trim_kind(p)] & MACHINE_UNSURE);
}

enum param split_ceiling(const struct class_key *k, const struct params *p)
{
	return !k->local || split_is_share(k, p) ? PARAM_CEILING : PARAM_LOCAL_CEILING;
}

uint64_t split_longest(const struct class_key *k, const struct params *p)
{
	bool global = split_ceiling(k, p) == PARAM_CEILING;
	uint64_t ceiling = p->v[global ? PARAM_CEILING : PARAM_LOCAL_CEILING];

	if (global && p->v[PARAM_COMPARE] == COMPARE_GE && ceiling > 0)
		ceiling--;
	return ceiling;
}

static bool crosses_pmd(const struct class_key *k)
{
	return k->shift < PMD_SHIFT && pmds_touched(k->first, k->pages, k->shift) > 1;
}

static struct split certain(enum cut cut, enum flush_known known)
{
	return (struct split){ .likely = cut, .other = cut, .known = known };
}

static struct split open_between(enum cut likely, enum cut other)
{
	return (struct split){ .likely = likely, .other = other, .known = KNOWN_AMBIGUOUS };
}

/*
 * Longer than any request: must be several. Calls that zap cut at PMD edges; where the call is not
 * known, anything may have followed anything.
 */
static struct split split_overlong(const struct class_key *k, uint64_t longest)
{
	bool by_pmd = k->shift < PMD_SHIFT && pages_per_pmd(k->shift) <= longest;
	struct split split;

	if (k->context == CONTEXT_OUTSIDE && !k->pwc)
		return open_between(CUT_SINGLES, CUT_ANY);
	split = open_between(CUT_PMD, k->context == CONTEXT_CALL && by_pmd ? CUT_LOOSE : CUT_ANY);
	/* Of anonymous memory these calls flush all at once. */
	split.may_be_raised = k->cause == CAUSE_MUNMAP || k->cause == CAUSE_MADVISE ||
			      k->cause == CAUSE_MPROTECT || k->cause == CAUSE_BRK;
	return split;
}

struct split_evidence split_evidence(const struct call_evidence *calls)
{
	return (struct split_evidence){
		.traced = calls->traced,
		.whole = calls->promoted_once && !calls->promoted_many,
	};
}

/*
 * munmap, madvise, brk, shmdt, mremap: zap_pte_range() flushes after every PMD in which it cleared
 * a dirty page of a file or shared segment (commit 1cf35d47712d), and once per call otherwise. What
 * the same calls of the mm did where it shows decides; where nothing shows, both are possible.
 *
 * Where a batch is full or the CPU is wanted, a PMD takes two flushes, which nothing shows. Shared
 * segments of 129 PMDs had that once or not at all, so it is allowed for once in 128.
 */
static struct split split_zap(const struct class_key *k, uint64_t longest,
			      const struct call_evidence *calls)
{
	if (k->longest > longest)
		return open_between(CUT_PMD, CUT_LOOSE);
	if (!crosses_pmd(k))
		return certain(CUT_WHOLE, KNOWN_AMBIGUOUS);
	if (k->cause == CAUSE_SHMDT || k->cause == CAUSE_MREMAP)
		return open_between(CUT_PMD, CUT_WHOLE);
	if (split_evidence(calls).whole)
		return certain(CUT_WHOLE, KNOWN_AMBIGUOUS);
	return open_between(CUT_WHOLE, CUT_PMD);
}

static struct split split_by_parts(const struct class_key *k)
{
	switch ((enum flush_parts)k->parts) {
	case PARTS_ONE:
		return certain(CUT_WHOLE, KNOWN_AMBIGUOUS);
	case PARTS_LIKELY_ONE:
		return open_between(CUT_WHOLE, CUT_SINGLES);
	case PARTS_SINGLES:
		return certain(CUT_SINGLES, KNOWN_AMBIGUOUS);
	default:
		return open_between(CUT_SINGLES, CUT_WHOLE);
	}
}

static struct split split_in_call(const struct class_key *k, uint64_t longest,
				  const struct call_evidence *calls)
{
	/* change_protection() flushes once for the whole call, and before v6.0 once per VMA. */
	if (k->cause == CAUSE_MPROTECT)
		return certain(CUT_WHOLE, KNOWN_AMBIGUOUS);
	return split_zap(k, longest, calls);
}

/* Nothing hides inside: the records are one request, if they are all there. */
static struct split split_marked(const struct class_key *k)
{
	/* A second pass may also be a flush_pmd_tlb_range that happens to follow; inside one call
	 * none does behind freed tables. */
	bool two_passes = k->pages_2m && !(k->pwc && k->context == CONTEXT_CALL);

	return certain(CUT_WHOLE, k->partial || two_passes ? KNOWN_AMBIGUOUS : KNOWN_SEEN);
}

struct split split_of(const struct class_key *k, const struct params *recorded,
		      const struct call_evidence *calls)
{
	uint64_t longest = split_longest(k, recorded);

	if (k->told)
		return certain(CUT_WHOLE, KNOWN_TOLD);
	if (!k->may_hide)
		return split_marked(k);
	if (k->shift >= PMD_SHIFT && k->context == CONTEXT_CALL)
		return k->pages > longest ? certain(CUT_SINGLES, KNOWN_AMBIGUOUS)
					  : split_by_parts(k);
	if (k->pages > longest)
		return split_overlong(k, longest);
	if (k->context == CONTEXT_CALL)
		return split_in_call(k, longest, calls);
	/* Faults flush one page each; a gather outside of these calls frees page tables. */
	if (k->context == CONTEXT_OUTSIDE)
		return k->pwc ? certain(CUT_WHOLE, KNOWN_AMBIGUOUS)
			      : open_between(CUT_SINGLES, CUT_WHOLE);
	if (split_evidence(calls).traced && !k->pwc)
		return open_between(CUT_SINGLES, CUT_ANY);
	return open_between(CUT_WHOLE, CUT_ANY);
}

bool split_may_have_met(const struct class_key *k, const struct params *recorded)
{
	unsigned scope = k->scope[TRIM_V6_6];
	bool alone = params_trim_kind(recorded) != TRIM_V6_6 && !k->local &&
		     scope != MACHINE_UNASKED && !(scope & (MACHINE_NESTED | MACHINE_UNSURE));

	if (k->shape != SHAPE_ALL || k->irq)
		return false;
	if (k->told)
		return k->entry == ENTRY_ALL && k->context == CONTEXT_CALL;
	return !split_is_fixed(k) && !alone;
}

bool split_nests_by_range(const struct class_key *k, const struct params *alt,
			  const struct params *recorded)
{
	bool by_range = alt->v[PARAM_ERA] < ERA_V5_9 && alt->v[PARAM_ERA] != recorded->v[PARAM_ERA];
	bool raised = split_longest(k, alt) > split_longest(k, recorded);

	return (by_range || raised) && split_may_have_met(k, recorded);
}

enum split_range split_range_of(const struct class_key *k, const struct model *recorded)
{
	bool call = k->context == CONTEXT_CALL;

	if (k->shape != SHAPE_VA || k->told || k->pwc || k->pages_2m || k->shift >= PMD_SHIFT ||
	    recorded->used.v[PARAM_RANGE] == RANGE_MM)
		return SPLIT_RANGE_TOLD;
	if (k->cause == CAUSE_EXEC && k->pages == 1)
		return SPLIT_RANGE_YES;
	if (call && k->cause == CAUSE_MPROTECT && recorded->mprotect != MPROTECT_EITHER)
		return recorded->mprotect == MPROTECT_RANGE ? SPLIT_RANGE_YES : SPLIT_RANGE_TOLD;
	if (call)
		return k->cause == CAUSE_MPROTECT || k->cause == CAUSE_MREMAP ? SPLIT_RANGE_MAYBE
									      : SPLIT_RANGE_TOLD;
	return k->context == CONTEXT_UNKNOWN || k->pages > 1 ? SPLIT_RANGE_MAYBE : SPLIT_RANGE_TOLD;
}

bool split_is_fixed(const struct class_key *k)
{
	if (k->told)
		return k->pages == 0;
	/* A handler's flush of ric 0 is a part of a multicast flush; with ric 2 it may be a trim. */
	return (k->irq && k->shape != SHAPE_PID) || k->entry == ENTRY_MM || k->entry == ENTRY_ALL ||
	       k->entry == ENTRY_TRIM || k->cause == CAUSE_FORK || k->cause == CAUSE_EXEC ||
	       k->cause == CAUSE_EXIT;
}

enum flush_known split_known(const struct class_key *k, const struct params *recorded,
			     const struct call_evidence *calls)
{
	if (k->shape == SHAPE_VA)
		return split_of(k, recorded, calls).known;
	if (k->told)
		return KNOWN_TOLD;
	if (k->shape == SHAPE_HCALL)
		return KNOWN_CENSORED;
	if (k->shape == SHAPE_X86)
		return k->x86.pages || k->x86.whole ? KNOWN_SEEN : KNOWN_CENSORED;
	if ((k->shape == SHAPE_PID || k->shape == SHAPE_ALL) && !split_is_fixed(k))
		return KNOWN_CENSORED;
	return KNOWN_SEEN;
}

uint64_t split_head(const struct class_key *k)
{
	bool marked = k->told || k->pwc || k->fix_erat || k->fix_stq || k->fix_old;
	uint64_t per = pages_per_pmd(k->shift);

	if (k->shape != SHAPE_VA || k->context != CONTEXT_UNKNOWN || marked || !k->pages_2m ||
	    k->first == 0 || k->first >= per || per - k->first >= k->pages)
		return 0;
	return per - k->first;
}

static void add_piece(struct pieces *out, uint64_t pages, uint64_t times)
{
	if (pages && times)
		out->p[out->n++] = (struct piece){ pages, times };
}

/* Cuts after every `step` pages, counted from the PMD edge before the first page. */
static struct pieces cut_at_edges(const struct class_key *k, uint64_t step)
{
	struct pieces out = { .n = 0 };
	uint64_t offset = k->first % step;
	uint64_t head = step - offset < k->pages ? step - offset : k->pages;
	uint64_t rest = k->pages - head;

	add_piece(&out, head, 1);
	add_piece(&out, step, rest / step);
	add_piece(&out, rest % step, 1);
	return out;
}

/* Pages of the first of two requests of n pages, so that most pages are in one of at most `longest`. */
static uint64_t first_of_two(uint64_t n, uint64_t longest)
{
	if (longest >= n - n / 2)
		return n / 2;
	return longest ? longest : 1;
}

/* At PMD edges, and a few PMDs once more inside. */
static struct pieces cut_loosely(const struct class_key *k, uint64_t per_pmd, uint64_t longest)
{
	struct pieces out = cut_at_edges(k, per_pmd);
	struct piece *most = &out.p[0];
	uint64_t loose;
	uint64_t first;

	for (unsigned i = 1; i < out.n; i++)
		if (out.p[i].pages > most->pages)
			most = &out.p[i];
	first = first_of_two(most->pages, longest);
	loose = (most->times + LOOSE_PMDS - 1) / LOOSE_PMDS;
	if (first == 0 || first >= most->pages)
		return out;
	most->times -= loose;
	add_piece(&out, first, loose);
	add_piece(&out, most->pages - first, loose);
	return out;
}

struct pieces split_cut(const struct class_key *k, enum cut cut, uint64_t longest)
{
	struct pieces out = { .n = 0 };
	uint64_t per_pmd = pages_per_pmd(k->shift);

	switch (cut) {
	case CUT_SINGLES:
		add_piece(&out, 1, k->pages);
		return out;
	case CUT_PMD:
		/* A PMD of 4K pages is more than a local request can have. */
		if (k->may_hide && k->pages > longest && per_pmd > longest && longest)
			return cut_at_edges(k, longest);
		return cut_at_edges(k, per_pmd);
	case CUT_LOOSE:
		return cut_loosely(k, per_pmd, longest);
	default:
		break;
	}
	if (k->pages <= longest || longest == 0 || !k->may_hide)
		add_piece(&out, k->pages, 1);
	else if (longest >= per_pmd)
		return cut_at_edges(k, longest / per_pmd * per_pmd);
	else
		return cut_at_edges(k, longest);
	return out;
}
