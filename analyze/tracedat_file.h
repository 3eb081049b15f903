/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_file.h - where everything is in a trace.dat: header, sections, options, buffers.
 *
 * Formats: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). Versions differ in where a thing is
 * (tracedat_v6.c, tracedat_v7.c); what an option says is common (tracedat_options.c). Every offset
 * and size in the file is checked against the file before it is used.
 */
#ifndef TLBTRACE_TRACEDAT_FILE_H
#define TLBTRACE_TRACEDAT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/bytes.h"
#include "analyze/damage.h"
#include "analyze/error.h"
#include "analyze/inflate.h"
#include "analyze/ringpage.h"

#define TRACEDAT_MAX_CPUS 8192 /* the kernel's largest NR_CPUS */
#define TRACEDAT_MAX_BUFFERS 1024

/* The data of one CPU in one buffer. */
struct tracedat_cpu {
	uint32_t cpu;
	uint64_t offset; /* in the file */
	uint64_t size;	 /* bytes there: pages, or compressed chunks */
};

/* One ring buffer: the top one (name "") or a tracing instance. */
struct tracedat_buffer {
	char name[64];
	char clock[32];	    /* "" where the file does not say */
	uint32_t page_size; /* of the ring buffer */
	bool compressed;
	uint64_t offset; /* of its section (v7), of its table (v6) */
	struct tracedat_cpu *cpus;
	uint32_t n_cpus;
};

/* CPUSTAT: what the kernel's per_cpu/cpu<n>/stats said when recording ended. */
struct tracedat_stat {
	char buffer[64];
	uint32_t cpu;
	uint64_t lost;	   /* overrun + commit overrun + dropped events */
	uint64_t recorded; /* at least: the larger of entries and read events */
};

/*
 * How raw time stamps become nanoseconds: (raw * mult >> shift) + add. TSC2NSEC also has a start
 * time, which trace-cmd 3.1 does not subtract: times here are those of trace-cmd report.
 */
struct tracedat_time {
	uint32_t mult; /* 0: no conversion */
	uint32_t shift;
	uint64_t add; /* modulo 2^64 */
};

static inline uint64_t tracedat_to_ns(const struct tracedat_time *time, uint64_t raw)
{
	if (time->mult)
		raw = (uint64_t)((unsigned __int128)raw * time->mult >> time->shift);
	return raw + time->add;
}

/* The content of a section, in the file itself or inflated. */
struct tracedat_block {
	const uint8_t *data;
	uint64_t size;
	uint64_t origin; /* of the section in the file */
	uint8_t *owned;	 /* to free, NULL where data is the file's */
};

struct tracedat_file {
	const char *name; /* for messages */
	struct bytes whole;
	bool mapped; /* .whole is a mapping of fd: what was read can be dropped from memory */
	int fd;
	int version;	    /* 6 or 7 */
	uint32_t long_size; /* of the traced user space */
	uint32_t page_size; /* of the traced kernel */
	enum compression compression;
	struct inflaters *inflaters;
	char compression_name[32];
	struct ringpage_format page_format;

	/* Contents: n formats of ftrace's own events, formats by system, "pid comm" lines, …;
	 * size 0 where the file has none. */
	struct tracedat_block ftrace_formats;
	struct tracedat_block event_formats;
	struct tracedat_block cmdlines;
	struct tracedat_block kallsyms; /* v6 only: tracedat_kallsyms() finds it in both */
	struct tracedat_block tgids;
	uint64_t kallsyms_at; /* v7: section; 0 none */

	char uname[256];
	char clock[32]; /* TRACECLOCK */
	char version_text[96];
	uint32_t n_cpus; /* CPUCOUNT, 0 where the file does not say */
	struct tracedat_time time;
	struct tracedat_stat *stats;
	uint32_t n_stats;
	char stat_buffer[64]; /* the buffer that the next CPUSTAT belongs to */
	struct tracedat_buffer *buffers;
	uint32_t n_buffers;
	struct damage damage;
};

/* Whether these are the first bytes of a trace.dat. */
bool tracedat_matches(const uint8_t *head, uint64_t len);

/*
 * Finds everything in data[0, size). Returns 0, or -1 with *err filled where there is no buffer
 * that could be read; what is damaged beside that is in file->damage. Blocks point into data.
 */
int tracedat_parse(struct tracedat_file *file, const char *name, const uint8_t *data, uint64_t size,
		   struct error *err);

/* The kallsyms text, inflated if it must be: large. The caller frees it by tracedat_block_free(). */
struct tracedat_block tracedat_kallsyms(const struct tracedat_file *file);

/* Calls each() with every event format's text, which need not be terminated. */
void tracedat_each_format(struct tracedat_file *file, void *context,
			  void (*each)(void *context, const char *system, const char *text,
				       uint64_t len));

void tracedat_block_free(struct tracedat_block *block);
void tracedat_file_free(struct tracedat_file *file);

/* What follows is for tracedat_*.c only. */

/* Ends CPUs' data that reaches into another's there, and notes it. Returns -1 without memory. */
int tracedat_part_data(struct tracedat_file *file);

int tracedat_parse_v6(struct tracedat_file *file, struct bytes *b, struct error *err);
int tracedat_parse_v7(struct tracedat_file *file, struct bytes *b, struct error *err);

/* The options that both versions have; others are skipped. data is the option's content. */
void tracedat_option(struct tracedat_file *file, uint32_t id, struct bytes data);

/* A new buffer, NULL if there is no memory or there are too many. */
struct tracedat_buffer *tracedat_add_buffer(struct tracedat_file *file);

/* The header_page and header_event texts at b. */
void tracedat_header_info(struct tracedat_file *file, struct bytes *b);

/* The word in brackets of "local [global] counter" or the first word; "" if there is none. */
void tracedat_clock_name(char *to, size_t size, const void *text, uint64_t len);

enum {
	TRACEDAT_OPTION_DONE = 0,
	TRACEDAT_OPTION_DATE = 1,
	TRACEDAT_OPTION_CPUSTAT = 2,
	TRACEDAT_OPTION_BUFFER = 3,
	TRACEDAT_OPTION_TRACECLOCK = 4,
	TRACEDAT_OPTION_UNAME = 5,
	TRACEDAT_OPTION_OFFSET = 7,
	TRACEDAT_OPTION_CPUCOUNT = 8,
	TRACEDAT_OPTION_VERSION = 9,
	TRACEDAT_OPTION_TSC2NSEC = 14,
	TRACEDAT_OPTION_HEADER_INFO = 16,
	TRACEDAT_OPTION_FTRACE_EVENTS = 17,
	TRACEDAT_OPTION_EVENT_FORMATS = 18,
	TRACEDAT_OPTION_KALLSYMS = 19,
	TRACEDAT_OPTION_CMDLINES = 21,
	TRACEDAT_OPTION_BUFFER_TEXT = 22,
};

#endif
