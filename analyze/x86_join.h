/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86_join.h - x86's flush events of all CPUs become flushes (policies 7.3).
 *
 * One request is up to three kinds of event: the initiator says that it sends IPIs (reason 4), and
 * each CPU that runs the flush says what it did: the initiator (3, or 2 for a batch of reclaim) and
 * the receivers (1). Since v5.13 the initiator sends first, before that it flushed first. It waits
 * for its receivers, so what they write lies between its own events and whatever its task does next.
 */
#ifndef TLBTRACE_X86_JOIN_H
#define TLBTRACE_X86_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"
#include "analyze/flush.h"
#include "analyze/mm.h"
#include "analyze/task.h"

/* Where an x86 join takes and puts things; all of it outlives the join. */
struct x86_join_env {
	struct task_table *tasks;
	struct mm_table *mms;
	uint32_t n_cpus;
	const char *kernel; /* release of the traced kernel, "" unknown: taken for v5.13 or later */
	/* Takes each flush, not quite in time order. False ends the run. */
	bool (*flush)(void *arg, const struct flush *f);
	void *arg;
	bool asked; /* no flush events are recorded: each probed request stands for its flush */
};

/* What is no flush of a request, but was recorded. */
struct x86_strays {
	uint64_t switch_flushes; /* reason 0: by a switch to another mm, which writes CR3 anyway */
	uint64_t wrong_cpu;	 /* reason 5: an IPI to a CPU that no longer had the mm */
	uint64_t unknown; /* reasons of a kernel newer than this program, impossible numbers of pages */
	uint64_t orphans;	  /* shares of receivers whose request is not in the trace */
	uint64_t kernel_requests; /* probes on flush_tlb_kernel_range: it has no event */
};

struct x86_join;

/* NULL where memory is short. */
struct x86_join *x86_join_new(const struct x86_join_env *env);
void x86_join_free(struct x86_join *x);

/*
 * Takes the next event of all CPUs by time, of any kind, before the table of tasks does. False where
 * memory is short or env->flush said so.
 */
bool x86_join_event(struct x86_join *x, const struct event *ev);

/* Marks the mms of flushes that were not handed out yet (mm.held). */
void x86_join_hold(const struct x86_join *x);

/* The trace has ended: hands out what is left. */
bool x86_join_finish(struct x86_join *x);

const struct x86_strays *x86_join_strays(const struct x86_join *x);

#endif
