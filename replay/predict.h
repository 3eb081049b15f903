/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * predict.h - a policy applied to the classes of a trace: what it would have cost, as an interval.
 */
#ifndef TLBTRACE_REPLAY_PREDICT_H
#define TLBTRACE_REPLAY_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/class.h"
#include "analyze/count.h"
#include "analyze/params.h"
#include "analyze/trace.h"

/* Says which classes count; NULL selects all. */
typedef bool (*predict_filter)(void *arg, const struct class *c);

/*
 * One flush of this class under the policy `alt`, given what is known of the recorded kernel. What an
 * interrupt handler flushed on POWER counts the IPI of each request that made it run.
 */
struct counts predict_class(const struct class *c, const struct params *alt,
			    const struct model *recorded, const struct call_evidence *calls);

struct prediction {
	struct counts total;
	struct counts *by_mm; /* [n_mms]; the last one holds classes of no mm */
	size_t n_mms;
};

/*
 * All classes that filter selects, each in the scope that alt gives it (stateful.h); what no class has
 * is stateful_rest()'s. Returns 0, or -1 where memory is short.
 */
int predict(struct prediction *out, const struct trace *t, const struct model *recorded,
	    const struct params *alt, predict_filter filter, void *arg);
void prediction_free(struct prediction *p);

/*
 * Replays the recorded policy and compares it with the recording, group by group of records: what
 * join.c put together is one request, or several where nothing separates them. COUNT_FLUSHES counts
 * requests. Flushes that were only asked for cannot be compared: they are in `recorded` as they most
 * likely were, and in `known`.
 */
struct fidelity {
	uint64_t flushes;    /* groups that are modelled */
	uint64_t exact;	     /* of them: replayed to exactly the recorded instructions */
	uint64_t unmodelled; /* groups of the hash MMU, of guests, of unknown operands */
	uint64_t asked;	     /* not in flushes: only asked for */
	struct tally recorded;
	struct tally replayed;
	uint64_t known[KNOWNS]; /* groups by how well their extent is known */
};

void predict_fidelity(struct fidelity *f, const struct trace *t, const struct model *recorded,
		      predict_filter filter, void *arg);

/* True where the recorded policy replays a flush of this class to what was recorded. */
bool predict_replays(const struct class *c, const struct model *recorded,
		     const struct call_evidence *calls);

#endif
