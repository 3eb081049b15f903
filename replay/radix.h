/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * radix.h - the flush code of the radix MMU as arithmetic: policies 2.4, 2.5 and 2.6.
 *
 * Models arch/powerpc/mm/book3s64/radix_tlb.c, v4.13 to v6.17, by the switches of params.h.
 */
#ifndef TLBTRACE_REPLAY_RADIX_H
#define TLBTRACE_REPLAY_RADIX_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/count.h"
#include "analyze/params.h"

/* One request to flush a range of one page size. */
struct radix_request {
	uint64_t pages;	   /* of the base loop: nva; also what the ceiling is compared with (nr) */
	uint64_t pages_2m; /* whole PMDs inside; flushed again only by range requests */
	uint64_t pages_1g; /* whole PUDs inside, of a gather beside another one: v4.18 to v5.8 made
			    * that a range request with a third pass */
	bool range;	   /* flush_tlb_range: with the 2 MiB pass, and PWC from 2 MiB on */
	bool long_range;   /* range of 2 MiB or more */
	bool tables;	   /* page tables were freed: the page walk cache goes too */
	bool unlimited;	   /* flush_tlb_collapsed_pmd on 64K pages: no ceiling is asked */
	bool local;
	uint64_t gather; /* pages of the whole gather that it is a batch of; 0: itself */
};

/* True where the request is carried out as a flush of the whole PID. */
bool radix_promotes(const struct params *p, const struct radix_request *r);

/* What the request costs. */
struct tally radix_range(const struct params *p, const struct radix_request *r);

/* flush_tlb_mm, flush_all_mm: the whole PID, whatever the ceilings. */
struct tally radix_whole_pid(const struct params *p, bool local);

/* flush_tlb_kernel_range with tlbie: the range is ignored. */
struct tally radix_kernel(const struct params *p);

/* A page walk cache flush alone. */
struct tally radix_pwc(const struct params *p, bool local);

#endif
