/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_perf_containers.c - one recording gives the same events from every container, order and layout.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "perfread.h"
#include "pipes.h"

static void check_shape(const struct recording *rec, const struct perf_shape *shape,
			const char *format)
{
	struct block file = perf_put_together(&rec->parts, shape);
	struct reading r = read_block(&file);

	assert_string_equal(r.info->format, format);
	assert_int_equal(r.info->big_endian, shape->big_endian);
	assert_same_events(&rec->original, &r);
	assert_same_names(&rec->original, &r, false);
	assert_same_info(rec->original.info, r.info);
	reading_free(&r);
	free(file.data);
}

static void containers_give_the_same_events(void **state)
{
	static const struct {
		struct perf_shape shape;
		const char *format;
	} shapes[] = {
		{ { .compressed = 0 }, "perf.data" },
		{ { .compressed = T_COMPRESSED }, "perf.data zstd" },
		{ { .compressed = T_COMPRESSED2 }, "perf.data zstd" },
		{ { .pipe = true }, "perf.data pipe" },
		{ { .pipe = true, .compressed = T_COMPRESSED }, "perf.data pipe zstd" },
		{ { .pipe = true, .compressed = T_COMPRESSED2 }, "perf.data pipe zstd" },
		{ { .big_endian = true }, "perf.data" },
		{ { .big_endian = true, .long32 = true }, "perf.data" },
		{ { .big_endian = true, .compressed = T_COMPRESSED2 }, "perf.data zstd" },
		{ { .big_endian = true, .pipe = true }, "perf.data pipe" },
	};

	for (size_t i = 0; i < PERF_RECORDINGS; i++) {
		struct recording rec = take_recording(perf_recordings[i]);

		for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++) {
			print_message("%s as %zu: %s\n", perf_recordings[i], j, shapes[j].format);
			check_shape(&rec, &shapes[j].shape, shapes[j].format);
		}
		recording_free(&rec);
	}
}

static void pipes_are_read_as_they_come(void **state)
{
	static const struct perf_shape shapes[] = {
		{ .pipe = true },
		{ .pipe = true, .compressed = T_COMPRESSED },
		{ .pipe = true, .compressed = T_COMPRESSED2, .big_endian = true },
		{ .pipe = false }, /* `cat perf.data |`: made for seeking, kept in memory */
	};

	for (size_t i = 0; i < PERF_RECORDINGS; i++) {
		struct recording rec = take_recording(perf_recordings[i]);

		for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++) {
			struct block file = perf_put_together(&rec.parts, &shapes[j]);
			struct error err = { 0 };
			struct pipe_writer w;
			struct source *src = open_pipe(&w, &file, j % 2, &err);
			struct reading r = read_source(src, &err);

			pipe_writer_end(&w);
			if (j % 2)
				assert_string_equal(r.info->path, "standard input");
			assert_same_events(&rec.original, &r);
			assert_same_info(rec.original.info, r.info);
			reading_free(&r);
			free(file.data);
		}
		recording_free(&rec);
	}
}

static void write_file(const char *dir, const char *name, const struct block *content)
{
	char path[4200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(content->data, 1, content->size, file), content->size);
	assert_int_equal(fclose(file), 0);
}

static void remove_directory(const char *dir, int files)
{
	char path[4200];

	for (int i = -1; i < files; i++) {
		snprintf(path, sizeof(path), i < 0 ? "%s/data" : "%s/data.%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

/* As perf record --threads=cpu: what perf itself wrote is in "data", each CPU has a file. */
static void write_directory(const char *dir, struct perf_parts *parts, uint32_t compressed)
{
	const struct perf_shape plain = { .compressed = 0 };
	struct block all = parts->records, part;
	char name[32];

	for (int cpu = 0; cpu < 4; cpu++) {
		part = perf_records_of(parts, cpu, compressed);
		snprintf(name, sizeof(name), "data.%d", cpu);
		write_file(dir, name, &part);
		free(part.data);
	}
	parts->records = perf_records_of(parts, -1, 0);
	part = perf_put_together(parts, &plain);
	write_file(dir, "data", &part);
	free(part.data);
	free(parts->records.data);
	parts->records = all;
}

static void directories_give_the_same_events(void **state)
{
	for (unsigned i = 0; i < 2 * PERF_RECORDINGS; i++) {
		struct recording rec = take_recording(perf_recordings[i / 2]);
		char dir[] = "perfdirXXXXXX";
		struct reading r;

		assert_non_null(mkdtemp(dir));
		write_directory(dir, &rec.parts, i % 2 ? T_COMPRESSED : 0);
		r = read_path(dir);
		assert_string_equal(r.info->format,
				    i % 2 ? "perf.data directory zstd" : "perf.data directory");
		assert_same_events(&rec.original, &r);
		assert_same_info(rec.original.info, r.info);
		reading_free(&r);
		remove_directory(dir, 4);
		recording_free(&rec);
	}
}

/* ---- order ---- */

static void rounds_are_not_needed(void **state)
{
	for (size_t i = 0; i < PERF_RECORDINGS; i++) {
		struct recording rec = take_recording(perf_recordings[i]);

		perf_drop_rounds(&rec.parts);
		check_changed(&rec, false);
	}
}

static void rounds_written_backwards_are_put_in_order(void **state)
{
	/* Not the other recording: it has events of equal time, whose order is lost. */
	struct recording rec = take_recording(perf_recordings[0]);

	perf_reverse(&rec.parts);
	check_changed(&rec, false);
}

static void without_rounds_all_backwards_is_put_in_order(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);

	perf_drop_rounds(&rec.parts);
	perf_reverse(&rec.parts);
	check_changed(&rec, true);
}

static void names_at_the_end_are_found(void **state)
{
	for (size_t i = 0; i < PERF_RECORDINGS; i++) {
		struct recording rec = take_recording(perf_recordings[i]);

		perf_tail_synthesize(&rec.parts);
		check_changed(&rec, true);
	}
}

/* The workload's process, forked by perf before the recording, by its first name and its next. */
static void names_are_those_of_the_time(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);
	const struct reading *r = &rec.original;
	const struct event *exec = NULL;

	for (size_t i = 0; i < r->n; i++)
		if (r->list[i].kind == EVENT_RENAME)
			exec = &r->list[i];
	if (!exec)
		return fail();
	assert_string_equal(exec->task.comm, "ranges");
	assert_string_equal(source_comm(r->src, exec->task.tid), "perf-exec");
	for (size_t i = 0; i < r->n; i++)
		if (r->list[i].kind == EVENT_NEWTASK) /* of it, later: has the later name */
			assert_string_equal(source_comm(r->src, r->list[i].task.tid), "ranges");
	recording_free(&rec);
}

/* ---- layouts ---- */

static void every_member_before_the_raw_data_is_stepped_over(void **state)
{
	/* RAW 0x400, TIME 4, TID 2, CPU 0x80 with IP 1, ADDR 8, READ 0x10, CALLCHAIN 0x20, ID 0x40,
	 * PERIOD 0x100, STREAM_ID 0x200, IDENTIFIER 0x10000; BRANCH_STACK 0x800 comes after. */
	static const struct {
		uint64_t type, read_format;
	} layouts[] = {
		{ 0x10486, 0 },	   { 0x104c7, 4 },    { 0x1058e, 0 },	{ 0x10786, 0 },
		{ 0x10496, 4 },	   { 0x10496, 0x17 }, { 0x10497, 0xc }, { 0x104b7, 0x1f },
		{ 0x107ff, 0x1f }, { 0x4c7, 4 },      { 0x5cf, 4 },	{ 0x7ff, 0xf },
		{ 0x10ca6, 4 },	   { 0x104a6, 4 },
	};

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		struct recording rec = take_recording(perf_recordings[i % PERF_RECORDINGS]);

		print_message("sample_type %#" PRIx64 " read_format %#" PRIx64 "\n",
			      layouts[i].type, layouts[i].read_format);
		perf_widen(&rec.parts, layouts[i].type, layouts[i].read_format);
		check_changed(&rec, false);
	}
}

/* Attributes without the dummy, so that all are alike and nothing has an id. */
static void events_of_one_layout_need_no_ids(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);
	struct perf_parts *parts = &rec.parts;

	perf_widen(parts, 0x486, 0);
	for (unsigned i = 0; i < parts->n_attrs; i++)
		parts->ids[i].size = 0;
	parts->attrs[parts->n_attrs - 1].data[25] |= 4; /* RAW for the dummy, too */
	check_changed(&rec, false);
}

static void different_layouts_without_ids_are_refused(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);
	const struct perf_shape plain = { .compressed = 0 };
	struct block file;
	struct error err;

	perf_widen(&rec.parts, 0x486, 0);
	file = perf_put_together(&rec.parts, &plain);
	assert_null(open_block(&file, &err));
	assert_int_equal(err.class, ERROR_INPUT);
	assert_non_null(strstr(err.text, "different layouts"));
	free(file.data);
	recording_free(&rec);
}

static void without_times_events_are_counted(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);
	const struct perf_shape plain = { .compressed = 0 };
	struct block file;
	struct reading r;

	perf_widen(&rec.parts, 0x10483, 0);
	file = perf_put_together(&rec.parts, &plain);
	r = read_block(&file);
	assert_false(r.info->has_time);
	assert_same_info(rec.original.info, r.info);
	/* The records of perf itself are only events if they say when. */
	assert_int_equal(rec.original.kinds[EVENT_RENAME], 1);
	for (size_t i = 0, j = 0; i < r.n; i++, j++) {
		j += rec.original.list[j].kind == EVENT_RENAME;
		assert_int_equal(r.list[i].time_ns, 0);
		assert_int_equal(r.list[i].tid, rec.original.list[j].tid);
	}
	assert_int_equal(r.n + 1, rec.original.n);
	reading_free(&r);
	free(file.data);
	recording_free(&rec);
}

static void clocks_are_named(void **state)
{
	static const struct {
		uint8_t id;
		const char *name;
	} clocks[] = { { 0, "realtime" }, { 1, "mono" }, { 4, "mono_raw" },
		       { 7, "boot" },	  { 11, "tai" }, { 99, "unknown" } };
	const struct perf_shape plain = { .compressed = 0 };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct recording rec = take_recording(perf_recordings[1]);
		struct block file;
		struct reading r;

		rec.parts.attrs[0].data[43] |= 2; /* use_clockid, bit 25 */
		rec.parts.attrs[0].data[92] = clocks[i].id;
		file = perf_put_together(&rec.parts, &plain);
		r = read_block(&file);
		assert_string_equal(r.info->clock, clocks[i].name);
		reading_free(&r);
		free(file.data);
		recording_free(&rec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers_give_the_same_events),
		cmocka_unit_test(pipes_are_read_as_they_come),
		cmocka_unit_test(directories_give_the_same_events),
		cmocka_unit_test(rounds_are_not_needed),
		cmocka_unit_test(rounds_written_backwards_are_put_in_order),
		cmocka_unit_test(without_rounds_all_backwards_is_put_in_order),
		cmocka_unit_test(names_at_the_end_are_found),
		cmocka_unit_test(names_are_those_of_the_time),
		cmocka_unit_test(every_member_before_the_raw_data_is_stepped_over),
		cmocka_unit_test(events_of_one_layout_need_no_ids),
		cmocka_unit_test(different_layouts_without_ids_are_refused),
		cmocka_unit_test(without_times_events_are_counted),
		cmocka_unit_test(clocks_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
