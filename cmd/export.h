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
	bool has_time;
	uint32_t cpu;
	int32_t tid;
	int32_t tgid; /* -1 unknown */
	uint32_t hw_pid;
	const struct mm *mm; /* NULL: of no mm */
	char comm[COMM_LEN];
	enum flush_entry entry;
	enum flush_cause cause;
	enum flush_scope scope;
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

/* A format; state of its own it does not have. */
struct export_format {
	const char *name;
	void (*begin)(FILE *f); /* may be NULL */
	void (*row)(FILE *f, const struct export_row *row);
};

extern const struct export_format export_jsonl;
extern const struct export_format export_csv;

/* Takes rows in any order and writes them in order of time, as far as the window reaches. */
struct export_window {
	struct export_row *heap; /* the earliest first */
	size_t n;
	size_t room;
	const struct export_format *format;
	FILE *f;
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
