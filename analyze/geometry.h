/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.h - page and PMD arithmetic of a flushed range, as the radix MMU code does it.
 *
 * Addresses and lengths are bytes; `shift` is log2 of a page size (12, 16, 21, 30).
 */
#ifndef TLBTRACE_GEOMETRY_H
#define TLBTRACE_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#define PMD_SHIFT 21 /* radix: 2 MiB for 4K and for 64K base pages */
#define PMD_BYTES (UINT64_C(1) << PMD_SHIFT)
#define PUD_SHIFT 30
#define ADDRESS_ALL UINT64_MAX /* end of a range that means the whole mm (TLB_FLUSH_ALL) */

/* What the ceiling is compared with: (end - start) >> shift, rounded down. */
static inline uint64_t range_nr(uint64_t start, uint64_t end, unsigned shift)
{
	return end > start ? (end - start) >> shift : 0;
}

/* How many times the page loop `for (addr = start; addr < end; addr += size)` turns. */
static inline uint64_t range_nva(uint64_t start, uint64_t end, unsigned shift)
{
	if (end <= start)
		return 0;
	return ((end - start - 1) >> shift) + 1;
}

/*
 * Pages of the second, 2 MiB pass of radix__flush_tlb_range (CONFIG_TRANSPARENT_HUGEPAGE): the
 * whole PMDs inside [start, end).
 */
static inline uint64_t range_n2m(uint64_t start, uint64_t end)
{
	uint64_t first;

	if (start > UINT64_MAX - (PMD_BYTES - 1))
		return 0;
	first = (start + PMD_BYTES - 1) >> PMD_SHIFT;
	return first < end >> PMD_SHIFT ? (end >> PMD_SHIFT) - first : 0;
}

/* Base pages in a PMD: 32 of 64K, 512 of 4K; 1 for a 2 MiB page and above. */
static inline uint32_t pages_per_pmd(unsigned shift)
{
	return shift < PMD_SHIFT ? UINT32_C(1) << (PMD_SHIFT - shift) : 1;
}

/* Index of a page within its PMD, in pages of 1 << shift bytes. */
static inline uint32_t page_in_pmd(uint64_t addr, unsigned shift)
{
	return (uint32_t)(addr >> shift) & (pages_per_pmd(shift) - 1);
}

/* PMDs that a run of n > 0 pages touches whose first page has index `first` within its PMD. */
static inline uint64_t pmds_touched(uint32_t first, uint64_t n, unsigned shift)
{
	uint32_t per = pages_per_pmd(shift);

	return (first + n - 1) / per + 1;
}

#endif
