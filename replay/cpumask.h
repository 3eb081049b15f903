/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpumask.h - sets of CPUs: bit cpu % 64 of word cpu / 64. Whoever asks sees to it that there are as many
 * words.
 */
#ifndef TLBTRACE_REPLAY_CPUMASK_H
#define TLBTRACE_REPLAY_CPUMASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool cpus_have(const uint64_t *mask, uint32_t cpu)
{
	return mask[cpu / 64] >> (cpu % 64) & 1;
}

static inline void cpus_add(uint64_t *mask, uint32_t cpu)
{
	mask[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static inline void cpus_drop(uint64_t *mask, uint32_t cpu)
{
	mask[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

/* How many, at most UINT16_MAX. */
static inline uint16_t cpus_weight(const uint64_t *mask, size_t words)
{
	unsigned n = 0;

	for (size_t i = 0; i < words; i++)
		n += (unsigned)__builtin_popcountll(mask[i]);
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

/* The same without cpu. */
static inline uint16_t cpus_others(const uint64_t *mask, size_t words, uint32_t cpu)
{
	return (uint16_t)(cpus_weight(mask, words) - cpus_have(mask, cpu));
}

#endif
