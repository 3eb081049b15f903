/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86_share.h - what one request to flush made the CPUs of an x86 machine do (policies 7).
 *
 * The events have page counts but no addresses, and say per CPU whether it went page by page. A
 * request's size is known where a CPU did so, or where the initiator said it before it sent IPIs;
 * one that went over the ceiling is recorded as -1 on every CPU and is censored.
 */
#ifndef TLBTRACE_X86_SHARE_H
#define TLBTRACE_X86_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/count.h"

/* Requests that probes told, where no flush events were recorded. */
enum x86_asked {
	X86_RECORDED,
	X86_ASKED,
	X86_ASKED_CROWDED, /* beside another of the mm: CPUs may be a generation behind, or ahead */
};

struct x86_share {
	uint64_t pages;	    /* asked for, in units of the stride; 0 unknown, or the whole mm */
	uint64_t pages_max; /* pages is 0: no more than this was asked for; UINT64_MAX no bound */
	uint32_t partial_cpus; /* that invalidated page by page: `pages` each; asked: that flush for
				* certain, the own CPU and those that have run the mm since its last
				* request */
	uint32_t full_cpus; /* that flushed everything; asked: that may have flushed beside those */
	/*
	 * IPIs that were sent: between these, and usual where each CPU that is known to have
	 * flushed was interrupted for it.
	 */
	uint32_t ipis_min;
	uint32_t ipis_usual;
	uint32_t ipis_max;
	uint32_t mask_max; /* other CPUs that mm_cpumask can have named, lazy ones included */
	uint8_t shift;	   /* log2 of the stride in bytes, as far as it shows; else 12 */
	uint8_t asked;	   /* enum x86_asked */
	bool sent;	   /* the initiator recorded that it sends IPIs (reason 4) */
	bool promoted;	 /* …for everything: the size of a request over the ceiling is not kept */
	bool whole;	 /* the whole mm was asked for, or the flush is a batch of reclaim */
	bool batch;	 /* arch_tlbbatch_flush: of several mms */
	bool orphan;	 /* a receiver's share; its request is not in the trace */
	bool ipis_known; /* ipi:* events were recorded: ipis_min are the IPIs */
};

/* Compared and hashed as bytes in class keys. */
_Static_assert(sizeof(struct x86_share) == 48, "struct x86_share must have no padding");

/* What was recorded of it. ipis only where they were. */
struct tally x86_recorded(const struct x86_share *x86);

#endif
