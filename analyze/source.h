/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - a recorded trace, whatever its format: each CPU's events in that CPU's order.
 *
 * A CPU's stream is all its buffers: instances are merged per CPU, and buffers whose clocks differ
 * are refused. Nothing behind a source knows which format the file had.
 */
#ifndef TLBTRACE_SOURCE_H
#define TLBTRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/event.h"
#include "analyze/stacks.h"

struct source;

/* Events of one name, system included where it is known ("powerpc:tlbie"). */
struct event_count {
	char name[80];
	uint64_t count; /* records seen so far */
	bool enabled;	/* the file has this event's format: it was available, perhaps enabled */
};

/* What only the file as a whole can tell. Counters grow while events are read and are final once
 * source_next has returned 0 for every CPU. Strings are "" where the file does not say. */
struct source_info {
	const char *path;
	char format[32];  /* "trace.dat v6", "trace.dat v7 zstd", "perf.data", … */
	char kernel[128]; /* uname -r, e.g. "6.1.0-50-powerpc64le" */
	char arch[32];	  /* uname -m, e.g. "ppc64le" */
	char clock[32];
	char tool[96];	    /* what recorded it */
	uint32_t page_size; /* of the traced kernel in bytes; 0 unknown */
	uint32_t cpus;	    /* streams to read, numbered 0 … cpus-1 */
	bool big_endian;
	/* false: times are not nanoseconds. They are all 0, or stamps that only put events in order
	 * (trace clocks counter, x86-tsc and ppc-tb without a conversion). */
	bool has_time;
	bool has_irq_flags; /* records carry TRACE_FLAG_HARDIRQ */
	uint64_t text; /* address of the kernel's _text; 0: not told, or in source_kallsyms() */

	uint64_t events;	  /* records seen, of every kind */
	uint64_t lost_events;	  /* known to be missing: marks in the stream and CPU statistics */
	uint64_t lost_unknown;	  /* places where an unknown number is missing */
	uint64_t unknown_records; /* records whose event has no format, or that are too short for it */
	uint64_t unknown_offset;  /* where the first of them is */
	bool truncated;		  /* the file ends before its end, or is damaged otherwise */
	char truncated_text[256]; /* one clause with the offset */

	const struct event_count *counts; /* by name, in the file's order */
	size_t n_counts;
};

/*
 * Opens the trace at path; its format is found from its content. "-" is standard input.
 * Returns the source, to be closed with source_close, or NULL with *err filled (ERROR_INPUT or
 * ERROR_ENVIRONMENT).
 */
struct source *source_open(const char *path, struct error *err);
/* The same; a pipe ends where it is once stop_fd (> 0) is readable. */
struct source *source_open_until(const char *path, int stop_fd, struct error *err);

void source_close(struct source *src);

/* Never NULL; owned by the source, brought up to date by the call. Not while another thread is in
 * source_next. */
const struct source_info *source_info(const struct source *src);

/*
 * The next event of this CPU, in time order within the CPU.
 * Returns 1 with *ev filled, 0 at the end of the stream, -1 with *err filled where nothing more can
 * be read at all. Damage that leaves the rest readable is not an error: it is counted in
 * source_info (truncated, lost, unknown) and the stream goes on or ends.
 * Streams of different CPUs may be read from different threads.
 */
int source_next(struct source *src, uint32_t cpu, struct event *ev, struct error *err);

/*
 * The same for who reads all CPUs in the order of time: may also return SOURCE_QUIET with *quiet_ns,
 * later each time. Then much was read that other CPUs' calls will return, the CPU has no event before
 * that time, and it is time to take those.
 */
#define SOURCE_QUIET 2
int source_next_or_quiet(struct source *src, uint32_t cpu, struct event *ev, uint64_t *quiet_ns,
			 struct error *err);

/*
 * Passes over the records of this CPU that follow its last event, a tlbie record, and differ from
 * it only in rb, which grows by step from one to the next; at most max. They count as read. May stop
 * early: source_next has the next one then.
 */
struct source_skipped {
	uint64_t n;	     /* records; the others are 0 where it is */
	uint64_t last_ns;    /* time of the last of them */
	uint64_t longest_ns; /* between two of them, or from the event before to the first */
};
struct source_skipped source_skip(struct source *src, uint32_t cpu, uint64_t step, uint64_t max);

/* Whether reading CPUs from several threads is of use: false where they share one stream of bytes,
 * of which as little as possible should be read ahead. */
bool source_is_parallel(const struct source *src);

/* The kernel's stack with that number (event.stack); NULL: none. Lives as long as the source. */
const struct stack *source_stack(const struct source *src, uint32_t number);

/* The text of the recording's /proc/kallsyms, *len bytes; NULL where the file has none. */
const char *source_kallsyms(const struct source *src, uint64_t *len);

/*
 * What the recording noted of a task when it began: source_comm() and source_tgid() tell it before what
 * the file's own tables do. False where memory is short.
 */
bool source_note_task(struct source *src, int32_t tid, int32_t tgid, const char *comm);

/* Name and thread group of a task as far as the file's own tables tell (saved command lines, COMM
 * records) and what was noted: "" and -1 where they do not. The string lives as long as the source. */
const char *source_comm(const struct source *src, int32_t tid);
int32_t source_tgid(const struct source *src, int32_t tid);

/* From here on these tell no more than a file that is read only once had told by this time; 0: all. */
void source_as_of(struct source *src, uint64_t time_ns);

#endif
