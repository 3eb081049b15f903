/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gap.c - when a pause says anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/gap.h"

static void note_times(uint64_t *buckets, uint64_t ns, unsigned times)
{
	while (times--)
		gap_note(buckets, ns);
}

/* As barriers on hardware would look: 300 ns in a loop, some µs between requests. */
static struct gap_stats clear_cut(void)
{
	struct gap_stats s = { .inside = { 0 } };

	note_times(s.inside, 300, 40);
	note_times(s.inside, 0, 1);
	note_times(s.between, 3000, 30);
	note_times(s.between, 400, 10);
	note_times(s.hidden, 350, 5);
	note_times(s.hidden, 512, 2);
	note_times(s.hidden, 5000, 3);
	return s;
}

static void clear_pauses_are_probable(void **state)
{
	struct gap_stats s = clear_cut();

	assert_int_equal(gap_limit(&s), 512);
	assert_int_equal(gap_probable(&s), 5);
}

/* 30 of 41 pauses between requests are above; with as many below, they do not separate. */
static void blurred_pauses_say_nothing(void **state)
{
	struct gap_stats s = clear_cut();

	note_times(s.between, 100, 21);
	assert_int_equal(gap_limit(&s), UINT64_MAX);
	assert_int_equal(gap_probable(&s), 0);
}

static void few_samples_say_nothing(void **state)
{
	struct gap_stats s = clear_cut();

	s.inside[8] = 30;
	assert_int_equal(gap_limit(&s), UINT64_MAX);
	s = clear_cut();
	s.between[11] = 20;
	assert_int_equal(gap_limit(&s), UINT64_MAX);
}

/* One request with a long pause, as under an emulator, takes all pauses up to there away. */
static void one_long_request_raises_the_limit(void **state)
{
	struct gap_stats s = clear_cut();

	gap_note(s.inside, 1100);
	assert_int_equal(gap_limit(&s), 2048);
	assert_int_equal(gap_probable(&s), 3);
	gap_note(s.inside, UINT64_MAX);
	assert_int_equal(gap_limit(&s), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clear_pauses_are_probable),
		cmocka_unit_test(blurred_pauses_say_nothing),
		cmocka_unit_test(few_samples_say_nothing),
		cmocka_unit_test(one_long_request_raises_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
