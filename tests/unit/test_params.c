/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_params.c - parsing of key=value, eras and their switches, texts of errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/params.h"

static uint64_t value_of(const char *key, const char *value, enum param id)
{
	struct params p = params_of_era(ERA_V5_14);
	struct error err = { 0 };
	enum param which = PARAMS;

	if (params_set(&p, key, value, &which, &err))
		fail_msg("%s=%s: %s", key, value, err.text);
	assert_int_equal(which, id);
	return p.v[id];
}

/* The text of the error that key=value makes; nothing may have changed. */
static const char *error_of(const char *key, const char *value)
{
	static struct error err;
	struct params p = params_of_era(ERA_V5_14);
	struct params before = p;
	enum param which = PARAMS;

	err = (struct error){ 0 };
	assert_int_equal(params_set(&p, key, value, &which, &err), -1);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_memory_equal(&p, &before, sizeof(p));
	return err.text;
}

static void numbers(void **state)
{
	assert_int_equal(value_of("ceiling", "33", PARAM_CEILING), 33);
	assert_int_equal(value_of("ceiling", "0", PARAM_CEILING), 0);
	assert_int_equal(value_of("local-ceiling", "256", PARAM_LOCAL_CEILING), 256);
	assert_int_equal(value_of("ceiling", "1k", PARAM_CEILING), 1024);
	assert_int_equal(value_of("ceiling", "2M", PARAM_CEILING), 2097152);
	assert_int_equal(value_of("page-size", "4K", PARAM_PAGE_SIZE), 4096);
	assert_int_equal(value_of("page-size", "65536", PARAM_PAGE_SIZE), 65536);
	assert_int_equal(value_of("sets", "4096", PARAM_SETS), 4096);
}

static void bad_numbers(void **state)
{
	static const char *const bad[] = { "", "x", "-1", " 33", "33 ", "0x21", "33KK", "33G", "3.5" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_non_null(strstr(error_of("ceiling", bad[i]), "not a number"));
	assert_string_equal(error_of("ceiling", "x"), "ceiling=x: not a number (such as 33, 64K)");
	/* would wrap to 0 when shifted by the suffix */
	assert_non_null(strstr(error_of("ceiling", "18446744073709551616"), "too large: at most"));
	assert_non_null(strstr(error_of("ceiling", "17592186044416M"), "too large: at most"));
}

static void names(void **state)
{
	assert_int_equal(value_of("compare", "gt", PARAM_COMPARE), COMPARE_GT);
	assert_int_equal(value_of("compare", "ge", PARAM_COMPARE), COMPARE_GE);
	assert_int_equal(value_of("fixups", "none", PARAM_FIXUPS), FIXUPS_NONE);
	assert_int_equal(value_of("fixups", "erat", PARAM_FIXUPS), FIXUPS_ERAT);
	assert_int_equal(value_of("fixups", "erat+stq", PARAM_FIXUPS), FIXUPS_ERAT_STQ);
	assert_int_equal(value_of("fixups", "old", PARAM_FIXUPS), FIXUPS_OLD);
	assert_int_equal(value_of("pwc", "off", PARAM_PWC), 0);
	assert_int_equal(value_of("thp-pass", "on", PARAM_THP_PASS), 1);
	assert_int_equal(value_of("range", "mm", PARAM_RANGE), RANGE_MM);
	assert_int_equal(value_of("tables", "pwc", PARAM_TABLES), TABLES_PWC);
	assert_int_equal(value_of("barriers", "request", PARAM_BARRIERS), BARRIERS_REQUEST);
	assert_int_equal(value_of("tlbie", "off", PARAM_TLBIE), 0);
}

static void bad_names_list_the_good_ones(void **state)
{
	assert_string_equal(error_of("compare", "lt"),
			    "compare=lt: did you mean 'gt'? It must be one of gt|ge");
	/* a prefix, a part of the list, and nothing are no names */
	assert_non_null(strstr(error_of("fixups", "era"), "none|erat|erat+stq|old"));
	assert_non_null(strstr(error_of("compare", "gt|ge"), "must be one of"));
	assert_non_null(strstr(error_of("compare", ""), "must be one of"));
	assert_non_null(strstr(error_of("era", "v4.8"), "v4.13|v4.15"));
	assert_non_null(strstr(error_of("era", "yesterday"), "must be one of"));
}

static void unknown_key_lists_all(void **state)
{
	const char *text = error_of("ceilling", "33");

	assert_non_null(strstr(text, "unknown key 'ceilling': did you mean 'ceiling'? It must be"));
	for (size_t i = 0; i < PARAM_TARGET; i++)
		assert_non_null(strstr(text, param_keys[i]));
	/* What no kernel has is a policy's own. */
	assert_null(strstr(text, param_keys[PARAM_VARIANT]));
	assert_null(strstr(text, param_keys[PARAM_TARGET]));
	assert_null(strstr(error_of("zzz", "33"), "did you mean"));
}

static void values_that_no_kernel_has(void **state)
{
	assert_string_equal(error_of("page-size", "8K"), "page-size: must be 4K or 64K");
	assert_string_equal(error_of("sets", "0"), "sets: must be 1 to 4096");
	assert_string_equal(error_of("sets", "4097"), "sets: must be 1 to 4096");
}

/* policies 2.1: the first kernels of E0 to E9, and the last ones before the next. */
static void eras_of_releases(void **state)
{
	static const struct {
		const char *release;
		unsigned era;
	} v[] = {
		{ "v4.9", ERA_V4_13 },
		{ "4.14.356", ERA_V4_13 },
		{ "4.15.0", ERA_V4_15 },
		{ "v4.17", ERA_V4_15 },
		{ "4.18.0", ERA_V4_18 },
		{ "5.3.18-150300", ERA_V4_18 },
		{ "5.4.0", ERA_V5_4 },
		{ "5.8.18", ERA_V5_4 },
		{ "5.9.1", ERA_V5_9 },
		{ "5.10.0-28-powerpc64le", ERA_V5_9 },
		{ "5.11", ERA_V5_9 },
		{ "5.12.0", ERA_V5_12 },
		{ "5.13.7-1", ERA_V5_12 },
		{ "5.14.0", ERA_V5_14 },
		{ "6.1.0-50-powerpc64le", ERA_V5_14 },
		{ "v6.2", ERA_V5_14 },
		{ "6.3.0", ERA_V6_3 },
		{ "6.4", ERA_V6_4 },
		{ "6.5.13", ERA_V6_4 },
		{ "6.6.0", ERA_V6_6 },
		{ "6.12.57", ERA_V6_6 },
		{ "7.2.0-rc1", ERA_V6_6 },
		/* no release, or older than the trace point's code */
		{ "4.8.0", ERAS },
		{ "", ERAS },
		{ "v", ERAS },
		{ "6", ERAS },
		{ "6.", ERAS },
		{ "six.one", ERAS },
		{ "-6.1", ERAS },
		{ "100.1", ERAS },
		{ "6.1000", ERAS },
		{ "99999999999999999999.1", ERAS },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		if (era_of_release(v[i].release) != v[i].era)
			fail_msg("'%s' is era %u", v[i].release, era_of_release(v[i].release));
	}
}

/* policies 2.5, "era differences". */
static void switches_of_eras(void **state)
{
	for (unsigned era = 0; era < ERAS; era++) {
		struct params p = params_of_era(era);

		assert_int_equal(p.v[PARAM_ERA], era);
		assert_int_equal(p.v[PARAM_CEILING], 33);
		assert_int_equal(p.v[PARAM_COMPARE], COMPARE_GT);
		assert_int_equal(p.v[PARAM_LOCAL_CEILING], era == ERA_V4_13 ? 33 : 256);
		assert_int_equal(p.v[PARAM_RANGE], era == ERA_V4_13 ? RANGE_MM : RANGE_VA);
		assert_int_equal(p.v[PARAM_TABLES], era == ERA_V4_13 ? TABLES_ALL : TABLES_PWC);
		assert_int_equal(p.v[PARAM_BARRIERS],
				 era == ERA_V4_13 ? BARRIERS_PAGE : BARRIERS_REQUEST);
		assert_int_equal(p.v[PARAM_THP_PASS], era != ERA_V4_13);
		assert_int_equal(p.v[PARAM_PWC], era >= ERA_V5_14);
	}
}

/* An era is set by its name or by any release in it, and takes all of its switches along. */
static void setting_the_era(void **state)
{
	struct params p = params_of_era(ERA_V5_14);
	struct error err = { 0 };
	enum param which;

	p.v[PARAM_CEILING] = 7;
	assert_int_equal(params_set(&p, "era", "v4.13", &which, &err), 0);
	assert_int_equal(which, PARAM_ERA);
	assert_int_equal(p.v[PARAM_ERA], ERA_V4_13);
	assert_int_equal(p.v[PARAM_CEILING], 33);
	assert_int_equal(p.v[PARAM_RANGE], RANGE_MM);
	assert_int_equal(params_set(&p, "era", "6.1.0-50-powerpc64le", &which, &err), 0);
	assert_int_equal(p.v[PARAM_ERA], ERA_V5_14);
	assert_int_equal(p.v[PARAM_RANGE], RANGE_VA);
	/* What it sets is not "as recorded" any more; what it leaves alone is. */
	assert_true(params_is_named(&p, PARAM_CEILING));
	assert_true(params_is_named(&p, PARAM_TRIM));
	assert_false(params_is_named(&p, PARAM_SETS));
	assert_false(params_is_named(&p, PARAM_FIXUPS));
}

/* What belongs to the machine and not to the kernel's version stays. */
static void era_leaves_the_machine_alone(void **state)
{
	struct params p = params_of_era(ERA_V5_14);
	struct error err = { 0 };
	enum param which;

	p.v[PARAM_FIXUPS] = FIXUPS_ERAT_STQ;
	p.v[PARAM_SETS] = 1;
	p.v[PARAM_PAGE_SIZE] = 4096;
	p.v[PARAM_TLBIE] = 0;
	assert_int_equal(params_set(&p, "era", "v6.6", &which, &err), 0);
	assert_int_equal(p.v[PARAM_FIXUPS], FIXUPS_ERAT_STQ);
	assert_int_equal(p.v[PARAM_SETS], 1);
	assert_int_equal(p.v[PARAM_PAGE_SIZE], 4096);
	assert_int_equal(p.v[PARAM_TLBIE], 0);
}

/* What is written can be read again. */
static void format_and_parse_agree(void **state)
{
	char text[32];

	for (size_t id = 0; id < PARAMS; id++) {
		uint64_t value = params_of_era(ERA_V5_14).v[id];

		param_format((enum param)id, value, text, sizeof(text));
		assert_int_equal(value_of(param_keys[id], text, (enum param)id), value);
	}
	param_format(PARAM_PAGE_SIZE, 65536, text, sizeof(text));
	assert_string_equal(text, "64K");
	param_format(PARAM_FIXUPS, FIXUPS_ERAT_STQ, text, sizeof(text));
	assert_string_equal(text, "erat+stq");
	param_format(PARAM_ERA, ERA_V6_6, text, sizeof(text));
	assert_string_equal(text, "v6.6");
	param_format(PARAM_FIXUPS, 99, text, sizeof(text));
	assert_string_equal(text, "?");
	param_format(PARAM_ERA, ERA_V4_13, text, 3);
	assert_string_equal(text, "v4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(bad_numbers),
		cmocka_unit_test(names),
		cmocka_unit_test(bad_names_list_the_good_ones),
		cmocka_unit_test(unknown_key_lists_all),
		cmocka_unit_test(values_that_no_kernel_has),
		cmocka_unit_test(eras_of_releases),
		cmocka_unit_test(switches_of_eras),
		cmocka_unit_test(setting_the_era),
		cmocka_unit_test(era_leaves_the_machine_alone),
		cmocka_unit_test(format_and_parse_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
