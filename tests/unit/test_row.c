/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_row.c - flushes as rows: cut like the likely reading, with nothing lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/row.h"

#define A UINT64_C(0x7fff80000000)

/* Rows and what they were made with. */
struct rows {
	struct row row[200];
	size_t n;
	struct class_table *classes;
	struct params recorded;
	struct gap_stats gaps;
};

static bool take(void *arg, const struct row *row)
{
	struct rows *r = arg;

	assert_in_range(r->n, 0, 199);
	r->row[r->n++] = *row;
	return true;
}

static void cut(struct rows *r, const struct flush *f)
{
	struct row_context ctx = { .recorded = &r->recorded, .gaps = &r->gaps, .base_shift = 16 };

	r->n = 0;
	r->recorded = params_of_era(ERA_V5_14);
	r->classes = class_table_new(16);
	assert_non_null(r->classes);
	ctx.classes = r->classes;
	assert_true(rows_of(f, &ctx, take, r));
	class_table_free(r->classes);
}

/* 70 pages of a shmdt that begin amid a PMD, of which POWER10 marks no end. */
static struct flush shmdt_of_70(uint64_t *times)
{
	for (uint64_t i = 0; i < 70; i++)
		times[i] = 5000 + 100 * i;
	return (struct flush){ .start_ns = 5000,
			       .shape = SHAPE_VA,
			       .shift = 16,
			       .addr = A + (20 << 16),
			       .pages = 70,
			       .record = 40,
			       .times = times,
			       .context = CONTEXT_CALL,
			       .cause = CAUSE_SHMDT,
			       .call_longest = 70,
			       .ended_by = RUN_END_SYSCALL };
}

static void check(const struct row *row, uint64_t record, uint64_t first, uint64_t n,
		  enum row_end end)
{
	assert_int_equal(row->record, record);
	assert_int_equal(row->start, A + (first << 16));
	assert_int_equal(row->end, A + ((first + n) << 16));
	assert_int_equal(row->pages, n);
	assert_int_equal(row->recorded.n[COUNT_TLBIE], row->records);
	assert_int_equal(row->ended_by, end);
	assert_int_equal(row->known, KNOWN_AMBIGUOUS);
}

static void shmdt_is_cut_at_pmds(void **state)
{
	struct rows r = { .n = 0 };
	uint64_t times[70];
	struct flush f = shmdt_of_70(times);

	cut(&r, &f);
	assert_int_equal(r.n, 3);
	check(&r.row[0], 40, 20, 12, ROW_END_PMD);
	check(&r.row[1], 52, 32, 32, ROW_END_PMD);
	check(&r.row[2], 84, 64, 26, ROW_END_SYSCALL);
	assert_int_equal(r.row[0].time_ns, 5000);
	assert_int_equal(r.row[1].time_ns, 5000 + 1200);
	assert_int_equal(r.row[2].time_ns, 5000 + 4400);
}

/* The PWC flush in front is the first request's. */
static void page_walk_cache_goes_with_the_first(void **state)
{
	struct rows r = { .n = 0 };
	uint64_t times[70];
	struct flush f = shmdt_of_70(times);

	f.pwc = true;
	cut(&r, &f);
	assert_int_equal(r.n, 3);
	check(&r.row[0], 40, 20, 12, ROW_END_PMD);
	assert_int_equal(r.row[0].records, 13);
	check(&r.row[1], 53, 32, 32, ROW_END_PMD);
	assert_int_equal(r.row[1].records, 32);
}

/* Where pauses mean something, they are named; they cut nothing. */
static void pauses_are_only_named(void **state)
{
	struct rows r = { .n = 0 };
	uint64_t times[70];
	struct flush f = shmdt_of_70(times);

	r.gaps.inside[6] = 100;
	r.gaps.between[9] = 100;
	for (uint64_t i = 40; i < 70; i++)
		times[i] += 4000;
	cut(&r, &f);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.row[0].gaps, 0);
	assert_int_equal(r.row[1].gaps, 1);
	f.context = CONTEXT_OUTSIDE;
	f.cause = CAUSE_FAULT;
	cut(&r, &f);
	assert_int_equal(r.n, 70);
	assert_int_equal(r.row[38].ended_by, ROW_END_NONE);
	assert_int_equal(r.row[39].ended_by, ROW_END_GAP);
	assert_int_equal(r.row[69].ended_by, ROW_END_SYSCALL);
}

/* A promoted request: at least one page more than the ceiling, at most what its call covers. */
static void promoted_has_bounds(void **state)
{
	struct flush f = { .shape = SHAPE_PID,
			   .context = CONTEXT_CALL,
			   .cause = CAUSE_MUNMAP,
			   .call_len = 100 << 16,
			   .fix_erat = 1,
			   .ended_by = RUN_END_FIXUP };
	struct rows r = { .n = 0 };

	cut(&r, &f);
	assert_int_equal(r.n, 1);
	assert_false(r.row[0].has_range);
	assert_int_equal(r.row[0].known, KNOWN_CENSORED);
	assert_int_equal(r.row[0].pages_min, 34);
	assert_int_equal(r.row[0].pages_max, 100);
	assert_int_equal(r.row[0].records, 2);
	assert_int_equal(r.row[0].ended_by, ROW_END_FIXUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shmdt_is_cut_at_pmds),
		cmocka_unit_test(page_walk_cache_goes_with_the_first),
		cmocka_unit_test(pauses_are_only_named),
		cmocka_unit_test(promoted_has_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
