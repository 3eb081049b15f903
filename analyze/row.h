/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row.h - the single requests of a flush, as far as the whole trace tells: what export writes.
 *
 * The cuts are those of the likely reading (split.h), so that rows and predictions agree. Every
 * recorded instruction of a flush belongs to exactly one of its rows.
 */
#ifndef TLBTRACE_ROW_H
#define TLBTRACE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/class.h"
#include "analyze/flush.h"
#include "analyze/params.h"

/* X(id, key): what marks a row's end. */
#define ROW_ENDS_X(X)                                                                              \
	X(ROW_END_NONE, "none")	  /* nothing, or only that the next record cannot continue it */   \
	X(ROW_END_TOLD, "told")	  /* the next request's probe */                                   \
	X(ROW_END_FIXUP, "fixup") /* its own POWER9 fixup */                                       \
	X(ROW_END_SYSCALL, "syscall") /* a system call, or another event of the task */            \
	X(ROW_END_SWITCH, "switch")   /* the task was switched out */                              \
	X(ROW_END_PMD, "pmd")	      /* an edge of a PMD, by rule */                              \
	X(ROW_END_GAP, "gap") /* an edge by rule alone, where time also stood still: probable */

#define ROW_ENDS_ENUM(id, key) id,
enum row_end {
	ROW_ENDS_X(ROW_ENDS_ENUM) ROW_ENDS
};
#undef ROW_ENDS_ENUM

extern const char *const row_end_keys[ROW_ENDS];

struct row {
	const struct flush *flush; /* that it is, or is a part of */
	uint64_t time_ns;	   /* of its first record */
	uint64_t end_ns; /* of its last, as far as known: else of the flush's last; at least time_ns */
	uint64_t record; /* index of that among the records of its CPU and context */
	uint64_t records;
	bool has_range;
	uint64_t start; /* bytes */
	uint64_t end;
	uint64_t pages;	    /* of `shift` between start and end */
	uint64_t pages_min; /* KNOWN_CENSORED: what the request had at least, in base pages */
	uint64_t pages_max; /* PAGES_UNKNOWN: no bound */
	unsigned shift;
	enum flush_known known;
	enum row_end ended_by;
	uint64_t gaps; /* pauses inside it that are probable boundaries: not cut there */
	struct tally recorded;
};

/* What reading rows off flushes takes: the results of a first pass over the same trace. */
struct row_context {
	const struct class_table *classes;
	const struct params *recorded;
	const struct gap_stats *gaps; /* by CPU; NULL: time is left out */
	unsigned base_shift;
};

/* Takes one row; row->flush lives as long as the flush. */
typedef bool (*row_fn)(void *arg, const struct row *row);

/* Calls fn for each row of f in the order of their records. False as soon as fn says so. */
bool rows_of(const struct flush *f, const struct row_context *ctx, row_fn fn, void *arg);

#endif
