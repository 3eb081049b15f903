/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracedat_file.c - a trace.dat's first header, and what both versions have in common. */
#include "analyze/tracedat_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

bool tracedat_matches(const uint8_t *head, uint64_t len)
{
	return len >= sizeof(magic) && !memcmp(head, magic, sizeof(magic));
}

static int cut_header(const struct tracedat_file *file, struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "%s: the file ends at offset %" PRIu64 ", inside the header of a trace.dat",
			 file->name, file->whole.size);
}

static int parse_version(struct tracedat_file *file, struct bytes *b, struct error *err)
{
	uint64_t at = bytes_offset(b);
	const char *text = bytes_string(b);

	if (!text)
		return cut_header(file, err);
	if (strcmp(text, "6") && strcmp(text, "7"))
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": trace.dat version "
				 "\"%.16s\" is not supported (6 and 7 are)",
				 file->name, at, text);
	file->version = text[0] - '0';
	return 0;
}

static int parse_machine(struct tracedat_file *file, struct bytes *b, struct error *err)
{
	uint64_t at = bytes_offset(b);
	const uint8_t *endian = bytes_take(b, 2);

	if (!endian)
		return cut_header(file, err);
	if (endian[0] > 1)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": byte order %u is "
				 "neither 0 (little) nor 1 (big)",
				 file->name, at, endian[0]);
	if (endian[1] != 4 && endian[1] != 8)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": a long of %u bytes "
				 "is neither 4 nor 8",
				 file->name, at + 1, endian[1]);
	b->big_endian = file->whole.big_endian = endian[0];
	file->long_size = endian[1];
	file->page_format = ringpage_default_format(file->long_size, b->big_endian);
	file->page_size = bytes_u32(b);
	return b->failed ? cut_header(file, err) : 0;
}

int tracedat_parse(struct tracedat_file *file, const char *name, const uint8_t *data, uint64_t size,
		   struct error *err)
{
	struct bytes b = bytes_of(data, size, 0, false);

	*file = (struct tracedat_file){ .name = name, .whole = b };
	file->inflaters = inflaters_new();
	if (!file->inflaters)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", name);
	bytes_take(&b, sizeof(magic));
	if (parse_version(file, &b, err) || parse_machine(file, &b, err))
		return -1;
	if (file->version == 6 ? tracedat_parse_v6(file, &b, err) : tracedat_parse_v7(file, &b, err))
		return -1;
	if (tracedat_part_data(file))
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", name);
	return 0;
}

void tracedat_header_info(struct tracedat_file *file, struct bytes *b)
{
	uint64_t at = bytes_offset(b);
	const uint8_t *word = bytes_take(b, 12);
	uint64_t len = bytes_u64(b);
	const uint8_t *text = bytes_take(b, len);

	if (!word || memcmp(word, "header_page", 12) || !text) {
		damage_note(&file->damage, "no header_page at offset %" PRIu64, at);
		b->failed = true;
		return;
	}
	/* Size 0: a kernel without header_page, whose pages have the default layout. */
	if (len && ringpage_parse_format(&file->page_format, (const char *)text, len))
		damage_note(&file->damage, "header_page at offset %" PRIu64 " makes no sense", at);
	word = bytes_take(b, 13);
	len = bytes_u64(b);
	if (word && memcmp(word, "header_event", 13))
		b->failed = true;
	bytes_take(b, len);
}

struct tracedat_buffer *tracedat_add_buffer(struct tracedat_file *file)
{
	struct tracedat_buffer *bigger;

	if (file->n_buffers == TRACEDAT_MAX_BUFFERS)
		return NULL;
	bigger = realloc(file->buffers, (file->n_buffers + 1) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	file->buffers = bigger;
	bigger += file->n_buffers++;
	*bigger = (struct tracedat_buffer){ .page_size = file->page_size };
	return bigger;
}

static void each_in_system(struct tracedat_file *file, struct bytes *b, const char *system,
			   void *context, void (*each)(void *, const char *, const char *, uint64_t))
{
	uint32_t n = bytes_u32(b);

	while (n-- && !b->failed) {
		uint64_t len = bytes_u64(b);
		const uint8_t *text = bytes_take(b, len);

		if (text)
			each(context, system, (const char *)text, len);
	}
	if (b->failed)
		damage_note(&file->damage, "the event formats at offset %" PRIu64 " end early",
			    b->origin);
}

void tracedat_each_format(struct tracedat_file *file, void *context,
			  void (*each)(void *context, const char *system, const char *text,
				       uint64_t len))
{
	const struct tracedat_block *block = &file->ftrace_formats;
	struct bytes b = bytes_of(block->data, block->size, block->origin, file->whole.big_endian);
	uint32_t n;

	if (block->size)
		each_in_system(file, &b, "ftrace", context, each);
	block = &file->event_formats;
	b = bytes_of(block->data, block->size, block->origin, file->whole.big_endian);
	if (!block->size)
		return;
	n = bytes_u32(&b);
	while (n-- && !b.failed) {
		const char *system = bytes_string(&b);

		if (system)
			each_in_system(file, &b, system, context, each);
	}
}

void tracedat_block_free(struct tracedat_block *block)
{
	free(block->owned);
	*block = (struct tracedat_block){ 0 };
}

void tracedat_file_free(struct tracedat_file *file)
{
	for (uint32_t i = 0; i < file->n_buffers; i++)
		free(file->buffers[i].cpus);
	free(file->buffers);
	free(file->stats);
	inflaters_free(file->inflaters);
	tracedat_block_free(&file->ftrace_formats);
	tracedat_block_free(&file->event_formats);
	tracedat_block_free(&file->cmdlines);
	tracedat_block_free(&file->kallsyms);
	tracedat_block_free(&file->tgids);
	*file = (struct tracedat_file){ 0 };
}
