/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_index.h - where in mapped files each CPU's records are, and a walk over them in time order.
 *
 * perf writes one ring buffer after the other, so a CPU's records come in spans, each in order. The
 * index keeps one entry per span; when they become too many, neighbours are joined over the records
 * of other CPUs that lie between them. Spans of one CPU that overlap in time (several rings had
 * events of the CPU, or a ring was written backwards) are merged while they are walked.
 */
#ifndef TLBTRACE_PERF_INDEX_H
#define TLBTRACE_PERF_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/perf_lane.h"

struct perf_span {
	uint64_t at;	   /* of its first record */
	uint64_t end;	   /* behind its last record */
	uint64_t first_ns; /* earliest of its records */
	uint64_t last_ns;  /* latest */
	uint32_t feed;	   /* which file */
	bool sorted;
};

struct perf_spans {
	struct perf_span *list;
	uint64_t n;
	uint64_t room;
	uint64_t records;
};

struct perf_index {
	struct perf_spans *cpus;
	uint32_t n_cpus;
	uint64_t spans; /* of all CPUs */
	uint64_t max_spans;
	uint64_t gap; /* bytes of other CPUs' records that a span may contain */
};

/* The records of a file that spans are in. */
struct perf_feed_map {
	const uint8_t *data;
	bool mapped; /* pages may be given back */
};

/* Where a walk is in one span. */
struct perf_walker {
	const struct perf_span *span;
	uint64_t time_ns; /* of the record at .at */
	uint64_t at;
	struct perf_place *places; /* unsorted: all of the span's records by time */
	uint32_t n;
	uint32_t next;
	struct perf_record rec; /* at .at, where .found */
	struct perf_sample sample;
	bool found;
};

struct perf_cursor {
	const struct perf_rules *rules;
	const struct perf_feed_map *maps; /* by perf_span.feed */
	uint32_t cpu;
	const struct perf_spans *spans;
	uint64_t next;		  /* the first span that is not walked yet */
	struct perf_walker *heap; /* the earliest record first */
	uint32_t n;
	uint32_t room;
	bool taken; /* heap[0]'s record was handed out */
	uint64_t dropped;
};

/* max_spans bounds the memory: 48 bytes each. */
void perf_index_init(struct perf_index *index, uint64_t max_spans);

/* A record of the CPU, size bytes at `at` of file `feed`; called in the files' order. -1: no memory. */
int perf_index_add(struct perf_index *index, uint32_t cpu, uint32_t feed, uint64_t at,
		   uint32_t size, uint64_t time_ns);

/* After the last add. */
void perf_index_finish(struct perf_index *index);
void perf_index_free(struct perf_index *index);

/* The next record of the cursor's CPU by time, of equal times by place. 1, 0 at the end, -1: no memory. */
int perf_cursor_next(struct perf_cursor *cursor, struct perf_record *rec,
		     struct perf_sample *sample);
void perf_cursor_free(struct perf_cursor *cursor);

#endif
