/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target.c - arm64 and riscv. */
#include "replay/target.h"

/* MAX_DVM_OPS: entries of one page table, 512 with 4K pages and 8192 with 64K. */
static uint64_t arm64_max_ops(const struct params *p)
{
	return p->v[PARAM_PAGE_SIZE] / 8;
}

void target_set(struct params *p, unsigned target)
{
	uint64_t ceiling = 64; /* tlb_flush_all_threshold of riscv: more is everything */

	if (target == TARGET_ARM64)
		ceiling = arm64_max_ops(p) - 1; /* from that many on: everything */
	else if (target == TARGET_ARM64_RANGE)
		ceiling = UINT64_C(1) << 21; /* MAX_TLBI_RANGE_PAGES, ">" as in v6.17 */
	p->v[PARAM_TARGET] = target;
	p->v[PARAM_CEILING] = ceiling;
	p->v[PARAM_LOCAL_CEILING] = ceiling;
	p->v[PARAM_COMPARE] = COMPARE_GT;
	p->v[PARAM_RANGE] = RANGE_VA;
	p->v[PARAM_TABLES] = TABLES_PWC;
	p->v[PARAM_FIXUPS] = FIXUPS_NONE;
}

uint64_t target_range_ops(uint64_t pages)
{
	/* One operation per scale with a non-zero 5-bit digit, one more for an odd page. */
	uint64_t ops = pages & 1;

	for (unsigned shift = 1; shift < 21; shift += 5)
		ops += ((pages >> shift) & 31) != 0;
	return ops;
}

static struct tally arm64(const struct params *p, uint64_t tlbi)
{
	/* With KPTI each goes to the user's ASID as well. dsb ishst before, dsb ish behind. */
	uint64_t asids = p->v[PARAM_PTI] == PTI_OFF ? 1 : 2;

	return (struct tally){
		.n = { [COUNT_FLUSHES] = 1, [COUNT_TLBI] = tlbi * asids, [COUNT_DSB] = 2 },
	};
}

static struct tally riscv(uint64_t sfence)
{
	return (struct tally){ .n = { [COUNT_FLUSHES] = 1, [COUNT_SFENCE] = sfence } };
}

struct tally target_pages(const struct params *p, uint64_t pages)
{
	switch (p->v[PARAM_TARGET]) {
	case TARGET_ARM64_RANGE:
		/* Exactly 2^21 pages need two of the largest operation. */
		return arm64(p, pages < UINT64_C(1) << 21 ? target_range_ops(pages) : 2);
	case TARGET_RISCV:
		return riscv(pages);
	default:
		return arm64(p, pages);
	}
}

struct tally target_whole(const struct params *p)
{
	return p->v[PARAM_TARGET] == TARGET_RISCV ? riscv(1) : arm64(p, 1);
}
