/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_tracing.h - the event formats that perf saves beside its records.
 *
 * The content is the beginning of a trace.dat version 6 (trace-cmd.dat.v6(5)) with "0.6" for its
 * version: header_page, header_event, ftrace's own formats, formats by system, kernel symbols (perf
 * leaves them out), printk formats, saved command lines.
 */
#ifndef TLBTRACE_PERF_TRACING_H
#define TLBTRACE_PERF_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/bytes.h"
#include "analyze/event_format.h"
#include "analyze/tidtable.h"

struct perf_tracing {
	const char *machine; /* in: uname -m */
	uint32_t page_size;
	bool cut; /* not all of it could be read */
};

/* Fills formats, comms and what else it says; without content both are empty. -1: no memory. */
int perf_tracing_parse(struct perf_tracing *tracing, const struct bytes *content,
		       struct event_formats *formats, struct tid_table *comms);

#endif
