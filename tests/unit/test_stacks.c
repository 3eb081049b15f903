/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stacks.c - equal stacks have one number, whoever asks for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/stacks.h"

static void equal_stacks_have_one_number(void **state)
{
	static const uint64_t a[] = { 1, 2, 3 }, b[] = { 1, 2, 4 }, gap[] = { 1, 0, 2, 3 };
	struct stacks *stacks = stacks_new();
	uint32_t first = stacks_number(stacks, a, 3);

	assert_int_not_equal(first, 0);
	assert_int_equal(stacks_number(stacks, a, 3), first);
	assert_int_equal(stacks_number(stacks, gap, 4), first);
	assert_int_not_equal(stacks_number(stacks, b, 3), first);
	assert_int_not_equal(stacks_number(stacks, a, 2), first);
	assert_int_equal(stacks_get(stacks, first)->n, 3);
	assert_int_equal(stacks_get(stacks, first)->ips[2], 3);
	assert_int_equal(stacks_number(stacks, a, 0), 0);
	assert_int_equal(stacks_number(stacks, gap + 1, 1), 0);
	assert_null(stacks_get(stacks, 0));
	assert_null(stacks_get(stacks, 4));
	stacks_free(stacks);
}

static void memory_is_bounded(void **state)
{
	struct stacks *stacks = stacks_new();
	uint64_t deep[STACK_DEPTH + 8];
	const struct stack *last;

	for (uint64_t i = 1; i <= STACKS_MAX; i++)
		assert_int_equal(stacks_number(stacks, &i, 1), i);
	last = stacks_get(stacks, STACKS_MAX);
	for (uint64_t i = 0; i < STACK_DEPTH + 8; i++)
		deep[i] = i + 1;
	assert_int_equal(stacks_number(stacks, deep, STACK_DEPTH + 8), 0);
	assert_int_equal(stacks_number(stacks, &last->ips[0], 1), STACKS_MAX);
	stacks_free(stacks);
	stacks = stacks_new();
	assert_int_equal(stacks_number(stacks, deep, STACK_DEPTH + 8), 1);
	assert_int_equal(stacks_number(stacks, deep, STACK_DEPTH), 1);
	assert_int_equal(stacks_get(stacks, 1)->n, STACK_DEPTH);
	stacks_free(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_have_one_number),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
