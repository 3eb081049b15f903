/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count.c - arithmetic on counters and their intervals. */
#include "analyze/count.h"

#include <string.h>

#define COUNTERS_KEY(id, key, what) [id] = key,
const char *const counter_keys[COUNTERS] = { COUNTERS_X(COUNTERS_KEY) };
#define COUNTERS_TEXT(id, key, what) [id] = what,
const char *const counter_texts[COUNTERS] = { COUNTERS_X(COUNTERS_TEXT) };

enum counter counter_by_key(const char *key)
{
	for (size_t i = 0; i < COUNTERS; i++)
		if (strcmp(counter_keys[i], key) == 0)
			return (enum counter)i;
	return COUNTERS;
}

static uint64_t add_saturated(uint64_t sum, uint64_t add, uint64_t times)
{
	uint64_t product;
	uint64_t out;

	if (__builtin_mul_overflow(add, times, &product) ||
	    __builtin_add_overflow(sum, product, &out))
		return UINT64_MAX;
	return out;
}

void tally_add(struct tally *sum, const struct tally *add, uint64_t times)
{
	for (size_t i = 0; i < COUNTERS; i++)
		if (add->n[i]) /* most are 0 */
			sum->n[i] = add_saturated(sum->n[i], add->n[i], times);
}

void tally_sum_tlbie(struct tally *t)
{
	uint64_t sum = 0;

	for (size_t i = COUNT_TLBIE_VA; i <= COUNT_TLBIE_HASH; i++)
		sum = add_saturated(sum, t->n[i], 1);
	t->n[COUNT_TLBIE] = sum;
}

void counts_include(struct counts *c, const struct tally *t)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		if (t->n[i] < c->lo.n[i])
			c->lo.n[i] = t->n[i];
		if (t->n[i] > c->hi.n[i])
			c->hi.n[i] = t->n[i];
	}
}

void counts_include_both(struct counts *c, const struct counts *other)
{
	counts_include(c, &other->lo);
	counts_include(c, &other->hi);
}

struct counts counts_exact(const struct tally *t)
{
	return (struct counts){ .lo = *t, .likely = *t, .hi = *t };
}

void counts_add(struct counts *sum, const struct counts *add, uint64_t times)
{
	tally_add(&sum->lo, &add->lo, times);
	tally_add(&sum->likely, &add->likely, times);
	tally_add(&sum->hi, &add->hi, times);
	sum->open |= add->open;
}
