/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ringpage.h - the records of one page of the kernel's ring buffer.
 *
 * Layout as struct buffer_data_page and struct ring_buffer_event of the kernel
 * (kernel/trace/ring_buffer.c, v3.8 to v6.17): a time stamp, a commit word of the kernel's long
 * size, then events with a 32-bit header (5 bits type or length, 27 bits time delta).
 */
#ifndef TLBTRACE_RINGPAGE_H
#define TLBTRACE_RINGPAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/bytes.h"
#include "analyze/repeat.h"

/* From the header_page text; all in bytes. */
struct ringpage_format {
	uint32_t time_at;     /* u64 time stamp */
	uint32_t commit_at;   /* commit word */
	uint32_t commit_size; /* 4 or 8: the kernel's long */
	uint32_t data_at;     /* first event */
	uint32_t page_size;   /* whole page, 0 where the text does not tell */
	bool big_endian;
};

/* The format of a kernel whose long has long_size bytes, for files without header_page. */
struct ringpage_format ringpage_default_format(uint32_t long_size, bool big_endian);

/* Reads tracefs's events/header_page. Returns -1 and leaves *fmt alone if it makes no sense. */
int ringpage_parse_format(struct ringpage_format *fmt, const char *text, uint64_t len);

struct ringpage {
	struct ringpage_format format;
	const uint8_t *page;
	uint32_t at;   /* next event header */
	uint32_t end;  /* end of the committed data */
	uint64_t time; /* of the event before .at; the page's own at first */
	bool cut;      /* commit says more than the page has: events are missing at its end */
	bool lost;     /* events are missing before this page */
	uint64_t lost_events; /* how many; 0: the kernel did not say */
};

struct ringrec {
	uint64_t time; /* raw stamp of the trace clock */
	uint32_t at;   /* offset of the data in its page */
	uint32_t len;  /* multiple of 4: the event and its padding */
	const uint8_t *data;
};

/*
 * Starts on a page of which size bytes are there (fewer than the format's page size where the file
 * ends). Returns -1 if not even the header is there.
 */
int ringpage_start(struct ringpage *page, const struct ringpage_format *format, const uint8_t *data,
		   uint32_t size);

/*
 * The next event's record. Returns 1 with *rec filled, 0 at the end of the page, -1 at a record that
 * cannot be right (page->at is its offset): the rest of the page cannot be read.
 */
int ringpage_next(struct ringpage *page, struct ringrec *rec);

/*
 * Passes over the records behind *rec that are the next ones of its loop, as long as nothing else
 * stands between them on this page. Returns how many; *rec is then the last of them.
 */
uint64_t ringpage_repeat(struct ringpage *page, struct ringrec *rec, struct repeat *repeat);

#endif
