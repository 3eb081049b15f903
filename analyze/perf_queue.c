/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_queue.c - the records of streams that can only be read once, handed out per CPU in time order. */
#include "analyze/perf_queue.h"

#include <inttypes.h>
#include <stdlib.h>

#define PULL 64 /* records read at a time */

/* ---- floors ---- */

int perf_floors_add(struct perf_floors *floors, uint64_t time_ns)
{
	if (floors->records++ % PERF_FLOOR_STEP) {
		if (time_ns < floors->list[floors->n - 1])
			floors->list[floors->n - 1] = time_ns;
		return 0;
	}
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

static bool entry_before(const struct perf_entry *a, const struct perf_entry *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->feed != b->feed ? a->feed < b->feed : a->seq < b->seq;
}

static int push(struct perf_queue *queue, struct perf_waiting *cpu, struct perf_entry entry)
{
	uint64_t at;

	if (cpu->n == cpu->room) {
		uint64_t room = cpu->room ? 2 * cpu->room : 16;
		struct perf_entry *bigger = realloc(cpu->heap, room * sizeof(*bigger));

		if (!bigger)
			return -1;
		queue->bytes += (room - cpu->room) * sizeof(*bigger);
		cpu->heap = bigger;
		cpu->room = room;
	}
	for (at = cpu->n++; at && entry_before(&entry, &cpu->heap[(at - 1) / 2]); at = (at - 1) / 2)
		cpu->heap[at] = cpu->heap[(at - 1) / 2];
	cpu->heap[at] = entry;
	perf_block_hold(entry.block);
	return 0;
}

static struct perf_entry pop(struct perf_waiting *cpu)
{
	struct perf_entry first = cpu->heap[0];
	struct perf_entry last = cpu->heap[--cpu->n];
	uint64_t at = 0;

	for (;;) {
		uint64_t child = 2 * at + 1;

		if (child + 1 < cpu->n && entry_before(&cpu->heap[child + 1], &cpu->heap[child]))
			child++;
		if (child >= cpu->n || !entry_before(&cpu->heap[child], &last))
			break;
		cpu->heap[at] = cpu->heap[child];
		at = child;
	}
	cpu->heap[at] = last;
	return first;
}

/* ---- reading ---- */

static int no_memory(const struct perf_feed *feed, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", feed->stream.file->name);
}

static int queue_record(struct perf_queue *queue, uint32_t index, const struct perf_record *rec,
			const struct perf_sample *sample, struct perf_block *block)
{
	struct perf_feed *feed = &queue->feeds[index];
	struct perf_entry entry = {
		.time_ns = sample->time,
		.seq = feed->records++,
		.offset = rec->offset,
		.data = rec->data,
		.block = block,
		.feed = index,
		.inflated = rec->inflated,
	};

	if (sample->time > feed->latest_ns)
		feed->latest_ns = sample->time;
	return sample->cpu < queue->n_cpus ? push(queue, &queue->cpus[sample->cpu], entry) : 0;
}

static int pull_one(struct perf_queue *queue, uint32_t index, struct error *err)
{
	struct perf_feed *feed = &queue->feeds[index];
	struct perf_block *block;
	struct perf_sample sample;
	struct perf_record rec;
	enum perf_lane lane;
	int got = perf_stream_next(&feed->stream, &rec, &block, err);

	if (got <= 0)
		return got;
	if (rec.type == PERF_FINISHED_ROUND)
		finish_round(feed);
	lane = perf_lane_of(queue->rules, &rec, &sample);
	if (queue->note(queue->context, index, &rec, lane, &sample) ||
	    (lane == PERF_LANE_CPU && queue_record(queue, index, &rec, &sample, block)))
		return no_memory(feed, err);
	return 1;
}

/* Reads a little of one feed. */
static int pull(struct perf_queue *queue, uint32_t index, struct error *err)
{
	struct perf_feed *feed = &queue->feeds[index];
	uint64_t bytes = queue->bytes + *queue->blocks_bytes;

	if (bytes > queue->cap)
		return error_set(err, ERROR_INPUT,
				 "%s: more than %" PRIu64 " MB of records wait to be put in order "
				 "(%s): record into a file without compression, or more often",
				 feed->stream.file->name, queue->cap >> 20,
				 feed->known || feed->rounds
					 ? "a CPU without events holds the others up"
					 : "there is no FINISHED_ROUND record");
	for (int i = 0; i < PULL && !feed->ended; i++) {
		int got = pull_one(queue, index, err);

		if (got < 0)
			return -1;
		feed->ended = !got;
	}
	if (feed->known)
		raise_known_floor(feed);
	return 0;
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

/* Whether the CPU's first record can be handed out: nothing before it will come. */
static bool is_ready(const struct perf_queue *queue, const struct perf_waiting *cpu, int64_t feed)
{
	uint64_t floor_ns;

	if (!cpu->n)
		return false;
	if (feed < 0)
		return true;
	floor_ns = queue->feeds[feed].floor_ns;
	/* Of equal times the first feed's are first. */
	return cpu->heap[0].time_ns < floor_ns ||
	       (cpu->heap[0].time_ns == floor_ns && queue->n_feeds == 1);
}

int perf_queue_next(struct perf_queue *queue, uint32_t cpu, struct perf_record *rec,
		    struct error *err)
{
	struct perf_waiting *waiting = &queue->cpus[cpu];
	struct perf_entry entry;
	int64_t feed;

	perf_block_drop(waiting->held);
	waiting->held = NULL;
	for (feed = lowest(queue); !is_ready(queue, waiting, feed); feed = lowest(queue)) {
		if (feed < 0 || (queue->known && !waiting->left))
			return 0;
		if (pull(queue, (uint32_t)feed, err))
			return -1;
	}
	entry = pop(waiting);
	waiting->held = entry.block;
	waiting->left--;
	*rec = (struct perf_record){ .offset = entry.offset, .inflated = entry.inflated };
	perf_record_header(rec, entry.data, queue->rules->attrs->big_endian);
	return 1;
}

void perf_queue_free(struct perf_queue *queue)
{
	for (uint32_t i = 0; i < queue->n_cpus; i++) {
		struct perf_waiting *cpu = &queue->cpus[i];

		for (uint64_t j = 0; j < cpu->n; j++)
			perf_block_drop(cpu->heap[j].block);
		perf_block_drop(cpu->held);
		free(cpu->heap);
	}
	free(queue->cpus);
	*queue = (struct perf_queue){ 0 };
}
