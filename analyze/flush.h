/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flush.h - one request to invalidate, put together from runs; the vocabulary of what it was.
 *
 * As join.c makes it, a flush is parameter-free: where no mark can tell, it may hold several
 * requests (split.c says which readings are possible once the ceilings are known).
 */
#ifndef TLBTRACE_FLUSH_H
#define TLBTRACE_FLUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/count.h"
#include "analyze/mm.h"
#include "analyze/observer.h"
#include "analyze/run.h"
#include "analyze/told.h"
#include "analyze/x86_share.h"

/* What the records of a flush are. */
enum flush_shape {
	SHAPE_VA,      /* pages, with or without a PWC flush before and a 2 MiB pass behind them */
	SHAPE_PID,     /* whole PID, ric 0 */
	SHAPE_ALL,     /* whole PID, ric 2 */
	SHAPE_PWC,     /* page walk cache alone */
	SHAPE_KERNEL,  /* kernel addresses */
	SHAPE_FOREIGN, /* guests, partitions, hash MMU, unknown operands: counted only */
	SHAPE_X86,     /* x86: all that counts is in .x86 */
	SHAPE_HCALL, /* H_RPT_INVALIDATE: any request that is not local, of which only probes tell more */
};

/* X(id, key): which function of the kernel was asked, as far as known. Keys are those of export. */
#define FLUSH_ENTRIES_X(X)                                                                         \
	X(ENTRY_UNKNOWN, "unknown")                                                                \
	X(ENTRY_RANGE, "range")		/* flush_tlb_range */                                      \
	X(ENTRY_GATHER, "gather")	/* tlb_flush of an mmu_gather */                           \
	X(ENTRY_PAGE, "page")		/* flush_tlb_page */                                       \
	X(ENTRY_MM, "mm")		/* flush_tlb_mm */                                         \
	X(ENTRY_ALL, "all")		/* flush_all_mm, a full-mm gather */                       \
	X(ENTRY_PWC, "pwc")		/* a gather that freed page tables */                      \
	X(ENTRY_COLLAPSED, "collapsed") /* flush_tlb_collapsed_pmd */                              \
	X(ENTRY_PMD, "pmd")		/* flush_pmd_tlb_range */                                  \
	X(ENTRY_KERNEL, "kernel")	/* flush_tlb_kernel_range */                               \
	X(ENTRY_TRIM, "trim")		/* handler of an IPI that makes a CPU leave the mm's mask */

#define FLUSH_ENTRIES_ENUM(id, key) id,
enum flush_entry {
	FLUSH_ENTRIES_X(FLUSH_ENTRIES_ENUM) FLUSH_ENTRIES
};
#undef FLUSH_ENTRIES_ENUM

/* X(id, key): why it was asked. */
#define FLUSH_CAUSES_X(X)                                                                          \
	X(CAUSE_UNKNOWN, "unknown")                                                                \
	X(CAUSE_MUNMAP, "munmap")                                                                  \
	X(CAUSE_MPROTECT, "mprotect")                                                              \
	X(CAUSE_MADVISE, "madvise")                                                                \
	X(CAUSE_MREMAP, "mremap")                                                                  \
	X(CAUSE_SHMDT, "shmdt")                                                                    \
	X(CAUSE_BRK, "brk")                                                                        \
	X(CAUSE_FORK, "fork")                                                                      \
	X(CAUSE_EXEC, "exec")                                                                      \
	X(CAUSE_EXIT, "exit")                                                                      \
	X(CAUSE_FAULT, "fault")                                                                    \
	X(CAUSE_TRIM, "trim")                                                                      \
	X(CAUSE_KTHREAD, "kthread")

#define FLUSH_CAUSES_ENUM(id, key) id,
enum flush_cause {
	FLUSH_CAUSES_X(FLUSH_CAUSES_ENUM) FLUSH_CAUSES
};
#undef FLUSH_CAUSES_ENUM

/* Where the issuing task was, as far as recorded system calls tell. */
enum flush_context {
	CONTEXT_UNKNOWN, /* no system call events of this task */
	CONTEXT_CALL, /* inside one of the calls that unmap or protect (enum flush_cause says which) */
	CONTEXT_OUTSIDE, /* in none of them: a fault, exec, exit, fork, … */
};

/* What the call that a run of pages belongs to tells of the requests in it (policies 14). */
enum flush_parts {
	PARTS_OPEN,	      /* nothing */
	PARTS_ONE,	      /* it is one request */
	PARTS_LIKELY_ONE,     /* so it seems */
	PARTS_SINGLES,	      /* each page is a request */
	PARTS_LIKELY_SINGLES, /* so it seems */
};

/* How well the extent of a request is known. */
enum flush_known {
	KNOWN_TOLD,	 /* a probe on the kernel's flush function said it */
	KNOWN_SEEN,	 /* marks at both ends, and nothing can hide between */
	KNOWN_AMBIGUOUS, /* a rule was applied that can be wrong */
	KNOWN_CENSORED,	 /* promoted: only bounds */
	KNOWNS
};

enum flush_scope {
	SCOPE_LOCAL,
	SCOPE_GLOBAL,
	SCOPE_MULTICAST,
	SCOPES
};

extern const char *const flush_entry_keys[FLUSH_ENTRIES];
extern const char *const flush_cause_keys[FLUSH_CAUSES];
extern const char *const flush_known_keys[KNOWNS];
extern const char *const flush_scope_keys[SCOPES];

struct flush {
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t cpu;
	int32_t tid;
	int32_t tgid;	     /* of the issuing task; -1 or 0 unknown */
	char comm[COMM_LEN]; /* of the issuing task at that time */
	struct mm *mm;	     /* NULL for SHAPE_KERNEL and SHAPE_FOREIGN */
	uint32_t hw_pid;
	uint32_t stack; /* number of the kernel's stack at its first instruction; 0: none recorded */
	enum flush_shape shape;
	enum flush_entry entry;
	enum flush_cause cause;
	enum flush_context context;
	enum run_end ended_by;
	enum tlbie_kind foreign; /* SHAPE_FOREIGN: what */
	struct told told;	 /* told.outer and so on; all zero where no probe spoke */
	bool is_told;
	bool asked;	 /* from requests alone: no instructions were recorded (asked.h) */
	bool scope_open; /* asked, and no probe told whether it was local: local means nothing */

	bool local;
	bool irq;	   /* the share of an IPI handler */
	bool partial;	   /* records may be missing at one of its ends */
	bool pwc;	   /* SHAPE_VA: a PWC flush came first */
	uint8_t shift;	   /* SHAPE_VA: log2 page size */
	uint64_t addr;	   /* SHAPE_VA: first page */
	uint64_t pages;	   /* SHAPE_VA: pages of the base loop; SHAPE_FOREIGN: records */
	uint64_t pages_2m; /* pages of the 2 MiB pass derived from them */
	uint32_t sets;	   /* whole-PID shapes, local: tlbiel records */
	uint8_t fix_erat;  /* fixup records of each kind */
	uint8_t fix_stq;
	uint8_t fix_old;
	uint64_t record; /* index of its first record among those of its CPU and context */
	uint64_t *times; /* of the records of the base loop in ns, [pages]; NULL: not kept. Join's */

	struct x86_share x86; /* SHAPE_X86 */

	uint64_t call_ns;    /* CONTEXT_CALL: when the call began: with tid, which call it is */
	uint64_t call_start; /* CONTEXT_CALL: the call's range, 0 and 0 where it has none */
	uint64_t call_len;
	enum flush_parts parts;
	uint64_t call_longest; /* CONTEXT_CALL: pages of the longest run of base pages in the call */
	uint64_t call_span; /* SHAPE_VA, CONTEXT_CALL: pages of its size from the first to the last that
			     * the call flushed by address, up to this flush unless call_done */
	bool call_done;

	struct observation seen; /* all zero where nobody observed */
};

/* Fixup records of f. */
static inline unsigned flush_fixups(const struct flush *f)
{
	return (unsigned)f->fix_erat + f->fix_stq + f->fix_old;
}

/* Instructions that were recorded for f. Only recorded kinds are set; barriers are derived. */
struct tally flush_recorded(const struct flush *f);

/* True where a request boundary may hide inside f: pages of one loop, or of several. */
bool flush_may_hide_requests(const struct flush *f);

#endif
