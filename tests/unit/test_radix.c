/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_radix.c - the vectors of policies 2.10, all columns, and the formulas of 2.4 and 2.5; the
 * page arithmetic of geometry.h that they stand on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/geometry.h"
#include "replay/radix.h"

#define A UINT64_C(0x7fff80000000)
#define K4 UINT64_C(0x1000)
#define K64 UINT64_C(0x10000)
#define M2 UINT64_C(0x200000)

enum entry {
	PAGE,
	RANGE, /* flush_tlb_range */
	PSIZE, /* flush_tlb_range_psize */
	PWC,   /* flush_tlb_pwc_range_psize */
};

struct request {
	enum entry entry;
	uint64_t start;
	uint64_t end;
	unsigned shift;
};

static struct radix_request request(struct request r, bool local)
{
	return (struct radix_request){
		.pages = range_nva(r.start, r.end, r.shift),
		.pages_2m = range_n2m(r.start, r.end),
		.range = r.entry == RANGE,
		.long_range = r.end - r.start >= PMD_BYTES,
		.tables = r.entry == PWC,
		.local = local,
	};
}

/* The machines of the table's columns. */
enum machine {
	P10,
	P9,
	P9_OLD,
	MACHINES
};

/* The policies of the table's columns: mainline's `> 33` and seed 000's `>= 32`. */
enum policy {
	MAINLINE,
	SEED,
	POLICIES
};

static struct params params(unsigned era, enum machine machine, enum policy policy)
{
	static const unsigned fixups[MACHINES] = { FIXUPS_NONE, FIXUPS_ERAT, FIXUPS_ERAT_STQ };
	struct params p = params_of_era(era);

	p.v[PARAM_FIXUPS] = fixups[machine];
	p.v[PARAM_SETS] = machine == P10 ? 1 : 128;
	if (policy == SEED) {
		p.v[PARAM_CEILING] = 32;
		p.v[PARAM_COMPARE] = COMPARE_GE;
	}
	return p;
}

struct vector {
	const char *name;
	unsigned first_era;
	unsigned last_era;
	struct request request;
	unsigned tlbie[MACHINES][POLICIES];
};

/* policies 2.10, in the order of its rows; and freed tables above the ceiling, 2.4. */
static const struct vector vectors[] = {
	{ "page, 64K", ERA_V4_15, ERA_V6_6, { PAGE, A, A + K64, 16 }, { { 1, 1 }, { 2, 2 }, { 3, 3 } } },
	{ "range 2M, E1-E5",
	  ERA_V4_15,
	  ERA_V5_12,
	  { RANGE, A, A + M2, 16 },
	  { { 33, 1 }, { 35, 2 }, { 37, 3 } } },
	{ "range 2M, E6+",
	  ERA_V5_14,
	  ERA_V6_6,
	  { RANGE, A, A + M2, 16 },
	  { { 34, 1 }, { 36, 2 }, { 38, 3 } } },
	{ "range 2M across a PMD edge, E1-E5",
	  ERA_V4_15,
	  ERA_V5_12,
	  { RANGE, A + K64, A + M2 + K64, 16 },
	  { { 32, 1 }, { 33, 2 }, { 34, 3 } } },
	{ "range 2M across a PMD edge, E6+",
	  ERA_V5_14,
	  ERA_V6_6,
	  { RANGE, A + K64, A + M2 + K64, 16 },
	  { { 33, 1 }, { 34, 2 }, { 35, 3 } } },
	{ "range 33 pages, E6+",
	  ERA_V5_14,
	  ERA_V6_6,
	  { RANGE, A, A + M2 + K64, 16 },
	  { { 35, 1 }, { 37, 2 }, { 39, 3 } } },
	{ "range 34 pages",
	  ERA_V4_15,
	  ERA_V6_6,
	  { RANGE, A, A + 34 * K64, 16 },
	  { { 1, 1 }, { 2, 2 }, { 3, 3 } } },
	{ "psize 2M",
	  ERA_V4_15,
	  ERA_V6_6,
	  { PSIZE, A, A + M2, 16 },
	  { { 32, 1 }, { 33, 2 }, { 34, 3 } } },
	{ "psize and PWC 2M",
	  ERA_V4_15,
	  ERA_V6_6,
	  { PWC, A, A + M2, 16 },
	  { { 33, 1 }, { 34, 2 }, { 35, 3 } } },
	{ "psize and PWC 34 pages",
	  ERA_V4_15,
	  ERA_V6_6,
	  { PWC, A, A + 34 * K64, 16 },
	  { { 1, 1 }, { 2, 2 }, { 3, 3 } } },
	{ "psize of 2M pages, 64 MiB",
	  ERA_V4_15,
	  ERA_V6_6,
	  { PSIZE, A, A + 32 * M2, 21 },
	  { { 32, 1 }, { 33, 2 }, { 34, 3 } } },
	{ "psize of 2M pages, 66 MiB",
	  ERA_V4_15,
	  ERA_V6_6,
	  { PSIZE, A, A + 33 * M2, 21 },
	  { { 33, 1 }, { 34, 2 }, { 35, 3 } } },
	{ "psize of 2M pages, 68 MiB",
	  ERA_V4_15,
	  ERA_V6_6,
	  { PSIZE, A, A + 34 * M2, 21 },
	  { { 1, 1 }, { 2, 2 }, { 3, 3 } } },
	{ "range 33 pages of 4K",
	  ERA_V4_15,
	  ERA_V6_6,
	  { RANGE, A + K4, A + 34 * K4, 12 },
	  { { 33, 1 }, { 34, 2 }, { 35, 3 } } },
	{ "range 34 pages of 4K",
	  ERA_V4_15,
	  ERA_V6_6,
	  { RANGE, A, A + 34 * K4, 12 },
	  { { 1, 1 }, { 2, 2 }, { 3, 3 } } },
};

static void check_vector(const struct vector *v, unsigned era, enum machine m, enum policy policy)
{
	struct params p = params(era, m, policy);
	struct radix_request r = request(v->request, false);
	struct tally t = radix_range(&p, &r);

	if (t.n[COUNT_TLBIE] != v->tlbie[m][policy])
		fail_msg("%s, era %u, machine %u, policy %u: %u tlbie", v->name, era, m, policy,
			 (unsigned)t.n[COUNT_TLBIE]);
	assert_int_equal(t.n[COUNT_TLBIEL], 0);
	assert_int_equal(t.n[COUNT_FLUSHES], 1);
	/* one barrier group; a ptesync more for each fixup (2.5) */
	assert_int_equal(t.n[COUNT_PTESYNC], 1 + t.n[COUNT_TLBIE_FIXUP]);
	assert_int_equal(t.n[COUNT_TLBSYNC], 1);
	assert_int_equal(t.n[COUNT_PROMOTED], t.n[COUNT_TLBIE_PID]);
}

static void vectors_of_all_machines_and_policies(void **state)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		for (unsigned era = vectors[i].first_era; era <= vectors[i].last_era; era++)
			for (unsigned m = 0; m < MACHINES; m++)
				for (unsigned policy = 0; policy < POLICIES; policy++)
					check_vector(&vectors[i], era, m, policy);
}

static uint64_t local_tlbiel(unsigned era, enum machine m, struct request request_)
{
	struct params p = params(era, m, MAINLINE);
	struct radix_request r = request(request_, true);
	struct tally t = radix_range(&p, &r);

	assert_int_equal(t.n[COUNT_TLBIE], 0);
	assert_int_equal(t.n[COUNT_TLBIE_FIXUP], 0); /* tlbiel never has one */
	assert_int_equal(t.n[COUNT_PTESYNC], 2);
	assert_int_equal(t.n[COUNT_TLBSYNC], 0);
	return t.n[COUNT_TLBIEL];
}

/* The line under the table. */
static void local_vectors(void **state)
{
	for (enum machine m = 0; m < MACHINES; m++) {
		assert_int_equal(
			local_tlbiel(ERA_V5_14, m, (struct request){ PAGE, A, A + K64, 16 }), 1);
		assert_int_equal(
			local_tlbiel(ERA_V5_4, m, (struct request){ RANGE, A, A + M2, 16 }), 33);
		assert_int_equal(
			local_tlbiel(ERA_V5_14, m, (struct request){ RANGE, A, A + M2, 16 }), 34);
		assert_int_equal(
			local_tlbiel(ERA_V5_4, m, (struct request){ RANGE, A, A + 34 * K64, 16 }),
			35);
		assert_int_equal(
			local_tlbiel(ERA_V5_14, m, (struct request){ RANGE, A, A + 34 * K64, 16 }),
			36);
		assert_int_equal(
			local_tlbiel(ERA_V5_14, m, (struct request){ PSIZE, A, A + 256 * K64, 16 }),
			256);
		assert_int_equal(
			local_tlbiel(ERA_V5_14, m, (struct request){ RANGE, A, A + 257 * K64, 16 }),
			m == P10 ? 1 : 128);
	}
}

/* v4.13: range flushes take the whole mm, freed tables too; barriers around every page. */
static void before_v4_15(void **state)
{
	struct params p = params(ERA_V4_13, P10, MAINLINE);
	struct radix_request r = request((struct request){ RANGE, A, A + K64, 16 }, false);
	struct tally t = radix_range(&p, &r);

	assert_int_equal(t.n[COUNT_TLBIE_PID], 1);
	r = request((struct request){ PWC, A, A + K64, 16 }, false);
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE_PID], 1);
	r = request((struct request){ PSIZE, A, A + 33 * K64, 16 }, false);
	t = radix_range(&p, &r);
	assert_int_equal(t.n[COUNT_TLBIE_VA], 33);
	assert_int_equal(t.n[COUNT_PTESYNC], 33);
	assert_int_equal(t.n[COUNT_TLBSYNC], 33);
	/* A stable 4.14 works around the errata of POWER9 page by page. */
	p.v[PARAM_FIXUPS] = FIXUPS_ERAT_STQ;
	t = radix_range(&p, &r);
	assert_int_equal(t.n[COUNT_TLBIE], 99);
	assert_int_equal(t.n[COUNT_PTESYNC], 99);
	r.local = true; /* the same 33 for local flushes */
	t = radix_range(&p, &r);
	assert_int_equal(t.n[COUNT_TLBIEL], 33);
	assert_int_equal(t.n[COUNT_PTESYNC], 66);
	assert_int_equal(t.n[COUNT_TLBSYNC], 0);
	r = request((struct request){ PSIZE, A, A + 34 * K64, 16 }, true);
	assert_int_equal(radix_range(&p, &r).n[COUNT_PROMOTED], 1);
}

/* v4.16 to v5.2: one fixup per operation, also where it has two passes. */
static void old_fixups_count_once(void **state)
{
	struct params p = params(ERA_V4_18, P9, MAINLINE);
	struct radix_request r = request((struct request){ RANGE, A, A + M2, 16 }, false);

	p.v[PARAM_FIXUPS] = FIXUPS_OLD;
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE], 34);
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE_FIXUP], 1);
	r = request((struct request){ RANGE, A, A + 34 * K64, 16 }, false);
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE], 2);
	/* "placed at the end of every op, PWC and PID included" (1.6) */
	assert_int_equal(radix_pwc(&p, false).n[COUNT_TLBIE], 2);
	assert_int_equal(radix_pwc(&p, true).n[COUNT_TLBIEL], 1);
	assert_int_equal(radix_whole_pid(&p, false).n[COUNT_TLBIE], 2);
}

/* 2.6: v4.18 to v5.8 make a gather beside another one a range with passes of all three sizes. */
static void nested_gathers_have_a_third_pass(void **state)
{
	static const struct {
		unsigned era;
		unsigned passes;
	} eras[] = { { ERA_V4_15, 2 }, { ERA_V4_18, 3 }, { ERA_V5_4, 3 }, { ERA_V5_9, 2 } };
	static const unsigned fixups[MACHINES] = { 0, 1, 2 };
	struct radix_request r = { .pages = 32768, .pages_2m = 1024, .pages_1g = 2, .range = true };

	for (size_t i = 0; i < sizeof(eras) / sizeof(*eras); i++)
		for (unsigned m = 0; m < MACHINES; m++) {
			struct params p = params(eras[i].era, m, MAINLINE);
			unsigned passes = eras[i].passes;

			r.local = false;
			p.v[PARAM_CEILING] = p.v[PARAM_LOCAL_CEILING] = 32768;
			assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE],
					 32768 + 1024 + 2 * (passes - 2) + passes * fixups[m]);
			r.local = true;
			assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIEL],
					 32768 + 1024 + 2 * (passes - 2));
			p.v[PARAM_LOCAL_CEILING] = 32767;
			assert_int_equal(radix_range(&p, &r).n[COUNT_PROMOTED], 1);
		}
}

/* CONFIG_TRANSPARENT_HUGEPAGE off: no second pass; the PWC flush stays. */
static void without_thp_pass(void **state)
{
	struct params p = params(ERA_V5_14, P9_OLD, MAINLINE);
	struct radix_request r = request((struct request){ RANGE, A, A + M2, 16 }, false);

	p.v[PARAM_THP_PASS] = 0;
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE], 1 + 32 + 2);
	r.local = true;
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIEL], 1 + 32);
}

/* Each instruction in its own counter. */
static void counters_are_told_apart(void **state)
{
	struct params p = params(ERA_V5_14, P9_OLD, MAINLINE);
	struct radix_request r = request((struct request){ RANGE, A, A + M2, 16 }, false);
	struct tally t = radix_range(&p, &r);

	assert_int_equal(t.n[COUNT_TLBIE_PWC], 1);
	assert_int_equal(t.n[COUNT_TLBIE_VA], 33);
	assert_int_equal(t.n[COUNT_TLBIE_FIXUP], 4);
	assert_int_equal(t.n[COUNT_TLBIE_PID], 0);
}

/* flush_tlb_collapsed_pmd on 64K pages asks no ceiling: PWC and 32 pages whatever the policy. */
static void collapsed_pmd_asks_no_ceiling(void **state)
{
	for (unsigned policy = 0; policy < POLICIES; policy++) {
		struct params p = params(ERA_V5_14, P9_OLD, policy);
		struct radix_request r = request((struct request){ PWC, A, A + M2, 16 }, false);

		r.unlimited = true;
		assert_false(radix_promotes(&p, &r));
		assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE], 35);
	}
}

/* flush_tlb_mm, flush_all_mm, flush_tlb_kernel_range, a PWC flush: policies 2.4. */
static void whole_pid_kernel_and_pwc(void **state)
{
	static const unsigned fixups[MACHINES] = { 0, 1, 2 };

	for (unsigned m = 0; m < MACHINES; m++) {
		struct params p = params(ERA_V5_14, m, MAINLINE);
		struct tally t = radix_whole_pid(&p, false);

		assert_int_equal(t.n[COUNT_TLBIE], 1 + fixups[m]);
		assert_int_equal(t.n[COUNT_TLBIE_PID], 1);
		assert_int_equal(t.n[COUNT_PROMOTED], 0);
		assert_int_equal(t.n[COUNT_PTESYNC], 1 + fixups[m]);
		t = radix_whole_pid(&p, true);
		assert_int_equal(t.n[COUNT_TLBIEL], m == P10 ? 1 : 128);
		assert_int_equal(t.n[COUNT_TLBIE], 0);
		t = radix_kernel(&p);
		assert_int_equal(t.n[COUNT_TLBIE], 1 + fixups[m]);
		assert_int_equal(t.n[COUNT_TLBIE_KERNEL], 1);
		t = radix_pwc(&p, false);
		assert_int_equal(t.n[COUNT_TLBIE], 1);
		assert_int_equal(t.n[COUNT_TLBIE_PWC], 1);
		assert_int_equal(radix_pwc(&p, true).n[COUNT_TLBIEL], 1);
		assert_int_equal(radix_pwc(&p, true).n[COUNT_TLBIE], 0);
	}
}

static void global_and_local_ceilings_are_two(void **state)
{
	struct params p = params_of_era(ERA_V5_14);
	struct radix_request r = { .pages = 10 };

	p.v[PARAM_CEILING] = 9;
	p.v[PARAM_LOCAL_CEILING] = 10;
	assert_true(radix_promotes(&p, &r));
	r.local = true;
	assert_false(radix_promotes(&p, &r));
	/* Seed 000 changes "nr_pages > tlb_local_single_page_flush_ceiling" in no way. */
	p.v[PARAM_COMPARE] = COMPARE_GE;
	assert_false(radix_promotes(&p, &r));
	r.pages = 11;
	assert_true(radix_promotes(&p, &r));
	r.pages = 9;
	assert_false(radix_promotes(&p, &r));
	r.local = false;
	assert_true(radix_promotes(&p, &r));
}

/* policies 0.2: nr rounds down, nva rounds up. */
static void pages_of_a_range(void **state)
{
	assert_int_equal(range_nr(A, A + M2, 16), 32);
	assert_int_equal(range_nva(A, A + M2, 16), 32);
	assert_int_equal(range_nr(A, A + M2 - 1, 16), 31);
	assert_int_equal(range_nva(A, A + M2 - 1, 16), 32);
	assert_int_equal(range_nr(A, A + M2 + 1, 16), 32);
	assert_int_equal(range_nva(A, A + M2 + 1, 16), 33);
	assert_int_equal(range_nr(A, A, 16), 0);
	assert_int_equal(range_nva(A, A, 16), 0);
	assert_int_equal(range_nr(A + K64, A, 16), 0);
	assert_int_equal(range_nva(A + K64, A, 16), 0);
	assert_int_equal(range_nva(0, ADDRESS_ALL, 16), UINT64_C(1) << 48);
}

static void whole_pmds_of_a_range(void **state)
{
	assert_int_equal(range_n2m(A, A + M2), 1);
	assert_int_equal(range_n2m(A + K64, A + M2 + K64), 0);
	assert_int_equal(range_n2m(A + K64, A + 2 * M2), 1);
	assert_int_equal(range_n2m(A, A + M2 - K64), 0);
	assert_int_equal(range_n2m(A - K64, A + 3 * M2 + K64), 3);
	assert_int_equal(range_n2m(A + K64, A + 2 * K64), 0);
	assert_int_equal(range_n2m(0, M2), 1);
	assert_int_equal(range_n2m(UINT64_MAX - K64, UINT64_MAX), 0);
}

/* Policies 6.1: a batch is promoted for what its gather covers, and then costs what it costs. */
static void by_the_entire_range(void **state)
{
	struct params p = params_of_era(ERA_V5_14);
	struct radix_request r = { .pages = 32, .gather = 4096 };

	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE_VA], 32);
	p.v[PARAM_PROMOTE] = PROMOTE_ENTIRE_RANGE;
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE_PID], 1);
	r.gather = 33;
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE_VA], 32);
	r.gather = 0;
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIE_VA], 32);
	r.local = true;
	r.gather = 257;
	assert_int_equal(radix_range(&p, &r).n[COUNT_TLBIEL], 128);
}

/* Policies 2.8: one call per request whatever its length; local flushes are the guest's own. */
static void without_gtse(void **state)
{
	struct params p = params_of_era(ERA_V5_14);
	struct radix_request r = { .pages = 100, .tables = true };
	struct tally t;

	p.v[PARAM_GTSE] = 0;
	t = radix_range(&p, &r);
	assert_int_equal(t.n[COUNT_HCALLS], 1);
	assert_int_equal(t.n[COUNT_TLBIE], 0);
	assert_int_equal(t.n[COUNT_TLBSYNC], 0);
	assert_int_equal(t.n[COUNT_PROMOTED], 0);
	r.pages = 1;
	assert_int_equal(radix_range(&p, &r).n[COUNT_HCALLS], 1);
	assert_int_equal(radix_whole_pid(&p, false).n[COUNT_HCALLS], 1);
	assert_int_equal(radix_kernel(&p).n[COUNT_HCALLS], 1);
	assert_int_equal(radix_pwc(&p, false).n[COUNT_HCALLS], 1);
	r.local = true;
	t = radix_range(&p, &r);
	assert_int_equal(t.n[COUNT_HCALLS], 0);
	assert_int_equal(t.n[COUNT_TLBIEL], 2);
	assert_int_equal(radix_whole_pid(&p, true).n[COUNT_TLBIEL], 128);
}

static void position_in_a_pmd(void **state)
{
	assert_int_equal(pages_per_pmd(16), 32);
	assert_int_equal(pages_per_pmd(12), 512);
	assert_int_equal(pages_per_pmd(21), 1);
	assert_int_equal(pages_per_pmd(30), 1);
	assert_int_equal(page_in_pmd(A + 33 * K64, 16), 1);
	assert_int_equal(page_in_pmd(A + 513 * K4, 12), 1);
	assert_int_equal(page_in_pmd(A + M2, 21), 0);
	assert_int_equal(pmds_touched(0, 32, 16), 1);
	assert_int_equal(pmds_touched(1, 32, 16), 2);
	assert_int_equal(pmds_touched(31, 2, 16), 2);
	assert_int_equal(pmds_touched(31, 1, 16), 1);
	assert_int_equal(pmds_touched(0, 65, 16), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_all_machines_and_policies),
		cmocka_unit_test(local_vectors),
		cmocka_unit_test(before_v4_15),
		cmocka_unit_test(old_fixups_count_once),
		cmocka_unit_test(nested_gathers_have_a_third_pass),
		cmocka_unit_test(without_thp_pass),
		cmocka_unit_test(counters_are_told_apart),
		cmocka_unit_test(collapsed_pmd_asks_no_ceiling),
		cmocka_unit_test(whole_pid_kernel_and_pwc),
		cmocka_unit_test(global_and_local_ceilings_are_two),
		cmocka_unit_test(without_gtse),
		cmocka_unit_test(by_the_entire_range),
		cmocka_unit_test(pages_of_a_range),
		cmocka_unit_test(whole_pmds_of_a_range),
		cmocka_unit_test(position_in_a_pmd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
