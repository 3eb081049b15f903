/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfread.c - recordings read whole, and whether two readings are the same. */
#include "perfread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "pipes.h"

const char *const perf_recordings[PERF_RECORDINGS] = {
	"perf_ranges_c33_z.perf.data",
	"perf_x86_z.perf.data",
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

struct reading read_source(struct source *src, const struct error *why)
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

struct reading read_path(const char *path)
{
	struct error err = { 0 };

	return read_source(source_open(path, &err), &err);
}

struct reading read_block(const struct block *file)
{
	struct error err = { 0 };

	return read_source(open_block(file, &err), &err);
}

void reading_free(struct reading *r)
{
	source_close(r->src);
	free(r->list);
}

uint64_t count_of(const struct source_info *info, const char *name)
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

void assert_same_names(const struct reading *a, const struct reading *b, bool late)
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

void assert_same_events(const struct reading *a, const struct reading *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		struct event x = a->list[i], y = b->list[i];

		x.offset = y.offset = 0;
		assert_memory_equal(&x, &y, sizeof(x));
	}
}

void assert_same_info(const struct source_info *a, const struct source_info *b)
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

struct recording take_recording(const char *name)
{
	struct block file = read_fixture(name);
	struct recording rec = { read_path(fixture(name)), perf_take_apart(&file) };

	free(file.data);
	return rec;
}

void recording_free(struct recording *rec)
{
	reading_free(&rec->original);
	perf_parts_free(&rec->parts);
}

void check_changed(struct recording *rec, bool late)
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
