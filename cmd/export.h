/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - one request a row, as `tlbtrace export` writes it, and the writers.
 */
#ifndef TLBTRACE_CMD_EXPORT_H
#define TLBTRACE_CMD_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/mm.h"
#include "analyze/row.h"

struct export_row {
	uint64_t time_ns; /* since the trace began */
	uint64_t end_ns;  /* row.end_ns, likewise */
	bool has_time;
	uint32_t cpu;
	int32_t tid;
	int32_t tgid; /* -1 unknown */
	uint32_t hw_pid;
	bool has_hw_pid;     /* not of x86, nor where no probe fetched it */
	bool asked;	     /* only a request was recorded, no instructions */
	const struct mm *mm; /* NULL: of no mm */
	char comm[COMM_LEN];
	enum flush_entry entry;
	enum flush_cause cause;
	enum flush_scope scope;
	bool irq; /* carried out by an interrupt's handler */
	enum flush_known known;
	enum row_end ended_by;
	bool has_range; /* start, end, page_bytes, pages; else, where censored, the bounds */
	uint64_t start;
	uint64_t end;
	uint64_t page_bytes;
	uint64_t pages;
	uint64_t pages_min;
	uint64_t pages_max; /* PAGES_UNKNOWN: none */
	uint64_t gaps;	    /* probable boundaries inside, by time alone */
	bool x86;	    /* recorded has INVLPG and CR3 writes, else tlbie and tlbiel */
	struct tally recorded;
};

/* Takes one row. `to` is what the format writes to; errors of writing stay there. */
typedef void (*export_row_fn)(void *to, const struct export_row *row);

/* A format whose rows are all there is: `to` is a FILE, and it has no state of its own. */
struct export_format {
	void (*begin)(FILE *f); /* may be NULL */
	export_row_fn row;
};

extern const struct export_format export_jsonl;
extern const struct export_format export_csv;

#define EXPORT_MM_LEN (COMM_LEN + 16)

/* An mm as every format calls it: "shm/408", or its name alone where its tgid is unknown; mm: may be
 * NULL, "". */
void export_mm_text(const struct mm *mm, char to[EXPORT_MM_LEN]);

/* Takes rows in any order and writes them in order of time, as far as the window reaches. */
struct export_window {
	struct export_row *heap; /* the earliest first */
	size_t n;
	size_t room;
	export_row_fn row;
	void *to;
	uint64_t last_ns; /* written */
	uint64_t late;	  /* rows that came when later ones had been written */
};

/* Rows that wait for earlier ones at most: more than join.c holds back, a few 10 MB. */
#define EXPORT_WINDOW (1u << 18)

/* False where memory is short. */
bool export_window_add(struct export_window *w, const struct export_row *row);

/* Writes what is left and frees the window. */
void export_window_finish(struct export_window *w);

#endif
