/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_mm.c - mms that are gone become one per name, and give back what they held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/class.h"
#include "analyze/mm.h"

#define HW_PID 7

/* A process of its own flushes, and is gone. */
static struct mm *run_process(struct mm_table *t, int32_t tgid, const char *comm)
{
	struct mm_issuer issuer = { .tgid = tgid, .tgid_certain = true, .comm = comm };
	struct mm *mm = mm_of_flush(t, HW_PID, &issuer);

	assert_non_null(mm);
	mm->dead = true;
	return mm;
}

static void add(struct class_table *classes, struct mm *mm, uint64_t n)
{
	struct flush f = { .mm = mm, .shape = SHAPE_ALL, .local = true, .sets = 128 };

	for (; n; n--)
		assert_true(class_add(classes, &f, true));
}

static const struct class *class_of(const struct class_table *classes, const struct mm *mm)
{
	const struct class *c = NULL;

	while ((c = class_next(classes, c)))
		if (c->key.mm == mm->index)
			return c;
	return NULL;
}

static void those_that_are_gone_become_one(void **state)
{
	struct mm_table *t = mm_table_new();
	struct class_table *classes = class_table_new(16);
	struct mm *first = run_process(t, 100, "cc1");
	struct mm *second = run_process(t, 101, "cc1");
	struct mm *other = run_process(t, 102, "as");
	struct mm *held = run_process(t, 103, "cc1");
	struct mm *last = run_process(t, 104, "cc1");
	uint32_t *into, cc1;

	add(classes, first, 3);
	add(classes, second, 4);
	add(classes, other, 5);
	add(classes, held, 6);
	add(classes, last, 7);
	assert_true(class_add_call(classes, first, CAUSE_MUNMAP, 1));
	assert_true(class_add_call(classes, second, CAUSE_MUNMAP, 2));
	held->held = true;
	into = mm_fold(t);
	assert_non_null(into);
	cc1 = into[first->index];
	assert_int_not_equal(cc1, first->index);
	assert_int_equal(into[second->index], cc1);
	assert_int_not_equal(into[other->index], cc1);
	assert_int_equal(into[held->index], held->index);
	assert_int_equal(into[last->index], last->index); /* flushes of its PID still find it */
	class_fold(classes, into);
	assert_int_equal(mm_by_index(t, cc1)->members, 2);
	assert_string_equal(mm_by_index(t, cc1)->name, "cc1");
	assert_int_equal(mm_by_index(t, cc1)->tgid, -1);
	assert_int_equal(class_of(classes, mm_by_index(t, cc1))->count, 7);
	assert_int_equal(class_of(classes, held)->count, 6);
	assert_int_equal(class_of(classes, last)->count, 7);
	assert_int_equal(class_count(classes), 4);
	assert_int_equal(class_calls(classes, cc1, CAUSE_MUNMAP)->promoted_once, 1);
	assert_int_equal(class_calls(classes, cc1, CAUSE_MUNMAP)->promoted_many, 1);
	mm_fold_done(t, into);
	assert_false(held->held);
	class_table_free(classes);
	mm_table_free(t);
}

static void the_table_stays_small(void **state)
{
	struct mm_table *t = mm_table_new();
	uint64_t folds = 0, members = 0;

	for (int32_t tgid = 1; tgid <= 100000; tgid++) {
		char comm[COMM_LEN];

		snprintf(comm, sizeof(comm), "task%d",
			 (int)(tgid % 3000)); /* more names than are kept */
		run_process(t, tgid, comm);
		if (!mm_crowded(t))
			continue;
		mm_fold_done(t, mm_fold(t));
		folds++;
	}
	assert_true(folds > 1);
	assert_in_range(mm_count(t), 1, 3 * MM_DETAIL);
	for (uint32_t i = 0; i < mm_count(t); i++) {
		const struct mm *mm = mm_by_index(t, i);

		members += mm ? (mm->members ? mm->members : 1) : 0;
	}
	assert_int_equal(members, 100000);
	mm_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_are_gone_become_one),
		cmocka_unit_test(the_table_stays_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
