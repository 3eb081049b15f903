/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h - system calls as units of work: what each one cost, and what the trim clock did to them.
 *
 * flush_type_needed() (v5.12) counts the flushes of a CPU that stay global, and every 1073rd trims
 * the mm's mask: the rest of that call is local then. Where in a run this happens no trace tells of
 * another run, so calls that changed their scope midway are kept apart, and what one trim more or
 * less could have moved is measured on the calls that did not.
 *
 * What interrupt handlers flush on other CPUs, to trim or to do their share with tlbie off, belongs to
 * the call of the same mm that was under way. Where threads of one mm are in such calls at once, their
 * sum is right and which of them it was is not known.
 */
#ifndef TLBTRACE_REPLAY_CALLS_H
#define TLBTRACE_REPLAY_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/flush.h"
#include "replay/predict.h"

/* Calls of one kind that flushed, all in one scope. */
struct call_stats {
	uint64_t calls;
	uint64_t mixed; /* calls that did not keep to one scope: in none of the rest */
	struct counts predicted;
	struct tally recorded;
	struct tally least; /* recorded for one call, counter by counter */
	struct tally most;
};

/* What the trim clock did, and what it could have done. */
struct clock_stats {
	uint64_t cpus;	      /* that made global flushes, each with a clock of its own */
	uint64_t turned;      /* calls that went on locally */
	struct tally made;    /* predicted for what they flushed locally */
	struct tally instead; /* predicted for the same, had it stayed global */
	/* What one trim more or less on each CPU can move, at most: on each CPU, the dearest call that
	 * stayed global there; and what the others flush when they are trimmed. */
	uint64_t tlbie;
	uint64_t tlbiel;
};

/* What to price: the first pass over the trace, its model, the policy. All must outlive the calls. */
struct calls_question {
	const struct trace *first;
	const struct model *recorded;
	const struct params *alt;
	predict_filter filter; /* NULL selects all */
	void *filter_arg;
};

struct calls;

/* NULL where memory is short. */
struct calls *calls_new(const struct calls_question *question);
void calls_free(struct calls *c);

/* A trace_options.flush; arg is the struct calls. A follower must observe the same reading. */
bool calls_take(void *arg, const struct flush *f);

/* No more flushes will come. */
void calls_finish(struct calls *c);

const struct call_stats *calls_of(const struct calls *c, enum flush_cause cause);
struct clock_stats calls_clock(const struct calls *c);

/* Whether kernels of this policy trim by a clock: since v5.12. */
bool calls_have_clock(const struct params *policy);

#endif
