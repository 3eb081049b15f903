/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.h - a small set of address ranges: what one call has flushed so far.
 *
 * Calls flush upwards, so ranges that touch become one and a call needs few; beyond SPANS_MAX the
 * set gives up and says so.
 */
#ifndef TLBTRACE_SPAN_H
#define TLBTRACE_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#define SPANS_MAX 64u

/* Bytes [start, end). */
struct span {
	uint64_t start;
	uint64_t end;
};

struct spans {
	struct span span[SPANS_MAX];
	unsigned n;
	bool full; /* a range was left out: what is not found may still have been added */
};

/* Adds [start, end); what it overlaps or touches becomes one range. */
void spans_add(struct spans *s, uint64_t start, uint64_t end);

/* True where addr lies in a range that was added. */
bool spans_contain(const struct spans *s, uint64_t addr);

#endif
