/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span.c - a small set of address ranges. */
#include "analyze/span.h"

void spans_add(struct spans *s, uint64_t start, uint64_t end)
{
	unsigned i = 0;

	while (i < s->n) {
		const struct span *other = &s->span[i];

		if (other->end < start || other->start > end) {
			i++;
			continue;
		}
		if (start > other->start)
			start = other->start;
		if (end < other->end)
			end = other->end;
		s->span[i] = s->span[--s->n];
		i = 0;
	}
	if (s->n == SPANS_MAX)
		s->full = true;
	else
		s->span[s->n++] = (struct span){ start, end };
}

bool spans_contain(const struct spans *s, uint64_t addr)
{
	for (unsigned i = 0; i < s->n; i++)
		if (addr >= s->span[i].start && addr < s->span[i].end)
			return true;
	return false;
}
