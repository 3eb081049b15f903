/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_file.h - what a perf.data says about itself: attributes, features, event formats.
 *
 * A seekable perf.data has them in a header and in sections behind its records; what was written
 * into a pipe has the same content in records before the samples. Layout: perf's
 * tools/perf/Documentation/perf.data-file-format.txt and util/header.c, as of v6.17.
 */
#ifndef TLBTRACE_PERF_FILE_H
#define TLBTRACE_PERF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/bytes.h"
#include "analyze/damage.h"
#include "analyze/error.h"
#include "analyze/event_format.h"
#include "analyze/perf_attr.h"
#include "analyze/perf_record.h"
#include "analyze/tidtable.h"

#define PERF_PIPE_HEADER 16

struct perf_file {
	const char *name; /* for messages */
	bool big_endian;
	bool is_pipe; /* the attributes and all that are records */
	uint64_t data_at;
	uint64_t data_end; /* inside the file */
	struct perf_attrs attrs;
	char kernel[128];
	char arch[32];
	char version[64];    /* of perf */
	uint32_t cpus;	     /* of the machine; 0 unknown */
	uint32_t ring_bytes; /* of each buffer that was compressed; 0 unknown */
	uint32_t page_size;
	struct bytes tracing;	      /* as the kernel's formats were saved; size 0: none */
	uint8_t *owned;		      /* the same, where it came through a pipe */
	struct event_formats formats; /* after perf_file_finish() */
	struct tid_table comms;	      /* saved_cmdlines */
	struct damage damage;
};

/* Whether these are the first bytes of a perf.data; *big_endian says which. */
bool perf_file_matches(const uint8_t *head, uint64_t len, bool *big_endian);

/* Whether the file with this head was written into a pipe: a header of 16 bytes, then records. */
bool perf_file_is_pipe(const uint8_t *head, uint64_t len);

/* The header and all sections of a seekable perf.data. -1 with *err if nothing could be read. */
int perf_file_parse(struct perf_file *file, const uint8_t *data, uint64_t size, struct error *err);

/*
 * A record of perf itself that describes the trace (PERF_HEADER_ATTR, _FEATURE, PERF_TRACING_DATA,
 * PERF_EVENT_UPDATE); any other is none of its business. -1: no memory. The payload of a
 * PERF_TRACING_DATA is copied.
 */
int perf_file_describe(struct perf_file *file, const struct perf_record *rec);

/* Once all of that is known: formats and layouts. -1 with *err if records cannot be told apart. */
int perf_file_finish(struct perf_file *file, struct error *err);

void perf_file_free(struct perf_file *file);

#endif
