/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_budget.c - what parses as a budget, and what decides it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "replay/budget.h"

static struct budget parsed(const char *text)
{
	struct error err = { .text = "" };
	struct budget b;

	if (budget_parse(&b, text, &err))
		fail_msg("%s", err.text);
	assert_string_equal(b.text, text);
	return b;
}

static void check_parsed(const char *text, enum counter counter, uint64_t thousandths,
			 enum budget_unit unit, bool strict)
{
	struct budget b = parsed(text);

	assert_int_equal(b.counter, counter);
	assert_int_equal(b.thousandths, thousandths);
	assert_int_equal(b.unit, unit);
	assert_int_equal(b.strict, strict);
}

static void limits(void **state)
{
	check_parsed("tlbie<=60000", COUNT_TLBIE, 60000000, BUDGET_COUNT, false);
	check_parsed("tlbie<60000", COUNT_TLBIE, 60000000, BUDGET_COUNT, true);
	check_parsed(" tlbie <= 2.5k", COUNT_TLBIE, 2500000, BUDGET_COUNT, false);
	check_parsed("ptesync<=1M", COUNT_PTESYNC, 1000000000, BUDGET_COUNT, false);
	check_parsed("cr3_writes<=0.125/s", COUNT_CR3_WRITES, 125, BUDGET_PER_SECOND, false);
	check_parsed("ipis<=2k/s", COUNT_IPIS, 2000000, BUDGET_PER_SECOND, false);
	check_parsed("tlbiel<90% of recorded", COUNT_TLBIEL, 90000, BUDGET_PERCENT, true);
	check_parsed("tlbiel<=97.5 %of recorded", COUNT_TLBIEL, 97500, BUDGET_PERCENT, false);
}

static void every_counter(void **state)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "%s<=1", counter_keys[i]);
		assert_int_equal(parsed(text).counter, i);
	}
}

static void mms(void **state)
{
	assert_string_equal(parsed("tlbie<=1").mm, "");
	assert_string_equal(parsed("mm:postgres tlbie<=2k/s").mm, "postgres");
	assert_string_equal(parsed("mm:408 tlbie<=2").mm, "408");
	assert_string_equal(parsed("mm:Web Content tlbie<=2").mm, "Web Content");
	assert_string_equal(parsed("mm:a<b tlbie<=2").mm, "a<b");
}

static void check_refused(const char *text, const char *why)
{
	struct error err = { .text = "" };
	struct budget b;

	assert_int_equal(budget_parse(&b, text, &err), -1);
	assert_int_equal(err.class, ERROR_USAGE);
	if (!strstr(err.text, why))
		fail_msg("'%s' says: %s", text, err.text);
}

static void what_is_refused(void **state)
{
	check_refused("", "COUNTER<=LIMIT");
	check_refused("tlbie", "COUNTER<=LIMIT");
	check_refused("tlbie>=3", "COUNTER<=LIMIT");
	check_refused("tlbie<=", "limit must be");
	check_refused("tlbie<=-3", "limit must be");
	check_refused("tlbie<=3x", "limit must be");
	check_refused("tlbie<=3k k", "limit must be");
	check_refused("tlbie<=.5", "limit must be");
	check_refused("tlbie<=1.", "limit must be");
	check_refused("tlbie<=1.2345", "limit must be");
	check_refused("tlbie<=90%", "limit must be");
	check_refused("tlbie<=90% of rcorded", "limit must be");
	check_refused("tlbie<=18446744073709551616", "limit must be");
	check_refused("tlbie<=18446744073709551615", "limit must be");
	check_refused("tlbie<=18446744073709M", "limit must be");
	check_refused("tlbe<=3", "no counter 'tlbe'");
	check_refused("<=3", "no counter ''");
	check_refused("postgres tlbie<=3", "mm:NAME");
	check_refused("mm: tlbie<=3", "mm:NAME");
	check_refused("a_counter_of_more_than_thirty_two_characters<=3", "no such counter");
}

static enum verdict decided(const char *text, uint64_t lo, uint64_t hi)
{
	struct budget b = parsed(text);
	struct budget_case c = { lo, hi, 1000, 1000, 2000000000 };

	return budget_decide(&b, &c);
}

/* An interval decides only if both ends agree. */
static void both_ends(void **state)
{
	assert_int_equal(decided("tlbie<=60", 60, 60), VERDICT_HOLDS);
	assert_int_equal(decided("tlbie<60", 60, 60), VERDICT_EXCEEDED);
	assert_int_equal(decided("tlbie<=60", 61, 61), VERDICT_EXCEEDED);
	assert_int_equal(decided("tlbie<=60", 10, 60), VERDICT_HOLDS);
	assert_int_equal(decided("tlbie<=60", 60, 61), VERDICT_UNDECIDED);
	assert_int_equal(decided("tlbie<=60", 61, 70), VERDICT_EXCEEDED);
	assert_int_equal(decided("tlbie<=1.5", 1, 1), VERDICT_HOLDS);
	assert_int_equal(decided("tlbie<=1.5", 2, 2), VERDICT_EXCEEDED);
}

static void rates(void **state)
{
	struct budget b = parsed("tlbie<=5/s");
	struct budget_case untimed = { 1, 1, 1, 1, 0 };

	assert_int_equal(decided("tlbie<=5/s", 10, 10), VERDICT_HOLDS);
	assert_int_equal(decided("tlbie<=5/s", 11, 11), VERDICT_EXCEEDED);
	assert_int_equal(decided("tlbie<5/s", 10, 10), VERDICT_EXCEEDED);
	assert_int_equal(budget_decide(&b, &untimed), VERDICT_UNDECIDED);
}

static void shares_of_the_recorded(void **state)
{
	struct budget b = parsed("promoted<=50% of recorded");
	struct budget_case c = { 100, 100, 0, 300, 0 };

	assert_int_equal(decided("tlbie<=90% of recorded", 900, 900), VERDICT_HOLDS);
	assert_int_equal(decided("tlbie<=90% of recorded", 901, 901), VERDICT_EXCEEDED);
	/* What was recorded may itself be an interval. */
	assert_int_equal(budget_decide(&b, &c), VERDICT_UNDECIDED);
	c.recorded_lo = 200;
	assert_int_equal(budget_decide(&b, &c), VERDICT_HOLDS);
	c.recorded_hi = c.recorded_lo = 199;
	assert_int_equal(budget_decide(&b, &c), VERDICT_EXCEEDED);
}

static void large_numbers(void **state)
{
	struct budget b = parsed("tlbie<=18446744073709551.615");
	struct budget_case c = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };

	assert_int_equal(budget_decide(&b, &c), VERDICT_EXCEEDED);
	b = parsed("tlbie<=100% of recorded");
	assert_int_equal(budget_decide(&b, &c), VERDICT_HOLDS);
	b = parsed("tlbie<100% of recorded");
	assert_int_equal(budget_decide(&b, &c), VERDICT_EXCEEDED);
	b = parsed("tlbie<=1.1/s");
	assert_int_equal(budget_decide(&b, &c), VERDICT_EXCEEDED);
}

static void percentages(void **state)
{
	struct error err = { .text = "" };
	uint64_t n;

	assert_int_equal(percent_parse("max-regress", "2%", &n, &err), 0);
	assert_int_equal(n, 2000);
	assert_int_equal(percent_parse("min-fidelity", "99.5 %", &n, &err), 0);
	assert_int_equal(n, 99500);
	assert_int_equal(percent_parse("max-regress", "2", &n, &err), -1);
	assert_string_equal(err.text, "--max-regress=2: must be a percentage such as 2%");
}

static void regressions(void **state)
{
	assert_int_equal(regress_decide(1000, 1000, 1020, 1020, 2000), VERDICT_HOLDS);
	assert_int_equal(regress_decide(1000, 1000, 1021, 1021, 2000), VERDICT_EXCEEDED);
	assert_int_equal(regress_decide(0, 0, 1, 1, 2000), VERDICT_EXCEEDED);
	assert_int_equal(regress_decide(10, 90, 10, 90, 0), VERDICT_HOLDS);
	assert_int_equal(regress_decide(10, 90, 10, 91, 0), VERDICT_UNDECIDED);
	assert_int_equal(regress_decide(10, 90, 11, 91, 0), VERDICT_EXCEEDED);
	assert_int_equal(regress_decide(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0),
			 VERDICT_HOLDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(every_counter),
		cmocka_unit_test(mms),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(both_ends),
		cmocka_unit_test(rates),
		cmocka_unit_test(shares_of_the_recorded),
		cmocka_unit_test(large_numbers),
		cmocka_unit_test(percentages),
		cmocka_unit_test(regressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
