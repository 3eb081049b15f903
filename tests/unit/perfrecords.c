/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfrecords.c - the records of a perf.data in memory, one by one. */
#include "perfbuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/bytes.h"

uint64_t le(const uint8_t *at, unsigned size)
{
	return load_uint(at, size, false);
}

uint32_t rec_type(const struct block *records, size_t at)
{
	return (uint32_t)le(records->data + at, 4);
}

uint16_t rec_size(const struct block *records, size_t at)
{
	return (uint16_t)le(records->data + at + 6, 2);
}

size_t rec_next(const struct block *records, size_t at)
{
	size_t data = rec_type(records, at) == T_AUXTRACE ? le(records->data + at + 8, 8) : 0;

	return at + rec_size(records, at) + data;
}

static uint64_t rec_member(const struct block *records, size_t at, size_t sample, size_t from_end,
			   unsigned size)
{
	uint32_t type = rec_type(records, at);

	if (type == T_SAMPLE)
		return le(records->data + at + sample, size);
	return type < T_ATTR ? le(records->data + at + rec_size(records, at) - from_end, size) : 0;
}

uint64_t rec_time(const struct block *records, size_t at)
{
	return rec_member(records, at, AT_TIME, END_TIME, 8);
}

uint32_t rec_cpu(const struct block *records, size_t at)
{
	return (uint32_t)rec_member(records, at, AT_CPU, END_CPU, 4);
}

size_t record_begin(struct block *block, uint32_t type, uint16_t misc)
{
	size_t at = block->size;

	put_u32(block, type);
	put_u16(block, misc);
	put_u16(block, 0);
	return at;
}

void record_end(struct block *block, size_t at)
{
	size_t size = block->size - at;

	assert_true(size <= UINT16_MAX);
	block->data[at + (block->big_endian ? 7 : 6)] = (uint8_t)size;
	block->data[at + (block->big_endian ? 6 : 7)] = (uint8_t)(size >> 8);
}

void put_record(struct block *to, uint32_t type, size_t body)
{
	size_t at = record_begin(to, type, 0);

	pad_to(to, to->size + body);
	record_end(to, at);
}
