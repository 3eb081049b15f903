/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_sweep.c - a sweep gives, row by row, the numbers that single predictions give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/infer.h"
#include "replay/sweep.h"

/* Reads a bundled trace and infers its kernel. */
static void open_trace(struct trace *t, struct model *model, const char *name, uint32_t ignore)
{
	struct trace_options opt = { .ignore = ignore };
	const char *dir = getenv("DATA");
	char path[512];
	struct error err;

	(void)snprintf(path, sizeof(path), "%s/%s", dir ? dir : "tests/data", name);
	assert_int_equal(trace_read(t, path, &opt, &err), 0);
	assert_int_equal(infer_model(model, t, NULL, &err), 0);
}

static void check_counts(const struct counts *a, const struct counts *b)
{
	assert_memory_equal(&a->lo, &b->lo, sizeof(a->lo));
	assert_memory_equal(&a->likely, &b->likely, sizeof(a->likely));
	assert_memory_equal(&a->hi, &b->hi, sizeof(a->hi));
	assert_int_equal(a->open, b->open);
}

/* Kinds of flush give what the classes one by one give. */
static void check_kinds(const struct kinds *kinds, const struct model *model,
			const struct params *alt, const struct prediction *wanted)
{
	struct prediction p;

	assert_int_equal(kinds_predict(&p, kinds, model, alt), 0);
	check_counts(&p.total, &wanted->total);
	assert_int_equal(p.n_mms, wanted->n_mms);
	for (size_t i = 0; i < p.n_mms; i++)
		check_counts(&p.by_mm[i], &wanted->by_mm[i]);
	prediction_free(&p);
}

static void check_row(const struct sweep *s, size_t row, const struct trace *t,
		      const struct model *model, const struct kinds *kinds)
{
	struct params alt = model->used;
	struct prediction one;

	alt.v[s->range.which] = sweep_value(s, row);
	params_name(&alt, s->range.which);
	assert_int_equal(predict(&one, t, model, &alt, NULL, NULL), 0);
	check_counts(&one.total, &s->rows[row]);
	check_kinds(kinds, model, &alt, &one);
	prediction_free(&one);
}

static void check_sweep(const char *name, const char *spec, uint32_t ignore)
{
	struct sweep_range range;
	struct sweep s;
	struct trace t;
	struct model model;
	struct kinds kinds;
	struct error err;

	open_trace(&t, &model, name, ignore);
	assert_int_equal(sweep_parse(&range, spec, &err), 0);
	assert_int_equal(kinds_find(&kinds, &t, &model, NULL, NULL), 0);
	assert_int_equal(sweep_run(&s, &t, &model, &model.used, &range, NULL, NULL), 0);
	for (size_t row = 0; row < s.n_rows; row++)
		check_row(&s, row, &t, &model, &kinds);
	kinds_free(&kinds);
	sweep_free(&s);
	trace_close(&t);
}

static void test_rows_are_predictions(void **state)
{
	(void)state;
	check_sweep("slim_shm_c34.dat", "ceiling=0:600", 0);
	check_sweep("slim_shm_c31.dat", "ceiling=0:600:7", 0);
	check_sweep("slim_ranges_c33.dat", "ceiling=0:300", 0);
	check_sweep("slim_ranges_c33.dat", "local-ceiling=0:300", IGNORE_SYSCALLS);
	check_sweep("slim_4k_ranges_c33.dat", "ceiling=1:600", 0);
	check_sweep("slim_4k_ranges_c33.dat", "local-ceiling=0:600", IGNORE_SYSCALLS);
	check_sweep("x86_v7_zstd.dat", "ceiling=0:300", 0);
}

/* 2 MiB batches of 64K pages: nothing changes but at 32. */
static void test_knee_and_best(void **state)
{
	struct sweep_range range;
	struct sweep s;
	struct trace t;
	struct model model;
	struct error err;
	size_t rows[3];
	size_t first;
	size_t last;

	(void)state;
	open_trace(&t, &model, "slim_shm_c34.dat", 0);
	assert_int_equal(sweep_parse(&range, "ceiling=20:60", &err), 0);
	assert_int_equal(sweep_run(&s, &t, &model, &model.used, &range, NULL, NULL), 0);
	assert_true(sweep_knees(&s, COUNT_TLBIE, rows, 3) >= 1);
	assert_int_equal(sweep_value(&s, rows[0]), 32);
	assert_int_equal(s.rows[32 - 20].likely.n[COUNT_TLBIE], 1111);
	sweep_best(&s, COUNT_TLBIE, &first, &last);
	assert_int_equal(first, 0);
	sweep_free(&s);
	trace_close(&t);
}

static void test_bad_specs(void **state)
{
	static const char *const bad[] = { "",
					   "ceiling",
					   "ceiling=",
					   "ceiling=1",
					   "ceiling=1:",
					   "ceiling=2:1",
					   "ceiling=1:2:0",
					   "ceiling=1:2:x",
					   "ceiling=1:99999999",
					   "ceiling=-1:2",
					   "sets=1:2",
					   "ceiling=1:2:3:4" };
	struct sweep_range range;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err.class = ERROR_NONE;
		assert_int_equal(sweep_parse(&range, bad[i], &err), -1);
		assert_int_equal(err.class, ERROR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_predictions),
		cmocka_unit_test(test_knee_and_best),
		cmocka_unit_test(test_bad_specs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
