/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stateful.h - classes under policies that change who is in the mask: trim=, lazy= and tlbie=off.
 *
 * Builds on predict_class(), which prices a flush whose scope is given: here the scope is that of
 * the mask machine of the policy's kind, the trims that it makes come on top, and with tlbie off
 * every CPU of the mask runs the local code (policies 2.7, 3.3, 4.4). Needs classes that a follower
 * has observed; of others, and of policies that trim as was recorded, the recorded scope is kept.
 */
#ifndef TLBTRACE_REPLAY_STATEFUL_H
#define TLBTRACE_REPLAY_STATEFUL_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/follow.h"
#include "replay/predict.h"

/* The machine of these parameters: trims at the final flush come with lazy=combined alone. */
enum trim stateful_kind(const struct params *p);

/* True where alt differs from recorded in what only masks can tell. */
bool stateful_differs(const struct params *alt, const struct params *recorded);

/* True where they may be full-mm gathers, two threads unmapping at once, and alt trims before those. */
bool stateful_nested(const struct class *c, const struct params *alt, const struct params *recorded);

/* True where what flushes cost under alt is not a matter of their number alone: masks decide it. */
bool stateful_decides(const struct params *alt, const struct model *recorded);

/* What flushes cost in one scope. */
struct scope_cost {
	struct counts flush;  /* each of them */
	struct counts target; /* and for each CPU that their IPIs reach */
	uint64_t least_ipis;  /* certain for each flush that reaches one */
	bool reaches;	      /* other CPUs, by IPIs; else target and least_ipis are 0 */
};

/* What flushes of a class, and of all that are alike but for whose they are (kinds.h), cost under a
 * policy: it is worked out once for all of them, and added up by units. */
struct stateful_cost {
	struct scope_cost in[2]; /* the likely scope; the other, where it is possible */
	unsigned n;		 /* 0: the policy makes no such flush */
	bool trims;		 /* the trims of the policy's masks come on top */
	bool unsure;		 /* but perhaps not, as the scope may be another */
	bool nested;		 /* stateful_nested(): */
	struct counts unmet;	 /* one flush, had it been a full-mm gather */
	uint64_t sets;		 /* tlbiel of a trim */
};

/* What costs are multiplied by. Those of several classes of a kind are their sums. */
struct stateful_units {
	uint64_t flushes;
	uint64_t targets; /* CPUs that IPIs surely reach */
	uint64_t targets_likely;
	uint64_t targets_most;
	uint64_t reached;   /* flushes that certainly reach one */
	uint64_t trims;	    /* that alt makes beside those that are classes of their own */
	uint64_t trim_ipis; /* for these */
};

struct stateful_cost stateful_cost(const struct class *c, const struct params *alt,
				   const struct model *recorded, const struct call_evidence *calls);
struct stateful_units stateful_units(const struct class *c, const struct params *alt,
				     const struct params *recorded);

/* sum += the cost of so many units. */
void stateful_add(struct counts *sum, const struct stateful_cost *cost,
		  const struct stateful_units *units);

/* True where the sum over several classes is the cost of the sum of their units; else what is least
 * and most of each must be known. */
bool stateful_adds_up(const struct stateful_cost *cost);

/* All flushes of the class under alt; their trims, and IPIs of any purpose but lazy shootdown,
 * included. Trims that were recorded as classes of their own count only if alt makes them too. */
struct counts stateful_class(const struct class *c, const struct params *alt,
			     const struct model *recorded, const struct call_evidence *calls);

/* MACHINE_*: the scope that alt gives the class, MACHINE_UNSURE aside; as recorded where alt trims as
 * the recorded kernel did. */
unsigned stateful_scope(const struct class_key *k, const struct params *alt,
			const struct params *recorded);

/* All flushes of the class as they were recorded; those that were only asked for as the recorded
 * policy most likely carried them out. */
struct tally stateful_recorded(const struct class *c, const struct model *recorded,
			       const struct call_evidence *calls);

/* True where alt could make the class's flushes local or global, as far as the trace tells. */
bool stateful_unsure(const struct class *c, const struct params *alt, const struct params *recorded);

/* What no class has: lazy TLB's atomics and shootdowns of the whole trace, and how far the unknown
 * phase of the trim clock, and what was before the trace, can move the trims of alt, where it does not
 * trim as was recorded. */
struct counts stateful_rest(const struct follower *f, const struct params *alt,
			    const struct params *recorded);

/* IPIs that one CPU receives under a policy. */
struct ipi_target {
	uint64_t trims;	  /* to leave masks */
	uint64_t flushes; /* to flush, with tlbie off; a second round of the same flush not counted */
	uint64_t shoots; /* at mms' ends; the most there can be */
};

/* Of the CPU, over the whole trace. */
struct ipi_target stateful_ipis_to(const struct follower *f, const struct params *alt, uint32_t cpu);

/* What a trace leaves open about masks, in numbers; each is a reason for a note. */
struct stateful_doubts {
	bool no_switches;    /* masks know only where flushes, calls and task events were */
	bool multicast;	     /* recorded with tlbie off: local bits could not correct the masks */
	uint64_t incomplete; /* flushes of mms whose mask before the trace is unknown */
	uint64_t unsure;     /* flushes whose scope under alt is not certain */
	uint64_t clock_ipis; /* trims that another phase of the clock could add or take */
	uint64_t against;    /* masks_against() */
};

struct stateful_doubts stateful_doubts(const struct follower *f, const struct params *alt);

/*
 * How the recorded kernel trims, from what its scopes agree with: the kind that `m` assumes unless
 * another agrees with more flushes. Sets the fact of PARAM_TRIM with the evidence.
 */
void stateful_infer(struct model *m, const struct follower *f);

#endif
