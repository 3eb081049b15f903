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

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyze/perf_walk.h"
#include "analyze/source.h"

#define PERF_QUEUE_CAP (UINT64_C(256) << 20) /* bytes of records, with what they lie in */

/* The earliest time in and behind every so many records of a stream, noted in a first pass. */
#define PERF_FLOOR_STEP 1024

struct perf_floors {
	uint64_t *list; /* after perf_floors_finish(): nothing from record i * STEP on is earlier */
	uint64_t n;
	uint64_t room;
	uint64_t records;
};

/* n > 0 records that are not earlier than time_ns. -1: no memory. */
int perf_floors_add(struct perf_floors *floors, uint64_t time_ns, uint64_t n);
void perf_floors_finish(struct perf_floors *floors);

/* A stretch that is being read: it goes on as long as its records lie one behind the other. */
struct perf_open {
	struct perf_stretch on;
	uint64_t last_ns;
	uint32_t cpu;
	bool is_open;
};

struct perf_feed {
	struct perf_stream stream;
	struct perf_floors floors;
	bool known; /* floors are: there was a first pass */
	bool ended;
	uint64_t records; /* of CPUs, read so far */
	uint64_t seq;	  /* stretches, so far */
	uint64_t floor_ns;
	uint64_t round_ns; /* latest record when the last round ended */
	uint64_t latest_ns;
	uint64_t rounds;
	struct perf_open open;
};

/* One CPU's records: stretches that wait, and those that are walked. */
struct perf_waiting {
	struct perf_stretch *heap; /* the earliest first; with their blocks held */
	uint64_t n;
	uint64_t room;
	struct perf_walk walk; /* from here on its reader's alone */
	uint64_t limit_ns;     /* nothing earlier will come any more */
	uint64_t quiet_ns;     /* the limit of which its reader was told */
	uint64_t left;	       /* records of the CPU still to come, where known */
};

struct perf_queue {
	const struct perf_rules *rules;
	struct perf_feed *feeds;
	uint32_t n_feeds;
	struct perf_waiting *cpus;
	uint32_t n_cpus;
	uint64_t bytes; /* of the stretches' descriptions */
	perf_account *blocks_bytes;
	uint64_t cap;
	bool known; /* .left is */
	/* Told every record as it is read, with what perf_lane_of() said; NULL: nobody asks. -1: no
	 * memory. */
	int (*note)(void *context, uint32_t feed, const struct perf_record *rec,
		    enum perf_lane lane, const struct perf_sample *sample);
	void *context;

	pthread_mutex_t lock;  /* all above but what is a reader's alone; not the streams */
	pthread_cond_t filled; /* for readers: something was read */
	pthread_cond_t wanted; /* for the thread that reads ahead */
	pthread_t ahead;
	bool has_thread;
	bool stop;
	uint32_t waiters;
	bool failed; /* nothing more is read: .err says why */
	struct error err;
};

/* After all above the lock but .cpus is filled. -1: no memory. */
int perf_queue_start(struct perf_queue *queue);

/*
 * After .cpus[].left are filled: a thread of its own reads and inflates from here on, if one can be
 * had. Not for a pipe, whose reading cannot be left.
 */
void perf_queue_read_ahead(struct perf_queue *queue);

/*
 * The next record of the CPU. *at is valid until its next call for the CPU. 1, 0 at the end, -1 with
 * *err; SOURCE_QUIET: the CPU has none before its .quiet_ns, and much of other CPUs waits. Different
 * CPUs may be read by different threads.
 */
int perf_queue_next(struct perf_queue *queue, uint32_t cpu, const struct perf_walker **at,
		    struct error *err);

/* As perf_walk_repeat(); sets repeat->until. */
uint64_t perf_queue_repeat(struct perf_queue *queue, uint32_t cpu, struct repeat *repeat);

/* Frees the queues, also those that were never started; feeds stay the caller's. */
void perf_queue_free(struct perf_queue *queue);

#endif
