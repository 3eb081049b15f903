/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_perf_limits.c - what has to wait in a pipe is bounded, and only what has to wait. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/trace.h"
#include "perfread.h"
#include "pipes.h"

/* A pipe without rounds, in which a sample is followed by 60 KB of something else, 4600 times. */
static void a_pipe_without_rounds_ends_at_a_stated_cap(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);
	const struct perf_shape shape = { .pipe = true };
	struct block flood, unit = { .long_size = 8 };
	struct error err = { 0 };
	struct pipe_writer w;
	struct source *src;
	struct event ev;
	size_t at = 0;

	perf_drop_rounds(&rec.parts);
	flood = perf_put_together(&rec.parts, &shape);
	while (rec_type(&rec.parts.records, at) != T_SAMPLE)
		at = rec_next(&rec.parts.records, at);
	put(&unit, rec.parts.records.data + at, rec_size(&rec.parts.records, at));
	put_record(&unit, 10, 60000);
	for (int i = 0; i < 4600; i++)
		put(&flood, unit.data, unit.size);
	src = open_pipe(&w, &flood, false, &err);
	assert_non_null(src);
	assert_int_equal(source_next(src, 0, &ev, &err), -1);
	assert_int_equal(err.class, ERROR_INPUT);
	assert_non_null(strstr(err.text, "256 MB"));
	assert_non_null(strstr(err.text, "FINISHED_ROUND"));
	source_close(src);
	pipe_writer_end(&w);
	free(flood.data);
	free(unit.data);
	recording_free(&rec);
}

static uint64_t latest_time(const struct block *records)
{
	uint64_t time = 0;

	for (size_t at = 0; at < records->size; at = rec_next(records, at))
		if (rec_time(records, at) > time)
			time = rec_time(records, at);
	return time;
}

/* The first sample of the n-th event. */
static size_t first_sample(const struct perf_parts *parts, unsigned n)
{
	const struct block *ids = &parts->ids[n], *records = &parts->records;

	for (size_t at = 0; at < records->size; at = rec_next(records, at))
		for (size_t id = 0; id < ids->size && rec_type(records, at) == T_SAMPLE; id += 8)
			if (memcmp(records->data + at + AT_ID, ids->data + id, 8) == 0)
				return at;
	fail_msg("no sample of event %u", n);
	return 0;
}

/* A sample like the one at `at`, of another time and CPU. */
static void put_sample(struct block *to, const struct block *records, size_t at, uint64_t time,
		       uint32_t cpu)
{
	size_t begin = to->size;

	put(to, records->data + at, rec_size(records, at));
	time = htole64(time);
	cpu = htole32(cpu);
	memcpy(to->data + begin + AT_TIME, &time, sizeof(time));
	memcpy(to->data + begin + AT_CPU, &cpu, sizeof(cpu));
}

/* Appends 276 MB: a sample of CPU 1, then rounds with one sample each of CPU 0, one a millisecond. */
static void put_rounds_of_one_cpu(struct block *flood, const struct perf_parts *parts)
{
	uint64_t time = latest_time(&parts->records);
	size_t flush = first_sample(parts, 0);

	put_sample(flood, &parts->records, flush, ++time, 1);
	for (int i = 0; i < 4600; i++) {
		time += 1000000;
		put_sample(flood, &parts->records, flush, time, 0);
		put_record(flood, 10, 60000);
		put_record(flood, T_ROUND, 8);
	}
}

/* More than the cap, while the other CPUs have nothing, and one of them has flushed last. */
static void a_pipe_with_rounds_may_be_of_any_length(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);
	const struct perf_shape shape = { .pipe = true };
	struct trace_options opt = { .plain = false };
	struct block flood;
	struct error err = { 0 };
	struct pipe_writer w;
	struct trace trace;
	char path[64];
	int fd;

	flood = perf_put_together(&rec.parts, &shape);
	put_rounds_of_one_cpu(&flood, &rec.parts);
	fd = pipe_writer_start(&w, &flood, path);
	if (trace_read(&trace, path, &opt, &err))
		fail_msg("%s", err.text);
	assert_int_equal(trace.info->events, rec.original.info->events + 4601);
	assert_int_equal(trace.info->truncated, false);
	trace_close(&trace);
	close(fd);
	pipe_writer_end(&w);
	free(flood.data);
	recording_free(&rec);
}

static void a_pipe_that_describes_itself_too_late_is_refused(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);
	const struct perf_shape shape = { .pipe = true };
	struct perf_parts none = rec.parts;
	struct block description, file = { .long_size = 8 };
	struct error err = { 0 };
	struct pipe_writer w;
	struct reading r;

	none.records = (struct block){ .long_size = 8 };
	description = perf_put_together(&none, &shape);
	put(&file, description.data, 16);
	put(&file, rec.parts.records.data, rec.parts.records.size);
	put(&file, description.data + 16, description.size - 16);
	assert_null(open_pipe(&w, &file, false, &err));
	pipe_writer_end(&w);
	assert_int_equal(err.class, ERROR_INPUT);
	assert_non_null(strstr(err.text, "comes before any that says what was recorded"));
	/* But where one can go back, all is found: perf record --tail-synthesize -o - > file. */
	r = read_block(&file);
	assert_same_events(&rec.original, &r);
	reading_free(&r);
	free(description.data);
	free(file.data);
	recording_free(&rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_without_rounds_ends_at_a_stated_cap),
		cmocka_unit_test(a_pipe_with_rounds_may_be_of_any_length),
		cmocka_unit_test(a_pipe_that_describes_itself_too_late_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
