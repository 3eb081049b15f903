/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow_sums.h - what following a trace came to, in plain numbers: all that stateful policies ask.
 */
#ifndef TLBTRACE_REPLAY_FOLLOW_SUMS_H
#define TLBTRACE_REPLAY_FOLLOW_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/lazy.h"
#include "replay/mask.h"

struct follow_sums {
	uint32_t cpus;
	uint64_t switches;   /* 0: masks know only where flushes and system calls were */
	bool multicast;	     /* masks_multicast() */
	uint64_t incomplete; /* masks_incomplete() */
	uint64_t against;    /* masks_against() */
	struct mask_scope scope[TRIMS];
	struct mask_totals totals[TRIMS]; /* their arrays have [cpus] and are not this struct's */
	struct lazy_totals lazy;
	const struct lazy_row *rows; /* as lazy_rows() */
	size_t n_rows;
	const uint64_t *shots_to[TRIMS]; /* lazy_shots_to(), [cpus] */
	/* The kind of trims that the recorded scopes fit, by the kind that would else be assumed. */
	uint8_t fits[TRIMS];
};

/* Sets fits from scope. */
void follow_sums_fit(struct follow_sums *s);

#endif
