/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - flushes by when, where and who, gathered in the one pass that reads a trace.
 *
 * A profile counts flushes per class in each cell of (period, CPU) and of task, so that whatever
 * classes can answer, predictions included, can be asked of a period, a CPU or a task as well.
 * Memory is bounded: periods double when there are too many of them or of cells; tasks beyond
 * PROFILE_TASKS are one row, which says how many flushes it has.
 */
#ifndef TLBTRACE_PROFILE_H
#define TLBTRACE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/class.h"
#include "analyze/trace.h"

#define PROFILE_TASKS 4096u
#define PROFILE_PERIODS 256u	   /* of doubling periods */
#define PROFILE_INTERVALS 1000000u /* of fixed periods; what is later is in the last */
#define PROFILE_CELLS 350000u	   /* beyond it periods double, too */

/* Flushes of one class. */
struct profile_cell {
	uint32_t period; /* since the trace's first event; 0 in cells of tasks and stacks */
	uint32_t place;	 /* CPU, index of a task, or number of a stack (source_stack()) */
	uint32_t class;	 /* index of profile_class() */
	uint64_t count;	 /* > 0 */
};

enum profile_axis {
	PROFILE_CPU,
	PROFILE_TASK,
	PROFILE_STACK, /* no cells where no stack was recorded; place 0: flushes without one */
	PROFILE_AXES
};

struct profile_task {
	int32_t tid; /* -1: interrupt handlers, whatever they interrupted */
	char comm[COMM_LEN];
};

struct profile;

/*
 * For the flushes of t, which is to be read next with profile_flush as its trace_options.flush.
 * interval_ns: length of all periods; 0: short at first, doubling as needed. NULL: no memory.
 */
struct profile *profile_new(const struct trace *t, uint64_t interval_ns);
void profile_free(struct profile *p);

/* A trace_options.flush; arg is the profile. False where memory is short. */
bool profile_flush(void *arg, const struct flush *f);

/* The trace_options.fold that goes with it. */
void profile_fold(void *arg, const uint32_t *into);

/* Takes the classes of the trace, which was not read from events, as if all were of one moment and CPU.
 * False where memory is short. */
bool profile_classes_only(struct profile *p);

/* Forgets all flushes: the trace is read again. */
void profile_restart(struct profile *p);

/* Cells in no order: pass NULL first, then the last one; NULL at the end. */
const struct profile_cell *profile_next(const struct profile *p, enum profile_axis axis,
					const struct profile_cell *after);

/* Classes as in class.h, with the flushes of all cells; count 0: none has this index. */
const struct class *profile_class(const struct profile *p, uint32_t index);
size_t profile_classes(const struct profile *p);

/* NULL for the row of all tasks beyond PROFILE_TASKS. */
const struct profile_task *profile_task(const struct profile *p, uint32_t index);

/* Makes doubling periods longer until at most so many have been reached. False: no memory. */
bool profile_coarsen(struct profile *p, uint32_t periods);

uint64_t profile_period_ns(const struct profile *p);

#endif
