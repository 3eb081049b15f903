/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_share.c - the counters that x86's flush events hold. */
#include "analyze/x86_share.h"

struct tally x86_recorded(const struct x86_share *x86)
{
	struct tally t = { .n = { 0 } };

	t.n[COUNT_FLUSHES] = !x86->orphan;
	t.n[COUNT_INVLPG] = x86->partial_cpus * x86->pages;
	t.n[COUNT_CR3_WRITES] = x86->full_cpus;
	t.n[COUNT_IPIS] = x86->ipis_known ? x86->ipis_min : 0;
	return t;
}
