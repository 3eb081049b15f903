/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ringpage.c - the records of one page of the kernel's ring buffer. */
#include "analyze/ringpage.h"

#include <stdlib.h>
#include <string.h>

#define DELTA_BITS 27
#define DELTA_MASK ((1U << DELTA_BITS) - 1)
#define COMMIT_SIZE_MASK ((1U << 27) - 1)
#define COMMIT_MISSED (1U << 31)	/* RB_MISSED_EVENTS */
#define COMMIT_MISSED_STORED (1U << 30) /* RB_MISSED_STORED */
#define TIME_STAMP_BITS 59
#define TIME_STAMP_MSB (UINT64_C(0xf8) << 56) /* TS_MSB: an absolute stamp does not carry these */

enum event_type {
	TYPE_LONG_DATA = 0, /* the length is in the first word */
	TYPE_DATA_MAX = 28,
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
};

struct ringpage_format ringpage_default_format(uint32_t long_size, bool big_endian)
{
	struct ringpage_format format = {
		.time_at = 0,
		.commit_at = 8,
		.commit_size = long_size == 4 ? 4 : 8,
		.data_at = long_size == 4 ? 12 : 16,
		.big_endian = big_endian,
	};

	return format;
}

/* The number after "key" in the line of text; -1 if it is not there. */
static long line_number(const char *line, const char *end, const char *key)
{
	size_t key_len = strlen(key);
	const char *at = memmem(line, (size_t)(end - line), key, key_len);
	char digits[12];

	if (!at)
		return -1;
	text_copy(digits, sizeof(digits), at + key_len, (uint64_t)(end - at) - key_len);
	return strtol(digits, NULL, 10);
}

/* "field: local_t commit;	offset:8;	size:8;	signed:1;" */
static bool line_names(const char *line, const char *end, const char *name)
{
	return memmem(line, (size_t)(end - line), name, strlen(name)) != NULL;
}

static void parse_line(struct ringpage_format *fmt, const char *line, const char *end)
{
	long at = line_number(line, end, "offset:");
	long size = line_number(line, end, "size:");

	if (at < 0 || size < 0 || at > UINT16_MAX || size > INT32_MAX / 2)
		return;
	if (line_names(line, end, " timestamp;")) {
		fmt->time_at = (uint32_t)at;
	} else if (line_names(line, end, " commit;")) {
		fmt->commit_at = (uint32_t)at;
		fmt->commit_size = (uint32_t)size;
	} else if (line_names(line, end, " data;")) {
		fmt->data_at = (uint32_t)at;
		fmt->page_size = (uint32_t)(at + size);
	}
}

static bool format_makes_sense(const struct ringpage_format *fmt)
{
	if (fmt->commit_size != 4 && fmt->commit_size != 8)
		return false;
	return fmt->data_at >= fmt->commit_at + fmt->commit_size && fmt->data_at >= fmt->time_at + 8;
}

int ringpage_parse_format(struct ringpage_format *fmt, const char *text, uint64_t len)
{
	const char *end = text + len;
	struct ringpage_format found = { .big_endian = fmt->big_endian };

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		parse_line(&found, text, eol ? eol : end);
		text = eol ? eol + 1 : end;
	}
	if (!format_makes_sense(&found))
		return -1;
	*fmt = found;
	return 0;
}

static void read_lost(struct ringpage *page, uint64_t commit, uint32_t size)
{
	const struct ringpage_format *fmt = &page->format;

	page->lost = commit & COMMIT_MISSED;
	if (!page->lost || !(commit & COMMIT_MISSED_STORED) || page->cut)
		return;
	if (size - page->end >= fmt->commit_size)
		page->lost_events = load_uint(page->page + page->end, fmt->commit_size,
					      fmt->big_endian);
}

int ringpage_start(struct ringpage *page, const struct ringpage_format *format, const uint8_t *data,
		   uint32_t size)
{
	uint64_t commit;
	uint32_t len;

	*page = (struct ringpage){ .format = *format, .page = data };
	if (size < format->data_at)
		return -1;
	page->time = load_u64(data + format->time_at, format->big_endian);
	commit = load_uint(data + format->commit_at, format->commit_size, format->big_endian);
	len = commit & COMMIT_SIZE_MASK;
	page->at = format->data_at;
	page->cut = len > size - format->data_at;
	page->end = page->cut ? size : format->data_at + len;
	read_lost(page, commit, size);
	return 0;
}

static uint64_t absolute_time(uint64_t stamp, uint64_t before)
{
	uint64_t high = before & TIME_STAMP_MSB;

	/* As rb_fix_abs_ts(): the top bits come from before, plus one where 59 bits wrapped. */
	if (!high)
		return stamp;
	stamp |= high;
	return stamp < before ? stamp + (UINT64_C(1) << TIME_STAMP_BITS) : stamp;
}

/* Bytes of data words after the header for a data event; 0 if the length cannot be right. */
static uint32_t data_length(const struct ringpage *page, uint32_t type, uint32_t *skip)
{
	uint32_t word;

	*skip = 4;
	if (type != TYPE_LONG_DATA)
		return type * 4;
	if (page->end - page->at < 8)
		return 0;
	word = load_u32(page->page + page->at + 4, page->format.big_endian);
	*skip = 8;
	return word > 4 ? ((word - 4) + 3) & ~UINT32_C(3) : 0;
}

static int take_data(struct ringpage *page, uint32_t type, uint32_t delta, struct ringrec *rec)
{
	uint32_t skip;
	uint32_t len = data_length(page, type, &skip);

	if (!len || len > page->end - page->at - skip)
		return -1;
	page->time += delta;
	rec->time = page->time;
	rec->at = page->at + skip;
	rec->len = len;
	rec->data = page->page + rec->at;
	page->at += skip + len;
	return 1;
}

/* A discarded event, or (delta 0) the unused rest of the page. */
static int skip_padding(struct ringpage *page, uint32_t delta)
{
	uint32_t len;

	if (!delta) {
		page->at = page->end;
		return 0;
	}
	if (page->end - page->at < 8)
		return -1;
	len = load_u32(page->page + page->at + 4, page->format.big_endian);
	if (len < 4 || len > page->end - page->at - 4)
		return -1;
	page->time += delta;
	page->at += 4 + len;
	return 0;
}

static int take_time(struct ringpage *page, uint32_t type, uint32_t delta)
{
	uint64_t stamp;

	if (page->end - page->at < 8)
		return -1;
	stamp = load_u32(page->page + page->at + 4, page->format.big_endian);
	stamp = (stamp << DELTA_BITS) + delta;
	if (type == TYPE_TIME_STAMP)
		page->time = absolute_time(stamp, page->time);
	else
		page->time += stamp;
	page->at += 8;
	return 0;
}

int ringpage_next(struct ringpage *page, struct ringrec *rec)
{
	while (page->end - page->at >= 4) {
		uint32_t header = load_u32(page->page + page->at, page->format.big_endian);
		bool big = page->format.big_endian;
		uint32_t type = big ? header >> DELTA_BITS : header & 31;
		uint32_t delta = big ? header & DELTA_MASK : header >> 5;
		int failed;

		if (type <= TYPE_DATA_MAX)
			return take_data(page, type, delta, rec);
		failed = type == TYPE_PADDING ? skip_padding(page, delta)
					      : take_time(page, type, delta);
		if (failed)
			return -1;
	}
	return page->at == page->end ? 0 : -1;
}

/* Where a stretch of repeated records has come. */
struct stretch {
	const uint8_t *at;
	uint64_t time;
	uint64_t n;
};

#define REPEAT_SIZE (4 + REPEAT_BYTES) /* with its header */

/*
 * Inlined for either byte order, so that the loop, which is where a trace's bytes are read, has no
 * question of it; what the loop needs is in local variables, which stay in registers.
 */
static inline __attribute__((always_inline)) struct stretch pass_repeats(const struct ringpage *page,
									 struct repeat *repeat,
									 bool big)
{
	const uint8_t *end = page->page + page->end;
	struct stretch s = { page->page + page->at, page->time, 0 };
	struct repeat r = *repeat;

	for (; s.n < r.max && end - s.at >= REPEAT_SIZE; s.n++) {
		uint32_t header = load_u32(s.at, big);
		uint32_t type = big ? header >> DELTA_BITS : header & 31;
		uint32_t delta = big ? header & DELTA_MASK : header >> 5;

		if (type != REPEAT_BYTES / 4 || s.time + delta >= r.until ||
		    !repeat_matches(&r, s.at + 4, big))
			break;
		if (delta > r.longest)
			r.longest = delta;
		s.time += delta;
		s.at += REPEAT_SIZE;
	}
	repeat->longest = r.longest;
	return s;
}

uint64_t ringpage_repeat(struct ringpage *page, struct ringrec *rec, struct repeat *repeat)
{
	struct stretch s = repeat->big_endian ? pass_repeats(page, repeat, true)
					      : pass_repeats(page, repeat, false);

	if (!s.n)
		return 0;
	page->at = (uint32_t)(s.at - page->page);
	page->time = s.time;
	*rec = (struct ringrec){ s.time, page->at - REPEAT_BYTES, REPEAT_BYTES,
				 page->page + (page->at - REPEAT_BYTES) };
	return s.n;
}
