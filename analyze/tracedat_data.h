/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_data.h - the records of one CPU in one buffer of a trace.dat, in the order of the file.
 *
 * Compressed data is inflated chunk by chunk, other data read stretch by stretch, so memory stays at
 * one of them per stream.
 */
#ifndef TLBTRACE_TRACEDAT_DATA_H
#define TLBTRACE_TRACEDAT_DATA_H

#include "analyze/tracedat_file.h"

struct tracedat_stream {
	const struct tracedat_file *file;
	const struct tracedat_buffer *buffer;
	uint32_t cpu;
	struct bytes left;    /* of the file, from the next page or chunk on */
	uint64_t dropped;     /* offset of the file up to which memory was given back */
	uint32_t chunks_left; /* compressed: chunks that should still follow */
	struct bytes pages; /* pages at hand: an inflated chunk, a stretch, or (pipe) the whole data */
	uint8_t *chunk;	    /* room of chunk_room bytes for the chunk or the stretch */
	uint64_t chunk_room;
	struct ringpage page;
	uint64_t page_at;  /* offset of the page, in the file or in the inflated data */
	uint64_t inflated; /* bytes of inflated data before .pages */
	bool in_page;	   /* .page is being read */
	bool gap;	   /* damage was skipped: events are missing before the next one */
	bool cut;	   /* damage at the end: events are missing after the last one */

	struct damage damage;
	uint64_t records;
	bool ended;
	uint64_t marked_lost;	 /* events, by the counts of lost marks in the stream */
	uint64_t marked_unknown; /* lost marks without a count, and gaps of damage */
};

enum tracedat_item {
	TRACEDAT_END,
	TRACEDAT_RECORD, /* *rec */
	TRACEDAT_LOST,	 /* events are missing here: rec->time, *lost of them, 0 unknown */
};

/* Starts at the first record. data is where tracedat_parse found this CPU's. */
void tracedat_stream_start(struct tracedat_stream *stream, const struct tracedat_file *file,
			   const struct tracedat_buffer *buffer, const struct tracedat_cpu *data);

/*
 * The next record or gap. Damage never stops it: what can be read follows after a TRACEDAT_LOST,
 * and stream->damage says what was wrong. rec->data is valid until the next call.
 */
enum tracedat_item tracedat_stream_next(struct tracedat_stream *stream, struct ringrec *rec,
					uint64_t *lost);

/*
 * Passes over the records behind *rec, the stream's last, that are the next ones of its loop; stops
 * where a page ends, too. Returns how many; *rec is then the last of them.
 */
uint64_t tracedat_stream_repeat(struct tracedat_stream *stream, struct ringrec *rec,
				struct repeat *repeat);

/* The offset of a record for messages: in the file, or in the CPU's inflated data. */
static inline uint64_t tracedat_record_offset(const struct tracedat_stream *stream,
					      const struct ringrec *rec)
{
	return stream->page_at + rec->at;
}

void tracedat_stream_free(struct tracedat_stream *stream);

#endif
