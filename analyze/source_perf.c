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

#include "analyze/perf_source.h"

#define PIPE_CPUS 1024 /* where a pipe does not say how many there are */

static inline struct perf *perf_of(const struct source *src)
{
	return (struct perf *)(uintptr_t)src;
}

/* What perf_note() takes, of records that are read only once. */
static int note_live(void *context, uint32_t feed, const struct perf_record *rec,
		     enum perf_lane lane, const struct perf_sample *sample)
{
	struct perf *p = context;
	int status;

	if (rec->type == PERF_SAMPLE && lane == PERF_LANE_CPU && !perf_is_beyond(p, lane, sample))
		return 0;
	pthread_mutex_lock(&p->lock);
	status = perf_note(p, feed, rec, lane, sample);
	pthread_mutex_unlock(&p->lock);
	return status;
}

/* ---- reading ---- */

static int start_cpu(struct perf *p, struct perf_cpu *cpu)
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
	return got < 0 ? perf_no_memory(p, err) : got;
}

/* Only a pipe whose rounds do not hold what they promise can go back. */
static uint64_t in_order(struct perf_cpu *cpu, const struct perf_record *rec, uint64_t time_ns)
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

static bool take_sample(struct perf *p, struct perf_cpu *cpu, const struct perf_record *rec,
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
	struct perf_cpu *cpu = &p->cpus[n];
	int got;

	while ((got = next_record(p, n, &cpu->at, err)) == 1) {
		const struct perf_record *rec = &cpu->at->rec;
		const struct perf_sample *sample = &cpu->at->sample;

		if (start_cpu(p, cpu))
			return perf_no_memory(p, err);
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
	struct perf_cpu *cpu = &p->cpus[n];
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

static void update_info(const struct source *src)
{
	perf_about_now(perf_of(src));
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
			return perf_no_memory(p, err);
	}
	if (got < 0)
		return -1;
	if (p->file.attrs.n)
		return 0;
	return error_set(err, ERROR_INPUT,
			 "%s: no event attributes before its end: its records cannot be read",
			 p->inputs.path);
}

void perf_start_feed(struct perf *p, uint32_t i, struct damage *damage)
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
	perf_start_feed(p, 0, &p->file.damage);
	if (p->file.is_pipe && describe(p, err))
		return -1;
	if (perf_file_finish(&p->file, err))
		return -1;
	p->rules = perf_rules_of(&p->file.attrs, &p->file.formats);
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
		return perf_no_memory(p, err);
	if (read_header(p, err))
		return -1;
	p->queued = is_live_pipe(p);
	if (!p->queued && perf_scan(p, err))
		return -1;
	p->read_ahead = (struct damage){ 0 };
	for (uint32_t i = 0; !is_live_pipe(p) && i < p->inputs.n; i++)
		perf_start_feed(p, i, &p->read_ahead);
	return perf_about(p) || start_cpus(p) ? perf_no_memory(p, err) : 0;
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
