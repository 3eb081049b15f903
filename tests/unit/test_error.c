/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_error.c - struct error is filled, returned as -1, and never overrun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/error.h"

static void fills_class_and_text(void **state)
{
	struct error err = { 0 };

	assert_int_equal(error_set(&err, ERROR_INPUT, "%s: at offset 0x%x", "trace.dat", 0x1a40),
			 -1);
	assert_int_equal(err.class, ERROR_INPUT);
	assert_string_equal(err.text, "trace.dat: at offset 0x1a40");
}

static void later_error_replaces_earlier(void **state)
{
	struct error err = { 0 };

	error_set(&err, ERROR_INPUT, "a longer text than the next one");
	error_set(&err, ERROR_USAGE, "short");
	assert_int_equal(err.class, ERROR_USAGE);
	assert_string_equal(err.text, "short");
}

static void long_text_is_cut(void **state)
{
	struct {
		struct error err;
		char guard;
	} box = { .guard = '!' };
	char name[4 * sizeof(box.err.text)];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	error_set(&box.err, ERROR_ENVIRONMENT, "%s", name);
	assert_int_equal(strlen(box.err.text), sizeof(box.err.text) - 1);
	assert_memory_equal(box.err.text, name, sizeof(box.err.text) - 1);
	assert_int_equal(box.guard, '!');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_class_and_text),
		cmocka_unit_test(later_error_replaces_earlier),
		cmocka_unit_test(long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
