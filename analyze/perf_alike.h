/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_alike.h - samples that begin like the one before them: of the same event, CPU, task and size.
 *
 * Most of a recording are loops that flush page after page, and perf writes one CPU's buffer at a
 * time. What such a sample is need not be found out again.
 */
#ifndef TLBTRACE_PERF_ALIKE_H
#define TLBTRACE_PERF_ALIKE_H

#include <string.h>

#include "analyze/perf_record.h"

#define PERF_HEAD_WORDS (1 + PERF_FIXED_MAX / 8)

/* What a sample has before its raw data: the header and all members of fixed size. */
struct perf_alike {
	uint64_t words[PERF_HEAD_WORDS];
	uint32_t n;
	uint32_t time;	   /* the word that may differ; PERF_HEAD_WORDS: there is no time */
	uint32_t raw;	   /* where the size of the raw data is, in bytes; */
	uint32_t raw_size; /* and as it is there */
	uint32_t size;	   /* of the record */
	bool big_endian;
};

/* Expects others like this sample. False: where its raw data are depends on what is before them. */
static inline bool perf_alike_start(struct perf_alike *alike, const struct perf_attrs *attrs,
				    const struct perf_record *rec, const struct perf_sample *sample)
{
	const struct perf_layout *layout = &attrs->list[sample->attr].sample;

	if (layout->raw == PERF_NOWHERE)
		return false;
	alike->n = 1 + layout->len / 8u;
	alike->time = layout->time == PERF_NOWHERE ? PERF_HEAD_WORDS : 1 + layout->time / 8u;
	alike->raw = PERF_RECORD_HEADER + layout->raw;
	alike->size = rec->size;
	alike->big_endian = attrs->big_endian;
	memcpy(alike->words, rec->data, (size_t)8 * alike->n);
	memcpy(&alike->raw_size, rec->data + alike->raw, 4);
	return true;
}

/* Whether the sample at data begins so, of which .size bytes are there. */
static inline bool perf_alike_matches(const struct perf_alike *alike, const uint8_t *data)
{
	uint64_t differs = 0, word;
	uint32_t raw_size;

	for (uint32_t i = 0; i < alike->n; i++) {
		memcpy(&word, data + (size_t)8 * i, sizeof(word));
		differs |= i == alike->time ? 0 : word ^ alike->words[i];
	}
	memcpy(&raw_size, data + alike->raw, sizeof(raw_size));
	return !differs && raw_size == alike->raw_size;
}

/* The time of a sample that matches. */
static inline uint64_t perf_alike_time(const struct perf_alike *alike, const uint8_t *data)
{
	if (alike->time == PERF_HEAD_WORDS)
		return 0;
	return load_u64(data + (size_t)8 * alike->time, alike->big_endian);
}

#endif
