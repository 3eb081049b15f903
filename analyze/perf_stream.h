/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stream.h - the records of one perf.data, one after the other, from a file or a pipe.
 *
 * PERF_RECORD_COMPRESSED is opened here: what comes out are the records inside, which may begin in
 * one such record and end in the next (all of a file are one zstd stream). A record of a mapped file
 * stays where it is; the others are in blocks, which live as long as somebody holds them.
 */
#ifndef TLBTRACE_PERF_STREAM_H
#define TLBTRACE_PERF_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <zstd.h>

#include "analyze/damage.h"
#include "analyze/map_window.h"
#include "analyze/perf_alike.h"
#include "analyze/perf_record.h"
#include "analyze/source_file.h"

#define PERF_BLOCK_BYTES (UINT32_C(256) << 10)

/* Bytes in blocks that are alive; those who hold them may be in several threads. */
typedef _Atomic uint64_t perf_account;

struct perf_block {
	_Atomic uint32_t holders;
	perf_account *account;
	uint8_t data[PERF_BLOCK_BYTES];
};

static inline void perf_block_hold(struct perf_block *block)
{
	if (block)
		block->holders++;
}

/* Frees the block if nobody else holds it. Accepts NULL. */
void perf_block_drop(struct perf_block *block);

/* Bytes that were read or inflated and not taken yet: block->data[at, len). */
struct perf_window {
	struct perf_block *block;
	uint32_t at;
	uint32_t len;
	uint64_t taken; /* bytes before .at, from the beginning on */
};

struct perf_stream {
	const struct source_file *file;
	char label[32]; /* "data.3: " in a directory, else "" */
	bool big_endian;
	bool ended;
	bool compressed;	  /* a compressed record was seen */
	bool outline;		  /* compressed records are given as they are */
	uint64_t at;		  /* mapped: the next record */
	uint64_t end;		  /* mapped: where the records end */
	struct map_window window; /* mapped */
	struct perf_window outer; /* a pipe's bytes */
	struct perf_window inner; /* inflated bytes */
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer packed;  /* what is left of the compressed record */
	uint64_t packed_at;    /* its offset */
	uint8_t *payload;      /* of the last PERF_TRACING_DATA of a pipe */
	perf_account *account; /* perf_block.account */
	struct damage *damage;
};

/* Records in [at, end) of a file that is loaded, or of a pipe (from its head[at] on). */
void perf_stream_start(struct perf_stream *stream, const struct source_file *file, uint64_t at,
		       uint64_t end, bool big_endian, perf_account *account, struct damage *damage);

/*
 * The next record. It is valid until the next call; where *block is not NULL, as long as the caller
 * holds that. Returns 1, 0 at the end, of which damage is noted, or -1 with *err filled: reading
 * failed or there is no memory.
 */
int perf_stream_next(struct perf_stream *stream, struct perf_record *rec, struct perf_block **block,
		     struct error *err);

/*
 * Passes over samples that follow the record that was given last, begin alike and are not earlier
 * than *time_ns, which becomes the time of the last of them. Returns how many: only so many as are
 * there already, behind the record and in its block.
 */
uint64_t perf_stream_alike(struct perf_stream *stream, const struct perf_record *rec,
			   const struct perf_alike *alike, uint64_t *time_ns);

/* Makes the record that perf_stream_next() gave last, one without payload, the next one again. */
void perf_stream_unread(struct perf_stream *stream, const struct perf_record *rec);

void perf_stream_free(struct perf_stream *stream);

#endif
