/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_decode.h - the kernel's record of a trace event, turned into a struct event.
 *
 * Cheap on purpose: no allocation, no formatting; one look-up by id, one check of the length.
 */
#ifndef TLBTRACE_EVENT_DECODE_H
#define TLBTRACE_EVENT_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"
#include "analyze/event_format.h"
#include "analyze/repeat.h"

/*
 * Finds the function that contains the address: returns true with its name, terminated, in
 * name[0, size). Called from any CPU's thread, seldom.
 */
struct symbol_finder {
	bool (*find)(void *context, uint64_t address, char *name, uint64_t size);
	void *context;
};

/* What decoding needs for one CPU's stream; used by one thread at a time. */
struct event_decoder {
	const struct event_formats *formats; /* complete: no format is added any more */
	struct symbol_finder symbols;	     /* .find may be NULL */
	uint64_t *counts;		     /* records by index of formats->list */
	uint8_t *probe_fn; /* by the same index: enum request_fn found by address; 255 not yet */
	uint64_t records;
	uint64_t unknown;	 /* records without a format, or too short for it */
	uint64_t unknown_offset; /* .offset of the first */
};

/* Returns -1 if there is no memory. */
int event_decoder_init(struct event_decoder *decoder, const struct event_formats *formats,
		       struct symbol_finder symbols);

void event_decoder_free(struct event_decoder *decoder);

/*
 * Counts the record data[0, len) and, if its event is one of enum event_kind, fills *ev but for
 * .time_ns, .cpu and .tgid. offset is where the record is, for messages; ev->marker points into data.
 * Returns whether *ev was filled.
 */
bool event_decode(struct event_decoder *decoder, const uint8_t *data, uint32_t len, uint64_t offset,
		  struct event *ev);

/*
 * Whether the record may be followed by others that differ from it only in rb: then makes *repeat
 * expect the next one, whose rb is step further. max and until are the caller's.
 */
bool event_decode_repeat(const struct event_decoder *decoder, const uint8_t *data, uint32_t len,
			 uint64_t step, struct repeat *repeat);

/*
 * The addresses of a record of ftrace:kernel_stack, the innermost first, at most max of them in ips.
 * Returns how many; 0 for any other record.
 */
uint32_t event_decode_stack(const struct event_formats *formats, const uint8_t *data, uint32_t len,
			    uint64_t *ips, uint32_t max);

/* Counts n more records like data. */
void event_decode_count(struct event_decoder *decoder, const uint8_t *data, uint64_t n);

#endif
