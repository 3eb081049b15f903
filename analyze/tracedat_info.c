/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracedat_info.c - what is known of a trace.dat as a whole, and what of it is missing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/source_tracedat.h"

static const struct tracedat_stat *find_stat(const struct tracedat_file *file,
					     const struct tracedat_stream *stream)
{
	for (uint32_t i = 0; i < file->n_stats; i++)
		if (file->stats[i].cpu == stream->cpu &&
		    !strcmp(file->stats[i].buffer, stream->buffer->name))
			return &file->stats[i];
	return NULL;
}

/*
 * What the marks in a stream count, the kernel's statistics of that buffer and CPU count again (a
 * mark is the growth of the overrun counter between two pages that were read), and they count more:
 * what was overwritten after the last page was read, commit overruns, dropped events. So the larger
 * of the two is what the kernel lost, and marks without a number are covered by statistics that
 * exceed the numbered ones. Events that the kernel did record but that are not in the file come on
 * top of that; where they are missing is not known unless damage was noticed.
 */
static void add_lost(struct source_info *info, const struct tracedat_file *file,
		     const struct tracedat_stream *stream, struct damage *damage)
{
	const struct tracedat_stat *stat = find_stat(file, stream);
	bool covered = stat && stat->lost > stream->marked_lost && !stream->damage.places;

	info->lost_events += stat && stat->lost > stream->marked_lost ? stat->lost
								      : stream->marked_lost;
	if (!covered)
		info->lost_unknown += stream->marked_unknown;
	damage_add(damage, &stream->damage);
	if (!stat || !stream->ended || stream->records >= stat->recorded)
		return;
	info->lost_events += stat->recorded - stream->records;
	if (!stream->damage.places)
		damage_note(damage,
			    "CPU %" PRIu32 "%s%s: the kernel counted %" PRIu64 " events, %" PRIu64
			    " are in the file",
			    stream->cpu, stream->buffer->name[0] ? " of buffer " : "",
			    stream->buffer->name, stat->recorded, stream->records);
}

static void add_cpu(struct tracedat *td, const struct cpu *cpu, struct damage *damage)
{
	struct source_info *info = td->base.info;

	for (uint32_t i = 0; i < cpu->n; i++)
		add_lost(info, &td->file, &cpu->feeds[i].stream, damage);
	damage_add(damage, &cpu->damage);
	info->events += cpu->decoder.records;
	if (cpu->decoder.unknown && !info->unknown_records)
		info->unknown_offset = cpu->decoder.unknown_offset;
	info->unknown_records += cpu->decoder.unknown;
	for (uint32_t i = 0; i < td->formats.n; i++)
		td->counts[i].count += cpu->decoder.counts[i];
}

void tracedat_update_info(const struct source *src)
{
	struct tracedat *td = tracedat_of(src);
	struct source_info *info = td->base.info;
	struct damage damage = td->file.damage;

	info->events = info->lost_events = info->lost_unknown = info->unknown_records = 0;
	for (uint32_t i = 0; i < td->formats.n; i++)
		td->counts[i].count = 0;
	for (uint32_t i = 0; i < info->cpus; i++)
		add_cpu(td, &td->cpus[i], &damage);
	info->truncated = damage.places;
	memcpy(info->truncated_text, damage.text, sizeof(info->truncated_text));
}

/* "Linux HOST RELEASE MACHINE", as trace-cmd writes it. */
static void split_uname(const char *uname, struct source_info *info)
{
	char system[128], host[128];

	if (sscanf(uname, "%127s %127s %127s %31s", system, host, info->kernel, info->arch) != 4)
		info->kernel[0] = info->arch[0] = '\0';
}

/* The clocks whose stamps are nanoseconds (kernel/trace/trace.c: trace_clocks[].in_ns). */
static bool clock_is_ns(const char *clock)
{
	static const char *const clocks[] = {
		"", "local", "global", "uptime", "perf", "mono", "mono_raw", "boot", "tai",
	};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(clock, clocks[i]))
			return true;
	return false;
}

void tracedat_fill_info(struct tracedat *td, const char *clock)
{
	const struct tracedat_file *file = &td->file;
	struct source_info *info = &td->info;

	info->path = td->path;
	snprintf(info->format, sizeof(info->format), "trace.dat v%d%s%.8s", file->version,
		 file->compression ? " " : "", file->compression ? file->compression_name : "");
	split_uname(file->uname, info);
	snprintf(info->clock, sizeof(info->clock), "%s", clock);
	/* trace-cmd writes its version alone, and we our name. */
	snprintf(info->tool, sizeof(info->tool), "%s%s%.80s",
		 strncmp(file->version_text, "tlbtrace", 8) ? "trace-cmd" : "",
		 file->version_text[0] && strncmp(file->version_text, "tlbtrace", 8) ? " " : "",
		 file->version_text);
	info->page_size = file->page_size;
	info->big_endian = file->whole.big_endian;
	info->has_time = file->time.mult || clock_is_ns(clock);
	info->has_irq_flags = true; /* every event has common_flags since v2.6.31 */
}
