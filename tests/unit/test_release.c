/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_release.c - releases as uname has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/release.h"

static void test_releases(void **state)
{
	assert_int_equal(release_number("6.1.0-57-amd64"), 6001);
	assert_int_equal(release_number("6.12.117+deb13-amd64"), 6012);
	assert_int_equal(release_number("4.18.0-394.el8.x86_64"), 4018);
	assert_int_equal(release_number("5.13"), 5013);
	assert_int_equal(release_number(""), 0);
	assert_int_equal(release_number("v5.13"), 0);
	assert_int_equal(release_number("5"), 0);
	assert_int_equal(release_number("5.x"), 0);
	assert_int_equal(release_number("99999999999999999999.1"), 0);
	assert_int_equal(release_number("5.99999999999999999999"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_releases) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
