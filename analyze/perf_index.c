/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_index.c - where in mapped files each CPU's records are, and a walk over them in time order. */
#include "analyze/perf_index.h"

#include <stdlib.h>
#include <string.h>

#define GAP_FIRST 4096
#define GAP_LAST (UINT64_C(1) << 40)
#define MAX_UNSORTED (UINT64_C(1) << 20) /* bytes of a span whose records must be sorted */

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

int perf_index_count(struct perf_index *index, uint32_t cpu, uint64_t n)
{
	if (need_cpu(index, cpu))
		return -1;
	index->cpus[cpu].records += n;
	return 0;
}

int perf_index_add(struct perf_index *index, uint32_t cpu, const struct perf_piece *piece)
{
	struct perf_span one = {
		.at = piece->at,
		.end = piece->at + piece->size,
		.first_ns = piece->first_ns,
		.last_ns = piece->last_ns,
		.feed = piece->feed,
		.sorted = true,
	};
	struct perf_spans *spans;
	struct perf_span *last;

	if (perf_index_count(index, cpu, piece->n))
		return -1;
	spans = &index->cpus[cpu];
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

static int start_span(struct perf_cursor *cursor, const struct perf_span *span)
{
	const uint8_t *data = cursor->files[span->feed].data;
	struct perf_stretch stretch = {
		.data = data + span->at,
		.end = data + span->end,
		.offset = span->at,
		.first_ns = span->first_ns,
		.seq = span->at,
		.feed = span->feed,
		.sorted = span->sorted,
	};

	map_window_move(&cursor->windows[span->feed], span->at);
	return perf_walk_add(&cursor->walk, &stretch);
}

/* The time of the first span that is not walked yet; UINT64_MAX if all are. */
static uint64_t next_span_ns(const struct perf_cursor *cursor)
{
	const struct perf_spans *spans = cursor->spans;

	return cursor->next < spans->n ? spans->list[cursor->next].first_ns : UINT64_MAX;
}

int perf_cursor_start(struct perf_cursor *cursor, const struct perf_rules *rules, uint32_t cpu,
		      const struct perf_spans *spans, const struct source_file *files,
		      uint32_t n_files)
{
	*cursor = (struct perf_cursor){
		.walk = { .rules = rules, .cpu = cpu },
		.spans = spans,
		.files = files,
		.windows = calloc(n_files, sizeof(*cursor->windows)),
	};
	if (!cursor->windows)
		return -1;
	for (uint32_t i = 0; i < n_files; i++)
		cursor->windows[i] = map_window_start(&files[i], 0);
	return 0;
}

int perf_cursor_next(struct perf_cursor *cursor, const struct perf_walker **at)
{
	const struct perf_spans *spans = cursor->spans;
	uint64_t time = perf_walk_time(&cursor->walk);

	while (cursor->next < spans->n && next_span_ns(cursor) <= time) {
		if (start_span(cursor, &spans->list[cursor->next++]))
			return -1;
		time = perf_walk_time(&cursor->walk);
	}
	if (!cursor->walk.n)
		return 0;
	*at = perf_walk_take(&cursor->walk);
	map_window_move(&cursor->windows[(*at)->on.feed], (*at)->rec.offset);
	return 1;
}

uint64_t perf_cursor_repeat(struct perf_cursor *cursor, struct repeat *repeat)
{
	repeat->until = next_span_ns(cursor);
	return perf_walk_repeat(&cursor->walk, repeat);
}

void perf_cursor_free(struct perf_cursor *cursor)
{
	perf_walk_free(&cursor->walk);
	free(cursor->windows);
	*cursor = (struct perf_cursor){ 0 };
}
