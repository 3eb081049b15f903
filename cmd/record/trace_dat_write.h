/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_dat_write.h - writes a trace.dat of version 7 (zstd) or 6, as trace-cmd and KernelShark
 * read it (trace-cmd.dat.v7(5), trace-cmd.dat.v6(5)).
 *
 * All that describes the trace is written before the first event is recorded, with room for what
 * is only known afterwards. So a disk that fills up costs events but never the file.
 */
#ifndef TLBTRACE_TRACE_DAT_WRITE_H
#define TLBTRACE_TRACE_DAT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/ringpage.h"

struct trace_dat;

/* An event whose format the file is to have. */
struct trace_dat_event {
	const char *system;
	const char *name;
};

struct trace_dat_setup {
	const char *path;     /* for messages and for where the file is made */
	unsigned version;     /* 7 or 6 */
	const char *uname;    /* "Linux HOST RELEASE MACHINE" */
	const char *clock;    /* the instance's clock */
	uint32_t page_size;   /* of the kernel */
	uint32_t subbuf_size; /* of the ring buffer, bytes */
	uint32_t cpus;
	const struct trace_dat_event *events;
	size_t n_events;
};

/* What was seen in the pages of one CPU while they were copied. */
struct trace_dat_copied {
	uint64_t bytes;	     /* of pages */
	uint64_t worst_lost; /* most events that are missing in one place */
};

/*
 * Begins a file beside path, without a name until trace_dat_commit. Reads formats from tracefs and
 * symbols from /proc/kallsyms. NULL with *err (ERROR_ENVIRONMENT) if there is no room for it.
 */
struct trace_dat *trace_dat_begin(const struct trace_dat_setup *setup, struct error *err);

/*
 * Appends the pages of the next CPU (in order from 0) out of the file at fd, whose blocks are given
 * back as they are copied. give_up is asked now and then and may be NULL. Returns 0; 1 if it was
 * given up; -1 with *err if not all could be written: then no more CPUs may be added, but the file
 * can still be committed with what it has.
 */
int trace_dat_add_cpu(struct trace_dat *w, int fd, struct trace_dat_copied *copied,
		      bool (*give_up)(void *arg), void *arg, struct error *err);

/* The kernel's per_cpu/cpuN/stats of a CPU. */
int trace_dat_set_stats(struct trace_dat *w, uint32_t cpu, const char *text, struct error *err);

/* The kernel's saved_cmdlines ("tid name" lines); after the last CPU. */
int trace_dat_set_cmdlines(struct trace_dat *w, const char *text, struct error *err);

uint64_t trace_dat_bytes(const struct trace_dat *w);

/* Gives the file its name, replacing an older one. Returns 0, or -1 with *err. */
int trace_dat_commit(struct trace_dat *w, struct error *err);

/* Frees it; what was not committed is gone. */
void trace_dat_free(struct trace_dat *w);

/*
 * A nameless file in the directory of path, gone when it is closed. Returns the descriptor, or -1
 * with *err filled.
 */
int trace_dat_scratch(const char *path, struct error *err);

#endif
