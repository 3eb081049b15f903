/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h - limits on counters, as a CI job sets them, and whether an interval keeps to them.
 *
 *	[mm:NAME ]COUNTER<=LIMIT	LIMIT: 60000, 2.5k, 1M, 200/s, 2k/s, 90% of recorded
 */
#ifndef TLBTRACE_REPLAY_BUDGET_H
#define TLBTRACE_REPLAY_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/count.h"
#include "analyze/error.h"

enum budget_unit {
	BUDGET_COUNT,
	BUDGET_PER_SECOND,
	BUDGET_PERCENT, /* of what was recorded */
};

struct budget {
	char text[160]; /* as it was given */
	char mm[64];	/* name or tgid of address spaces, "" for all */
	enum counter counter;
	enum budget_unit unit;
	bool strict;	      /* less than, not at most */
	uint64_t thousandths; /* the limit, times 1000 */
};

enum verdict {
	VERDICT_HOLDS,
	VERDICT_EXCEEDED,
	VERDICT_UNDECIDED, /* the ends of an interval disagree */
	VERDICTS
};

/* "holds", "exceeded", "undecided". */
extern const char *const verdict_names[VERDICTS];

/* Parses a budget. On failure returns -1 with *err (ERROR_USAGE) saying what is valid. */
int budget_parse(struct budget *b, const char *text, struct error *err);

/* A share such as "99%", "2.5 %", in thousandths of a percent. -1 with *err (ERROR_USAGE). */
int percent_parse(const char *option, const char *text, uint64_t *thousandths, struct error *err);

/* What a budget is held against: both ends of the counter. */
struct budget_case {
	uint64_t lo;
	uint64_t hi;
	uint64_t recorded_lo; /* the recorded policy's; lo == hi where the trace holds the counter */
	uint64_t recorded_hi;
	uint64_t duration_ns; /* of what is counted; 0 unknown */
};

/* A rate without a duration is undecided. */
enum verdict budget_decide(const struct budget *b, const struct budget_case *c);

/*
 * Whether now is at most `regress` thousandths of a percent above before. The ends of the two intervals
 * are compared each with its own: what did not change is no regression, however wide it is.
 */
enum verdict regress_decide(uint64_t before_lo, uint64_t before_hi, uint64_t now_lo,
			    uint64_t now_hi, uint64_t regress);

#endif
