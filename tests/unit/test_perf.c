/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_perf.c - recorded perf.data files give what perf script counted in them, and one recording
 * gives the same events from every container, byte order and layout.
 */
#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/trace.h"
#include "perfbuild.h"
#include "pipes.h"

#define KINDS (EVENT_LOST + 1)

static const char *const recordings[] = { "perf_ranges_c33_z.perf.data", "perf_x86_z.perf.data" };
#define RECORDINGS (sizeof(recordings) / sizeof(recordings[0]))

/* Everything that a source gives. */
struct reading {
	struct event *list; /* CPU after CPU */
	size_t n;
	size_t room;
	uint64_t kinds[KINDS];
	struct source *src; /* at its end */
	const struct source_info *info;
};

static void keep(struct reading *r, const struct event *ev)
{
	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : 1024;
		r->list = realloc(r->list, r->room * sizeof(*r->list));
		assert_non_null(r->list);
	}
	r->list[r->n++] = *ev;
	r->kinds[ev->kind]++;
}

static struct reading read_source(struct source *src, const struct error *why)
{
	struct reading r = { .src = src };
	struct error err;
	struct event ev;

	if (!src)
		fail_msg("%s", why->text);
	for (uint32_t cpu = 0; cpu < source_info(src)->cpus; cpu++) {
		uint64_t last = 0;
		int got;

		memset(&ev, 0, sizeof(ev));
		while ((got = source_next(src, cpu, &ev, &err)) > 0) {
			assert_true(ev.time_ns >= last);
			assert_int_equal(ev.cpu, cpu);
			last = ev.time_ns;
			keep(&r, &ev);
			memset(&ev, 0, sizeof(ev));
		}
		if (got)
			fail_msg("%s", err.text);
	}
	r.info = source_info(src);
	return r;
}

static struct reading read_path(const char *path)
{
	struct error err = { 0 };

	return read_source(source_open(path, &err), &err);
}

static struct reading read_block(const struct block *file)
{
	struct error err = { 0 };

	return read_source(open_block(file, &err), &err);
}

static void reading_free(struct reading *r)
{
	source_close(r->src);
	free(r->list);
}

static uint64_t count_of(const struct source_info *info, const char *name)
{
	for (size_t i = 0; i < info->n_counts; i++)
		if (!strcmp(info->counts[i].name, name))
			return info->counts[i].count;
	return 0;
}

static bool is_renamed(const struct reading *r, int32_t tid)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->list[i].kind == EVENT_RENAME && r->list[i].task.tid == tid)
			return true;
	return false;
}

/* late: what names tasks had before they were renamed comes too late, or not at all. */
static void assert_same_names(const struct reading *a, const struct reading *b, bool late)
{
	int32_t last = -1;

	for (size_t i = 0; i < a->n; i++) {
		int32_t tid = a->list[i].tid;

		if (tid == last)
			continue;
		last = tid;
		assert_int_equal(source_tgid(a->src, tid), source_tgid(b->src, tid));
		if (!late || !is_renamed(a, tid))
			assert_string_equal(source_comm(a->src, tid), source_comm(b->src, tid));
	}
}

/* What was sampled must be equal; where it was and how a container is called may differ. */
static void assert_same_events(const struct reading *a, const struct reading *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		struct event x = a->list[i], y = b->list[i];

		x.offset = y.offset = 0;
		assert_memory_equal(&x, &y, sizeof(x));
	}
}

static void assert_same_info(const struct source_info *a, const struct source_info *b)
{
	assert_string_equal(a->kernel, b->kernel);
	assert_string_equal(a->arch, b->arch);
	assert_string_equal(a->clock, b->clock);
	assert_string_equal(a->tool, b->tool);
	assert_int_equal(a->page_size, b->page_size);
	assert_int_equal(a->cpus, b->cpus);
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->lost_events, b->lost_events);
	assert_int_equal(a->n_counts, b->n_counts);
	for (size_t i = 0; i < a->n_counts; i++)
		assert_int_equal(a->counts[i].count, b->counts[i].count);
	assert_false(a->truncated || b->truncated);
	assert_int_equal(a->unknown_records + b->unknown_records, 0);
}

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

/* ---- containers ---- */

/* The recording as perf wrote it, and its parts. */
struct recording {
	struct reading original;
	struct perf_parts parts;
};

static struct recording take(const char *name)
{
	struct block file = read_fixture(name);
	struct recording rec = { read_path(fixture(name)), perf_take_apart(&file) };

	free(file.data);
	return rec;
}

static void recording_free(struct recording *rec)
{
	reading_free(&rec->original);
	perf_parts_free(&rec->parts);
}

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

	for (size_t i = 0; i < RECORDINGS; i++) {
		struct recording rec = take(recordings[i]);

		for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++) {
			print_message("%s as %zu: %s\n", recordings[i], j, shapes[j].format);
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

	for (size_t i = 0; i < RECORDINGS; i++) {
		struct recording rec = take(recordings[i]);

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
	for (unsigned i = 0; i < 2 * RECORDINGS; i++) {
		struct recording rec = take(recordings[i / 2]);
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

/* Reads the changed recording from files and pipes. */
static void check_changed(struct recording *rec, bool late)
{
	const struct perf_shape shapes[] = {
		{ .compressed = 0 },
		{ .compressed = T_COMPRESSED },
		{ .pipe = true },
		{ .pipe = true, .compressed = T_COMPRESSED },
	};

	for (unsigned i = 0; i < 4; i++) {
		struct block file = perf_put_together(&rec->parts, &shapes[i]);
		struct reading r = read_block(&file);
		struct pipe_writer w;
		struct error err = { 0 };

		assert_same_events(&rec->original, &r);
		assert_same_names(&rec->original, &r, late);
		assert_same_info(rec->original.info, r.info);
		reading_free(&r);
		if (i >= 2) {
			r = read_source(open_pipe(&w, &file, false, &err), &err);
			pipe_writer_end(&w);
			assert_same_events(&rec->original, &r);
			assert_same_names(&rec->original, &r, late);
			reading_free(&r);
		}
		free(file.data);
	}
	recording_free(rec);
}

static void rounds_are_not_needed(void **state)
{
	for (size_t i = 0; i < RECORDINGS; i++) {
		struct recording rec = take(recordings[i]);

		perf_drop_rounds(&rec.parts);
		check_changed(&rec, false);
	}
}

static void rounds_written_backwards_are_put_in_order(void **state)
{
	/* Not the other recording: it has events of equal time, whose order is lost. */
	struct recording rec = take(recordings[0]);

	perf_reverse(&rec.parts);
	check_changed(&rec, false);
}

static void without_rounds_all_backwards_is_put_in_order(void **state)
{
	struct recording rec = take(recordings[0]);

	perf_drop_rounds(&rec.parts);
	perf_reverse(&rec.parts);
	check_changed(&rec, true);
}

static void names_at_the_end_are_found(void **state)
{
	for (size_t i = 0; i < RECORDINGS; i++) {
		struct recording rec = take(recordings[i]);

		perf_tail_synthesize(&rec.parts);
		check_changed(&rec, true);
	}
}

/* The workload's process, forked by perf before the recording, by its first name and its next. */
static void names_are_those_of_the_time(void **state)
{
	struct recording rec = take(recordings[0]);
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
		struct recording rec = take(recordings[i % RECORDINGS]);

		print_message("sample_type %#" PRIx64 " read_format %#" PRIx64 "\n",
			      layouts[i].type, layouts[i].read_format);
		perf_widen(&rec.parts, layouts[i].type, layouts[i].read_format);
		check_changed(&rec, false);
	}
}

/* Attributes without the dummy, so that all are alike and nothing has an id. */
static void events_of_one_layout_need_no_ids(void **state)
{
	struct recording rec = take(recordings[0]);
	struct perf_parts *parts = &rec.parts;

	perf_widen(parts, 0x486, 0);
	for (unsigned i = 0; i < parts->n_attrs; i++)
		parts->ids[i].size = 0;
	parts->attrs[parts->n_attrs - 1].data[25] |= 4; /* RAW for the dummy, too */
	check_changed(&rec, false);
}

static void different_layouts_without_ids_are_refused(void **state)
{
	struct recording rec = take(recordings[0]);
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
	struct recording rec = take(recordings[0]);
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
		struct recording rec = take(recordings[1]);
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

/* ---- records of perf itself ---- */

static void switch_records_stand_in_for_sched_switch(void **state)
{
	for (size_t i = 0; i < RECORDINGS; i++) {
		struct recording rec = take(recordings[i]);
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
	struct recording rec = take(recordings[1]);
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
	struct recording rec = take(recordings[0]);
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

static void put_record(struct block *to, uint32_t type, size_t body)
{
	size_t at = record_begin(to, type, 0);

	pad_to(to, to->size + body);
	record_end(to, at);
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
	struct recording rec = take(recordings[0]);

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

/* ---- limits ---- */

/* A pipe without rounds, in which a sample is followed by 60 KB of something else, 6000 times. */
static void a_pipe_without_rounds_ends_at_a_stated_cap(void **state)
{
	struct recording rec = take(recordings[0]);
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
	for (int i = 0; i < 6000; i++)
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

/* Appends 360 MB: a sample of CPU 1, then rounds with one sample each of CPU 0, one a millisecond. */
static void put_rounds_of_one_cpu(struct block *flood, const struct perf_parts *parts)
{
	uint64_t time = latest_time(&parts->records);
	size_t flush = first_sample(parts, 0);

	put_sample(flood, &parts->records, flush, ++time, 1);
	for (int i = 0; i < 6000; i++) {
		time += 1000000;
		put_sample(flood, &parts->records, flush, time, 0);
		put_record(flood, 10, 60000);
		put_record(flood, T_ROUND, 8);
	}
}

/* More than the cap, while the other CPUs have nothing, and one of them has flushed last. */
static void a_pipe_with_rounds_may_be_of_any_length(void **state)
{
	struct recording rec = take(recordings[0]);
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
	assert_int_equal(trace.info->events, rec.original.info->events + 6001);
	assert_int_equal(trace.info->truncated, false);
	trace_close(&trace);
	close(fd);
	pipe_writer_end(&w);
	free(flood.data);
	recording_free(&rec);
}

static void a_pipe_that_describes_itself_too_late_is_refused(void **state)
{
	struct recording rec = take(recordings[0]);
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
		cmocka_unit_test(counts_are_perf_scripts),
		cmocka_unit_test(tlbie_operands_are_those_of_perf_script),
		cmocka_unit_test(tasks_have_names_and_groups),
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
		cmocka_unit_test(switch_records_stand_in_for_sched_switch),
		cmocka_unit_test(task_records_stand_in_for_task_events),
		cmocka_unit_test(lost_records_are_counted_and_placed),
		cmocka_unit_test(aux_data_is_skipped_and_unknown_records_are_counted),
		cmocka_unit_test(a_pipe_without_rounds_ends_at_a_stated_cap),
		cmocka_unit_test(a_pipe_with_rounds_may_be_of_any_length),
		cmocka_unit_test(a_pipe_that_describes_itself_too_late_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
