/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observer.h - who follows the whole trace by time beside the join, and what it says of each flush.
 *
 * Which CPUs are in an mm's mask depends on all that went before, so it must be known at the
 * flush's own time: mask machines (replay/) observe every item and are asked as each flush begins.
 * Their answer travels with the flush into its class, where stateless evaluation finds it.
 */
#ifndef TLBTRACE_OBSERVER_H
#define TLBTRACE_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

/* How a kernel takes CPUs out of mm_cpumask (policies 2.2, 3). */
enum trim {
	TRIM_NONE,  /* never: v4.9 to v4.17 */
	TRIM_V4_18, /* single-threaded mms, all CPUs at once (0cef77c7798a) */
	TRIM_V5_10, /* the same, each CPU by itself (a665eec0a22e) */
	TRIM_V5_12, /* flush_type_needed(): also by a clock (26418b36a11f ff.) */
	TRIM_V6_6,  /* the same, and before every full-mm flush (e43c0a0c3c28) */
	TRIMS
};

/* The scope of a flush. */
enum {
	MACHINE_UNASKED, /* nobody observed */
	MACHINE_NONE,	 /* no instruction at all: no CPU is left in the mask */
	MACHINE_LOCAL,
	MACHINE_GLOBAL,
	MACHINE_SCOPES,
	/* Bits beside the scope. The mask before the trace or the trim clock could make it another: */
	MACHINE_UNSURE = 0x80,
	/* It, or whether trims were sent, is a matter of the mask before the trace, or of a user that no
	 * event tells of: */
	MACHINE_OPEN = 0x20,
	/* It may be of a gather made full-mm beside another one, which TRIM_V6_6 trims before: */
	MACHINE_NESTED = 0x40,
	MACHINE_SCOPE = 0x0f, /* the scope without them */
};

/* One flush under each machine that replays the trace from its start with this kind of trims. */
struct observation {
	uint8_t scope[TRIMS];
	uint16_t ipis[TRIMS];  /* sent to trim the mask before the flush */
	uint16_t trims[TRIMS]; /* whole-PID local flushes that trims made, on any CPU */
	/* Were it global: CPUs of the mask beside the flush's own, those that are surely there and the most
	 * that can be. */
	uint16_t targets[TRIMS];
	uint16_t targets_most[TRIMS];
};

struct flush;
struct run_item;
struct source;

struct observer {
	void *arg;
	/* Before anything else; src outlives the observation. False: no memory. */
	bool (*begin)(void *arg, const struct source *src);
	/* Every item of all CPUs by time, before the join has it. False: no memory. */
	bool (*item)(void *arg, const struct run_item *item);
	/* A task's flush begins with this item: shape, cpu, tid, hw_pid, local of f are known.
	 * Fills f->seen. False: no memory. */
	bool (*flush)(void *arg, struct flush *f);
	/* After the last item. */
	void (*end)(void *arg);
};

#endif
