/* SPDX-License-Identifier: GPL-2.0-or-later */
/* damage.c - pseudo-random damage to files, the same on every run. */
#include "damage.h"

#include <stdlib.h>
#include <string.h>

/* xorshift64* */
uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

unsigned mutations(void)
{
	const char *text = getenv("TLBTRACE_MUTATIONS");

	return text ? (unsigned)strtoul(text, NULL, 10) : 12;
}

void flip_bits(struct block *file, uint64_t *seed, unsigned i)
{
	/* one to four bytes; every other time all in the first 16 KB, where the headers are */
	for (unsigned n = 0; n <= i % 4; n++) {
		size_t at = next_random(seed) % (i % 2 && file->size > 16384 ? 16384 : file->size);

		file->data[at] ^= (uint8_t)(1 + next_random(seed) % 255);
	}
}

void zero_block(struct block *file, uint64_t *seed, unsigned i)
{
	size_t len = (size_t)1 << (2 + i % 14);
	size_t at = next_random(seed) % file->size;

	if (len > file->size - at)
		len = file->size - at;
	memset(file->data + at, i % 3 ? 0 : 0xff, len);
}
