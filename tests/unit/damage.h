/* SPDX-License-Identifier: GPL-2.0-or-later */
/* damage.h - pseudo-random damage to files, the same on every run. */
#ifndef TLBTRACE_TEST_DAMAGE_H
#define TLBTRACE_TEST_DAMAGE_H

#include <stdint.h>

#include "tracebuild.h"

/* The next number after *state, which must not be 0. */
uint64_t next_random(uint64_t *state);

/* How many of each kind to try: TLBTRACE_MUTATIONS, or 12. */
unsigned mutations(void);

/* The i-th damage of its kind, at places that the seed says. */
void flip_bits(struct block *file, uint64_t *seed, unsigned i);
void zero_block(struct block *file, uint64_t *seed, unsigned i);

#endif
