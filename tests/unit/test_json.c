/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_json.c - the JSON writer: nesting, escapes, and text that is no UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

/* Part of the program, not of the library that the tests link. */
#include "cmd/output/json.c" /* NOLINT(bugprone-suspicious-include) */
#include "cmd/output/utf8.c" /* NOLINT(bugprone-suspicious-include) */

/* A writer into memory. */
struct memory {
	struct json_writer j;
	FILE *f;
	char *text;
	size_t len;
};

static void open_memory(struct memory *m)
{
	m->f = open_memstream(&m->text, &m->len);
	assert_non_null(m->f);
	jw_begin(&m->j, m->f);
}

/* Ends the text and compares it. */
static void expect(struct memory *m, const char *text)
{
	jw_end(&m->j);
	assert_int_equal(fclose(m->f), 0);
	assert_string_equal(m->text, text);
	free(m->text);
}

static void objects_and_arrays_nest(void **state)
{
	struct memory m;

	open_memory(&m);
	jw_object(&m.j);
	jw_key_string(&m.j, "schema", "tlbtrace-whatif/1");
	jw_key(&m.j, "results");
	jw_array(&m.j);
	jw_object(&m.j);
	jw_key(&m.j, "tlbie");
	jw_object_inline(&m.j);
	jw_key_u64(&m.j, "lo", 1);
	jw_key_u64(&m.j, "hi", 2);
	jw_object_end(&m.j);
	jw_key_bool(&m.j, "truncated", false);
	jw_object_end(&m.j);
	jw_u64(&m.j, 7);
	jw_array_end(&m.j);
	jw_object_end(&m.j);
	expect(&m, "{\n"
		   "  \"schema\": \"tlbtrace-whatif/1\",\n"
		   "  \"results\": [\n"
		   "    {\n"
		   "      \"tlbie\": { \"lo\": 1, \"hi\": 2 },\n"
		   "      \"truncated\": false\n"
		   "    },\n"
		   "    7\n"
		   "  ]\n"
		   "}\n");
}

static void empty_ones_stay_on_a_line(void **state)
{
	struct memory m;

	open_memory(&m);
	jw_object(&m.j);
	jw_key(&m.j, "a");
	jw_array(&m.j);
	jw_array_end(&m.j);
	jw_key(&m.j, "b");
	jw_object(&m.j);
	jw_object_end(&m.j);
	jw_object_end(&m.j);
	expect(&m, "{\n  \"a\": [],\n  \"b\": {}\n}\n");
}

static void numbers_are_whole(void **state)
{
	struct memory m;

	open_memory(&m);
	jw_array(&m.j);
	jw_u64(&m.j, UINT64_MAX);
	jw_u64(&m.j, 0);
	jw_array_end(&m.j);
	expect(&m, "[\n  18446744073709551615,\n  0\n]\n");
}

/* 1 must mean all, so 13,159 of 13,160 is not rounded up to it. */
static void shares_are_cut(void **state)
{
	struct memory m;

	open_memory(&m);
	jw_array(&m.j);
	jw_share(&m.j, 13160, 13160);
	jw_share(&m.j, 13159, 13160);
	jw_share(&m.j, 1315999, 1316000);
	jw_share(&m.j, 1, 100);
	jw_share(&m.j, 0, 5);
	jw_share(&m.j, 0, 0);
	jw_share(&m.j, UINT64_MAX - 1, UINT64_MAX);
	jw_array_end(&m.j);
	expect(&m, "[\n  1,\n  0.9999,\n  0.9999,\n  0.0100,\n  0,\n  1,\n  0.9999\n]\n");
}

static void expect_written(const char *text, const char *written)
{
	struct memory m;

	open_memory(&m);
	jw_string(&m.j, text);
	expect(&m, written);
}

static void special_characters_are_escaped(void **state)
{
	expect_written("a\"b\\c/", "\"a\\\"b\\\\c/\"\n");
	expect_written("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"\n");
	expect_written("", "\"\"\n");
}

static void valid_utf8_is_kept(void **state)
{
	expect_written("caf\xc3\xa9 \xe2\x80\xa6 \xf0\x9f\x98\x80",
		       "\"caf\xc3\xa9 \xe2\x80\xa6 \xf0\x9f\x98\x80\"\n");
}

#define REPLACEMENT "\xef\xbf\xbd"

/* A task may call itself anything: each byte that is no UTF-8 becomes U+FFFD. */
static void other_bytes_are_replaced(void **state)
{
	expect_written("a\xff\x62", "\"a" REPLACEMENT "b\"\n");
	expect_written("\xc3", "\"" REPLACEMENT "\"\n");		 /* cut off */
	expect_written("\xc3(", "\"" REPLACEMENT "(\"\n");		 /* no continuation */
	expect_written("\xc0\xaf", "\"" REPLACEMENT REPLACEMENT "\"\n"); /* overlong '/' */
	expect_written("\xe0\x80\x80", "\"" REPLACEMENT REPLACEMENT REPLACEMENT "\"\n");
	expect_written("\xed\xa0\x80", "\"" REPLACEMENT REPLACEMENT REPLACEMENT "\"\n"); /* D800 */
	expect_written("\xf5\x80", "\"" REPLACEMENT REPLACEMENT "\"\n"); /* above 10FFFF */
	expect_written("\xf0\x9f\x98", "\"" REPLACEMENT REPLACEMENT REPLACEMENT "\"\n");
}

/* Whatever a string holds, a strict parser takes what is written. */
static void a_strict_parser_takes_every_byte(void **state)
{
	for (unsigned first = 1; first < 256; first++) {
		for (unsigned second = 0; second < 256; second++) {
			char text[] = { (char)first, (char)second, 'x', '\0' };
			struct memory m;
			json_t *value;

			open_memory(&m);
			jw_string(&m.j, text);
			assert_int_equal(fclose(m.f), 0);
			value = json_loads(m.text, JSON_DECODE_ANY, NULL);
			assert_non_null(value);
			json_decref(value);
			free(m.text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_and_arrays_nest),
		cmocka_unit_test(empty_ones_stay_on_a_line),
		cmocka_unit_test(numbers_are_whole),
		cmocka_unit_test(shares_are_cut),
		cmocka_unit_test(special_characters_are_escaped),
		cmocka_unit_test(valid_utf8_is_kept),
		cmocka_unit_test(other_bytes_are_replaced),
		cmocka_unit_test(a_strict_parser_takes_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
