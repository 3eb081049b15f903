/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - one CPU's tlbie records folded into runs: what belongs together whatever the ceilings are.
 *
 * A run is a maximal sequence of records of one CPU and one context with the same kind, hardware
 * PID, local bit and page size and with consecutive addresses (or set numbers), unbroken by a mark.
 * Its fixups belong to it. No policy parameter is needed to build one.
 *
 * A CPU has two contexts: its task's and its interrupts'. The handler of a trim or of a multicast
 * flush can interrupt a run anywhere, so the two are folded side by side and neither breaks the
 * other (policies 14, 1).
 */
#ifndef TLBTRACE_RUN_H
#define TLBTRACE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"
#include "analyze/gap.h"
#include "analyze/source.h"
#include "analyze/tlbie.h"

/* What stands between a run and the next one of its context. */
enum run_end {
	RUN_END_NONE,	 /* the trace, or a stream, ended */
	RUN_END_FIXUP,	 /* its own POWER9 fixup: exact */
	RUN_END_SYSCALL, /* a system call began or returned */
	RUN_END_SWITCH,	 /* the task was switched out */
	RUN_END_REQUEST, /* a flush function was entered (probe) */
	RUN_END_TASK,	 /* fork, exec, exit or another event of the task */
	RUN_END_RECORD,	 /* a record that cannot continue it: another kind, PID, address */
	RUN_END_LOST,	 /* events are missing here */
};

struct run {
	uint64_t start_ns;
	uint64_t end_ns; /* of its last record, fixups included */
	uint64_t addr;	 /* TLBIE_VA: first address; sets: first set number */
	uint64_t n;	 /* records without fixups: pages or sets */
	uint64_t record; /* index of its first record among those of its CPU and context */
	uint64_t *times; /* of its records in ns, [n]; see run_folder_keep_times */
	uint32_t cpu;
	int32_t tid;  /* the task that was running */
	int32_t tgid; /* -1 unknown */
	uint32_t hw_pid;
	uint32_t stack;	  /* of its first record; 0: none was recorded */
	uint8_t kind;	  /* enum tlbie_kind; never a fixup */
	uint8_t shift;	  /* TLBIE_VA: log2 of the distance between pages */
	uint8_t ended_by; /* enum run_end */
	uint8_t fix_erat; /* fixups that closed it: 0 or 1 each */
	uint8_t fix_stq;
	uint8_t fix_old;
	bool local;
	bool irq;     /* an interrupt handler's */
	bool partial; /* records may be missing at one of its ends: the trace's edge, or lost events */
	bool asked;	 /* no records: made from what probes told (asked.h) */
	bool scope_open; /* asked, and no probe told whether it was local */
};

/* Records without a run to belong to: their run was lost, or the trace began behind it. */
struct run_orphans {
	uint64_t fixups;
};

/* One item of a CPU's folded stream: a run, or an event that is no tlbie record. */
struct run_item {
	uint64_t time_ns; /* a run's start, an event's time */
	bool is_run;
	union {
		struct run run;
		struct event event;
	};
};

/*
 * True where ev stands between two requests if it stands between two records: anything that the
 * task does. What interrupts write says nothing about the task's flush.
 */
bool event_is_mark(const struct event *ev);

struct run_folder;

/*
 * A folder for one CPU. base_shift is log2 of the kernel's page size, 0 where it is unknown: with
 * 64K pages, AP 0 is the 2 MiB pass of a machine that has no AP code for 2 MiB (QEMU's powernv);
 * with 4K pages, it is where the addresses step by 2 MiB. A single such page stays one of 4K.
 * NULL where memory is short.
 */
struct run_folder *run_folder_new(unsigned base_shift);
void run_folder_free(struct run_folder *f);

/*
 * From here on, runs between whose records a boundary of requests may hide (pages, no fixup, more
 * than one record) carry the time of every record. Who pops such a run owns run.times (free); it is
 * NULL for all other runs, and where memory is short.
 */
void run_folder_keep_times(struct run_folder *f);

/* Takes the CPU's next event. Items may become ready. */
void run_folder_feed(struct run_folder *f, const struct event *ev);

/*
 * What follows the record that was fed last, if its loop goes on: records that differ from it only
 * in rb, by step from one to the next. At most max of them; 0 where the record cannot be continued
 * so, or where the times of single records are kept.
 */
struct run_growth {
	uint64_t step;
	uint64_t max;
};
struct run_growth run_folder_growth(const struct run_folder *f);

/* Takes such records: as if each had been fed. */
void run_folder_grow(struct run_folder *f, const struct source_skipped *skipped);

/* The stream has ended: closes what is open. */
void run_folder_finish(struct run_folder *f);

/*
 * No event of the CPU comes before now_ns any more. A run whose last record is a second older than
 * that is over, as if a record that cannot continue it had come: loops of tlbie do not sleep.
 */
void run_folder_pause(struct run_folder *f, uint64_t now_ns);

/* True while run_folder_feed may be called; else items must be taken first. */
bool run_folder_wants(const struct run_folder *f);

/* The next item by start, or NULL while it may still grow. Valid until the next feed. */
const struct run_item *run_folder_peek(struct run_folder *f);
void run_folder_pop(struct run_folder *f);

/* No item that is still to come begins before this, if no event of the CPU does; UINT64_MAX: nothing
 * is open. */
uint64_t run_folder_since(const struct run_folder *f);

const struct run_orphans *run_folder_orphans(const struct run_folder *f);
const struct gap_stats *run_folder_gaps(const struct run_folder *f);

#endif
