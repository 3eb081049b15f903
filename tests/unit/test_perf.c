/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_perf.c - recorded perf.data files give what perf script counted in them, and perf's own
 * records say what they say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "perfread.h"
#include "pipes.h"

/* ---- recorded files ---- */

/* Rows of MANIFEST.tsv; "group read" has SAMPLE records of its leader only. */
static void counts_are_perf_scripts(void **state)
{
	static const struct {
		const char *name, *format, *kernel, *arch;
		uint32_t page_size;
		uint64_t events, flushes, switches;
	} files[] = {
		{ "perf_ranges_c33_z.perf.data", "perf.data zstd", "6.1.0-50-powerpc64le",
		  "ppc64le", 65536, 1830, 1212 + 259, 341 },
		{ "perf_x86_z.perf.data", "perf.data zstd", "6.1.0-57-amd64", "x86_64", 4096, 969,
		  260, 308 },
		{ "perf_x86_pipe_z.perf.data", "perf.data pipe zstd", "6.1.0-57-amd64", "x86_64",
		  4096, 914, 265, 264 },
		{ "perf_x86_groupread.perf.data", "perf.data", "6.1.0-57-amd64", "x86_64", 4096,
		  258, 258, 0 },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct reading r = read_path(fixture(files[i].name));

		assert_string_equal(r.info->format, files[i].format);
		assert_string_equal(r.info->kernel, files[i].kernel);
		assert_string_equal(r.info->arch, files[i].arch);
		assert_string_equal(r.info->clock, "perf");
		assert_true(!strncmp(r.info->tool, "perf 6.1.1", 10));
		assert_int_equal(r.info->page_size, files[i].page_size);
		assert_int_equal(r.info->cpus, 4);
		assert_int_equal(r.info->events, files[i].events);
		assert_int_equal(r.info->lost_events, 0);
		assert_int_equal(r.kinds[EVENT_TLBIE] + r.kinds[EVENT_X86_FLUSH], files[i].flushes);
		assert_int_equal(count_of(r.info, "sched:sched_switch"), files[i].switches);
		assert_true(r.info->has_time && r.info->has_irq_flags);
		assert_false(r.info->truncated || r.info->unknown_records);
		reading_free(&r);
	}
}

static void tlbie_operands_are_those_of_perf_script(void **state)
{
	struct reading r = read_path(fixture("perf_ranges_c33_z.perf.data"));
	uint64_t local = 0;

	for (size_t i = 0; i < r.n; i++)
		if (r.list[i].kind == EVENT_TLBIE) {
			local += r.list[i].tlbie.local;
			assert_int_equal(r.list[i].tlbie.r, 1);
			assert_true(r.list[i].tlbie.ric <= 2);
		}
	assert_int_equal(local, 259);
	reading_free(&r);
}

/* The tracer, found by its COMM record; four threads of one group, by FORK records. */
static void tasks_have_names_and_groups(void **state)
{
	struct reading r = read_path(fixture("perf_ranges_c33_z.perf.data"));
	uint64_t flushes = 0, threads = 0;

	for (size_t i = 0; i < r.n; i++) {
		const struct event *ev = &r.list[i];

		if (ev->kind == EVENT_NEWTASK) {
			threads += ev->task.tid != source_tgid(r.src, ev->task.tid);
			assert_int_equal(source_tgid(r.src, ev->task.tid), ev->tgid);
		}
		if (ev->kind != EVENT_TLBIE)
			continue;
		flushes++;
		assert_true(ev->tgid > 0);
	}
	assert_int_equal(threads, 3);
	assert_int_equal(flushes, 1471);
	assert_string_equal(source_comm(r.src, 1), "init");
	assert_int_equal(source_tgid(r.src, 1), 1);
	assert_string_equal(source_comm(r.src, 999999), "");
	assert_int_equal(source_tgid(r.src, 999999), -1);
	reading_free(&r);
}

/* ---- records of perf itself ---- */

static void switch_records_stand_in_for_sched_switch(void **state)
{
	for (size_t i = 0; i < PERF_RECORDINGS; i++) {
		struct recording rec = take_recording(perf_recordings[i]);
		const struct perf_shape plain = { .compressed = 0 };
		const struct reading *was = &rec.original;
		struct block file;
		struct reading r;
		size_t at = 0;

		perf_switches_instead(&rec.parts);
		file = perf_put_together(&rec.parts, &plain);
		r = read_block(&file);
		assert_int_equal(r.kinds[EVENT_SWITCH], was->kinds[EVENT_SWITCH]);
		assert_true(r.kinds[EVENT_SWITCH] > 300);
		assert_int_equal(r.n, was->n);
		for (; at < r.n; at++) {
			const struct event *x = &was->list[at], *y = &r.list[at];

			assert_int_equal(x->kind, y->kind);
			assert_int_equal(x->time_ns, y->time_ns);
			if (x->kind != EVENT_SWITCH)
				continue;
			assert_int_equal(x->sw.prev_tid, y->sw.prev_tid);
			assert_int_equal(x->sw.next_tid, y->sw.next_tid);
			assert_int_equal(!x->sw.prev_state, !y->sw.prev_state);
		}
		assert_int_equal(count_of(r.info, "sched:sched_switch"), 0);
		reading_free(&r);
		free(file.data);
		recording_free(&rec);
	}
}

/* Without their trace events, FORK, EXIT and COMM records tell the same tasks. */
static void task_records_stand_in_for_task_events(void **state)
{
	static const char *const names[][2] = {
		{ "name: task_newtask", "name: task_newtusk" },
		{ "name: sched_process_exec", "name: sched_process_exek" },
		{ "name: sched_process_exit", "name: sched_process_exid" },
		{ "name: sched_process_fork", "name: sched_process_fark" },
	};
	struct recording rec = take_recording(perf_recordings[1]);
	const struct perf_shape plain = { .compressed = 0 };
	struct block file;
	struct reading r;

	for (size_t i = 0; i < 4; i++)
		replace_text(&rec.parts.features[1], names[i][0], names[i][1], 0);
	file = perf_put_together(&rec.parts, &plain);
	r = read_block(&file);
	/* wl_tlb -t 3 makes two more threads, and perf one before the trace events are enabled. */
	assert_int_equal(rec.original.kinds[EVENT_NEWTASK], 2);
	assert_int_equal(r.kinds[EVENT_NEWTASK], 3);
	assert_int_equal(r.kinds[EVENT_EXEC], rec.original.kinds[EVENT_EXEC]);
	assert_int_equal(r.kinds[EVENT_EXIT], rec.original.kinds[EVENT_EXIT]);
	for (size_t i = 0; i < r.n; i++) {
		const struct event *ev = &r.list[i];

		if (ev->kind == EVENT_NEWTASK) {
			assert_int_equal(ev->task.flags, 0x10100);
			assert_int_equal(source_tgid(r.src, ev->task.tid), ev->tgid);
		}
		if (ev->kind == EVENT_EXEC)
			assert_string_equal(ev->task.comm, "wl_tlb");
	}
	reading_free(&r);
	free(file.data);
	recording_free(&rec);
}

static void put_trailer(struct block *to, const uint8_t *sample)
{
	put(to, sample + AT_TID, 8);
	put(to, sample + AT_TIME, 8);
	put(to, sample + AT_CPU, 8);
	put(to, sample + AT_ID, 8);
}

/* Before the n-th sample: what a full ring buffer leaves. */
static void put_lost(struct perf_parts *parts, unsigned n, uint32_t type, uint16_t misc,
		     uint64_t lost)
{
	struct block to = { .long_size = 8 };

	for (size_t at = 0; at < parts->records.size; at += rec_size(&parts->records, at)) {
		const uint8_t *record = parts->records.data + at;

		if (rec_type(&parts->records, at) == T_SAMPLE && !n--) {
			size_t mark = record_begin(&to, type, misc);

			if (type == T_LOST)
				put(&to, record + AT_ID, 8);
			put_u64(&to, lost);
			put_trailer(&to, record);
			record_end(&to, mark);
		}
		put(&to, record, rec_size(&parts->records, at));
	}
	free(parts->records.data);
	parts->records = to;
}

/* At the end of the records, as perf does since v6.1: without time and CPU. */
static void put_lost_at_end(struct perf_parts *parts, uint64_t lost)
{
	size_t at = record_begin(&parts->records, T_LOST_SAMPLES, 0);

	put_u64(&parts->records, lost);
	for (int i = 0; i < 4; i++)
		put_u64(&parts->records, 0);
	record_end(&parts->records, at);
}

static void lost_records_are_counted_and_placed(void **state)
{
	struct recording rec = take_recording(perf_recordings[0]);
	const struct perf_shape shapes[] = { { .compressed = 0 }, { .pipe = true } };

	put_lost(&rec.parts, 700, T_LOST, 0, 11);
	put_lost(&rec.parts, 900, T_LOST, 0, 30);
	put_lost(&rec.parts, 1000, T_LOST_SAMPLES, 1 << 15, 1000); /* a filter's: wanted */
	put_lost_at_end(&rec.parts, 50);			   /* the 41 and 9 more */
	for (size_t i = 0; i < 2; i++) {
		struct block file = perf_put_together(&rec.parts, &shapes[i]);
		struct reading r = read_block(&file);

		assert_int_equal(r.info->lost_events, 50);
		assert_int_equal(r.kinds[EVENT_LOST], 2);
		for (size_t j = 0; j + 1 < r.n; j++) {
			if (r.list[j].kind != EVENT_LOST)
				continue;
			assert_true(r.list[j].lost == 11 || r.list[j].lost == 30);
			assert_int_equal(r.list[j].time_ns, r.list[j + 1].time_ns);
		}
		assert_int_equal(r.info->events, 1830);
		reading_free(&r);
		free(file.data);
	}
	recording_free(&rec);
}

/* Between the records: types that nobody knows, of perf's and of the kernel's, and AUX data. */
static void put_strangers(struct perf_parts *parts)
{
	static const uint8_t data[300000]; /* zeros: bad records, if they were taken for some */
	struct block to = { .long_size = 8 };
	size_t half = 0, aux;

	while (half < parts->records.size / 2)
		half = rec_next(&parts->records, half);
	put(&to, parts->records.data, half);
	put_record(&to, 4711, 8);
	put_record(&to, 40, 64);
	aux = to.size;
	put_record(&to, T_AUXTRACE, 40);
	patch_u64(&to, aux + 8, sizeof(data));
	put(&to, data, sizeof(data));
	put(&to, parts->records.data + half, parts->records.size - half);
	free(parts->records.data);
	parts->records = to;
}

static void aux_data_is_skipped_and_unknown_records_are_counted(void **state)
{
	const struct perf_shape shapes[] = { { .compressed = 0 }, { .pipe = true } };
	struct recording rec = take_recording(perf_recordings[0]);

	put_strangers(&rec.parts);
	for (size_t i = 0; i < 2; i++) {
		struct block file = perf_put_together(&rec.parts, &shapes[i]);
		struct error err = { 0 };
		struct pipe_writer w;
		struct reading r = i ? read_source(open_pipe(&w, &file, false, &err), &err)
				     : read_block(&file);

		if (i)
			pipe_writer_end(&w);
		assert_same_events(&rec.original, &r);
		assert_int_equal(r.info->events, 1830);
		assert_int_equal(r.info->unknown_records, 2);
		assert_int_equal(le(file.data + r.info->unknown_offset, 4), 4711);
		reading_free(&r);
		free(file.data);
	}
	recording_free(&rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_perf_scripts),
		cmocka_unit_test(tlbie_operands_are_those_of_perf_script),
		cmocka_unit_test(tasks_have_names_and_groups),
		cmocka_unit_test(switch_records_stand_in_for_sched_switch),
		cmocka_unit_test(task_records_stand_in_for_task_events),
		cmocka_unit_test(lost_records_are_counted_and_placed),
		cmocka_unit_test(aux_data_is_skipped_and_unknown_records_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
