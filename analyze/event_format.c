/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_format.c - where the fields of the events that matter are, by event id. */
#include "analyze/event_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "analyze/format_text.h"

#define MAX_FIELDS_AT 65535

struct event_format_parser {
	struct event_formats *formats;
	struct tep_handle *tep;
	char text[65536];
};

/* What an event of a known name becomes and which fields it must have (names in order of F_*). */
struct known_event {
	const char *system;
	const char *name;
	enum event_how how;
	enum event_kind kind;
	const char *fields[7];
	unsigned int needed; /* the first so many fields */
	const char *texts[2];
};

static const struct known_event known_events[] = {
	{ "powerpc",
	  "tlbie",
	  HOW_TLBIE,
	  EVENT_TLBIE,
	  { "lpid", "local", "rb", "rs", "ric", "prs", "r" },
	  7,
	  { NULL } },
	{ "tlb", "tlb_flush", HOW_X86_FLUSH, EVENT_X86_FLUSH, { "reason", "pages" }, 2, { NULL } },
	{ "sched",
	  "sched_switch",
	  HOW_SWITCH,
	  EVENT_SWITCH,
	  { "prev_pid", "next_pid", "prev_state" },
	  2,
	  { "prev_comm", "next_comm" } },
	{ "task", "task_newtask", HOW_NEWTASK, EVENT_NEWTASK, { "pid", "clone_flags" }, 2, { "comm" } },
	{ "sched", "sched_process_fork", HOW_FORK, EVENT_FORK, { "child_pid" }, 1, { "child_comm" } },
	{ "sched", "sched_process_exec", HOW_EXEC, EVENT_EXEC, { "pid", "old_pid" }, 1, { NULL } },
	{ "sched", "sched_process_exit", HOW_EXIT, EVENT_EXIT, { "pid" }, 1, { "comm" } },
	{ "task", "task_rename", HOW_RENAME, EVENT_RENAME, { "pid" }, 0, { "newcomm" } },
	{ "sched",
	  "sched_migrate_task",
	  HOW_MIGRATE,
	  EVENT_MIGRATE,
	  { "pid", "dest_cpu" },
	  2,
	  { "comm" } },
	{ "raw_syscalls", "sys_enter", HOW_SYSCALL_RAW, EVENT_SYS_ENTER, { "id", "args" }, 1, { NULL } },
	{ "raw_syscalls", "sys_exit", HOW_SYSCALL_RAW, EVENT_SYS_EXIT, { "id" }, 1, { NULL } },
	{ "ipi", "ipi_send_cpu", HOW_IPI_CPU, EVENT_IPI_SEND, { "cpu", "callsite" }, 1, { NULL } },
	{ "ipi",
	  "ipi_send_cpumask",
	  HOW_IPI_MASK,
	  EVENT_IPI_SEND,
	  { NULL, "callsite" },
	  0,
	  { "cpumask" } },
	{ "csd", "csd_queue_cpu", HOW_CSD, EVENT_CSD_QUEUE, { "csd", "func", "cpu" }, 3, { NULL } },
	{ "csd", "csd_function_entry", HOW_CSD, EVENT_CSD_RUN, { "csd", "func" }, 2, { NULL } },
	{ "cpuhp", "cpuhp_enter", HOW_CPUHP, EVENT_OFFLINE, { "cpu", "target" }, 2, { NULL } },
	{ "powerpc", "hcall_entry", HOW_HCALL, EVENT_HCALL, { "opcode" }, 1, { NULL } },
	{ "irq_vectors", "call_function_entry", HOW_PLAIN, EVENT_IPI_RECV, { NULL }, 0, { NULL } },
	{ "ftrace", "print", HOW_MARKER, EVENT_MARKER, { NULL }, 0, { "buf" } },
};

/* The arguments that a probe may have fetched; a later name of the same field is its alternative. */
static const struct {
	const char *name;
	uint8_t field;
} request_fields[] = {
	{ "mm", F_REQ_MM },	      { "start", F_REQ_START },
	{ "end", F_REQ_END },	      { "addr", F_REQ_ADDR },
	{ "psize", F_REQ_PSIZE },     { "pwc", F_REQ_PWC },
	{ "freed", F_REQ_PWC },	      { "bits", F_REQ_BITS },
	{ "flags", F_REQ_FLAGS },     { "page_size", F_REQ_PAGE_SIZE },
	{ "pid", F_REQ_PID },	      { "act", F_REQ_ACTIVE },
	{ "cpus", F_REQ_CPUS },	      { "mask", F_REQ_CPUS },
	{ "users", F_REQ_USERS },     { "fullmm", F_REQ_FULLMM },
	{ "always", F_REQ_FULLMM },   { "always_flush", F_REQ_FULLMM },
	{ "type", F_REQ_TYPE },	      { "ret", F_REQ_TYPE },
	{ "stride", F_REQ_STRIDE },   { "__probe_ip", F_REQ_IP },
	{ "__probe_func", F_REQ_IP },
};

int event_formats_init(struct event_formats *formats, bool big_endian, uint32_t long_size,
		       const char *machine)
{
	*formats = (struct event_formats){
		.big_endian = big_endian,
		.long_size = long_size,
		/* As every kernel since v2.6.31 has them; the texts say it again. */
		.type = { .at = 0, .size = 2 },
		.flags = { .at = 2, .size = 1 },
		.pid = { .at = 4, .size = 4, .is_signed = true },
	};
	snprintf(formats->machine, sizeof(formats->machine), "%s", machine);
	formats->by_id = calloc(EVENT_MAX_ID + 1, sizeof(*formats->by_id));
	return formats->by_id ? 0 : -1;
}

void event_formats_free(struct event_formats *formats)
{
	free(formats->list);
	free(formats->by_id);
	*formats = (struct event_formats){ 0 };
}

/* Whether the field lies where a record can have it. */
static bool field_fits(const struct tep_format_field *field)
{
	return field->offset >= 0 && field->size >= 0 &&
	       field->size <= MAX_FIELDS_AT - field->offset;
}

static void need(struct event_format *format, uint32_t at, uint32_t size)
{
	if (at + size > format->min_len)
		format->min_len = at + size;
}

/* Takes a number's place; returns false if the field is missing or is not a number. */
static bool take_number(struct event_format *format, struct event_field *to,
			const struct tep_format_field *field)
{
	if (!field || !field_fits(field))
		return false;
	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		return false;
	if (field->flags & TEP_FIELD_IS_DYNAMIC)
		return false;
	to->at = (uint16_t)field->offset;
	to->size = (uint8_t)field->size;
	to->is_signed = field->flags & TEP_FIELD_IS_SIGNED;
	need(format, to->at, to->size);
	return true;
}

static bool take_text(struct event_format *format, struct event_text *to,
		      const struct tep_format_field *field)
{
	if (!field || !field_fits(field))
		return false;
	to->at = (uint16_t)field->offset;
	to->size = (uint16_t)field->size;
	to->kind = field->size ? TEXT_ARRAY : TEXT_REST;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		to->kind = TEXT_REL_LOC;
	else if (field->flags & TEP_FIELD_IS_DYNAMIC)
		to->kind = TEXT_DATA_LOC;
	if ((to->kind == TEXT_REL_LOC || to->kind == TEXT_DATA_LOC) && to->size != 4)
		return false;
	need(format, to->at, to->size);
	return true;
}

static bool is_at(struct event_field field, unsigned int at, unsigned int size)
{
	return field.at == at && field.size == size;
}

static void take_common(struct event_formats *formats, struct tep_event *event)
{
	struct event_format scratch = { 0 };

	take_number(&scratch, &formats->type, tep_find_common_field(event, "common_type"));
	take_number(&scratch, &formats->flags, tep_find_common_field(event, "common_flags"));
	take_number(&scratch, &formats->pid, tep_find_common_field(event, "common_pid"));
	formats->usual = is_at(formats->type, 0, 2) && is_at(formats->flags, 2, 1) &&
			 is_at(formats->pid, 4, 4);
}

static const struct known_event *find_known(const char *system, const char *name)
{
	for (size_t i = 0; i < sizeof(known_events) / sizeof(known_events[0]); i++) {
		const struct known_event *known = &known_events[i];

		if (!strcmp(known->name, name) && !strcmp(known->system, system))
			return known;
	}
	return NULL;
}

/* raw_syscalls:sys_enter's args: six longs, of which .size becomes one's size. */
static void take_raw_args(struct event_format *format, struct tep_event *event)
{
	const struct tep_format_field *field = tep_find_field(event, "args");
	struct event_field *args = &format->fields[F_RAW_ARGS];

	if (!field || !field_fits(field) || (field->size != 24 && field->size != 48))
		return;
	args->at = (uint16_t)field->offset;
	args->size = (uint8_t)(field->size / 6);
	need(format, args->at, (uint32_t)field->size);
}

/* n words, one behind the other from `at` on. */
static bool all_words(const struct event_format *format, unsigned int at, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (!is_at(format->fields[i], at + 8 * i, 8))
			return false;
	return true;
}

static void describe_known(struct event_format *format, struct tep_event *event,
			   const struct known_event *known)
{
	for (unsigned int i = 0; i < 7; i++) {
		const char *name = known->fields[i];

		if (!name || !strcmp(name, "args"))
			continue;
		if (!take_number(format, &format->fields[i], tep_find_field(event, name)) &&
		    i < known->needed)
			return;
	}
	for (unsigned int i = 0; i < 2; i++)
		if (known->texts[i] &&
		    !take_text(format, &format->texts[i], tep_find_field(event, known->texts[i])))
			return;
	format->how = (uint8_t)known->how;
	format->kind = (uint8_t)known->kind;
	if (known->how == HOW_TLBIE && all_words(format, TLBIE_WORDS_AT, 7))
		format->how = HOW_TLBIE_WORDS;
	if (known->how == HOW_SYSCALL_RAW && known->kind == EVENT_SYS_ENTER)
		take_raw_args(format, event);
}

/* The n-th argument of a syscalls:sys_enter_* event; the first field is the call's number. */
static const struct tep_format_field *syscall_arg(const struct tep_event *event, int n)
{
	const struct tep_format_field *field = event->format.fields;

	if (n < 0)
		return NULL;
	for (n++; field && n; n--)
		field = field->next;
	return field;
}

static void describe_syscall(struct event_format *format, const struct tep_event *event)
{
	bool enter = !strncmp(event->name, "sys_enter_", 10);
	struct syscall_args args = syscall_by_name(event->name + (enter ? 10 : 9));

	format->how = HOW_SYSCALL;
	format->kind = enter ? EVENT_SYS_ENTER : EVENT_SYS_EXIT;
	format->nr = (uint8_t)args.nr;
	if (!enter)
		return;
	if (args.nr == SYSCALL_IPC) {
		format->how = HOW_SYSCALL_IPC;
		take_number(format, &format->fields[F_IPC_CALL], syscall_arg(event, IPC_ARG_CALL));
		take_number(format, &format->fields[F_IPC_PTR], syscall_arg(event, IPC_ARG_PTR));
		return;
	}
	take_number(format, &format->fields[F_SYS_START], syscall_arg(event, args.start));
	take_number(format, &format->fields[F_SYS_LEN], syscall_arg(event, args.len));
}

static void describe_request(struct event_format *format, struct tep_event *event)
{
	format->how = HOW_REQUEST;
	format->kind = EVENT_REQUEST;
	format->is_return = tep_find_field(event, "__probe_ret_ip");
	format->fn = (uint8_t)request_by_name(event->name, format->is_return);
	for (size_t i = 0; i < sizeof(request_fields) / sizeof(request_fields[0]); i++) {
		struct event_field *field = &format->fields[request_fields[i].field];

		if (!field->size)
			take_number(format, field, tep_find_field(event, request_fields[i].name));
	}
}

static void set_name(struct event_format *format, const char *system, const char *name)
{
	snprintf(format->name, sizeof(format->name), "%.30s:%.48s", system, name);
}

static void describe(struct event_format *format, struct tep_event *event)
{
	const struct known_event *known = find_known(event->system, event->name);

	set_name(format, event->system, event->name);
	if (known)
		describe_known(format, event, known);
	else if (!strcmp(event->system, "syscalls") &&
		 (!strncmp(event->name, "sys_enter_", 10) || !strncmp(event->name, "sys_exit_", 9)))
		describe_syscall(format, event);
	else if (tep_find_field(event, "__probe_ip") || tep_find_field(event, "__probe_func"))
		describe_request(format, event);
}

static struct event_format *new_format(struct event_formats *formats)
{
	struct event_format *bigger;

	if (formats->n == EVENT_MAX_ID)
		return NULL;
	if (formats->n == formats->room) {
		uint32_t room = formats->room ? 2 * formats->room : 64;

		bigger = realloc(formats->list, room * sizeof(*bigger));
		if (!bigger)
			return NULL;
		formats->list = bigger;
		formats->room = room;
	}
	bigger = &formats->list[formats->n++];
	*bigger = (struct event_format){ 0 };
	return bigger;
}

struct event_format_parser *event_formats_begin(struct event_formats *formats)
{
	struct event_format_parser *parser = malloc(sizeof(*parser));

	if (!parser)
		return NULL;
	parser->formats = formats;
	tep_set_loglevel(TEP_LOG_NONE);
	parser->tep = tep_alloc();
	if (!parser->tep) {
		free(parser);
		return NULL;
	}
	tep_set_file_bigendian(parser->tep,
			       formats->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(parser->tep,
				tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(parser->tep, (int)formats->long_size);
	return parser;
}

static struct event_format *add_format(struct event_formats *formats, int64_t id)
{
	struct event_format *format;

	if (id < 0 || id > EVENT_MAX_ID || formats->by_id[id])
		return NULL;
	format = new_format(formats);
	if (!format)
		return NULL;
	format->id = (uint16_t)id;
	formats->by_id[id] = (uint16_t)formats->n;
	need(format, formats->pid.at, formats->pid.size);
	need(format, formats->flags.at, formats->flags.size);
	return format;
}

/* A format whose fields cannot be parsed: its records can still be counted by name. */
static void add_name_only(struct event_formats *formats, const char *system, const char *text,
			  uint64_t len)
{
	struct event_format *format;
	char name[EVENT_NAME_LEN];
	int64_t id = format_text_name(text, len, name, sizeof(name));

	format = id < 0 ? NULL : add_format(formats, id);
	if (format)
		set_name(format, system, name);
	if (!format || find_known(system, name) || !strcmp(system, "syscalls") ||
	    memmem(text, len, "__probe_", 8))
		formats->unparsed++;
}

static void take_stack(struct event_formats *formats, struct tep_event *event)
{
	const struct tep_format_field *field = tep_find_field(event, "caller");

	if (strcmp(event->system, "ftrace") != 0 || strcmp(event->name, "kernel_stack") != 0 ||
	    !field || field->offset < 0 || field->offset > 64)
		return;
	formats->stack_id = (uint16_t)event->id;
	formats->stack_at = (uint16_t)field->offset;
}

void event_formats_add(struct event_format_parser *parser, const char *system, const char *text,
		       uint64_t len)
{
	struct event_formats *formats = parser->formats;
	struct tep_event *event = NULL;
	struct event_format *format;
	uint64_t n;

	len = strnlen(text, len);
	n = format_text_fields(parser->text, sizeof(parser->text), text, len);
	if (!n || tep_parse_format(parser->tep, &event, parser->text, n, system) || !event) {
		add_name_only(formats, system, text, len);
		return;
	}
	if (!formats->n)
		take_common(formats, event);
	format = add_format(formats, event->id);
	if (!format) {
		formats->unparsed++;
		return;
	}
	describe(format, event);
	take_stack(formats, event);
}

void event_formats_end(struct event_format_parser *parser)
{
	tep_free(parser->tep);
	free(parser);
}
