/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.h - a prediction beside what really happened, as `tlbtrace verify` writes it.
 */
#ifndef TLBTRACE_CMD_VERIFY_H
#define TLBTRACE_CMD_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/common.h"
#include "cmd/whatif.h"
#include "replay/calls.h"

/* What counts are divided by. */
enum verify_per {
	PER_NONE,
	PER_SECONDS, /* units are ns */
	PER_EVENT,   /* records of one event, or markers of one text */
	PER_CALL,    /* system calls that flushed and kept one scope (replay/calls.h) */
};

/* One recording: the one that was predicted from, or an actual one. */
struct verify_side {
	struct whatif_result result;
	struct calls *calls;
	uint64_t units;
};

/* Why a counter agrees, in the order in which it is tried. */
#define VERIFY_BECAUSE_X(X)                                                                        \
	X(BECAUSE_TOLERANCE, "tolerance") /* the likely reading is as near as was asked for */     \
	X(BECAUSE_INTERVAL, "interval")	  /* it lies between the bounds of the prediction */       \
	X(BECAUSE_CLOCK, "trim clock")	  /* one trim more or less per CPU explains it */          \
	X(BECAUSE_UNDECIDED, "undecided") /* it would explain anything, or is not known */         \
	X(BECAUSE_NOTHING, "outside")	  /* it does not agree */

#define VERIFY_BECAUSE_ENUM(id, key) id,
enum verify_because {
	VERIFY_BECAUSE_X(VERIFY_BECAUSE_ENUM) VERIFY_BECAUSES
};
#undef VERIFY_BECAUSE_ENUM

extern const char *const verify_because_keys[VERIFY_BECAUSES];

/* One counter. Predicted and actual are per unit. */
struct verify_line {
	enum counter counter;
	bool derived;		 /* no recording holds it: actual is what they leave possible */
	struct counts predicted; /* total, for `units` of the recording */
	double lo;
	double likely;
	double hi;
	double actual_min; /* of all actual recordings: the spread, or all that is possible */
	double actual_max;
	double clock; /* what one trim more or less on each CPU moves */
	enum verify_because because;
};

struct verify {
	struct common common;
	struct whatif question; /* one policy */
	enum verify_per per;
	const char *event;	/* PER_EVENT, PER_CALL; else "" */
	enum flush_cause cause; /* PER_CALL */
	double tolerance;	/* 0.03 */
	struct verify_side recorded;
	const char **paths; /* of the actual recordings; owned, the strings are argv's */
	struct verify_side *actual;
	size_t n_actual;
	struct verify_line lines[3]; /* whatif_pair(), and IPIs where the policy flushes by them */
	size_t n_lines;
	struct clock_stats clock; /* of the recording that was predicted from */
	bool clock_untold;	  /* that is a summary, which does not tell what a trim moves */
};

/* Totals of a side as it was recorded, computed where a recording does not hold them. */
struct counts verify_recorded(const struct verify *v, const struct verify_side *side);

/* The policy that is verified, as it applies to the recording that is predicted from. */
const struct params *verify_params(const struct verify *v);

/* Reads all recordings and compares. Returns 0, or -1 with *err filled. */
int verify_answer(struct verify *v, struct error *err);
void verify_free(struct verify *v);

/* True where every counter agrees. */
bool verify_holds(const struct verify *v);

/* The writers. Errors stay in the FILE. */
void verify_text(struct sink *s, const struct verify *v);
void verify_json(struct sink *s, const struct verify *v);

#endif
