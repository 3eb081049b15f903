/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * told.h - what probes on the kernel's flush functions say: the request behind the records.
 *
 * One request passes several functions (tlb_flush calls __radix__flush_tlb_range_psize calls
 * flush_type_needed). The outermost names the request, the innermost has the range that the
 * records follow. A probe fires before preemption is off, so requests join by task, not by CPU.
 */
#ifndef TLBTRACE_TOLD_H
#define TLBTRACE_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"

/* The request that a task is making; all zero where there is none. */
struct told {
	bool fresh; /* no records of it yet */
	bool has_range;
	bool tables; /* page tables were freed: the page walk cache goes too */
	bool fullmm;
	bool unsized;  /* a gather without a page size: the whole PID, whatever its range */
	uint8_t shift; /* log2 of the page size asked for; 0 unknown */
	enum request_fn outer;
	enum request_fn inner;
	uint64_t start;	  /* bytes */
	uint64_t end;	  /* bytes, exclusive; ADDRESS_ALL: the whole mm */
	uint32_t hw_pid;  /* 0 unknown */
	uint64_t time_ns; /* of the outermost probe */
};

/* True for functions that are requests themselves, not part of every one (scope, handlers). */
bool told_is_request(enum request_fn fn);

/* True where a probe on fn speaks of the request that t already is. */
bool told_continues(const struct told *t, enum request_fn fn);

/*
 * Takes the next probe event of the task: deepens the request or begins another. base_shift is log2
 * of the kernel's page size. Of functions that are no requests, flush_type_needed() names the mm of
 * one that has none; others are passed over.
 */
void told_apply(struct told *t, const struct request_record *rec, uint64_t time_ns,
		unsigned base_shift);

/* True where records that begin at addr (0 for a whole PID) of hw_pid can be this request's. */
bool told_matches(const struct told *t, uint32_t hw_pid, uint64_t addr);

#endif
