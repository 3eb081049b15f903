/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_cost.c - times of counters: what parses, what they add up to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/cost.h"

static struct cost parsed(const char *text)
{
	struct error err = { .text = "" };
	struct cost c;

	assert_int_equal(cost_parse(&c, text, &err), 0);
	assert_true(c.given);
	return c;
}

static void times(void **state)
{
	struct cost c = parsed("tlbie=620ns,ipi=1.5us,hcall=2ms,ptesync=0.25ns");

	assert_int_equal(c.ps[COUNT_TLBIE], 620000);
	assert_int_equal(c.ps[COUNT_IPIS], 1500000);
	assert_int_equal(c.ps[COUNT_HCALLS], 2000000000);
	assert_int_equal(c.ps[COUNT_PTESYNC], 250);
	assert_int_equal(c.ps[COUNT_TLBIEL], 0);
	assert_false(c.seed);
}

static void sums(void **state)
{
	struct cost c = parsed("tlbie=620ns,ptesync=0.25ns");
	struct tally t = { .n = { [COUNT_TLBIE] = 1000, [COUNT_PTESYNC] = 6, [COUNT_IPIS] = 9 } };

	assert_int_equal(cost_of(&c, &t), 620001);
	t.n[COUNT_TLBIE] = UINT64_MAX;
	assert_true(cost_of(&c, &t) == UINT64_MAX);
}

/* The table of seed 000: rounds and tlbie per second at ceilings 34 and 32. */
static void the_seed(void **state)
{
	struct cost c = parsed("seed");
	struct tally before = { .n[COUNT_TLBIE] = 737460 / 178 };
	struct tally after = { .n[COUNT_TLBIE] = 51485 / 318 };
	int64_t saved = (int64_t)(cost_of(&c, &before) - cost_of(&c, &after));
	int64_t measured = 1000000000 / 178 - 1000000000 / 318;

	assert_true(c.seed);
	assert_true(saved > measured / 100 * 99 && saved < measured / 100 * 101);
}

static void refuses(const char *text, const char *why)
{
	struct error err = { .text = "" };
	struct cost c;

	assert_int_equal(cost_parse(&c, text, &err), -1);
	assert_int_equal(err.class, ERROR_USAGE);
	if (!strstr(err.text, why))
		fail_msg("'%s' says: %s", text, err.text);
}

static void what_is_refused(void **state)
{
	refuses("", "must be COUNTER=TIME");
	refuses("tlbie", "must be COUNTER=TIME");
	refuses("tlbee=1ns", "no counter 'tlbee'");
	refuses("tlbie_va=1ns", "part of tlbie");
	refuses("tlbie=1ns,tlbie=2ns", "twice");
	refuses("tlbie=1", "must be a time");
	refuses("tlbie=ns", "must be a time");
	refuses("tlbie=-1ns", "must be a time");
	refuses("tlbie=1.s", "must be a time");
	refuses("tlbie=99999999999999999999ms", "must be a time");
	refuses("tlbie=1001ms", "must be a time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(sums),
		cmocka_unit_test(the_seed),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
