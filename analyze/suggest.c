/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suggest.c - nearest words. */
#include "analyze/suggest.h"

#include <stdio.h>
#include <string.h>

#define WORD_MAX 63

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

size_t edit_distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1];
	size_t len = strlen(b);

	if (len > WORD_MAX || strlen(a) > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t above_left = row[0]; /* of the row above */

		row[0] = i + 1;
		for (size_t j = 0; j < len; j++) {
			size_t above = row[j + 1];

			row[j + 1] = least(above + 1, row[j] + 1, above_left + (a[i] != b[j]));
			above_left = above;
		}
	}
	return row[len];
}

struct suggestion suggest_for(const char *word)
{
	/* One slip in a short word, up to a third of a long one. */
	size_t len = strlen(word);

	return (struct suggestion){ .word = word, .distance = (len < 4 ? 1 : len / 3) + 1 };
}

void suggest_offer(struct suggestion *s, const char *candidate)
{
	size_t distance = edit_distance(s->word, candidate);

	if (distance >= s->distance)
		return;
	s->distance = distance;
	s->best = candidate;
}

const char *suggest_text(const struct suggestion *s, char *buf, size_t size)
{
	*buf = '\0';
	if (s->best)
		(void)snprintf(buf, size, "did you mean '%s'? It ", s->best);
	return buf;
}
