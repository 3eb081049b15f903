/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_span.c - the set of ranges that a call has flushed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/span.h"

static void neighbours_become_one(void **state)
{
	struct spans s = { .n = 0 };

	spans_add(&s, 10, 20);
	spans_add(&s, 30, 40);
	assert_int_equal(s.n, 2);
	spans_add(&s, 20, 30);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.span[0].start, 10);
	assert_int_equal(s.span[0].end, 40);
	assert_true(spans_contain(&s, 10));
	assert_true(spans_contain(&s, 39));
	assert_false(spans_contain(&s, 9));
	assert_false(spans_contain(&s, 40));
}

static void overlaps_grow_both_ways(void **state)
{
	struct spans s = { .n = 0 };

	spans_add(&s, 10, 20);
	spans_add(&s, 5, 15);
	spans_add(&s, 12, 30);
	spans_add(&s, 12, 13);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.span[0].start, 5);
	assert_int_equal(s.span[0].end, 30);
}

static void a_full_set_says_so(void **state)
{
	struct spans s = { .n = 0 };

	for (uint64_t i = 0; i < SPANS_MAX; i++)
		spans_add(&s, 10 * i, 10 * i + 5);
	assert_false(s.full);
	spans_add(&s, 5, 10); /* joins two */
	assert_false(s.full);
	assert_int_equal(s.n, SPANS_MAX - 1);
	spans_add(&s, 100000, 100001);
	assert_false(s.full);
	spans_add(&s, 200000, 200001);
	assert_true(s.full);
	assert_false(spans_contain(&s, 200000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_become_one),
		cmocka_unit_test(overlaps_grow_both_ways),
		cmocka_unit_test(a_full_set_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
