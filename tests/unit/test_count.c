/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_count.c - counters, their names, sums that saturate, intervals that only widen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/count.h"

static void keys_name_their_counter(void **state)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		assert_int_equal(counter_by_key(counter_keys[i]), i);
		assert_true(*counter_texts[i]);
	}
	assert_int_equal(counter_by_key("tlbie"), COUNT_TLBIE);
	assert_int_equal(counter_by_key("tlbie_fixup"), COUNT_TLBIE_FIXUP);
	assert_int_equal(counter_by_key("tlb"), COUNTERS);
	assert_int_equal(counter_by_key(""), COUNTERS);
}

static void tlbie_is_the_sum_of_its_parts(void **state)
{
	struct tally t = { .n = { 0 } };

	for (size_t i = 0; i < COUNTERS; i++)
		t.n[i] = UINT64_C(1) << i;
	tally_sum_tlbie(&t);
	assert_int_equal(t.n[COUNT_TLBIE], 1 << COUNT_TLBIE_VA | 1 << COUNT_TLBIE_PID |
						   1 << COUNT_TLBIE_PWC | 1 << COUNT_TLBIE_FIXUP |
						   1 << COUNT_TLBIE_KERNEL | 1 << COUNT_TLBIE_LPID |
						   1 << COUNT_TLBIE_HASH);
}

static void add_multiplies_and_saturates(void **state)
{
	struct tally sum = { .n[COUNT_TLBIE] = 5, .n[COUNT_TLBIEL] = UINT64_MAX - 1 };
	struct tally one = { .n[COUNT_TLBIE] = 7,
			     .n[COUNT_TLBIEL] = 1,
			     .n[COUNT_PTESYNC] = UINT64_C(1) << 33 };

	tally_add(&sum, &one, 3);
	assert_int_equal(sum.n[COUNT_TLBIE], 26);
	assert_true(sum.n[COUNT_TLBIEL] == UINT64_MAX);
	tally_add(&sum, &one, UINT64_C(1) << 31);
	assert_true(sum.n[COUNT_PTESYNC] == UINT64_MAX);
	tally_add(&sum, &one, 0);
	assert_true(sum.n[COUNT_PTESYNC] == UINT64_MAX);
}

static void interval_widens_and_likely_stays(void **state)
{
	struct tally t = { .n[COUNT_TLBIE] = 10, .n[COUNT_TLBIEL] = 10 };
	struct counts c = counts_exact(&t);

	assert_int_equal(c.lo.n[COUNT_TLBIE], 10);
	assert_int_equal(c.hi.n[COUNT_TLBIE], 10);
	t.n[COUNT_TLBIE] = 3;
	t.n[COUNT_TLBIEL] = 20;
	counts_include(&c, &t);
	t.n[COUNT_TLBIE] = 5;
	t.n[COUNT_TLBIEL] = 15;
	counts_include(&c, &t);
	assert_int_equal(c.lo.n[COUNT_TLBIE], 3);
	assert_int_equal(c.hi.n[COUNT_TLBIE], 10);
	assert_int_equal(c.lo.n[COUNT_TLBIEL], 10);
	assert_int_equal(c.hi.n[COUNT_TLBIEL], 20);
	assert_int_equal(c.likely.n[COUNT_TLBIE], 10);
	assert_int_equal(c.likely.n[COUNT_TLBIEL], 10);
}

static void intervals_add_end_by_end(void **state)
{
	struct counts sum = { .lo.n[COUNT_IPIS] = 1,
			      .likely.n[COUNT_IPIS] = 2,
			      .hi.n[COUNT_IPIS] = 3 };
	struct counts add = { .lo.n[COUNT_IPIS] = 10,
			      .likely.n[COUNT_IPIS] = 20,
			      .hi.n[COUNT_IPIS] = 30,
			      .open = true };

	counts_add(&sum, &add, 2);
	assert_int_equal(sum.lo.n[COUNT_IPIS], 21);
	assert_int_equal(sum.likely.n[COUNT_IPIS], 42);
	assert_int_equal(sum.hi.n[COUNT_IPIS], 63);
	assert_true(sum.open);
	add.open = false;
	counts_add(&sum, &add, 1);
	assert_true(sum.open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_name_their_counter),
		cmocka_unit_test(tlbie_is_the_sum_of_its_parts),
		cmocka_unit_test(add_multiplies_and_saturates),
		cmocka_unit_test(interval_widens_and_likely_stays),
		cmocka_unit_test(intervals_add_end_by_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
