/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - where a prediction comes from: the kinds of flush that make up a change, those at the
 * edge of a ceiling, and those that leave it uncertain.
 */
#ifndef TLBTRACE_REPLAY_EXPLAIN_H
#define TLBTRACE_REPLAY_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/class.h"
#include "analyze/count.h"
#include "analyze/params.h"
#include "analyze/trace.h"
#include "replay/kinds.h"
#include "replay/predict.h"

/* Flushes that people would call the same: the same program, cause, scope, and perhaps size. */
struct flush_kind {
	char name[COMM_LEN]; /* of the mm; "" where there is none */
	/* SHAPE_VA: fewest and most pages of a request, where of several that one flush was the
	 * commonest counts; else 0. */
	uint64_t pages_min;
	uint64_t pages_max;
	uint32_t first_mm; /* mm.index of one of them */
	uint8_t shape;	   /* enum flush_shape */
	uint8_t shift;	   /* SHAPE_VA: log2 of the page size */
	uint8_t cause;	   /* enum flush_cause */
	uint8_t context;   /* enum flush_context */
	bool local;
	bool irq;
	bool pwc;
	bool several_mms;
	uint64_t flushes;      /* requests, by the likely reading */
	struct tally recorded; /* what was recorded of them */
	struct counts predicted;
};

struct explanation {
	struct flush_kind *kinds;
	size_t n;
};

/* What to explain: a policy's prediction of the kinds of the trace. */
struct question {
	const struct trace *trace;
	const struct priced *priced;
};

/*
 * The kinds of flush that the policy changes anything about, by how much it changes counter `by` of them
 * (change.size), the largest first. Each size is a kind of its own, unless that scatters the change
 * over more than a few. Returns 0, or -1 where memory is short.
 */
int explain_changes(struct explanation *out, const struct question *q, enum counter by);

/* Kinds of which flushes do not replay exactly (predict_replays). */
int explain_misses(struct explanation *out, const struct question *q);

void explanation_free(struct explanation *e);

/* predicted - recorded, of one counter. */
struct change {
	int64_t lo;
	int64_t likely;
	int64_t hi;
	uint64_t size; /* how much at most, up or down: of likely, or where the kind's prediction is
			* open, of the bounds */
};

struct change kind_change(const struct flush_kind *kind, enum counter counter);

/* Requests of exactly so many pages that a ceiling is asked about. */
struct edge {
	uint64_t pages;
	uint8_t shift;	  /* log2 of the size of most of these pages */
	uint64_t flushes; /* requests, by the likely reading */
	uint64_t records; /* instructions by address recorded for them */
};

/* Those of the likely reading, for the local or the global ceiling. */
struct edge explain_edge(const struct question *q, bool local, uint64_t pages);

/* Ends of requests that no mark shows: the likely reading has cut a run at PMD edges. */
uint64_t explain_pmd_cuts(const struct question *q);

/* Why a prediction is an interval. */
enum doubt_reason {
	DOUBT_NO_CALLS, /* one request or several: no system calls were recorded there */
	DOUBT_CALL,	/* one request or several, inside a known system call */
	DOUBT_OUTSIDE,	/* one request or several, outside of system calls that unmap */
	DOUBT_CENSORED, /* promoted, so its length is not known, and alt may not promote it */
	DOUBT_HCALL,	/* a hypervisor call: any request that is not local */
	DOUBT_SCOPE,	/* local or global under a policy with another mask */
	DOUBT_NESTED,	/* perhaps full-mm gathers, before which the policy trims the mask */
	DOUBTS
};

struct doubt {
	uint64_t flushes; /* as recorded */
	uint64_t width;	  /* hi - lo of tlbie and tlbiel that they add */
};

/* Adds up the intervals of the prediction by reason. */
void explain_doubts(struct doubt out[DOUBTS], const struct question *q);

#endif
