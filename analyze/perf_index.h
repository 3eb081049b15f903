/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_index.h - where in mapped files each CPU's records are, and a walk over them in time order.
 *
 * perf writes one ring buffer after the other, so a CPU's records come in spans, each in order. The
 * index keeps one entry per span; when they become too many, neighbours are joined over the records
 * of other CPUs that lie between them. Spans of one CPU that overlap in time are merged while they
 * are walked.
 */
#ifndef TLBTRACE_PERF_INDEX_H
#define TLBTRACE_PERF_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/map_window.h"
#include "analyze/perf_walk.h"

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

/* Walks over one CPU's spans. */
struct perf_cursor {
	struct perf_walk walk;
	const struct perf_spans *spans;
	uint64_t next;			 /* the first span that is not walked yet */
	const struct source_file *files; /* by perf_span.feed */
	struct map_window *windows;	 /* one per file */
};

/* max_spans bounds the memory: 48 bytes each. */
void perf_index_init(struct perf_index *index, uint64_t max_spans);

/*
 * n > 0 records of the CPU, in order, size bytes in all at `at` of file `feed`; called in the files'
 * order. -1: no memory.
 */
struct perf_piece {
	uint64_t at;
	uint64_t size;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t n;
	uint32_t feed;
};
int perf_index_add(struct perf_index *index, uint32_t cpu, const struct perf_piece *piece);

/* The same of n records that cannot be walked to: they only count. */
int perf_index_count(struct perf_index *index, uint32_t cpu, uint64_t n);

/* After the last add. */
void perf_index_finish(struct perf_index *index);
void perf_index_free(struct perf_index *index);

/* Begins to walk. All of what is pointed to must outlive the cursor. -1: no memory. */
int perf_cursor_start(struct perf_cursor *cursor, const struct perf_rules *rules, uint32_t cpu,
		      const struct perf_spans *spans, const struct source_file *files,
		      uint32_t n_files);

/*
 * The next record of the CPU by time, of equal times by place; *at is valid until the next call. 1, 0
 * at the end, -1: no memory.
 */
int perf_cursor_next(struct perf_cursor *cursor, const struct perf_walker **at);

/* As perf_walk_repeat(); sets repeat->until. */
uint64_t perf_cursor_repeat(struct perf_cursor *cursor, struct repeat *repeat);

void perf_cursor_free(struct perf_cursor *cursor);

#endif
