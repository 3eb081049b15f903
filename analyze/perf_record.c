/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_record.c - one record of a perf.data: whose it is, when and where, and its raw data. */
#include "analyze/perf_record.h"

void perf_record_header(struct perf_record *rec, const uint8_t *data, bool big_endian)
{
	rec->data = data;
	rec->type = load_u32(data, big_endian);
	rec->misc = load_u16(data + 4, big_endian);
	rec->size = load_u16(data + 6, big_endian);
}

uint32_t perf_record_u32(const struct perf_record *rec, uint32_t at, bool big_endian)
{
	return at + 4 <= rec->size ? load_u32(rec->data + at, big_endian) : 0;
}

uint64_t perf_record_u64(const struct perf_record *rec, uint32_t at, bool big_endian)
{
	return at + 8 <= rec->size ? load_u64(rec->data + at, big_endian) : 0;
}

uint64_t perf_payload_size(const struct perf_record *rec, bool big_endian)
{
	if (rec->type == PERF_AUXTRACE)
		return perf_record_u64(rec, PERF_RECORD_HEADER, big_endian);
	if (rec->type == PERF_TRACING_DATA)
		return perf_record_u32(rec, PERF_RECORD_HEADER, big_endian);
	return 0;
}

/* Loads what the layout has; the block at `at` is as long as the layout says. */
static inline void load_fixed(const struct perf_layout *layout, const uint8_t *at, bool big_endian,
			      struct perf_sample *sample)
{
	sample->has_time = layout->time != PERF_NOWHERE;
	sample->time = sample->has_time ? load_u64(at + layout->time, big_endian) : 0;
	sample->has_cpu = layout->cpu != PERF_NOWHERE;
	sample->cpu = sample->has_cpu ? load_u32(at + layout->cpu, big_endian) : 0;
	sample->pid = sample->tid = -1;
	if (layout->tid != PERF_NOWHERE) {
		sample->pid = (int32_t)load_u32(at + layout->tid, big_endian);
		sample->tid = (int32_t)load_u32(at + layout->tid + 4, big_endian);
	}
}

/* Steps over the counters of a PERF_SAMPLE_READ. */
static void skip_read(struct bytes *b, uint64_t format)
{
	uint64_t each = 8, n = 1, times = 0;

	times += format & PERF_READ_TIME_ENABLED ? 8 : 0;
	times += format & PERF_READ_TIME_RUNNING ? 8 : 0;
	each += format & PERF_READ_ID ? 8 : 0;
	each += format & PERF_READ_LOST ? 8 : 0;
	if (format & PERF_READ_GROUP)
		n = bytes_u64(b);
	if (n > bytes_left(b) / each)
		b->failed = true;
	else
		bytes_take(b, times + n * each);
}

static void take_callchain(struct bytes *b, struct perf_sample *sample)
{
	uint64_t n = bytes_u64(b);

	if (n > bytes_left(b) / 8) {
		b->failed = true;
		return;
	}
	sample->chain_len = (uint32_t)n;
	sample->chain = bytes_take(b, n * 8);
}

uint32_t perf_kernel_chain(const struct perf_sample *sample, bool big_endian, uint64_t *ips,
			   uint32_t max)
{
	bool in_kernel = false;
	uint32_t n = 0;

	for (uint32_t i = 0; sample->chain && i < sample->chain_len && n < max; i++) {
		uint64_t ip = load_u64(sample->chain + (size_t)8 * i, big_endian);

		if (ip >= PERF_CONTEXT_MAX)
			in_kernel = ip == PERF_CONTEXT_KERNEL;
		else if (in_kernel)
			ips[n++] = ip;
	}
	return n;
}

static bool find_raw(const struct perf_attr *attr, struct bytes b, struct perf_sample *sample)
{
	if (attr->sample_type & PERF_SAMPLE_READ)
		skip_read(&b, attr->read_format);
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		take_callchain(&b, sample);
	sample->raw_size = bytes_u32(&b);
	sample->raw = bytes_take(&b, sample->raw_size);
	return sample->raw;
}

/* The raw data whose size is at that place of the body, of which `left` bytes are there. */
static bool take_raw(const uint8_t *body, uint32_t at, uint32_t left, bool big_endian,
		     struct perf_sample *sample)
{
	if (left - at < 4)
		return false;
	sample->raw_size = load_u32(body + at, big_endian);
	sample->raw = body + at + 4;
	return sample->raw_size <= left - at - 4;
}

/* Whose record it is; -1 nobody's. id 0: perf made the record up, for no event in particular. */
static inline int64_t whose(const struct perf_attrs *attrs, const uint8_t *id, bool is_sample)
{
	int64_t attr;

	if (!id)
		return attrs->alike || !is_sample ? 0 : -1;
	attr = perf_attrs_find(attrs, load_u64(id, attrs->big_endian));
	return attr < 0 && (attrs->alike || !is_sample) ? 0 : attr;
}

bool perf_parse_sample(const struct perf_attrs *attrs, const struct perf_record *rec,
		       struct perf_sample *sample)
{
	uint32_t left = rec->size - PERF_RECORD_HEADER;
	const uint8_t *body = rec->data + PERF_RECORD_HEADER;
	bool has_id = attrs->id_at != PERF_NOWHERE && attrs->id_at + 8u <= left;
	int64_t index = whose(attrs, has_id ? body + attrs->id_at : NULL, true);
	const struct perf_attr *attr;

	if (index < 0 || index >= attrs->n)
		return false;
	attr = &attrs->list[index];
	if (attr->sample.len > left)
		return false;
	*sample = (struct perf_sample){ .attr = (uint32_t)index };
	load_fixed(&attr->sample, body, attrs->big_endian, sample);
	if (attr->sample.raw != PERF_NOWHERE)
		return take_raw(body, attr->sample.raw, left, attrs->big_endian, sample);
	if (!(attr->sample_type & PERF_SAMPLE_RAW))
		return true;
	return find_raw(
		attr,
		bytes_of(body + attr->sample.len, left - attr->sample.len, 0, attrs->big_endian),
		sample);
}

bool perf_parse_trailer(const struct perf_attrs *attrs, const struct perf_record *rec,
			struct perf_sample *sample)
{
	uint32_t left = rec->size - PERF_RECORD_HEADER;
	const uint8_t *end = rec->data + rec->size;
	bool has_id = attrs->id_from_end != PERF_NOWHERE && attrs->id_from_end <= left;
	int64_t index = whose(attrs, has_id ? end - attrs->id_from_end : NULL, false);
	const struct perf_layout *layout;

	*sample = (struct perf_sample){ .attr = (uint32_t)index, .pid = -1, .tid = -1 };
	if (index >= attrs->n)
		return true;
	layout = &attrs->list[index].trailer;
	if (layout->len > left)
		return false;
	load_fixed(layout, end - layout->len, attrs->big_endian, sample);
	return true;
}
