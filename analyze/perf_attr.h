/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_attr.h - what was recorded into a perf.data and how its records are laid out.
 *
 * From the kernel's include/uapi/linux/perf_event.h: struct perf_event_attr says which members a
 * sample has (sample_type); where several kinds of records are in one file, an id in the record
 * says whose it is. All that can precede the raw data but READ and CALLCHAIN has a fixed place, so a
 * layout is made once per attribute.
 */
#ifndef TLBTRACE_PERF_ATTR_H
#define TLBTRACE_PERF_ATTR_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/bytes.h"
#include "analyze/error.h"

/* perf_event_attr.type */
#define PERF_TYPE_SOFTWARE 1
#define PERF_TYPE_TRACEPOINT 2
#define PERF_SOFTWARE_DUMMY 9 /* .config: never samples */

#define PERF_NOWHERE UINT16_MAX
#define PERF_FIXED_MAX 72

/* Where the members of fixed size are: in a sample from the end of its header, in the trailer of
 * another record from the trailer's begin. PERF_NOWHERE: there is no such member. */
struct perf_layout {
	uint16_t tid; /* u32 pid, u32 tid */
	uint16_t time;
	uint16_t cpu; /* u32 */
	uint16_t len; /* of all members of fixed size: at most PERF_FIXED_MAX */
	uint16_t raw; /* u32 size, then so many bytes; PERF_NOWHERE also where its place varies */
};

struct perf_attr {
	uint32_t type;
	uint64_t config; /* tracepoint: the event's id */
	uint64_t sample_type;
	uint64_t read_format;
	bool id_all; /* records other than samples have a trailer */
	bool has_clock;
	int32_t clock; /* clockid_t */
	char name[80]; /* as the user wrote it; "" unknown */
	struct perf_layout sample;
	struct perf_layout trailer;
};

struct perf_id {
	uint64_t id;
	uint32_t attr;
};

struct perf_attrs {
	bool big_endian; /* as the attributes were */
	struct perf_attr *list;
	uint32_t n;
	struct perf_id *ids; /* sorted by perf_attrs_finish() */
	uint64_t n_ids;
	uint64_t room_ids;
	bool alike;	      /* all have the same layouts */
	uint16_t id_at;	      /* in a sample, from the end of its header; PERF_NOWHERE */
	uint16_t id_from_end; /* in another record: bytes before its end; PERF_NOWHERE */
};

/* Parses one struct perf_event_attr of any size at b and appends it. -1: cut, or no memory. */
int perf_attrs_add(struct perf_attrs *attrs, struct bytes *b);

/* The ids of the attribute added last, until b's end. -1: no memory. */
int perf_attrs_add_ids(struct perf_attrs *attrs, uint32_t attr, struct bytes *b);

/* After the last add: returns false if records of different layouts cannot be told apart. */
bool perf_attrs_finish(struct perf_attrs *attrs);

/* The attribute with that id; -1 none. */
int64_t perf_attrs_find(const struct perf_attrs *attrs, uint64_t id);

/* The name of the clock, as trace-cmd calls it: "perf", "mono", "mono_raw", … */
const char *perf_clock_name(const struct perf_attrs *attrs);

void perf_attrs_free(struct perf_attrs *attrs);

#endif
