/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_sweep.c - a sweep gives, row by row, the numbers that single predictions give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/infer.h"
#include "replay/sweep.h"
#include "replay/watch.h"

/* Reads a bundled trace, with masks, and infers its kernel. */
static void open_trace(struct trace *t, struct model *model, const char *name, uint32_t ignore)
{
	struct watch *w = watch_new(false);
	struct observer observer = watch_observer(w);
	struct trace_options opt = { .ignore = ignore, .observer = &observer };
	const char *dir = getenv("DATA");
	char path[512];
	struct error err;

	(void)snprintf(path, sizeof(path), "%s/%s", dir ? dir : "tests/data", name);
	assert_int_equal(trace_read(t, path, &opt, &err), 0);
	assert_int_equal(infer_model(model, t, NULL, &err), 0);
	watch_free(w); /* the classes have what it saw */
}

static void check_counts(const struct counts *a, const struct counts *b)
{
	assert_memory_equal(&a->lo, &b->lo, sizeof(a->lo));
	assert_memory_equal(&a->likely, &b->likely, sizeof(a->likely));
	assert_memory_equal(&a->hi, &b->hi, sizeof(a->hi));
	assert_int_equal(a->open, b->open);
}

/* The classes one by one. */
static struct counts sum_classes(const struct trace *t, const struct model *model,
				 const struct params *alt)
{
	const struct class *c = NULL;
	struct counts sum = { .open = false };

	while ((c = class_next_counted(t->classes, c))) {
		struct counts one = stateful_class(
			c, alt, model, class_calls(t->classes, c->key.mm, c->key.cause));

		counts_add(&sum, &one, 1);
	}
	return sum;
}

/* Kinds of flush give what the classes give, and the address spaces add up to it. */
static void check_kinds(const struct kinds *kinds, const struct model *model,
			const struct params *alt, const struct counts *wanted)
{
	struct counts sum = { .open = false };
	struct prediction p;

	assert_int_equal(kinds_predict(&p, kinds, model, alt), 0);
	check_counts(&p.total, wanted);
	for (size_t i = 0; i < p.n_mms; i++)
		counts_add(&sum, &p.by_mm[i], 1);
	check_counts(&sum, wanted);
	prediction_free(&p);
}

static void check_row(const struct sweep *s, size_t row, const struct trace *t,
		      const struct model *model, const struct params *base,
		      const struct kinds *kinds)
{
	struct params alt = *base;
	struct counts counts = sweep_row(s, row);
	struct counts wanted;

	alt.v[s->range.which] = sweep_value(s, row);
	params_name(&alt, s->range.which);
	wanted = sum_classes(t, model, &alt);
	check_counts(&wanted, &counts);
	check_kinds(kinds, model, &alt, &wanted);
}

/* The least is found as by looking at every row. */
static void check_best(const struct sweep *s, enum counter counter)
{
	size_t least = 0;
	size_t end;
	size_t first;
	size_t last;

	for (size_t row = 1; row < s->n_rows; row++)
		if (sweep_row(s, row).hi.n[counter] < sweep_row(s, least).hi.n[counter])
			least = row;
	for (end = least; end + 1 < s->n_rows; end++)
		if (sweep_row(s, end + 1).hi.n[counter] != sweep_row(s, least).hi.n[counter])
			break;
	sweep_best(s, counter, &first, &last);
	assert_int_equal(first, least);
	assert_int_equal(last, end);
}

static uint64_t jump_at(const struct sweep *s, enum counter counter, size_t row)
{
	uint64_t a = sweep_row(s, row - 1).likely.n[counter];
	uint64_t b = sweep_row(s, row).likely.n[counter];

	return a > b ? a - b : b - a;
}

/* No row has a larger jump than the knees, and of equal ones none comes before. */
static void check_knees(const struct sweep *s, enum counter counter)
{
	size_t rows[3];
	size_t n = sweep_knees(s, counter, rows, 3);

	for (size_t i = 0; i < n; i++) {
		size_t best = 0;

		for (size_t row = 1; row < s->n_rows; row++) {
			bool taken = false;

			for (size_t k = 0; k < i; k++)
				taken |= rows[k] == row;
			if (!taken && (!best || jump_at(s, counter, row) > jump_at(s, counter, best)))
				best = row;
		}
		assert_int_equal(rows[i], best);
	}
}

/* Sweeps what was recorded, or a policy with this key=value. */
static void check_sweep_of(const char *name, const char *key, const char *value, const char *spec,
			   uint32_t ignore)
{
	struct sweep_range range;
	struct sweep s;
	struct trace t;
	struct model model;
	struct params base;
	struct kinds kinds;
	struct error err;
	enum param which;

	open_trace(&t, &model, name, ignore);
	base = model.used;
	if (key)
		assert_int_equal(params_set(&base, key, value, &which, &err), 0);
	assert_int_equal(sweep_parse(&range, spec, &err), 0);
	assert_int_equal(kinds_find(&kinds, &t, &model, NULL, NULL), 0);
	assert_int_equal(sweep_kinds(&s, &kinds, &model, &base, &range), 0);
	for (size_t row = 0; row < s.n_rows; row++)
		check_row(&s, row, &t, &model, &base, &kinds);
	for (enum counter counter = 0; counter < COUNTERS; counter++) {
		check_best(&s, counter);
		check_knees(&s, counter);
	}
	kinds_free(&kinds);
	sweep_free(&s);
	trace_close(&t);
}

static void check_sweep(const char *name, const char *spec, uint32_t ignore)
{
	check_sweep_of(name, NULL, NULL, spec, ignore);
}

static void test_rows_are_predictions(void **state)
{
	(void)state;
	check_sweep("slim_shm_c34.dat", "ceiling=0:600", 0);
	check_sweep("slim_shm_c31.dat", "ceiling=0:600:7", 0);
	check_sweep("slim_ranges_c33.dat", "ceiling=0:300", 0);
	check_sweep("slim_ranges_c33.dat", "local-ceiling=0:300", IGNORE_SYSCALLS);
	check_sweep("slim_4k_ranges_c33.dat", "ceiling=1:600", 0);
	check_sweep("slim_4k_ranges_c33.dat", "local-ceiling=0:600", IGNORE_SYSCALLS);
	check_sweep("x86_v7_zstd.dat", "ceiling=0:300", 0);
}

/* Bounds of promoted flushes grow with the ceiling; they are kept as lines. */
static void test_open_lengths(void **state)
{
	const uint32_t alone = IGNORE_REQUESTS | IGNORE_SYSCALLS;

	(void)state;
	check_sweep("truth_72_p9_misc.dat", "ceiling=0:1200", IGNORE_REQUESTS);
	check_sweep("truth_72_p9_misc.dat", "ceiling=17:1200", alone);
	check_sweep("truth_72_p9_misc.dat", "ceiling=0:4000:13", alone);
	check_sweep("truth_72_p9_misc.dat", "local-ceiling=0:1200", alone);
	check_sweep("truth_72_p10_4k_misc.dat", "ceiling=0:1600", alone);
	check_sweep("noipi_shm_c34_truth.dat", "ceiling=0:700", alone);
	check_sweep("noipi_shm_c34_truth.dat", "local-ceiling=0:700", 0);
}

/* Under policies that count, compare or promote in another way. */
static void test_policies(void **state)
{
	static const struct {
		const char *key;
		const char *value;
	} policies[] = {
		{ "compare", "ge" },	 { "promote", "pmd" },
		{ "gtse", "off" },	 { "promote", "entire-range" },
		{ "thp-pass", "off" },	 { "barriers", "page" },
		{ "fixups", "old" },	 { "tables", "all" },
		{ "page-size", "4096" }, { "sets", "77" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		check_sweep_of("truth_72_p9_misc.dat", policies[i].key, policies[i].value,
			       "ceiling=0:400", IGNORE_REQUESTS);
		check_sweep_of("slim_ranges_c33.dat", policies[i].key, policies[i].value,
			       "local-ceiling=0:300", IGNORE_SYSCALLS);
	}
}

/* Under policies whose masks decide the scope of each flush. */
static void test_masks(void **state)
{
	static const struct {
		const char *key;
		const char *value;
	} policies[] = {
		{ "tlbie", "off" },
		{ "trim", "none" },
		{ "trim", "v4.18" },
		{ "trim", "v6.6" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		check_sweep_of("truth_72_p9_misc.dat", policies[i].key, policies[i].value,
			       "ceiling=0:600", IGNORE_REQUESTS | IGNORE_SYSCALLS);
		check_sweep_of("slim_ranges_c33.dat", policies[i].key, policies[i].value,
			       "local-ceiling=0:300", IGNORE_SYSCALLS);
		check_sweep_of("masks_build_smp8.dat", policies[i].key, policies[i].value,
			       "ceiling=0:60", 0);
		check_sweep_of("noipi_shm_c34_truth.dat", policies[i].key, policies[i].value,
			       "ceiling=0:90", 0);
	}
}

/* 2 MiB batches of 64K pages: nothing changes but at 32. */
static void test_knee_and_best(void **state)
{
	struct sweep_range range;
	struct sweep s;
	struct trace t;
	struct model model;
	struct error err;
	size_t rows[3];
	size_t first;
	size_t last;

	(void)state;
	open_trace(&t, &model, "slim_shm_c34.dat", 0);
	assert_int_equal(sweep_parse(&range, "ceiling=20:60", &err), 0);
	assert_int_equal(sweep_run(&s, &t, &model, &model.used, &range, NULL, NULL), 0);
	assert_true(sweep_knees(&s, COUNT_TLBIE, rows, 3) >= 1);
	assert_int_equal(sweep_value(&s, rows[0]), 32);
	assert_int_equal(sweep_row(&s, 32 - 20).likely.n[COUNT_TLBIE], 1111);
	sweep_best(&s, COUNT_TLBIE, &first, &last);
	assert_int_equal(first, 0);
	sweep_free(&s);
	trace_close(&t);
}

static void test_bad_specs(void **state)
{
	static const char *const bad[] = { "",
					   "ceiling",
					   "ceiling=",
					   "ceiling=1",
					   "ceiling=1:",
					   "ceiling=2:1",
					   "ceiling=1:2:0",
					   "ceiling=1:2:x",
					   "ceiling=1:99999999",
					   "ceiling=-1:2",
					   "sets=1:2",
					   "ceiling=1:2:3:4" };
	struct sweep_range range;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err.class = ERROR_NONE;
		assert_int_equal(sweep_parse(&range, bad[i], &err), -1);
		assert_int_equal(err.class, ERROR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_predictions),
		cmocka_unit_test(test_open_lengths),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_knee_and_best),
		cmocka_unit_test(test_bad_specs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
