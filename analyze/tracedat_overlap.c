/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_overlap.c - no byte of a trace.dat is the data of two CPUs.
 *
 * A file that says otherwise is damaged, and could name the same few bytes for thousands of CPUs, each
 * with memory of its own.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/tracedat_file.h"

static uint64_t count_cpus(const struct tracedat_file *file)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < file->n_buffers; i++)
		n += file->buffers[i].n_cpus;
	return n;
}

static uint64_t list_data(const struct tracedat_file *file, struct tracedat_cpu **list)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < file->n_buffers; i++) {
		const struct tracedat_buffer *buffer = &file->buffers[i];

		for (uint32_t c = 0; c < buffer->n_cpus; c++)
			if (buffer->cpus[c].size)
				list[n++] = &buffer->cpus[c];
	}
	return n;
}

/* By offset; those that begin together stay in the order of the file's tables. */
static int compare(const void *a, const void *b)
{
	const struct tracedat_cpu *const *x = a, *const *y = b;

	if ((*x)->offset != (*y)->offset)
		return (*x)->offset < (*y)->offset ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* Ends the CPU's data where the next one's begins. */
static void end_before(struct tracedat_file *file, struct tracedat_cpu *cpu,
		       const struct tracedat_cpu *next)
{
	uint64_t room = next->offset - cpu->offset;

	if (cpu->size <= room)
		return;
	damage_note(&file->damage,
		    "CPU %" PRIu32 ": its data at offset %" PRIu64 " reaches into CPU %" PRIu32
		    "'s at offset %" PRIu64,
		    cpu->cpu, cpu->offset, next->cpu, next->offset);
	cpu->size = room;
}

int tracedat_part_data(struct tracedat_file *file)
{
	struct tracedat_cpu **list = calloc(count_cpus(file) + 1, sizeof(struct tracedat_cpu *));
	uint64_t n;

	if (!list)
		return -1;
	n = list_data(file, list);
	qsort(list, n, sizeof(struct tracedat_cpu *), compare);
	for (uint64_t i = 1; i < n; i++)
		end_before(file, list[i - 1], list[i]);
	free(list);
	return 0;
}
