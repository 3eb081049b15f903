/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.c - rows against the requests that probes saw, by the records that each has. */
#include "truth.h"

static bool same_stream(const struct request *a, const struct request *b)
{
	return a->cpu == b->cpu && a->irq == b->irq;
}

static bool overlap(const struct request *a, const struct request *b)
{
	return same_stream(a, b) && a->record < b->record + b->records &&
	       b->record < a->record + a->records;
}

/* True where a lies wholly before b in their order. */
static bool before(const struct request *a, const struct request *b)
{
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	if (a->irq != b->irq)
		return !a->irq;
	return a->record + a->records <= b->record;
}

static bool is_exact(const struct request *told, const struct request *found)
{
	return same_stream(told, found) && told->record == found->record &&
	       told->records == found->records &&
	       (!told->by_va || (told->start == found->start && told->end == found->end));
}

static uint64_t common(const struct request *a, const struct request *b)
{
	uint64_t from = a->record > b->record ? a->record : b->record;
	uint64_t a_end = a->record + a->records;
	uint64_t b_end = b->record + b->records;

	return (a_end < b_end ? a_end : b_end) - from;
}

static struct score *score_of(struct truth *t, const struct request *told)
{
	if (!told->by_va)
		return &t->whole;
	return told->local ? &t->local : &t->global;
}

/* Judges one request by the rows from `at` on, the first of which does not lie before it. */
static void judge(struct score *s, const struct request *told, const struct requests *found,
		  size_t at)
{
	uint64_t covered = 0;
	bool sure = false;

	s->told++;
	for (size_t i = at; i < found->n && overlap(told, &found->item[i]); i++) {
		const struct request *row = &found->item[i];

		covered += common(told, row);
		if (is_exact(told, row)) {
			s->exact++;
			s->seen += row->known == KNOWN_SEEN;
			return;
		}
		sure |= row->known == KNOWN_SEEN || row->known == KNOWN_CENSORED;
	}
	if (covered != told->records)
		s->lost++;
	else if (sure)
		s->wrong++;
	else
		s->ambiguous++;
}

/* Rows that share records, or that have records which no request of the other reading has. */
static uint64_t count_invented(const struct requests *told, const struct requests *found)
{
	uint64_t invented = 0;
	size_t at = 0;

	for (size_t i = 0; i < found->n; i++) {
		const struct request *row = &found->item[i];

		while (at < told->n && before(&told->item[at], row))
			at++;
		if (at == told->n || !overlap(&told->item[at], row) ||
		    (i > 0 && overlap(&found->item[i - 1], row)))
			invented++;
	}
	return invented;
}

void truth_compare(struct truth *t, const struct requests *told, const struct requests *found)
{
	size_t at = 0;

	*t = (struct truth){ .invented = count_invented(told, found) };
	for (size_t i = 0; i < told->n; i++) {
		const struct request *r = &told->item[i];

		while (at < found->n && before(&found->item[at], r))
			at++;
		if (r->told)
			judge(score_of(t, r), r, found, at);
	}
}
