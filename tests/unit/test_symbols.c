/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_symbols.c - the tables that a trace carries as text: kernel symbols, names of tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/kallsyms.h"
#include "analyze/symbols.h"
#include "analyze/tidtable.h"

/* From Debian 6.1's ppc64le kernel; the order is the kernel's, not that of addresses. */
static const char symbols[] = "0000000000000000 T hidden_by_kptr_restrict\n"
			      "c000000000095360 T radix__tlb_flush\n"
			      "c000000000095460 T radix__flush_tlb_range_psize\n"
			      "c000000000095368 d not_a_function\n"
			      "c000000000094920 t __radix__flush_tlb_range_psize\n"
			      "c008000000010000 t in_a_module\t[kvm]";

static void functions_are_found(void **state)
{
	char name[64];

	/* A probe's address is behind the function's entry. */
	assert_true(kallsyms_find(symbols, sizeof(symbols) - 1, UINT64_C(0xc00000000009536c), name,
				  sizeof(name)));
	assert_string_equal(name, "radix__tlb_flush");
	assert_true(kallsyms_find(symbols, sizeof(symbols) - 1, UINT64_C(0xc008000000010008), name,
				  sizeof(name)));
	assert_string_equal(name, "in_a_module");
	assert_true(
		kallsyms_find(symbols, sizeof(symbols) - 1, UINT64_C(0xc00000000009492c), name, 8));
	assert_string_equal(name, "__radix");
	assert_false(kallsyms_find(symbols, sizeof(symbols) - 1, 0x10000, name, sizeof(name)));
	assert_false(kallsyms_find("", 0, 5, name, sizeof(name)));
	assert_false(kallsyms_find("c0", 2, UINT64_MAX, name, sizeof(name)));
	assert_false(kallsyms_find("c0 t ", 5, UINT64_MAX, name, sizeof(name)));
}

static void tables_find_the_same(void **state)
{
	struct symbols_table *table = symbols_new(symbols, sizeof(symbols) - 1);
	char name[64];

	assert_non_null(table);
	assert_int_equal(symbols_count(table), 4);
	assert_int_equal(symbols_address(table, "radix__tlb_flush"), UINT64_C(0xc000000000095360));
	assert_int_equal(symbols_address(table, "radix__tlb"), 0);
	assert_int_equal(symbols_address(table, "not_a_function"), 0);
	assert_true(symbols_find(table, UINT64_C(0xc00000000009545f), name, sizeof(name)));
	assert_string_equal(name, "radix__tlb_flush");
	assert_true(symbols_find(table, UINT64_C(0xc000000000095460), name, sizeof(name)));
	assert_string_equal(name, "radix__flush_tlb_range_psize");
	assert_true(symbols_find(table, UINT64_MAX, name, sizeof(name)));
	assert_string_equal(name, "in_a_module");
	assert_false(symbols_find(table, UINT64_C(0xc00000000009491f), name, sizeof(name)));
	symbols_free(table);
	table = symbols_new("", 0);
	assert_int_equal(symbols_count(table), 0);
	assert_false(symbols_find(table, 5, name, sizeof(name)));
	symbols_free(table);
}

static void tasks_are_found(void **state)
{
	static const char text[] = "14 rcu_sched\n134 shm\n19 migration/1\nbad line\n\n"
				   "134 tmux: server\n7";
	struct tid_table table;

	assert_int_equal(tid_table_parse(&table, text, sizeof(text) - 1), 0);
	assert_string_equal(tid_table_find(&table, 14), "rcu_sched");
	assert_string_equal(tid_table_find(&table, 19), "migration/1");
	assert_string_equal(tid_table_find(&table, 134), "tmux: server"); /* the later line */
	assert_string_equal(tid_table_find(&table, 7), "");
	assert_string_equal(tid_table_find(&table, 15), "");
	tid_table_free(&table);
	assert_int_equal(tid_table_parse(&table, NULL, 0), 0);
	assert_string_equal(tid_table_find(&table, 14), "");
	tid_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(tables_find_the_same),
		cmocka_unit_test(tasks_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
