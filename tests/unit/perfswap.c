/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfswap.c - the parts of a little-endian perf.data as a big-endian machine would have written them. */
#include "perfbuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

static void swap(uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t other = at[i];

		at[i] = at[size - 1 - i];
		at[size - 1 - i] = other;
	}
}

static struct block copy_block(const uint8_t *data, size_t size)
{
	struct block to = { .big_endian = true, .long_size = 8 };

	put(&to, data, size);
	return to;
}

/* ---- raw data: by the fields of the event's format ---- */

static const char *find_format(const struct block *formats, uint64_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "\nID: %u\nformat:", (unsigned)id);
	return memmem(formats->data, formats->size, text, strlen(text));
}

/* One number per element; a char is none. */
static void swap_field(uint8_t *raw, const char *declaration, unsigned at, unsigned size)
{
	const char *array = memchr(declaration, '[', strcspn(declaration, ";"));
	size_t n = array && strncmp(declaration, "__data_loc", 10) != 0
			   ? (unsigned)strtoul(array + 1, NULL, 10)
			   : 1;

	for (size_t i = 0; i < n; i++)
		swap(raw + at + i * (size / n), size / n);
}

static void swap_raw(const struct block *formats, uint8_t *raw)
{
	const char *format = find_format(formats, le(raw, 2));
	const char *end;

	assert_non_null(format);
	end = strstr(format, "print fmt");
	while ((format = strstr(format, "\tfield:")) && format < end) {
		const char *offset = strstr(format, "offset:");
		const char *size = strstr(format, "size:");

		format += 7;
		swap_field(raw, format, (unsigned)strtoul(offset + 7, NULL, 10),
			   (unsigned)strtoul(size + 5, NULL, 10));
	}
}

/* ---- records ---- */

/* How many u32 and then u64 a record begins with. */
static void body_of(uint32_t type, size_t *words, size_t *longs)
{
	*words = *longs = 0;
	if (type == T_COMM || type == T_SWITCH_CPU_WIDE)
		*words = 2;
	if (type == T_FORK || type == T_EXIT) {
		*words = 4;
		*longs = 1;
	}
	if (type == T_LOST)
		*longs = 2;
	if (type == T_LOST_SAMPLES)
		*longs = 1;
}

static void swap_sample(const struct perf_parts *parts, uint8_t *at)
{
	swap_raw(&parts->features[1], at + AT_RAW + 4);
	swap(at + AT_RAW, 4);
	swap(at + AT_ID, 8);
	swap(at + AT_IP, 8);
	swap(at + AT_TID, 4);
	swap(at + AT_TID + 4, 4);
	swap(at + AT_TIME, 8);
	swap(at + AT_CPU, 4);
	swap(at + AT_PERIOD, 8);
}

static void swap_other(uint32_t type, uint8_t *at, size_t size)
{
	size_t words, longs;

	body_of(type, &words, &longs);
	for (size_t i = 0; i < words; i++)
		swap(at + 8 + 4 * i, 4);
	for (size_t i = 0; i < longs; i++)
		swap(at + 8 + 4 * words + 8 * i, 8);
	swap(at + size - END_TID, 4);
	swap(at + size - END_TID + 4, 4);
	swap(at + size - END_TIME, 8);
	swap(at + size - END_CPU, 4);
	swap(at + size - END_ID, 8);
}

struct block perf_swap_record(const struct perf_parts *parts, const struct block *records, size_t at)
{
	size_t size = rec_size(records, at);
	uint32_t type = rec_type(records, at);
	struct block to = copy_block(records->data + at, size);

	if (type == T_SAMPLE)
		swap_sample(parts, to.data);
	else if (type < T_ATTR)
		swap_other(type, to.data, size);
	swap(to.data, 4);
	swap(to.data + 4, 2);
	swap(to.data + 6, 2);
	return to;
}

/* ---- what describes them ---- */

struct block perf_swap_attr(const struct block *attr)
{
	static const uint8_t longs[] = { 8, 16, 24, 32, 40, 56, 64, 72, 80 };
	struct block to = copy_block(attr->data, attr->size);

	/* A bit field begins at the most significant bit there. */
	for (size_t i = 40; i < 48; i++) {
		uint8_t bits = 0;

		for (unsigned bit = 0; bit < 8; bit++)
			bits |= (uint8_t)((to.data[i] >> bit & 1) << (7 - bit));
		to.data[i] = bits;
	}
	swap(to.data, 4);
	swap(to.data + 4, 4);
	for (size_t i = 0; i < sizeof(longs); i++)
		if (longs[i] != 40)
			swap(to.data + longs[i], 8);
	swap(to.data + 92, 4); /* clockid */
	return to;
}

static size_t swap_sized(uint8_t *at, unsigned size)
{
	size_t n = le(at, size);

	swap(at, size);
	return n + size;
}

static size_t swap_formats(uint8_t *at)
{
	uint64_t n = le(at, 4);
	size_t len = 4;

	swap(at, 4);
	while (n--)
		len += swap_sized(at + len, 8);
	return len;
}

static void swap_tracing(uint8_t *at)
{
	uint64_t n;

	at += 10; /* magic */
	at += strlen((char *)at) + 1;
	*at = 1; /* big-endian */
	swap(at + 2, 4);
	at += 6;
	for (int i = 0; i < 2; i++) {
		at += strlen((char *)at) + 1;
		at += swap_sized(at, 8);
	}
	at += swap_formats(at);
	n = le(at, 4);
	swap(at, 4);
	at += 4;
	while (n--) {
		at += strlen((char *)at) + 1;
		at += swap_formats(at);
	}
	at += swap_sized(at, 4);
	at += swap_sized(at, 4);
	swap_sized(at, 8);
}

struct block perf_swap_feature(unsigned id, const struct block *feature)
{
	struct block to = copy_block(feature->data, feature->size);

	if (!feature->size)
		return to;
	if (id == 1) {
		swap_tracing(to.data);
	} else if (id >= 3 && id <= 6) { /* strings */
		swap(to.data, 4);
	} else if (id == 7) { /* number of CPUs */
		swap(to.data, 4);
		swap(to.data + 4, 4);
	} else {
		memset(to.data, 0, to.size); /* not asked for */
	}
	return to;
}
