/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_options.c - option tables in all forms of writing, their values, and what a slip gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Parts of the program, not of the library that the tests link. */
#include "cmd/options.c" /* NOLINT(bugprone-suspicious-include) */
#include "cmd/values.c"	 /* NOLINT(bugprone-suspicious-include) */

enum {
	CEILING = OPTION_IDS,
	COMPARE,
	CPU,
	QUIET,
};

static const struct option_group first_group = {
	"First",
	(const struct option_spec[]){
		{ CEILING, 0, "ceiling", "N", "a number" },
		{ COMPARE, 0, "compare", "gt|ge", "a word\non two lines" },
		{ 0 },
	},
};
static const struct option_group second_group = {
	"Second",
	(const struct option_spec[]){
		{ CPU, 'C', "cpu", "LIST", "CPUs; repeatable" },
		{ QUIET, 'q', "quiet", NULL, "nothing" },
		{ 0 },
	},
};
static const struct option_group *const groups[] = { &first_group, &second_group, NULL };

/* What was parsed, as "ceiling=31 quiet". */
struct heard {
	char text[256];
	size_t len;
};

static int hear(void *arg, int id, const char *value, struct error *err)
{
	static const char *const names[] = { "ceiling", "compare", "cpu", "quiet" };
	struct heard *h = arg;

	if (value && strcmp(value, "refuse") == 0)
		return error_set(err, ERROR_USAGE, "refused");
	h->len += (size_t)snprintf(h->text + h->len, sizeof(h->text) - h->len, "%s%s%s%s",
				   h->len ? " " : "", names[id - OPTION_IDS], value ? "=" : "",
				   value ? value : "");
	return 0;
}

#define WORDS 12

/* Parses words up to a NULL; the operands are appended behind a "|". */
static int parse(const char *const *words, struct heard *h, struct error *err)
{
	char *argv[WORDS + 2] = { (char *)"whatif" };
	int argc = 1;
	int at;
	int status;

	*h = (struct heard){ .text = "" };
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	status = options_parse(groups, argc, argv, hear, h, &at, err);
	for (; status == 0 && at < argc; at++)
		h->len += (size_t)snprintf(h->text + h->len, sizeof(h->text) - h->len, "|%s",
					   argv[at]);
	return status;
}

static void accepts(const char *const *words, const char *expected)
{
	struct error err = { .text = "" };
	struct heard h;

	if (parse(words, &h, &err))
		fail_msg("%s", err.text);
	assert_string_equal(h.text, expected);
}

static void refuses(const char *const *words, const char *message)
{
	struct error err = { .text = "" };
	struct heard h;

	assert_int_equal(parse(words, &h, &err), -1);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_string_equal(err.text, message);
}

#define LIST(...) ((const char *const[WORDS]){ __VA_ARGS__ })

static void every_form_of_writing(void **state)
{
	accepts(LIST("--ceiling=31", "--cpu", "0,2", "-C1", "-qC", "3", "-q", "--quiet"),
		"ceiling=31 cpu=0,2 cpu=1 quiet cpu=3 quiet quiet");
	accepts(LIST("--ceiling="), "ceiling=");
	accepts(LIST("--ceiling", "--cpu"), "ceiling=--cpu");
	accepts(LIST(NULL), "");
}

/* Only what help calls repeatable may be given again, and what has no value. */
static void repeated_options(void **state)
{
	refuses(LIST("--ceiling=31", "-q", "--ceiling", "32"), "--ceiling is given twice");
	refuses(LIST("--ceiling=31", "--ceiling=31"), "--ceiling is given twice");
	refuses(LIST("--compare=gt", "--ceiling=1", "--compare=ge"), "--compare is given twice");
	refuses(LIST("--ceiling=31", "--ceiling=refuse"), "refused"); /* whose words are better */
	accepts(LIST("--cpu=1", "-C", "2", "--cpu=1"), "cpu=1 cpu=2 cpu=1");
}

static void operands_stand_anywhere(void **state)
{
	accepts(LIST("a.dat", "-q", "b.dat", "--", "--cpu"), "quiet|a.dat|b.dat|--cpu");
	accepts(LIST("-"), "|-");
}

static void abbreviations_are_refused(void **state)
{
	refuses(LIST("--ceil=31"), "unknown option '--ceil': did you mean '--ceiling'?");
	refuses(LIST("--q"), "unknown option '--q': did you mean '--quiet'?");
	refuses(LIST("--cei", "31"), "unknown option '--cei': did you mean '--ceiling'?");
	refuses(LIST("--c=1"), "unknown option '--c': did you mean '--ceiling'?"); /* or others */
}

static void slips_are_named(void **state)
{
	refuses(LIST("--celing=31"), "unknown option '--celing': did you mean '--ceiling'?");
	refuses(LIST("--sweep=1"), "unknown option '--sweep'");
	refuses(LIST("-x"), "unknown option '-x'");
	refuses(LIST("-qx"), "unknown option '-x'");
	refuses(LIST("--ceiling"), "--ceiling needs a value: --ceiling=N");
	refuses(LIST("-C"), "--cpu needs a value: --cpu=LIST");
	refuses(LIST("--quiet=1"), "--quiet takes no value");
	refuses(LIST("--ceiling=refuse"), "refused");
}

static void help_has_every_option(void **state)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	options_help(f, groups, NULL);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "\nFirst\n"
				  "      --ceiling=N         a number\n"
				  "      --compare=gt|ge     a word\n"
				  "                          on two lines\n"
				  "\nSecond\n"
				  "  -C, --cpu=LIST          CPUs; repeatable\n"
				  "  -q, --quiet             nothing\n");
	free(text);
}

static void distances(void **state)
{
	assert_int_equal(edit_distance("", ""), 0);
	assert_int_equal(edit_distance("ceiling", "ceiling"), 0);
	assert_int_equal(edit_distance("celing", "ceiling"), 1);
	assert_int_equal(edit_distance("kitten", "sitting"), 3);
	assert_int_equal(edit_distance("", "cpu"), 3);
	assert_int_equal(edit_distance("cpu", ""), 3);
}

static void expect_period(const char *text, bool is_share, uint64_t from, uint64_t to)
{
	struct error err = { .text = "" };
	struct period p;

	if (value_period("time", text, &p, &err))
		fail_msg("%s", err.text);
	assert_int_equal(p.is_share, is_share);
	assert_int_equal(p.from, from);
	assert_int_equal(p.to, to);
}

/* Nanoseconds exactly: a double would lose them after 104 days of uptime. */
static void periods(void **state)
{
	expect_period("277.866716000,280", false, 277866716000, 280000000000);
	expect_period("9007199.254740993,", false, 9007199254740993, UINT64_MAX);
	expect_period(",0.5", false, 0, 500000000);
	expect_period(",", false, 0, UINT64_MAX);
	expect_period("1.2345678919,2", false, 1234567891, 2000000000);
	expect_period("10%-20%", true, 100000, 200000);
	expect_period("0%-99.95%", true, 0, 999500);
}

static void bad_periods(void **state)
{
	static const char *const bad[] = {
		"",    "5",	 "a,b", "1,2,3",    "-1,2",    "1,,2",	 "2,1",
		"1,1", "1.2.3,", "5%",	"10%-101%", "20%-10%", "10-20%", "99999999999999999999,"
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct error err = { .text = "" };
		struct period p;

		if (value_period("time", bad[i], &p, &err) == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(err.class, ERROR_USAGE);
	}
}

static void cpu_lists(void **state)
{
	struct trace_filter f = { .by_cpu = false };
	struct error err = { .text = "" };

	assert_int_equal(value_cpus("cpu", "0,2-5,64,4095", &f, &err), 0);
	assert_true(f.by_cpu);
	assert_int_equal(f.cpus[0], 0x3d);
	assert_int_equal(f.cpus[1], 1);
	assert_true(f.cpus[63] == UINT64_C(1) << 63);
}

static void bad_cpu_lists(void **state)
{
	static const char *const bad[] = { "", "a", "1,", ",1", "5-2", "1-", "4096", "-1", "1;2" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct trace_filter f = { .by_cpu = false };
		struct error err = { .text = "" };

		if (value_cpus("cpu", bad[i], &f, &err) == 0)
			fail_msg("'%s' was taken", bad[i]);
	}
}

static void words(void **state)
{
	static const char *const formats[] = { "text", "json", "csv", NULL };
	struct error err = { .text = "" };
	size_t at = 9;
	uint32_t bits = 0;

	assert_int_equal(value_word("format", "csv", formats, &at, &err), 0);
	assert_int_equal(at, 2);
	assert_int_equal(value_words("format", "csv,text", formats, &bits, &err), 0);
	assert_int_equal(bits, 5);
	assert_int_equal(value_word("format", "jsn", formats, &at, &err), -1);
	assert_string_equal(err.text,
			    "--format=jsn: did you mean 'json'? It must be one of text, json, csv");
	assert_int_equal(value_words("format", "csv,", formats, &bits, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_writing),
		cmocka_unit_test(repeated_options),
		cmocka_unit_test(operands_stand_anywhere),
		cmocka_unit_test(abbreviations_are_refused),
		cmocka_unit_test(slips_are_named),
		cmocka_unit_test(help_has_every_option),
		cmocka_unit_test(distances),
		cmocka_unit_test(periods),
		cmocka_unit_test(bad_periods),
		cmocka_unit_test(cpu_lists),
		cmocka_unit_test(bad_cpu_lists),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
