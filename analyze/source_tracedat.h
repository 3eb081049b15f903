/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_tracedat.h - the parts of an open trace.dat; for source_tracedat.c (opening, reading) and
 * tracedat_info.c (what is known of it) only.
 */
#ifndef TLBTRACE_SOURCE_TRACEDAT_H
#define TLBTRACE_SOURCE_TRACEDAT_H

#include <pthread.h>

#include "analyze/event_decode.h"
#include "analyze/source_ops.h"
#include "analyze/tidtable.h"
#include "analyze/tracedat_data.h"

/* One buffer's part of a CPU, with the item that comes next. */
struct feed {
	struct tracedat_stream stream;
	enum tracedat_item item;
	struct ringrec rec;
	uint64_t lost;
	bool used; /* the item was handed out: fetch the next one first */
};

struct cpu {
	struct feed *feeds; /* as many as buffers have this CPU */
	uint32_t n;
	struct feed *last; /* whose item was handed out last; NULL: its buffer is further */
	uint32_t bare;	   /* flushes that were looked at and had no stack */
	struct event_decoder decoder;
	uint64_t last_time; /* raw, of the event handed out last */
	int32_t tid;	    /* whose thread group was looked up last; 0 none */
	int32_t tgid;
	struct damage damage;
} __attribute__((aligned(64))); /* each CPU has its own thread: no shared cache lines */

/* The kallsyms text, inflated when a probe's name says nothing. */
struct symbols {
	pthread_mutex_t lock;
	const struct tracedat_file *file;
	struct tracedat_block text;
	bool loaded;
};

struct tracedat {
	struct source base;
	struct source_file input;
	struct tracedat_file file;
	struct event_formats formats;
	struct tid_table comms;
	struct tid_table tgids;
	struct symbols symbols;
	struct stacks *stacks;
	struct cpu *cpus;
	char *path;
	struct source_info info;
	struct event_count *counts;
};

static inline struct tracedat *tracedat_of(const struct source *src)
{
	return (struct tracedat *)(uintptr_t)src;
}

/* Fills td->info from the headers; clock is the buffers'. */
void tracedat_fill_info(struct tracedat *td, const char *clock);

/* source_ops.update_info */
void tracedat_update_info(const struct source *src);

#endif
