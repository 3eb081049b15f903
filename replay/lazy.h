/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lazy.h - lazy TLB: what keeping a dead task's mm costs, by reference counts or by shootdown.
 *
 * Models mmgrab_lazy_tlb() and mmdrop_lazy_tlb() of context_switch(), finish_task_switch() and
 * exit_mm(), and cleanup_lazy_tlbs() of __mmdrop() (CONFIG_MMU_LAZY_TLB_SHOOTDOWN, v6.4), and its
 * combination with the final flush in radix__tlb_flush() (v6.6): policies 4.
 */
#ifndef TLBTRACE_REPLAY_LAZY_H
#define TLBTRACE_REPLAY_LAZY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/taskstate.h"
#include "replay/mask.h"

/* The mms of one name. */
struct lazy_row {
	char name[COMM_LEN];
	uint64_t mms;
	uint64_t atomics; /* on their mm_count, by the reference counting scheme */
	uint32_t cpus;	  /* the most CPUs that did so to one of them */
	uint64_t peak;	  /* the most atomics on one of them in any whole second */
	uint64_t deaths;  /* seen from their last user's exit or exec */
};

/* IPIs of a shootdown at mms' ends: between lo and hi, whichever CPU dropped them last. */
struct lazy_shots {
	uint64_t ipis_lo;
	uint64_t ipis_hi;
	uint64_t useful_lo; /* CPUs that really held the mm lazily; the others return at once */
	uint64_t useful_hi;
};

struct lazy_totals {
	uint64_t atomics;    /* enter + leave + exits: all that shootdown avoids */
	uint64_t atomics_lo; /* where it is not known whether a task is a kernel thread */
	uint64_t atomics_hi;
	uint64_t enter; /* switches from a task with an mm to one without: mm_count + 1 */
	uint64_t leave; /* and back: mm_count - 1 */
	uint64_t exits; /* exit_mm: mm_count + 1 */
	uint64_t peak;	/* the most atomics in any whole second of the trace's clock */
	uint64_t deaths;
	struct lazy_shots shots[TRIMS]; /* by the kind that trimmed the masks */
};

struct lazy;

/* ext_at: offset of lazy's bytes in a space's ext. NULL where memory is short. */
struct lazy *lazy_new(uint32_t cpus, size_t ext_at);
void lazy_free(struct lazy *l);
size_t lazy_ext_bytes(const struct lazy *l);

/* The hooks of taskstate.h. */
void lazy_switched(struct lazy *l, const struct taskstate *ts, uint64_t time_ns, uint32_t cpu,
		   struct ts_task *prev, struct ts_task *next);
void lazy_exited(struct lazy *l, uint64_t time_ns, uint32_t cpu, struct ts_task *task,
		 struct space *space);
/* The trace ends before it tells whether space, whose last user seems to have left, has died. */
void lazy_may_die(struct lazy *l, const struct taskstate *ts, const struct masks *m,
		  const struct space *space);
void lazy_died(struct lazy *l, const struct taskstate *ts, const struct masks *m,
	       struct space *space, uint32_t now_cpu);
/* False where memory is short. */
bool lazy_forgotten(struct lazy *l, const struct space *space);

/* After the last item and lazy_forgotten of all spaces. */
struct lazy_totals lazy_totals(const struct lazy *l, const struct taskstate *ts);

/* By name, those with the most atomics first; owned by l. Beyond 4096 names the rest is one row,
 * "(other names)". */
const struct lazy_row *lazy_rows(struct lazy *l, size_t *n);

/* Shootdown IPIs (hi) by target CPU [cpus]. */
const uint64_t *lazy_shots_to(const struct lazy *l, enum trim kind);

#endif
