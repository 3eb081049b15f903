/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_schema.h - the classes of the CTF trace that export writes: analyze/ctf_event.h for its reader.
 */
#ifndef TLBTRACE_CMD_OUTPUT_CTF_SCHEMA_H
#define TLBTRACE_CMD_OUTPUT_CTF_SCHEMA_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyze/ctf_event.h"
#include "analyze/source.h"

/* A row as it is written: what the other formats leave out where it is not known is 0 here. */
struct ctf_row {
	uint64_t time_ns; /* as the trace's clock has it */
	uint32_t cpu;
	int32_t tid;
	int32_t tgid;
	uint32_t hw_pid;
	char comm[COMM_LEN];
	char mm[COMM_LEN + 16];
	const char *entry;
	const char *cause;
	const char *scope;
	const char *known;
	const char *ended_by;
	bool has_range;
	uint64_t start;
	uint64_t end;
	uint64_t page_size;
	uint64_t pages;
	uint64_t pages_min;
	uint64_t pages_max; /* all ones: no bound */
	uint64_t gaps;
	int64_t tlbie; /* these four: -1 where no instructions were recorded */
	int64_t tlbiel;
	int64_t invlpg;
	int64_t cr3_writes;
};

struct ctf_own_task {
	int32_t tid;
	int32_t tgid;
	char comm[COMM_LEN];
};

extern const struct ctf_member ctf_row_members[];
extern const struct ctf_member ctf_task_members[];
extern const struct ctf_member ctf_recorded_members[]; /* of struct event_count */

struct ctf_schema {
	bt_trace_class *trace_class;
	bt_clock_class *clock;
	bt_trace *trace;
	bt_stream_class *of_cpu;
	bt_stream_class *of_whole; /* tasks and counts */
	bt_stream_class *of_flushes;
	bt_event_class *kinds[CTF_OWN_KINDS]; /* by index of ctf_own[] */
	bt_event_class *task;
	bt_event_class *recorded;
	bt_event_class *flush;
};

/* Declares all of it. Returns 0, or -1 with libbabeltrace2's error set; free it either way. */
int ctf_schema_init(struct ctf_schema *schema, bt_self_component *self,
		    const struct source_info *info);
void ctf_schema_free(struct ctf_schema *schema);

/* Fills a structure field with the members of `from`. Returns 0 or -1. */
int ctf_schema_fill(bt_field *structure, const struct ctf_member *members, const void *from);

#endif
