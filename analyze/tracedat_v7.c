/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracedat_v7.c - the layout of trace.dat version 7: sections that chained options point to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tracedat_file.h"

#define SECTION_COMPRESSED 1
#define MAX_OPTION_SECTIONS 4096
#define MAX_SECTION_ID 64		      /* 22 are in use */
#define MAX_SECTION_BYTES (UINT64_C(1) << 28) /* inflated; kallsyms are some MB */

struct section {
	uint16_t id;
	uint16_t flags;
	struct bytes content; /* as it is in the file */
};

/* Where options point to; 0 is nowhere. */
struct pointers {
	uint64_t header_info;
	uint64_t ftrace_formats;
	uint64_t event_formats;
	uint64_t cmdlines;
	uint64_t text; /* a latency tracer's */
	uint64_t next; /* options section */
};

/* Returns -1 if there is no such section at the offset. */
static int find_section(const struct tracedat_file *file, uint64_t at, struct section *section)
{
	struct bytes b = file->whole;
	uint64_t size;

	b.at = at < b.size ? at : b.size;
	section->id = bytes_u16(&b);
	section->flags = bytes_u16(&b);
	bytes_u32(&b);
	size = bytes_u64(&b);
	if (b.failed)
		return -1;
	/* A section that ends behind the file's end: what is there may still do. */
	section->content = bytes_slice(&b, b.at, size < bytes_left(&b) ? size : bytes_left(&b));
	return section->content.size == size ? 0 : 1;
}

static int inflate_section(const struct tracedat_file *file, struct bytes in,
			   struct tracedat_block *block)
{
	uint64_t packed = bytes_u32(&in);
	uint64_t size = bytes_u32(&in);
	const uint8_t *data = bytes_take(&in, packed);
	int64_t n;

	if (!data || size > MAX_SECTION_BYTES)
		return -1;
	block->owned = malloc(size ? size : 1);
	if (!block->owned)
		return -1;
	n = inflate_block(file->inflaters, file->compression, data, packed, block->owned, size);
	if (n < 0) {
		tracedat_block_free(block);
		return -1;
	}
	block->data = block->owned;
	block->size = (uint64_t)n;
	return 0;
}

/* Takes the content of the section at the offset. Returns -1 if it is not there or damaged. */
static int load_section(const struct tracedat_file *file, uint64_t at, uint16_t id,
			struct tracedat_block *block)
{
	struct section section;
	int found = find_section(file, at, &section);

	*block = (struct tracedat_block){ .origin = at };
	if (found < 0 || section.id != id)
		return -1;
	if (section.flags & SECTION_COMPRESSED)
		return inflate_section(file, section.content, block);
	block->data = section.content.data;
	block->size = section.content.size;
	return found ? -1 : 0;
}

static void need_section(struct tracedat_file *file, uint64_t at, uint16_t id, const char *what,
			 struct tracedat_block *block)
{
	if (at && load_section(file, at, id, block))
		damage_note(&file->damage,
			    "the section at offset %" PRIu64 " with the %s is "
			    "damaged or cut",
			    at, what);
}

static void option_buffer(struct tracedat_file *file, struct bytes data)
{
	uint64_t offset = bytes_u64(&data);
	const char *name = bytes_string(&data);
	const char *clock = bytes_string(&data);
	uint32_t page_size = bytes_u32(&data);
	uint32_t n_cpus = bytes_u32(&data);
	struct tracedat_buffer *buffer;
	struct section section = { 0 };

	if (data.failed || n_cpus > TRACEDAT_MAX_CPUS || n_cpus > bytes_left(&data) / 20) {
		damage_note(&file->damage, "the BUFFER option at offset %" PRIu64 " is damaged",
			    data.origin);
		return;
	}
	for (uint32_t i = 0; i < file->n_buffers; i++)
		if (file->buffers[i].offset == offset)
			return;
	if (find_section(file, offset, &section) < 0 || section.id != TRACEDAT_OPTION_BUFFER)
		damage_note(&file->damage, "no data of buffer \"%.63s\" at offset %" PRIu64, name,
			    offset);
	buffer = tracedat_add_buffer(file);
	if (!buffer)
		return;
	buffer->offset = offset;
	buffer->compressed = section.flags & SECTION_COMPRESSED;
	buffer->page_size = page_size;
	text_copy(buffer->name, sizeof(buffer->name), name, strlen(name));
	tracedat_clock_name(buffer->clock, sizeof(buffer->clock), clock, strlen(clock));
	buffer->cpus = calloc(n_cpus ? n_cpus : 1, sizeof(*buffer->cpus));
	if (!buffer->cpus)
		return;
	for (uint32_t i = 0; i < n_cpus; i++) {
		struct tracedat_cpu *cpu = &buffer->cpus[buffer->n_cpus++];

		cpu->cpu = bytes_u32(&data);
		cpu->offset = bytes_u64(&data);
		cpu->size = bytes_u64(&data);
	}
}

static void take_option(struct tracedat_file *file, struct pointers *to, uint32_t id,
			struct bytes data)
{
	struct bytes number = data;
	uint64_t at = bytes_u64(&number);

	switch (id) {
	case TRACEDAT_OPTION_DONE:
		to->next = at;
		break;
	case TRACEDAT_OPTION_BUFFER:
		option_buffer(file, data);
		break;
	case TRACEDAT_OPTION_HEADER_INFO:
		to->header_info = at;
		break;
	case TRACEDAT_OPTION_FTRACE_EVENTS:
		to->ftrace_formats = at;
		break;
	case TRACEDAT_OPTION_EVENT_FORMATS:
		to->event_formats = at;
		break;
	case TRACEDAT_OPTION_KALLSYMS:
		file->kallsyms_at = at;
		break;
	case TRACEDAT_OPTION_CMDLINES:
		to->cmdlines = at;
		break;
	case TRACEDAT_OPTION_BUFFER_TEXT:
		to->text = at;
		break;
	default:
		tracedat_option(file, id, data);
	}
}

/* Returns 0 where the section ended as it should, by DONE. */
static int parse_options(struct tracedat_file *file, struct pointers *to, struct bytes b)
{
	while (bytes_left(&b)) {
		uint32_t id = bytes_u16(&b);
		uint32_t size = bytes_u32(&b);
		uint64_t at = b.at;

		if (!bytes_take(&b, size))
			return -1;
		take_option(file, to, id, bytes_slice(&b, at, size));
		if (id == TRACEDAT_OPTION_DONE)
			return 0;
	}
	return -1;
}

/* One options section; sets to->next. */
static int parse_options_section(struct tracedat_file *file, struct pointers *to, uint64_t at)
{
	struct tracedat_block block;
	int ret;

	to->next = 0;
	ret = load_section(file, at, 0, &block);
	if (block.data &&
	    parse_options(file, to,
			  bytes_of(block.data, block.size, block.origin, file->whole.big_endian)))
		ret = -1;
	tracedat_block_free(&block);
	return ret;
}

/* The options sections that were read. */
struct chain {
	uint64_t *seen;
	uint32_t n;
	bool broken; /* it does not end as it should: sections may be linked nowhere */
};

static bool seen_before(const struct chain *chain, uint64_t at)
{
	for (uint32_t i = 0; i < chain->n; i++)
		if (chain->seen[i] == at)
			return true;
	return false;
}

/* The chain of options sections from the one at the offset: it may be cut, or lead back. */
static void walk_options(struct tracedat_file *file, struct pointers *to, struct chain *chain,
			 uint64_t at)
{
	do {
		if (chain->n == MAX_OPTION_SECTIONS || seen_before(chain, at)) {
			damage_note(&file->damage,
				    "the options section at offset %" PRIu64 " is linked twice", at);
			chain->broken = true;
			return;
		}
		chain->seen[chain->n++] = at;
		if (parse_options_section(file, to, at)) {
			damage_note(&file->damage,
				    "the options section at offset %" PRIu64
				    " is missing, damaged or cut",
				    at);
			chain->broken = true;
			return;
		}
		at = to->next;
	} while (at);
}

static bool is_known_buffer(const struct tracedat_file *file, uint64_t at)
{
	for (uint32_t i = 0; i < file->n_buffers; i++)
		if (file->buffers[i].offset == at)
			return true;
	return false;
}

/* Whether the kernel's statistics say that this CPU recorded nothing: no data is written then. */
static bool recorded_nothing(const struct tracedat_file *file, const char *buffer, uint32_t cpu)
{
	for (uint32_t i = 0; i < file->n_stats; i++)
		if (file->stats[i].cpu == cpu && !strcmp(file->stats[i].buffer, buffer))
			return !file->stats[i].recorded;
	return false;
}

/* The end of the compressed data of one CPU at b; fails where it is cut. */
static void skip_chunks(struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	while (n-- && !b->failed) {
		uint32_t packed = bytes_u32(b);

		bytes_u32(b);
		bytes_take(b, packed);
	}
}

/* The n-th buffer's name, by the order of the statistics. */
static const char *buffer_name(const struct tracedat_file *file, uint32_t n)
{
	const char *name = "";

	for (uint32_t i = 0; i < file->n_stats; i++) {
		if (!strcmp(file->stats[i].buffer, name))
			continue;
		name = file->stats[i].buffer;
		if (!--n)
			return name;
	}
	return "(lost name)";
}

/* The next CPU's data: at the next page boundary of the file. */
static struct tracedat_cpu recover_cpu(const struct tracedat_file *file, struct bytes *data)
{
	uint64_t page = file->page_size;
	uint64_t at = bytes_offset(data);
	struct tracedat_cpu cpu = { .offset = (at + page - 1) / page * page };

	bytes_take(data, cpu.offset - at);
	skip_chunks(data);
	if (!data->failed) {
		cpu.size = bytes_offset(data) - cpu.offset - 4;
	} else {
		/* More than there is, however much it was. */
		cpu.offset = cpu.offset < file->whole.size ? cpu.offset : file->whole.size;
		cpu.size = file->whole.size - cpu.offset + 1;
	}
	return cpu;
}

/*
 * A buffer's data whose BUFFER option, which trace-cmd writes behind it, is lost. Compressed data
 * says how long it is, so the CPUs can be told apart: each starts at a page boundary of the file,
 * in order. (Uncompressed pages do not say whose they are.)
 */
static void recover_buffer(struct tracedat_file *file, uint64_t at, struct bytes data)
{
	struct tracedat_buffer *buffer;
	const char *name;

	if (!file->n_cpus || file->n_cpus > TRACEDAT_MAX_CPUS || !file->page_size)
		return;
	buffer = tracedat_add_buffer(file);
	if (!buffer)
		return;
	buffer->offset = at;
	buffer->compressed = true;
	memcpy(buffer->clock, file->clock, sizeof(buffer->clock));
	name = file->n_buffers > 1 ? buffer_name(file, file->n_buffers - 1) : "";
	text_copy(buffer->name, sizeof(buffer->name), name, strlen(name));
	buffer->cpus = calloc(file->n_cpus, sizeof(*buffer->cpus));
	for (uint32_t i = 0; buffer->cpus && i < file->n_cpus; i++) {
		struct tracedat_cpu *cpu = &buffer->cpus[buffer->n_cpus];

		if (recorded_nothing(file, buffer->name, i))
			continue;
		*cpu = recover_cpu(file, &data);
		cpu->cpu = i;
		buffer->n_cpus++;
	}
}

/*
 * All sections, one behind the other: is the last of them complete? And where the chain of options
 * is broken, those that it would have led to.
 */
static void walk_sections(struct tracedat_file *file, struct pointers *to, struct chain *chain,
			  uint64_t at)
{
	struct section section;
	int found = 0;

	for (; !found && at < file->whole.size; at += 16 + section.content.size) {
		found = find_section(file, at, &section);
		if (found)
			damage_note(&file->damage,
				    "the file ends at offset %" PRIu64
				    ", inside the section at offset %" PRIu64,
				    file->whole.size, at);
		if (found < 0 || section.id > MAX_SECTION_ID)
			return;
		if (!chain->broken)
			continue;
		if (section.id == TRACEDAT_OPTION_DONE && !seen_before(chain, at))
			walk_options(file, to, chain, at);
		else if (section.id == TRACEDAT_OPTION_BUFFER && !is_known_buffer(file, at) &&
			 section.flags & SECTION_COMPRESSED)
			recover_buffer(file, at, section.content);
	}
}

/* Follows the options from the first section of them; sections begin at the other offset. */
static void find_everything(struct tracedat_file *file, struct pointers *to, uint64_t options_at,
			    uint64_t sections_at)
{
	struct chain chain = { .seen = calloc(MAX_OPTION_SECTIONS, sizeof(*chain.seen)) };

	if (!chain.seen)
		return;
	walk_options(file, to, &chain, options_at);
	walk_sections(file, to, &chain, sections_at);
	free(chain.seen);
}

static void load_sections(struct tracedat_file *file, const struct pointers *to)
{
	struct tracedat_block block = { 0 };
	struct bytes b;

	need_section(file, to->header_info, TRACEDAT_OPTION_HEADER_INFO, "page header", &block);
	if (block.size) {
		b = bytes_of(block.data, block.size, block.origin, file->whole.big_endian);
		tracedat_header_info(file, &b);
	}
	tracedat_block_free(&block);
	need_section(file, to->ftrace_formats, TRACEDAT_OPTION_FTRACE_EVENTS,
		     "formats of ftrace's own events", &file->ftrace_formats);
	need_section(file, to->event_formats, TRACEDAT_OPTION_EVENT_FORMATS, "event formats",
		     &file->event_formats);
	need_section(file, to->cmdlines, TRACEDAT_OPTION_CMDLINES, "saved command lines",
		     &file->cmdlines);
	/* The section repeats its size in 8 bytes of its own. */
	if (file->cmdlines.size >= 8) {
		file->cmdlines.data += 8;
		file->cmdlines.size -= 8;
	}
}

struct tracedat_block tracedat_kallsyms(const struct tracedat_file *file)
{
	struct tracedat_block block = file->kallsyms;

	block.owned = NULL;
	if (file->version == 6)
		return block;
	block = (struct tracedat_block){ 0 };
	if (file->kallsyms_at &&
	    load_section(file, file->kallsyms_at, TRACEDAT_OPTION_KALLSYMS, &block))
		tracedat_block_free(&block);
	if (block.size >= 4) {
		block.data += 4; /* its own size */
		block.size -= 4;
	}
	return block;
}

static int no_buffer(const struct tracedat_file *file, const struct pointers *to, struct error *err)
{
	if (to->text)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": holds the text of a "
				 "latency tracer, not event records: not supported",
				 file->name, to->text);
	if (file->damage.places)
		return error_set(err, ERROR_INPUT,
				 "%s: no trace data can be located: %s (the file "
				 "has %" PRIu64 " bytes)",
				 file->name, file->damage.text, file->whole.size);
	return error_set(err, ERROR_INPUT,
			 "%s: the options of this trace.dat name no buffer: it "
			 "holds no trace data (the file has %" PRIu64 " bytes)",
			 file->name, file->whole.size);
}

int tracedat_parse_v7(struct tracedat_file *file, struct bytes *b, struct error *err)
{
	struct pointers to = { 0 };
	uint64_t name_at = bytes_offset(b);
	const char *name = bytes_string(b);
	const char *name_version = bytes_string(b);
	uint64_t options_at = bytes_u64(b);

	if (!name_version || b->failed)
		return error_set(err, ERROR_INPUT,
				 "%s: the file ends at offset %" PRIu64
				 ", inside the header of a trace.dat",
				 file->name, file->whole.size);
	text_copy(file->compression_name, sizeof(file->compression_name), name, strlen(name));
	file->compression = compression_by_name(name);
	if (file->compression == COMPRESSION_UNKNOWN)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": compressed by "
				 "\"%.16s\", which is not supported (zstd, zlib and none are)",
				 file->name, name_at, name);
	find_everything(file, &to, options_at, bytes_offset(b));
	if (!file->n_buffers)
		return no_buffer(file, &to, err);
	load_sections(file, &to);
	return 0;
}
