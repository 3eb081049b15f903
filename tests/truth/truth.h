/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * truth.h - requests put together without probes, held against what the probes of the same trace
 * saw.
 */
#ifndef TLBTRACE_TESTS_TRUTH_H
#define TLBTRACE_TESTS_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/infer.h"
#include "analyze/row.h"
#include "analyze/trace.h"

/* What is compared of a row. */
struct request {
	uint64_t record; /* first one, among those of its CPU and context */
	uint64_t records;
	uint64_t start;
	uint64_t end;
	uint32_t cpu;
	bool irq;
	bool local;
	bool told;
	bool by_va;
	enum flush_known known;
};

struct requests {
	struct request *item; /* by CPU, context and record */
	size_t n;
	size_t room;
};

/* All rows of the trace at path as they are read without the evidence `ignore`, and the model that
 * they were cut by. recorded: as --recorded has it, or NULL. Returns 0, or -1 after a message. */
int requests_read(struct requests *r, struct model *m, const char *path, uint32_t ignore,
		  const char *recorded);
void requests_free(struct requests *r);

/* How requests of one kind came out. */
struct score {
	uint64_t told;	    /* as the probes have it */
	uint64_t exact;	    /* a row has exactly its records and its range */
	uint64_t seen;	    /* of them: and is sure of it */
	uint64_t ambiguous; /* not exact, and the rows in its place say that they are unsure */
	uint64_t wrong;	    /* not exact, and a row in its place is sure of itself */
	uint64_t lost;	    /* some record of it is in no row */
};

struct truth {
	struct score global; /* executed by address, as tlbie */
	struct score local;  /* by address, as tlbiel */
	struct score whole;  /* of the PID, the page walk cache or the kernel */
	uint64_t invented;   /* rows that have records in common with another, or with no request */
};

void truth_compare(struct truth *t, const struct requests *told, const struct requests *found);

/*
 * Predicts with the requests and without `ignore`, for many ceilings and other policies. Returns how many
 * predictions with them lie outside of the interval without, after a message about the first, or -1.
 * Under the other policies they may do so by `slack` percent.
 */
int intervals_check(const char *path, uint32_t ignore, const char *recorded, unsigned slack);

#endif
