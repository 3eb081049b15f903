/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source_tracedat.c - a trace.dat as a source: its buffers merged per CPU, records decoded. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/kallsyms.h"
#include "analyze/source_tracedat.h"

#define BARE_ENOUGH 16

static bool matches(const struct source_file *file)
{
	return tracedat_matches(file->head, file->head_len);
}

static int no_memory(const struct tracedat *td, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", td->path);
}

static inline void fetch(struct feed *feed)
{
	feed->item = tracedat_stream_next(&feed->stream, &feed->rec, &feed->lost);
	feed->used = false;
}

/* The feed whose next item is the earliest; of equal ones the first buffer's. NULL at the end. */
static struct feed *earliest(struct cpu *cpu)
{
	struct feed *best = NULL;

	if (cpu->n == 1) {
		best = cpu->feeds;
		if (best->used)
			fetch(best);
		return best->item == TRACEDAT_END ? NULL : best;
	}
	for (uint32_t i = 0; i < cpu->n; i++) {
		struct feed *feed = &cpu->feeds[i];

		if (feed->used)
			fetch(feed);
		if (feed->item == TRACEDAT_END)
			continue;
		if (!best || feed->rec.time < best->rec.time)
			best = feed;
	}
	return best;
}

/* The ring buffer's own time never goes back: if it does, a time stamp is damaged. */
static uint64_t in_order(struct cpu *cpu, const struct feed *feed)
{
	uint64_t time = feed->rec.time;

	if (time < cpu->last_time && feed->item == TRACEDAT_LOST)
		return cpu->last_time; /* the time of a place that could not be read */
	if (time < cpu->last_time) {
		damage_note(&cpu->damage, "CPU %" PRIu32 ": at offset %" PRIu64 "%s: time goes back",
			    feed->stream.cpu, tracedat_record_offset(&feed->stream, &feed->rec),
			    feed->stream.buffer->compressed ? " of its inflated data" : "");
		return cpu->last_time;
	}
	cpu->last_time = time;
	return time;
}

static bool take(struct tracedat *td, struct cpu *cpu, struct feed *feed, struct event *ev)
{
	uint64_t time = in_order(cpu, feed);
	uint64_t offset = tracedat_record_offset(&feed->stream, &feed->rec);

	feed->used = true;
	if (feed->item == TRACEDAT_LOST) {
		ev->kind = EVENT_LOST;
		ev->flags = 0;
		ev->tid = -1;
		ev->stack = 0;
		ev->offset = offset;
		ev->lost = feed->lost;
	} else if (!event_decode(&cpu->decoder, feed->rec.data, feed->rec.len, offset, ev)) {
		return false;
	}
	ev->time_ns = tracedat_to_ns(&td->file.time, time);
	ev->cpu = feed->stream.cpu;
	return true;
}

/* Most events are of the task of the one before. */
static int32_t tgid_of(const struct tracedat *td, struct cpu *cpu, int32_t tid)
{
	if (!td->tgids.n)
		return -1;
	if (tid != cpu->tid) {
		cpu->tid = tid;
		cpu->tgid = source_tgid(&td->base, tid);
	}
	return cpu->tgid;
}

/*
 * The stack that was recorded with the event, which is the next record of its buffer. No matter
 * whether there is one: the buffer is one record further then.
 */
static void take_stack(struct tracedat *td, struct cpu *cpu, struct feed *feed, struct event *ev)
{
	uint64_t ips[STACK_DEPTH];
	struct event unused;
	uint32_t n;

	fetch(feed);
	cpu->last = NULL;
	if (feed->item != TRACEDAT_RECORD)
		return;
	n = event_decode_stack(&td->formats, feed->rec.data, feed->rec.len, ips, STACK_DEPTH);
	cpu->bare += !n;
	if (!n)
		return;
	ev->stack = stacks_number(td->stacks, ips, n);
	(void)event_decode(&cpu->decoder, feed->rec.data, feed->rec.len, ev->offset, &unused);
	feed->used = true;
}

/* Every trace.dat has the format of stacks: whether it has some, its first flushes tell, or any seen. */
static bool has_stack(const struct tracedat *td, const struct cpu *cpu, const struct event *ev)
{
	const struct event_formats *formats = &td->formats;

	if (!formats->stack_at || (ev->kind != EVENT_TLBIE && ev->kind != EVENT_X86_FLUSH))
		return false;
	return cpu->bare < BARE_ENOUGH || cpu->decoder.counts[formats->by_id[formats->stack_id] - 1];
}

static int next(struct source *src, uint32_t n, struct event *ev, struct error *err)
{
	struct tracedat *td = tracedat_of(src);
	struct cpu *cpu = &td->cpus[n];
	struct feed *feed;

	(void)err;
	while ((feed = earliest(cpu))) {
		if (!take(td, cpu, feed, ev))
			continue;
		cpu->last = feed;
		ev->tgid = tgid_of(td, cpu, ev->tid);
		if (has_stack(td, cpu, ev))
			take_stack(td, cpu, feed, ev);
		return 1;
	}
	return 0;
}

/* Up to where no other buffer of the CPU has an event. */
static uint64_t until_others(const struct cpu *cpu, const struct feed *feed)
{
	uint64_t until = UINT64_MAX;

	for (uint32_t i = 0; i < cpu->n; i++) {
		const struct feed *other = &cpu->feeds[i];

		if (other != feed && other->item != TRACEDAT_END && other->rec.time < until)
			until = other->rec.time;
	}
	return until;
}

static struct source_skipped skip(struct source *src, uint32_t n, uint64_t step, uint64_t max)
{
	struct tracedat *td = tracedat_of(src);
	struct cpu *cpu = &td->cpus[n];
	struct feed *feed = cpu->last;
	struct repeat repeat = { .max = max };
	struct source_skipped skipped = { 0 };

	/* Where time went back, events wait at the time that was reached; and only where stamps are
	 * nanoseconds are their differences, too. */
	if (!feed || feed->item != TRACEDAT_RECORD || feed->rec.time != cpu->last_time ||
	    td->file.time.mult ||
	    !event_decode_repeat(&cpu->decoder, feed->rec.data, feed->rec.len, step, &repeat))
		return skipped;
	repeat.until = until_others(cpu, feed);
	skipped.n = tracedat_stream_repeat(&feed->stream, &feed->rec, &repeat);
	if (!skipped.n)
		return skipped;
	event_decode_count(&cpu->decoder, feed->rec.data, skipped.n);
	cpu->last_time = feed->rec.time;
	skipped.last_ns = tracedat_to_ns(&td->file.time, feed->rec.time);
	skipped.longest_ns = repeat.longest;
	return skipped;
}

static const char *comm(const struct source *src, int32_t tid)
{
	return tid_table_find(&tracedat_of(src)->comms, tid);
}

static int32_t tgid(const struct source *src, int32_t tid)
{
	const char *text = tid_table_find(&tracedat_of(src)->tgids, tid);

	return text[0] ? (int32_t)strtol(text, NULL, 10) : -1;
}

/* The text, size 0 where the file has none; stays. */
static struct tracedat_block load_symbols(struct symbols *symbols)
{
	pthread_mutex_lock(&symbols->lock);
	if (!symbols->loaded)
		symbols->text = tracedat_kallsyms(symbols->file);
	symbols->loaded = true;
	pthread_mutex_unlock(&symbols->lock);
	return symbols->text;
}

static bool find_symbol(void *context, uint64_t address, char *name, uint64_t size)
{
	struct tracedat_block text = load_symbols(context);

	return text.size && kallsyms_find((const char *)text.data, text.size, address, name, size);
}

static const char *kallsyms(const struct source *src, uint64_t *len)
{
	struct tracedat_block text = load_symbols(&tracedat_of(src)->symbols);

	*len = text.size;
	return text.size ? (const char *)text.data : NULL;
}

static const struct stack *stack(const struct source *src, uint32_t number)
{
	return stacks_get(tracedat_of(src)->stacks, number);
}

static void add_format(void *context, const char *system, const char *text, uint64_t len)
{
	event_formats_add(context, system, text, len);
}

static int read_formats(struct tracedat *td)
{
	struct tracedat_file *file = &td->file;
	struct event_format_parser *parser;

	if (event_formats_init(&td->formats, file->whole.big_endian, file->page_format.commit_size,
			       td->info.arch))
		return -1;
	parser = event_formats_begin(&td->formats);
	if (!parser)
		return -1;
	tracedat_each_format(file, parser, add_format);
	event_formats_end(parser);
	if (td->formats.unparsed)
		damage_note(&file->damage, "%" PRIu32 " event formats cannot be parsed",
			    td->formats.unparsed);
	td->counts = calloc(td->formats.n + 1, sizeof(*td->counts));
	if (!td->counts)
		return -1;
	for (uint32_t i = 0; i < td->formats.n; i++) {
		memcpy(td->counts[i].name, td->formats.list[i].name, sizeof(td->counts[i].name));
		td->counts[i].enabled = true;
	}
	td->info.counts = td->counts;
	td->info.n_counts = td->formats.n;
	return 0;
}

static bool has_data(const struct tracedat_buffer *buffer)
{
	for (uint32_t i = 0; i < buffer->n_cpus; i++)
		if (buffer->cpus[i].size)
			return true;
	return false;
}

/* The clock of all buffers that have data; fails where they differ. */
static int common_clock(const struct tracedat *td, const char **clock, struct error *err)
{
	const struct tracedat_file *file = &td->file;
	const struct tracedat_buffer *first = NULL;

	for (uint32_t i = 0; i < file->n_buffers; i++) {
		const struct tracedat_buffer *buffer = &file->buffers[i];

		if (!has_data(buffer))
			continue;
		if (!first)
			first = buffer;
		else if (strcmp(first->clock, buffer->clock))
			return error_set(err, ERROR_INPUT,
					 "%s: buffer \"%s\" uses the clock \"%s\" and "
					 "buffer \"%s\" \"%s\": their events cannot be put in order",
					 td->path, first->name, first->clock, buffer->name,
					 buffer->clock);
	}
	*clock = first && first->clock[0] ? first->clock : file->clock;
	return 0;
}

/* Page sizes come from the file and are trusted by the page walk. */
static int check_pages(struct tracedat *td, struct error *err)
{
	struct tracedat_file *file = &td->file;

	for (uint32_t i = 0; i < file->n_buffers; i++) {
		struct tracedat_buffer *buffer = &file->buffers[i];

		if (buffer->page_size > file->page_format.data_at)
			continue;
		if (!file->page_format.page_size)
			return error_set(err, ERROR_INPUT,
					 "%s: buffer \"%s\" at offset %" PRIu64
					 " says a page size of %" PRIu32,
					 td->path, buffer->name, buffer->offset, buffer->page_size);
		damage_note(&file->damage,
			    "buffer \"%s\" at offset %" PRIu64 " says a page size of %" PRIu32,
			    buffer->name, buffer->offset, buffer->page_size);
		buffer->page_size = file->page_format.page_size;
	}
	return 0;
}

static uint32_t count_cpus(struct tracedat_file *file)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < file->n_buffers; i++)
		for (uint32_t j = 0; j < file->buffers[i].n_cpus; j++) {
			struct tracedat_cpu *cpu = &file->buffers[i].cpus[j];

			if (cpu->cpu >= TRACEDAT_MAX_CPUS) {
				damage_note(&file->damage,
					    "buffer \"%s\" at offset %" PRIu64 " names CPU %" PRIu32,
					    file->buffers[i].name, file->buffers[i].offset,
					    cpu->cpu);
				continue;
			}
			if (cpu->cpu >= n)
				n = cpu->cpu + 1;
		}
	return n;
}

static int add_feed(struct tracedat *td, const struct tracedat_buffer *buffer,
		    const struct tracedat_cpu *data)
{
	struct cpu *cpu = &td->cpus[data->cpu];
	struct feed *bigger = realloc(cpu->feeds, (cpu->n + 1) * sizeof(*bigger));

	if (!bigger)
		return -1;
	cpu->feeds = bigger;
	bigger += cpu->n++;
	*bigger = (struct feed){ .used = true };
	tracedat_stream_start(&bigger->stream, &td->file, buffer, data);
	return 0;
}

static int start_cpus(struct tracedat *td, uint32_t n)
{
	struct tracedat_file *file = &td->file;
	struct symbol_finder finder = { find_symbol, &td->symbols };

	td->cpus = aligned_alloc(_Alignof(struct cpu), (n + 1) * sizeof(*td->cpus));
	if (!td->cpus)
		return -1;
	memset(td->cpus, 0, (n + 1) * sizeof(*td->cpus));
	td->info.cpus = n;
	for (uint32_t i = 0; i < n; i++)
		if (event_decoder_init(&td->cpus[i].decoder, &td->formats, finder))
			return -1;
	for (uint32_t i = 0; i < file->n_buffers; i++)
		for (uint32_t j = 0; j < file->buffers[i].n_cpus; j++) {
			const struct tracedat_cpu *data = &file->buffers[i].cpus[j];

			if (data->cpu < n && add_feed(td, &file->buffers[i], data))
				return -1;
		}
	return 0;
}

static int read_tables(struct tracedat *td)
{
	const struct tracedat_file *file = &td->file;

	td->symbols.file = file;
	if (tid_table_parse(&td->comms, (const char *)file->cmdlines.data, file->cmdlines.size) ||
	    tid_table_parse(&td->tgids, (const char *)file->tgids.data, file->tgids.size))
		return -1;
	return read_formats(td);
}

static int load(struct tracedat *td, struct error *err)
{
	const char *clock = "";
	uint32_t cpus;

	if (source_file_load(&td->input, err) ||
	    tracedat_parse(&td->file, td->path, td->input.data, td->input.size, err))
		return -1;
	if (check_pages(td, err) || common_clock(td, &clock, err))
		return -1;
	td->file.mapped = td->input.mapped;
	td->file.fd = td->input.fd;
	cpus = count_cpus(&td->file);
	tracedat_fill_info(td, clock);
	if (read_tables(td))
		return no_memory(td, err);
	return start_cpus(td, cpus) ? no_memory(td, err) : 0;
}

static void close_tracedat(struct source *src)
{
	struct tracedat *td = tracedat_of(src);

	for (uint32_t i = 0; td->cpus && i < td->info.cpus; i++) {
		for (uint32_t j = 0; j < td->cpus[i].n; j++)
			tracedat_stream_free(&td->cpus[i].feeds[j].stream);
		free(td->cpus[i].feeds);
		event_decoder_free(&td->cpus[i].decoder);
	}
	free(td->cpus);
	free(td->counts);
	stacks_free(td->stacks);
	tracedat_block_free(&td->symbols.text);
	pthread_mutex_destroy(&td->symbols.lock);
	tid_table_free(&td->comms);
	tid_table_free(&td->tgids);
	event_formats_free(&td->formats);
	tracedat_file_free(&td->file);
	source_file_close(&td->input);
	free(td->path);
	free(td);
}

static struct source *open_tracedat(struct source_file *file, struct error *err)
{
	struct tracedat *td = calloc(1, sizeof(*td));

	if (!td) {
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", file->name);
		source_file_close(file);
		return NULL;
	}
	td->input = *file;
	td->base = (struct source){ .ops = &source_tracedat_ops, .info = &td->info };
	pthread_mutex_init(&td->symbols.lock, NULL);
	td->path = strdup(file->name);
	td->stacks = stacks_new();
	if (!td->path || !td->stacks)
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", file->name);
	if (!td->path || !td->stacks || load(td, err)) {
		close_tracedat(&td->base);
		return NULL;
	}
	td->input.name = td->path;
	return &td->base;
}

const struct source_ops source_tracedat_ops = {
	.matches = matches,
	.open = open_tracedat,
	.next = next,
	.skip = skip,
	.update_info = tracedat_update_info,
	.comm = comm,
	.tgid = tgid,
	.stack = stack,
	.kallsyms = kallsyms,
	.close = close_tracedat,
};
