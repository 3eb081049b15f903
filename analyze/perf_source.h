/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_source.h - what a perf.data source knows, for its own parts only.
 *
 *   source_perf.c  opens it and reads its events
 *   perf_scan.c	  what records tell beside events, and the first pass over a file
 *   perf_about.c	  what is known of the file
 */
#ifndef TLBTRACE_ANALYZE_PERF_SOURCE_H
#define TLBTRACE_ANALYZE_PERF_SOURCE_H

#include <pthread.h>

#include "analyze/event_decode.h"
#include "analyze/perf_file.h"
#include "analyze/perf_index.h"
#include "analyze/perf_input.h"
#include "analyze/perf_queue.h"
#include "analyze/perf_tasks.h"
#include "analyze/source_ops.h"

/* What is known of one CPU. */
struct perf_cpu {
	struct perf_cursor cursor;
	struct event_decoder decoder;
	bool started;
	bool ended;
	uint64_t *others; /* samples of events that the kernel has no format for, by attribute */
	uint64_t other_records;
	uint64_t without_raw; /* samples of trace events without the event's record */
	uint64_t last_ns;
	const struct perf_walker *at; /* the record that was read last */
	struct damage damage;
};

/* Found in the records, once per record. */
struct perf_totals {
	uint64_t lost;	       /* LOST */
	uint64_t lost_at_end;  /* LOST_SAMPLES that perf made up when it ended */
	uint64_t lost_samples; /* LOST_SAMPLES of the kernel */
	uint64_t bad;	       /* records that cannot be read */
	uint64_t bad_offset;
	uint64_t rounds;
	bool tail;     /* tasks of before the recording are named at its end (--tail-synthesize) */
	uint32_t cpus; /* highest CPU plus 1 */
};

struct perf {
	struct source base;
	struct perf_inputs inputs;
	struct perf_file file;
	struct perf_rules rules;
	struct perf_feed *feeds; /* one per input */
	struct perf_index index;
	struct perf_queue queue;
	struct perf_tasks tasks;
	struct stacks *stacks;
	struct perf_totals totals;
	pthread_mutex_t lock; /* tasks and totals while a pipe is read */
	bool queued;
	bool scanned;		  /* a first pass was over all records */
	bool outlined;		  /* it was over those that are not compressed */
	uint32_t ended;		  /* queued: CPUs of which all was read */
	struct damage read_ahead; /* met by the thread; scanned: found before, and not used */
	perf_account blocks_bytes;
	struct perf_cpu *cpus;
	struct source_info info;
	struct event_count *counts;
};

static inline int perf_no_memory(const struct perf *p, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", p->inputs.path);
}

/* Begins to read input i from its start; what is damaged is noted there. */
void perf_start_feed(struct perf *p, uint32_t i, struct damage *damage);

/* ---- perf_scan.c ---- */

/* Takes what a record tells of lost events, tasks and the kernel; context is the struct perf. */
int perf_note(void *context, uint32_t feed, const struct perf_record *rec, enum perf_lane lane,
	      const struct perf_sample *sample);

/* Of a CPU that the machine does not have. */
bool perf_is_beyond(const struct perf *p, enum perf_lane lane, const struct perf_sample *sample);

/* The first pass, over all records or over those that are not compressed. Returns 0, or -1, *err filled. */
int perf_scan(struct perf *p, struct error *err);

/* ---- perf_about.c ---- */

/* True where every sample of a tracepoint has a time. */
bool perf_all_have_time(const struct perf_attrs *attrs);

/* What is known before the first record is read. Returns 0, or -1 where memory is short. */
int perf_about(struct perf *p);

/* source_ops.update_info */
void perf_about_now(struct perf *p);

#endif
