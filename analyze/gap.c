/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gap.c - pauses of a CPU, by their order of magnitude. */
#include "analyze/gap.h"

#define GAP_SAMPLES 32u /* fewer sure requests tell nothing */

void gap_note(uint64_t *buckets, uint64_t ns)
{
	buckets[ns ? 63 - __builtin_clzll(ns) : 0]++;
}

static uint64_t sum_from(const uint64_t *buckets, unsigned first)
{
	uint64_t sum = 0;

	for (unsigned i = first; i < GAP_BUCKETS; i++)
		sum += buckets[i];
	return sum;
}

/* The first bucket above all pauses inside of requests. */
static unsigned above_inside(const struct gap_stats *stats)
{
	unsigned top = GAP_BUCKETS;

	while (top > 0 && stats->inside[top - 1] == 0)
		top--;
	return top;
}

uint64_t gap_limit(const struct gap_stats *stats)
{
	unsigned top = above_inside(stats);

	if (top == GAP_BUCKETS || sum_from(stats->inside, 0) < GAP_SAMPLES ||
	    sum_from(stats->between, 0) < GAP_SAMPLES ||
	    sum_from(stats->between, top) * 2 < sum_from(stats->between, 0))
		return UINT64_MAX;
	return UINT64_C(1) << top;
}

uint64_t gap_probable(const struct gap_stats *stats)
{
	if (gap_limit(stats) == UINT64_MAX)
		return 0;
	return sum_from(stats->hidden, above_inside(stats));
}
