/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ringpage.c - the page walk, on pages made byte by byte, in both orders and long sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/ringpage.h"
#include "tracebuild.h"

/* The four kinds of kernel that there are. */
static const struct block kinds[] = {
	{ .big_endian = false, .long_size = 8 },
	{ .big_endian = true, .long_size = 8 },
	{ .big_endian = false, .long_size = 4 },
	{ .big_endian = true, .long_size = 4 },
};

#define EACH_KIND(k) for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)

static void start(struct ringpage *page, const struct block *block)
{
	struct ringpage_format format = ringpage_default_format(block->long_size, block->big_endian);

	assert_int_equal(ringpage_start(page, &format, block->data, (uint32_t)block->size), 0);
}

static void times_add_up(void **state)
{
	const uint8_t text[] = "0123456789abcdef0123456789abcdef0123456789abcdef"
			       "0123456789abcdef0123456789abcdef0123456789abcdef"
			       "0123456789abcdef0123456789abcdef";

	EACH_KIND(k)
	{
		struct block b = kinds[k];
		struct ringpage page;
		struct ringrec rec;
		size_t at = page_begin(&b, 1000);

		page_data(&b, 5, text, 8);
		page_word(&b, 30, 7, 2); /* extend by 2 << 27 | 7 */
		page_data(&b, 1, text + 4, 12);
		page_word(&b, 29, 3, 12); /* discarded: 4 + 12 bytes in all */
		put(&b, text, 8);
		page_long_data(&b, 2, text, 120);
		page_word(&b, 31, 9, 1000); /* the time is 1000 << 27 | 9 */
		page_data(&b, 0, text, 4);
		page_end(&b, at, 4096, 0, 0);

		start(&page, &b);
		assert_false(page.lost);
		assert_int_equal(ringpage_next(&page, &rec), 1);
		assert_int_equal(rec.time, 1005);
		assert_int_equal(rec.len, 8);
		assert_memory_equal(rec.data, text, 8);
		assert_int_equal(ringpage_next(&page, &rec), 1);
		assert_int_equal(rec.time, 1005 + (2U << 27) + 7 + 1);
		assert_int_equal(rec.len, 12);
		assert_memory_equal(rec.data, text + 4, 12);
		assert_int_equal(ringpage_next(&page, &rec), 1);
		assert_int_equal(rec.time, 1005 + (2U << 27) + 8 + 3 + 2);
		assert_int_equal(rec.len, 120);
		assert_int_equal(ringpage_next(&page, &rec), 1);
		assert_int_equal(rec.time, (UINT64_C(1000) << 27) + 9);
		assert_int_equal(rec.at, (uint64_t)(rec.data - b.data));
		assert_int_equal(ringpage_next(&page, &rec), 0);
		free(b.data);
	}
}

/* A null event (padding of delta 0) ends the page whatever follows. */
static void padding_ends_the_page(void **state)
{
	EACH_KIND(k)
	{
		struct block b = kinds[k];
		struct ringpage page;
		struct ringrec rec;
		size_t at = page_begin(&b, 1);

		page_data(&b, 0, "abcd", 4);
		page_word(&b, 29, 0, 0xffffffff);
		page_data(&b, 0, "efgh", 4);
		page_end(&b, at, 4096, 0, 0);
		start(&page, &b);
		assert_int_equal(ringpage_next(&page, &rec), 1);
		assert_int_equal(ringpage_next(&page, &rec), 0);
		free(b.data);
	}
}

/* The top 5 bits of an absolute stamp come from the time before it; 59 bits may have wrapped. */
static void absolute_stamps_keep_their_top_bits(void **state)
{
	const uint64_t top = UINT64_C(0x48) << 56;

	EACH_KIND(k)
	{
		struct block b = kinds[k];
		struct ringpage page;
		struct ringrec rec;
		size_t at = page_begin(&b, top + 1000);

		page_word(&b, 31, 5, 1);
		page_data(&b, 1, "abcd", 4);
		page_word(&b, 31, 0, 0); /* 0 after 1 << 27: wrapped */
		page_data(&b, 1, "abcd", 4);
		page_end(&b, at, 4096, 0, 0);
		start(&page, &b);
		assert_int_equal(ringpage_next(&page, &rec), 1);
		assert_int_equal(rec.time, top + (1U << 27) + 6);
		assert_int_equal(ringpage_next(&page, &rec), 1);
		assert_int_equal(rec.time, top + (UINT64_C(1) << 59) + 1);
		free(b.data);
	}
}

static void missed_events_are_told(void **state)
{
	EACH_KIND(k)
	{
		struct block b = kinds[k];
		struct ringpage page;
		size_t at = page_begin(&b, 1);

		page_data(&b, 0, "abcd", 4);
		page_end(&b, at, 4096, COMMIT_MISSED | COMMIT_STORED, 7793);
		start(&page, &b);
		assert_true(page.lost);
		assert_int_equal(page.lost_events, 7793);
		b.size = 0;
		at = page_begin(&b, 1);
		page_data(&b, 0, "abcd", 4);
		page_end(&b, at, 4096, COMMIT_MISSED, 0);
		start(&page, &b);
		assert_true(page.lost);
		assert_int_equal(page.lost_events, 0);
		free(b.data);
	}
}

/* One record that cannot be right after one that is: the first is had, the page ends there. */
static void expect_bad(struct block *b, size_t at)
{
	struct ringpage page;
	struct ringrec rec;

	page_end(b, at, 4096, 0, 0);
	start(&page, b);
	assert_int_equal(ringpage_next(&page, &rec), 1);
	assert_int_equal(ringpage_next(&page, &rec), -1);
	assert_int_equal(page.at, 8 + b->long_size + 8);
	b->size = 0;
}

static size_t begin_bad(struct block *b)
{
	size_t at = page_begin(b, 1);

	page_data(b, 0, "abcd", 4);
	return at;
}

static void lying_lengths_are_noticed(void **state)
{
	EACH_KIND(k)
	{
		struct block b = kinds[k];
		size_t at = begin_bad(&b);

		page_word(&b, 28, 0, 0); /* 28 words, of which one is there */
		expect_bad(&b, at);
		at = begin_bad(&b);
		page_word(&b, 0, 0, 0xfffffffc);
		expect_bad(&b, at);
		at = begin_bad(&b);
		page_word(&b, 0, 0, 4); /* no data at all */
		expect_bad(&b, at);
		at = begin_bad(&b);
		page_word(&b, 0, 0, 0); /* a zeroed block */
		expect_bad(&b, at);
		at = begin_bad(&b);
		page_word(&b, 29, 1, 0xfffffff0);
		expect_bad(&b, at);
		at = begin_bad(&b);
		page_word(&b, 29, 1, 0); /* would never get further */
		expect_bad(&b, at);
		at = begin_bad(&b);
		put_u32(&b, b.big_endian ? 30U << 27 : 30); /* a time extend without its word */
		expect_bad(&b, at);
		free(b.data);
	}
}

static void a_page_may_say_more_than_it_has(void **state)
{
	EACH_KIND(k)
	{
		struct block b = kinds[k];
		struct ringpage page;
		struct ringrec rec;
		size_t at = page_begin(&b, 1);

		page_data(&b, 0, "abcd", 4);
		page_data(&b, 0, "efgh", 4);
		page_end(&b, at, 4096, 0, 0);
		b.size = 8 + b.long_size + 12; /* the file ends in the second record */
		start(&page, &b);
		assert_true(page.cut);
		assert_int_equal(ringpage_next(&page, &rec), 1);
		assert_int_equal(ringpage_next(&page, &rec), -1);
		b.size = 8 + b.long_size - 1; /* and here in the header */
		assert_int_equal(ringpage_start(&page, &page.format, b.data, (uint32_t)b.size), -1);
		free(b.data);
	}
}

/* header_page of a 64K kernel, and of a 32-bit one; and texts that must not be believed. */
static void formats_are_parsed(void **state)
{
	static const char p9[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				 "\tfield: char data;\toffset:16;\tsize:65520;\tsigned:1;\n";
	static const char arm[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				  "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;";
	static const char overlap[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
				      "\tfield: local_t commit;\toffset:8;\tsize:8;\n"
				      "\tfield: char data;\toffset:12;\tsize:4084;\n";
	struct ringpage_format f = { .data_at = 99 };

	assert_int_equal(ringpage_parse_format(&f, p9, strlen(p9)), 0);
	assert_int_equal(f.commit_size, 8);
	assert_int_equal(f.data_at, 16);
	assert_int_equal(f.page_size, 65536);
	assert_int_equal(ringpage_parse_format(&f, arm, strlen(arm)), 0);
	assert_int_equal(f.commit_size, 4);
	assert_int_equal(f.data_at, 12);
	assert_int_equal(f.page_size, 4096);
	assert_int_equal(ringpage_parse_format(&f, overlap, strlen(overlap)), -1);
	assert_int_equal(ringpage_parse_format(&f, "", 0), -1);
	assert_int_equal(f.data_at, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_add_up),
		cmocka_unit_test(padding_ends_the_page),
		cmocka_unit_test(absolute_stamps_keep_their_top_bits),
		cmocka_unit_test(missed_events_are_told),
		cmocka_unit_test(lying_lengths_are_noticed),
		cmocka_unit_test(a_page_may_say_more_than_it_has),
		cmocka_unit_test(formats_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
