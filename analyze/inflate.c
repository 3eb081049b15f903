/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inflate.c - compressed blocks of trace files: zstd frames and zlib streams. */
#include "analyze/inflate.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define IDLE_MAX 16u

struct inflaters {
	pthread_mutex_t lock;
	ZSTD_DCtx *idle[IDLE_MAX]; /* [n] */
	unsigned n;
};

struct inflaters *inflaters_new(void)
{
	struct inflaters *inflaters = calloc(1, sizeof(*inflaters));

	if (inflaters)
		pthread_mutex_init(&inflaters->lock, NULL);
	return inflaters;
}

void inflaters_free(struct inflaters *inflaters)
{
	if (!inflaters)
		return;
	while (inflaters->n)
		ZSTD_freeDCtx(inflaters->idle[--inflaters->n]);
	pthread_mutex_destroy(&inflaters->lock);
	free(inflaters);
}

static ZSTD_DCtx *borrow(struct inflaters *inflaters)
{
	ZSTD_DCtx *zstd = NULL;

	pthread_mutex_lock(&inflaters->lock);
	if (inflaters->n)
		zstd = inflaters->idle[--inflaters->n];
	pthread_mutex_unlock(&inflaters->lock);
	return zstd ? zstd : ZSTD_createDCtx();
}

static void give_back(struct inflaters *inflaters, ZSTD_DCtx *zstd)
{
	pthread_mutex_lock(&inflaters->lock);
	if (inflaters->n < IDLE_MAX) {
		inflaters->idle[inflaters->n++] = zstd;
		zstd = NULL;
	}
	pthread_mutex_unlock(&inflaters->lock);
	ZSTD_freeDCtx(zstd);
}

enum compression compression_by_name(const char *name)
{
	if (!strcmp(name, "none"))
		return COMPRESSION_NONE;
	if (!strcmp(name, "zstd"))
		return COMPRESSION_ZSTD;
	if (!strcmp(name, "zlib"))
		return COMPRESSION_ZLIB;
	return COMPRESSION_UNKNOWN;
}

static int64_t inflate_zstd(struct inflaters *inflaters, const uint8_t *in, uint64_t in_len,
			    uint8_t *out, uint64_t out_len)
{
	ZSTD_DCtx *zstd = borrow(inflaters);
	size_t n;

	if (!zstd)
		return -1;
	n = ZSTD_decompressDCtx(zstd, out, out_len, in, in_len);
	give_back(inflaters, zstd);
	return ZSTD_isError(n) ? -1 : (int64_t)n;
}

static int64_t inflate_zlib(const uint8_t *in, uint64_t in_len, uint8_t *out, uint64_t out_len)
{
	uLongf n = out_len;

	if (uncompress(out, &n, in, in_len) != Z_OK)
		return -1;
	return (int64_t)n;
}

int64_t inflate_block(struct inflaters *inflaters, enum compression kind, const uint8_t *in,
		      uint64_t in_len, uint8_t *out, uint64_t out_len)
{
	if (kind == COMPRESSION_ZSTD)
		return inflate_zstd(inflaters, in, in_len, out, out_len);
	if (kind == COMPRESSION_ZLIB)
		return inflate_zlib(in, in_len, out, out_len);
	return -1;
}
