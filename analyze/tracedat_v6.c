/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracedat_v6.c - the layout of trace.dat version 6: one thing after the other. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tracedat_file.h"

#define STATE_LEN 10 /* "options  ", "flyrecord", "latency  ", each with its NUL */

/* An instance: where the option says that its table of CPUs is. */
struct instance {
	char name[64];
	uint64_t offset;
};

struct instances {
	struct instance *list;
	uint32_t n;
};

static int cut(const struct tracedat_file *file, const char *where, struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "%s: the file ends at offset %" PRIu64 ", inside its %s: "
			 "no trace data can be located",
			 file->name, file->whole.size, where);
}

static void skip_formats(struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	while (n-- && !b->failed)
		bytes_take(b, bytes_u64(b));
}

static void skip_systems(struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	while (n-- && !b->failed) {
		bytes_string(b);
		skip_formats(b);
	}
}

/* The block from offset start of b to its position. */
static struct tracedat_block block_since(const struct bytes *b, uint64_t start)
{
	struct tracedat_block block = { 0 };

	if (b->failed)
		return block;
	block.data = b->data + start;
	block.size = b->at - start;
	block.origin = b->origin + start;
	return block;
}

static struct tracedat_block sized_block(struct bytes *b, uint64_t size)
{
	uint64_t start = b->at;

	bytes_take(b, size);
	return block_since(b, start);
}

static int parse_tables(struct tracedat_file *file, struct bytes *b, struct error *err)
{
	uint64_t start;

	tracedat_header_info(file, b);
	start = b->at;
	skip_formats(b);
	file->ftrace_formats = block_since(b, start);
	start = b->at;
	skip_systems(b);
	file->event_formats = block_since(b, start);
	if (b->failed)
		return cut(file, "event formats", err);
	file->kallsyms = sized_block(b, bytes_u32(b));
	sized_block(b, bytes_u32(b)); /* trace_printk formats: not needed */
	if (b->failed)
		return cut(file, "kernel symbols", err);
	file->cmdlines = sized_block(b, bytes_u64(b));
	return b->failed ? cut(file, "saved command lines", err) : 0;
}

static void add_instance(struct instances *instances, struct bytes data)
{
	struct instance found = { .offset = bytes_u64(&data) };
	const uint8_t *name = data.data + data.at;
	struct instance *bigger;

	if (data.failed || instances->n == TRACEDAT_MAX_BUFFERS)
		return;
	text_copy(found.name, sizeof(found.name), name,
		  bytes_left(&data) ? strnlen((const char *)name, bytes_left(&data)) : 0);
	for (uint32_t i = 0; i < instances->n; i++)
		if (instances->list[i].offset == found.offset)
			return;
	bigger = realloc(instances->list, (instances->n + 1) * sizeof(*bigger));
	if (!bigger)
		return;
	instances->list = bigger;
	instances->list[instances->n++] = found;
}

static void parse_options(struct tracedat_file *file, struct bytes *b, struct instances *instances)
{
	for (;;) {
		uint32_t id = bytes_u16(b);
		uint32_t size;
		uint64_t at;

		if (b->failed || id == TRACEDAT_OPTION_DONE)
			return;
		size = bytes_u32(b);
		at = b->at;
		if (!bytes_take(b, size))
			return;
		if (id == TRACEDAT_OPTION_BUFFER)
			add_instance(instances, bytes_slice(b, at, size));
		else
			tracedat_option(file, id, bytes_slice(b, at, size));
	}
}

/* After a buffer's table: u64 size and text of its trace_clock file, where the option exists. */
static void parse_clock(struct tracedat_buffer *buffer, struct bytes b)
{
	uint64_t len = bytes_u64(&b);
	const uint8_t *text = len < 4096 ? bytes_take(&b, len) : NULL;

	if (text && memchr(text, '[', len))
		tracedat_clock_name(buffer->clock, sizeof(buffer->clock), text, len);
}

static int parse_cpus(struct tracedat_file *file, struct tracedat_buffer *buffer, struct bytes *b,
		      uint32_t n_cpus)
{
	const struct ringpage_format *fmt = &file->page_format;

	buffer->cpus = calloc(n_cpus ? n_cpus : 1, sizeof(*buffer->cpus));
	if (!buffer->cpus)
		return -1;
	for (uint32_t i = 0; i < n_cpus && !b->failed; i++) {
		struct tracedat_cpu cpu = { .cpu = i };

		cpu.offset = bytes_u64(b);
		cpu.size = bytes_u64(b);
		if (!b->failed)
			buffer->cpus[buffer->n_cpus++] = cpu;
	}
	if (fmt->page_size)
		buffer->page_size = fmt->page_size;
	if (!b->failed && file->clock[0]) {
		memcpy(buffer->clock, file->clock, sizeof(buffer->clock));
		parse_clock(buffer, *b);
	}
	return 0;
}

static void parse_instance(struct tracedat_file *file, const struct instance *instance,
			   uint32_t n_cpus)
{
	struct instances nested = { 0 };
	struct tracedat_buffer *buffer;
	struct bytes b = file->whole;
	const uint8_t *state = NULL;

	b.at = instance->offset < b.size ? instance->offset : b.size;
	state = bytes_take(&b, STATE_LEN);
	if (state && !memcmp(state, "options", 7)) {
		parse_options(file, &b, &nested);
		free(nested.list);
		state = bytes_take(&b, STATE_LEN);
	}
	if (!state || memcmp(state, "flyrecord", STATE_LEN)) {
		damage_note(&file->damage, "no data of buffer \"%s\" at offset %" PRIu64,
			    instance->name, instance->offset);
		return;
	}
	buffer = tracedat_add_buffer(file);
	if (!buffer)
		return;
	buffer->offset = instance->offset;
	memcpy(buffer->name, instance->name, sizeof(buffer->name));
	if (parse_cpus(file, buffer, &b, n_cpus) || b.failed)
		damage_note(&file->damage,
			    "the table of buffer \"%s\" at offset %" PRIu64 " ends early",
			    instance->name, instance->offset);
}

static int parse_top(struct tracedat_file *file, struct bytes *b, uint32_t n_cpus, struct error *err)
{
	struct tracedat_buffer *buffer = tracedat_add_buffer(file);

	if (!buffer || parse_cpus(file, buffer, b, n_cpus))
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", file->name);
	buffer->offset = bytes_offset(b);
	if (b->failed)
		damage_note(&file->damage,
			    "the file ends at offset %" PRIu64 ", inside its table of "
			    "CPUs",
			    file->whole.size);
	return b->failed && !buffer->n_cpus ? cut(file, "table of CPUs", err) : 0;
}

/* At the word after the options; fails unless it is "flyrecord". */
static int parse_state(struct tracedat_file *file, struct bytes *b, struct instances *instances,
		       struct error *err)
{
	uint64_t at = bytes_offset(b);
	const uint8_t *state = bytes_take(b, STATE_LEN);

	if (state && !memcmp(state, "options", 7)) {
		parse_options(file, b, instances);
		at = bytes_offset(b);
		state = bytes_take(b, STATE_LEN);
	}
	if (!state)
		return cut(file, "options", err);
	if (!memcmp(state, "latency", 7))
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": holds the text of a "
				 "latency tracer, not event records: not supported",
				 file->name, at);
	if (memcmp(state, "flyrecord", STATE_LEN))
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": neither options nor "
				 "flyrecord: damaged",
				 file->name, at);
	return 0;
}

int tracedat_parse_v6(struct tracedat_file *file, struct bytes *b, struct error *err)
{
	struct instances instances = { 0 };
	uint64_t at;
	uint32_t n_cpus;
	int ret = -1;

	if (parse_tables(file, b, err))
		return -1;
	at = bytes_offset(b);
	n_cpus = bytes_u32(b);
	if (n_cpus > TRACEDAT_MAX_CPUS)
		return error_set(err, ERROR_INPUT, "%s: at offset %" PRIu64 ": %u CPUs: damaged",
				 file->name, at, n_cpus);
	if (parse_state(file, b, &instances, err) || parse_top(file, b, n_cpus, err))
		goto out;
	for (uint32_t i = 0; i < instances.n; i++)
		parse_instance(file, &instances.list[i], n_cpus);
	ret = 0;
out:
	free(instances.list);
	return ret;
}
