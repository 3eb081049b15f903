/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep_price.h - where what a trace's flushes cost changes along the ceilings of a sweep.
 *
 * The rows of a sweep are its ceilings. All arithmetic wraps: differences are stored as they are, and
 * their sums come out right.
 */
#ifndef TLBTRACE_REPLAY_SWEEP_PRICE_H
#define TLBTRACE_REPLAY_SWEEP_PRICE_H

#include <stddef.h>
#include <stdint.h>

#include "replay/kinds.h"
#include "replay/sweep.h"

/* What a row and those behind it have more than continuing the rows before would give. */
struct sweep_change {
	struct sweep_line step;	 /* once */
	struct sweep_line slope; /* more with every further row */
	uint64_t open;		 /* kinds of flush with no reading to be preferred */
};

struct sweep_changes {
	size_t n_rows;
	uint32_t *at; /* [n_rows]: 1 + index of the row's change, or 0 */
	struct sweep_change *change;
	size_t n;
	size_t room;
};

/*
 * Prices every kind, of kinds_find(), under base at the ceilings of the range (at least one row).
 * Returns 0, or -1 where memory is short. The caller frees *out either way.
 */
int sweep_price(struct sweep_changes *out, const struct kinds *kinds, const struct model *recorded,
		const struct params *base, const struct sweep_range *range);
void sweep_changes_free(struct sweep_changes *c);

#endif
