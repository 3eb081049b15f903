/* SPDX-License-Identifier: GPL-2.0-or-later */
/* damage.h - pseudo-random damage to files, the same on every run. */
#ifndef TLBTRACE_TEST_DAMAGE_H
#define TLBTRACE_TEST_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/source.h"
#include "tracebuild.h"

/* The next number after *state, which must not be 0. */
uint64_t next_random(uint64_t *state);

/* How many of each kind to try: TLBTRACE_MUTATIONS, or 12. */
unsigned mutations(void);

/* The i-th damage of its kind, at places that the seed says; half of the cuts at the ends of the file. */
size_t cut_at(size_t size, uint64_t *seed, unsigned i);
void flip_bits(struct block *file, uint64_t *seed, unsigned i);
void zero_block(struct block *file, uint64_t *seed, unsigned i);

/* What reading a damaged file gave. */
struct outcome {
	uint64_t events;
	bool opened;
	bool noticed; /* an error, or something in source_info */
};

/* Opens what is damaged; as source_open. */
typedef struct source *(*damage_open)(void *of, struct error *err);

/*
 * Opens with open(of), reads to the end and closes. Fails the test where a CPU's times run backwards, where
 * words are missing or more than a line, and where it took 2 s of computing or 256 MB; these two not where
 * TLBTRACE_SLOW is set: under emulators, valgrind and sanitizers.
 */
struct outcome damage_read(damage_open open, void *of);

/* Flips and zeroed blocks of the file, each read by read(of, copy); prints name, kind and number of each. */
typedef struct outcome (*damage_reader)(const void *of, struct block *file);
void damage_and_read(const struct block *file, const char *name, uint64_t seed, damage_reader read,
		     const void *of);

#endif
