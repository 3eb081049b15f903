/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeat.h - records of a loop, which are alike but for one number that grows by the same step.
 *
 * Most of a trace of TLB flushes are such records: page after page of a range, set after set of a
 * PID. A source can pass over them without making events.
 */
#ifndef TLBTRACE_REPEAT_H
#define TLBTRACE_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/bytes.h"

#define REPEAT_WORDS 8
#define REPEAT_BYTES (REPEAT_WORDS * 8) /* powerpc:tlbie of any 64-bit kernel */

struct repeat {
	uint64_t words[REPEAT_WORDS]; /* the record that must come next, in its own byte order */
	uint32_t word;		      /* which of them grows */
	bool big_endian;
	uint64_t next; /* what it must be next */
	uint64_t step;
	uint64_t max;	  /* how many may still be passed over */
	uint64_t until;	  /* records from this raw time on must not be passed over */
	uint64_t longest; /* raw time between two of them, or from the one before; so far */
};

static inline void repeat_expect(struct repeat *r)
{
	r->words[r->word] = r->big_endian == host_is_big_endian() ? r->next
								  : __builtin_bswap64(r->next);
}

/* After the record data[0, REPEAT_BYTES), whose number is that in word. */
static inline void repeat_start(struct repeat *r, const uint8_t *data)
{
	memcpy(r->words, data, sizeof(r->words));
	r->next = load_u64(data + (size_t)8 * r->word, r->big_endian) + r->step;
	repeat_expect(r);
}

/* Whether data[0, REPEAT_BYTES) is the next record of the loop; if so, expects the one behind it. */
static inline bool repeat_matches(struct repeat *r, const uint8_t *data)
{
	uint64_t differs = 0;
	uint64_t words[REPEAT_WORDS];

	memcpy(words, data, sizeof(words));
	for (int i = 0; i < REPEAT_WORDS; i++)
		differs |= words[i] ^ r->words[i];
	if (differs)
		return false;
	r->next += r->step;
	repeat_expect(r);
	return true;
}

#endif
