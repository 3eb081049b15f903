/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_queue.c - the records of streams that can only be read once, handed out per CPU in time order. */
#include "analyze/perf_queue.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#define PULL 1024		  /* records read at a time */
#define BATCH 64		  /* stretches read at a time */
#define AHEAD (UINT64_C(8) << 20) /* bytes that may wait although nobody waits for them */

/* ---- floors ---- */

static int next_floor(struct perf_floors *floors, uint64_t time_ns)
{
	if (floors->n == floors->room) {
		uint64_t room = floors->room ? 2 * floors->room : 64;
		uint64_t *bigger = realloc(floors->list, room * sizeof(*bigger));

		if (!bigger)
			return -1;
		floors->list = bigger;
		floors->room = room;
	}
	floors->list[floors->n++] = time_ns;
	return 0;
}

int perf_floors_add(struct perf_floors *floors, uint64_t time_ns, uint64_t n)
{
	uint64_t steps;

	if (floors->records % PERF_FLOOR_STEP && time_ns < floors->list[floors->n - 1])
		floors->list[floors->n - 1] = time_ns;
	floors->records += n;
	steps = (floors->records + PERF_FLOOR_STEP - 1) / PERF_FLOOR_STEP;
	while (floors->n < steps)
		if (next_floor(floors, time_ns))
			return -1;
	return 0;
}

void perf_floors_finish(struct perf_floors *floors)
{
	for (uint64_t i = floors->n; i > 1; i--)
		if (floors->list[i - 1] < floors->list[i - 2])
			floors->list[i - 2] = floors->list[i - 1];
}

static void raise_known_floor(struct perf_feed *feed)
{
	uint64_t step = feed->records / PERF_FLOOR_STEP;

	feed->floor_ns = step < feed->floors.n ? feed->floors.list[step] : UINT64_MAX;
}

static void finish_round(struct perf_feed *feed)
{
	if (feed->known)
		return;
	feed->rounds++;
	feed->floor_ns = feed->round_ns;
	feed->round_ns = feed->latest_ns;
}

/* ---- one CPU's queue ---- */

static bool stretch_before(const struct perf_stretch *a, const struct perf_stretch *b)
{
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns;
	return a->feed != b->feed ? a->feed < b->feed : a->seq < b->seq;
}

/* Takes over the hold of its block. */
static int push(struct perf_queue *queue, struct perf_waiting *cpu,
		const struct perf_stretch *stretch)
{
	uint64_t at;

	if (cpu->n == cpu->room) {
		uint64_t room = cpu->room ? 2 * cpu->room : 16;
		struct perf_stretch *bigger = realloc(cpu->heap, room * sizeof(*bigger));

		if (!bigger)
			return -1;
		queue->bytes += (room - cpu->room) * sizeof(*bigger);
		cpu->heap = bigger;
		cpu->room = room;
	}
	for (at = cpu->n++; at && stretch_before(stretch, &cpu->heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		cpu->heap[at] = cpu->heap[(at - 1) / 2];
	cpu->heap[at] = *stretch;
	return 0;
}

static struct perf_stretch pop(struct perf_waiting *cpu)
{
	struct perf_stretch first = cpu->heap[0];
	struct perf_stretch last = cpu->heap[--cpu->n];
	uint64_t at = 0;

	for (;;) {
		uint64_t child = 2 * at + 1;

		if (child + 1 < cpu->n && stretch_before(&cpu->heap[child + 1], &cpu->heap[child]))
			child++;
		if (child >= cpu->n || !stretch_before(&cpu->heap[child], &last))
			break;
		cpu->heap[at] = cpu->heap[child];
		at = child;
	}
	cpu->heap[at] = last;
	return first;
}

/* ---- reading: by one thread, without the lock ---- */

/* Stretches that were read and are not in a queue yet; their blocks are held. */
struct batch {
	uint32_t n;
	uint32_t cpus[BATCH];
	struct perf_stretch list[BATCH];
};

static int no_memory(const struct perf_feed *feed, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", feed->stream.file->name);
}

static void close_stretch(struct perf_feed *feed, struct batch *batch)
{
	if (!feed->open.is_open)
		return;
	batch->cpus[batch->n] = feed->open.cpu;
	batch->list[batch->n++] = feed->open.on;
	feed->open.is_open = false;
}

static void open_stretch(struct perf_feed *feed, uint32_t index, const struct perf_record *rec,
			 const struct perf_sample *sample, struct perf_block *block)
{
	feed->open = (struct perf_open){
		.on = {
			.data = rec->data,
			.end = rec->data + rec->size,
			.offset = rec->offset,
			.first_ns = sample->time,
			.seq = feed->seq++,
			.feed = index,
			.inflated = rec->inflated,
			.sorted = true,
			.block = block,
		},
		.last_ns = sample->time,
		.cpu = sample->cpu,
		.is_open = true,
	};
	perf_block_hold(block);
}

/* Whether the record lies behind the open stretch and belongs to it. */
static bool continues(const struct perf_open *open, const struct perf_record *rec,
		      const struct perf_sample *sample)
{
	return open->is_open && open->cpu == sample->cpu && open->on.end == rec->data &&
	       open->last_ns <= sample->time;
}

/* What follows and begins like the record at the open stretch's end belongs to it, too. */
static void take_alike(struct perf_feed *feed, const struct perf_attrs *attrs,
		       const struct perf_record *rec, const struct perf_sample *sample)
{
	struct perf_open *open = &feed->open;
	struct perf_alike alike;
	uint64_t n;

	if (rec->type != PERF_SAMPLE || !perf_alike_start(&alike, attrs, rec, sample))
		return;
	n = perf_stream_alike(&feed->stream, rec, &alike, &open->last_ns);
	open->on.end += n * rec->size;
	feed->records += n;
}

static void take_record(const struct perf_queue *queue, uint32_t index,
			const struct perf_record *rec, const struct perf_sample *sample,
			struct perf_block *block, struct batch *batch)
{
	struct perf_feed *feed = &queue->feeds[index];

	if (continues(&feed->open, rec, sample)) {
		feed->open.on.end += rec->size;
		feed->open.last_ns = sample->time;
	} else {
		close_stretch(feed, batch);
		open_stretch(feed, index, rec, sample, block);
	}
	feed->records++;
	take_alike(feed, queue->rules->attrs, rec, sample);
	if (feed->open.last_ns > feed->latest_ns)
		feed->latest_ns = feed->open.last_ns;
}

/* Reads one record. *round: it ends a round. 1, 0 at the feed's end, -1. */
static int read_record(struct perf_queue *queue, uint32_t index, struct batch *batch, bool *round,
		       struct error *err)
{
	struct perf_feed *feed = &queue->feeds[index];
	struct perf_block *block;
	struct perf_sample sample;
	struct perf_record rec;
	enum perf_lane lane;
	int got = perf_stream_next(&feed->stream, &rec, &block, err);

	if (got <= 0)
		return got;
	*round = rec.type == PERF_FINISHED_ROUND;
	lane = perf_lane_of(queue->rules, &rec, &sample);
	if (queue->note && queue->note(queue->context, index, &rec, lane, &sample))
		return no_memory(feed, err);
	if (lane == PERF_LANE_CPU && sample.cpu < queue->n_cpus)
		take_record(queue, index, &rec, &sample, block, batch);
	return 1;
}

/* Reads a little of one feed. *round: up to the end of a round. 1, 0 at the feed's end, -1. */
static int read_batch(struct perf_queue *queue, uint32_t index, struct batch *batch, bool *round,
		      struct error *err)
{
	int got = 1;

	batch->n = 0;
	*round = false;
	for (int i = 0; i < PULL && batch->n < BATCH - 1 && got > 0 && !*round; i++)
		got = read_record(queue, index, batch, round, err);
	close_stretch(&queue->feeds[index], batch);
	return got;
}

/* ---- with the lock held ---- */

static void drop_batch(struct batch *batch, uint32_t from)
{
	for (uint32_t i = from; i < batch->n; i++)
		perf_block_drop(batch->list[i].block);
}

static int push_batch(struct perf_queue *queue, struct batch *batch)
{
	for (uint32_t i = 0; i < batch->n; i++) {
		if (!push(queue, &queue->cpus[batch->cpus[i]], &batch->list[i]))
			continue;
		drop_batch(batch, i);
		return -1;
	}
	return 0;
}

static int too_much(const struct perf_queue *queue, const struct perf_feed *feed, struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "%s: more than %" PRIu64 " MB of records wait to be put in order "
			 "(%s): record into a file without compression, or more often",
			 feed->stream.file->name, queue->cap >> 20,
			 feed->known || feed->rounds ? "a CPU without events holds the others up"
						     : "there is no FINISHED_ROUND record");
}

static uint64_t bytes_waiting(const struct perf_queue *queue)
{
	return queue->bytes + atomic_load(queue->blocks_bytes);
}

/* Reads a little of one feed; the thread that reads ahead gives the lock back meanwhile. */
static int pull(struct perf_queue *queue, uint32_t index, struct error *err)
{
	struct perf_feed *feed = &queue->feeds[index];
	struct batch batch;
	bool round;
	int got;

	if (bytes_waiting(queue) > queue->cap)
		return too_much(queue, feed, err);
	if (queue->has_thread)
		pthread_mutex_unlock(&queue->lock);
	got = read_batch(queue, index, &batch, &round, err);
	if (queue->has_thread)
		pthread_mutex_lock(&queue->lock);
	if (push_batch(queue, &batch))
		return no_memory(feed, err);
	if (round)
		finish_round(feed);
	if (feed->known)
		raise_known_floor(feed);
	feed->ended = !got;
	return got < 0 ? -1 : 0;
}

/* The feed whose floor is lowest; -1 if all have ended. */
static int64_t lowest(const struct perf_queue *queue)
{
	int64_t best = -1;

	for (uint32_t i = 0; i < queue->n_feeds; i++) {
		const struct perf_feed *feed = &queue->feeds[i];

		if (!feed->ended && (best < 0 || feed->floor_ns < queue->feeds[best].floor_ns))
			best = i;
	}
	return best;
}

/* Nothing earlier than this will come. Of equal times the first feed's are first. */
static uint64_t limit_of(const struct perf_queue *queue, int64_t feed)
{
	uint64_t floor_ns = feed < 0 ? UINT64_MAX : queue->feeds[feed].floor_ns;

	return queue->n_feeds == 1 && floor_ns < UINT64_MAX ? floor_ns + 1 : floor_ns;
}

/* Moves what lies before the limit from the queue to its walk. */
static int take_ready(struct perf_queue *queue, struct perf_waiting *cpu, int64_t feed)
{
	cpu->limit_ns = limit_of(queue, feed);
	while (cpu->n && (feed < 0 || cpu->heap[0].first_ns < cpu->limit_ns)) {
		struct perf_stretch stretch = pop(cpu);
		int status = perf_walk_add(&cpu->walk, &stretch);

		perf_block_drop(stretch.block); /* the walk holds it, too */
		if (status)
			return -1;
	}
	return 0;
}

/* Reads on, or waits until something was read. */
static int want_more(struct perf_queue *queue, int64_t feed, struct error *err)
{
	if (!queue->has_thread)
		return pull(queue, (uint32_t)feed, err);
	if (queue->failed) {
		*err = queue->err;
		return -1;
	}
	queue->waiters++;
	pthread_cond_signal(&queue->wanted);
	pthread_cond_wait(&queue->filled, &queue->lock);
	queue->waiters--;
	return 0;
}

/* Whether others should be read on before this CPU. */
static bool is_quiet(const struct perf_queue *queue, struct perf_waiting *cpu)
{
	if (bytes_waiting(queue) <= AHEAD || cpu->limit_ns <= cpu->quiet_ns)
		return false;
	cpu->quiet_ns = cpu->limit_ns;
	return true;
}

/* Until the walk has a record that may be handed out. 1, 0 at the CPU's end, SOURCE_QUIET, -1. */
static int refill(struct perf_queue *queue, struct perf_waiting *cpu, struct error *err)
{
	for (;;) {
		int64_t feed = lowest(queue);

		if (take_ready(queue, cpu, feed))
			return no_memory(&queue->feeds[0], err);
		if (cpu->walk.n && (feed < 0 || perf_walk_time(&cpu->walk) < cpu->limit_ns))
			return 1;
		if (feed < 0 || (queue->known && !cpu->left))
			return 0;
		if (is_quiet(queue, cpu))
			return SOURCE_QUIET;
		if (want_more(queue, feed, err))
			return -1;
	}
}

static void *read_ahead(void *arg)
{
	struct perf_queue *queue = arg;
	int64_t feed;

	pthread_mutex_lock(&queue->lock);
	while (!queue->stop && !queue->failed && (feed = lowest(queue)) >= 0) {
		if (!queue->waiters && bytes_waiting(queue) > AHEAD) {
			pthread_cond_wait(&queue->wanted, &queue->lock);
			continue;
		}
		queue->failed = pull(queue, (uint32_t)feed, &queue->err);
		if (queue->waiters)
			pthread_cond_broadcast(&queue->filled);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

/* ---- for the source ---- */

int perf_queue_start(struct perf_queue *queue)
{
	queue->cpus = calloc(queue->n_cpus + 1, sizeof(*queue->cpus));
	if (!queue->cpus)
		return -1;
	for (uint32_t i = 0; i < queue->n_cpus; i++)
		queue->cpus[i].walk = (struct perf_walk){ .rules = queue->rules, .cpu = i };
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->filled, NULL);
	pthread_cond_init(&queue->wanted, NULL);
	return 0;
}

void perf_queue_read_ahead(struct perf_queue *queue)
{
	sigset_t all, before;

	/* Signals are for the thread that has always been there. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&queue->lock);
	queue->has_thread = !pthread_create(&queue->ahead, NULL, read_ahead, queue);
	pthread_mutex_unlock(&queue->lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int perf_queue_next(struct perf_queue *queue, uint32_t cpu, const struct perf_walker **at,
		    struct error *err)
{
	struct perf_waiting *waiting = &queue->cpus[cpu];
	int got = 1;

	if (perf_walk_time(&waiting->walk) >= waiting->limit_ns) {
		pthread_mutex_lock(&queue->lock);
		got = refill(queue, waiting, err);
		pthread_mutex_unlock(&queue->lock);
	}
	if (got != 1)
		return got;
	*at = perf_walk_take(&waiting->walk);
	waiting->left--;
	return 1;
}

uint64_t perf_queue_repeat(struct perf_queue *queue, uint32_t cpu, struct repeat *repeat)
{
	struct perf_waiting *waiting = &queue->cpus[cpu];
	uint64_t n;

	repeat->until = waiting->limit_ns;
	n = perf_walk_repeat(&waiting->walk, repeat);
	waiting->left -= n;
	return n;
}

static void stop_thread(struct perf_queue *queue)
{
	if (!queue->has_thread)
		return;
	pthread_mutex_lock(&queue->lock);
	queue->stop = true;
	pthread_cond_signal(&queue->wanted);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(queue->ahead, NULL);
}

void perf_queue_free(struct perf_queue *queue)
{
	if (!queue->cpus)
		return;
	stop_thread(queue);
	for (uint32_t i = 0; i < queue->n_cpus; i++) {
		struct perf_waiting *cpu = &queue->cpus[i];

		while (cpu->n)
			perf_block_drop(pop(cpu).block);
		perf_walk_free(&cpu->walk);
		free(cpu->heap);
	}
	free(queue->cpus);
	pthread_mutex_destroy(&queue->lock);
	pthread_cond_destroy(&queue->filled);
	pthread_cond_destroy(&queue->wanted);
	*queue = (struct perf_queue){ 0 };
}
