/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracedat_options.c - what the options of a trace.dat say, in either version. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tracedat_file.h"

#define MAX_STATS (TRACEDAT_MAX_CPUS * 2)

/* The option's text, cut at its first NUL. */
static uint64_t text_len(const struct bytes *data)
{
	return data->size ? strnlen((const char *)data->data, data->size) : 0;
}

static void copy_text(char *to, size_t size, const struct bytes *data)
{
	text_copy(to, size, data->data, text_len(data));
}

void tracedat_clock_name(char *to, size_t size, const void *text, uint64_t len)
{
	const char *at = len ? memchr(text, '[', len) : NULL;
	const char *end = (const char *)text + len;
	uint64_t n = 0;

	at = at ? at + 1 : text;
	while (at + n < end && !strchr("] \n\t", at[n]))
		n++;
	text_copy(to, size, at, n);
}

/* A signed number in text, decimal or 0x…, as strtoll reads it. */
static uint64_t text_number(const struct bytes *data)
{
	char digits[40];

	copy_text(digits, sizeof(digits), data);
	return (uint64_t)strtoll(digits, NULL, 0);
}

static uint64_t stat_number(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Either one CPU's statistics or "\nBuffer: NAME\n", which the statistics that follow belong to. */
static void option_cpustat(struct tracedat_file *file, const struct bytes *data)
{
	struct tracedat_stat *bigger;
	char text[1024];
	const char *buffer;
	uint64_t entries;

	copy_text(text, sizeof(text), data);
	buffer = strstr(text, "Buffer: ");
	if (buffer) {
		buffer += strlen("Buffer: ");
		text_copy(file->stat_buffer, sizeof(file->stat_buffer), buffer,
			  strcspn(buffer, "\n"));
		return;
	}
	if (!strstr(text, "CPU: ") || file->n_stats == MAX_STATS)
		return;
	bigger = realloc(file->stats, (file->n_stats + 1) * sizeof(*bigger));
	if (!bigger)
		return;
	file->stats = bigger;
	bigger += file->n_stats++;
	*bigger = (struct tracedat_stat){ .cpu = (uint32_t)stat_number(text, "CPU: ") };
	memcpy(bigger->buffer, file->stat_buffer, sizeof(bigger->buffer));
	bigger->lost = stat_number(text, "\noverrun: ") + stat_number(text, "\ncommit overrun: ") +
		       stat_number(text, "\ndropped events: ");
	/* Events of the page that the reader was on when recording ended are in both numbers. */
	entries = stat_number(text, "\nentries: ");
	bigger->recorded = stat_number(text, "\nread events: ");
	if (entries > bigger->recorded)
		bigger->recorded = entries;
}

static void option_tsc2nsec(struct tracedat_file *file, struct bytes *data)
{
	uint32_t mult = bytes_u32(data);
	uint32_t shift = bytes_u32(data);

	if (data->failed || shift > 63)
		return;
	file->time.mult = mult;
	file->time.shift = shift;
}

static void option_tgids(struct tracedat_file *file, const struct bytes *data)
{
	struct tracedat_block *block = &file->tgids;

	if (block->owned)
		return;
	block->size = text_len(data);
	block->origin = data->origin;
	block->data = block->owned = malloc(block->size + 1);
	if (block->owned)
		memcpy(block->owned, data->data, block->size);
	else
		block->size = 0;
}

void tracedat_option(struct tracedat_file *file, uint32_t id, struct bytes data)
{
	switch (id) {
	case TRACEDAT_OPTION_DATE: /* microseconds, unlike OFFSET */
		file->time.add += text_number(&data) * 1000;
		break;
	case TRACEDAT_OPTION_OFFSET:
		file->time.add += text_number(&data);
		break;
	case TRACEDAT_OPTION_TSC2NSEC:
		option_tsc2nsec(file, &data);
		break;
	case TRACEDAT_OPTION_CPUSTAT:
		option_cpustat(file, &data);
		break;
	case TRACEDAT_OPTION_TRACECLOCK:
		tracedat_clock_name(file->clock, sizeof(file->clock), data.data, text_len(&data));
		break;
	case TRACEDAT_OPTION_UNAME:
		copy_text(file->uname, sizeof(file->uname), &data);
		break;
	case TRACEDAT_OPTION_VERSION:
		copy_text(file->version_text, sizeof(file->version_text), &data);
		break;
	case TRACEDAT_OPTION_CPUCOUNT: /* gpuvis's trace-cmd uses the same id for saved_tgids */
		if (data.size > 8)
			option_tgids(file, &data);
		else
			file->n_cpus = bytes_u32(&data);
		break;
	default:
		break;
	}
}
