/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_walk.h - one CPU's records in the order of time, from stretches of memory.
 *
 * perf writes one ring buffer after the other, so a CPU's records come in stretches, each in order of
 * time. Stretches that overlap in time (several rings had events of the CPU) are merged while they are
 * walked.
 */
#ifndef TLBTRACE_PERF_WALK_H
#define TLBTRACE_PERF_WALK_H

#include "analyze/perf_lane.h"
#include "analyze/perf_stream.h"
#include "analyze/repeat.h"

/* Records one behind the other; those of other CPUs, and what is no event, may be among them. */
struct perf_stretch {
	const uint8_t *data;
	const uint8_t *end;
	uint64_t offset;   /* of data, in its file or in what its file inflates to */
	uint64_t first_ns; /* earliest of the CPU's records */
	uint64_t seq;	   /* its place among the stretches of its file */
	uint32_t feed;	   /* which file */
	bool inflated;
	bool sorted;		  /* the CPU's records are in order of time */
	struct perf_block *block; /* that data is in; NULL: somewhere that stays */
};

struct perf_walker {
	struct perf_stretch on;
	uint64_t time_ns;	/* of .rec */
	struct perf_record rec; /* the next one */
	struct perf_sample sample;
	struct perf_place *places; /* unsorted: all of the CPU's records by time */
	uint32_t n;
	uint32_t next;
};

struct perf_walk {
	const struct perf_rules *rules;
	uint32_t cpu;
	struct perf_walker *heap; /* the earliest record first */
	uint32_t n;
	uint32_t room;
	bool taken; /* heap[0]'s record was handed out */
};

/* Adds a stretch, none of whose records is earlier than one handed out, and holds its block. -1: no
 * memory. */
int perf_walk_add(struct perf_walk *walk, const struct perf_stretch *stretch);

/* Moves behind the record handed out last. Returns the time of the next one, UINT64_MAX if none is
 * left. */
uint64_t perf_walk_time(struct perf_walk *walk);

/* The record of that time, valid until the next call; only if there is one. */
const struct perf_walker *perf_walk_take(struct perf_walk *walk);

/*
 * Passes over samples that follow the one taken last and differ from it in nothing but the time and
 * the number that *repeat expects, in their trace event's record. Returns how many; *repeat.longest
 * is updated.
 */
uint64_t perf_walk_repeat(struct perf_walk *walk, struct repeat *repeat);

void perf_walk_free(struct perf_walk *walk);

#endif
