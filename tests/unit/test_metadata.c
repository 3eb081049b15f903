/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_metadata.c - what `tlbtrace record` noted of the machine, read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyze/metadata.h"

static bool take(struct metadata *m, const char *text)
{
	return metadata_take(m, text, strlen(text));
}

/* The line that a POWER9 guest of QEMU gives, as recorded there. */
static const char
	power9[] = "tlbtrace: version=1 kernel=6.1.0-50-powerpc64le arch=ppc64le cpu=POWER9 revision=2.0 "
		   "mmu=radix guest=yes gtse=on cpus=4 page-size=65536 thp=always ceiling=33 "
		   "local-ceiling=256 tlbie=on\n";

static void values_become_parameters(void **state)
{
	struct metadata m = { 0 };
	uint64_t v;

	assert_true(take(&m, power9));
	assert_true(metadata_param(&m, PARAM_CEILING, &v));
	assert_int_equal(v, 33);
	assert_true(metadata_param(&m, PARAM_LOCAL_CEILING, &v));
	assert_int_equal(v, 256);
	assert_true(metadata_param(&m, PARAM_PAGE_SIZE, &v));
	assert_int_equal(v, 65536);
	assert_true(metadata_param(&m, PARAM_TLBIE, &v));
	assert_int_equal(v, 1);
	assert_true(metadata_param(&m, PARAM_THP_PASS, &v));
	assert_int_equal(v, 1);
	assert_true(metadata_param(&m, PARAM_SETS, &v));
	assert_int_equal(v, 128);
	assert_false(metadata_param(&m, PARAM_PWC, &v));
	assert_string_equal(metadata_value(&m, "gtse"), "on");
	assert_null(metadata_value(&m, "nothing"));
	assert_int_equal(m.n_lines, 1);
	assert_int_equal(m.unusable, 0);
	metadata_free(&m);
}

static uint64_t fixups_of(const char *words)
{
	struct metadata m = { 0 };
	char line[128];
	uint64_t v = 99;

	(void)snprintf(line, sizeof(line), METADATA_PREFIX "%s", words);
	assert_true(take(&m, line));
	if (!metadata_param(&m, PARAM_FIXUPS, &v))
		v = 99;
	metadata_free(&m);
	return v;
}

static void fixups_follow_from_the_processor(void **state)
{
	assert_int_equal(fixups_of("cpu=POWER9 revision=2.0"), FIXUPS_ERAT_STQ);
	assert_int_equal(fixups_of("cpu=POWER9 revision=2.2"), FIXUPS_ERAT_STQ);
	assert_int_equal(fixups_of("cpu=POWER9 revision=2.3"), FIXUPS_ERAT);
	assert_int_equal(fixups_of("cpu=POWER10 revision=2.0"), FIXUPS_NONE);
	assert_int_equal(fixups_of("cpu=POWER9"), 99);
	assert_int_equal(fixups_of("cpu=AMD%20EPYC"), 99);
}

static void tasks_keep_their_names(void **state)
{
	struct metadata m = { 0 };

	assert_true(
		take(&m, METADATA_PREFIX "tasks=1:1:1:init,2:2:0:kthreadd,11:11:0:kworker/0%3A1"));
	assert_true(take(&m, METADATA_PREFIX "tasks=408:408:408:a%2Cb%20%25,409:408:408:shm\n"));
	assert_int_equal(m.n_tasks, 5);
	assert_int_equal(m.tasks[1].mm, 0);
	assert_string_equal(m.tasks[2].comm, "kworker/0:1");
	assert_string_equal(m.tasks[3].comm, "a,b %");
	assert_int_equal(m.tasks[4].tid, 409);
	assert_int_equal(m.tasks[4].tgid, 408);
	assert_int_equal(m.tasks[4].mm, 408);
	assert_int_equal(m.unusable, 0);
	metadata_free(&m);
}

static void the_last_value_counts(void **state)
{
	struct metadata m = { 0 };
	uint64_t v;

	assert_true(take(&m, power9));
	assert_true(take(&m, METADATA_PREFIX "ceiling=8"));
	assert_true(metadata_param(&m, PARAM_CEILING, &v));
	assert_int_equal(v, 8);
	metadata_free(&m);
}

static void other_text_is_left_alone(void **state)
{
	struct metadata m = { 0 };

	assert_false(take(&m, "hello"));
	assert_false(take(&m, ""));
	assert_false(take(&m, "tlbtrace"));
	assert_int_equal(m.unusable, 0);
	assert_true(take(&m, "tlbtrace: version=2 ceiling=7"));
	assert_true(take(&m, "tlbtrace: "));
	assert_null(metadata_value(&m, "ceiling"));
	assert_int_equal(m.n_lines, 0);
	assert_int_equal(m.unusable, 2);
	metadata_free(&m);
}

static void what_is_malformed_costs_only_itself(void **state)
{
	struct metadata m = { 0 };
	uint64_t v;

	assert_true(take(&m, METADATA_PREFIX
			 "word =x ceiling=many tasks=1:1,x:1:1:a,-1:1:1:b,99999999999:1:1:c,7:7:7:d "
			 "cpu=%zz%4 local-ceiling=9"));
	assert_int_equal(m.unusable, 6);
	assert_int_equal(m.n_tasks, 1);
	assert_int_equal(m.tasks[0].tid, 7);
	assert_false(metadata_param(&m, PARAM_CEILING, &v));
	assert_string_equal(metadata_value(&m, "cpu"), "%zz%4");
	assert_true(metadata_param(&m, PARAM_LOCAL_CEILING, &v));
	assert_int_equal(v, 9);
	metadata_free(&m);
}

/* A marker is not terminated: nothing behind its length may be read. */
static void length_is_respected(void **state)
{
	struct metadata m = { 0 };
	static const char line[] = METADATA_PREFIX "ceiling=12";
	size_t len = sizeof(line) - 1;
	char *text = malloc(len);

	assert_non_null(text);
	for (size_t i = 0; i < len; i++)
		text[i] = line[i];
	for (size_t n = 0; n <= len; n++)
		(void)metadata_take(&m, text, n);
	assert_string_equal(metadata_value(&m, "ceiling"), "12");
	free(text);
	metadata_free(&m);
}

static void escaping_comes_back(void **state)
{
	static const char odd[] = "a b,c:d%e\n\x7f\xc3\xa9";
	char line[128] = METADATA_PREFIX "cpu=";
	size_t len = strlen(line), n;
	struct metadata m = { 0 };

	n = metadata_escape(line + len, sizeof(line) - len, odd);
	assert_int_equal(len + n, strlen(line));
	assert_true(take(&m, line));
	assert_string_equal(metadata_value(&m, "cpu"), odd);
	assert_int_equal(metadata_escape(line, 5, "    "), 3); /* whole escapes only */
	assert_string_equal(line, "%20");
	metadata_free(&m);
}

static void side_file_is_found(void **state)
{
	char path[] = "/tmp/tlbmetaXXXXXX";
	char side[64];
	int fd = mkstemp(path);
	struct metadata m = { 0 };
	struct error err;
	FILE *f;

	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(metadata_take_side_file(&m, path, &err), 0);
	(void)snprintf(side, sizeof(side), "%s" METADATA_SUFFIX, path);
	f = fopen(side, "w");
	assert_non_null(f);
	(void)fprintf(f, "%s" METADATA_PREFIX "tasks=1:1:1:init\nnoise\n", power9);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(metadata_take_side_file(&m, path, &err), 1);
	assert_int_equal(m.n_lines, 2);
	assert_int_equal(m.n_tasks, 1);
	assert_int_equal(m.unusable, 1);
	(void)unlink(side);
	(void)unlink(path);
	metadata_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_become_parameters),
		cmocka_unit_test(fixups_follow_from_the_processor),
		cmocka_unit_test(tasks_keep_their_names),
		cmocka_unit_test(the_last_value_counts),
		cmocka_unit_test(other_text_is_left_alone),
		cmocka_unit_test(what_is_malformed_costs_only_itself),
		cmocka_unit_test(length_is_respected),
		cmocka_unit_test(escaping_comes_back),
		cmocka_unit_test(side_file_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
