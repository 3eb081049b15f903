/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracedat_data.c - the records of one CPU in one buffer of a trace.dat. */
#include "analyze/tracedat_data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_CHUNK_BYTES (UINT64_C(1) << 23) /* trace-cmd's are 10 pages, of 64K at most */
#define STRETCH_BYTES                                                                              \
	(UINT64_C(1) << 16)	       /* read at a time: stays in a core's cache until decoded */
#define DROP_BYTES (UINT64_C(1) << 16) /* given back at a time; any machine's pages divide it */

enum space {
	IN_FILE,
	IN_DATA
}; /* which offsets: of the file, or of this CPU's pages */

static void note(struct tracedat_stream *stream, enum space space, uint64_t at, const char *what)
{
	bool inflated = space == IN_DATA && stream->buffer->compressed;

	damage_note(&stream->damage, "CPU %" PRIu32 "%s%s: at offset %" PRIu64 "%s: %s",
		    stream->cpu, stream->buffer->name[0] ? " of buffer " : "", stream->buffer->name,
		    at, inflated ? " of its inflated data" : "", what);
}

/* trace-cmd's size of a CPU's compressed data leaves out the number of chunks before them. */
#define CHUNK_COUNT_BYTES 4

void tracedat_stream_start(struct tracedat_stream *stream, const struct tracedat_file *file,
			   const struct tracedat_buffer *buffer, const struct tracedat_cpu *data)
{
	uint64_t size = file->whole.size;
	uint64_t at = data->offset < size ? data->offset : size;
	bool counted = buffer->compressed && data->size;
	uint64_t want = data->size + (counted ? CHUNK_COUNT_BYTES : 0);
	uint64_t there;

	if (want < data->size)
		want = data->size;
	there = want < size - at ? want : size - at;
	*stream = (struct tracedat_stream){ .file = file, .buffer = buffer, .cpu = data->cpu };
	stream->left = bytes_slice(&file->whole, at, there);
	stream->dropped = (at + DROP_BYTES - 1) / DROP_BYTES * DROP_BYTES;
	stream->cut = there < want;
	if (stream->cut)
		note(stream, IN_FILE, size, "the file ends before this CPU's data does");
	if (buffer->compressed && there)
		stream->chunks_left = bytes_u32(&stream->left);
}

static int chunk_room(struct tracedat_stream *stream, uint64_t size)
{
	uint8_t *bigger;

	if (size > MAX_CHUNK_BYTES)
		return -1;
	if (size <= stream->chunk_room)
		return 0;
	bigger = realloc(stream->chunk, size);
	if (!bigger)
		return -1;
	stream->chunk = bigger;
	stream->chunk_room = size;
	return 0;
}

/*
 * Gives back the memory of what this stream has inflated, so that a trace of any size takes little
 * of it. Only whole steps; others' data is not touched.
 */
static void drop_behind(struct tracedat_stream *stream, uint64_t at)
{
	uint64_t from = stream->dropped, to = at / DROP_BYTES * DROP_BYTES;

	if (!stream->file->mapped || to <= from)
		return;
	madvise((void *)(uintptr_t)(stream->file->whole.data + from), to - from, MADV_DONTNEED);
	stream->dropped = to;
}

/* Inflates the chunk of packed bytes at data; what of it cannot be had is noted. */
static void inflate_chunk(struct tracedat_stream *stream, const uint8_t *data, uint32_t packed,
			  uint32_t size)
{
	uint64_t at = (uint64_t)(data - stream->file->whole.data);
	int64_t n = -1;

	stream->inflated += stream->pages.size;
	stream->pages = bytes_of(NULL, 0, 0, false);
	if (!chunk_room(stream, size))
		n = inflate_block(stream->file->inflaters, stream->file->compression, data, packed,
				  stream->chunk, size);
	if (n > 0)
		stream->pages = bytes_of(stream->chunk, (uint64_t)n, 0, false);
	if (n == size)
		return;
	note(stream, IN_FILE, at, "a compressed chunk is damaged");
	stream->gap = true;
}

/* Makes .pages the next chunk's. Returns 0 at the end of the chunks. */
static int next_chunk(struct tracedat_stream *stream)
{
	struct bytes *left = &stream->left;
	uint64_t at = bytes_offset(left);
	uint32_t packed, size;
	const uint8_t *data;

	if (!stream->chunks_left) {
		if (bytes_left(left) > CHUNK_COUNT_BYTES) {
			note(stream, IN_FILE, at, "more data than the number of chunks says");
			left->at = left->size;
			stream->cut = true;
		}
		return 0;
	}
	stream->chunks_left--;
	packed = bytes_u32(left);
	size = bytes_u32(left);
	drop_behind(stream, at);
	data = bytes_take(left, packed);
	if (!data) {
		note(stream, IN_FILE, at, "a compressed chunk is cut");
		stream->chunks_left = 0;
		left->at = left->size;
		stream->cut = true;
		return 0;
	}
	inflate_chunk(stream, data, packed, size);
	return 1;
}

/* Up to n bytes of the file from `at` on: how many could be read. */
static uint64_t read_at(const struct tracedat_file *file, uint8_t *to, uint64_t n, uint64_t at)
{
	uint64_t done = 0;
	ssize_t got = 1;

	while (done < n && (got > 0 || (got < 0 && errno == EINTR))) {
		got = pread(file->fd, to + done, n - done, (off_t)(at + done));
		done += got > 0 ? (uint64_t)got : 0;
	}
	return done;
}

/*
 * Makes .pages the next ones that are not compressed: of a pipe, all that there are; of a file as many
 * as a core's cache holds, read. That takes less time than faults of a mapping, each page of which
 * comes from memory when it is decoded. Returns 0 at the end.
 */
static int next_stretch(struct tracedat_stream *stream)
{
	struct bytes *left = &stream->left;
	uint64_t at = bytes_offset(left), page = stream->buffer->page_size, n = bytes_left(left),
		 got;

	if (!n)
		return 0;
	if (!stream->file->mapped) {
		stream->pages = *left;
		left->at = left->size;
		return 1;
	}
	if (n > STRETCH_BYTES)
		n = page < STRETCH_BYTES ? STRETCH_BYTES / page * page : page < n ? page : n;
	(void)bytes_take(left, n);
	got = chunk_room(stream, n) ? 0 : read_at(stream->file, stream->chunk, n, at);
	stream->pages = bytes_of(stream->chunk, got, at, false);
	if (got < n) {
		note(stream, IN_FILE, at + got, "the file cannot be read from here on");
		left->at = left->size;
		stream->cut = true;
	}
	return 1;
}

/* Starts on the next page at hand. Returns 0 if it cannot be read. */
static int next_page(struct tracedat_stream *stream)
{
	struct bytes *pages = &stream->pages;
	uint64_t size = stream->buffer->page_size;
	struct ringpage *page = &stream->page;

	if (size > bytes_left(pages))
		size = bytes_left(pages);
	stream->page_at = stream->inflated + bytes_offset(pages);
	if (ringpage_start(page, &stream->file->page_format, bytes_take(pages, size),
			   (uint32_t)size)) {
		note(stream, IN_DATA, stream->page_at, "a page is cut in its header");
		stream->gap = true;
		return 0;
	}
	if (page->cut)
		note(stream, IN_DATA, stream->page_at, "a page says more data than it has");
	if (page->at == page->end && !page->time) {
		note(stream, IN_DATA, stream->page_at, "a page is empty");
		stream->gap = true;
	}
	stream->in_page = true;
	return 1;
}

/* At the end of a page, or (got < 0) at a record after which it cannot be read. */
static void end_page(struct tracedat_stream *stream, int got)
{
	if (got < 0)
		note(stream, IN_DATA, stream->page_at + stream->page.at,
		     "a record cannot be as long as it says");
	stream->gap = got < 0 || stream->page.cut;
	stream->in_page = false;
}

/* Moves on to a page. Returns 0 at the end of the stream. */
static int find_page(struct tracedat_stream *stream)
{
	for (;;) {
		if (bytes_left(&stream->pages)) {
			if (next_page(stream))
				return 1;
		} else if (!(stream->buffer->compressed ? next_chunk(stream)
							: next_stretch(stream))) {
			return 0;
		}
	}
}

/* At the start of a page, or the end of the stream: whether events are missing before it. */
static bool lost_here(struct tracedat_stream *stream, bool marked, uint64_t events,
		      struct ringrec *rec, uint64_t *lost)
{
	bool gap = stream->gap;

	stream->gap = false;
	if (!marked && !gap)
		return false;
	*lost = gap ? 0 : events;
	stream->marked_lost += events;
	if (!*lost)
		stream->marked_unknown++;
	rec->time = stream->page.time;
	rec->at = stream->page.at;
	return true;
}

enum tracedat_item tracedat_stream_next(struct tracedat_stream *stream, struct ringrec *rec,
					uint64_t *lost)
{
	for (;;) {
		struct ringpage *page = &stream->page;
		int got;

		if (!stream->in_page) {
			bool there = find_page(stream);

			stream->gap |= !there && stream->cut;
			stream->cut &= there;
			if (lost_here(stream, there && page->lost, page->lost_events, rec, lost))
				return TRACEDAT_LOST;
			if (!there) {
				stream->ended = true;
				return TRACEDAT_END;
			}
		}
		got = ringpage_next(page, rec);
		if (got > 0) {
			stream->records++;
			return TRACEDAT_RECORD;
		}
		end_page(stream, got);
	}
}

uint64_t tracedat_stream_repeat(struct tracedat_stream *stream, struct ringrec *rec,
				struct repeat *repeat)
{
	uint64_t n = stream->in_page ? ringpage_repeat(&stream->page, rec, repeat) : 0;

	stream->records += n;
	return n;
}

void tracedat_stream_free(struct tracedat_stream *stream)
{
	free(stream->chunk);
	stream->chunk = NULL;
}
