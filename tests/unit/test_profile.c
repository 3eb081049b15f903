/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_profile.c - cells of flushes: nothing is lost when periods double or tables are full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/profile.h"

static const struct source_info info = { .page_size = 65536 };

static struct flush flush_at(uint64_t ns, uint32_t cpu, int32_t tid)
{
	struct flush f = {
		.start_ns = ns, .cpu = cpu, .tid = tid, .shape = SHAPE_VA, .shift = 16, .pages = 1
	};

	(void)snprintf(f.comm, sizeof(f.comm), "task%d", tid % 100);
	return f;
}

static uint64_t count_all(const struct profile *p, enum profile_axis axis)
{
	const struct profile_cell *cell = NULL;
	uint64_t sum = 0;

	while ((cell = profile_next(p, axis, cell)))
		sum += cell->count;
	return sum;
}

static uint64_t count_period(const struct profile *p, uint32_t period)
{
	const struct profile_cell *cell = NULL;
	uint64_t sum = 0;

	while ((cell = profile_next(p, PROFILE_CPU, cell)))
		if (cell->period == period)
			sum += cell->count;
	return sum;
}

static void test_periods_double(void **state)
{
	struct trace t = { .info = &info, .first_ns = 5000 };
	struct profile *p = profile_new(&t, 0);

	assert_non_null(p);
	for (uint64_t i = 0; i < 1000; i++) {
		struct flush f = flush_at(5000 + i * 1000, (uint32_t)(i % 4), 7);

		assert_true(profile_flush(p, &f));
	}
	/* 1000 us at 256 periods at most: 4 us each. */
	assert_int_equal(profile_period_ns(p), 4000);
	assert_int_equal(count_all(p, PROFILE_CPU), 1000);
	assert_int_equal(count_period(p, 0), 4);
	assert_int_equal(count_period(p, 249), 4);
	assert_int_equal(profile_classes(p), 1);
	assert_int_equal(profile_class(p, 0)->count, 1000);

	assert_true(profile_coarsen(p, 32));
	assert_int_equal(profile_period_ns(p), 32000);
	assert_int_equal(count_period(p, 0), 32);
	assert_int_equal(count_all(p, PROFILE_CPU), 1000);
	profile_free(p);
}

static void test_fixed_periods(void **state)
{
	struct trace t = { .info = &info, .first_ns = 0 };
	struct profile *p = profile_new(&t, 1000000);
	struct flush f = flush_at(UINT64_C(3600) * 1000000000, 0, 1);

	assert_non_null(p);
	assert_true(profile_flush(p, &f));
	assert_int_equal(profile_period_ns(p), 1000000);
	/* Later than the last period there can be: in the last. */
	assert_int_equal(count_period(p, PROFILE_INTERVALS - 1), 1);
	assert_true(profile_coarsen(p, 1));
	assert_int_equal(profile_period_ns(p), 1000000);
	profile_free(p);
}

static void test_tasks_are_capped(void **state)
{
	struct trace t = { .info = &info };
	struct profile *p = profile_new(&t, 0);
	const struct profile_cell *cell = NULL;
	uint64_t others = 0;

	assert_non_null(p);
	for (int32_t tid = 0; tid < (int32_t)PROFILE_TASKS + 10; tid++) {
		struct flush f = flush_at(0, 0, tid);

		assert_true(profile_flush(p, &f));
	}
	while ((cell = profile_next(p, PROFILE_TASK, cell)))
		if (!profile_task(p, cell->place))
			others += cell->count;
	assert_int_equal(others, 10);
	assert_int_equal(count_all(p, PROFILE_TASK), PROFILE_TASKS + 10);
	assert_int_equal(profile_task(p, 3)->tid, 3);
	profile_free(p);
}

static void test_interrupts_are_one(void **state)
{
	struct trace t = { .info = &info };
	struct profile *p = profile_new(&t, 0);

	assert_non_null(p);
	for (int32_t tid = 1; tid < 4; tid++) {
		struct flush f = flush_at(0, 0, tid);

		f.irq = true;
		assert_true(profile_flush(p, &f));
	}
	assert_int_equal(profile_task(p, 0)->tid, -1);
	assert_null(profile_task(p, 1));
	profile_restart(p);
	assert_null(profile_next(p, PROFILE_CPU, NULL));
	assert_int_equal(profile_classes(p), 0);
	profile_free(p);
}

/* What was mm 1 becomes part of mm 0; the next mm 1 is another one. */
static void test_folded_mms(void **state)
{
	const uint32_t into[] = { 0, 0 };
	struct trace t = { .info = &info };
	struct profile *p = profile_new(&t, 0);
	struct mm mms[] = { { .index = 0 }, { .index = 1 } };
	uint64_t of_mm[2] = { 0 };

	assert_non_null(p);
	for (uint32_t i = 0; i < 5; i++) {
		struct flush f = flush_at(0, i % 2, 1);

		f.mm = &mms[i % 2];
		f.stack = i == 2 ? 9 : 0; /* from here on there are cells by stack, of all */
		assert_true(profile_flush(p, &f));
		if (i == 3)
			profile_fold(p, into);
	}
	assert_int_equal(profile_classes(p), 2);
	assert_int_equal(profile_class(p, 0)->count + profile_class(p, 1)->count, 5);
	assert_true(profile_class(p, 0)->count == 0 || profile_class(p, 1)->count == 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct flush f = flush_at(0, 0, 1);

		f.mm = &mms[1];
		assert_true(profile_flush(p, &f));
	}
	assert_int_equal(profile_classes(p), 2);
	for (int i = 0; i < PROFILE_AXES; i++)
		assert_int_equal(count_all(p, (enum profile_axis)i), 7);
	for (size_t i = 0; i < profile_classes(p); i++)
		of_mm[profile_class(p, (uint32_t)i)->key.mm] += profile_class(p, (uint32_t)i)->count;
	assert_int_equal(of_mm[0], 5);
	assert_int_equal(of_mm[1], 2);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_periods_double),	 cmocka_unit_test(test_fixed_periods),
		cmocka_unit_test(test_tasks_are_capped), cmocka_unit_test(test_interrupts_are_one),
		cmocka_unit_test(test_folded_mms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
