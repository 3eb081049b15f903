/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_explain.c - an explanation adds up to what it explains, and finds what is known of two real
 * traces: 28 unmappings of 2 MiB in slim_shm_c34, a list of sizes in slim_ranges_c33.
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
#include "replay/explain.h"

/* One alternative for one bundled trace. */
struct fixture {
	struct trace trace;
	struct model model;
	struct params alt;
	struct kinds kinds;
	struct priced priced;
	struct question q;
	struct prediction prediction;
};

static void forget(struct fixture *f)
{
	kinds_free(&f->kinds);
	priced_free(&f->priced);
}

/* What alt does to the classes that filter selects. */
static void ask(struct fixture *f, predict_filter filter)
{
	assert_int_equal(kinds_find(&f->kinds, &f->trace, &f->model, filter, NULL), 0);
	assert_int_equal(priced_find(&f->priced, &f->kinds, &f->model, &f->alt), 0);
	f->q = (struct question){ &f->trace, &f->priced };
}

static void open_without(struct fixture *f, const char *name, uint32_t ignore, enum param id,
			 uint64_t value)
{
	struct trace_options options = { .ignore = ignore };
	struct error err = { .text = "" };
	char path[512];

	assert_non_null(getenv("DATA"));
	(void)snprintf(path, sizeof(path), "%s/%s", getenv("DATA"), name);
	if (trace_read(&f->trace, path, &options, &err) ||
	    infer_model(&f->model, &f->trace, NULL, &err))
		fail_msg("%s", err.text);
	f->alt = f->model.used;
	f->alt.v[id] = value;
	ask(f, NULL);
	assert_int_equal(predict(&f->prediction, &f->trace, &f->model, &f->alt, NULL, NULL), 0);
}

static void open_fixture(struct fixture *f, const char *name, enum param id, uint64_t value)
{
	open_without(f, name, 0, id, value);
}

static void close_fixture(struct fixture *f)
{
	prediction_free(&f->prediction);
	forget(f);
	trace_close(&f->trace);
}

static uint64_t recorded_of(const struct fixture *f, enum counter counter)
{
	struct fidelity fidelity;

	predict_fidelity(&fidelity, &f->trace, &f->model, NULL, NULL);
	return fidelity.recorded.n[counter];
}

/* The kinds that change make up all of the change, end by end. */
static void check_sum(const struct fixture *f, const struct explanation *e, enum counter counter)
{
	struct change sum = { .lo = 0 };
	int64_t was = (int64_t)recorded_of(f, counter);

	for (size_t i = 0; i < e->n; i++) {
		struct change c = kind_change(&e->kinds[i], counter);

		sum.lo += c.lo;
		sum.likely += c.likely;
		sum.hi += c.hi;
		if (i)
			assert_true(c.size <= kind_change(&e->kinds[i - 1], counter).size);
	}
	assert_true(was + sum.lo == (int64_t)f->prediction.total.lo.n[counter]);
	assert_true(was + sum.likely == (int64_t)f->prediction.total.likely.n[counter]);
	assert_true(was + sum.hi == (int64_t)f->prediction.total.hi.n[counter]);
}

static void one_size_makes_the_change(void **state)
{
	struct fixture f;
	struct explanation e;

	open_fixture(&f, "slim_shm_c34.dat", PARAM_CEILING, 31);
	assert_int_equal(explain_changes(&e, &f.q, COUNT_TLBIE), 0);
	check_sum(&f, &e, COUNT_TLBIE);
	assert_int_equal(e.n, 1);
	assert_string_equal(e.kinds[0].name, "shm");
	assert_int_equal(e.kinds[0].pages_min, 32);
	assert_int_equal(e.kinds[0].pages_max, 32);
	assert_int_equal(e.kinds[0].shift, 16);
	assert_int_equal(e.kinds[0].flushes, 28);
	assert_false(e.kinds[0].local);
	assert_false(e.kinds[0].several_mms);
	assert_int_equal(e.kinds[0].recorded.n[COUNT_TLBIE], 28 * (32 + 2));
	assert_int_equal(e.kinds[0].predicted.likely.n[COUNT_TLBIE], 28 * (1 + 2));
	explanation_free(&e);
	close_fixture(&f);
}

/* Twenty sizes of a few flushes each are not a list that anybody reads. */
static void many_sizes_become_one_kind(void **state)
{
	struct fixture f;
	struct explanation e;
	bool found = false;

	open_fixture(&f, "slim_ranges_c33.dat", PARAM_CEILING, 8);
	assert_int_equal(explain_changes(&e, &f.q, COUNT_TLBIE), 0);
	check_sum(&f, &e, COUNT_TLBIE);
	for (size_t i = 0; i < e.n; i++)
		found |= e.kinds[i].pages_min == 9 && e.kinds[i].pages_max == 33;
	assert_true(found);
	explanation_free(&e);
	close_fixture(&f);
}

static void nothing_changes_nothing(void **state)
{
	struct fixture f;
	struct explanation e;

	open_fixture(&f, "slim_shm_c34.dat", PARAM_CEILING, 32);
	assert_int_equal(explain_changes(&e, &f.q, COUNT_TLBIE), 0);
	assert_int_equal(e.n, 0);
	explanation_free(&e);
	close_fixture(&f);
}

static void requests_at_the_edge(void **state)
{
	struct fixture f;
	struct edge edge;

	open_fixture(&f, "slim_shm_c34.dat", PARAM_CEILING, 32);
	edge = explain_edge(&f.q, false, 32);
	assert_int_equal(edge.flushes, 28);
	assert_int_equal(edge.records, 28 * 32);
	assert_int_equal(edge.shift, 16);
	assert_int_equal(explain_edge(&f.q, false, 33).flushes, 0);
	assert_int_equal(explain_edge(&f.q, true, 32).flushes, 0);
	close_fixture(&f);
}

/*
 * On POWER10 nothing stands between two batches of an unmapping. Cut at PMD edges, they are as many
 * as the probes on the kernel's flush functions saw.
 */
static void unmarked_runs_count_as_their_pieces(void **state)
{
	struct fixture told;
	struct fixture cut;
	struct explanation e;

	open_fixture(&told, "truth_p10_shm_c34.dat", PARAM_CEILING, 31);
	open_without(&cut, "truth_p10_shm_c34.dat", IGNORE_REQUESTS, PARAM_CEILING, 31);
	assert_int_equal(explain_pmd_cuts(&told.q), 0);
	assert_true(explain_pmd_cuts(&cut.q) > 1000);
	assert_int_equal(explain_edge(&told.q, false, 32).flushes, 1165);
	/* Two requests inside one PMD cannot be told from one. */
	assert_int_equal(explain_edge(&cut.q, false, 32).flushes, 1166);
	assert_int_equal(explain_changes(&e, &cut.q, COUNT_TLBIE), 0);
	assert_in_range(e.kinds[0].flushes, 1150, 1166);
	explanation_free(&e);
	close_fixture(&told);
	close_fixture(&cut);
}

/* What makes the interval wide is all named, with its reason. */
static void doubts_add_up(void **state)
{
	struct fixture f;
	struct doubt doubts[DOUBTS];
	uint64_t width = 0;

	open_fixture(&f, "slim_ranges_c33.dat", PARAM_CEILING, 64);
	explain_doubts(doubts, &f.q);
	for (size_t i = 0; i < DOUBTS; i++)
		width += doubts[i].width;
	assert_true(width > 0);
	assert_int_equal(width, f.prediction.total.hi.n[COUNT_TLBIE] -
					f.prediction.total.lo.n[COUNT_TLBIE] +
					f.prediction.total.hi.n[COUNT_TLBIEL] -
					f.prediction.total.lo.n[COUNT_TLBIEL]);
	assert_true(doubts[DOUBT_CENSORED].flushes > 0);
	close_fixture(&f);
}

static bool none(void *arg, const struct class *c)
{
	return false;
}

static void a_filter_selects(void **state)
{
	struct fixture f;
	struct explanation e;

	open_fixture(&f, "slim_shm_c34.dat", PARAM_CEILING, 31);
	forget(&f);
	ask(&f, none);
	assert_int_equal(explain_changes(&e, &f.q, COUNT_TLBIE), 0);
	assert_int_equal(e.n, 0);
	assert_int_equal(explain_edge(&f.q, false, 32).flushes, 0);
	explanation_free(&e);
	close_fixture(&f);
}

/* A wrong model does not replay, and the misses say of what. */
static void misses_are_those_that_do_not_replay(void **state)
{
	struct fixture f;
	struct explanation e;
	uint64_t flushes = 0;

	open_fixture(&f, "slim_shm_c34.dat", PARAM_CEILING, 32);
	assert_int_equal(explain_misses(&e, &f.q), 0);
	assert_int_equal(e.n, 0);
	explanation_free(&e);
	f.model.used.v[PARAM_FIXUPS] = FIXUPS_NONE;
	forget(&f);
	ask(&f, NULL);
	assert_int_equal(explain_misses(&e, &f.q), 0);
	for (size_t i = 0; i < e.n; i++)
		flushes += e.kinds[i].flushes;
	assert_int_equal(flushes, 41); /* the trace's global flushes */
	explanation_free(&e);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_size_makes_the_change),
		cmocka_unit_test(many_sizes_become_one_kind),
		cmocka_unit_test(nothing_changes_nothing),
		cmocka_unit_test(requests_at_the_edge),
		cmocka_unit_test(unmarked_runs_count_as_their_pieces),
		cmocka_unit_test(doubts_add_up),
		cmocka_unit_test(a_filter_selects),
		cmocka_unit_test(misses_are_those_that_do_not_replay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
