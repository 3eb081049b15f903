/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h - how many requests the pages of a class were: the readings that the trace leaves open.
 *
 * On POWER10, and for every local flush, nothing in the records stands between two requests whose
 * ranges touch. Once the recorded ceilings are known, what the kernel can have done narrows down;
 * docs/model explains the rules, and policies 9.2 and 14 are their specification.
 */
#ifndef TLBTRACE_SPLIT_H
#define TLBTRACE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/class.h"
#include "analyze/params.h"

/* Ways to cut the pages of a class into requests. */
enum cut {
	CUT_WHOLE,   /* one request, or as few as the ceiling allows, cut at PMD edges */
	CUT_PMD,     /* one request per PMD */
	CUT_SINGLES, /* one request per page */
	CUT_LOOSE,   /* one request per PMD, but for one PMD in 128, which takes two */
	CUT_ANY,     /* anywhere; only bounds can be given */
};

/* Which cuts are possible, and which is taken where one must be. */
struct split {
	enum cut likely;
	enum cut other; /* a second possible cut; equal to likely where there is none */
	enum flush_known known;
	unsigned may_be_raised; /* or one request, longer than the ceiling that is assumed, had somebody
				 * raised it */
};

/* A few sizes of request, each so many times: what one cut makes of a class's pages. */
struct piece {
	uint64_t pages;
	uint64_t times;
};

struct pieces {
	struct piece p[5];
	unsigned n;
};

/* All that split_of() asks of the calls: where it is the same, so are the readings. */
struct split_evidence {
	bool traced;
	bool whole; /* calls of this kind here made one request each */
};

struct split_evidence split_evidence(const struct call_evidence *calls);

/* The readings of a SHAPE_VA class, given what is known of the recorded kernel and of the calls of
 * its kind in its mm. */
struct split split_of(const struct class_key *k, const struct params *recorded,
		      const struct call_evidence *calls);

/*
 * Whether it may be a gather that another one made full-mm inside a call (mm_tlb_flush_nested()). Where
 * no probe tells, any flush of the whole PID with its page tables may be one, unless the masks' follower
 * saw nobody to meet.
 */
bool split_may_have_met(const struct class_key *k, const struct params *recorded);

/*
 * Whether such a gather has its range under `alt`, which nothing tells: radix__tlb_flush() and
 * tlb_finish_mmu() before v5.9 kept it; and under a higher ceiling flushes take other times, so that it
 * may meet none (docs/validation.md, ranges_c8.truth under 512).
 */
bool split_nests_by_range(const struct class_key *k, const struct params *alt,
			  const struct params *recorded);

/*
 * Whether base pages without a second pass were asked for by flush_tlb_range(): shorter ranges look as
 * those of a gather, or as pages, do. exec flushes one page so, mprotect as model.mprotect says, and
 * mremap what it moves; a fault flushes its page by flush_tlb_page().
 */
enum split_range {
	SPLIT_RANGE_TOLD, /* as the class's entry says */
	SPLIT_RANGE_YES,
	SPLIT_RANGE_MAYBE,
};

enum split_range split_range_of(const struct class_key *k, const struct model *recorded);

/* True where the whole PID was flushed whatever the ceilings: no range was promoted, as far as
 * known. */
bool split_is_fixed(const struct class_key *k);

/*
 * Pages before the first whole PMD of a range with a second pass that may have been flushed by another
 * request, as no mark stands between: mremap before v5.14 does so. 0: none.
 */
uint64_t split_head(const struct class_key *k);

/* How well the extent of the requests of a class of any shape is known. */
enum flush_known split_known(const struct class_key *k, const struct params *recorded,
			     const struct call_evidence *calls);

/*
 * The requests that cut (not CUT_ANY) makes, none longer than `longest` pages where it can help it.
 * CUT_LOOSE cuts so that most pages of its PMDs are not longer than that: with the longest request of
 * the policy that is priced, an upper bound.
 */
struct pieces split_cut(const struct class_key *k, enum cut cut, uint64_t longest);

/*
 * A CPU's part in a multicast flush (tlbie off): an IPI handler's, or the initiator's own, which the
 * mask tells from a flush that was local anyway. It is local code, but the global ceiling was asked.
 */
bool split_is_share(const struct class_key *k, const struct params *p);

/* With tlbie off: the mask does not tell whether others had a part in this task's flush. */
bool split_share_unsure(const struct class_key *k, const struct params *p);

/* Which of the two ceilings decides for this class under p. */
enum param split_ceiling(const struct class_key *k, const struct params *p);

/* The ceiling that decides for this class: the most pages that one request by address can have. */
uint64_t split_longest(const struct class_key *k, const struct params *p);

#endif
