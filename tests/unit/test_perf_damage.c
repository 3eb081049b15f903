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

static struct block build(const struct container *c)
{
	struct block file = read_fixture(c->recording), to;
	struct perf_parts parts = perf_take_apart(&file);

	to = perf_put_together(&parts, &c->shape);
	perf_parts_free(&parts);
	free(file.data);
	return to;
}

struct damaged {
	struct block *file;
	struct pipe_writer writer;
};

static struct source *open_file(void *of, struct error *err)
{
	return open_block(((struct damaged *)of)->file, err);
}

static struct source *open_live(void *of, struct error *err)
{
	struct damaged *d = of;

	return open_pipe(&d->writer, d->file, false, err);
}

static struct outcome read_damaged(const void *of, struct block *file)
{
	const struct container *c = of;
	struct damaged d = { .file = file };
	struct outcome out = damage_read(c->live ? open_live : open_file, &d);

	if (c->live)
		pipe_writer_end(&d.writer);
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

			copy.size = cut_at(size, &seed, i);
			print_message("%s cut at %zu of %zu\n", c->name, copy.size, size);
			out = read_damaged(c, &copy);
			assert_true(out.noticed || is_between_records(c, &file, copy.size));
			assert_true(out.events <= total);
		}
		free(file.data);
	}
}

static void damage_is_survived(void **state)
{
	for (size_t f = 0; f < CONTAINERS; f++) {
		struct block file = build(&containers[f]);

		damage_and_read(&file, containers[f].name, 100 + f, read_damaged, &containers[f]);
		free(file.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_are_noticed),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
