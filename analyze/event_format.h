/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_format.h - where the fields of the events that matter are, by event id.
 *
 * Built once per file from the kernel's format texts (libtraceevent parses them); reading a record
 * is then one table look-up and loads at known offsets. Read-only after building: all CPUs share it.
 */
#ifndef TLBTRACE_EVENT_FORMAT_H
#define TLBTRACE_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/event.h"
#include "analyze/event_names.h"

#define EVENT_NAME_LEN 80
#define EVENT_MAX_ID 65535

/* A number in a record; size 0: the event has no such field. */
struct event_field {
	uint16_t at;
	uint8_t size; /* 1, 2, 4 or 8 */
	bool is_signed;
};

enum event_text_kind {
	TEXT_NONE,
	TEXT_ARRAY,    /* char x[size] at .at */
	TEXT_DATA_LOC, /* __data_loc: offset in the record and length, in 32 bits at .at */
	TEXT_REL_LOC,  /* __rel_loc: the same, the offset counted from the field's end */
	TEXT_REST,     /* char x[]: from .at to the end of the record */
};

struct event_text {
	uint16_t at;
	uint16_t size;
	uint8_t kind; /* enum event_text_kind */
};

/* How a record becomes an event: more cases than enum event_kind has. */
enum event_how {
	HOW_COUNT, /* count it only */
	HOW_TLBIE,
	HOW_TLBIE_WORDS, /* the same, 8 bytes each from TLBIE_WORDS_AT on: any 64-bit kernel */
	HOW_X86_FLUSH,
	HOW_SWITCH,
	HOW_NEWTASK,
	HOW_FORK,
	HOW_EXEC,
	HOW_EXIT,
	HOW_RENAME,
	HOW_MIGRATE,
	HOW_SYSCALL,	 /* one call's event */
	HOW_SYSCALL_IPC, /* sys_enter_ipc */
	HOW_SYSCALL_RAW, /* raw_syscalls: the number is in the record */
	HOW_REQUEST,
	HOW_IPI_CPU,
	HOW_IPI_MASK,
	HOW_CSD,
	HOW_CPUHP, /* only where the target is CPUHP_OFFLINE */
	HOW_HCALL, /* only H_RPT_INVALIDATE */
	HOW_MARKER,
	HOW_PLAIN, /* that it happened is all */
};

#define TLBIE_WORDS_AT 8u

/* Indices into event_format.fields, by .how. */
enum {
	F_TLBIE_LPID = 0,
	F_TLBIE_LOCAL,
	F_TLBIE_RB,
	F_TLBIE_RS,
	F_TLBIE_RIC,
	F_TLBIE_PRS,
	F_TLBIE_R,
	F_X86_REASON = 0,
	F_X86_PAGES,
	F_SWITCH_PREV = 0,
	F_SWITCH_NEXT,
	F_SWITCH_STATE,
	F_TASK_PID = 0,
	F_TASK_EXTRA, /* clone_flags, old_pid, dest_cpu */
	F_SYS_START = 0,
	F_SYS_LEN,
	F_IPC_CALL = 0,
	F_IPC_PTR,
	F_RAW_ID = 0,
	F_RAW_ARGS, /* .size is one argument's */
	F_CSD = 0,
	F_CSD_FUNC,
	F_CSD_CPU,
	F_CPUHP_CPU = 0,
	F_CPUHP_TARGET,
	F_HCALL_OPCODE = 0,
	F_IPI_CPU = 0,
	F_IPI_CALLSITE,
	F_REQ_MM = 0,
	F_REQ_START,
	F_REQ_END,
	F_REQ_ADDR,
	F_REQ_PSIZE,
	F_REQ_PWC,
	F_REQ_BITS,
	F_REQ_PAGE_SIZE,
	F_REQ_PID,
	F_REQ_ACTIVE,
	F_REQ_CPUS,
	F_REQ_USERS,
	F_REQ_FULLMM,
	F_REQ_TYPE,
	F_REQ_FLAGS,
	F_REQ_STRIDE,
	F_REQ_IP,
	F_COUNT,
};

struct event_format {
	char name[EVENT_NAME_LEN]; /* "system:event" */
	uint16_t id;
	uint8_t how;
	uint8_t kind;	  /* enum event_kind of what it becomes */
	uint8_t fn;	  /* enum request_fn; REQUEST_OTHER: ask for the symbol at F_REQ_IP */
	bool is_return;	  /* of a probed function */
	uint8_t nr;	  /* enum syscall_nr */
	uint32_t min_len; /* a record with fewer bytes lacks fields */
	struct event_field fields[F_COUNT];
	struct event_text texts[2]; /* sched_switch: prev, next; else [0] */
};

struct event_formats {
	bool big_endian;
	uint32_t long_size;		     /* of the traced kernel */
	char machine[32];		     /* uname -m */
	struct event_field type, flags, pid; /* common_type, common_flags, common_pid */
	bool usual;		   /* these three are where all kernels since v2.6.33 have them */
	struct event_format *list; /* in the order of the file */
	/* ftrace:kernel_stack, which follows the event whose stack it is; .stack_at 0: none. */
	uint16_t stack_id;
	uint16_t stack_at; /* of its addresses, up to the record's end */
	uint32_t n;
	uint32_t room;
	uint16_t *by_id;   /* EVENT_MAX_ID + 1 entries: index into list plus 1; 0 none */
	uint32_t unparsed; /* formats of events that matter, or without a name, that are damaged */
};

/* Returns -1 if there is no memory. */
int event_formats_init(struct event_formats *formats, bool big_endian, uint32_t long_size,
		       const char *machine);

/*
 * Adds formats. The texts are tracefs's events/<system>/<event>/format and need not be terminated;
 * of an event whose fields cannot be parsed the records are counted by name only. begin and end
 * enclose any number of add's.
 */
struct event_format_parser;
struct event_format_parser *event_formats_begin(struct event_formats *formats);
void event_formats_add(struct event_format_parser *parser, const char *system, const char *text,
		       uint64_t len);
void event_formats_end(struct event_format_parser *parser);

void event_formats_free(struct event_formats *formats);

#endif
