/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * join.h - the place where CPUs meet: runs and events of all CPUs in time order become flushes with
 * their mm, task and cause.
 */
#ifndef TLBTRACE_JOIN_H
#define TLBTRACE_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/flush.h"
#include "analyze/mm.h"
#include "analyze/run.h"
#include "analyze/source.h"
#include "analyze/task.h"
#include "analyze/x86_join.h"

/* Who takes what join makes. Each returns false where memory is short, which ends the run. */
struct join_sink {
	void *arg;
	/* One flush, once what its task did next is known: not quite in time order. f->times lives
	 * only during the call. */
	bool (*flush)(void *arg, const struct flush *f);
	/* A system call of enum flush_cause ended in which `promoted` > 0 whole-PID flushes were
	 * made on the caller's mm; NULL where nobody wants it. */
	bool (*call)(void *arg, const struct mm *mm, enum flush_cause cause, uint32_t promoted);
	/* The mms with an index i that is not into[i] are now part of that one (mm_fold). NULL: all
	 * mms are kept apart. */
	void (*fold)(void *arg, const uint32_t *into);
	bool asked; /* no instructions are recorded: x86's requests stand for their flushes */
	const struct observer *observer; /* asked as each flush of a task begins; may be NULL */
};

struct join;

/* base_shift as for run_folder_new. src must outlive the join. NULL where memory is short. */
struct join *join_new(const struct source *src, uint32_t cpus, unsigned base_shift,
		      const struct join_sink *sink);
void join_free(struct join *j);

/*
 * Takes the next item of all CPUs by time, with the times of a run. False where memory is short or
 * the sink said so.
 */
bool join_item(struct join *j, const struct run_item *item);

/* The trace has ended: hands out what still waits. */
bool join_finish(struct join *j);

const struct mm_table *join_mms(const struct join *j);

/* x86: what was recorded but is no flush of a request. NULL for other architectures. */
const struct x86_strays *join_x86_strays(const struct join *j);

#endif
