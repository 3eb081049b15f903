/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_about.c - what a CTF trace's environment says of the machine, the tracer and the recording. */
#include "analyze/ctf_about.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/ctf_event.h"

static const char *text_of(const bt_trace *trace, const char *key)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, key);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

static int64_t number_of(const bt_trace *trace, const char *key, int64_t otherwise)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, key);

	return value && bt_value_is_signed_integer(value) ? bt_value_integer_signed_get(value)
							  : otherwise;
}

/* The first of the two keys that is there. */
static void take_text(char *to, size_t size, const bt_trace *trace, const char *key,
		      const char *other)
{
	const char *text = text_of(trace, key);

	if (!*to)
		snprintf(to, size, "%s", *text ? text : text_of(trace, other));
}

static void take_tool(struct source_info *info, const bt_trace *trace)
{
	const char *tracer = text_of(trace, "tracer_name");
	int64_t major = number_of(trace, "tracer_major", -1);

	if (*info->tool || !*tracer)
		return;
	if (major >= 0)
		snprintf(info->tool, sizeof(info->tool), "%s %" PRId64 ".%" PRId64, tracer, major,
			 number_of(trace, "tracer_minor", 0));
	else
		snprintf(info->tool, sizeof(info->tool), "%s %s", tracer, text_of(trace, "version"));
}

static void take_clock(struct source_info *info, const bt_trace *trace)
{
	const bt_trace_class *class = bt_trace_borrow_class_const(trace);
	uint64_t n = bt_trace_class_get_stream_class_count(class);

	for (uint64_t i = 0; i < n && !*info->clock; i++) {
		const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
			bt_trace_class_borrow_stream_class_by_index_const(class, i));
		const char *name = clock ? bt_clock_class_get_name(clock) : NULL;

		if (name)
			snprintf(info->clock, sizeof(info->clock), "%s", name);
	}
}

static void take_own(struct source_info *info, const bt_trace *trace)
{
#define TAKE(key, member)                                                                          \
	info->member = (__typeof__(info->member))number_of(trace, key, (int64_t)info->member);
	CTF_ABOUT_NUMBERS_X(TAKE)
#undef TAKE
	snprintf(info->tool, sizeof(info->tool), "%s", text_of(trace, "tool"));
	snprintf(info->clock, sizeof(info->clock), "%s", text_of(trace, "clock_name"));
	snprintf(info->truncated_text, sizeof(info->truncated_text), "%s",
		 text_of(trace, "truncated_text"));
}

int64_t ctf_about_take(struct source_info *info, const bt_trace *trace)
{
	int64_t version = 0;

	take_text(info->kernel, sizeof(info->kernel), trace, "release", "kernel_release");
	take_text(info->arch, sizeof(info->arch), trace, "machine", "architecture");
	if (!strcmp(text_of(trace, "tracer_name"), CTF_OWN_TRACER))
		version = number_of(trace, "tlbtrace_format", -1);
	if (version) {
		take_own(info, trace);
		return version;
	}
	take_tool(info, trace);
	take_clock(info, trace);
	return 0;
}
