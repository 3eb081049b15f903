/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inflate.h - compressed blocks of trace files: zstd frames and zlib streams.
 */
#ifndef TLBTRACE_INFLATE_H
#define TLBTRACE_INFLATE_H

#include <stdint.h>

enum compression {
	COMPRESSION_NONE,
	COMPRESSION_ZSTD,
	COMPRESSION_ZLIB,
	COMPRESSION_UNKNOWN, /* another algorithm: its blocks cannot be read */
};

/* By the name that trace-cmd writes into its header: "none", "zstd", "zlib". */
enum compression compression_by_name(const char *name);

/*
 * What inflating needs beside its input, made once for each thread that does it: to make it anew
 * takes longer than many a block. Any number of threads can share one. NULL where memory is short.
 */
struct inflaters;
struct inflaters *inflaters_new(void);
void inflaters_free(struct inflaters *inflaters);

/*
 * Inflates one block of in_len bytes into out, which has room for out_len bytes. Returns the number
 * of bytes written, or -1 if the block is damaged or would not fit, or memory is short.
 */
int64_t inflate_block(struct inflaters *inflaters, enum compression kind, const uint8_t *in,
		      uint64_t in_len, uint8_t *out, uint64_t out_len);

#endif
