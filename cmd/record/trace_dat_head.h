/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_dat_head.h - the part of a trace.dat before the events: formats, symbols, options.
 */
#ifndef TLBTRACE_TRACE_DAT_HEAD_H
#define TLBTRACE_TRACE_DAT_HEAD_H

#include <stdint.h>

#include "cmd/record/blob.h"
#include "cmd/record/trace_dat_write.h"

#define TRACE_DAT_STAT_BYTES 512	      /* room for one CPU's statistics */
#define TRACE_DAT_CMDLINES_BYTES (128U << 10) /* v6: room for the saved command lines */

/* Offsets in the file of what is written when it is known. */
struct trace_dat_head {
	uint64_t cpus_at;	  /* v6: (offset, size) per CPU; v7: (cpu, offset, size) */
	uint64_t stats_at;	  /* texts, TRACE_DAT_STAT_BYTES + 6 apart */
	uint64_t cmdlines_at;	  /* v6 */
	uint64_t next_options_at; /* v7 */
	uint64_t section_at;	  /* v7: the section of the events */
};

/* Makes the head of the file; b->failed where there is no memory. */
void trace_dat_head(struct blob *b, const struct trace_dat_setup *setup,
		    struct trace_dat_head *head);

/*
 * v7: the section of the saved command lines and an options section that points to it, for offset at
 * of the file. Returns where in b the options section begins.
 */
uint64_t trace_dat_cmdlines(struct blob *b, const char *text, uint64_t at);

#endif
