/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_stream.c - the records of one perf.data, one after the other, from a file or a pipe. */
#include "analyze/perf_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_RECORD UINT32_C(65536) /* the size of a record has 16 bits */
#define MAX_PAYLOAD (UINT64_C(64) << 20)

void perf_block_drop(struct perf_block *block)
{
	if (!block || atomic_fetch_sub(&block->holders, 1) > 1)
		return;
	atomic_fetch_sub(block->account, sizeof(*block));
	free(block);
}

void perf_stream_start(struct perf_stream *stream, const struct source_file *file, uint64_t at,
		       uint64_t end, bool big_endian, perf_account *account, struct damage *damage)
{
	*stream = (struct perf_stream){
		.file = file,
		.big_endian = big_endian,
		.at = at,
		.end = end,
		.window = map_window_start(file, at),
		.outer = { .taken = at },
		.damage = damage,
	};
	stream->account = account;
}

void perf_stream_free(struct perf_stream *stream)
{
	perf_block_drop(stream->outer.block);
	perf_block_drop(stream->inner.block);
	ZSTD_freeDCtx(stream->zstd);
	free(stream->payload);
	*stream = (struct perf_stream){ .ended = true };
}

static int no_memory(const struct perf_stream *stream, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", stream->file->name);
}

/* ---- windows ---- */

/* Makes room for a record's rest behind what is in the window. Returns its block; NULL: no memory. */
static struct perf_block *window_room(const struct perf_stream *stream, struct perf_window *w)
{
	uint32_t left = w->len - w->at;
	struct perf_block *block = w->block;

	if (block && PERF_BLOCK_BYTES - w->len >= MAX_RECORD)
		return block;
	if (!block || block->holders > 1) {
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		block->holders = 1;
		block->account = stream->account;
		*stream->account += sizeof(*block);
	}
	if (left && w->block)
		memmove(block->data, w->block->data + w->at, left);
	if (block != w->block)
		perf_block_drop(w->block);
	w->block = block;
	w->at = 0;
	w->len = left;
	return block;
}

static void window_take(struct perf_window *w, uint32_t n)
{
	w->at += n;
	w->taken += n;
}

/* Says what is wrong with the stream and ends it. */
static int bad_record(struct perf_stream *stream, const struct perf_record *rec)
{
	stream->ended = true;
	damage_note(stream->damage,
		    "%sat offset %" PRIu64 "%s: record size %" PRIu32 " is smaller than its header",
		    stream->label, rec->offset, rec->inflated ? " of its inflated data" : "",
		    rec->size);
	return 0;
}

/* The record at the window's begin: 1, or 0 if it is not complete or is none (then ended is set). */
static int window_record(struct perf_stream *stream, struct perf_window *w, struct perf_record *rec)
{
	uint32_t left = w->len - w->at;

	if (left < PERF_RECORD_HEADER)
		return 0;
	*rec = (struct perf_record){ .offset = w->taken, .inflated = w == &stream->inner };
	perf_record_header(rec, w->block->data + w->at, stream->big_endian);
	if (rec->size < PERF_RECORD_HEADER)
		return bad_record(stream, rec);
	if (rec->size > left)
		return 0;
	window_take(w, rec->size);
	return 1;
}

/* ---- a pipe ---- */

/* Appends what comes next. Returns 1, 0 at the pipe's end, -1 with *err filled. */
static int pipe_fill(struct perf_stream *stream, struct error *err)
{
	const struct source_file *file = stream->file;
	struct perf_window *w = &stream->outer;
	struct perf_block *block = window_room(stream, w);
	ssize_t n;

	if (!block)
		return no_memory(stream, err);
	if (stream->at < file->head_len) {
		n = (ssize_t)(file->head_len - stream->at);
		memcpy(block->data + w->len, file->head + stream->at, (size_t)n);
		stream->at = file->head_len;
	} else {
		n = source_file_read(file, block->data + w->len, PERF_BLOCK_BYTES - w->len);
	}
	if (n < 0)
		return error_set(err, ERROR_ENVIRONMENT, "%s: cannot read: %s", file->name,
				 strerror(errno));
	w->len += (uint32_t)n;
	return n > 0;
}

/* The data that follows a record. to NULL: step over it. Returns 1, 0 if the pipe ends in it, -1. */
static int pipe_payload(struct perf_stream *stream, uint64_t size, uint8_t *to, struct error *err)
{
	struct perf_window *w = &stream->outer;

	while (size) {
		uint32_t left = w->len - w->at;
		uint32_t n = left < size ? left : (uint32_t)size;
		int got;

		if (to && n && w->block) {
			memcpy(to, w->block->data + w->at, n);
			to += n;
		}
		window_take(w, n);
		size -= n;
		if (size) {
			got = pipe_fill(stream, err);
			if (got <= 0)
				return got;
		}
	}
	return 1;
}

static int pipe_tracing_data(struct perf_stream *stream, struct perf_record *rec, uint64_t size,
			     struct error *err)
{
	free(stream->payload);
	stream->payload = malloc(size ? size : 1);
	if (!stream->payload)
		return no_memory(stream, err);
	rec->payload = stream->payload;
	rec->payload_size = size;
	return pipe_payload(stream, size, stream->payload, err);
}

static int cut_payload(struct perf_stream *stream, const struct perf_record *rec, uint64_t size)
{
	stream->ended = true;
	damage_note(stream->damage,
		    "%sends inside the %" PRIu64 " bytes that the record at offset %" PRIu64
		    " says follow it",
		    stream->label, size, rec->offset);
	return 0;
}

static int pipe_end(struct perf_stream *stream)
{
	const struct perf_window *w = &stream->outer;

	stream->ended = true;
	if (w->len > w->at)
		damage_note(stream->damage,
			    "ends inside the record at offset %" PRIu64 " (%" PRIu32 " bytes of it)",
			    w->taken, w->len - w->at);
	return 0;
}

static int pipe_next(struct perf_stream *stream, struct perf_record *rec, struct error *err)
{
	uint64_t size;
	int got;

	while (!window_record(stream, &stream->outer, rec)) {
		if (stream->ended)
			return 0;
		got = pipe_fill(stream, err);
		if (got < 0)
			return -1;
		if (!got)
			return pipe_end(stream);
	}
	size = perf_payload_size(rec, stream->big_endian);
	if (!size)
		return 1;
	if (rec->type == PERF_TRACING_DATA && size > MAX_PAYLOAD)
		return cut_payload(stream, rec, size);
	if (rec->type == PERF_TRACING_DATA)
		got = pipe_tracing_data(stream, rec, size, err);
	else
		got = pipe_payload(stream, size, NULL, err);
	/* The window moved on over the record: only its header is known any more. */
	rec->data = NULL;
	rec->size = 0;
	return got ? got : cut_payload(stream, rec, size);
}

/* ---- a mapped file ---- */

static int map_end(struct perf_stream *stream)
{
	stream->ended = true;
	if (stream->at < stream->end)
		damage_note(stream->damage,
			    "%sends at offset %" PRIu64 ", inside the record at offset %" PRIu64,
			    stream->label, stream->end, stream->at);
	return 0;
}

static int map_next(struct perf_stream *stream, struct perf_record *rec)
{
	uint64_t left = stream->end - stream->at;
	uint64_t size;

	if (left < PERF_RECORD_HEADER)
		return map_end(stream);
	*rec = (struct perf_record){ .offset = stream->at };
	perf_record_header(rec, stream->file->data + stream->at, stream->big_endian);
	if (rec->size < PERF_RECORD_HEADER)
		return bad_record(stream, rec);
	if (rec->size > left)
		return map_end(stream);
	map_window_move(&stream->window, stream->at);
	stream->at += rec->size;
	size = perf_payload_size(rec, stream->big_endian);
	if (size > left - rec->size)
		return cut_payload(stream, rec, size);
	rec->payload = stream->file->data + stream->at;
	rec->payload_size = size;
	stream->at += size;
	return 1;
}

/* ---- compressed records ---- */

static void packed_end(struct perf_stream *stream, const char *why)
{
	stream->ended = true;
	stream->packed = (ZSTD_inBuffer){ 0 };
	damage_note(stream->damage,
		    "%sthe compressed record at offset %" PRIu64 " cannot be inflated: %s",
		    stream->label, stream->packed_at, why);
}

/* Takes a compressed record's content as what is to be inflated next. */
static int packed_begin(struct perf_stream *stream, const struct perf_record *rec, struct error *err)
{
	uint32_t skip = PERF_RECORD_HEADER;
	uint64_t size;

	if (!stream->zstd)
		stream->zstd = ZSTD_createDCtx();
	if (!stream->zstd)
		return no_memory(stream, err);
	stream->packed_at = rec->offset;
	if (rec->type == PERF_COMPRESSED2)
		skip += 8;
	size = rec->size > skip ? rec->size - skip : 0;
	if (rec->type == PERF_COMPRESSED2) {
		/* The record is padded; its first member is the size without padding. */
		if (perf_record_u64(rec, PERF_RECORD_HEADER, stream->big_endian) > size)
			packed_end(stream, "it is smaller than it says");
		else
			size = perf_record_u64(rec, PERF_RECORD_HEADER, stream->big_endian);
	}
	if (!stream->ended)
		stream->packed = (ZSTD_inBuffer){ rec->data + skip, size, 0 };
	return 0;
}

/* Inflates until the window is full or the compressed record is used up. */
static int packed_fill(struct perf_stream *stream, struct error *err)
{
	struct perf_window *w = &stream->inner;
	struct perf_block *block = window_room(stream, w);
	ZSTD_outBuffer out;
	size_t status;

	if (!block)
		return no_memory(stream, err);
	out = (ZSTD_outBuffer){ block->data, PERF_BLOCK_BYTES, w->len };
	status = ZSTD_decompressStream(stream->zstd, &out, &stream->packed);
	if (ZSTD_isError(status))
		packed_end(stream, ZSTD_getErrorName(status));
	w->len = (uint32_t)out.pos;
	return 0;
}

/* A record from what was inflated. Returns 1, 0 if the next compressed record is needed, -1. */
static int packed_next(struct perf_stream *stream, struct perf_record *rec, struct error *err)
{
	struct perf_window *w = &stream->inner;
	uint32_t before;

	for (;;) {
		if (window_record(stream, w, rec))
			return 1;
		if (stream->ended || !stream->zstd)
			return 0;
		before = w->len - w->at;
		if (packed_fill(stream, err))
			return -1;
		/* Nothing new although there was room: all of it is out. */
		if (w->len - w->at == before && stream->packed.pos >= stream->packed.size)
			return 0;
		if (stream->ended && w->len - w->at == before)
			return 0;
	}
}

static int outer_next(struct perf_stream *stream, struct perf_record *rec, struct error *err)
{
	return stream->file->data ? map_next(stream, rec) : pipe_next(stream, rec, err);
}

static int stream_end(struct perf_stream *stream)
{
	const struct perf_window *w = &stream->inner;

	if (w->len > w->at && !stream->damage->places)
		damage_note(stream->damage,
			    "%sends inside the record at offset %" PRIu64 " of its inflated data",
			    stream->label, w->taken);
	return 0;
}

int perf_stream_next(struct perf_stream *stream, struct perf_record *rec, struct perf_block **block,
		     struct error *err)
{
	for (;;) {
		int got = packed_next(stream, rec, err);

		*block = stream->inner.block;
		if (got)
			return got;
		if (stream->ended)
			return 0;
		got = outer_next(stream, rec, err);
		if (got <= 0)
			return got ? got : stream_end(stream);
		*block = stream->outer.block;
		if (rec->type != PERF_COMPRESSED && rec->type != PERF_COMPRESSED2)
			return 1;
		stream->compressed = true;
		if (stream->outline)
			return 1;
		if (packed_begin(stream, rec, err))
			return -1;
	}
}

static uint64_t count_alike(const struct perf_alike *alike, const uint8_t *data, uint64_t bytes,
			    uint64_t *time_ns)
{
	uint64_t n = 0, time = *time_ns;

	for (; bytes >= alike->size && perf_alike_matches(alike, data); n++) {
		uint64_t then = perf_alike_time(alike, data);

		if (then < time)
			break;
		time = then;
		data += alike->size;
		bytes -= alike->size;
	}
	*time_ns = time;
	return n;
}

uint64_t perf_stream_alike(struct perf_stream *stream, const struct perf_record *rec,
			   const struct perf_alike *alike, uint64_t *time_ns)
{
	struct perf_window *w = rec->inflated ? &stream->inner : &stream->outer;
	uint64_t bytes = stream->end - stream->at, n;

	if (rec->inflated || !stream->file->data) {
		n = count_alike(alike, w->block->data + w->at, w->len - w->at, time_ns);
		window_take(w, (uint32_t)(n * alike->size));
		return n;
	}
	if (bytes > MAP_WINDOW_BYTES / 4)
		bytes = MAP_WINDOW_BYTES / 4;
	n = count_alike(alike, stream->file->data + stream->at, bytes, time_ns);
	stream->at += n * alike->size;
	return n;
}

void perf_stream_unread(struct perf_stream *stream, const struct perf_record *rec)
{
	struct perf_window *w = rec->inflated ? &stream->inner : &stream->outer;

	if (!rec->inflated && stream->file->data) {
		stream->at = rec->offset;
		return;
	}
	w->at -= rec->size;
	w->taken -= rec->size;
}
