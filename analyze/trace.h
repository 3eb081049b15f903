/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - a whole trace, read once: its classes, mms and quality.
 *
 * The one place that walks the street: source -> runs per CPU -> merge by time -> join -> classes.
 */
#ifndef TLBTRACE_TRACE_H
#define TLBTRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/class.h"
#include "analyze/error.h"
#include "analyze/join.h"
#include "analyze/metadata.h"
#include "analyze/params.h"
#include "analyze/source.h"

/* Evidence to leave out, to judge the rest against it. */
enum {
	IGNORE_REQUESTS = 1,
	IGNORE_SYSCALLS = 2,
	IGNORE_METADATA = 4,
	IGNORE_SWITCHES = 8,
	IGNORE_INSTRUCTIONS = 16,
};

/* Selects what is counted; everything still feeds the state of tasks and mms. */
struct trace_filter {
	bool by_cpu;
	uint64_t cpus[64]; /* bit set of 4096 CPUs */
	bool by_time;
	uint64_t from_ns;    /* inclusive, as the trace's clock has it */
	uint64_t to_ns;	     /* exclusive */
	char comm[COMM_LEN]; /* "" for any */
};

struct trace_options {
	uint32_t ignore; /* IGNORE_* */
	struct trace_filter filter;
	const char *marker; /* counts the markers with this text; NULL: none */
	/* Takes each flush that the filter selects, not quite in time order; flush->times is set
	 * where requests may hide, unless no_times is. False where memory is short or reading is to end. May be NULL. */
	bool (*flush)(void *arg, const struct flush *flush);
	void *flush_arg;
	/* For who keeps mm indices of flushes: from now on mm i is part of into[i] (mm_fold), and i is
	 * given out again where they differ. Its arg is flush_arg. May be NULL. */
	void (*fold)(void *arg, const uint32_t *into);
	bool no_times;
	/* Follows all items and is asked as each flush begins. May be NULL. */
	const struct observer *observer;
	/* Keeps every mm apart, at the price of memory for each: where a second reading, which hands
	 * out flushes, must find the same indices, and where one process is asked for. */
	bool keep_mms;
	/* Reads in one thread and decodes every record by itself: for tests of the ways that are
	 * faster, whose results must be the same. */
	bool plain;
	/* Called now and then with what was read so far; false stops reading. May be NULL. */
	bool (*progress)(void *arg, uint64_t events);
	void *progress_arg;
	/* > 0: reads so many items and no more: what an interrupted reading read (trace.items). */
	uint64_t items_most;
	/* > 0: reading stops as soon as this is readable, also where it waits for a pipe. */
	int stop_fd;
};

/*
 * What a trace that was not read from events has of its own: see replay/summary.h. Everything that is
 * asked of a trace behind its classes finds its answer in either.
 */
struct trace_kept {
	struct mm_table *mms;
	struct x86_strays strays;
	bool has_strays;
	uint64_t probable_gaps;
	struct model model; /* as infer_model() found it, before --recorded of now */
	struct source_info info;
	struct event_count *counts; /* of info */
	char selection[256];	    /* what was left out when it was read, as options; "" nothing */
	uint64_t inputs;	    /* traces that are added up here */
	uint64_t truncated;	    /* of them: how many */
	uint64_t unknown_parts;	    /* of a newer version of the file, passed over */
	bool folded;		    /* small mms were added up: not every name is there */
};

struct trace {
	struct source *src;
	const struct source_info *info;
	struct join *join;	     /* owns tasks and mms */
	struct class_table *classes; /* of what the filter selects */
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t items;		/* that were read: events, and runs of them */
	uint64_t orphan_fixups; /* fixup records whose run is missing */
	uint64_t syscalls;	/* system call events seen: marks */
	uint64_t switches;
	uint64_t requests;
	bool asked; /* the flushes are those that probes told: no instructions are recorded (asked.h) */
	struct gap_stats *gaps;	  /* [info->cpus] */
	uint64_t markers;	  /* with the text that was asked for */
	struct metadata metadata; /* what `tlbtrace record` noted of the machine; perhaps empty */
	bool interrupted;	  /* progress or stop_fd said stop: the rest was not read */
	struct trace_kept *kept;  /* of a summary, where src, join and gaps are NULL; owned */
};

/* Opens path and reads all of it. Returns 0, or -1 with *err filled; *t is then empty. */
int trace_read(struct trace *t, const char *path, const struct trace_options *opt,
	       struct error *err);

void trace_close(struct trace *t);

/* The mms that the classes are of. */
const struct mm_table *trace_mms(const struct trace *t);

/* x86: what was recorded but is no flush of a request. NULL for other architectures. */
const struct x86_strays *trace_x86_strays(const struct trace *t);

/* Flushes that time alone says are several requests; 0 where times are no times. */
uint64_t trace_probable_gaps(const struct trace *t);

#endif
