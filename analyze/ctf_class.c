/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_class.c - what the event classes of CTF traces are to us, and how their events are read. */
#define HASH_NONFATAL_OOM 1
#include "analyze/ctf_class.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/ctf_field.h"

#define HEADER_SIZE 8  /* common_type, common_flags, common_preempt_count, common_pid */
#define MAX_PARTS 64   /* more fields than any event of the kernel has */
#define MAX_ARRAY 64   /* elements */
#define MAX_TEXT 16384 /* bytes */

enum part_kind {
	PART_NUMBER,
	PART_ARRAY, /* of so many numbers */
	PART_TEXT,
};

/* LTTng's name of an event, the kernel's, and fields that are called otherwise there. */
static const struct {
	const char *name;
	const char *system;
	struct {
		const char *from;
		const char *to;
	} fields[2];
} lttng_events[] = {
	{ "sched_switch", "sched", { { "prev_tid", "prev_pid" }, { "next_tid", "next_pid" } } },
	{ "sched_process_fork",
	  "sched",
	  { { "child_tid", "child_pid" }, { "child_pid", "child_tgid" } } },
	{ "sched_process_exec", "sched", { { "tid", "pid" }, { "old_tid", "old_pid" } } },
	{ "sched_process_exit", "sched", { { "tid", "pid" } } },
	{ "sched_migrate_task", "sched", { { "tid", "pid" } } },
};

#define LTTNG_EVENTS (sizeof(lttng_events) / sizeof(lttng_events[0]))

/* The name of a class as the kernel has it, and how its fields' names become the kernel's. */
struct names {
	char system[64];
	char event[128];
	size_t lttng;	 /* index into lttng_events */
	bool has_number; /* the system call's number is left out */
};

static bool rest_of(const char *name, const char *prefix, const char **rest)
{
	size_t len = strlen(prefix);

	*rest = name + len;
	return !strncmp(name, prefix, len);
}

static struct names names_of(const char *name)
{
	struct names names = { .system = "ctf", .lttng = LTTNG_EVENTS };
	const char *colon = strchr(name, ':'), *rest = name;

	if (colon && colon != name) {
		snprintf(names.system, sizeof(names.system), "%.*s", (int)(colon - name), name);
		snprintf(names.event, sizeof(names.event), "%s", colon + 1);
		return names;
	}
	for (size_t i = 0; i < LTTNG_EVENTS; i++)
		if (!strcmp(name, lttng_events[i].name)) {
			names.lttng = i;
			snprintf(names.system, sizeof(names.system), "%s", lttng_events[i].system);
		}
	if (rest_of(name, "syscall_entry_", &rest) || rest_of(name, "syscall_exit_", &rest)) {
		names.has_number = true;
		snprintf(names.system, sizeof(names.system), "syscalls");
		snprintf(names.event, sizeof(names.event), "sys_%s_%s",
			 name[9] == 'n' ? "enter" : "exit", rest);
		return names;
	}
	snprintf(names.event, sizeof(names.event), "%s", name);
	return names;
}

static const char *field_name(const struct names *names, const char *name)
{
	if (names->lttng == LTTNG_EVENTS)
		return name;
	for (size_t i = 0; i < 2; i++) {
		const char *from = lttng_events[names->lttng].fields[i].from;

		if (from && !strcmp(from, name))
			return lttng_events[names->lttng].fields[i].to;
	}
	return name;
}

/* ---- the record that an event becomes ---- */

/* Bytes of an integer class; 0: it is none. */
static uint8_t integer_size(const bt_field_class *class, bool *is_signed)
{
	bt_field_class_type type = bt_field_class_get_type(class);
	uint64_t bits = 8;

	*is_signed = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER))
		bits = bt_field_class_integer_get_field_value_range(class);
	else if (type != BT_FIELD_CLASS_TYPE_BOOL)
		return 0;
	return bits > 32 ? 8 : bits > 16 ? 4 : bits > 8 ? 2 : 1;
}

static bool describe_array(struct ctf_part *part, const bt_field_class *class)
{
	uint64_t n = bt_field_class_array_static_get_length(class);

	part->kind = PART_ARRAY;
	part->size = integer_size(bt_field_class_array_borrow_element_field_class_const(class),
				  &part->is_signed);
	part->count = (uint16_t)n;
	return part->size && n && n <= MAX_ARRAY;
}

/* False for what no event of interest has. */
static bool describe_part(struct ctf_part *part, const bt_field_class *class)
{
	bt_field_class_type type = bt_field_class_get_type(class);

	part->count = 1;
	if (type == BT_FIELD_CLASS_TYPE_STRING) {
		part->kind = PART_TEXT;
		part->size = 4;
		return true;
	}
	if (type == BT_FIELD_CLASS_TYPE_STATIC_ARRAY)
		return describe_array(part, class);
	part->kind = PART_NUMBER;
	part->size = integer_size(class, &part->is_signed);
	return part->size;
}

/* libtraceevent takes names of C only, and anything else is not the kernel's. */
static bool is_plain(const char *name)
{
	return *name && strlen(name) < 64 &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static void write_part(FILE *f, const struct ctf_part *part, const char *name)
{
	static const char *const types[] = { "char", "char", "short", "", "int", "", "", "", "long" };

	(void)fprintf(f, "\tfield:");
	if (part->kind == PART_TEXT)
		(void)fprintf(f, "__data_loc char[] %s;", name);
	else if (part->kind == PART_ARRAY)
		(void)fprintf(f, "unsigned %s %s[%u];", types[part->size], name, part->count);
	else
		(void)fprintf(f, "%s%s %s;", part->is_signed ? "" : "unsigned ", types[part->size],
			      name);
	(void)fprintf(f, "\toffset:%u;\tsize:%u;\tsigned:%d;\n", part->at,
		      (unsigned)part->size * part->count, part->is_signed);
}

/* Whether the member is of perf's or the kernel's frame and not of the event. */
static bool is_frame(const char *name)
{
	return !strncmp(name, "perf_", 5) || !strncmp(name, "common_", 7);
}

/* Adds the payload's members to the record and to its format text. */
static void lay_out(struct ctf_class *class, const struct names *names,
		    const bt_field_class *payload, struct ctf_part *parts, FILE *f)
{
	uint64_t n = payload ? bt_field_class_structure_get_member_count(payload) : 0;

	for (uint64_t i = 0; i < n && i < CTF_NO_FIELD && class->n_parts < MAX_PARTS; i++) {
		const bt_field_class_structure_member
			*member = bt_field_class_structure_borrow_member_by_index_const(payload, i);
		const char *name = bt_field_class_structure_member_get_name(member);
		struct ctf_part *part = &parts[class->n_parts];

		*part = (struct ctf_part){ .index = (uint32_t)i,
					   .at = (uint16_t) class->fixed_size };
		if (is_frame(name) || !is_plain(name) ||
		    !describe_part(
			    part, bt_field_class_structure_member_borrow_field_class_const(member)))
			continue;
		write_part(f, part, field_name(names, name));
		class->fixed_size += (uint32_t)part->size * part->count;
		class->n_parts++;
	}
}

static void write_head(struct ctf_class *class, const struct names *names, FILE *f)
{
	(void)fprintf(f,
		      "name: %s\nID: %u\nformat:\n"
		      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		      names->event, class->id);
	class->fixed_size = HEADER_SIZE;
	if (names->has_number) {
		(void)fprintf(f, "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n");
		class->fixed_size += 4;
	}
}

static int make_format(struct ctf_classes *classes, struct ctf_class *class, const char *name,
		       const bt_field_class *payload)
{
	struct names names = names_of(name);
	struct ctf_part parts[MAX_PARTS];
	char *text = NULL;
	size_t len;
	FILE *f;

	if (!is_plain(names.event) || !is_plain(names.system))
		snprintf(names.event, sizeof(names.event), "other_%u", class->id);
	f = open_memstream(&text, &len);
	if (!f)
		return -1;
	write_head(class, &names, f);
	lay_out(class, &names, payload, parts, f);
	(void)fputs("\nprint fmt: \"\"\n", f);
	if (fclose(f)) {
		free(text);
		return -1;
	}
	event_formats_add(classes->parser, is_plain(names.system) ? names.system : "ctf", text, len);
	free(text);
	if (!class->n_parts)
		return 0;
	class->parts = malloc(class->n_parts * sizeof(*parts));
	if (!class->parts)
		return -1;
	memcpy(class->parts, parts, class->n_parts * sizeof(*parts));
	return 0;
}

static void put_number(uint8_t *to, uint64_t value, uint8_t size)
{
	for (uint8_t i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static void put_array(const struct ctf_part *part, const bt_field *field, uint8_t *record)
{
	uint64_t value;

	for (uint16_t i = 0; i < part->count; i++)
		if (ctf_number(bt_field_array_borrow_element_field_by_index_const(field, i), &value))
			put_number(record + part->at + (size_t)i * part->size, value, part->size);
}

/* Appends a text; the record's new length. */
static uint32_t put_text(const struct ctf_part *part, const bt_field *field, uint8_t *record,
			 uint32_t at)
{
	uint64_t len = bt_field_string_get_length(field) + 1;

	if (len > MAX_TEXT)
		len = MAX_TEXT;
	if (len > CTF_RECORD_MAX - at)
		len = CTF_RECORD_MAX - at;
	memcpy(record + at, bt_field_string_get_value(field), len);
	put_number(record + part->at, at | len << 16, 4);
	return at + (uint32_t)len;
}

uint32_t ctf_class_record(const struct ctf_class *class, const bt_event *event, uint8_t flags,
			  int32_t tid, uint8_t *record)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	uint32_t at = class->fixed_size;
	uint64_t value;

	memset(record, 0, class->fixed_size);
	put_number(record, class->id, 2);
	record[2] = flags;
	put_number(record + 4, (uint32_t)tid, 4);
	for (uint32_t i = 0; i < class->n_parts; i++) {
		const struct ctf_part *part = &class->parts[i];
		const bt_field *field = bt_field_structure_borrow_member_field_by_index_const(
			payload, part->index);

		if (part->kind == PART_TEXT)
			at = put_text(part, field, record, at);
		else if (part->kind == PART_ARRAY)
			put_array(part, field, record);
		else if (ctf_number(field, &value))
			put_number(record + part->at, value, part->size);
	}
	return at;
}

/* ---- the classes ---- */

static void find_own(struct ctf_class *class, const char *name, const bt_field_class *payload)
{
	class->what = CTF_KERNEL;
	if (!strcmp(name, CTF_OWN_TASK))
		class->what = CTF_TASK;
	else if (!strcmp(name, CTF_OWN_RECORDED))
		class->what = CTF_RECORDED;
	else if (!strcmp(name, CTF_OWN_FLUSH))
		class->what = CTF_FLUSH;
	for (const struct ctf_own *own = ctf_own; own->name; own++) {
		if (strcmp(name, own->name) != 0)
			continue;
		class->what = CTF_EVENT;
		class->own = own;
		for (uint32_t i = 0; own->members[i].name; i++)
			class->members[i] = ctf_member_index(payload, own->members[i].name);
	}
	class->step = ctf_member_index(payload, CTF_OWN_STEP);
	class->later = ctf_member_index(payload, CTF_OWN_LATER);
}

static void find_frame(struct ctf_class *class, const char *name, const bt_field_class *payload,
		       const bt_field_class *context)
{
	class->tid = ctf_member_index(payload, "perf_tid");
	class->pid = ctf_member_index(payload, "perf_pid");
	class->common_type = ctf_member_index(payload, "common_type");
	class->common_flags = ctf_member_index(payload, "common_flags");
	class->common_pid = ctf_member_index(payload, "common_pid");
	class->context_tid = ctf_member_index(context, "tid");
	class->context_tgid = ctf_member_index(context, "tgid");
	class->context_flags = ctf_member_index(context, "flags");
	if (class->context_tgid == CTF_NO_FIELD) /* LTTng's */
		class->context_tgid = ctf_member_index(context, "pid");
	class->filename = ctf_member_index(payload, "filename");
	if (!strcmp(name, "perf_comm"))
		class->what = CTF_PERF_COMM;
	else if (!strcmp(name, "lttng_statedump_process_state"))
		class->what = CTF_STATEDUMP;
	if (class->what == CTF_KERNEL)
		return;
	class->tid = ctf_member_index(payload, "tid");
	class->pid = ctf_member_index(payload, class->what == CTF_TASK ? "tgid" : "pid");
	class->comm = ctf_member_index(
		payload,
		class->what == CTF_STATEDUMP || class->what == CTF_RECORDED ? "name" : "comm");
}

static int add_class(struct ctf_classes *classes, const bt_event_class *key,
		     const bt_field_class *context)
{
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(key);
	const char *name = bt_event_class_get_name(key);
	struct ctf_class *class;

	HASH_FIND_PTR(classes->table, &key, class);
	if (class || classes->n == EVENT_MAX_ID)
		return 0;
	class = calloc(1, sizeof(*class));
	if (!class)
		return -1;
	class->key = key;
	class->id = (uint16_t)++classes->n;
	name = name ? name : "";
	find_own(class, name, payload);
	find_frame(class, name, payload, context);
	HASH_ADD_PTR(classes->table, key, class);
	if (!class->hh.tbl) {
		free(class);
		return -1;
	}
	return class->what == CTF_KERNEL ? make_format(classes, class, name, payload) : 0;
}

int ctf_classes_begin(struct ctf_classes *classes, const char *machine)
{
	size_t len = strlen(machine);
	bool narrow = len && !strstr(machine, "64") && strcmp(machine, "s390x") != 0;

	*classes = (struct ctf_classes){ .table = NULL };
	if (event_formats_init(&classes->formats, false, narrow ? 4 : 8, machine))
		return -1;
	classes->parser = event_formats_begin(&classes->formats);
	return classes->parser ? 0 : -1;
}

int ctf_classes_add(struct ctf_classes *classes, const bt_trace_class *trace_class)
{
	uint64_t n_streams = bt_trace_class_get_stream_class_count(trace_class);

	for (uint64_t s = 0; s < n_streams; s++) {
		const bt_stream_class *stream = bt_trace_class_borrow_stream_class_by_index_const(
			trace_class, s);
		const bt_field_class
			*context = bt_stream_class_borrow_event_common_context_field_class_const(
				stream);
		uint64_t n = bt_stream_class_get_event_class_count(stream);

		for (uint64_t i = 0; i < n; i++)
			if (add_class(classes,
				      bt_stream_class_borrow_event_class_by_index_const(stream, i),
				      context))
				return -1;
	}
	return 0;
}

void ctf_classes_end(struct ctf_classes *classes)
{
	event_formats_end(classes->parser);
	classes->parser = NULL;
}

void ctf_classes_free(struct ctf_classes *classes)
{
	struct ctf_class *class = classes->table;

	if (classes->parser)
		ctf_classes_end(classes);
	HASH_CLEAR(hh, classes->table);
	while (class) {
		struct ctf_class *next = class->hh.next;

		free(class->parts);
		free(class);
		class = next;
	}
	event_formats_free(&classes->formats);
}

struct ctf_class *ctf_class_of(const struct ctf_classes *classes, const bt_event *event)
{
	const bt_event_class *key = bt_event_borrow_class_const(event);
	struct ctf_class *class;

	HASH_FIND_PTR(classes->table, &key, class);
	return class;
}
