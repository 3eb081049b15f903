/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_schema.c - the classes of the CTF trace that export writes. */
#include "cmd/output/ctf_schema.h"

#include <string.h>

#include "analyze/ctf_about.h"

#define MEMBER(type, name, member, kind)                                                           \
	{                                                                                          \
		name, offsetof(type, member), (uint8_t)sizeof(((type *)0)->member), kind           \
	}
#define ROW_U(name) MEMBER(struct ctf_row, #name, name, CTF_MEMBER_UNSIGNED)
#define ROW_S(name) MEMBER(struct ctf_row, #name, name, CTF_MEMBER_SIGNED)
#define ROW_T(name) MEMBER(struct ctf_row, #name, name, CTF_MEMBER_COMM)
#define ROW_K(name) MEMBER(struct ctf_row, #name, name, CTF_MEMBER_KEY)

const struct ctf_member ctf_row_members[] = {
	ROW_U(cpu),    ROW_S(tid),	 ROW_T(comm),	    ROW_S(tgid),      ROW_T(mm),
	ROW_U(hw_pid), ROW_K(entry),	 ROW_K(cause),	    ROW_U(has_range), ROW_U(start),
	ROW_U(end),    ROW_U(page_size), ROW_U(pages),	    ROW_U(pages_min), ROW_U(pages_max),
	ROW_K(scope),  ROW_K(known),	 ROW_K(ended_by),   ROW_U(gaps),      ROW_S(tlbie),
	ROW_S(tlbiel), ROW_S(invlpg),	 ROW_S(cr3_writes), { .name = NULL },
};

const struct ctf_member ctf_task_members[] = {
	MEMBER(struct ctf_own_task, "tid", tid, CTF_MEMBER_SIGNED),
	MEMBER(struct ctf_own_task, "tgid", tgid, CTF_MEMBER_SIGNED),
	MEMBER(struct ctf_own_task, "comm", comm, CTF_MEMBER_COMM),
	{ .name = NULL },
};

const struct ctf_member ctf_recorded_members[] = {
	MEMBER(struct event_count, "name", name, CTF_MEMBER_COMM),
	MEMBER(struct event_count, "count", count, CTF_MEMBER_UNSIGNED),
	MEMBER(struct event_count, "enabled", enabled, CTF_MEMBER_UNSIGNED),
	{ .name = NULL },
};

/* Texts and addresses apart, numbers are written as wide as they are here. */
static bt_field_class *member_class(bt_trace_class *trace_class, const struct ctf_member *member)
{
	bt_field_class *class;

	if (member->type >= CTF_MEMBER_COMM)
		return bt_field_class_string_create(trace_class);
	class = member->type == CTF_MEMBER_SIGNED
			? bt_field_class_integer_signed_create(trace_class)
			: bt_field_class_integer_unsigned_create(trace_class);
	if (!class)
		return NULL;
	bt_field_class_integer_set_field_value_range(class, 8 * (uint64_t)member->size);
	if (member->type == CTF_MEMBER_UNSIGNED && member->size == 8 &&
	    (!strcmp(member->name, "rb") || !strcmp(member->name, "rs") ||
	     !strcmp(member->name, "start") || !strcmp(member->name, "end")))
		bt_field_class_integer_set_preferred_display_base(
			class, BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL);
	return class;
}

/* Takes the class over. */
static int append(bt_field_class *structure, const char *name, bt_field_class *class)
{
	int status = class ? bt_field_class_structure_append_member(structure, name, class) : -1;

	bt_field_class_put_ref(class);
	return status;
}

static bt_field_class *structure_of(bt_trace_class *trace_class, const struct ctf_member *members)
{
	bt_field_class *structure = bt_field_class_structure_create(trace_class);

	for (; structure && members->name; members++) {
		if (append(structure, members->name, member_class(trace_class, members))) {
			bt_field_class_put_ref(structure);
			return NULL;
		}
	}
	return structure;
}

/* What EVENT_TLBIE has beside its members. */
static int append_run(bt_trace_class *trace_class, bt_field_class *structure)
{
	static const struct ctf_member step = { CTF_OWN_STEP, 0, 8, CTF_MEMBER_SIGNED };
	static const struct ctf_member later = { CTF_OWN_LATER, 0, 4, CTF_MEMBER_UNSIGNED };
	bt_field_class *element = member_class(trace_class, &later);
	bt_field_class *length = member_class(trace_class, &later);
	bt_field_class *array = NULL;

	if (element && length && !append(structure, step.name, member_class(trace_class, &step))) {
		bt_field_class_get_ref(length); /* for append */
		if (!append(structure, CTF_OWN_LENGTH, length))
			array = bt_field_class_array_dynamic_create(trace_class, element, length);
	}
	bt_field_class_put_ref(element);
	bt_field_class_put_ref(length);
	return append(structure, later.name, array);
}

static bt_event_class *event_class(const struct ctf_schema *schema, bt_stream_class *stream,
				   const char *name, const struct ctf_member *members, bool is_run)
{
	bt_event_class *class = bt_event_class_create(stream);
	bt_field_class *payload = structure_of(schema->trace_class, members);
	bool good = class && payload && !bt_event_class_set_name(class, name) &&
		    (!is_run || !append_run(schema->trace_class, payload)) &&
		    !bt_event_class_set_payload_field_class(class, payload);

	bt_field_class_put_ref(payload);
	if (good)
		return class;
	bt_event_class_put_ref(class);
	return NULL;
}

static bt_stream_class *stream_class(const struct ctf_schema *schema, uint64_t id, const char *name)
{
	bt_stream_class *stream = bt_stream_class_create_with_id(schema->trace_class, id);

	if (!stream)
		return NULL;
	bt_stream_class_set_assigns_automatic_stream_id(stream, BT_FALSE);
	if (!bt_stream_class_set_name(stream, name) &&
	    !bt_stream_class_set_default_clock_class(stream, schema->clock)) {
		bt_stream_class_set_supports_packets(stream, BT_TRUE, BT_TRUE, BT_TRUE);
		return stream;
	}
	bt_stream_class_put_ref(stream);
	return NULL;
}

/* A CPU's packets name it; its events say whose they are. */
static int add_contexts(struct ctf_schema *schema)
{
	static const struct ctf_member cpu[] = { { "cpu_id", 0, 4, CTF_MEMBER_UNSIGNED },
						 { .name = NULL } };
	bt_field_class *packet = structure_of(schema->trace_class, cpu);
	bt_field_class *common = structure_of(schema->trace_class, ctf_own_context);
	int status = -1;

	if (packet && common &&
	    !bt_stream_class_set_packet_context_field_class(schema->of_cpu, packet) &&
	    !bt_stream_class_set_event_common_context_field_class(schema->of_cpu, common))
		status = 0;
	bt_field_class_put_ref(packet);
	bt_field_class_put_ref(common);
	return status;
}

static int add_streams(struct ctf_schema *schema)
{
	schema->of_cpu = stream_class(schema, 0, "events");
	schema->of_whole = stream_class(schema, 1, "recorded");
	schema->of_flushes = stream_class(schema, 2, "flushes");
	return schema->of_cpu && schema->of_whole && schema->of_flushes ? add_contexts(schema) : -1;
}

static int add_events(struct ctf_schema *schema)
{
	for (size_t i = 0; ctf_own[i].name; i++) {
		schema->kinds[i] = event_class(schema, schema->of_cpu, ctf_own[i].name,
					       ctf_own[i].members, ctf_own[i].kind == EVENT_TLBIE);
		if (!schema->kinds[i])
			return -1;
	}
	schema->task = event_class(schema, schema->of_whole, CTF_OWN_TASK, ctf_task_members, false);
	schema->recorded = event_class(schema, schema->of_whole, CTF_OWN_RECORDED,
				       ctf_recorded_members, false);
	schema->flush = event_class(schema, schema->of_flushes, CTF_OWN_FLUSH, ctf_row_members,
				    false);
	return schema->task && schema->recorded && schema->flush ? 0 : -1;
}

static int set_text(bt_trace *trace, const char *key, const char *text)
{
	return *text ? bt_trace_set_environment_entry_string(trace, key, text) : 0;
}

static int set_environment(bt_trace *trace, const struct source_info *info)
{
	if (set_text(trace, "tracer_name", CTF_OWN_TRACER) ||
	    bt_trace_set_environment_entry_integer(trace, "tlbtrace_format", CTF_OWN_VERSION) ||
	    set_text(trace, "exported_from", info->format) ||
	    set_text(trace, "release", info->kernel) || set_text(trace, "machine", info->arch) ||
	    set_text(trace, "clock_name", info->clock) || set_text(trace, "tool", info->tool) ||
	    set_text(trace, "truncated_text", info->truncated_text))
		return -1;
#define SET(key, member)                                                                           \
	if (bt_trace_set_environment_entry_integer(trace, key, (int64_t)info->member))             \
		return -1;
	CTF_ABOUT_NUMBERS_X(SET)
#undef SET
	return 0;
}

int ctf_schema_init(struct ctf_schema *schema, bt_self_component *self,
		    const struct source_info *info)
{
	*schema = (struct ctf_schema){ .trace_class = bt_trace_class_create(self) };
	schema->clock = bt_clock_class_create(self);
	if (!schema->trace_class || !schema->clock ||
	    bt_clock_class_set_name(schema->clock, "trace_clock"))
		return -1;
	bt_trace_class_set_assigns_automatic_stream_class_id(schema->trace_class, BT_FALSE);
	bt_clock_class_set_origin_is_unix_epoch(schema->clock, BT_FALSE);
	if (add_streams(schema) || add_events(schema))
		return -1;
	schema->trace = bt_trace_create(schema->trace_class);
	return schema->trace ? set_environment(schema->trace, info) : -1;
}

void ctf_schema_free(struct ctf_schema *schema)
{
	for (size_t i = 0; i < CTF_OWN_KINDS; i++)
		bt_event_class_put_ref(schema->kinds[i]);
	bt_event_class_put_ref(schema->task);
	bt_event_class_put_ref(schema->recorded);
	bt_event_class_put_ref(schema->flush);
	bt_stream_class_put_ref(schema->of_cpu);
	bt_stream_class_put_ref(schema->of_whole);
	bt_stream_class_put_ref(schema->of_flushes);
	bt_trace_put_ref(schema->trace);
	bt_clock_class_put_ref(schema->clock);
	bt_trace_class_put_ref(schema->trace_class);
	*schema = (struct ctf_schema){ .trace_class = NULL };
}

static int fill_text(bt_field *field, const struct ctf_member *member, const void *from)
{
	const char *at = (const char *)from + member->at;
	const struct event *ev = from;
	const char *key;

	switch ((enum ctf_member_type)member->type) {
	case CTF_MEMBER_TEXT:
		bt_field_string_clear(field);
		return bt_field_string_append_with_length(field, ev->marker,
							  strnlen(ev->marker, ev->marker_len));
	case CTF_MEMBER_KEY:
		memcpy(&key, at, sizeof(key));
		return bt_field_string_set_value(field, key);
	default:
		return bt_field_string_set_value(field, at);
	}
}

int ctf_schema_fill(bt_field *structure, const struct ctf_member *members, const void *from)
{
	for (uint64_t i = 0; members[i].name; i++) {
		bt_field *field = bt_field_structure_borrow_member_field_by_index(structure, i);

		if (members[i].type >= CTF_MEMBER_COMM) {
			if (fill_text(field, &members[i], from))
				return -1;
		} else if (members[i].type == CTF_MEMBER_SIGNED) {
			bt_field_integer_signed_set_value(
				field, (int64_t)ctf_member_get(from, &members[i]));
		} else {
			bt_field_integer_unsigned_set_value(field,
							    ctf_member_get(from, &members[i]));
		}
	}
	return 0;
}
