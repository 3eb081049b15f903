/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfbuild.h - a recorded perf.data taken apart and put together again in every container that perf
 * writes, so that one recording can be read from all of them.
 *
 * Takes what `perf record -a -z` of version 6.1 writes for trace events on a little-endian machine:
 * samples of IDENTIFIER, IP, TID, TIME, CPU, PERIOD, RAW.
 */
#ifndef TLBTRACE_TESTS_PERFBUILD_H
#define TLBTRACE_TESTS_PERFBUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracebuild.h"

#define PERF_ATTRS 64
#define PERF_FEATURES 32

enum perf_types {
	T_LOST = 2,
	T_COMM = 3,
	T_EXIT = 4,
	T_FORK = 7,
	T_SAMPLE = 9,
	T_LOST_SAMPLES = 13,
	T_SWITCH_CPU_WIDE = 15,
	T_ATTR = 64,
	T_TRACING_DATA = 66,
	T_ROUND = 68,
	T_AUXTRACE = 71,
	T_FEATURE = 80,
	T_COMPRESSED = 81,
	T_COMPRESSED2 = 83,
};

/* Places in the records of the recordings taken, from the record's begin and, in other records than
 * samples, from its end. */
enum perf_places {
	AT_ID = 8,
	AT_IP = 16,
	AT_TID = 24,
	AT_TIME = 32,
	AT_CPU = 40,
	AT_PERIOD = 48,
	AT_RAW = 56,
	END_TID = 32,
	END_TIME = 24,
	END_CPU = 16,
	END_ID = 8,
};

struct perf_parts {
	struct block records;		/* not compressed */
	struct block attrs[PERF_ATTRS]; /* struct perf_event_attr */
	struct block ids[PERF_ATTRS];
	unsigned n_attrs;
	struct block features[PERF_FEATURES]; /* [1]: the formats */
};

/* How to put it together. */
struct perf_shape {
	bool pipe;
	uint32_t compressed; /* 0, T_COMPRESSED or T_COMPRESSED2 */
	bool big_endian;
	bool long32; /* big-endian: the feature bits as a 32-bit machine writes them */
};

struct perf_parts perf_take_apart(const struct block *file);
struct block perf_put_together(const struct perf_parts *parts, const struct perf_shape *shape);
void perf_parts_free(struct perf_parts *parts);

/* Only the records, of one CPU or (cpu < 0) those that no CPU wrote, for a directory's files. */
struct block perf_records_of(const struct perf_parts *parts, int cpu, uint32_t compressed);

/* What the record at `at` says (perfrecords.c). */
uint32_t rec_type(const struct block *records, size_t at);
uint16_t rec_size(const struct block *records, size_t at);
size_t rec_next(const struct block *records, size_t at);   /* behind it and its AUX data */
uint64_t rec_time(const struct block *records, size_t at); /* 0: none */
uint32_t rec_cpu(const struct block *records, size_t at);
uint64_t le(const uint8_t *at, unsigned size);

/* A record's header at the block's end; the size is set by record_end(). */
size_t record_begin(struct block *block, uint32_t type, uint16_t misc);
void record_end(struct block *block, size_t at);
void put_record(struct block *to, uint32_t type, size_t body); /* of zeros */

/* Appends the records in that shape (perfpack.c). */
void perf_put_records(struct block *to, const struct perf_parts *parts, const struct block *records,
		      const struct perf_shape *shape);

/* Changes in place (perfchange.c). */
void perf_tail_synthesize(struct perf_parts *parts);
void perf_drop_rounds(struct perf_parts *parts);
void perf_reverse(struct perf_parts *parts); /* each round backwards, as --overwrite writes it */
void perf_widen(struct perf_parts *parts, uint64_t type, uint64_t read_format);
void perf_switches_instead(struct perf_parts *parts); /* of sched_switch samples */

/* Swaps everything to big-endian (perfswap.c). */
struct block perf_swap_record(const struct perf_parts *parts, const struct block *records,
			      size_t at);
struct block perf_swap_attr(const struct block *attr);
struct block perf_swap_feature(unsigned id, const struct block *feature);

#endif
