/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tlbie.h - what one powerpc:tlbie record means: policies 1.2 to 1.6.
 *
 * Models __tlbie_pid, __tlbie_va, __tlbie_lpid … of arch/powerpc/mm/book3s64/radix_tlb.c and the
 * hash MMU's hash_native.c (v4.14 to v6.17: the trace calls have the same arguments throughout).
 */
#ifndef TLBTRACE_TLBIE_H
#define TLBTRACE_TLBIE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"

/* rb of the sentinel that works around the POWER9 STQ erratum after a PID flush. */
#define TLBIE_SENTINEL_RB UINT64_C(0xffffffffff0a0)

enum tlbie_kind {
	TLBIE_VA,	  /* one page of a PID */
	TLBIE_PID,	  /* ric 0: all of a PID; of a tlbiel, one set of it */
	TLBIE_PWC,	  /* ric 1: a PID's page walk cache */
	TLBIE_ALL,	  /* ric 2: translations and page walk cache of a PID */
	TLBIE_KERNEL,	  /* PID 0, ric 2, broadcast: kernel addresses, range hidden */
	TLBIE_FIXUP_ERAT, /* PID 0: works around the POWER9 ERAT erratum after the op before it */
	TLBIE_FIXUP_SENTINEL, /* the STQ sentinel of a PID flush */
	TLBIE_FIXUP_OLD,      /* the sentinel with PID 0 of v4.16 to v5.2 */
	TLBIE_LPID,	      /* a partition's translations */
	TLBIE_LPID_VA,	      /* one guest-physical page */
	TLBIE_LPID_GUEST,     /* all process-scoped translations of a guest */
	TLBIE_GUEST,	      /* a guest's request carried out by its host (H_RPT_INVALIDATE) */
	TLBIE_HASH,	      /* hash MMU: one virtual page number */
	TLBIE_HASH_PARTITION, /* hash MMU: a partition */
	TLBIE_EVERYTHING,     /* IS 3; not traced by any known kernel */
	TLBIE_UNKNOWN,	      /* an operand that no rule covers, such as a reserved page size */
	TLBIE_HCALL,	      /* no instruction: H_RPT_INVALIDATE of a guest without GTSE */
	TLBIE_KINDS
};

struct tlbie_op {
	enum tlbie_kind kind;
	uint32_t hw_pid; /* PID operand: mm->context.id */
	uint64_t addr;	 /* TLBIE_VA, fixups by address: bytes */
	unsigned shift;	 /* log2 of the page size that AP names; 0 where there is none */
	uint32_t set;	 /* TLBIE_PID, TLBIE_ALL, TLBIE_PWC of a tlbiel: congruence class */
	bool local;	 /* tlbiel */
};

/* Name of a kind for messages and -v lists, such as "LPID flush". */
extern const char *const tlbie_kind_names[TLBIE_KINDS];

/* The actual-page-size code of a tlbie operand as log2 bytes; 0 for a reserved code. */
unsigned tlbie_ap_shift(unsigned ap);

/*
 * Decodes one record by the table of policies 1.4, rules 1 to 16. Rule 11 (the STQ repeat of a
 * run's last page) needs the records around it and is applied where runs are folded (run.c).
 */
struct tlbie_op tlbie_decode(const struct tlbie_record *rec);

#endif
