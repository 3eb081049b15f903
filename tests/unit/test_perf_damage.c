/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_perf_damage.c - damaged perf.data files and pipes: an error with a text, or what can be read;
 * never a crash or a hang, and never silence about a file that was cut.
 *
 * TLBTRACE_MUTATIONS says how many of each kind (default 12). The mutations are pseudo-random with a
 * fixed seed, so a failure repeats; the message names container, kind and number.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "damage.h"
#include "perfbuild.h"
#include "pipes.h"

#define SECONDS 60 /* that reading one of these files may take; alarm's signal ends the test */

static const struct container {
	const char *name;
	const char *recording;
	struct perf_shape shape;
	bool live; /* read from a pipe */
} containers[] = {
	{ "plain", "perf_ranges_c33_z.perf.data", { .compressed = 0 }, false },
	{ "zstd", "perf_x86_z.perf.data", { .compressed = T_COMPRESSED }, false },
	{ "zstd2 big-endian",
	  "perf_x86_z.perf.data",
	  { .compressed = T_COMPRESSED2, .big_endian = true },
	  false },
	{ "pipe in a file", "perf_x86_z.perf.data", { .pipe = true }, false },
	{ "pipe", "perf_ranges_c33_z.perf.data", { .pipe = true }, true },
	{ "pipe zstd", "perf_x86_z.perf.data", { .pipe = true, .compressed = T_COMPRESSED }, true },
};
#define CONTAINERS (sizeof(containers) / sizeof(containers[0]))

struct outcome {
	uint64_t events;
	bool opened;
	bool noticed; /* an error, or something in source_info */
};

static struct block build(const struct container *c)
{
	struct block file = read_fixture(c->recording), to;
	struct perf_parts parts = perf_take_apart(&file);

	to = perf_put_together(&parts, &c->shape);
	perf_parts_free(&parts);
	free(file.data);
	return to;
}

static void check_info(const struct source_info *info, struct outcome *out)
{
	out->noticed = info->truncated || info->lost_events || info->lost_unknown ||
		       info->unknown_records;
	if (info->truncated)
		assert_true(info->truncated_text[0]);
	assert_null(strchr(info->truncated_text, '\n'));
	out->events = info->events;
}

static void read_cpus(struct source *src, struct outcome *out)
{
	struct error err = { 0 };
	struct event ev;

	for (uint32_t cpu = 0; cpu < source_info(src)->cpus; cpu++) {
		uint64_t last = 0;
		int got;

		while ((got = source_next(src, cpu, &ev, &err)) > 0) {
			assert_true(ev.time_ns >= last);
			assert_int_equal(ev.cpu, cpu);
			assert_true(ev.kind <= EVENT_LOST);
			last = ev.time_ns;
		}
		if (got) {
			assert_true(err.class && err.text[0]);
			out->noticed = true;
			return;
		}
	}
}

static struct outcome read_source(struct source *src, const struct error *err)
{
	struct outcome out = { 0 };
	bool noticed;

	if (!src) {
		assert_int_equal(err->class, ERROR_INPUT);
		assert_true(err->text[0]);
		out.noticed = true;
		return out;
	}
	out.opened = true;
	read_cpus(src, &out);
	noticed = out.noticed;
	check_info(source_info(src), &out);
	out.noticed |= noticed;
	source_close(src);
	return out;
}

static struct outcome read_damaged(const struct container *c, const struct block *file)
{
	struct error err = { 0 };
	struct pipe_writer w;
	struct outcome out;

	alarm(SECONDS);
	if (c->live) {
		out = read_source(open_pipe(&w, file, false, &err), &err);
		pipe_writer_end(&w);
	} else {
		out = read_source(open_block(file, &err), &err);
	}
	alarm(0);
	return out;
}

/* Whether a cut there leaves a pipe that ends between two records: nothing says that more follows. */
static bool is_between_records(const struct container *c, const struct block *file, size_t size)
{
	size_t at = 16;

	if (!c->shape.pipe)
		return false;
	while (at < size) {
		size_t next = at + rec_size(file, at);

		if (rec_type(file, at) == T_TRACING_DATA)
			next += le(file->data + at + 8, 4);
		at = next;
	}
	return at == size;
}

static void cuts_are_noticed(void **state)
{
	for (size_t f = 0; f < CONTAINERS; f++) {
		const struct container *c = &containers[f];
		struct block file = build(c), copy = file;
		size_t size = file.size;
		uint64_t total = read_damaged(c, &file).events;
		uint64_t seed = 1 + f;

		assert_true(total > 900);
		for (unsigned i = 0; i < mutations(); i++) {
			struct outcome out;

			/* half of them in the headers or the last few KB */
			copy.size = next_random(&seed) % size;
			if (i % 4 == 1)
				copy.size %= 8192;
			else if (i % 4 == 3)
				copy.size = size - 1 - copy.size % 4096;
			print_message("%s cut at %zu of %zu\n", c->name, copy.size, size);
			out = read_damaged(c, &copy);
			assert_true(out.noticed || is_between_records(c, &file, copy.size));
			assert_true(out.events <= total);
		}
		free(file.data);
	}
}

static void survive(void (*mutate)(struct block *, uint64_t *, unsigned), const char *kind)
{
	for (size_t f = 0; f < CONTAINERS; f++) {
		const struct container *c = &containers[f];
		struct block file = build(c);
		uint64_t seed = 100 + f;
		unsigned noticed = 0;

		for (unsigned i = 0; i < mutations(); i++) {
			struct block damaged = { .long_size = 8 };

			put(&damaged, file.data, file.size);
			mutate(&damaged, &seed, i);
			print_message("%s %s %u\n", c->name, kind, i);
			noticed += read_damaged(c, &damaged).noticed;
			free(damaged.data);
		}
		print_message("%s %s: %u of %u noticed\n", c->name, kind, noticed, mutations());
		free(file.data);
	}
}

static void flipped_bytes_are_survived(void **state)
{
	survive(flip_bits, "flipped");
}

static void zeroed_blocks_are_survived(void **state)
{
	survive(zero_block, "zeroed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_are_noticed),
		cmocka_unit_test(flipped_bytes_are_survived),
		cmocka_unit_test(zeroed_blocks_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
