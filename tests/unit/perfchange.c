/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfchange.c - what other options of perf record would have made of a recording. */
#include "perfbuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/bytes.h"

static void set_le64(uint8_t *at, uint64_t v)
{
	v = load_u64(&v, false);
	memcpy(at, &v, sizeof(v));
}

static void replace_records(struct perf_parts *parts, struct block records)
{
	free(parts->records.data);
	parts->records = records;
}

static bool is_synthesized(const struct block *records, size_t at)
{
	uint32_t type = rec_type(records, at);

	return (type == T_COMM || type == T_FORK) && !rec_time(records, at);
}

static void copy_if(struct block *to, const struct block *records,
		    bool (*wanted)(const struct block *, size_t), bool is)
{
	for (size_t at = 0; at < records->size; at = rec_next(records, at))
		if (wanted(records, at) == is)
			put(to, records->data + at, rec_size(records, at));
}

void perf_tail_synthesize(struct perf_parts *parts)
{
	struct block to = { 0 };

	copy_if(&to, &parts->records, is_synthesized, false);
	copy_if(&to, &parts->records, is_synthesized, true);
	replace_records(parts, to);
}

static bool is_round(const struct block *records, size_t at)
{
	return rec_type(records, at) == T_ROUND;
}

void perf_drop_rounds(struct perf_parts *parts)
{
	struct block to = { 0 };

	copy_if(&to, &parts->records, is_round, false);
	replace_records(parts, to);
}

/* Appends the records of [from, to), the last one first. */
static void put_backwards(struct block *out, const struct block *records, size_t from, size_t to)
{
	size_t *list = malloc((to - from + 8) / 8 * sizeof(*list)), n = 0;

	assert_non_null(list);
	for (size_t at = from; at < to; at = rec_next(records, at))
		list[n++] = at;
	while (n--)
		put(out, records->data + list[n], rec_size(records, list[n]));
	free(list);
}

void perf_reverse(struct perf_parts *parts)
{
	const struct block *records = &parts->records;
	struct block to = { 0 };
	size_t from = 0;

	for (size_t at = 0; at < records->size; at = rec_next(records, at))
		if (is_round(records, at)) {
			put_backwards(&to, records, from, at);
			put(&to, records->data + at, rec_size(records, at));
			from = at + rec_size(records, at);
		}
	put_backwards(&to, records, from, records->size);
	replace_records(parts, to);
}

static void put_if(struct block *to, uint64_t type, unsigned bit, const uint8_t *member)
{
	if (type >> bit & 1)
		put(to, member, 8);
}

/* PERF_SAMPLE_READ: counters of one event or of a group of three. */
static void put_read(struct block *to, uint64_t format)
{
	bool group = format >> 3 & 1;

	put_u64(to, group ? 3 : 77);
	if (format & 1)
		put_u64(to, 1111);
	if (format & 2)
		put_u64(to, 2222);
	for (unsigned i = 0; i < (group ? 3 : 1); i++) {
		if (group)
			put_u64(to, 100 + i);
		if (format & 4)
			put_u64(to, 5 + i);
		if (format & 16)
			put_u64(to, 0);
	}
}

static void put_callchain(struct block *to, unsigned n)
{
	put_u64(to, n);
	while (n--)
		put_u64(to, UINT64_C(0xc000000000000000) + n);
}

/* A sample of the type: members that it did not have get a number of no meaning. */
static void put_wide_sample(struct block *to, const uint8_t *sample, uint64_t type, uint64_t format)
{
	static const uint8_t address[8] = { 0xd7, 0xad };
	size_t at = record_begin(to, T_SAMPLE, 0);

	put_if(to, type, 16, sample + AT_ID);
	put_if(to, type, 0, sample + AT_IP);
	put_if(to, type, 1, sample + AT_TID);
	put_if(to, type, 2, sample + AT_TIME);
	put_if(to, type, 3, address);
	put_if(to, type, 6, sample + AT_ID);
	put_if(to, type, 9, sample + AT_ID); /* STREAM_ID */
	put_if(to, type, 7, sample + AT_CPU);
	put_if(to, type, 8, sample + AT_PERIOD);
	if (type >> 4 & 1)
		put_read(to, format);
	if (type >> 5 & 1)
		put_callchain(to, sample[AT_TIME] % 9u);
	put(to, sample + AT_RAW, le(sample + 6, 2) - AT_RAW);
	if (type >> 11 & 1)
		put_u64(to, 0); /* BRANCH_STACK: none */
	record_end(to, at);
}

/* The trailer of the type; the record's own is IDENTIFIER, CPU, TIME, TID from its end. */
static void put_wide_other(struct block *to, const uint8_t *record, uint64_t type)
{
	size_t n = le(record + 6, 2);
	const uint8_t *end = record + n;
	size_t at = to->size;

	put(to, record, n - END_TID);
	put_if(to, type, 1, end - END_TID);
	put_if(to, type, 2, end - END_TIME);
	put_if(to, type, 6, end - END_ID);
	put_if(to, type, 9, end - END_ID);
	put_if(to, type, 7, end - END_CPU);
	put_if(to, type, 16, end - END_ID);
	record_end(to, at);
}

void perf_widen(struct perf_parts *parts, uint64_t type, uint64_t read_format)
{
	const struct block *records = &parts->records;
	struct block to = { .long_size = 8 };

	for (size_t at = 0; at < records->size; at = rec_next(records, at)) {
		const uint8_t *record = records->data + at;

		if (rec_type(records, at) == T_SAMPLE)
			put_wide_sample(&to, record, type, read_format);
		else if (rec_type(records, at) < T_ATTR)
			put_wide_other(&to, record, type);
		else
			put(&to, record, rec_size(records, at));
	}
	replace_records(parts, to);
	for (unsigned i = 0; i < parts->n_attrs; i++) {
		/* Those without raw data (a dummy that only carries COMM and the like) stay so. */
		uint64_t raw = le(parts->attrs[i].data + 24, 8) & 1 << 10;

		set_le64(parts->attrs[i].data + 24, (type & ~(UINT64_C(1) << 10)) | raw);
		set_le64(parts->attrs[i].data + 32, read_format);
	}
}

/* sched_switch of ppc64le and x86 alike: prev_comm 8, prev_pid 24, prev_state 32, next_pid 56. */
static void put_switch(struct block *to, const uint8_t *sample, bool out)
{
	const uint8_t *raw = sample + AT_RAW + 4;
	bool preempted = !le(raw + 32, 8);
	size_t at = record_begin(to, T_SWITCH_CPU_WIDE,
				 (uint16_t)(out ? 1 << 13 | (preempted ? 1 << 14 : 0) : 0));
	const uint8_t *other = raw + (out ? 56 : 24), *self = raw + (out ? 24 : 56);

	put(to, other, 4); /* its thread group: never asked for */
	put(to, other, 4);
	put(to, out ? sample + AT_TID : self, 4);
	put(to, self, 4);
	put(to, sample + AT_TIME, 8);
	put(to, sample + AT_CPU, 8);
	put(to, sample + AT_ID, 8);
	record_end(to, at);
}

static uint16_t switch_id(const struct perf_parts *parts)
{
	const struct block *formats = &parts->features[1];
	const char *name = memmem(formats->data, formats->size, "name: sched_switch\nID: ", 23);

	assert_non_null(name);
	return (uint16_t)strtoul(name + 23, NULL, 10);
}

void perf_switches_instead(struct perf_parts *parts)
{
	const struct block *records = &parts->records;
	uint16_t id = switch_id(parts);
	struct block to = { .long_size = 8 };

	for (size_t at = 0; at < records->size; at = rec_next(records, at)) {
		const uint8_t *record = records->data + at;

		if (rec_type(records, at) != T_SAMPLE || le(record + AT_RAW + 4, 2) != id) {
			put(&to, record, rec_size(records, at));
			continue;
		}
		put_switch(&to, record, true);
		put_switch(&to, record, false);
	}
	replace_records(parts, to);
	assert_true(replace_text(&parts->features[1], "name: sched_switch", "name: sched_swatch", 0));
}
