/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfbuild.c - a recorded perf.data taken apart and put together again. */
#include "perfbuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

/* ---- taking apart ---- */

/* One zstd stream, a part of which each compressed record has. */
static void inflate_into(ZSTD_DCtx *zstd, struct block *to, const uint8_t *data, size_t size)
{
	ZSTD_inBuffer in = { data, size, 0 };
	uint8_t part[65536];

	for (;;) {
		ZSTD_outBuffer out = { part, sizeof(part), 0 };

		assert_false(ZSTD_isError(ZSTD_decompressStream(zstd, &out, &in)));
		put(to, part, out.pos);
		if (in.pos == in.size && out.pos < out.size)
			return;
	}
}

static void take_records(struct block *to, const uint8_t *data, size_t size)
{
	const struct block whole = { .data = (uint8_t *)(uintptr_t)data, .size = size };
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	uint16_t n;

	for (size_t at = 0; at < size; at += n) {
		n = rec_size(&whole, at);
		if (rec_type(&whole, at) == T_COMPRESSED)
			inflate_into(zstd, to, data + at + 8, n - 8u);
		else
			put(to, data + at, n);
	}
	ZSTD_freeDCtx(zstd);
}

struct perf_parts perf_take_apart(const struct block *file)
{
	const uint8_t *d = file->data;
	struct perf_parts parts = { .records = { .long_size = 8 } };
	size_t entry = le(d + 16, 8), attrs = le(d + 24, 8), attrs_size = le(d + 32, 8);
	size_t data = le(d + 40, 8), data_size = le(d + 48, 8), table = data + data_size;

	assert_memory_equal(d, "PERFILE2", 8);
	for (size_t at = attrs; at < attrs + attrs_size; at += entry) {
		put(&parts.attrs[parts.n_attrs], d + at, entry - 16);
		put(&parts.ids[parts.n_attrs++], d + le(d + at + entry - 16, 8),
		    le(d + at + entry - 8, 8));
	}
	take_records(&parts.records, d + data, data_size);
	for (unsigned id = 0; id < PERF_FEATURES; id++) {
		if (!(d[72 + id / 8] >> (id % 8) & 1))
			continue;
		put(&parts.features[id], d + le(d + table, 8), le(d + table + 8, 8));
		table += 16;
	}
	return parts;
}

void perf_parts_free(struct perf_parts *parts)
{
	free(parts->records.data);
	for (unsigned i = 0; i < PERF_ATTRS; i++) {
		free(parts->attrs[i].data);
		free(parts->ids[i].data);
	}
	for (unsigned i = 0; i < PERF_FEATURES; i++)
		free(parts->features[i].data);
}

/* ---- putting together ---- */

static void put_ids(struct block *to, const struct block *ids)
{
	for (size_t i = 0; i < ids->size; i += 8)
		put_u64(to, le(ids->data + i, 8));
}

static struct block attr_of(const struct perf_parts *parts, unsigned i,
			    const struct perf_shape *shape)
{
	struct block attr = { 0 };

	if (shape->big_endian)
		return perf_swap_attr(&parts->attrs[i]);
	put(&attr, parts->attrs[i].data, parts->attrs[i].size);
	return attr;
}

static struct block feature_of(const struct perf_parts *parts, unsigned id,
			       const struct perf_shape *shape)
{
	struct block feature = { 0 };

	if (shape->big_endian)
		return perf_swap_feature(id, &parts->features[id]);
	put(&feature, parts->features[id].data, parts->features[id].size);
	return feature;
}

static void put_pipe_description(struct block *to, const struct perf_parts *parts,
				 const struct perf_shape *shape)
{
	struct block part;
	size_t at;

	for (unsigned i = 0; i < parts->n_attrs; i++) {
		part = attr_of(parts, i, shape);
		at = record_begin(to, T_ATTR, 0);
		put(to, part.data, part.size);
		put_ids(to, &parts->ids[i]);
		record_end(to, at);
		free(part.data);
	}
	for (unsigned id = 2; id < PERF_FEATURES; id++) {
		part = feature_of(parts, id, shape);
		/* As perf: only what fits into a record, and what a pipe can know. */
		if (part.size && part.size < 60000 && id != 12) {
			at = record_begin(to, T_FEATURE, 0);
			put_u64(to, id);
			put(to, part.data, part.size);
			record_end(to, at);
		}
		free(part.data);
	}
	part = feature_of(parts, 1, shape);
	at = record_begin(to, T_TRACING_DATA, 0);
	put_u32(to, (uint32_t)(part.size + 7) & ~7u);
	put_u32(to, 0);
	record_end(to, at);
	put(to, part.data, part.size);
	while (part.size++ % 8)
		put_u8(to, 0);
	free(part.data);
}

static void put_attrs(struct block *to, const struct perf_parts *parts,
		      const struct perf_shape *shape, const uint64_t ids_at[])
{
	for (unsigned i = 0; i < parts->n_attrs; i++) {
		struct block attr = attr_of(parts, i, shape);

		put(to, attr.data, attr.size);
		put_u64(to, ids_at[i]);
		put_u64(to, parts->ids[i].size);
		free(attr.data);
	}
}

/* Behind the records: a table, then what it points to. */
static void put_features(struct block *to, const struct perf_parts *parts,
			 const struct perf_shape *shape)
{
	size_t table = to->size;

	for (unsigned id = 0; id < PERF_FEATURES; id++)
		if (parts->features[id].size)
			pad_to(to, to->size + 16);
	for (unsigned id = 0; id < PERF_FEATURES; id++) {
		struct block feature;

		if (!parts->features[id].size)
			continue;
		feature = feature_of(parts, id, shape);
		patch_u64(to, table, to->size);
		patch_u64(to, table + 8, feature.size);
		table += 16;
		put(to, feature.data, feature.size);
		free(feature.data);
	}
}

static void put_bits(struct block *to, const struct perf_parts *parts,
		     const struct perf_shape *shape)
{
	uint64_t bits = 0;

	for (unsigned id = 0; id < PERF_FEATURES; id++)
		bits |= parts->features[id].size ? UINT64_C(1) << id : 0;
	if (shape->long32) {
		put_u32(to, (uint32_t)bits);
		put_u32(to, (uint32_t)(bits >> 32));
	} else {
		put_u64(to, bits);
	}
	for (int i = 1; i < 4; i++)
		put_u64(to, 0);
}

static void put_file(struct block *to, const struct perf_parts *parts,
		     const struct perf_shape *shape)
{
	uint64_t ids_at[PERF_ATTRS];
	size_t attrs_at, data_at;

	pad_to(to, 72); /* filled in below */
	put_bits(to, parts, shape);
	for (unsigned i = 0; i < parts->n_attrs; i++) {
		ids_at[i] = to->size;
		put_ids(to, &parts->ids[i]);
	}
	attrs_at = to->size;
	put_attrs(to, parts, shape, ids_at);
	data_at = to->size;
	perf_put_records(to, parts, &parts->records, shape);
	patch_u64(to, 8, 104);
	patch_u64(to, 16, parts->attrs[0].size + 16);
	patch_u64(to, 24, attrs_at);
	patch_u64(to, 32, data_at - attrs_at);
	patch_u64(to, 40, data_at);
	patch_u64(to, 48, to->size - data_at);
	put_features(to, parts, shape);
}

struct block perf_put_together(const struct perf_parts *parts, const struct perf_shape *shape)
{
	struct block to = { .long_size = 8, .big_endian = shape->big_endian };

	if (shape->pipe) {
		put(&to, shape->big_endian ? "2ELIFREP" : "PERFILE2", 8);
		put_u64(&to, 16);
		put_pipe_description(&to, parts, shape);
		perf_put_records(&to, parts, &parts->records, shape);
	} else {
		put_file(&to, parts, shape);
		memcpy(to.data, shape->big_endian ? "2ELIFREP" : "PERFILE2", 8);
	}
	return to;
}

static bool is_of_cpu(const struct block *records, size_t at, int cpu)
{
	bool ring = rec_type(records, at) < T_ATTR && rec_time(records, at);

	return cpu < 0 ? !ring : ring && rec_cpu(records, at) == (uint32_t)cpu;
}

struct block perf_records_of(const struct perf_parts *parts, int cpu, uint32_t compressed)
{
	struct perf_shape shape = { .compressed = compressed };
	struct block mine = { 0 }, to = { .long_size = 8 };

	for (size_t at = 0; at < parts->records.size; at += rec_size(&parts->records, at))
		if (is_of_cpu(&parts->records, at, cpu))
			put(&mine, parts->records.data + at, rec_size(&parts->records, at));
	perf_put_records(&to, parts, &mine, &shape);
	free(mine.data);
	return to;
}
