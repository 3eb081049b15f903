/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h - an estimate of time: counters times what one of each takes. Only what the user says; there
 * is no default.
 */
#ifndef TLBTRACE_REPLAY_COST_H
#define TLBTRACE_REPLAY_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/count.h"
#include "analyze/error.h"

struct cost {
	bool given;
	bool seed;	       /* from seed 000's table: see docs/seed-000.md */
	uint64_t ps[COUNTERS]; /* picoseconds of one */
};

/*
 * Parses "tlbie=620ns,ipi=1.5us,…", with the keys of counters (ipi and hcall for short) and ns, us or
 * ms, or "seed". Parts of tlbie have no cost of their own. Returns 0, or -1 with *err (ERROR_USAGE).
 */
int cost_parse(struct cost *c, const char *text, struct error *err);

/* Nanoseconds of a tally, rounded down; saturates. */
uint64_t cost_of(const struct cost *c, const struct tally *t);

#endif
