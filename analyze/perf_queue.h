/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_queue.h - the records of streams that can only be read once, handed out per CPU in time order.
 *
 * For pipes and compressed files. A record waits in its CPU's queue until nothing earlier can come
 * any more: until the stream's floor has passed it. A pipe's floor is what perf promises with
 * PERF_RECORD_FINISHED_ROUND (records up to the latest of the round before the last are complete); a
 * file was read once before, so its floor is known at every place. What waits is bounded: beyond
 * PERF_QUEUE_CAP reading fails.
 */
#ifndef TLBTRACE_PERF_QUEUE_H
#define TLBTRACE_PERF_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/perf_lane.h"
#include "analyze/perf_stream.h"

#define PERF_QUEUE_CAP (UINT64_C(256) << 20) /* bytes of records, with what they lie in */

/* The earliest time in and behind every so many records of a stream, noted in a first pass. */
#define PERF_FLOOR_STEP 1024

struct perf_floors {
	uint64_t *list; /* after perf_floors_finish(): nothing from record i * STEP on is earlier */
	uint64_t n;
	uint64_t room;
	uint64_t records;
};

int perf_floors_add(struct perf_floors *floors, uint64_t time_ns);
void perf_floors_finish(struct perf_floors *floors);

struct perf_feed {
	struct perf_stream stream;
	struct perf_floors floors;
	bool known; /* floors are: there was a first pass */
	bool ended;
	uint64_t records; /* of CPUs, read so far */
	uint64_t floor_ns;
	uint64_t round_ns; /* latest record when the last round ended */
	uint64_t latest_ns;
	uint64_t rounds;
};

/* A record that waits. */
struct perf_entry {
	uint64_t time_ns;
	uint64_t seq; /* of its feed */
	uint64_t offset;
	const uint8_t *data;
	struct perf_block *block;
	uint32_t feed;
	bool inflated;
};

struct perf_waiting {
	struct perf_entry *heap; /* the earliest first */
	uint64_t n;
	uint64_t room;
	uint64_t left;		 /* records of the CPU still to come, where known */
	struct perf_block *held; /* of the record handed out last */
};

struct perf_queue {
	const struct perf_rules *rules;
	struct perf_feed *feeds;
	uint32_t n_feeds;
	struct perf_waiting *cpus;
	uint32_t n_cpus;
	uint64_t bytes; /* of the entries */
	uint64_t *blocks_bytes;
	uint64_t cap;
	bool known; /* .left is */
	/* Told every record as it is read, with what perf_lane_of() said. -1: no memory. */
	int (*note)(void *context, uint32_t feed, const struct perf_record *rec,
		    enum perf_lane lane, const struct perf_sample *sample);
	void *context;
};

/* The next record of the CPU. Valid until its next call for the CPU. 1, 0 at the end, -1 with *err. */
int perf_queue_next(struct perf_queue *queue, uint32_t cpu, struct perf_record *rec,
		    struct error *err);

/* Frees the queues; feeds stay the caller's. */
void perf_queue_free(struct perf_queue *queue);

#endif
