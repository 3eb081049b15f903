/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_index.c - where in mapped files each CPU's records are, and a walk over them in time order. */
#include "analyze/perf_index.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GAP_FIRST 4096
#define GAP_LAST (UINT64_C(1) << 40)
#define MAX_UNSORTED (UINT64_C(1) << 20) /* bytes of a span whose records must be sorted */
#define DROP_STEP (UINT64_C(16) << 20)

struct perf_place {
	uint64_t time_ns;
	uint64_t at;
};

void perf_index_init(struct perf_index *index, uint64_t max_spans)
{
	*index = (struct perf_index){ .max_spans = max_spans };
}

void perf_index_free(struct perf_index *index)
{
	for (uint32_t i = 0; i < index->n_cpus; i++)
		free(index->cpus[i].list);
	free(index->cpus);
	*index = (struct perf_index){ 0 };
}

/* ---- building ---- */

static int need_cpu(struct perf_index *index, uint32_t cpu)
{
	struct perf_spans *bigger;

	if (cpu < index->n_cpus)
		return 0;
	bigger = realloc(index->cpus, (cpu + 1) * sizeof(*bigger));
	if (!bigger)
		return -1;
	memset(bigger + index->n_cpus, 0, (cpu + 1 - index->n_cpus) * sizeof(*bigger));
	index->cpus = bigger;
	index->n_cpus = cpu + 1;
	return 0;
}

static struct perf_span *new_span(struct perf_spans *spans)
{
	struct perf_span *bigger;
	uint64_t room;

	if (spans->n == spans->room) {
		room = spans->room ? 2 * spans->room : 16;
		bigger = realloc(spans->list, room * sizeof(*bigger));
		if (!bigger)
			return NULL;
		spans->list = bigger;
		spans->room = room;
	}
	return &spans->list[spans->n++];
}

/* Whether b, which lies behind a, may become part of it. */
static bool can_join(const struct perf_span *a, const struct perf_span *b, uint64_t gap)
{
	bool sorted = a->sorted && b->sorted && b->first_ns >= a->last_ns;

	if (a->feed != b->feed || b->at - a->end > gap)
		return false;
	return sorted || (gap && b->end - a->at <= MAX_UNSORTED);
}

static void join(struct perf_span *a, const struct perf_span *b)
{
	a->sorted &= b->sorted && b->first_ns >= a->last_ns;
	a->end = b->end;
	if (b->first_ns < a->first_ns)
		a->first_ns = b->first_ns;
	if (b->last_ns > a->last_ns)
		a->last_ns = b->last_ns;
}

static void coarsen_cpu(struct perf_spans *spans, uint64_t gap)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < spans->n; i++) {
		if (kept && can_join(&spans->list[kept - 1], &spans->list[i], gap))
			join(&spans->list[kept - 1], &spans->list[i]);
		else
			spans->list[kept++] = spans->list[i];
	}
	spans->n = kept;
}

/* Joins spans until there are half as many as are allowed, or no gap is left to bridge. */
static void coarsen(struct perf_index *index)
{
	while (index->spans > index->max_spans / 2 && index->gap < GAP_LAST) {
		index->gap = index->gap ? 4 * index->gap : GAP_FIRST;
		index->spans = 0;
		for (uint32_t i = 0; i < index->n_cpus; i++) {
			coarsen_cpu(&index->cpus[i], index->gap);
			index->spans += index->cpus[i].n;
		}
	}
}

int perf_index_add(struct perf_index *index, uint32_t cpu, uint32_t feed, uint64_t at,
		   uint32_t size, uint64_t time_ns)
{
	struct perf_span one = { at, at + size, time_ns, time_ns, feed, true };
	struct perf_spans *spans;
	struct perf_span *last;

	if (need_cpu(index, cpu))
		return -1;
	spans = &index->cpus[cpu];
	spans->records++;
	last = spans->n ? &spans->list[spans->n - 1] : NULL;
	if (last && can_join(last, &one, index->gap)) {
		join(last, &one);
		return 0;
	}
	last = new_span(spans);
	if (!last)
		return -1;
	*last = one;
	if (++index->spans >= index->max_spans)
		coarsen(index);
	return 0;
}

static int compare_spans(const void *a, const void *b)
{
	const struct perf_span *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	if (x->feed != y->feed)
		return x->feed < y->feed ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void perf_index_finish(struct perf_index *index)
{
	for (uint32_t i = 0; i < index->n_cpus; i++)
		if (index->cpus[i].n)
			qsort(index->cpus[i].list, index->cpus[i].n, sizeof(struct perf_span),
			      compare_spans);
}

/* ---- walking ---- */

/* Reads on in the span from `at` to its next record of the CPU. False: there is none. */
static bool find_record(const struct perf_cursor *cursor, const struct perf_span *span, uint64_t at,
			struct perf_record *rec, struct perf_sample *sample)
{
	const uint8_t *data = cursor->maps[span->feed].data;

	while (at < span->end) {
		*rec = (struct perf_record){ .offset = at };
		perf_record_header(rec, data + at, cursor->rules->attrs->big_endian);
		if (perf_lane_of(cursor->rules, rec, sample) == PERF_LANE_CPU &&
		    sample->cpu == cursor->cpu)
			return true;
		at += rec->size;
	}
	return false;
}

static int compare_places(const void *a, const void *b)
{
	const struct perf_place *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Lists an unsorted span's records by time. */
static int load_places(const struct perf_cursor *cursor, struct perf_walker *walker)
{
	uint64_t at = walker->span->at;
	uint32_t room = 0;
	struct perf_record rec;
	struct perf_sample sample;

	while (find_record(cursor, walker->span, at, &rec, &sample)) {
		if (walker->n == room) {
			struct perf_place *bigger;

			room = room ? 2 * room : 64;
			bigger = realloc(walker->places, room * sizeof(*bigger));
			if (!bigger)
				return -1;
			walker->places = bigger;
		}
		walker->places[walker->n++] = (struct perf_place){ sample.time, rec.offset };
		at = rec.offset + rec.size;
	}
	if (!walker->n)
		return 0;
	qsort(walker->places, walker->n, sizeof(*walker->places), compare_places);
	walker->at = walker->places[0].at;
	return 0;
}

static bool walker_before(const struct perf_walker *a, const struct perf_walker *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->span->feed != b->span->feed)
		return a->span->feed < b->span->feed;
	return a->at < b->at;
}

static void swap_walkers(struct perf_walker *a, struct perf_walker *b)
{
	struct perf_walker other = *a;

	*a = *b;
	*b = other;
}

static void sift_down(struct perf_cursor *cursor)
{
	for (uint32_t at = 0;;) {
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < cursor->n &&
			    walker_before(&cursor->heap[child], &cursor->heap[least]))
				least = child;
		if (least == at)
			return;
		swap_walkers(&cursor->heap[at], &cursor->heap[least]);
		at = least;
	}
}

static void sift_up(struct perf_cursor *cursor, uint32_t at)
{
	while (at && walker_before(&cursor->heap[at], &cursor->heap[(at - 1) / 2])) {
		swap_walkers(&cursor->heap[at], &cursor->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

/* Gives back the pages of the file that this CPU is past. */
static void drop_pages(struct perf_cursor *cursor, const struct perf_span *span)
{
	const struct perf_feed_map *map = &cursor->maps[span->feed];
	uint64_t upto = span->at & ~(DROP_STEP - 1);

	if (!map->mapped || upto <= cursor->dropped)
		return;
	madvise((void *)(uintptr_t)(map->data + cursor->dropped), upto - cursor->dropped,
		MADV_DONTNEED);
	cursor->dropped = upto;
}

static int start_span(struct perf_cursor *cursor, const struct perf_span *span)
{
	struct perf_walker *walker;

	if (cursor->n == cursor->room) {
		uint32_t room = cursor->room ? 2 * cursor->room : 4;
		struct perf_walker *bigger = realloc(cursor->heap, room * sizeof(*bigger));

		if (!bigger)
			return -1;
		cursor->heap = bigger;
		cursor->room = room;
	}
	walker = &cursor->heap[cursor->n++];
	*walker = (struct perf_walker){ .span = span, .time_ns = span->first_ns, .at = span->at };
	if (!span->sorted && load_places(cursor, walker))
		return -1;
	drop_pages(cursor, span);
	sift_up(cursor, cursor->n - 1);
	return 0;
}

/* Moves heap[0] to its next record, or removes it at its end. */
static void advance(struct perf_cursor *cursor)
{
	struct perf_walker *walker = &cursor->heap[0];
	struct perf_record rec;
	bool more;

	if (walker->places) {
		more = ++walker->next < walker->n;
		if (more) {
			walker->time_ns = walker->places[walker->next].time_ns;
			walker->at = walker->places[walker->next].at;
		}
	} else {
		perf_record_header(&rec, cursor->maps[walker->span->feed].data + walker->at,
				   cursor->rules->attrs->big_endian);
		more = find_record(cursor, walker->span, walker->at + rec.size, &walker->rec,
				   &walker->sample);
		walker->found = more;
		if (more) {
			walker->time_ns = walker->sample.time;
			walker->at = walker->rec.offset;
		}
	}
	if (!more) {
		free(walker->places);
		*walker = cursor->heap[--cursor->n];
	}
	sift_down(cursor);
}

/* Whether a span may have the earliest record of all that are left. */
static bool must_start(const struct perf_cursor *cursor, const struct perf_span *span)
{
	struct perf_walker first = { .span = span, .time_ns = span->first_ns, .at = span->at };

	return !cursor->n || !walker_before(&cursor->heap[0], &first);
}

int perf_cursor_next(struct perf_cursor *cursor, struct perf_record *rec, struct perf_sample *sample)
{
	const struct perf_walker *walker;

	if (cursor->taken)
		advance(cursor);
	cursor->taken = false;
	while (cursor->next < cursor->spans->n &&
	       must_start(cursor, &cursor->spans->list[cursor->next]))
		if (start_span(cursor, &cursor->spans->list[cursor->next++]))
			return -1;
	if (!cursor->n)
		return 0;
	walker = &cursor->heap[0];
	cursor->taken = true;
	if (walker->found) {
		*rec = walker->rec;
		*sample = walker->sample;
		return 1;
	}
	return find_record(cursor, walker->span, walker->at, rec, sample);
}

void perf_cursor_free(struct perf_cursor *cursor)
{
	for (uint32_t i = 0; i < cursor->n; i++)
		free(cursor->heap[i].places);
	free(cursor->heap);
	*cursor = (struct perf_cursor){ 0 };
}
