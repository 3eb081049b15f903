/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_checks.h - what a CI job demands of an answer, and whether it holds.
 */
#ifndef TLBTRACE_CMD_WHATIF_CHECKS_H
#define TLBTRACE_CMD_WHATIF_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"
#include "cmd/common.h"
#include "replay/budget.h"

struct whatif;

/* What is demanded. */
struct demands {
	struct budget *budgets; /* owned */
	size_t n_budgets;
	const char *baseline; /* a file that whatif --format=json wrote; NULL: none */
	bool update_baseline; /* write it instead of comparing */
	bool has_regress;
	uint64_t regress; /* thousandths of a percent */
	const char *min_fidelity;
	uint64_t fidelity; /* thousandths of a percent; where min_fidelity is given */
};

/* How one demand came out, for one input and policy. */
struct check {
	char check[200];    /* "tlbie<=60000", "min-fidelity 99%", "baseline tlbie +2%" */
	const char *input;  /* NULL: the total of all inputs */
	const char *policy; /* NULL: the recorded one */
	enum verdict verdict;
	char why[400]; /* numbers; where undecided also what to record */
};

struct checks {
	struct check *list; /* owned */
	size_t n;
};

int demands_add_budget(struct demands *d, const char *text, struct error *err);

/* A new check at the end of the list, all zero: it holds. NULL with *err filled: no memory. */
struct check *checks_add(struct checks *c, struct error *err);

/*
 * Holds the answer against what is demanded. Returns 0, or -1 with *err filled: a counter that the
 * machine does not have, an unreadable baseline, no memory.
 */
int checks_run(struct checks *out, const struct demands *d, const struct whatif *w,
	       const struct common *c, struct error *err);
bool checks_hold(const struct checks *c);

void demands_free(struct demands *d);
void checks_free(struct checks *c);

#endif
