/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_record.h - one record of a perf.data: whose it is, when and where, and its raw data.
 *
 * Record types and their order of members: include/uapi/linux/perf_event.h (written by the kernel)
 * and tools/lib/perf/include/perf/event.h (from 64 on, written by perf), as of v6.17.
 */
#ifndef TLBTRACE_PERF_RECORD_H
#define TLBTRACE_PERF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/perf_attr.h"

enum perf_sample_bits {
	PERF_SAMPLE_IP = 1 << 0,
	PERF_SAMPLE_TID = 1 << 1,
	PERF_SAMPLE_TIME = 1 << 2,
	PERF_SAMPLE_ADDR = 1 << 3,
	PERF_SAMPLE_READ = 1 << 4,
	PERF_SAMPLE_CALLCHAIN = 1 << 5,
	PERF_SAMPLE_ID = 1 << 6,
	PERF_SAMPLE_CPU = 1 << 7,
	PERF_SAMPLE_PERIOD = 1 << 8,
	PERF_SAMPLE_STREAM_ID = 1 << 9,
	PERF_SAMPLE_RAW = 1 << 10,
	PERF_SAMPLE_IDENTIFIER = 1 << 16,
};

enum perf_read_bits {
	PERF_READ_TIME_ENABLED = 1 << 0,
	PERF_READ_TIME_RUNNING = 1 << 1,
	PERF_READ_ID = 1 << 2,
	PERF_READ_GROUP = 1 << 3,
	PERF_READ_LOST = 1 << 4,
};

enum perf_record_type {
	PERF_FIRST_OF_KERNEL = 1, /* MMAP */
	PERF_MMAP = 1,
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_LOST_SAMPLES = 13,
	PERF_SWITCH_CPU_WIDE = 15,
	PERF_LAST_OF_KERNEL = 22, /* CALLCHAIN_DEFERRED */
	PERF_FIRST_OF_USER = 64,
	PERF_HEADER_ATTR = 64,
	PERF_TRACING_DATA = 66, /* its data follows the record */
	PERF_FINISHED_ROUND = 68,
	PERF_AUXTRACE = 71, /* its data follows the record */
	PERF_EVENT_UPDATE = 78,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83,
	PERF_LAST_OF_USER = 84, /* BPF_METADATA */
};

/* In a call chain: what follows is the kernel's; the least of such marks. */
#define PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define PERF_CONTEXT_MAX ((uint64_t)-4095)

enum perf_misc {
	PERF_MISC_COMM_EXEC = 1 << 13,	/* COMM */
	PERF_MISC_SWITCH_OUT = 1 << 13, /* SWITCH_CPU_WIDE */
	PERF_MISC_SWITCH_OUT_PREEMPT = 1 << 14,
	PERF_MISC_LOST_BY_FILTER = 1 << 15, /* LOST_SAMPLES: a BPF program did not want them */
};

#define PERF_RECORD_HEADER 8

struct perf_record {
	const uint8_t *data; /* the whole record */
	uint32_t size;	     /* >= PERF_RECORD_HEADER */
	uint32_t type;
	uint16_t misc;
	uint64_t offset; /* in its file, or in what its file inflates to */
	bool inflated;
	const uint8_t *payload; /* PERF_TRACING_DATA: what follows it */
	uint64_t payload_size;
};

/* What the members of fixed size and the raw data say. */
struct perf_sample {
	uint64_t time; /* ns; 0 where there is none */
	int32_t pid;   /* -1 unknown */
	int32_t tid;
	uint32_t cpu; /* 0 where there is none */
	bool has_time;
	bool has_cpu;
	uint32_t attr;	    /* index */
	const uint8_t *raw; /* NULL: none */
	uint32_t raw_size;
	const uint8_t *chain; /* .chain_len numbers of 64 bits; NULL: none */
	uint32_t chain_len;
};

/* Fills .type, .misc and .size from the header at data. */
void perf_record_header(struct perf_record *rec, const uint8_t *data, bool big_endian);

/* A sample's members. False: the record is too short for its layout, or nobody's. */
bool perf_parse_sample(const struct perf_attrs *attrs, const struct perf_record *rec,
		       struct perf_sample *sample);

/*
 * The kernel's part of a sample's call chain: return addresses, the innermost first, at most max of
 * them in ips. Returns how many.
 */
uint32_t perf_kernel_chain(const struct perf_sample *sample, bool big_endian, uint64_t *ips,
			   uint32_t max);

/*
 * The trailer of a record of the kernel that is no sample, and of those that perf makes up in its
 * place. False: too short. Without a trailer all is unknown.
 */
bool perf_parse_trailer(const struct perf_attrs *attrs, const struct perf_record *rec,
			struct perf_sample *sample);

/* The size of the data that follows the record: of PERF_AUXTRACE and PERF_TRACING_DATA, else 0. */
uint64_t perf_payload_size(const struct perf_record *rec, bool big_endian);

/* The 32- or 64-bit number at that place of the record; 0 if the record is shorter. */
uint32_t perf_record_u32(const struct perf_record *rec, uint32_t at, bool big_endian);
uint64_t perf_record_u64(const struct perf_record *rec, uint32_t at, bool big_endian);

#endif
