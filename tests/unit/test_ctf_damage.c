/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_ctf_damage.c - damaged CTF directories: an error with a text, or what can be read; never a
 * crash or a hang, and no silence about a stream that was cut.
 *
 * TLBTRACE_MUTATIONS says how many of each kind (default 12). The mutations are pseudo-random with a
 * fixed seed, so a failure repeats; the message names file, kind and number.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/source.h"
#include "ctfbuild.h"
#include "damage.h"

#define MAX_FILES 16
#define MAX_BYTES (1u << 20)

static const char *const fixtures[] = {
	"ctf_ranges_c33.ctf.tar.gz", /* perf data convert */
	"ctf_own_shm.ctf.tar.gz",    /* our own: with arrays, which libbabeltrace2 crashes on */
};

struct file {
	char name[64];
	uint8_t *data;
	size_t size;
};

struct trace_files {
	struct ctf_dir dir;
	struct file files[MAX_FILES];
	size_t n;
};

/* libbabeltrace2 2.0 forgets a few hundred bytes of some damaged metadata. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libglib-2.0\n";
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void load_file(struct trace_files *t, const char *name)
{
	struct file *file = &t->files[t->n];
	char path[256];
	FILE *f;

	snprintf(file->name, sizeof(file->name), "%s", name);
	snprintf(path, sizeof(path), "%s/%s", t->dir.path, name);
	f = fopen(path, "r");
	assert_non_null(f);
	file->data = malloc(MAX_BYTES);
	assert_non_null(file->data);
	file->size = fread(file->data, 1, MAX_BYTES, f);
	fclose(f);
	if (file->size)
		t->n++;
	else
		free(file->data);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void load(struct trace_files *t, const char *fixture)
{
	struct dirent **list;
	int n;

	t->n = 0;
	ctf_dir_make(&t->dir);
	ctf_dir_unpack(&t->dir, fixture);
	n = scandir(t->dir.path, &list, NULL, by_name);
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			load_file(t, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	assert_in_range(t->n, 3, MAX_FILES);
}

static void unload(struct trace_files *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->files[i].data);
	ctf_dir_remove(&t->dir);
}

static struct source *open_directory(void *of, struct error *err)
{
	return source_open(of, err);
}

static struct outcome read_trace(struct trace_files *t)
{
	return damage_read(open_directory, t->dir.path);
}

/* Changes the bytes, or cuts them; returns how many are left. */
typedef size_t (*mutate_fn)(uint8_t *data, size_t size, uint64_t *seed, unsigned i);

static size_t cut(uint8_t *data, size_t size, uint64_t *seed, unsigned i)
{
	size_t left = i % 4 == 3 ? size - 1 - next_random(seed) % (size < 4096 ? size : 4096)
				 : next_random(seed) % size;

	memset(data + left, 0, size - left); /* nobody has them any more */
	return left;
}

static size_t flip(uint8_t *data, size_t size, uint64_t *seed, unsigned i)
{
	/* one to four bytes; every other time all near the beginning, where the heads are */
	for (unsigned n = 0; n <= i % 4; n++)
		data[next_random(seed) %
		     (i % 2 && size > 400 ? 400 : size)] ^= (uint8_t)(1 + next_random(seed) % 255);
	return size;
}

static size_t zero(uint8_t *data, size_t size, uint64_t *seed, unsigned i)
{
	size_t len = (size_t)1 << (2 + i % 14), at = next_random(seed) % size;

	memset(data + at, i % 3 ? 0 : 0xff, len < size - at ? len : size - at);
	return size;
}

static struct outcome read_mutated(struct trace_files *t, mutate_fn mutate, uint64_t *seed,
				   unsigned i)
{
	const struct file *file = &t->files[next_random(seed) % t->n];
	uint8_t *copy = malloc(file->size);
	struct outcome out;
	size_t size;

	assert_non_null(copy);
	memcpy(copy, file->data, file->size);
	size = mutate(copy, file->size, seed, i);
	print_message("%s %s %u\n", t->dir.path, file->name, i);
	ctf_dir_write(&t->dir, file->name, copy, size);
	out = read_trace(t);
	ctf_dir_write(&t->dir, file->name, file->data, file->size);
	free(copy);
	return out;
}

static void survive(mutate_fn mutate, bool always_noticed)
{
	for (size_t f = 0; f < sizeof(fixtures) / sizeof(fixtures[0]); f++) {
		uint64_t seed = 100 + f;
		struct trace_files t;
		struct outcome whole;
		unsigned noticed = 0;

		load(&t, fixtures[f]);
		whole = read_trace(&t);
		assert_false(whole.noticed);
		assert_true(whole.events > 1000);
		for (unsigned i = 0; i < mutations(); i++) {
			struct outcome out = read_mutated(&t, mutate, &seed, i);

			assert_true(out.noticed || !always_noticed);
			noticed += out.noticed;
		}
		assert_true(noticed > 0);
		assert_int_equal(read_trace(&t).events, whole.events);
		unload(&t);
	}
}

static void cuts_are_noticed(void **state)
{
	survive(cut, true);
}

static void flips(void **state)
{
	survive(flip, false);
}

static void zeroed_blocks(void **state)
{
	survive(zero, false);
}

/* An export knows what was in it. */
static void missing_stream(void **state)
{
	struct trace_files t;
	char path[256];

	load(&t, fixtures[1]);
	for (size_t i = 0; i < t.n; i++) {
		if (strcmp(t.files[i].name, "stream") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", t.dir.path, t.files[i].name);
		unlink(path);
		assert_true(read_trace(&t).noticed);
	}
	unload(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_are_noticed),
		cmocka_unit_test(flips),
		cmocka_unit_test(zeroed_blocks),
		cmocka_unit_test(missing_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
