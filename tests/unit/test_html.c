/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_html.c - whatever a trace says, a page stays a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Parts of the program, not of the library that the tests link. */
#include "cmd/output/html.c"   /* NOLINT(bugprone-suspicious-include) */
#include "cmd/output/number.c" /* NOLINT(bugprone-suspicious-include) */

static void expect_text(const char *text, const char *expected)
{
	char *page = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&page, &len);

	assert_non_null(f);
	html_text(f, text);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(page, expected);
	free(page);
}

static void test_escapes(void **state)
{
	expect_text("<script>&\"", "&lt;script&gt;&amp;&quot;");
	expect_text("k\xc3\xbche", "k\xc3\xbche");
	expect_text("a\xff\x01z\xc3", "a&#xfffd;&#xfffd;z&#xfffd;");
	expect_text("\xed\xa0\x80", "&#xfffd;&#xfffd;&#xfffd;"); /* a surrogate */
}

static void name_bar(const void *arg, size_t i, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%s%zu", (const char *)arg, i);
}

static void test_columns(void **state)
{
	const uint64_t values[] = { 10, 0, 5 };
	const uint64_t most[] = { 10, 20, 5 };
	struct html_chart c = {
		.what = "a & b",
		.class = "global",
		.values = values,
		.most = most,
		.n = 3,
		.mark = 2,
		.mark_text = "here",
		.label = name_bar,
		.arg = "<bar>",
	};
	char *page = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&page, &len);

	assert_non_null(f);
	html_columns(f, &c);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(page, "a &amp; b: at most 20"));
	/* 10 of 20 is half of the height; a value of 0 has no bar, but what it may be has. */
	assert_non_null(strstr(page, "<rect class=\"global\" x=\"0.00\" y=\"60.00\""));
	assert_non_null(strstr(page, "<rect class=\"global pale\" x=\"266.67\" y=\"0.00\""));
	assert_null(strstr(page, "<rect class=\"global\" x=\"266.67\""));
	assert_non_null(strstr(page, "<title>&lt;bar&gt;2</title>"));
	assert_non_null(strstr(page, "x1=\"666.67\""));
	free(page);
}

/* Steps are drawn where values change; each value has its tooltip. */
static void test_steps(void **state)
{
	const uint64_t values[] = { 5, 5, 10, 10 };
	struct html_chart c = {
		.what = "cost",
		.class = "global",
		.values = values,
		.n = 4,
		.mark = SIZE_MAX,
		.label = name_bar,
		.arg = "at ",
	};
	char *page = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&page, &len);

	assert_non_null(f);
	html_steps(f, &c);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(page, "d=\"M0 120H0.00V60.00H400.00V0.00H800V120Z\""));
	assert_non_null(strstr(page, "<title>at 3</title>"));
	assert_null(strstr(page, "class=\"mark\""));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
