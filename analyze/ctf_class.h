/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_class.h - what the event classes of CTF traces are to us, and how their events are read.
 *
 * Events of the kernel, as perf and LTTng write them, are laid out again as the kernel's own records
 * with a format text to match, so that event_format.h and event_decode.h read them like those of
 * every other file. LTTng's names of events and fields become the kernel's on the way.
 */
#ifndef TLBTRACE_CTF_CLASS_H
#define TLBTRACE_CTF_CLASS_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "analyze/ctf_event.h"
#include "analyze/event_format.h"

#define CTF_RECORD_MAX 65535 /* what a __data_loc can point into */

enum ctf_what {
	CTF_KERNEL,    /* a trace event of the kernel */
	CTF_PERF_COMM, /* perf data convert --all: a task has a name and a thread group */
	CTF_STATEDUMP, /* LTTng: the same */
	CTF_EVENT,     /* our own: a struct event */
	CTF_TASK,
	CTF_RECORDED,
	CTF_FLUSH,
};

/* A payload member's place in the record that is made of it. */
struct ctf_part {
	uint32_t index;
	uint16_t at;
	uint16_t count; /* of an array */
	uint8_t size;	/* 1, 2, 4, 8 */
	uint8_t kind;	/* enum ctf_part_kind, ctf_class.c's */
	bool is_signed;
};

struct ctf_class {
	const bt_event_class *key;
	uint16_t id; /* in the formats */
	uint8_t what;
	struct ctf_part *parts; /* owned */
	uint32_t n_parts;
	uint32_t fixed_size;	 /* of the record without its texts */
	uint32_t tid, pid, comm; /* CTF_PERF_COMM, CTF_STATEDUMP; perf's tid and pid of a sample */
	uint32_t common_type, common_flags, common_pid;
	uint32_t context_tid, context_tgid, context_flags; /* in the common context */
	uint64_t type;					   /* the kernel's id; 0: not seen yet */
	const struct ctf_own *own;
	uint32_t members[CTF_OWN_MEMBERS];
	uint32_t step, later;
	uint32_t filename; /* of the program that was executed */
	UT_hash_handle hh;
};

struct ctf_classes {
	struct ctf_class *table;
	struct event_formats formats;
	struct event_format_parser *parser; /* while classes are added */
	uint32_t n;
};

/* machine is uname -m of the traced kernel, "" unknown. -1: no memory. */
int ctf_classes_begin(struct ctf_classes *classes, const char *machine);
/* Adds those that the trace class has. -1: no memory. */
int ctf_classes_add(struct ctf_classes *classes, const bt_trace_class *trace_class);
/* From here on formats is complete; other classes are not known. */
void ctf_classes_end(struct ctf_classes *classes);
void ctf_classes_free(struct ctf_classes *classes);

/* NULL if the event's class came too late. */
struct ctf_class *ctf_class_of(const struct ctf_classes *classes, const bt_event *event);

/*
 * Writes the event as a record of the kernel to record[0, CTF_RECORD_MAX]: common_flags and tid as
 * given. Returns its length.
 */
uint32_t ctf_class_record(const struct ctf_class *class, const bt_event *event, uint8_t flags,
			  int32_t tid, uint8_t *record);

#endif
