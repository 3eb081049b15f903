/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h - the kinds of flush of a trace, found once for many predictions.
 *
 * A kind is the flushes that cost the same under any policy: alike in all but whose they are. Where
 * masks decide (stateful_decides()), it also matters whose they are: kinds do not answer then.
 */
#ifndef TLBTRACE_REPLAY_KINDS_H
#define TLBTRACE_REPLAY_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/split.h"
#include "replay/predict.h"

struct kind {
	struct class like; /* one of its classes; count is that of all */
	struct split split;
	const struct call_evidence *calls;
};

/* Flushes of one kind in one mm. */
struct kind_share {
	uint32_t kind;
	uint32_t mm; /* mm.index or CLASS_NO_MM */
	uint64_t count;
};

struct kind_node;

struct kinds {
	struct kind_node *nodes; /* by what makes a kind */
	struct kind *kind;
	size_t n;
	size_t room;
	struct kind_share *shares; /* one per class, with kinds_find() */
	size_t n_shares;
	size_t n_mms;
};

/* Counts a class with its kind, *index; *k is zero at first. The calls are to outlive it. Returns 0, or
 * -1 where memory is short. */
int kinds_add(struct kinds *k, const struct class *c, const struct model *recorded,
	      const struct call_evidence *calls, uint32_t *index);

/*
 * The kinds of the classes that filter selects. The trace is to outlive them and to stay as it is.
 * Returns 0, or -1 where memory is short.
 */
int kinds_find(struct kinds *out, const struct trace *t, const struct model *recorded,
	       predict_filter filter, void *arg);
void kinds_free(struct kinds *k);

/*
 * What one flush of each kind costs under alt, [n], for the caller to free. NULL where memory is
 * short. Only for policies that masks do not decide.
 */
struct counts *kinds_prices(const struct kinds *k, const struct model *recorded,
			    const struct params *alt);

/* The sums of prices. Returns 0, or -1 where memory is short. */
int kinds_sum(struct prediction *out, const struct kinds *k, const struct counts *prices);

/* The same numbers as predict() for what they were found of, for policies that masks do not decide. */
int kinds_predict(struct prediction *out, const struct kinds *k, const struct model *recorded,
		  const struct params *alt);

#endif
