/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_x86_trace.c - real traces of x86 guests: what was recorded, and whether the prediction for
 * another ceiling is what the guest recorded there. tests/data/MANIFEST.tsv says what they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/infer.h"
#include "analyze/x86_infer.h"
#include "replay/predict.h"

struct reading {
	struct trace trace;
	struct model model;
	struct fidelity fidelity;
};

static void read_trace(struct reading *r, const char *name, uint32_t ignore)
{
	struct trace_options opt = { .ignore = ignore };
	struct error err = { 0 };
	char path[512];

	assert_non_null(getenv("DATA"));
	(void)snprintf(path, sizeof(path), "%s/%s", getenv("DATA"), name);
	if (trace_read(&r->trace, path, &opt, &err))
		fail_msg("%s", err.text);
	assert_true(trace_is_x86(&r->trace));
	assert_int_equal(infer_model(&r->model, &r->trace, NULL, &err), 0);
	predict_fidelity(&r->fidelity, &r->trace, &r->model, NULL, NULL);
}

static uint64_t recorded(const struct reading *r, enum counter id)
{
	return r->fidelity.recorded.n[id];
}

static struct counts at_ceiling(const struct reading *r, uint64_t ceiling)
{
	struct params alt = r->model.used;
	struct prediction p;
	struct counts total;

	alt.v[PARAM_CEILING] = ceiling;
	assert_int_equal(predict(&p, &r->trace, &r->model, &alt, NULL, NULL), 0);
	total = p.total;
	prediction_free(&p);
	return total;
}

static uint64_t count_of(const struct reading *r, const char *name)
{
	const struct source_info *info = r->trace.info;

	for (size_t i = 0; i < info->n_counts; i++)
		if (strcmp(info->counts[i].name, name) == 0)
			return info->counts[i].count;
	return 0;
}

/* What a file is known to have: counted with trace-cmd. */
struct known_file {
	const char *name;
	uint64_t events;
	uint64_t tlb_flush;
	uint64_t invlpg; /* sum of pages of reasons 1 to 3 */
	uint64_t full;	 /* -1 of the same */
	uint64_t sends;	 /* reason 4 */
	uint64_t ceiling;
	uint64_t ipis;
};

static const struct known_file files[] = {
	{ "x86_det33_single.dat", 4465, 1709, 2542, 441, 833, 33, 0 },
	{ "x86_det8_single.dat", 4167, 1696, 431, 541, 833, 8, 0 },
	{ "x86_shoot3_c33.dat", 4541, 1239, 7033, 229, 307, 33, 0 },
	{ "x86_shoot3_c8.dat", 5255, 1242, 731, 529, 307, 8, 0 },
	{ "x86_shoot3_c200.dat", 3808, 1241, 18769, 73, 307, 200, 0 },
	{ "x86_612_shoot3_c33.dat", 6061, 1248, 7031, 229, 307, 33, 613 },
	{ "x86_612_single_c8.dat", 1142, 606, 249, 177, 287, 8, 1 },
	{ "x86_pageout.dat", 7746, 2457, 1311, 1579, 606, 33, 0 },
	{ "x86_truth.dat", 5222, 1249, 7001, 244, 310, 33, 0 },
};

static uint64_t count_sent(const struct reading *r)
{
	const struct class *c = NULL;
	uint64_t sent = 0;

	while ((c = class_next(r->trace.classes, c)))
		sent += c->key.x86.sent ? c->count : 0;
	return sent;
}

static void check_file(const struct known_file *known)
{
	struct reading r;

	read_trace(&r, known->name, 0);
	assert_int_equal(r.trace.info->events, known->events);
	assert_int_equal(count_of(&r, "tlb:tlb_flush"), known->tlb_flush);
	assert_int_equal(recorded(&r, COUNT_INVLPG), known->invlpg);
	assert_int_equal(recorded(&r, COUNT_CR3_WRITES), known->full);
	assert_int_equal(recorded(&r, COUNT_IPIS), known->ipis);
	assert_int_equal(count_sent(&r), known->sends);
	assert_int_equal(r.model.used.v[PARAM_CEILING], known->ceiling);
	/* The recorded ceiling replays to what was recorded, flush by flush. */
	assert_int_equal(r.fidelity.exact, r.fidelity.flushes);
	assert_int_equal(r.fidelity.replayed.n[COUNT_INVLPG], known->invlpg);
	assert_int_equal(join_x86_strays(r.trace.join)->unknown, 0);
	trace_close(&r.trace);
}

static void test_files(void **state)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		check_file(&files[i]);
}

static void check_within(uint64_t predicted, uint64_t actual, unsigned percent)
{
	uint64_t error = predicted > actual ? predicted - actual : actual - predicted;

	if (error * 100 > actual * percent)
		fail_msg("%lu is not within %u%% of %lu", (unsigned long)predicted, percent,
			 (unsigned long)actual);
}

static void check_contains(const struct counts *c, enum counter id, uint64_t actual)
{
	assert_in_range(actual, c->lo.n[id], c->hi.n[id]);
}

/* At a lower ceiling: a number, with or without probes. */
static void check_down(const char *from, uint32_t ignore, const char *to, uint64_t ceiling)
{
	struct reading a;
	struct reading b;
	struct counts c;

	read_trace(&a, from, ignore);
	read_trace(&b, to, ignore);
	c = at_ceiling(&a, ceiling);
	assert_int_equal(c.lo.n[COUNT_INVLPG], c.hi.n[COUNT_INVLPG]);
	assert_int_equal(c.lo.n[COUNT_CR3_WRITES], c.hi.n[COUNT_CR3_WRITES]);
	check_within(c.likely.n[COUNT_INVLPG], recorded(&b, COUNT_INVLPG), 3);
	check_within(c.likely.n[COUNT_CR3_WRITES], recorded(&b, COUNT_CR3_WRITES), 3);
	trace_close(&a.trace);
	trace_close(&b.trace);
}

static void test_lower_ceiling(void **state)
{
	check_down("x86_det33_single.dat", 0, "x86_det8_single.dat", 8);
	check_down("x86_det33_single.dat", IGNORE_REQUESTS, "x86_det8_single.dat", 8);
	check_down("x86_shoot3_c33.dat", 0, "x86_shoot3_c8.dat", 8);
	check_down("x86_shoot3_c200.dat", 0, "x86_shoot3_c33.dat", 33);
	check_down("x86_shoot3_c200.dat", 0, "x86_shoot3_c8.dat", 8);
}

static void test_higher_ceiling_told(void **state)
{
	struct reading a;
	struct reading b;
	struct counts c;

	read_trace(&a, "x86_det8_single.dat", 0);
	read_trace(&b, "x86_det33_single.dat", 0);
	c = at_ceiling(&a, 33);
	assert_int_equal(c.lo.n[COUNT_INVLPG], c.hi.n[COUNT_INVLPG]);
	check_within(c.likely.n[COUNT_INVLPG], recorded(&b, COUNT_INVLPG), 3);
	check_within(c.likely.n[COUNT_CR3_WRITES], recorded(&b, COUNT_CR3_WRITES), 3);
	trace_close(&a.trace);
	trace_close(&b.trace);
}

static void test_higher_ceiling_is_an_interval(void **state)
{
	struct reading a;
	struct reading b;
	struct counts c;

	read_trace(&a, "x86_shoot3_c33.dat", 0);
	read_trace(&b, "x86_shoot3_c200.dat", 0);
	c = at_ceiling(&a, 200);
	assert_true(c.open);
	check_contains(&c, COUNT_INVLPG, recorded(&b, COUNT_INVLPG));
	check_contains(&c, COUNT_CR3_WRITES, recorded(&b, COUNT_CR3_WRITES));
	trace_close(&a.trace);
	trace_close(&b.trace);
}

/* 307 sends to two other CPUs each, of which the kernel without ipi events tells the receivers. */
static void test_ipi_bounds(void **state)
{
	struct reading r;
	struct counts c;

	read_trace(&r, "x86_shoot3_c33.dat", 0);
	c = at_ceiling(&r, 33);
	check_contains(&c, COUNT_IPIS, 612);
	assert_in_range(c.likely.n[COUNT_IPIS], 600, 614);
	assert_in_range(c.lo.n[COUNT_IPIS], 600, 614);
	trace_close(&r.trace);
	/* Events of the IPIs themselves leave nothing open. */
	read_trace(&r, "x86_612_shoot3_c33.dat", 0);
	c = at_ceiling(&r, 8);
	assert_int_equal(c.lo.n[COUNT_IPIS], 613);
	assert_int_equal(c.hi.n[COUNT_IPIS], 613);
	trace_close(&r.trace);
}

/* 499 batches of reclaim, by all CPUs, which no ceiling changes. */
static void test_batches(void **state)
{
	const struct class *c = NULL;
	uint64_t batches = 0;
	struct reading r;
	struct counts p;

	read_trace(&r, "x86_pageout.dat", 0);
	while ((c = class_next(r.trace.classes, c)))
		batches += c->key.x86.batch ? c->count : 0;
	assert_int_equal(batches, 499);
	p = at_ceiling(&r, 4096);
	assert_int_equal(p.lo.n[COUNT_CR3_WRITES] >= 3 * 499 - 7, true);
	trace_close(&r.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_lower_ceiling),
		cmocka_unit_test(test_higher_ceiling_told),
		cmocka_unit_test(test_higher_ceiling_is_an_interval),
		cmocka_unit_test(test_ipi_bounds),
		cmocka_unit_test(test_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
