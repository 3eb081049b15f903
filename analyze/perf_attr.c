/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_attr.c - what was recorded into a perf.data and how its records are laid out. */
#include "analyze/perf_attr.h"

#include <stdlib.h>

#include "analyze/perf_record.h"

#define MAX_ATTRS 65536
#define ATTR_MIN 64 /* PERF_ATTR_SIZE_VER0 */

/* Places of members in struct perf_event_attr. */
enum {
	ATTR_TYPE = 0,
	ATTR_SIZE = 4,
	ATTR_CONFIG = 8,
	ATTR_SAMPLE_TYPE = 24,
	ATTR_READ_FORMAT = 32,
	ATTR_BITS = 40,
	ATTR_CLOCKID = 92,
};

/* Bits of its bit field, in the order of declaration. */
enum {
	BIT_SAMPLE_ID_ALL = 18,
	BIT_USE_CLOCKID = 25,
};

/* A big-endian compiler begins a bit field at the other end. */
static bool attr_bit(const uint8_t *attr, unsigned int bit, bool big_endian)
{
	uint64_t bits = load_u64(attr + ATTR_BITS, big_endian);

	return bits >> (big_endian ? 63 - bit : bit) & 1;
}

static uint16_t place(uint64_t type, uint64_t member, uint16_t *at)
{
	uint16_t here = *at;

	if (!(type & member))
		return PERF_NOWHERE;
	*at = (uint16_t)(here + 8);
	return here;
}

static struct perf_layout sample_layout(uint64_t type)
{
	struct perf_layout layout;
	uint16_t at = 0;

	place(type, PERF_SAMPLE_IDENTIFIER, &at);
	place(type, PERF_SAMPLE_IP, &at);
	layout.tid = place(type, PERF_SAMPLE_TID, &at);
	layout.time = place(type, PERF_SAMPLE_TIME, &at);
	place(type, PERF_SAMPLE_ADDR, &at);
	place(type, PERF_SAMPLE_ID, &at);
	place(type, PERF_SAMPLE_STREAM_ID, &at);
	layout.cpu = place(type, PERF_SAMPLE_CPU, &at);
	place(type, PERF_SAMPLE_PERIOD, &at);
	layout.len = at;
	layout.raw = PERF_NOWHERE;
	if (type & PERF_SAMPLE_RAW && !(type & (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)))
		layout.raw = at;
	return layout;
}

/* What every record but a sample ends with if sample_id_all is set. */
static struct perf_layout trailer_layout(uint64_t type)
{
	struct perf_layout layout;
	uint16_t at = 0;

	layout.tid = place(type, PERF_SAMPLE_TID, &at);
	layout.time = place(type, PERF_SAMPLE_TIME, &at);
	place(type, PERF_SAMPLE_ID, &at);
	place(type, PERF_SAMPLE_STREAM_ID, &at);
	layout.cpu = place(type, PERF_SAMPLE_CPU, &at);
	place(type, PERF_SAMPLE_IDENTIFIER, &at);
	layout.len = at;
	layout.raw = PERF_NOWHERE;
	return layout;
}

/* Where a sample has its id, without knowing which attribute it is of. */
static uint16_t id_place(uint64_t type)
{
	uint16_t at = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	place(type, PERF_SAMPLE_IP, &at);
	place(type, PERF_SAMPLE_TID, &at);
	place(type, PERF_SAMPLE_TIME, &at);
	place(type, PERF_SAMPLE_ADDR, &at);
	return place(type, PERF_SAMPLE_ID, &at);
}

static uint16_t id_place_from_end(uint64_t type)
{
	uint16_t at = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (!(type & PERF_SAMPLE_ID))
		return PERF_NOWHERE;
	place(type, PERF_SAMPLE_ID, &at);
	place(type, PERF_SAMPLE_STREAM_ID, &at);
	place(type, PERF_SAMPLE_CPU, &at);
	return at;
}

static void parse_attr(struct perf_attr *attr, const uint8_t *at, uint32_t size, bool big_endian)
{
	attr->type = load_u32(at + ATTR_TYPE, big_endian);
	attr->config = load_u64(at + ATTR_CONFIG, big_endian);
	attr->sample_type = load_u64(at + ATTR_SAMPLE_TYPE, big_endian);
	attr->read_format = load_u64(at + ATTR_READ_FORMAT, big_endian);
	attr->id_all = attr_bit(at, BIT_SAMPLE_ID_ALL, big_endian);
	attr->has_clock = size >= ATTR_CLOCKID + 4 && attr_bit(at, BIT_USE_CLOCKID, big_endian);
	if (attr->has_clock)
		attr->clock = (int32_t)load_u32(at + ATTR_CLOCKID, big_endian);
	attr->sample = sample_layout(attr->sample_type);
	attr->trailer = trailer_layout(attr->id_all ? attr->sample_type : 0);
}

int perf_attrs_add(struct perf_attrs *attrs, struct bytes *b)
{
	uint32_t size = ATTR_MIN;
	struct perf_attr *bigger;
	const uint8_t *at;

	if (bytes_left(b) < ATTR_MIN || attrs->n == MAX_ATTRS)
		return -1;
	if (load_u32(b->data + b->at + ATTR_SIZE, b->big_endian))
		size = load_u32(b->data + b->at + ATTR_SIZE, b->big_endian);
	at = bytes_take(b, size);
	if (!at || size < ATTR_MIN)
		return -1;
	bigger = realloc(attrs->list, (attrs->n + 1) * sizeof(*bigger));
	if (!bigger)
		return -1;
	attrs->list = bigger;
	bigger += attrs->n++;
	*bigger = (struct perf_attr){ 0 };
	attrs->big_endian = b->big_endian;
	parse_attr(bigger, at, size, b->big_endian);
	return 0;
}

int perf_attrs_add_ids(struct perf_attrs *attrs, uint32_t attr, struct bytes *b)
{
	uint64_t n = bytes_left(b) / 8;
	struct perf_id *bigger;

	if (!n)
		return 0;
	if (attrs->n_ids + n > attrs->room_ids) {
		uint64_t room = 2 * attrs->room_ids + n;

		bigger = realloc(attrs->ids, room * sizeof(*bigger));
		if (!bigger)
			return -1;
		attrs->ids = bigger;
		attrs->room_ids = room;
	}
	while (n--)
		attrs->ids[attrs->n_ids++] = (struct perf_id){ bytes_u64(b), attr };
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct perf_id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->attr < y->attr ? -1 : x->attr > y->attr;
}

bool perf_attrs_finish(struct perf_attrs *attrs)
{
	const struct perf_attr *first = attrs->list;

	attrs->alike = true;
	attrs->id_at = attrs->id_from_end = PERF_NOWHERE;
	if (!attrs->n)
		return true;
	if (attrs->n_ids)
		qsort(attrs->ids, attrs->n_ids, sizeof(*attrs->ids), compare_ids);
	attrs->id_at = id_place(first->sample_type);
	attrs->id_from_end = id_place_from_end(first->sample_type);
	for (uint32_t i = 1; i < attrs->n; i++) {
		const struct perf_attr *attr = &attrs->list[i];

		attrs->alike &= attr->sample_type == first->sample_type &&
				attr->read_format == first->read_format &&
				attr->id_all == first->id_all;
		if (id_place(attr->sample_type) != attrs->id_at)
			attrs->id_at = PERF_NOWHERE;
		if (id_place_from_end(attr->sample_type) != attrs->id_from_end)
			attrs->id_from_end = PERF_NOWHERE;
	}
	return attrs->alike || attrs->id_at != PERF_NOWHERE;
}

int64_t perf_attrs_find(const struct perf_attrs *attrs, uint64_t id)
{
	uint64_t low = 0, high = attrs->n_ids;
	uint64_t guess = high ? id - attrs->ids[0].id : 0;

	/* The kernel counts ids up, so most often there are no gaps between them. */
	if (guess < high && attrs->ids[guess].id == id)
		return attrs->ids[guess].attr;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (attrs->ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == attrs->n_ids || attrs->ids[low].id != id)
		return -1;
	return attrs->ids[low].attr;
}

const char *perf_clock_name(const struct perf_attrs *attrs)
{
	if (!attrs->n || !attrs->list[0].has_clock)
		return "perf"; /* sched_clock of each CPU, brought together by the kernel */
	switch (attrs->list[0].clock) {
	case 0:
		return "realtime";
	case 1:
		return "mono";
	case 4:
		return "mono_raw";
	case 7:
		return "boot";
	case 11:
		return "tai";
	default:
		return "unknown";
	}
}

void perf_attrs_free(struct perf_attrs *attrs)
{
	free(attrs->list);
	free(attrs->ids);
	*attrs = (struct perf_attrs){ 0 };
}
