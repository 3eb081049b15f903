/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inflate.c - compressed blocks of trace files: zstd frames and zlib streams. */
#include "analyze/inflate.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

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

static int64_t inflate_zstd(const uint8_t *in, uint64_t in_len, uint8_t *out, uint64_t out_len)
{
	size_t n = ZSTD_decompress(out, out_len, in, in_len);

	return ZSTD_isError(n) ? -1 : (int64_t)n;
}

static int64_t inflate_zlib(const uint8_t *in, uint64_t in_len, uint8_t *out, uint64_t out_len)
{
	uLongf n = out_len;

	if (uncompress(out, &n, in, in_len) != Z_OK)
		return -1;
	return (int64_t)n;
}

int64_t inflate_block(enum compression kind, const uint8_t *in, uint64_t in_len, uint8_t *out,
		      uint64_t out_len)
{
	if (kind == COMPRESSION_ZSTD)
		return inflate_zstd(in, in_len, out, out_len);
	if (kind == COMPRESSION_ZLIB)
		return inflate_zlib(in, in_len, out, out_len);
	return -1;
}
