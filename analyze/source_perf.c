/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_perf.c - a perf.data as a source.
 *
 * Three ways to the same events: mapped files without compression are indexed in a first pass and
 * every CPU walks its own records; compressed files are inflated by a thread of their own into queues;
 * a pipe is read into queues as it comes. A compressed file whose rounds are missing or large, or whose
 * tasks are named at its end, is inflated once before to learn what lies ahead.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/event_decode.h"
#include "analyze/perf_file.h"
#include "analyze/perf_index.h"
#include "analyze/perf_input.h"
#include "analyze/perf_queue.h"
#include "analyze/perf_tasks.h"
#include "analyze/source_ops.h"

#define MAX_SPANS (UINT64_C(1) << 19)  /* 24 MB */
#define PIPE_CPUS 1024		       /* where a pipe does not say how many there are */
#define MAX_ROUND (PERF_QUEUE_CAP / 8) /* bytes that may come between two rounds */

struct cpu {
	struct perf_cursor cursor;
	struct event_decoder decoder;
	bool started;
	bool ended;
	uint64_t *others; /* samples of events that the kernel has no format for, by attribute */
	uint64_t other_records;
	uint64_t without_raw; /* samples of trace events without the event's record */
	uint64_t last_ns;
	const struct perf_walker *at; /* the record that was read last */
	struct damage damage;
};

/* Found in the records, once per record. */
struct totals {
	uint64_t lost;	       /* LOST */
	uint64_t lost_at_end;  /* LOST_SAMPLES that perf made up when it ended */
	uint64_t lost_samples; /* LOST_SAMPLES of the kernel */
	uint64_t bad;	       /* records that cannot be read */
	uint64_t bad_offset;
	uint64_t rounds;
	bool tail;     /* tasks of before the recording are named at its end (--tail-synthesize) */
	uint32_t cpus; /* highest CPU plus 1 */
};

struct perf {
	struct source base;
	struct perf_inputs inputs;
	struct perf_file file;
	struct perf_rules rules;
	struct perf_feed *feeds; /* one per input */
	struct perf_index index;
	struct perf_queue queue;
	struct perf_tasks tasks;
	struct stacks *stacks;
	struct totals totals;
	pthread_mutex_t lock; /* tasks and totals while a pipe is read */
	bool queued;
	bool scanned;		  /* a first pass was over all records */
	bool outlined;		  /* it was over those that are not compressed */
	uint32_t ended;		  /* queued: CPUs of which all was read */
	struct damage read_ahead; /* met by the thread; scanned: found before, and not used */
	perf_account blocks_bytes;
	struct cpu *cpus;
	struct source_info info;
	struct event_count *counts;
};

static inline struct perf *perf_of(const struct source *src)
{
	return (struct perf *)(uintptr_t)src;
}

static int no_memory(const struct perf *p, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", p->inputs.path);
}

/* ---- what every record tells ---- */

static void note_lost(struct totals *totals, const struct perf_record *rec,
		      const struct perf_sample *sample, bool big_endian)
{
	uint64_t lost = perf_lost(rec, big_endian);

	if (rec->type == PERF_LOST)
		totals->lost += lost;
	else if (sample->time)
		totals->lost_samples += lost;
	else
		totals->lost_at_end += lost;
}

static int note_task(struct perf *p, const struct perf_record *rec, uint64_t time)
{
	const struct perf_stream *first = &p->feeds[0].stream;

	p->totals.tail |= first->outline && first->compressed;
	return perf_tasks_note(&p->tasks, rec, time, p->file.big_endian);
}

/* Of a CPU that the machine does not have. */
static bool is_beyond(const struct perf *p, enum perf_lane lane, const struct perf_sample *sample)
{
	return lane == PERF_LANE_CPU && sample->cpu >= p->info.cpus;
}

static int note(void *context, uint32_t feed, const struct perf_record *rec, enum perf_lane lane,
		const struct perf_sample *sample)
{
	struct perf *p = context;
	struct totals *totals = &p->totals;

	(void)feed;
	if (lane == PERF_LANE_BAD || (p->info.cpus && is_beyond(p, lane, sample))) {
		if (!totals->bad++)
			totals->bad_offset = rec->offset;
		return 0;
	}
	if (lane == PERF_LANE_CPU && sample->cpu >= totals->cpus)
		totals->cpus = sample->cpu + 1;
	switch (rec->type) {
	case PERF_LOST:
	case PERF_LOST_SAMPLES:
		note_lost(totals, rec, sample, p->file.big_endian);
		return 0;
	case PERF_MMAP:
	case PERF_MMAP2:
		if (!p->info.text)
			p->info.text = perf_kernel_text(rec, p->file.big_endian);
		return 0;
	case PERF_COMM:
	case PERF_FORK:
		return note_task(p, rec, sample->time);
	case PERF_FINISHED_ROUND:
		totals->rounds++;
		return 0;
	default:
		return 0;
	}
}

/* The same for records that are read only once. */
static int note_live(void *context, uint32_t feed, const struct perf_record *rec,
		     enum perf_lane lane, const struct perf_sample *sample)
{
	struct perf *p = context;
	int status;

	if (rec->type == PERF_SAMPLE && lane == PERF_LANE_CPU && !is_beyond(p, lane, sample))
		return 0;
	pthread_mutex_lock(&p->lock);
	status = note(p, feed, rec, lane, sample);
	pthread_mutex_unlock(&p->lock);
	return status;
}

/* ---- reading ---- */

static int start_cpu(struct perf *p, struct cpu *cpu)
{
	struct symbol_finder none = { NULL, NULL };

	if (cpu->started)
		return 0;
	cpu->others = calloc(p->file.attrs.n + 1, sizeof(*cpu->others));
	if (!cpu->others || event_decoder_init(&cpu->decoder, &p->file.formats, none))
		return -1;
	cpu->started = true;
	return 0;
}

static int next_record(struct perf *p, uint32_t n, const struct perf_walker **at, struct error *err)
{
	int got;

	if (p->queued)
		return perf_queue_next(&p->queue, n, at, err);
	got = p->index.n_cpus > n ? perf_cursor_next(&p->cpus[n].cursor, at) : 0;
	return got < 0 ? no_memory(p, err) : got;
}

/* Only a pipe whose rounds do not hold what they promise can go back. */
static uint64_t in_order(struct cpu *cpu, const struct perf_record *rec, uint64_t time_ns)
{
	if (time_ns < cpu->last_ns) {
		damage_note(&cpu->damage, "at offset %" PRIu64 "%s: time goes back", rec->offset,
			    rec->inflated ? " of its inflated data" : "");
		return cpu->last_ns;
	}
	cpu->last_ns = time_ns;
	return time_ns;
}

static bool is_flush(const struct event *ev)
{
	return ev->kind == EVENT_TLBIE || ev->kind == EVENT_X86_FLUSH;
}

static uint32_t stack_of(struct perf *p, const struct perf_sample *sample)
{
	uint64_t ips[STACK_DEPTH];

	if (!sample->chain)
		return 0;
	return stacks_number(p->stacks, ips,
			     perf_kernel_chain(sample, p->file.big_endian, ips, STACK_DEPTH));
}

/* As far as the file has told by that time. */
static int32_t tgid_at(struct perf *p, int32_t tid, uint64_t time_ns)
{
	int32_t found;

	pthread_mutex_lock(&p->lock);
	found = perf_tasks_tgid(&p->tasks, tid, time_ns);
	pthread_mutex_unlock(&p->lock);
	return found;
}

static bool take_sample(struct perf *p, struct cpu *cpu, const struct perf_record *rec,
			const struct perf_sample *sample, struct event *ev)
{
	if (p->file.attrs.list[sample->attr].type != PERF_TYPE_TRACEPOINT) {
		cpu->others[sample->attr]++;
		cpu->other_records++;
		return false;
	}
	if (!sample->raw) {
		cpu->without_raw++;
		return false;
	}
	if (!event_decode(&cpu->decoder, sample->raw, sample->raw_size, rec->offset, ev))
		return false;
	ev->stack = is_flush(ev) ? stack_of(p, sample) : 0;
	/* The pid of a task that has exited is -1, and both are another namespace's if perf ran there. */
	ev->tgid = sample->tid == ev->tid && sample->pid >= 0 ? sample->pid
							      : source_tgid(&p->base, ev->tid);
	if (ev->tgid < 0 && p->outlined)
		ev->tgid = tgid_at(p, ev->tid, sample->time);
	return true;
}

static int next(struct source *src, uint32_t n, struct event *ev, struct error *err)
{
	struct perf *p = perf_of(src);
	struct cpu *cpu = &p->cpus[n];
	int got;

	while ((got = next_record(p, n, &cpu->at, err)) == 1) {
		const struct perf_record *rec = &cpu->at->rec;
		const struct perf_sample *sample = &cpu->at->sample;

		if (start_cpu(p, cpu))
			return no_memory(p, err);
		if (rec->type != PERF_SAMPLE)
			perf_lane_event(&p->rules, rec, sample, ev);
		else if (!take_sample(p, cpu, rec, sample, ev))
			continue;
		ev->time_ns = in_order(cpu, rec, sample->time);
		ev->cpu = n;
		return 1;
	}
	if (got == SOURCE_QUIET)
		ev->time_ns = p->queue.cpus[n].quiet_ns;
	if (!got && p->queued && !cpu->ended) {
		cpu->ended = true;
		p->ended++;
	}
	return got;
}

/* perf fills the raw data up to a multiple of 8, the size before them included. */
static uint32_t size_for_repeat(const struct perf_sample *sample)
{
	uint32_t fill = sample->raw_size - REPEAT_BYTES;

	return fill < 8 ? REPEAT_BYTES : sample->raw_size;
}

static struct source_skipped skip(struct source *src, uint32_t n, uint64_t step, uint64_t max)
{
	struct perf *p = perf_of(src);
	struct cpu *cpu = &p->cpus[n];
	const struct perf_sample *sample = &cpu->at->sample;
	struct repeat repeat = { .max = max };
	struct source_skipped skipped = { 0 };

	/* Where time went back, events wait at the time that was reached. */
	if (sample->time != cpu->last_ns ||
	    !event_decode_repeat(&cpu->decoder, sample->raw, size_for_repeat(sample), step, &repeat))
		return skipped;
	skipped.n = p->queued ? perf_queue_repeat(&p->queue, n, &repeat)
			      : perf_cursor_repeat(&cpu->cursor, &repeat);
	if (!skipped.n)
		return skipped;
	event_decode_count(&cpu->decoder, sample->raw, skipped.n);
	cpu->last_ns = skipped.last_ns = sample->time;
	skipped.longest_ns = repeat.longest;
	return skipped;
}

static bool is_parallel(const struct source *src)
{
	return !perf_of(src)->queued;
}

static const struct stack *stack(const struct source *src, uint32_t number)
{
	return stacks_get(perf_of(src)->stacks, number);
}

/* What a thread reads ahead of the time that is asked for must not matter: chance would decide. */
static uint64_t as_of(const struct perf *p)
{
	return p->outlined && p->base.as_of_ns ? p->base.as_of_ns : UINT64_MAX;
}

static const char *comm(const struct source *src, int32_t tid)
{
	struct perf *p = perf_of(src);
	const char *name;

	pthread_mutex_lock(&p->lock);
	name = perf_tasks_comm(&p->tasks, tid, as_of(p));
	pthread_mutex_unlock(&p->lock);
	return name[0] ? name : tid_table_find(&p->file.comms, tid);
}

static int32_t tgid(const struct source *src, int32_t tid)
{
	struct perf *p = perf_of(src);

	return tgid_at(p, tid, as_of(p));
}

/* ---- what is known of the file ---- */

/* Events without a format that can be sampled are counted behind those with one. */
static bool is_other(const struct perf_attr *attr)
{
	return attr->type != PERF_TYPE_TRACEPOINT &&
	       !(attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_SOFTWARE_DUMMY);
}

static void add_unknown(struct source_info *info, uint64_t n, uint64_t offset)
{
	if (n && !info->unknown_records)
		info->unknown_offset = offset;
	info->unknown_records += n;
}

static void add_cpu(struct perf *p, const struct cpu *cpu, struct damage *damage)
{
	const struct perf_file *file = &p->file;
	struct source_info *info = &p->info;
	uint32_t at = file->formats.n;

	damage_add(damage, &cpu->damage);
	if (!cpu->started)
		return;
	info->events += cpu->decoder.records + cpu->other_records + cpu->without_raw;
	add_unknown(info, cpu->decoder.unknown, cpu->decoder.unknown_offset);
	add_unknown(info, cpu->without_raw, 0);
	for (uint32_t i = 0; i < file->formats.n; i++)
		p->counts[i].count += cpu->decoder.counts[i];
	for (uint32_t i = 0; i < file->attrs.n; i++)
		if (is_other(&file->attrs.list[i]))
			p->counts[at++].count += cpu->others[i];
}

/*
 * What LOST records count as it happens, perf counts again per event when it ends (v6.1 on): the
 * larger is what is missing, because records lost after the last LOST are only in the latter.
 */
static uint64_t lost_events(const struct totals *totals)
{
	uint64_t lost = totals->lost > totals->lost_at_end ? totals->lost : totals->lost_at_end;

	return lost + totals->lost_samples;
}

static void name_format(struct perf *p)
{
	bool compressed = p->outlined || (p->scanned ? p->queued : p->feeds[0].stream.compressed);

	snprintf(p->info.format, sizeof(p->info.format), "perf.data%s%s%s",
		 p->file.is_pipe ? " pipe" : "", p->inputs.is_directory ? " directory" : "",
		 compressed ? " zstd" : "");
}

static void update_info(const struct source *src)
{
	struct perf *p = perf_of(src);
	struct source_info *info = &p->info;
	struct damage damage;

	pthread_mutex_lock(&p->lock);
	damage = p->file.damage;
	if (p->outlined && p->ended == info->cpus)
		damage_add(&damage, &p->read_ahead);
	name_format(p);
	info->lost_events = lost_events(&p->totals);
	info->events = info->unknown_records = 0;
	add_unknown(info, p->totals.bad, p->totals.bad_offset);
	for (size_t i = 0; i < info->n_counts; i++)
		p->counts[i].count = 0;
	for (uint32_t i = 0; i < info->cpus; i++)
		add_cpu(p, &p->cpus[i], &damage);
	info->truncated = damage.places;
	memcpy(info->truncated_text, damage.text, sizeof(info->truncated_text));
	pthread_mutex_unlock(&p->lock);
}

static bool all_have_time(const struct perf_attrs *attrs)
{
	for (uint32_t i = 0; i < attrs->n; i++)
		if (attrs->list[i].type == PERF_TYPE_TRACEPOINT &&
		    !(attrs->list[i].sample_type & PERF_SAMPLE_TIME))
			return false;
	return true;
}

static int list_counts(struct perf *p)
{
	const struct perf_file *file = &p->file;
	struct event_count *at;

	p->counts = calloc((size_t)file->formats.n + file->attrs.n + 1, sizeof(*p->counts));
	if (!p->counts)
		return -1;
	at = p->counts;
	for (uint32_t i = 0; i < file->formats.n; i++, at++)
		memcpy(at->name, file->formats.list[i].name, sizeof(at->name));
	for (uint32_t i = 0; i < file->attrs.n; i++) {
		const struct perf_attr *attr = &file->attrs.list[i];

		if (!is_other(attr))
			continue;
		if (attr->name[0])
			memcpy(at->name, attr->name, sizeof(at->name));
		else
			snprintf(at->name, sizeof(at->name), "type %" PRIu32 " config %#" PRIx64,
				 attr->type, attr->config);
		at++;
	}
	p->info.counts = p->counts;
	p->info.n_counts = (size_t)(at - p->counts);
	for (size_t i = 0; i < p->info.n_counts; i++)
		p->counts[i].enabled = true;
	return 0;
}

static void fill_info(struct perf *p)
{
	const struct perf_file *file = &p->file;
	struct source_info *info = &p->info;

	info->path = p->inputs.path;
	memcpy(info->kernel, file->kernel, sizeof(info->kernel));
	memcpy(info->arch, file->arch, sizeof(info->arch));
	snprintf(info->clock, sizeof(info->clock), "%s", perf_clock_name(&file->attrs));
	if (file->version[0])
		snprintf(info->tool, sizeof(info->tool), "perf %s", file->version);
	info->page_size = file->page_size;
	info->big_endian = file->big_endian;
	info->has_time = all_have_time(&file->attrs);
	info->has_irq_flags = file->formats.n && file->formats.flags.size;
}

/* ---- opening ---- */

static bool is_live_pipe(const struct perf *p)
{
	return !p->inputs.files[0].data && p->inputs.files[0].is_pipe;
}

static bool has_tracepoints(const struct perf_attrs *attrs)
{
	for (uint32_t i = 0; i < attrs->n; i++)
		if (attrs->list[i].type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

/* Whether all that describes the records is known, as far as one can tell before they come. */
static bool is_described(const struct perf *p)
{
	const struct perf_file *file = &p->file;

	return file->attrs.n &&
	       (is_live_pipe(p) || file->tracing.size || !has_tracepoints(&file->attrs));
}

/* Reads a pipe's description: up to its first record of the kernel, or all of a file if need be. */
static int describe(struct perf *p, struct error *err)
{
	struct perf_stream *stream = &p->feeds[0].stream;
	struct perf_block *block;
	struct perf_record rec;
	int got;

	while ((got = perf_stream_next(stream, &rec, &block, err)) > 0) {
		if (rec.type < PERF_FIRST_OF_USER && is_described(p)) {
			perf_stream_unread(stream, &rec);
			return 0;
		}
		if (rec.type < PERF_FIRST_OF_USER && is_live_pipe(p))
			return error_set(err, ERROR_INPUT,
					 "%s: the record at offset %" PRIu64 " comes before any that "
					 "says what was recorded: record into a file instead",
					 p->inputs.path, rec.offset);
		if (perf_file_describe(&p->file, &rec))
			return no_memory(p, err);
	}
	if (got < 0)
		return -1;
	if (p->file.attrs.n)
		return 0;
	return error_set(err, ERROR_INPUT,
			 "%s: no event attributes before its end: its records cannot be read",
			 p->inputs.path);
}

static void start_feed(struct perf *p, uint32_t i, struct damage *damage)
{
	const struct source_file *file = &p->inputs.files[i];
	struct perf_feed *feed = &p->feeds[i];
	uint64_t at = i ? 0 : p->file.data_at;
	uint64_t end = i ? file->size : p->file.data_end;

	perf_stream_free(&feed->stream);
	perf_stream_start(&feed->stream, file, at, end, p->file.big_endian, &p->blocks_bytes,
			  damage);
	if (i)
		snprintf(feed->stream.label, sizeof(feed->stream.label), "file %" PRIu32 ": ", i);
}

static int read_header(struct perf *p, struct error *err)
{
	const struct source_file *file = &p->inputs.files[0];

	p->file.name = p->inputs.path;
	perf_file_matches(file->head, file->head_len, &p->file.big_endian);
	p->file.is_pipe = perf_file_is_pipe(file->head, file->head_len);
	if (p->file.is_pipe) {
		p->file.data_at = PERF_PIPE_HEADER;
		p->file.data_end = file->size;
	} else if (perf_file_parse(&p->file, file->data, file->size, err)) {
		return -1;
	}
	start_feed(p, 0, &p->file.damage);
	if (p->file.is_pipe && describe(p, err))
		return -1;
	if (perf_file_finish(&p->file, err))
		return -1;
	p->rules = perf_rules_of(&p->file.attrs, &p->file.formats);
	return 0;
}

/* Takes in a record of a CPU, and with it those behind it that begin alike. */
static int index_record(struct perf *p, uint32_t i, const struct perf_record *rec,
			const struct perf_sample *sample)
{
	struct perf_feed *feed = &p->feeds[i];
	struct perf_piece piece = {
		.at = rec->offset,
		.size = rec->size,
		.first_ns = sample->time,
		.last_ns = sample->time,
		.n = 1,
		.feed = i,
	};
	struct perf_alike alike;

	if (rec->type == PERF_SAMPLE && perf_alike_start(&alike, &p->file.attrs, rec, sample)) {
		uint64_t more = perf_stream_alike(&feed->stream, rec, &alike, &piece.last_ns);

		piece.n += more;
		piece.size += more * rec->size;
	}
	if (perf_floors_add(&feed->floors, piece.first_ns, piece.n))
		return -1;
	if (feed->stream.compressed)
		return perf_index_count(&p->index, sample->cpu, piece.n);
	return perf_index_add(&p->index, sample->cpu, &piece);
}

/* The first pass over one file: all of it, or its outline. */
static int scan_feed(struct perf *p, uint32_t i, bool outline, struct error *err)
{
	struct perf_feed *feed = &p->feeds[i];
	struct perf_block *block;
	struct perf_sample sample;
	struct perf_record rec;
	int got;

	start_feed(p, i, outline ? &p->read_ahead : &p->file.damage);
	feed->stream.outline = outline;
	while ((got = perf_stream_next(&feed->stream, &rec, &block, err)) > 0) {
		enum perf_lane lane = perf_lane_of(&p->rules, &rec, &sample);

		if (note(p, i, &rec, lane, &sample))
			return no_memory(p, err);
		if (lane != PERF_LANE_CPU)
			continue;
		if (index_record(p, i, &rec, &sample))
			return no_memory(p, err);
	}
	p->queued |= feed->stream.compressed;
	return got;
}

static void forget_scan(struct perf *p)
{
	perf_index_free(&p->index);
	perf_index_init(&p->index, MAX_SPANS);
	free(p->feeds[0].floors.list);
	p->feeds[0].floors = (struct perf_floors){ 0 };
	perf_tasks_free(&p->tasks);
	p->totals = (struct totals){ 0 };
}

/*
 * Whether one pass is enough: rounds put the records in order as they are read, and tasks that ran
 * before the recording are named before the first record that perf compressed.
 */
static int outline(struct perf *p, struct error *err)
{
	const struct perf_file *file = &p->file;

	if (p->inputs.n > 1 || !all_have_time(&file->attrs) || !file->ring_bytes || !file->cpus ||
	    file->cpus > PERF_MAX_CPUS || file->ring_bytes > MAX_ROUND / file->cpus)
		return 0;
	if (scan_feed(p, 0, true, err))
		return -1;
	p->outlined = p->queued && p->totals.rounds && !p->totals.tail && !p->index.n_cpus;
	forget_scan(p);
	return 0;
}

static int scan(struct perf *p, struct error *err)
{
	perf_index_init(&p->index, MAX_SPANS);
	if (outline(p, err))
		return -1;
	if (p->outlined)
		return 0;
	for (uint32_t i = 0; i < p->inputs.n; i++) {
		if (scan_feed(p, i, false, err))
			return -1;
		perf_floors_finish(&p->feeds[i].floors);
		p->feeds[i].known = true;
	}
	p->scanned = true;
	if (!p->queued)
		perf_index_finish(&p->index);
	return 0;
}

static uint32_t count_cpus(const struct perf *p)
{
	uint32_t n = p->file.cpus < PERF_MAX_CPUS ? p->file.cpus : PERF_MAX_CPUS;

	if (p->scanned)
		return n > p->totals.cpus ? n : p->totals.cpus;
	return n ? n : PIPE_CPUS;
}

static int start_queue(struct perf *p)
{
	struct perf_queue *queue = &p->queue;

	queue->rules = &p->rules;
	queue->feeds = p->feeds;
	queue->n_feeds = p->inputs.n;
	queue->n_cpus = p->info.cpus;
	queue->blocks_bytes = &p->blocks_bytes;
	queue->cap = PERF_QUEUE_CAP;
	queue->known = p->scanned;
	queue->note = p->scanned ? NULL : note_live;
	queue->context = p;
	if (perf_queue_start(queue))
		return -1;
	for (uint32_t i = 0; i < p->index.n_cpus; i++)
		queue->cpus[i].left = p->index.cpus[i].records;
	if (!is_live_pipe(p))
		perf_queue_read_ahead(queue);
	return 0;
}

static int start_cursors(struct perf *p)
{
	for (uint32_t i = 0; i < p->index.n_cpus; i++)
		if (perf_cursor_start(&p->cpus[i].cursor, &p->rules, i, &p->index.cpus[i],
				      p->inputs.files, p->inputs.n))
			return -1;
	return 0;
}

static int start_cpus(struct perf *p)
{
	p->info.cpus = count_cpus(p);
	p->cpus = calloc(p->info.cpus + 1, sizeof(*p->cpus));
	if (!p->cpus)
		return -1;
	return p->queued ? start_queue(p) : start_cursors(p);
}

static int load(struct perf *p, struct error *err)
{
	p->feeds = calloc(p->inputs.n, sizeof(*p->feeds));
	if (!p->feeds || !p->stacks)
		return no_memory(p, err);
	if (read_header(p, err))
		return -1;
	p->queued = is_live_pipe(p);
	if (!p->queued && scan(p, err))
		return -1;
	p->read_ahead = (struct damage){ 0 };
	for (uint32_t i = 0; !is_live_pipe(p) && i < p->inputs.n; i++)
		start_feed(p, i, &p->read_ahead);
	fill_info(p);
	return list_counts(p) || start_cpus(p) ? no_memory(p, err) : 0;
}

static void close_perf(struct source *src)
{
	struct perf *p = perf_of(src);

	perf_queue_free(&p->queue);
	for (uint32_t i = 0; p->cpus && i < p->info.cpus; i++) {
		perf_cursor_free(&p->cpus[i].cursor);
		event_decoder_free(&p->cpus[i].decoder);
		free(p->cpus[i].others);
	}
	free(p->cpus);
	free(p->counts);
	for (uint32_t i = 0; p->feeds && i < p->inputs.n; i++) {
		perf_stream_free(&p->feeds[i].stream);
		free(p->feeds[i].floors.list);
	}
	free(p->feeds);
	perf_index_free(&p->index);
	perf_tasks_free(&p->tasks);
	stacks_free(p->stacks);
	perf_file_free(&p->file);
	perf_inputs_free(&p->inputs);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct source *open_perf(struct source_file *file, struct error *err)
{
	struct perf *p = calloc(1, sizeof(*p));

	if (!p) {
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", file->name);
		source_file_close(file);
		return NULL;
	}
	p->base = (struct source){ .ops = &source_perf_ops, .info = &p->info };
	pthread_mutex_init(&p->lock, NULL);
	p->stacks = stacks_new();
	if (perf_inputs_open(&p->inputs, file, err) || load(p, err)) {
		close_perf(&p->base);
		return NULL;
	}
	return &p->base;
}

const struct source_ops source_perf_ops = {
	.matches = perf_inputs_match,
	.open = open_perf,
	.next = next,
	.skip = skip,
	.is_parallel = is_parallel,
	.update_info = update_info,
	.stack = stack,
	.comm = comm,
	.tgid = tgid,
	.close = close_perf,
};
