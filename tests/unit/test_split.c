/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_split.c - which readings a class has (policies 9.2, 14), and how each cuts its pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/geometry.h"
#include "analyze/split.h"

static const struct call_evidence no_calls;

/* Pages of one loop or several, with no mark between: POWER10 global, or local anywhere. */
static struct class_key pages_of(uint64_t pages, uint32_t first)
{
	return (struct class_key){
		.shape = SHAPE_VA, .shift = 16, .pages = pages, .first = first, .may_hide = true
	};
}

static void check(const struct class_key *k, const struct call_evidence *calls, enum cut likely,
		  enum cut other, enum flush_known known)
{
	struct params recorded = params_of_era(ERA_V5_14);
	struct split s = split_of(k, &recorded, calls);

	assert_int_equal(s.likely, likely);
	assert_int_equal(s.other, other);
	assert_int_equal(s.known, known);
}

static void which_ceiling_decides(void **state)
{
	struct class_key k = pages_of(2, 0);
	struct params p = params_of_era(ERA_V5_14);

	p.v[PARAM_CEILING] = 20;
	p.v[PARAM_LOCAL_CEILING] = 90;
	assert_int_equal(split_longest(&k, &p), 20);
	k.local = true;
	assert_int_equal(split_longest(&k, &p), 90);
	/* policies 13: tlbie off: tlbiel everywhere, but by the global ceiling */
	k.irq = true;
	assert_int_equal(split_longest(&k, &p), 20);
	p.v[PARAM_COMPARE] = COMPARE_GE;
	assert_int_equal(split_longest(&k, &p), 19);
	p.v[PARAM_CEILING] = 0;
	assert_int_equal(split_longest(&k, &p), 0);
}

/* A probe's word stands, and so do marks at both ends. */
static void told_and_marked_are_certain(void **state)
{
	struct class_key k = pages_of(500, 0);

	k.told = true;
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_TOLD);
	k = pages_of(33, 0);
	k.may_hide = false;
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_SEEN);
}

static void in_call(struct class_key *k, enum flush_cause cause)
{
	k->context = CONTEXT_CALL;
	k->cause = (uint8_t)cause;
	k->longest = k->pages;
}

/* change_protection() flushes once per call; a rule says so, not a mark. */
static void mprotect_is_one_request(void **state)
{
	struct class_key k = pages_of(33, 0);

	in_call(&k, CAUSE_MPROTECT);
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_AMBIGUOUS);
}

/* "In a syscall where one run exceeds the ceiling … cut all base-page runs at PMD boundaries." */
static void one_overlong_run_cuts_all_of_its_call(void **state)
{
	struct class_key k = pages_of(20, 20);

	in_call(&k, CAUSE_MUNMAP);
	k.longest = 34;
	check(&k, &no_calls, CUT_PMD, CUT_LOOSE, KNOWN_AMBIGUOUS);
	k.longest = 33;
	check(&k, &no_calls, CUT_WHOLE, CUT_PMD, KNOWN_AMBIGUOUS);
}

/* "… and in every shmdt"; inside one PMD there is nothing to cut. */
static void shmdt_cuts_at_pmds(void **state)
{
	struct class_key k = pages_of(20, 20);

	in_call(&k, CAUSE_SHMDT);
	check(&k, &no_calls, CUT_PMD, CUT_WHOLE, KNOWN_AMBIGUOUS);
	k.first = 12;
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_AMBIGUOUS);
}

/* Calls of the mm that promoted once flush once; one that promoted often flushes per PMD. */
static void promoted_calls_are_evidence(void **state)
{
	struct class_key k = pages_of(20, 20);
	struct call_evidence calls = { .promoted_once = 3 };

	in_call(&k, CAUSE_MUNMAP);
	check(&k, &calls, CUT_WHOLE, CUT_WHOLE, KNOWN_AMBIGUOUS);
	calls.promoted_many = 1;
	check(&k, &calls, CUT_WHOLE, CUT_PMD, KNOWN_AMBIGUOUS);
}

/* THP: flush_pmd_tlb_range one by one, or one gather. */
static void huge_pages_in_calls(void **state)
{
	struct class_key k = pages_of(4, 0);

	k.shift = 21;
	in_call(&k, CAUSE_MADVISE);
	check(&k, &no_calls, CUT_SINGLES, CUT_WHOLE, KNOWN_AMBIGUOUS);
}

/* "Base-page VA requests outside … are one page each, unless a PWC precedes." */
static void faults_are_single_pages(void **state)
{
	struct class_key k = pages_of(4, 0);

	k.context = CONTEXT_OUTSIDE;
	check(&k, &no_calls, CUT_SINGLES, CUT_WHOLE, KNOWN_AMBIGUOUS);
	k.pwc = true;
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_AMBIGUOUS);
}

/* Marks say where it ends, but not that all of it was recorded, or that both passes are one. */
static void marks_with_doubts(void **state)
{
	struct class_key k = pages_of(33, 0);

	k.may_hide = false;
	k.partial = true;
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_AMBIGUOUS);
	k.partial = false;
	k.pages_2m = 1;
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_AMBIGUOUS);
	k.pwc = true;
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_AMBIGUOUS);
	in_call(&k, CAUSE_MREMAP);
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_SEEN);
}

/* What the call told of its 2 MiB pages, which no ceiling decides. */
static void huge_pages_by_what_the_call_told(void **state)
{
	struct class_key k = pages_of(3, 0);

	in_call(&k, CAUSE_MUNMAP);
	k.shift = PMD_SHIFT;
	check(&k, &no_calls, CUT_SINGLES, CUT_WHOLE, KNOWN_AMBIGUOUS);
	k.parts = PARTS_ONE;
	check(&k, &no_calls, CUT_WHOLE, CUT_WHOLE, KNOWN_AMBIGUOUS);
	k.parts = PARTS_LIKELY_ONE;
	check(&k, &no_calls, CUT_WHOLE, CUT_SINGLES, KNOWN_AMBIGUOUS);
	k.parts = PARTS_SINGLES;
	check(&k, &no_calls, CUT_SINGLES, CUT_SINGLES, KNOWN_AMBIGUOUS);
	k.parts = PARTS_ONE;
	k.pages = 34;
	check(&k, &no_calls, CUT_SINGLES, CUT_SINGLES, KNOWN_AMBIGUOUS);
}

/* A task that makes none of the calls although they are recorded is in none. */
static void tasks_without_calls_fault(void **state)
{
	struct call_evidence calls = { .traced = true };
	struct class_key k = pages_of(4, 0);

	check(&k, &calls, CUT_SINGLES, CUT_ANY, KNOWN_AMBIGUOUS);
	k.pwc = true;
	check(&k, &calls, CUT_WHOLE, CUT_ANY, KNOWN_AMBIGUOUS);
}

static void overlong_outside_of_calls(void **state)
{
	struct class_key k = pages_of(64, 0);

	check(&k, &no_calls, CUT_PMD, CUT_ANY, KNOWN_AMBIGUOUS);
	k.context = CONTEXT_OUTSIDE;
	check(&k, &no_calls, CUT_SINGLES, CUT_ANY, KNOWN_AMBIGUOUS);
}

static void without_syscalls_anything_is_possible(void **state)
{
	struct class_key k = pages_of(4, 0);

	check(&k, &no_calls, CUT_WHOLE, CUT_ANY, KNOWN_AMBIGUOUS);
}

static void check_cut(const struct class_key *k, enum cut cut, uint64_t longest,
		      const struct piece *want, unsigned n)
{
	struct pieces p = split_cut(k, cut, longest);

	assert_int_equal(p.n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(p.p[i].pages, want[i].pages);
		assert_int_equal(p.p[i].times, want[i].times);
	}
}

static void cuts(void **state)
{
	struct class_key k = pages_of(100, 20);

	check_cut(&k, CUT_SINGLES, 33, (struct piece[]){ { 1, 100 } }, 1);
	check_cut(&k, CUT_PMD, 33, (struct piece[]){ { 12, 1 }, { 32, 2 }, { 24, 1 } }, 3);
	check_cut(&k, CUT_WHOLE, 100, (struct piece[]){ { 100, 1 } }, 1);
	k.first = 0;
	k.pages = 64;
	check_cut(&k, CUT_PMD, 33, (struct piece[]){ { 32, 1 }, { 32, 1 } }, 2);
	k.pages = 5;
	check_cut(&k, CUT_PMD, 33, (struct piece[]){ { 5, 1 } }, 1);
}

/* As few requests as the ceiling allows, at PMD edges: 64K pages and ceiling 64 make 2 PMDs each. */
static void whole_is_cut_where_too_long(void **state)
{
	struct class_key k = pages_of(128, 0);

	check_cut(&k, CUT_WHOLE, 70, (struct piece[]){ { 64, 1 }, { 64, 1 } }, 2);
	/* what has marks at both ends is one request, whatever the ceiling is thought to be */
	k.may_hide = false;
	check_cut(&k, CUT_WHOLE, 70, (struct piece[]){ { 128, 1 } }, 1);
}

/* No cut loses or invents a page, and none is longer than the ceiling where it need not be. */
/* 256 MB of 64K pages that begin at page 1 of a PMD: one of the 127 whole PMDs may be two requests. */
static void one_pmd_in_128_is_loose(void **state)
{
	struct class_key k = pages_of(4096, 1);

	check_cut(&k, CUT_LOOSE, 31,
		  (const struct piece[]){ { 31, 1 }, { 32, 126 }, { 1, 1 }, { 16, 1 }, { 16, 1 } },
		  5);
	check_cut(&k, CUT_LOOSE, 4,
		  (const struct piece[]){ { 31, 1 }, { 32, 126 }, { 1, 1 }, { 4, 1 }, { 28, 1 } },
		  5);
	check_cut(&k, CUT_LOOSE, 0,
		  (const struct piece[]){ { 31, 1 }, { 32, 126 }, { 1, 1 }, { 1, 1 }, { 31, 1 } },
		  5);
	k.pages = 4096 + 64;
	check_cut(&k, CUT_LOOSE, 31,
		  (const struct piece[]){ { 31, 1 }, { 32, 127 }, { 1, 1 }, { 16, 2 }, { 16, 2 } },
		  5);
}

static void no_cut_loses_a_page(void **state)
{
	static const unsigned shifts[] = { 12, 16, 21 };

	for (size_t s = 0; s < 3; s++)
		for (uint64_t pages = 1; pages < 150; pages++)
			for (uint32_t first = 0; first < (s == 2 ? 1 : 32); first += 3)
				for (enum cut cut = CUT_WHOLE; cut < CUT_ANY; cut++) {
					struct class_key k = pages_of(pages, first);
					struct pieces p;
					uint64_t sum = 0;

					k.shift = (uint8_t)shifts[s];
					p = split_cut(&k, cut, 33);
					for (unsigned i = 0; i < p.n; i++) {
						sum += p.p[i].pages * p.p[i].times;
						if (cut == CUT_WHOLE)
							assert_in_range(p.p[i].pages, 1, 33);
					}
					assert_int_equal(sum, pages);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_ceiling_decides),
		cmocka_unit_test(told_and_marked_are_certain),
		cmocka_unit_test(mprotect_is_one_request),
		cmocka_unit_test(one_overlong_run_cuts_all_of_its_call),
		cmocka_unit_test(shmdt_cuts_at_pmds),
		cmocka_unit_test(promoted_calls_are_evidence),
		cmocka_unit_test(huge_pages_in_calls),
		cmocka_unit_test(faults_are_single_pages),
		cmocka_unit_test(marks_with_doubts),
		cmocka_unit_test(huge_pages_by_what_the_call_told),
		cmocka_unit_test(tasks_without_calls_fault),
		cmocka_unit_test(overlong_outside_of_calls),
		cmocka_unit_test(without_syscalls_anything_is_possible),
		cmocka_unit_test(cuts),
		cmocka_unit_test(whole_is_cut_where_too_long),
		cmocka_unit_test(one_pmd_in_128_is_loose),
		cmocka_unit_test(no_cut_loses_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
