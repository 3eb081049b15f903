/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_data.c - workloads as a perf.data, as `perf record -a` or `perf record -a -z` writes it. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "out.h"

#define HEADER_BYTES 104
#define ATTR_BYTES 128		  /* PERF_ATTR_SIZE_VER7: what perf 6.1 knows */
#define ROUND_NS UINT64_C(400000) /* about what perf's buffers of 512 KB hold at this rate */
#define PIECE_BYTES 32768	  /* of samples that are compressed into one record */

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_COMPRESSED = 27,
	RECORD_SAMPLE = 9,
	RECORD_FINISHED_ROUND = 68,
	RECORD_COMPRESSED = 81,
};

struct sample {
	uint32_t type;
	uint16_t misc, size;
	uint64_t id, ip;
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t period;
	uint32_t raw_size;
	uint8_t raw[RECORD_MAX + 12];
};

struct samples {
	struct out *out;
	const struct workload *w;
	ZSTD_CCtx *zstd; /* NULL: not compressed */
	uint8_t *piece;
	size_t pending;
	uint8_t *packed;
};

static uint64_t id_of(uint32_t event, uint32_t cpu)
{
	return event * UINT64_C(10000) + cpu + 1;
}

static void put_head(struct out *out, uint32_t type, uint16_t size)
{
	out_u32(out, type);
	out_u16(out, 0);
	out_u16(out, size);
}

static void flush_piece(struct samples *s)
{
	ZSTD_inBuffer in = { s->piece, s->pending, 0 };
	ZSTD_outBuffer packed = { s->packed, UINT16_MAX - 8, 0 };

	if (!s->pending)
		return;
	if (ZSTD_compressStream2(s->zstd, &packed, &in, ZSTD_e_flush))
		out_fail(s->out->path, "cannot compress");
	put_head(s->out, RECORD_COMPRESSED, (uint16_t)(packed.pos + 8));
	out_put(s->out, s->packed, packed.pos);
	s->pending = 0;
}

static void add_sample(void *arg, uint64_t time_ns, const void *data, unsigned size)
{
	struct samples *s = arg;
	unsigned raw = (size + 4 + 7) / 8 * 8 - 4;
	struct sample rec = { .type = RECORD_SAMPLE, .time_ns = time_ns, .cpu = s->w->cpu };
	uint16_t event;
	int32_t tid;

	memcpy(&event, data, sizeof(event));
	memcpy(&tid, (const uint8_t *)data + 4, sizeof(tid));
	rec.id = id_of(event, s->w->cpu);
	rec.pid = tid < 2000 ? 100 : tid; /* the threads of shm */
	rec.tid = tid;
	rec.period = 1;
	rec.raw_size = raw;
	memcpy(rec.raw, data, size);
	rec.size = (uint16_t)(offsetof(struct sample, raw) + raw);
	if (!s->zstd) {
		out_put(s->out, &rec, rec.size);
		return;
	}
	if (s->pending + rec.size > PIECE_BYTES)
		flush_piece(s);
	memcpy(s->piece + s->pending, &rec, rec.size);
	s->pending += rec.size;
}

/* perf reads the buffers of all CPUs again and again: rounds. */
static void write_records(struct samples *s, struct workload *cpus, uint32_t n)
{
	uint64_t end_ns = 0;
	bool more = true;

	for (uint32_t i = 0; i < n; i++) {
		cpus[i].emit = add_sample;
		cpus[i].arg = s;
		end_ns = cpus[i].time_ns;
	}
	while (more) {
		more = false;
		end_ns += ROUND_NS;
		for (uint32_t i = 0; i < n; i++) {
			s->w = &cpus[i];
			while (cpus[i].time_ns < end_ns && workload_step(&cpus[i]))
				more = true;
		}
		if (s->zstd)
			flush_piece(s);
		put_head(s->out, RECORD_FINISHED_ROUND, 8);
	}
}

static uint32_t id_in(const char *format)
{
	return (uint32_t)strtoul(strstr(format, "ID: ") + 4, NULL, 10);
}

static void put_attr(struct out *out, const char *format)
{
	uint64_t start = out->at;

	out_u32(out, 2); /* tracepoint */
	out_u32(out, ATTR_BYTES);
	out_u64(out, id_in(format));
	out_u64(out, 1); /* period */
	/* IP, TID, TIME, CPU, PERIOD, RAW, IDENTIFIER */
	out_u64(out, 1 | 2 | 4 | 128 | 256 | 1024 | 65536);
	out_u64(out, 4);	   /* ids are read */
	out_u64(out, 1 | 1 << 18); /* disabled, sample_id_all */
	while (out->at - start < ATTR_BYTES)
		out_u32(out, 0);
}

static void put_tracing(struct out *out)
{
	out_put(out, "\x17\x08\x44tracing", 10);
	out_text(out, "0.6");
	out_put(out, "\0\x08", 2);
	out_u32(out, PAGE_BYTES);
	out_header_texts(out);
	out_u32(out, 0);
	out_systems(out);
	out_u32(out, 0);
	out_u32(out, 0);
	out_sized(out, "");
}

static void put_string(struct out *out, const char *text)
{
	static const char zeros[64];
	size_t len = strlen(text) + 1, room = (len + 63) / 64 * 64;

	out_u32(out, (uint32_t)room);
	out_put(out, text, len);
	out_put(out, zeros, room - len);
}

static void put_feature(struct out *out, unsigned id, uint32_t cpus)
{
	switch (id) {
	case FEATURE_TRACING_DATA:
		put_tracing(out);
		break;
	case FEATURE_HOSTNAME:
		put_string(out, "bench");
		break;
	case FEATURE_OSRELEASE:
		put_string(out, "6.1.0-50-powerpc64le");
		break;
	case FEATURE_VERSION:
		put_string(out, "6.1.187");
		break;
	case FEATURE_ARCH:
		put_string(out, "ppc64le");
		break;
	case FEATURE_NRCPUS:
		out_u32(out, cpus);
		out_u32(out, cpus);
		break;
	case FEATURE_COMPRESSED: /* version, zstd, level, ratio, size of a ring */
		out_u32(out, 1);
		out_u32(out, 1);
		out_u32(out, 1);
		out_u32(out, 8);
		out_u32(out, 528384);
		break;
	default:
		break;
	}
}

static uint64_t features_of(int packed)
{
	uint64_t bits = 1u << FEATURE_TRACING_DATA | 1u << FEATURE_HOSTNAME |
			1u << FEATURE_OSRELEASE | 1u << FEATURE_VERSION | 1u << FEATURE_ARCH |
			1u << FEATURE_NRCPUS;

	return packed ? bits | 1u << FEATURE_COMPRESSED : bits;
}

static void put_features(struct out *out, uint64_t bits, uint32_t cpus)
{
	uint64_t table = out->at;

	for (int i = 0; i < __builtin_popcountll(bits); i++) {
		out_u64(out, 0);
		out_u64(out, 0);
	}
	for (unsigned id = 0; id < 64; id++) {
		uint64_t start = out->at;

		if (!(bits >> id & 1))
			continue;
		put_feature(out, id, cpus);
		out_patch_u64(out, table, start);
		out_patch_u64(out, table + 8, out->at - start);
		table += 16;
	}
}

static uint32_t count_formats(void)
{
	uint32_t n = 0;

	while (workload_formats()[n].system)
		n++;
	return n;
}

/* The header up to the records; returns where the attributes begin. */
static void put_file_head(struct out *out, uint64_t bits, uint32_t cpus)
{
	uint64_t formats = count_formats(), entry = ATTR_BYTES + 16, ids = HEADER_BYTES;

	out_put(out, "PERFILE2", 8);
	out_u64(out, HEADER_BYTES);
	out_u64(out, entry);
	out_u64(out, HEADER_BYTES + formats * cpus * 8);
	out_u64(out, formats * entry);
	out_u64(out, HEADER_BYTES + formats * (UINT64_C(8) * cpus + entry));
	out_u64(out, 0); /* bytes of records: patched */
	out_u64(out, 0);
	out_u64(out, 0);
	out_u64(out, bits);
	for (int i = 1; i < 4; i++)
		out_u64(out, 0);
	for (uint64_t i = 0; i < formats; i++)
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			out_u64(out, id_of(id_in(workload_formats()[i].text), cpu));
	for (uint64_t i = 0; i < formats; i++) {
		put_attr(out, workload_formats()[i].text);
		out_u64(out, ids + i * cpus * 8);
		out_u64(out, cpus * UINT64_C(8));
	}
}

void write_perf_data(struct out *out, struct workload *cpus, uint32_t n, int packed)
{
	struct samples s = { .out = out, .piece = malloc(PIECE_BYTES), .packed = malloc(UINT16_MAX) };
	uint64_t bits = features_of(packed), start;

	if (packed)
		s.zstd = ZSTD_createCCtx();
	if (!s.piece || !s.packed || (packed && !s.zstd))
		out_fail(out->path, "out of memory");
	put_file_head(out, bits, n);
	start = out->at;
	write_records(&s, cpus, n);
	out_patch_u64(out, 48, out->at - start);
	put_features(out, bits, n);
	ZSTD_freeCCtx(s.zstd);
	free(s.piece);
	free(s.packed);
}
