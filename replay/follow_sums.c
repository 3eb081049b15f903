/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow_sums.c - which kind of trims a recording fits. */
#include "replay/follow_sums.h"

/* Flushes whose recorded scope the rules of this kind do not give. */
static uint64_t misses(const struct follow_sums *s, enum trim kind)
{
	return s->scope[kind].flushes - s->scope[kind].agree;
}

/*
 * The phase of the trim clock and what ran before the trace cost any kind a few flushes, so one is
 * preferred to what the release says only where it misses far fewer.
 */
static bool is_better(const struct follow_sums *s, enum trim kind, enum trim than)
{
	return misses(s, than) > 2 * misses(s, kind) + 3;
}

void follow_sums_fit(struct follow_sums *s)
{
	for (unsigned assumed = 0; assumed < TRIMS; assumed++) {
		enum trim best = (enum trim)assumed;

		for (unsigned i = 0; i < TRIMS; i++)
			if (is_better(s, (enum trim)i, best))
				best = (enum trim)i;
		s->fits[assumed] = (uint8_t)best;
	}
}
