/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_hcall.c - a guest without GTSE, which flushes by H_RPT_INVALIDATE: what its hypervisor calls
 * tell, and what tlbie would have cost (policies 2.8).
 *
 * The trace is made here: no hypervisor at hand offers the call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/infer.h"
#include "analyze/trace.h"
#include "replay/predict.h"
#include "tracebuild.h"

#define TWELVE 12 /* the task of the built traces */
#define H_CEDE 0xe0

struct read_trace {
	struct trace trace;
	struct model model;
};

/* One page of a CPU: `calls` flushes by hypervisor call between other calls, and a trim's tlbiel. */
static struct block guest(const struct block *like, unsigned calls)
{
	struct block cpu = { .big_endian = like->big_endian, .long_size = like->long_size };
	size_t page = page_begin(&cpu, 1000);
	uint8_t rec[128];

	for (unsigned i = 0; i < calls; i++) {
		page_data(&cpu, 1, rec, hcall_record(like, rec, TWELVE, H_RPT_INVALIDATE));
		page_data(&cpu, 1, rec, hcall_record(like, rec, TWELVE, H_CEDE));
	}
	page_data(&cpu, 1, rec, tlbie_record(like, rec, TWELVE, 0x400));
	page_end(&cpu, page, PAGE_SIZE_BUILT, 0, 0);
	return cpu;
}

static void read_guest(struct read_trace *r, const struct block *like, unsigned calls)
{
	struct block cpu = guest(like, calls);
	struct block file = build_v6(&cpu, 1);
	char path[] = "/tmp/test_hcall.XXXXXX";
	int fd = mkstemp(path);
	struct trace_options opt = { .ignore = 0 };
	struct error err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.data, file.size), file.size);
	close(fd);
	assert_int_equal(trace_read(&r->trace, path, &opt, &err), 0);
	assert_int_equal(infer_model(&r->model, &r->trace, NULL, &err), 0);
	(void)unlink(path);
	free(file.data);
	free(cpu.data);
}

static struct counts under(const struct read_trace *r, enum param id, uint64_t value)
{
	struct params alt = r->model.used;
	struct prediction p;
	struct counts total;

	alt.v[id] = value;
	assert_int_equal(predict(&p, &r->trace, &r->model, &alt, NULL, NULL), 0);
	total = p.total;
	prediction_free(&p);
	return total;
}

static void assert_calls(const struct counts *c, uint64_t n)
{
	assert_int_equal(c->lo.n[COUNT_HCALLS], n);
	assert_int_equal(c->hi.n[COUNT_HCALLS], n);
}

/* Both byte orders: guests of POWER are either. Calls that flush nothing are only counted. */
static void calls_are_flushes(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct block like = { .big_endian = big, .long_size = 8 };
		struct read_trace r;
		struct fidelity f;
		struct counts c;

		read_guest(&r, &like, 7);
		assert_int_equal(r.model.used.v[PARAM_GTSE], 0);
		assert_int_equal(r.model.fact[PARAM_GTSE].evidence, EVIDENCE_TRACE);
		predict_fidelity(&f, &r.trace, &r.model, NULL, NULL);
		assert_int_equal(f.flushes, 8);
		assert_int_equal(f.exact, 8);
		assert_int_equal(f.recorded.n[COUNT_HCALLS], 7);
		assert_int_equal(f.recorded.n[COUNT_TLBIE], 0);
		assert_int_equal(f.known[KNOWN_CENSORED], 7);
		c = under(&r, PARAM_GTSE, 0);
		assert_calls(&c, 7);
		/* whatever the ceiling */
		c = under(&r, PARAM_CEILING, 1);
		assert_calls(&c, 7);
		trace_close(&r.trace);
	}
}

/* One instruction, or as many as the ceiling allows with all that may go with them. */
static void as_instructions_they_are_an_interval(void **state)
{
	static const struct block like = { .long_size = 8 };
	struct read_trace r;
	struct counts c;

	(void)state;
	read_guest(&r, &like, 10);
	r.model.fact[PARAM_FIXUPS].lo = r.model.fact[PARAM_FIXUPS].hi = FIXUPS_NONE;
	r.model.used.v[PARAM_FIXUPS] = FIXUPS_NONE;
	r.model.used.v[PARAM_PAGE_SIZE] = 65536;
	c = under(&r, PARAM_GTSE, 1);
	assert_calls(&c, 0);
	assert_true(c.open);
	assert_int_equal(c.lo.n[COUNT_TLBIE], 10);
	/* PWC, 33 pages and the PMD inside them */
	assert_int_equal(c.hi.n[COUNT_TLBIE], 10 * (1 + 33 + 1));
	assert_int_equal(c.lo.n[COUNT_TLBIEL], c.hi.n[COUNT_TLBIEL]);
	/* Fixups that no broadcast has shown. */
	r.model.fact[PARAM_FIXUPS].hi = FIXUPS_ERAT_STQ;
	c = under(&r, PARAM_GTSE, 1);
	assert_int_equal(c.lo.n[COUNT_TLBIE], 10);
	assert_int_equal(c.hi.n[COUNT_TLBIE], 10 * (1 + 33 + 1 + 4));
	/* On arm64 the same requests are broadcast as TLBI. */
	c = under(&r, PARAM_TARGET, TARGET_ARM64);
	assert_calls(&c, 0);
	assert_int_equal(c.lo.n[COUNT_TLBI], 10);
	trace_close(&r.trace);
}

/* A guest that broadcasts has GTSE, whatever it calls. */
static void without_calls_gtse_is_on(void **state)
{
	static const struct block like = { .long_size = 8 };
	struct read_trace r;

	(void)state;
	read_guest(&r, &like, 0);
	assert_int_equal(r.model.used.v[PARAM_GTSE], 1);
	trace_close(&r.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_flushes),
		cmocka_unit_test(as_instructions_they_are_an_interval),
		cmocka_unit_test(without_calls_gtse_is_on),
	};

	return cmocka_run_group_tests_name("hcall", tests, NULL, NULL);
}
