/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lanes.h - each CPU of a source on its way into the merge: its events folded into items, ahead of
 * where the merge is, by as many threads as there are cores.
 *
 * The items of a lane and their order depend on the file alone, so what the merge makes of them is
 * the same with any number of threads. What waits is bounded.
 */
#ifndef TLBTRACE_LANES_H
#define TLBTRACE_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/metadata.h"
#include "analyze/run.h"
#include "analyze/source.h"

struct lanes_options {
	unsigned base_shift;	   /* as for run_folder_new */
	bool keep_times;	   /* as run_folder_keep_times */
	bool plain;		   /* in one thread, and every record by itself */
	uint32_t ignore;	   /* by enum event_kind, a bit each: events that are left out */
	const char *marker;	   /* counts the markers with this text; NULL: none */
	struct metadata *metadata; /* takes what markers say of the machine */
};

struct lanes;

/* Starts reading src, which must outlive the lanes, as must opt->marker. NULL: no memory. */
struct lanes *lanes_start(struct source *src, const struct lanes_options *opt);

/*
 * The next item of the CPU: 1 with *item, which is valid until it is popped, and its time; 0 at the
 * CPU's end; -1 with *err filled where the source cannot be read. Where other CPUs should be read on
 * first *item is NULL, and none of this CPU is before *time_ns: to be asked again then. For the one
 * thread that merges.
 */
int lanes_peek(struct lanes *lanes, uint32_t cpu, const struct run_item **item, uint64_t *time_ns,
	       struct error *err);

/* Whoever pops a run owns its times. */
void lanes_pop(struct lanes *lanes, uint32_t cpu);

/*
 * Hands to fn the tasks that markers have noted since the first *done, and counts them there. False as
 * soon as fn says so. For the one thread that merges.
 */
bool lanes_tasks(struct lanes *lanes, size_t *done,
		 bool (*fn)(void *arg, const struct metadata_task *task), void *arg);

/* Events read so far. */
uint64_t lanes_events(struct lanes *lanes);

struct lanes_sums {
	uint64_t markers;	/* with the text that was asked for */
	uint64_t orphan_fixups; /* run_orphans.fixups */
};

/* Stops the threads, frees what nobody took and says what the lanes have found; gaps is by CPU. */
struct lanes_sums lanes_finish(struct lanes *lanes, struct gap_stats *gaps);

#endif
