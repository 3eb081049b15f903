/* SPDX-License-Identifier: GPL-2.0-or-later */
/* radix.c - what a request costs on the radix MMU. */
#include "replay/radix.h"

#include "replay/target.h"

/* tlbie that one fixup adds: e + q of policies 1.6. */
static uint64_t fixups(const struct params *p)
{
	switch (p->v[PARAM_FIXUPS]) {
	case FIXUPS_NONE:
		return 0;
	case FIXUPS_ERAT_STQ:
		return 2;
	default:
		return 1;
	}
}

/*
 * Barriers of a broadcast: ptesync, the operations with one more ptesync before each fixup, then
 * one eieio; tlbsync; ptesync.
 */
static void barriers_global(struct tally *t, uint64_t fixup_records)
{
	t->n[COUNT_PTESYNC] = 1 + fixup_records;
	t->n[COUNT_TLBSYNC] = 1;
}

/* Before v4.15 each page was an operation of its own, with barriers and, where a stable kernel had
 * them, fixups. */
static void each_by_itself(struct tally *t, uint64_t pages, bool local, uint64_t fixups_each)
{
	t->n[COUNT_TLBIE_FIXUP] = local ? 0 : pages * fixups_each;
	t->n[COUNT_PTESYNC] = pages * (local ? 2 : 1 + fixups_each);
	t->n[COUNT_TLBSYNC] = local ? 0 : pages;
}

/* Without GTSE whatever is broadcast is one hypervisor call, ceilings or not (policies 2.8). */
static bool is_hcall(const struct params *p, bool local)
{
	return !local && !p->v[PARAM_GTSE] && p->v[PARAM_TARGET] == TARGET_RECORDED;
}

static struct tally hcall(void)
{
	return (struct tally){ .n = { [COUNT_FLUSHES] = 1, [COUNT_HCALLS] = 1 } };
}

static struct tally finish(const struct params *p, struct tally t)
{
	t.n[COUNT_FLUSHES] = 1;
	t.n[COUNT_IPIS] = p->by_ipi;
	tally_sum_tlbie(&t);
	return t;
}

struct tally radix_whole_pid(const struct params *p, bool local)
{
	struct tally t = { .n = { 0 } };

	if (p->v[PARAM_TARGET] != TARGET_RECORDED)
		return target_whole(p);
	if (is_hcall(p, local))
		return hcall();
	if (local) {
		t.n[COUNT_TLBIEL] = p->v[PARAM_SETS];
		t.n[COUNT_PTESYNC] = 2;
		return finish(p, t);
	}
	t.n[COUNT_TLBIE_PID] = 1;
	t.n[COUNT_TLBIE_FIXUP] = fixups(p);
	barriers_global(&t, fixups(p));
	return finish(p, t);
}

struct tally radix_kernel(const struct params *p)
{
	struct tally t = { .n[COUNT_TLBIE_KERNEL] = 1, .n[COUNT_TLBIE_FIXUP] = fixups(p) };

	if (p->v[PARAM_TARGET] != TARGET_RECORDED)
		return target_whole(p);
	if (is_hcall(p, false))
		return hcall();
	barriers_global(&t, fixups(p));
	return finish(p, t);
}

struct tally radix_pwc(const struct params *p, bool local)
{
	/* Only the fixup of v4.16 to v5.2 follows a PWC flush. */
	uint64_t fixup = p->v[PARAM_FIXUPS] == FIXUPS_OLD;
	struct tally t = { .n = { 0 } };

	if (p->v[PARAM_TARGET] != TARGET_RECORDED)
		return target_whole(p);
	if (is_hcall(p, local))
		return hcall();
	if (local) {
		t.n[COUNT_TLBIEL] = 1;
		t.n[COUNT_PTESYNC] = 2;
	} else {
		t.n[COUNT_TLBIE_PWC] = 1;
		t.n[COUNT_TLBIE_FIXUP] = fixup;
		barriers_global(&t, fixup);
	}
	return finish(p, t);
}

bool radix_promotes(const struct params *p, const struct radix_request *r)
{
	uint64_t ceiling = p->v[r->local ? PARAM_LOCAL_CEILING : PARAM_CEILING];
	uint64_t pages = r->pages;

	if (r->unlimited)
		return false;
	if (r->range && p->v[PARAM_RANGE] == RANGE_MM)
		return true;
	if (r->tables && p->v[PARAM_TABLES] == TABLES_ALL)
		return true;
	/* Seed 000's title: "Upgrade va tlbie to PID tlbie if we cross PMD_SIZE". */
	if (p->v[PARAM_PROMOTE] == PROMOTE_PMD && !r->local && r->pages > 1 && r->long_range)
		return true;
	/* Offered in seed 000's thread: a gather tells what it covers before its batches. */
	if (p->v[PARAM_PROMOTE] == PROMOTE_ENTIRE_RANGE && r->gather > pages)
		pages = r->gather;
	/* Seed 000's patch changes the comparison of the global ceiling only. */
	if (p->v[PARAM_COMPARE] == COMPARE_GE && !r->local)
		return pages >= ceiling;
	return pages > ceiling;
}

/* With tlbie off each further pass is a round of IPIs by itself, and flushes the page walk cache again. */
static void add_round(struct tally *t, bool pwc)
{
	t->n[COUNT_TLBIEL] += pwc;
	t->n[COUNT_PTESYNC] += 2;
	t->n[COUNT_IPIS]++;
}

static struct tally by_address(const struct params *p, const struct radix_request *r)
{
	bool nested = p->v[PARAM_ERA] == ERA_V4_18 || p->v[PARAM_ERA] == ERA_V5_4;
	uint64_t second = r->range && p->v[PARAM_THP_PASS] ? r->pages_2m : 0;
	uint64_t third = second && nested ? r->pages_1g : 0;
	uint64_t pages = r->pages + second + third;
	bool pwc = r->tables || (r->range && r->long_range && p->v[PARAM_PWC]);
	uint64_t rounds = UINT64_C(1) + !!second + !!third;
	uint64_t passes = p->v[PARAM_FIXUPS] == FIXUPS_OLD ? 1 : rounds;
	struct tally t = { .n = { 0 } };

	if (r->local) {
		t.n[COUNT_TLBIEL] = pwc + pages;
		t.n[COUNT_PTESYNC] = 2;
	} else {
		t.n[COUNT_TLBIE_VA] = pages;
		t.n[COUNT_TLBIE_PWC] = pwc;
		t.n[COUNT_TLBIE_FIXUP] = passes * fixups(p);
		barriers_global(&t, passes * fixups(p));
	}
	if (p->v[PARAM_BARRIERS] == BARRIERS_PAGE)
		each_by_itself(&t, pages, r->local, fixups(p));
	t = finish(p, t);
	while (p->by_ipi && --rounds)
		add_round(&t, pwc);
	return t;
}

struct tally radix_range(const struct params *p, const struct radix_request *r)
{
	struct tally t;

	if (is_hcall(p, r->local))
		return hcall();
	if (!radix_promotes(p, r))
		return p->v[PARAM_TARGET] == TARGET_RECORDED ? by_address(p, r)
							     : target_pages(p, r->pages);
	t = radix_whole_pid(p, r->local);
	t.n[COUNT_PROMOTED] = 1;
	return t;
}
