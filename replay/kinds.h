/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h - the kinds of flush of a trace, found once for many predictions.
 *
 * A kind is the classes that are alike in all but whose they are: a flush of one costs what a flush of
 * any other does. Where masks decide (stateful_decides()), classes also have targets and trims; these
 * are added up class by class, but priced by kind all the same.
 */
#ifndef TLBTRACE_REPLAY_KINDS_H
#define TLBTRACE_REPLAY_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/split.h"
#include "replay/predict.h"
#include "replay/stateful.h"

struct kind {
	struct class like; /* one of its classes; count is that of all */
	struct split split;
	const struct call_evidence *calls;
};

struct kind_node;

struct kinds {
	struct kind_node *nodes; /* by what makes a kind */
	struct kind *kind;
	size_t n;
	size_t room;
	/* With kinds_find(): the classes, kind by kind; those of kind i begin at first[i] and end before
	 * first[i + 1]. */
	const struct class **classes;
	size_t *first;
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

/* What the flushes of a kind cost under a policy: each the same, or where masks decide perhaps not. */
struct kind_price {
	struct counts each; /* where they are alike */
	bool alike;
};

/* Kinds, all of kinds_find(), and a policy; all that it points to is to outlive it. */
struct priced {
	const struct kinds *kinds;
	const struct model *recorded;
	const struct params *alt;
	struct kind_price *price; /* [kinds->n] */
};

/* Returns 0, or -1 where memory is short. */
int priced_find(struct priced *out, const struct kinds *k, const struct model *recorded,
		const struct params *alt);
void priced_free(struct priced *p);

/* All flushes of the kind's class c, where they are not alike; cost is stateful_cost() of any of its
 * classes. */
struct counts priced_class(const struct priced *p, const struct stateful_cost *cost,
			   const struct class *c);
struct stateful_cost priced_cost(const struct priced *p, size_t kind);

/* The sums. Returns 0, or -1 where memory is short. */
int priced_sum(struct prediction *out, const struct priced *p);

/* All classes that kinds_find() found under any policy, as predict() tells them. */
int kinds_predict(struct prediction *out, const struct kinds *k, const struct model *recorded,
		  const struct params *alt);

/*
 * What the classes of each kind are multiplied by where masks decide, [n], for the caller to free. NULL
 * where memory is short.
 */
struct stateful_units *kinds_units(const struct kinds *k, const struct params *alt,
				   const struct params *recorded);

/* All flushes of a kind under a policy that masks decide; units is the kind's of kinds_units(). */
struct counts kinds_stateful(const struct kinds *k, size_t kind, const struct stateful_units *units,
			     const struct model *recorded, const struct params *alt);

#endif
