/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prices.h - classes under one policy, each kind of flush priced once.
 *
 * What a flush costs does not depend on whose it is, and a trace of many short processes has the same
 * few kinds of flush in each of their mms.
 */
#ifndef TLBTRACE_REPLAY_PRICES_H
#define TLBTRACE_REPLAY_PRICES_H

#include "replay/stateful.h"

struct priced;

/* The policy must outlive it. Zero but for alt and recorded; to be freed. */
struct prices {
	const struct params *alt;
	const struct model *recorded;
	struct priced *known;
	struct counts last;
};

/*
 * As stateful_class(): all flushes of the class are *times of what is returned, which is valid until
 * the next call. Never fails; short of memory it is only slower.
 */
const struct counts *prices_of(struct prices *p, const struct class *c,
			       const struct call_evidence *calls, uint64_t *times);
void prices_free(struct prices *p);

#endif
