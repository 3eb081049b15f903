/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_tracedat_damage.c - damaged trace.dat files: an error with a text, or what can be read; never
 * a crash or a hang, and never silence about a file that was cut.
 *
 * TLBTRACE_MUTATIONS says how many of each kind (default 12). The mutations are pseudo-random with a
 * fixed seed, so a failure repeats; the message names file, kind and number.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "damage.h"
#include "tracebuild.h"

static const char *const files[] = {
	"slim_shm_c34.dat",		       /* version 7, zstd */
	"slim_shm_c34_v7none.dat",	       /* version 7, not compressed */
	"slim_shm_c34_v6.dat", "x86_inst.dat", /* two buffers */
};

static struct source *open_file(void *of, struct error *err)
{
	return open_block(of, err);
}

static struct outcome read_damaged(const void *of, struct block *file)
{
	(void)of;
	return damage_read(open_file, file);
}

/* Where version 7's last section, the strings, begins: nothing before it depends on it. */
static size_t strings_at(const struct block *file)
{
	size_t at = file->size;

	if (file->data[10] != '7')
		return at;
	while (at > 16 && !(file->data[at - 16] == 15 && !file->data[at - 15] &&
			    file->data[at - 14] <= 1 && !file->data[at - 13]))
		at--;
	return at - 16;
}

static void cuts_are_noticed(void **state)
{
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
		struct block file = read_fixture(files[f]);
		size_t strings = strings_at(&file), size = file.size;
		uint64_t total = read_damaged(NULL, &file).events;
		uint64_t seed = 1 + f;
		unsigned opened = 0;

		for (unsigned i = 0; i < mutations(); i++) {
			struct outcome out;

			file.size = cut_at(size, &seed, i);
			print_message("%s cut at %zu\n", files[f], file.size);
			out = read_damaged(NULL, &file);
			assert_true(out.noticed || file.size == strings);
			assert_true(out.events <= total);
			opened += out.opened;
		}
		file.size = size;
		assert_true(opened > 0);
		free(file.data);
	}
}

/* trace-cmd may write the file anew while it is read. */
static void file_that_shrinks_is_cut(void **state)
{
	struct block file = read_fixture("slim_shm_c34_v6.dat");
	uint64_t total = read_damaged(NULL, &file).events, seen = 0;
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);
	struct source *src;
	struct event ev;
	struct error err;
	char path[64];

	assert_int_equal(write(fd, file.data, file.size), (ssize_t)file.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	src = source_open(path, &err);
	assert_non_null(src);
	assert_int_equal(ftruncate(fd, (off_t)(file.size / 2)), 0);
	for (uint32_t cpu = 0; cpu < source_info(src)->cpus; cpu++)
		while (source_next(src, cpu, &ev, &err) > 0)
			seen++;
	assert_true(source_info(src)->events < total);
	assert_true(source_info(src)->truncated);
	assert_non_null(strstr(source_info(src)->truncated_text, "cannot be read from here on"));
	assert_true(seen > 0);
	source_close(src);
	close(fd);
	free(file.data);
}

static void damage_is_survived(void **state)
{
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
		struct block file = read_fixture(files[f]);

		damage_and_read(&file, files[f], 100 + f, read_damaged, NULL);
		free(file.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_are_noticed),
		cmocka_unit_test(file_that_shrinks_is_cut),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
