/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_lane.h - which records of a perf.data are events of a CPU, and what those of perf itself say.
 *
 * Beside the samples these are LOST marks and, where no trace event of the recording tells the same,
 * COMM, FORK, EXIT and context switches (--switch-events).
 */
#ifndef TLBTRACE_PERF_LANE_H
#define TLBTRACE_PERF_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"
#include "analyze/event_format.h"
#include "analyze/perf_record.h"

#define PERF_MAX_CPUS 8192 /* the kernel's largest NR_CPUS */

struct perf_rules {
	const struct perf_attrs *attrs;
	bool renames; /* whether the record of this kind becomes an event */
	bool execs;
	bool forks;
	bool exits;
	bool switches;
};

enum perf_lane {
	PERF_LANE_NONE, /* no event of any CPU */
	PERF_LANE_CPU,	/* an event of sample->cpu */
	PERF_LANE_BAD,	/* a record that cannot be read, or of a type that is not known */
};

/* The rules for a recording of the events with these formats. */
struct perf_rules perf_rules_of(const struct perf_attrs *attrs, const struct event_formats *formats);

/* Whose the record is. *sample is filled but for PERF_LANE_BAD; .cpu is below PERF_MAX_CPUS. */
enum perf_lane perf_lane_of(const struct perf_rules *rules, const struct perf_record *rec,
			    struct perf_sample *sample);

/* The event that a record of a CPU is, if it is no sample; all but .time_ns and .cpu is filled. */
void perf_lane_event(const struct perf_rules *rules, const struct perf_record *rec,
		     const struct perf_sample *sample, struct event *ev);

/*
 * MMAP and MMAP2 of the kernel itself, which perf makes up: the address of _text, or of _stext where
 * that is what the kernel's symbols are relocated by. 0 for other records.
 */
uint64_t perf_kernel_text(const struct perf_record *rec, bool big_endian);

/* LOST and LOST_SAMPLES: how many. 0 for other records. */
uint64_t perf_lost(const struct perf_record *rec, bool big_endian);

#endif
