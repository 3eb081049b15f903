/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfpack.c - records as perf.data has them: compressed, of another byte order, or as they are. */
#include "perfbuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#define PIECE 3000 /* bytes that are compressed into one record: not whole records */

/* What compresses on the way: records of the kernel wait in `plain` for the next piece. */
struct packer {
	struct block *to;
	struct block plain;
	uint32_t type;
	ZSTD_CCtx *zstd;
};

static void pack_piece(struct packer *p, const uint8_t *data, size_t size)
{
	uint8_t part[2 * PIECE + 1024];
	ZSTD_inBuffer in = { data, size, 0 };
	ZSTD_outBuffer out = { part, sizeof(part), 0 };
	size_t at = record_begin(p->to, p->type, 0);

	assert_int_equal(ZSTD_compressStream2(p->zstd, &out, &in, ZSTD_e_flush), 0);
	if (p->type == T_COMPRESSED2)
		put_u64(p->to, out.pos);
	put(p->to, part, out.pos);
	while (p->type == T_COMPRESSED2 && (p->to->size - at) % 8)
		put_u8(p->to, 0xa5);
	record_end(p->to, at);
}

/* Compresses whole pieces, at the end (all) what is left too. */
static void pack(struct packer *p, bool all)
{
	size_t done = 0;

	while (p->plain.size - done >= PIECE || (all && p->plain.size > done)) {
		size_t n = p->plain.size - done;

		n = n > PIECE ? PIECE : n;
		pack_piece(p, p->plain.data + done, n);
		done += n;
	}
	memmove(p->plain.data, p->plain.data + done, p->plain.size - done);
	p->plain.size -= done;
}

void perf_put_records(struct block *to, const struct perf_parts *parts, const struct block *records,
		      const struct perf_shape *shape)
{
	struct packer p = { .to = to, .type = shape->compressed, .zstd = ZSTD_createCCtx() };

	for (size_t at = 0; at < records->size; at = rec_next(records, at)) {
		struct block one = { 0 };
		bool packed = shape->compressed && rec_type(records, at) < T_ATTR;

		if (shape->big_endian)
			one = perf_swap_record(parts, records, at);
		else
			put(&one, records->data + at, rec_next(records, at) - at);
		if (p.plain.size && !packed)
			pack(&p, true);
		put(packed ? &p.plain : to, one.data, one.size);
		if (packed)
			pack(&p, false);
		free(one.data);
	}
	if (p.plain.size)
		pack(&p, true);
	free(p.plain.data);
	ZSTD_freeCCtx(p.zstd);
}
