/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * class.h - flushes that no stateless policy can tell apart, with how many there are.
 *
 * A trace of millions of flushes has a few hundred classes; a policy is arithmetic on them.
 */
#ifndef TLBTRACE_CLASS_H
#define TLBTRACE_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyze/flush.h"

#define CLASS_NO_MM UINT32_MAX
#define PAGES_UNKNOWN UINT64_MAX /* no upper bound */
#define CALL_PAGES_MOST 256u	 /* of call_pages: this many, or more */

struct class_key {
	uint64_t pages;	    /* SHAPE_VA: pages of the base loop; SHAPE_FOREIGN: records; whole-PID
			     * shapes: pages that a probe says were asked for, 0 unknown */
	uint64_t pages_2m;  /* of the derived 2 MiB pass */
	uint64_t longest;   /* longest run of the same call, where requests may hide; else 0 */
	uint64_t pages_max; /* whole-PID shapes: the most that can have been asked for, as a probe or
			     * the enclosing call tells, else PAGES_UNKNOWN */
	struct x86_share x86; /* SHAPE_X86; all zero for others */
	uint32_t mm;	      /* mm.index or CLASS_NO_MM */
	uint32_t sets;	      /* whole-PID shapes, local: tlbiel records */
	uint32_t first;	      /* SHAPE_VA: index of the first page in its PMD, where pages > 1 */
	uint32_t call_pages; /* SHAPE_VA: pages of the whole call that unmaps, where they are more; at
			       * most CALL_PAGES_MOST */
	uint8_t shape;	     /* enum flush_shape */
	uint8_t entry;	     /* enum flush_entry */
	uint8_t cause;	     /* enum flush_cause */
	uint8_t context;     /* enum flush_context */
	uint8_t parts;	     /* enum flush_parts */
	uint8_t foreign;     /* enum tlbie_kind of SHAPE_FOREIGN */
	uint8_t shift;	     /* log2 of the size of pages; 0 where pages is 0 */
	uint8_t fix_erat;    /* fixup records of one flush */
	uint8_t fix_stq;
	uint8_t fix_old;
	bool local;
	bool irq;
	bool pwc;
	bool told;
	bool asked; /* flush.asked */
	bool scope_open;
	bool may_hide; /* flush_may_hide_requests() */
	bool hidden;   /* the filter leaves it out: it is evidence, but is not counted */
	bool partial;
	bool call_open;	      /* the call may have gone on: call_pages is the least */
	uint8_t scope[TRIMS]; /* observation.scope */
};

/* Keys are filled in zeroed memory: padding is the same where all else is. */
static inline bool class_key_same(const struct class_key *a, const struct class_key *b)
{
	return memcmp((const uint8_t *)a, (const uint8_t *)b, sizeof(*a)) == 0;
}

struct class
{
	struct class_key key;
	uint64_t count; /* flushes */
	/* Sums of their observations. */
	uint64_t ipis[TRIMS];
	uint64_t trims[TRIMS];
	uint64_t targets[TRIMS];
	uint64_t targets_most[TRIMS];
	uint64_t reached[TRIMS]; /* flushes with targets */
};

/* Calls of one kind in one mm that made whole-PID flushes; see split.c. */
struct call_evidence {
	uint32_t mm;
	enum flush_cause cause;
	uint64_t promoted_once; /* calls with exactly one */
	uint64_t promoted_many; /* calls with more */
	bool traced;		/* the trace has system calls: a task that made none was in none */
};

struct class_table;

/* base_shift: log2 of the kernel's page size, for bounds that calls give in bytes. */
struct class_table *class_table_new(unsigned base_shift);
void class_table_free(struct class_table *t);

/* The class that a flush belongs to. Keys can be compared and hashed as bytes. */
void class_key_of(struct class_key *key, const struct flush *f, unsigned base_shift);

/* A class of this flush alone. */
void class_of_flush(struct class *c, const struct flush *f, unsigned base_shift);

/* Adds one flush to its class, to be counted or only as evidence. False where memory is short. */
bool class_add(struct class_table *t, const struct flush *f, bool counted);

/* Notes a call that made `promoted` > 0 whole-PID flushes. False where memory is short. */
bool class_add_call(struct class_table *t, const struct mm *mm, enum flush_cause cause,
		    uint32_t promoted);

/* Adds a class as it stands, even beside another of the same key. False where memory is short. */
bool class_put(struct class_table *t, const struct class *c);

/* Adds calls that were counted elsewhere, and marks at flushes' ends. */
bool class_put_calls(struct class_table *t, uint32_t mm, enum flush_cause cause,
		     uint64_t promoted_once, uint64_t promoted_many);
void class_put_ends(struct class_table *t, const uint64_t *ends);

/*
 * Makes the classes of mm i, and its calls, those of into[i]; what is then alike becomes one class.
 */
void class_fold(struct class_table *t, const uint32_t *into);

/* The classes in order of first appearance; pointers are valid until the next class_add. */
const struct class *class_next(const struct class_table *t, const struct class *after);
size_t class_count(const struct class_table *t);

/* The same without the hidden ones: what predictions count. */
const struct class *class_next_counted(const struct class_table *t, const struct class *after);

/* The trace has events of system calls. */
void class_note_syscalls(struct class_table *t);

/* Never NULL: all zero but for traced where no such call promoted. */
const struct call_evidence *class_calls(const struct class_table *t, uint32_t mm,
					enum flush_cause cause);

/* The same, hidden ones too, without those of which no instructions were recorded: what tells of the
 * recorded kernel. */
const struct class *class_next_recorded(const struct class_table *t, const struct class *after);

/* How often each mark ended a flush. */
const uint64_t *class_ends(const struct class_table *t); /* [RUN_END_LOST + 1] */

/* Instructions recorded for one flush of this class. */
struct tally class_recorded(const struct class *c);

#endif
