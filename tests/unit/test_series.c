/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_series.c - seed 004's series, patch by patch: what each changes and what not (policies 6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/observer.h"
#include "replay/radix.h"
#include "replay/stateful.h"

/* v4.14 on a POWER9, and the same with one patch. */
static struct params before(void)
{
	struct params p = params_of_era(ERA_V4_13);

	p.v[PARAM_FIXUPS] = FIXUPS_NONE;
	return p;
}

static struct params with(enum param id, uint64_t value)
{
	struct params p = before();

	p.v[id] = value;
	return p;
}

static void costs(const struct params *p, const struct radix_request *r, uint64_t tlbie,
		  uint64_t tlbiel, uint64_t ptesync, uint64_t tlbsync)
{
	struct tally t = radix_range(p, r);

	assert_int_equal(t.n[COUNT_TLBIE], tlbie);
	assert_int_equal(t.n[COUNT_TLBIEL], tlbiel);
	assert_int_equal(t.n[COUNT_PTESYNC], ptesync);
	assert_int_equal(t.n[COUNT_TLBSYNC], tlbsync);
}

/* 32 pages of a gather: the instructions stay, the barriers go. */
static void patch_1_barriers(void **state)
{
	struct radix_request r = { .pages = 32 };
	struct params p = before();

	costs(&p, &r, 32, 0, 32, 32);
	p = with(PARAM_BARRIERS, BARRIERS_REQUEST);
	costs(&p, &r, 32, 0, 1, 1);
	r.local = true;
	costs(&p, &r, 0, 32, 2, 0);
	p = before();
	costs(&p, &r, 0, 32, 64, 0);
}

/* 2 moves code; no instruction changes, so no parameter has it. flush_tlb_range() is 3. */
static void patch_3_ranges(void **state)
{
	struct radix_request r = { .pages = 32, .pages_2m = 1, .range = true, .long_range = true };
	struct params p = before();

	costs(&p, &r, 1, 0, 1, 1);
	p = with(PARAM_RANGE, RANGE_VA);
	p.v[PARAM_THP_PASS] = 1;
	costs(&p, &r, 33, 0, 33, 33);
	r.pages = 34;
	costs(&p, &r, 1, 0, 1, 1);
}

static void patch_4_local_ceiling(void **state)
{
	struct radix_request r = { .pages = 100, .local = true };
	struct params p = before();

	costs(&p, &r, 0, 128, 2, 0);
	p = with(PARAM_LOCAL_CEILING, 256);
	costs(&p, &r, 0, 100, 200, 0);
	r.pages = 257;
	costs(&p, &r, 0, 128, 2, 0);
	r.local = false;
	costs(&p, &r, 1, 0, 1, 1);
}

static void patch_5_tables(void **state)
{
	struct radix_request r = { .pages = 8, .tables = true };
	struct params p = before();

	costs(&p, &r, 1, 0, 1, 1);
	p = with(PARAM_TABLES, TABLES_PWC);
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE_PWC], 1);
	costs(&p, &r, 9, 0, 8, 8);
	r.pages = 40;
	costs(&p, &r, 1, 0, 1, 1);
}

/* A single-threaded mm that was on three CPUs: two IPIs once, then it is local. */
static void patch_6_mask(void **state)
{
	uint64_t running[1] = { 0 };
	uint64_t mask[1] = { 7 };
	struct mask_question q = { .users = 1, .mine = true, .running = running };
	struct params p = before();
	struct mask_answer a;

	a = mask_decide(stateful_kind(&p), mask, 1, NULL, &q, NULL);
	assert_int_equal(a.scope, MACHINE_GLOBAL);
	assert_int_equal(a.ipis, 0);
	p = with(PARAM_TRIM, TRIM_V4_18);
	a = mask_decide(stateful_kind(&p), mask, 1, NULL, &q, NULL);
	assert_int_equal(a.scope, MACHINE_LOCAL);
	assert_int_equal(a.ipis, 2);
	a = mask_decide(stateful_kind(&p), mask, 1, NULL, &q, NULL);
	assert_int_equal(a.scope, MACHINE_LOCAL);
	assert_int_equal(a.ipis, 0);
}

/* 7: a flush after a spurious fault is a single page, which no key and no era prices otherwise; that it is
 * not made at all from v4.18 on only a note can say (golden/whatif-spurious). */
static void patch_7_spurious_faults(void **state)
{
	struct radix_request r = { .pages = 1, .unlimited = true };
	struct params p = before();

	costs(&p, &r, 1, 0, 1, 1);
	p = params_of_era(ERA_V4_18);
	p.v[PARAM_FIXUPS] = FIXUPS_NONE;
	costs(&p, &r, 1, 0, 1, 1);
}

/* All of it is the era behind it, but for 7: flushes after spurious faults, which a later kernel no
 * longer makes, so no trace of one has them. */
static void the_series_is_the_next_era(void **state)
{
	struct params after = params_of_era(ERA_V4_18);
	struct params p = before();

	after.v[PARAM_FIXUPS] = FIXUPS_NONE;
	p.v[PARAM_ERA] = ERA_V4_18;
	p.v[PARAM_BARRIERS] = BARRIERS_REQUEST;
	p.v[PARAM_RANGE] = RANGE_VA;
	p.v[PARAM_THP_PASS] = 1;
	p.v[PARAM_LOCAL_CEILING] = 256;
	p.v[PARAM_TABLES] = TABLES_PWC;
	p.v[PARAM_TRIM] = TRIM_V4_18;
	assert_memory_equal(&p, &after, sizeof(p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patch_1_barriers),
		cmocka_unit_test(patch_3_ranges),
		cmocka_unit_test(patch_4_local_ceiling),
		cmocka_unit_test(patch_5_tables),
		cmocka_unit_test(patch_6_mask),
		cmocka_unit_test(patch_7_spurious_faults),
		cmocka_unit_test(the_series_is_the_next_era),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
