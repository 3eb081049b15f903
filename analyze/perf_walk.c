/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_walk.c - one CPU's records in the order of time, from stretches of memory. */
#include "analyze/perf_walk.h"

#include <stdlib.h>

#include "analyze/perf_alike.h"

struct perf_place {
	uint64_t time_ns;
	const uint8_t *data;
};

/* ---- one stretch ---- */

/* Reads on from data to the walker's next record of the CPU. False: there is none. */
static bool find_record(const struct perf_walk *walk, struct perf_walker *walker,
			const uint8_t *data)
{
	const struct perf_stretch *on = &walker->on;
	bool big_endian = walk->rules->attrs->big_endian;
	struct perf_record *rec = &walker->rec;

	while (data < on->end) {
		*rec = (struct perf_record){
			.offset = on->offset + (uint64_t)(data - on->data),
			.inflated = on->inflated,
		};
		perf_record_header(rec, data, big_endian);
		if (perf_lane_of(walk->rules, rec, &walker->sample) == PERF_LANE_CPU &&
		    walker->sample.cpu == walk->cpu) {
			walker->time_ns = walker->sample.time;
			return true;
		}
		data += rec->size + perf_payload_size(rec, big_endian);
	}
	return false;
}

static int compare_places(const void *a, const void *b)
{
	const struct perf_place *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->data < y->data ? -1 : x->data > y->data;
}

/* Lists an unsorted stretch's records by time. -1: no memory. */
static int load_places(const struct perf_walk *walk, struct perf_walker *walker)
{
	const uint8_t *data = walker->on.data;
	uint32_t room = 0;

	while (find_record(walk, walker, data)) {
		if (walker->n == room) {
			struct perf_place *bigger;

			room = room ? 2 * room : 64;
			bigger = realloc(walker->places, room * sizeof(*bigger));
			if (!bigger)
				return -1;
			walker->places = bigger;
		}
		walker->places[walker->n++] = (struct perf_place){ walker->time_ns,
								   walker->rec.data };
		data = walker->rec.data + walker->rec.size;
	}
	if (walker->n)
		qsort(walker->places, walker->n, sizeof(*walker->places), compare_places);
	return 0;
}

static bool next_place(const struct perf_walk *walk, struct perf_walker *walker)
{
	return walker->next < walker->n &&
	       find_record(walk, walker, walker->places[walker->next++].data);
}

static bool next_record(const struct perf_walk *walk, struct perf_walker *walker)
{
	if (!walker->on.sorted)
		return next_place(walk, walker);
	return find_record(walk, walker, walker->rec.data + walker->rec.size);
}

static void leave(struct perf_walker *walker)
{
	perf_block_drop(walker->on.block);
	free(walker->places);
}

/* ---- the merge ---- */

static bool walker_before(const struct perf_walker *a, const struct perf_walker *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->on.feed != b->on.feed)
		return a->on.feed < b->on.feed;
	return a->on.seq < b->on.seq;
}

static void swap_walkers(struct perf_walker *a, struct perf_walker *b)
{
	struct perf_walker other = *a;

	*a = *b;
	*b = other;
}

static void sift_down(struct perf_walk *walk)
{
	for (uint32_t at = 0;;) {
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < walk->n && walker_before(&walk->heap[child], &walk->heap[least]))
				least = child;
		if (least == at)
			return;
		swap_walkers(&walk->heap[at], &walk->heap[least]);
		at = least;
	}
}

static void sift_up(struct perf_walk *walk, uint32_t at)
{
	while (at && walker_before(&walk->heap[at], &walk->heap[(at - 1) / 2])) {
		swap_walkers(&walk->heap[at], &walk->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static int need_room(struct perf_walk *walk)
{
	uint32_t room = walk->room ? 2 * walk->room : 4;
	struct perf_walker *bigger;

	if (walk->n < walk->room)
		return 0;
	bigger = realloc(walk->heap, room * sizeof(*bigger));
	if (!bigger)
		return -1;
	walk->heap = bigger;
	walk->room = room;
	return 0;
}

/* Behind the record that was handed out. */
static void move_on(struct perf_walk *walk)
{
	struct perf_walker *walker = &walk->heap[0];

	walk->taken = false;
	if (!next_record(walk, walker)) {
		leave(walker);
		*walker = walk->heap[--walk->n];
	}
	if (walk->n > 1)
		sift_down(walk);
}

int perf_walk_add(struct perf_walk *walk, const struct perf_stretch *stretch)
{
	struct perf_walker *walker;
	bool found;

	if (walk->taken)
		move_on(walk);
	if (need_room(walk))
		return -1;
	walker = &walk->heap[walk->n];
	*walker = (struct perf_walker){ .on = *stretch };
	if (!stretch->sorted && load_places(walk, walker)) {
		free(walker->places);
		return -1;
	}
	perf_block_hold(stretch->block);
	found = stretch->sorted ? find_record(walk, walker, stretch->data)
				: next_place(walk, walker);
	if (!found) {
		leave(walker);
		return 0;
	}
	sift_up(walk, walk->n++);
	return 0;
}

uint64_t perf_walk_time(struct perf_walk *walk)
{
	if (walk->taken)
		move_on(walk);
	return walk->n ? walk->heap[0].time_ns : UINT64_MAX;
}

const struct perf_walker *perf_walk_take(struct perf_walk *walk)
{
	walk->taken = true;
	return &walk->heap[0];
}

void perf_walk_free(struct perf_walk *walk)
{
	for (uint32_t i = 0; i < walk->n; i++)
		leave(&walk->heap[i]);
	free(walk->heap);
	*walk = (struct perf_walk){ 0 };
}

/* ---- records of a loop ---- */

static uint64_t until_others(const struct perf_walk *walk)
{
	uint64_t until = UINT64_MAX;

	for (uint32_t i = 1; i < walk->n && i < 3; i++)
		if (walk->heap[i].time_ns < until)
			until = walk->heap[i].time_ns;
	return until;
}

/* The walker's record is now the n-th behind the one it was. */
static void skip_to(struct perf_walker *walker, uint64_t n, uint64_t time_ns)
{
	uint64_t bytes = n * walker->rec.size;

	walker->rec.data += bytes;
	walker->rec.offset += bytes;
	walker->sample.raw += bytes;
	walker->sample.time = walker->time_ns = time_ns;
}

uint64_t perf_walk_repeat(struct perf_walk *walk, struct repeat *repeat)
{
	struct perf_walker *walker = &walk->heap[0];
	const uint8_t *data = walker->rec.data + walker->rec.size;
	uint64_t until = until_others(walk), time = walker->time_ns, n = 0;
	struct repeat r = *repeat; /* local copies stay in registers */
	struct perf_alike alike;

	if (!walk->taken || !walker->on.sorted ||
	    !perf_alike_start(&alike, walk->rules->attrs, &walker->rec, &walker->sample))
		return 0;
	if (r.until < until)
		until = r.until;
	for (; n < r.max && (uint64_t)(walker->on.end - data) >= alike.size; n++) {
		uint64_t then;

		if (!perf_alike_matches(&alike, data))
			break;
		then = perf_alike_time(&alike, data);
		if (then < time || then >= until ||
		    !repeat_matches(&r, data + alike.raw + sizeof(alike.raw_size), r.big_endian))
			break;
		if (then - time > r.longest)
			r.longest = then - time;
		time = then;
		data += alike.size;
	}
	*repeat = r;
	if (n)
		skip_to(walker, n, time);
	return n;
}
