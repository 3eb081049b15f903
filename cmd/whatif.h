/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h - the answer of `tlbtrace whatif`, as its writers take it.
 */
#ifndef TLBTRACE_CMD_WHATIF_H
#define TLBTRACE_CMD_WHATIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyze/error.h"
#include "analyze/infer.h"
#include "analyze/trace.h"
#include "cmd/common.h"
#include "cmd/output/sink.h"
#include "cmd/whatif_checks.h"
#include "replay/cost.h"
#include "replay/explain.h"
#include "replay/policy.h"
#include "replay/predict.h"
#include "replay/stateful.h"
#include "replay/sweep.h"
#include "replay/watch.h"

/* An address space, or all of the same program and thread group. */
struct whatif_mm {
	char name[COMM_LEN]; /* "" for flushes of no address space: kernel, guests, hash */
	int32_t tgid;	     /* -1 unknown */
	uint64_t folded;     /* > 0: this is the sum of so many small ones, and has no name */
	uint64_t ended;	     /* > 0: so many of this name that ended and are not kept apart */
	struct counts counts;
};

/* IPIs under one policy by the CPU that gets them, of the whole trace whatever is selected. */
struct whatif_targets {
	struct ipi_target *cpus;    /* [info->cpus]; NULL where masks are not followed */
	struct ipi_target isolated; /* sum over whatif.isolated */
};

/* What one alternative would have cost on one input. */
struct whatif_answer {
	const struct policy *policy;
	struct params params;
	struct counts total;
	struct whatif_mm *mms; /* those with the most instructions first */
	size_t n_mms;
	enum counter changed; /* what the explanation is about: one of whatif_pair() */
	struct explanation changes;
	struct edge edges[2]; /* of exactly ceiling pages: [0] global, [1] local */
	struct edge above[2]; /* of one page more */
	struct doubt doubts[DOUBTS];
	struct whatif_targets ipis;
};

/* One input. */
struct whatif_result {
	const char *path;
	struct trace trace;  /* open: strings of the answer point into it */
	struct watch *watch; /* what followed it */
	struct model model;
	struct kinds kinds; /* of the classes that are selected */
	bool x86;	    /* the machine; else a POWER */
	const char *mmu;    /* "radix", "hash" or "x86"; NULL where no flush tells */
	struct tally recorded;
	struct counts derived; /* the recorded policy's prediction */
	struct fidelity fidelity;
	struct explanation misses;     /* flushes that do not replay exactly */
	struct doubt doubts[DOUBTS];   /* of derived */
	struct whatif_targets ipis;    /* of the recorded policy */
	uint64_t duration_ns;	       /* of what is counted; 0 unknown */
	uint64_t pmd_cuts;	       /* ends of flushes that stand at a PMD edge by rule */
	struct whatif_answer *answers; /* one per policy, in their order */
	struct sweep sweep;	       /* no rows where none was asked for */
};

struct whatif {
	struct policy *policies;
	size_t n_policies;
	struct sweep_range sweep;      /* step 0: none */
	struct whatif_result *results; /* one per input, in their order */
	size_t n_results;
	struct tally recorded; /* sums over the inputs */
	struct counts derived;
	struct counts *totals; /* one per policy */
	struct checks checks;
	struct cost cost;
	bool explains;		      /* where the changes come from is wanted too */
	struct trace_filter isolated; /* CPUs that are not to be disturbed; by_cpu false: none named */
};

/* Counters that a recording holds, as opposed to those that are computed; end with COUNTERS. */
const enum counter *whatif_recorded_counters(bool x86);
const enum counter *whatif_derived_counters(bool x86);

/* What was recorded, and computed where a recording does not hold it. */
struct counts whatif_recorded_counts(const struct whatif_result *r);

/* The two counters that a machine's flushes are made of. */
struct whatif_pair {
	enum counter one;
	enum counter other;
};

struct whatif_pair whatif_pair(bool x86);

/* What is swept: the alternative, if there is just one, else the recorded policy (NULL). */
static inline const struct policy *whatif_swept(const struct whatif *w)
{
	return w->n_policies == 1 ? &w->policies[0] : NULL;
}

/* The policy of a row of the sweep, "radix,ceiling=31", as --policy takes it. */
void whatif_row_policy(const struct whatif *w, const struct whatif_result *r, size_t row, char *buf,
		       size_t size);

#define WHATIF_KNEES 3 /* as many jumps of a sweep are named */

/* The counters that a sweep is about, the machine's own first; end with COUNTERS. */
const enum counter *whatif_swept_counters(bool x86);

/* Whether all inputs, which are of one kind of machine, are of an x86. */
/* Only requests were recorded: what the policy that ran made of them is computed, like all else. */
bool whatif_is_computed(const struct whatif *w);
/* The head of its column. */
const char *whatif_recorded_head(const struct whatif *w);

static inline bool whatif_is_x86(const struct whatif *w)
{
	return w->n_results && w->results[0].x86;
}

/* Whether it is a recording of the hash MMU, which is not modelled. */
static inline bool whatif_is_hash(const struct whatif_result *r)
{
	return r->mmu && strcmp(r->mmu, "hash") == 0;
}

/* Whether all that is asked is about vCPUs: then flushes are beside the point. */
static inline bool whatif_is_of_vcpus(const struct whatif *w)
{
	for (size_t i = 0; i < w->n_policies; i++)
		if (!policy_is_of_vcpus(w->policies[i].kind))
			return false;
	return w->n_policies && !w->sweep.step;
}

/* Whether the event of the machine's flushes was recorded, whatever came of it. */
bool whatif_has_flushes(const struct whatif_result *r);

/*
 * Reads one input into *r: everything but the answers, also from a trace without flushes. Returns 0, or
 * -1 with *err filled; to be freed either way.
 */
int whatif_read(struct whatif_result *r, const struct common *c, const char *path,
		struct error *err);

/* Reads and answers one input into *r. Returns 0, or -1 with *err filled; to be freed either way. */
int whatif_answer(struct whatif_result *r, const struct whatif *w, const struct common *c,
		  const char *path, struct error *err);
void whatif_result_free(struct whatif_result *r, const struct whatif *w);

enum note_kind {
	NOTE_EDGE,  /* many flushes stand at the edge of a ceiling */
	NOTE_DOUBT, /* something is missing or uncertain */
};

/* Calls fn with sentences for people about r, thousands separated where asked for. */
void whatif_notes(const struct whatif_result *r, const struct whatif *w, bool thousands,
		  void (*fn)(void *arg, enum note_kind kind, const char *text), void *arg);

/* The writers. Errors stay in the FILE. */
void whatif_json(struct sink *s, const struct whatif *w);
void whatif_csv(struct sink *s, const struct whatif *w);
void whatif_text(struct sink *s, const struct whatif *w, bool verbose);
void whatif_markdown(struct sink *s, const struct whatif *w);
void whatif_junit(struct sink *s, const struct whatif *w);
/* Annotations; the job's summary is whatif_markdown()'s. */
void whatif_github(struct sink *s, const struct whatif *w);

/* "the recorded policy", where it is NULL. */
const char *whatif_check_policy(const struct check *check);

#endif
