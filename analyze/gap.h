/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gap.h - how long a CPU pauses inside a request and between two: evidence, never a decision.
 *
 * Between two requests lie barriers, inside of one the loop runs on. Where a trace shows both sides
 * of that clearly, a longer pause in records that nothing else divides is a probable boundary. It is
 * shown, and never cuts: under an emulator 42 % of the pauses inside requests are long (policies 14).
 */
#ifndef TLBTRACE_GAP_H
#define TLBTRACE_GAP_H

#include <stdbool.h>
#include <stdint.h>

#define GAP_BUCKETS 64u /* bucket i: [2^i, 2^(i+1)) ns; 0 also holds 0 */

/* One CPU's pauses. */
struct gap_stats {
	uint64_t inside[GAP_BUCKETS];  /* longest of each run that is surely one request */
	uint64_t between[GAP_BUCKETS]; /* from one sure request to the next record of its task */
	uint64_t hidden[GAP_BUCKETS];  /* longest of each run that may be several requests */
};

void gap_note(uint64_t *buckets, uint64_t ns);

/*
 * The pause that no sure request had but most pairs of requests do, in ns; UINT64_MAX where the two
 * do not separate, or too few were seen.
 */
uint64_t gap_limit(const struct gap_stats *stats);

/* Runs that probably are several requests. */
uint64_t gap_probable(const struct gap_stats *stats);

#endif
