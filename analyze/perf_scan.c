/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_scan.c - the first pass over a perf.data: what lies where, in which order, and what is told of
 * tasks and lost events on the way.
 */
#include <stdlib.h>

#include "analyze/perf_source.h"

#define MAX_SPANS (UINT64_C(1) << 19)  /* 24 MB */
#define MAX_ROUND (PERF_QUEUE_CAP / 8) /* bytes that may come between two rounds */

static void note_lost(struct perf_totals *totals, const struct perf_record *rec,
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

bool perf_is_beyond(const struct perf *p, enum perf_lane lane, const struct perf_sample *sample)
{
	return lane == PERF_LANE_CPU && sample->cpu >= p->info.cpus;
}

int perf_note(void *context, uint32_t feed, const struct perf_record *rec, enum perf_lane lane,
	      const struct perf_sample *sample)
{
	struct perf *p = context;
	struct perf_totals *totals = &p->totals;

	(void)feed;
	if (lane == PERF_LANE_BAD || (p->info.cpus && perf_is_beyond(p, lane, sample))) {
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

	perf_start_feed(p, i, outline ? &p->read_ahead : &p->file.damage);
	feed->stream.outline = outline;
	while ((got = perf_stream_next(&feed->stream, &rec, &block, err)) > 0) {
		enum perf_lane lane = perf_lane_of(&p->rules, &rec, &sample);

		if (perf_note(p, i, &rec, lane, &sample))
			return perf_no_memory(p, err);
		if (lane != PERF_LANE_CPU)
			continue;
		if (index_record(p, i, &rec, &sample))
			return perf_no_memory(p, err);
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
	p->totals = (struct perf_totals){ 0 };
}

/*
 * Whether one pass is enough: rounds put the records in order as they are read, and tasks that ran
 * before the recording are named before the first record that perf compressed.
 */
static int outline(struct perf *p, struct error *err)
{
	const struct perf_file *file = &p->file;

	if (p->inputs.n > 1 || !perf_all_have_time(&file->attrs) || !file->ring_bytes ||
	    !file->cpus || file->cpus > PERF_MAX_CPUS || file->ring_bytes > MAX_ROUND / file->cpus)
		return 0;
	if (scan_feed(p, 0, true, err))
		return -1;
	p->outlined = p->queued && p->totals.rounds && !p->totals.tail && !p->index.n_cpus;
	forget_scan(p);
	return 0;
}

int perf_scan(struct perf *p, struct error *err)
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
