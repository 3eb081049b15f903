/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload.h - what the tasks of one CPU do, as the records that a ppc64le kernel 6.1 writes.
 *
 * The shapes are those of recordings in tests/data (shm, ranges and build.sh on POWER9 and POWER10
 * with 64K pages), the sizes of ranges are drawn from truth_p9_ranges_thp.dat's. Everything follows
 * from the seed; nothing depends on the machine that runs it but the byte order.
 */
#ifndef TLBTRACE_TESTS_WORKLOAD_H
#define TLBTRACE_TESTS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#define RECORDED_CEILING 33 /* tlb_single_page_flush_ceiling: more pages take the whole PID */
#define RECORD_MAX 64	    /* bytes of the longest record */

enum {
	ID_TLBIE = 30,
	ID_NEWTASK = 68,
	ID_EXEC = 256,
	ID_EXIT = 260,
	ID_SWITCH = 263,
	ID_EXIT_BRK = 517,
	ID_ENTER_BRK = 518,
	ID_EXIT_MPROTECT = 531,
	ID_ENTER_MPROTECT = 532,
	ID_EXIT_IPC = 944,
	ID_ENTER_IPC = 945,
};

/* What was written, and what the kernel would have written with a ceiling of 31. */
struct workload_sums {
	uint64_t records;
	uint64_t tlbie;
	uint64_t tlbiel;
	uint64_t tlbie_at_31;
	uint64_t processes;
};

/* Takes one record of the CPU. Times never go back. */
typedef void (*workload_emit)(void *arg, uint64_t time_ns, const void *data, unsigned size);

struct workload {
	uint32_t cpu;
	uint32_t cpus;
	bool wide;	      /* ranges of any size, in many processes: as many classes as can be */
	bool p10;	      /* POWER10: no fixups, and one tlbiel for a whole PID */
	uint64_t records_max; /* stops with the activity that reaches it */
	uint64_t processes;   /* how many of those activities are short processes, spread evenly */
	workload_emit emit;
	void *arg;

	uint64_t random;
	uint64_t time_ns;
	uint64_t steps;
	uint64_t process_every; /* records from one process to the next */
	struct workload_sums sums;
};

void workload_start(struct workload *w, uint64_t seed);

/* One activity: a detached segment, a range, or the life of a process. False at the end. */
bool workload_step(struct workload *w);

/* The name and id of each event with its format text; NULL behind the last one. */
struct workload_format {
	const char *system;
	const char *text;
};
const struct workload_format *workload_formats(void);

#endif
