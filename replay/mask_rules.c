/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mask_rules.c - what the kernels decide at a flush: local, global or none, and whom they trim. */
#include "replay/cpumask.h"
#include "replay/mask.h"

/*
 * exit_flush_lazy_tlbs(): an IPI to each CPU of the mask but the own. Each flushes, and leaves the
 * mask unless it runs a task of the mm; before a665eec0a22e the sender set the mask to itself.
 */
static void trim_others(enum trim kind, uint64_t *mask, size_t words, const struct mask_question *q,
			uint64_t *sent, struct mask_answer *a)
{
	for (size_t word = 0; word < words; word++) {
		for (uint64_t left = mask[word]; left; left &= left - 1) {
			uint32_t cpu = (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(left);

			if (cpu == q->cpu)
				continue;
			a->ipis++;
			a->trims++;
			if (sent)
				sent[cpu]++;
			if (kind == TRIM_V4_18 || !cpus_have(q->running, cpu))
				cpus_drop(mask, cpu);
		}
	}
	if (kind == TRIM_V4_18)
		cpus_add(mask, q->cpu);
}

static void trim_self(uint64_t *mask, const struct mask_question *q, struct mask_answer *a)
{
	cpus_drop(mask, q->cpu);
	a->trims++;
}

static bool clock_fires(uint16_t *tick, struct mask_answer *a)
{
	a->ticked = true;
	if (!tick || ++*tick < TRIM_CLOCK)
		return false;
	*tick = 0;
	a->fired = true;
	return true;
}

/* Rows 7 to 11 of policies 2.3, and 1 to 4 before them. */
static uint8_t flush_type_needed(enum trim kind, uint64_t *mask, size_t words, uint16_t *tick,
				 const struct mask_question *q, uint64_t *sent,
				 struct mask_answer *a)
{
	uint16_t active = cpus_weight(mask, words);
	bool self = cpus_have(mask, q->cpu);

	if (active == 0)
		return MACHINE_NONE;
	if (active == 1 && self) {
		if (q->mine || !clock_fires(tick, a))
			return MACHINE_LOCAL;
		trim_self(mask, q, a);
		return MACHINE_NONE;
	}
	if (q->fullmm && kind != TRIM_V6_6)
		return MACHINE_GLOBAL;
	if (!(q->users <= 1 && q->mine) && !clock_fires(tick, a))
		return MACHINE_GLOBAL;
	trim_others(kind, mask, words, q, sent, a);
	if (q->mine)
		return MACHINE_LOCAL;
	if (self)
		trim_self(mask, q, a);
	return MACHINE_NONE;
}

/* v4.15 to v5.11: mm_is_thread_local(), and from v4.18 mm_is_singlethreaded(). */
static uint8_t thread_local_rule(enum trim kind, uint64_t *mask, size_t words,
				 const struct mask_question *q, uint64_t *sent,
				 struct mask_answer *a)
{
	if (cpus_weight(mask, words) <= 1 && cpus_have(mask, q->cpu))
		return MACHINE_LOCAL;
	if (kind == TRIM_NONE || q->fullmm || !q->mine || q->users > 1)
		return MACHINE_GLOBAL;
	trim_others(kind, mask, words, q, sent, a);
	return MACHINE_LOCAL;
}

struct mask_answer mask_decide(enum trim kind, uint64_t *mask, size_t words, uint16_t *tick,
			       const struct mask_question *q, uint64_t *sent)
{
	struct mask_answer a = { .scope = MACHINE_NONE };

	if (kind < TRIM_V5_12) {
		a.scope = thread_local_rule(kind, mask, words, q, sent, &a);
	} else {
		if (kind == TRIM_V6_6 && q->fullmm)
			trim_others(kind, mask, words, q, sent, &a);
		a.scope = flush_type_needed(kind, mask, words, tick, q, sent, &a);
		/* The other thread mostly runs, or is back on its CPU before the mask is asked. */
		if (q->beside && a.scope == MACHINE_LOCAL && a.ipis) {
			a.scope = MACHINE_GLOBAL;
			a.targets = a.ipis;
			return a;
		}
	}
	a.targets = a.scope == MACHINE_GLOBAL ? cpus_others(mask, words, q->cpu) : 0;
	return a;
}
