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

/* The words of a record two by two: compilers compare these by vector instructions. */
typedef uint64_t repeat_pair __attribute__((vector_size(16)));
#define REPEAT_PAIRS 4

struct repeat {
	repeat_pair words[REPEAT_PAIRS]; /* a record of the loop, in its own byte order */
	repeat_pair same[REPEAT_PAIRS];	 /* all ones but for the word that grows */
	uint32_t word;			 /* which that is */
	bool big_endian;
	uint64_t next; /* what it must be next */
	uint64_t step;
	uint64_t max;	  /* how many may still be passed over */
	uint64_t until;	  /* records from this raw time on must not be passed over */
	uint64_t longest; /* raw time between two of them, or from the one before; so far */
};

/* After the record data[0, REPEAT_BYTES), whose number is that in word. */
static inline void repeat_start(struct repeat *r, const uint8_t *data)
{
	memcpy(r->words, data, sizeof(r->words));
	memset(r->same, 0xff, sizeof(r->same));
	r->same[r->word / 2][r->word % 2] = 0;
	r->next = load_u64(data + (size_t)8 * r->word, r->big_endian) + r->step;
}

static inline repeat_pair repeat_differs(const struct repeat *r, const uint8_t *data, int pair)
{
	repeat_pair there;

	memcpy(&there, data + sizeof(there) * (size_t)pair, sizeof(there));
	return (there ^ r->words[pair]) & r->same[pair];
}

/*
 * Whether data[0, REPEAT_BYTES) is the next record of the loop; if so, expects the one behind it.
 * big_endian is r's: a constant where it is known.
 */
static inline bool repeat_matches(struct repeat *r, const uint8_t *data, bool big_endian)
{
	repeat_pair differs = repeat_differs(r, data, 0) | repeat_differs(r, data, 1) |
			      repeat_differs(r, data, 2) | repeat_differs(r, data, 3);

	if (differs[0] | differs[1] || load_u64(data + (size_t)8 * r->word, big_endian) != r->next)
		return false;
	r->next += r->step;
	return true;
}

#endif
