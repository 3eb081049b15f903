/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_target.c - arm64 and riscv: the vectors of policies 8, and what the ceilings do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/radix.h"
#include "replay/target.h"

static void test_range_vectors(void **state)
{
	static const uint64_t vectors[][2] = {
		{ 1, 1 },  { 2, 1 },   { 3, 2 },   { 32, 1 },	 { 33, 2 },    { 64, 1 },
		{ 65, 2 }, { 512, 1 }, { 513, 2 }, { 65536, 1 }, { 65537, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		assert_int_equal(target_range_ops(vectors[i][0]), vectors[i][1]);
}

static struct params target_params(unsigned target, uint64_t page_size)
{
	struct params p = params_of_era(ERA_V5_14);

	p.v[PARAM_PAGE_SIZE] = page_size;
	target_set(&p, target);
	return p;
}

static struct tally price(const struct params *p, uint64_t pages)
{
	struct radix_request r = { .pages = pages };

	return radix_range(p, &r);
}

/* MAX_DVM_OPS pages are everything: 512 of 4K, 8192 of 64K. */
static void test_arm64(void **state)
{
	struct params p = target_params(TARGET_ARM64, 4096);

	(void)state;
	assert_int_equal(price(&p, 511).n[COUNT_TLBI], 511);
	assert_int_equal(price(&p, 512).n[COUNT_TLBI], 1);
	assert_int_equal(price(&p, 512).n[COUNT_PROMOTED], 1);
	assert_int_equal(price(&p, 3).n[COUNT_DSB], 2);
	assert_int_equal(price(&p, 3).n[COUNT_TLBIE], 0);
	p.v[PARAM_PTI] = PTI_ON;
	assert_int_equal(price(&p, 3).n[COUNT_TLBI], 6);
	p = target_params(TARGET_ARM64, 65536);
	assert_int_equal(price(&p, 8191).n[COUNT_TLBI], 8191);
	assert_int_equal(price(&p, 8192).n[COUNT_TLBI], 1);
}

static void test_arm64_range(void **state)
{
	struct params p = target_params(TARGET_ARM64_RANGE, 65536);

	(void)state;
	assert_int_equal(price(&p, 33).n[COUNT_TLBI], 2);
	assert_int_equal(price(&p, 4096).n[COUNT_TLBI], 1);
	assert_int_equal(price(&p, (UINT64_C(1) << 21) + 1).n[COUNT_TLBI], 1);
	assert_int_equal(price(&p, (UINT64_C(1) << 21) + 1).n[COUNT_PROMOTED], 1);
}

static void test_riscv(void **state)
{
	struct params p = target_params(TARGET_RISCV, 4096);

	(void)state;
	assert_int_equal(price(&p, 64).n[COUNT_SFENCE], 64);
	assert_int_equal(price(&p, 65).n[COUNT_SFENCE], 1);
	assert_int_equal(radix_whole_pid(&p, false).n[COUNT_SFENCE], 1);
	assert_int_equal(radix_whole_pid(&p, false).n[COUNT_TLBIE], 0);
}

/* Seed 000's title: from 2M on, global flushes only, and not a 2M page by itself. */
static void test_promote_by_pmd(void **state)
{
	struct params p = params_of_era(ERA_V5_14);
	struct radix_request r = { .pages = 32, .long_range = true };

	(void)state;
	assert_false(radix_promotes(&p, &r));
	p.v[PARAM_PROMOTE] = PROMOTE_PMD;
	assert_true(radix_promotes(&p, &r));
	r.local = true;
	assert_false(radix_promotes(&p, &r));
	r = (struct radix_request){ .pages = 31 };
	assert_false(radix_promotes(&p, &r));
	r = (struct radix_request){ .pages = 1, .long_range = true };
	assert_false(radix_promotes(&p, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range_vectors),  cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_arm64_range),    cmocka_unit_test(test_riscv),
		cmocka_unit_test(test_promote_by_pmd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
