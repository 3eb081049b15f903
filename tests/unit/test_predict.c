/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_predict.c - predictions contain every reading of a class: compared with all ways to cut its
 * pages, and with all lengths that a promoted flush can have had.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/geometry.h"
#include "analyze/infer.h"
#include "analyze/observer.h"
#include "fake_source.h"
#include "replay/predict.h"
#include "replay/radix.h"

static const struct call_evidence no_calls;

/* A recorded kernel of v5.14 to v6.2 with these ceilings and fixups. */
static struct model kernel(uint64_t ceiling, unsigned fixups)
{
	struct model m = { .used = params_of_era(ERA_V5_14) };

	m.used.v[PARAM_CEILING] = ceiling;
	m.used.v[PARAM_FIXUPS] = fixups;
	for (size_t i = 0; i < PARAMS; i++)
		m.fact[i].lo = m.fact[i].hi = m.used.v[i];
	return m;
}

static struct params with_ceiling(const struct model *m, uint64_t ceiling)
{
	struct params p = m->used;

	p.v[PARAM_CEILING] = ceiling;
	return p;
}

static void check_contains(const struct counts *c, const struct tally *reading)
{
	for (size_t i = 0; i < COUNTERS; i++)
		if (reading->n[i] < c->lo.n[i] || reading->n[i] > c->hi.n[i])
			fail_msg("%s: reading %lu is outside of %lu ... %lu", counter_keys[i],
				 (unsigned long)reading->n[i], (unsigned long)c->lo.n[i],
				 (unsigned long)c->hi.n[i]);
}

static void check_exact(const struct counts *c)
{
	assert_memory_equal(&c->lo, &c->hi, sizeof(c->lo));
	assert_memory_equal(&c->lo, &c->likely, sizeof(c->lo));
}

/* Pages of one loop or several, with no mark between, on POWER10 and without system calls. */
static struct class unmarked(uint64_t pages, uint32_t first)
{
	return (struct class){ .key = { .shape = SHAPE_VA,
					.shift = 16,
					.pages = pages,
					.first = first,
					.may_hide = true },
			       .count = 1 };
}

static void add_piece(struct tally *sum, const struct params *alt, uint64_t pages, bool local)
{
	struct radix_request r = { .pages = pages, .long_range = pages >= 32, .local = local };
	struct tally one = radix_range(alt, &r);

	tally_add(sum, &one, 1);
}

/* All ways to cut `pages` into requests of at most `longest`: a bit for each place between two pages. */
static void check_all_cuts(const struct counts *c, const struct params *alt, uint64_t pages,
			   uint64_t longest, bool local)
{
	for (uint32_t cuts = 0; cuts < UINT32_C(1) << (pages - 1); cuts++) {
		struct tally sum = { .n = { 0 } };
		uint64_t piece = 1, most = 1;

		for (uint64_t place = 0; place + 1 < pages; place++) {
			if (cuts >> place & 1) {
				add_piece(&sum, alt, piece, local);
				piece = 0;
			}
			piece++;
			most = piece > most ? piece : most;
		}
		add_piece(&sum, alt, piece, local);
		if (most <= longest)
			check_contains(c, &sum);
	}
}

static void interval_contains_all_partitions(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);

	for (uint64_t pages = 2; pages <= 10; pages++) {
		for (uint64_t ceiling = 1; ceiling <= 11; ceiling++) {
			struct class c = unmarked(pages, 0);
			struct params alt = with_ceiling(&recorded, ceiling);
			struct counts got = predict_class(&c, &alt, &recorded, &no_calls);

			check_all_cuts(&got, &alt, pages, 33, false);
			alt.v[PARAM_FIXUPS] = FIXUPS_ERAT_STQ;
			alt.v[PARAM_COMPARE] = COMPARE_GE;
			alt.v[PARAM_CEILING]++;
			got = predict_class(&c, &alt, &recorded, &no_calls);
			check_all_cuts(&got, &alt, pages, 33, false);
		}
	}
}

static void interval_contains_all_local_partitions(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);

	for (uint64_t pages = 2; pages <= 10; pages++) {
		for (uint64_t ceiling = 1; ceiling <= 11; ceiling++) {
			struct class c = unmarked(pages, 30);
			struct params alt = recorded.used;
			struct counts got;

			c.key.local = true;
			alt.v[PARAM_LOCAL_CEILING] = ceiling;
			alt.v[PARAM_SETS] = ceiling % 2 ? 128 : 1;
			got = predict_class(&c, &alt, &recorded, &no_calls);
			check_all_cuts(&got, &alt, pages, 256, true);
		}
	}
}

/* The two readings of consecutive pages outside of calls: faults one by one, or one request. */
static void both_readings_of_faults(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);
	struct class c = unmarked(20, 0);
	struct params alt = with_ceiling(&recorded, 10);
	struct counts got;

	c.key.context = CONTEXT_OUTSIDE;
	got = predict_class(&c, &alt, &recorded, &no_calls);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 20);
	assert_int_equal(got.lo.n[COUNT_TLBIE], 1);
	assert_int_equal(got.hi.n[COUNT_TLBIE], 20);
	assert_int_equal(got.lo.n[COUNT_FLUSHES], 1);
	assert_int_equal(got.hi.n[COUNT_FLUSHES], 20);
}

/* A 2 MiB range on POWER9 has marks at both ends: 35 + PWC, or one flush of the PID. */
static void marked_range_is_exact(void **state)
{
	struct model recorded = kernel(33, FIXUPS_ERAT_STQ);
	struct class c = { .key = { .shape = SHAPE_VA,
				    .entry = ENTRY_RANGE,
				    .context = CONTEXT_CALL,
				    .cause = CAUSE_MREMAP,
				    .shift = 16,
				    .pages = 32,
				    .pages_2m = 1,
				    .pwc = true,
				    .fix_erat = 2,
				    .fix_stq = 2 } };
	struct params alt = with_ceiling(&recorded, 31);
	struct counts got = predict_class(&c, &alt, &recorded, &no_calls);

	assert_true(predict_replays(&c, &recorded, &no_calls));
	check_exact(&got);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 3);
	assert_int_equal(got.likely.n[COUNT_PROMOTED], 1);
	got = predict_class(&c, &recorded.used, &recorded, &no_calls);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 38);
	alt = recorded.used;
	alt.v[PARAM_THP_PASS] = 0;
	alt.v[PARAM_PWC] = 0;
	got = predict_class(&c, &alt, &recorded, &no_calls);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 34);
}

/* The same records are flush_tlb_collapsed_pmd and a flush of the new 2M page: two requests. */
static void range_may_be_a_collapse(void **state)
{
	struct model recorded = kernel(33, FIXUPS_ERAT_STQ);
	struct class c = { .key = { .shape = SHAPE_VA,
				    .entry = ENTRY_RANGE,
				    .shift = 16,
				    .pages = 32,
				    .pages_2m = 1,
				    .pwc = true,
				    .fix_erat = 2,
				    .fix_stq = 2 } };
	struct params alt = with_ceiling(&recorded, 8);
	struct counts got = predict_class(&c, &alt, &recorded, &no_calls);

	assert_int_equal(got.lo.n[COUNT_TLBIE], 3);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 3);
	assert_int_equal(got.hi.n[COUNT_TLBIE], 1 + 32 + 2 + 1 + 2);
	assert_int_equal(got.hi.n[COUNT_FLUSHES], 2);
	c.key.pages_2m = 0;
	c.key.fix_erat = c.key.fix_stq = 1;
	got = predict_class(&c, &alt, &recorded, &no_calls);
	assert_int_equal(got.hi.n[COUNT_TLBIE], 1 + 32 + 2);
	assert_int_equal(got.hi.n[COUNT_FLUSHES], 1);
	c.key.pages = 31;
	got = predict_class(&c, &alt, &recorded, &no_calls);
	check_exact(&got);
}

/* flush_tlb_collapsed_pmd asks no ceiling. */
static void collapse_is_not_promoted(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);
	struct class c = { .key = { .shape = SHAPE_VA,
				    .entry = ENTRY_COLLAPSED,
				    .shift = 16,
				    .pages = 32,
				    .pwc = true } };
	struct params alt = with_ceiling(&recorded, 1);
	struct counts got = predict_class(&c, &alt, &recorded, &no_calls);

	check_exact(&got);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 33);
}

/* A whole-PID flush inside a munmap, of a gather that can have been of up to pages_max pages. */
static struct class promoted(unsigned shape, uint64_t pages_max)
{
	return (struct class){ .key = { .shape = (uint8_t)shape,
					.entry = ENTRY_GATHER,
					.cause = CAUSE_MUNMAP,
					.context = CONTEXT_CALL,
					.pages_max = pages_max },
			       .count = 1 };
}

/* Every request that the recorded kernel can have promoted to this, under the alternative. */
static void check_all_lengths(const struct class *c, const struct params *alt, uint64_t from,
			      const struct counts *got)
{
	uint64_t last = c->key.pages_max < 3000 ? c->key.pages_max : 3000;

	for (uint64_t n = from; n <= last; n++) {
		struct radix_request r = { .pages = n,
					   .long_range = n >= 32,
					   .tables = c->key.shape == SHAPE_ALL,
					   .local = c->key.local };
		struct tally t = radix_range(alt, &r);

		check_contains(got, &t);
		r.range = true;
		r.tables = false;
		for (r.pages_2m = (n - 31) / 32; r.pages_2m <= n / 32; r.pages_2m++) {
			t = radix_range(alt, &r);
			check_contains(got, &t);
		}
	}
}

static void censored_bounds_contain_all_lengths(void **state)
{
	static const uint64_t bounds[] = { 34, 64, 512, PAGES_UNKNOWN };
	static const unsigned fixups[] = { FIXUPS_NONE, FIXUPS_ERAT_STQ };

	for (unsigned i = 0; i < 4; i++)
		for (uint64_t ceiling = 1; ceiling < 1500; ceiling += ceiling < 80 ? 1 : 97)
			for (unsigned shape = SHAPE_PID; shape <= SHAPE_ALL; shape++)
				for (unsigned f = 0; f < 2; f++) {
					struct model recorded = kernel(33, fixups[f]);
					struct class c = promoted(shape, bounds[i]);
					struct params alt = with_ceiling(&recorded, ceiling);
					struct counts got = predict_class(&c, &alt, &recorded,
									  &no_calls);

					check_all_lengths(&c, &alt, 34, &got);
				}
}

/* "For alternatives with lower or equal ceilings: exact (still PID)." */
static void censored_is_exact_downward(void **state)
{
	struct model recorded = kernel(33, FIXUPS_ERAT_STQ);
	struct class c = promoted(SHAPE_PID, PAGES_UNKNOWN);

	for (uint64_t ceiling = 1; ceiling <= 33; ceiling++) {
		struct params alt = with_ceiling(&recorded, ceiling);
		struct counts got = predict_class(&c, &alt, &recorded, &no_calls);

		check_exact(&got);
		assert_false(got.open);
		assert_int_equal(got.likely.n[COUNT_TLBIE], 3);
		assert_int_equal(got.likely.n[COUNT_PROMOTED], 1);
	}
}

/* Upward the bounds are tight: kept, or all turned to pages, the fewest and the most. */
static void censored_upward_is_an_open_interval(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);
	struct class c = promoted(SHAPE_PID, PAGES_UNKNOWN);
	struct params alt = with_ceiling(&recorded, 63);
	struct counts got = predict_class(&c, &alt, &recorded, &no_calls);

	assert_true(got.open);
	assert_int_equal(got.lo.n[COUNT_TLBIE], 1);
	assert_int_equal(got.lo.n[COUNT_TLBIE_PID], 0);
	assert_int_equal(got.hi.n[COUNT_TLBIE_PID], 1);
	assert_int_equal(got.lo.n[COUNT_PROMOTED], 0);
	assert_int_equal(got.hi.n[COUNT_TLBIE], 1 + 63 + 1); /* a range with PWC and second pass */
	/* where the call bounds it below the new ceiling it cannot stay promoted */
	c = promoted(SHAPE_PID, 50);
	got = predict_class(&c, &alt, &recorded, &no_calls);
	assert_int_equal(got.lo.n[COUNT_TLBIE], 34);
	assert_int_equal(got.hi.n[COUNT_TLBIE_PID], 0);
	assert_int_equal(got.hi.n[COUNT_PROMOTED], 0);
}

/* fork, exit, trims and the like were never ranges: no ceiling changes them. */
static void fixed_flushes_stay(void **state)
{
	struct model recorded = kernel(33, FIXUPS_ERAT_STQ);
	struct params alt = with_ceiling(&recorded, 4096);
	const struct class v[] = {
		{ .key = { .shape = SHAPE_PID, .entry = ENTRY_MM, .cause = CAUSE_FORK } },
		{ .key = { .shape = SHAPE_PID, .entry = ENTRY_MM } },
		{ .key = { .shape = SHAPE_ALL, .entry = ENTRY_ALL, .cause = CAUSE_EXIT } },
		{ .key = { .shape = SHAPE_ALL, .entry = ENTRY_ALL, .cause = CAUSE_EXEC } },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct class c = v[i];
		struct counts got;

		c.key.pages_max = PAGES_UNKNOWN;
		got = predict_class(&c, &alt, &recorded, &no_calls);
		check_exact(&got);
		assert_int_equal(got.likely.n[COUNT_TLBIE], 3);
		assert_int_equal(got.likely.n[COUNT_PROMOTED], 0);
	}
}

/* A gather that another one made full-mm is so under every kernel that does it, unless a higher ceiling
 * makes flushes longer; those before v5.9 flush its range, which nothing tells. Without a probe it may
 * have been a promoted one. */
static void full_mm_gathers_meet_again(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);
	struct params alt = with_ceiling(&recorded, 64);
	struct class c = promoted(SHAPE_ALL, PAGES_UNKNOWN);
	struct counts got;

	for (int told = 0; told <= 1; told++) {
		c.key.told = told;
		c.key.entry = told ? ENTRY_ALL : ENTRY_GATHER;
		alt = with_ceiling(&recorded, 33);
		alt.v[PARAM_LOCAL_CEILING] = 4096;
		got = predict_class(&c, &alt, &recorded, &no_calls);
		check_exact(&got);
		alt = params_of_era(ERA_V5_4);
		alt.v[PARAM_FIXUPS] = FIXUPS_NONE;
		got = predict_class(&c, &alt, &recorded, &no_calls);
		assert_true(got.open);
		assert_int_equal(got.lo.n[COUNT_TLBIE], 1);
		assert_int_equal(got.lo.n[COUNT_TLBIE_PID], 0);
		assert_int_equal(got.hi.n[COUNT_TLBIE_PID], 1);
		assert_int_equal(got.hi.n[COUNT_TLBIE], 33 + 1);
	}
	/* ranges_c8.truth foretold 33473 tlbie for 512, had they met again; 35248 and 35343 were recorded. */
	alt = with_ceiling(&recorded, 64);
	got = predict_class(&c, &alt, &recorded, &no_calls);
	assert_true(got.open);
	assert_int_equal(got.lo.n[COUNT_TLBIE], 1);
	assert_int_equal(got.hi.n[COUNT_TLBIE], 64 + 2 + 1); /* flush_tlb_range */
	alt = with_ceiling(&recorded, 8);
	got = predict_class(&c, &alt, &recorded, &no_calls);
	check_exact(&got);
}

/* Before v4.15 flush_tlb_range() took the whole mm: what it was asked for no record of a short range
 * tells, but the call and the release do. */
static void short_ranges_of_mprotect_and_others(void **state)
{
	static const struct {
		struct class_key key;
		enum mprotect mprotect;
		uint64_t lo;
		uint64_t hi;
	} v[] = {
		{ { .cause = CAUSE_MPROTECT, .context = CONTEXT_CALL }, MPROTECT_RANGE, 1, 1 },
		{ { .cause = CAUSE_MPROTECT, .context = CONTEXT_CALL }, MPROTECT_GATHER, 9, 9 },
		{ { .cause = CAUSE_MPROTECT, .context = CONTEXT_CALL }, MPROTECT_EITHER, 1, 9 },
		{ { .cause = CAUSE_MREMAP, .context = CONTEXT_CALL }, MPROTECT_GATHER, 1, 9 },
		{ { .cause = CAUSE_MUNMAP, .context = CONTEXT_CALL }, MPROTECT_RANGE, 9, 9 },
		{ { .context = CONTEXT_UNKNOWN }, MPROTECT_GATHER, 1, 9 },
		{ { .context = CONTEXT_OUTSIDE }, MPROTECT_GATHER, 1, 9 },
		{ { .context = CONTEXT_UNKNOWN, .told = true, .entry = ENTRY_GATHER },
		  MPROTECT_EITHER,
		  9,
		  9 },
	};
	struct model recorded = kernel(33, FIXUPS_NONE);
	struct params alt = recorded.used;

	alt.v[PARAM_RANGE] = RANGE_MM;
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct class c = { .key = v[i].key, .count = 1 };
		struct counts got;

		c.key.shape = SHAPE_VA;
		c.key.shift = 16;
		c.key.pages = 9;
		recorded.mprotect = v[i].mprotect;
		got = predict_class(&c, &alt, &recorded, &no_calls);
		assert_int_equal(got.lo.n[COUNT_TLBIE], v[i].lo);
		assert_int_equal(got.hi.n[COUNT_TLBIE], v[i].hi);
	}
}

static void trims_pwc_kernel_and_foreign_stay(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);
	struct params alt = with_ceiling(&recorded, 0);
	struct class c = { .key = { .shape = SHAPE_ALL,
				    .entry = ENTRY_TRIM,
				    .cause = CAUSE_TRIM,
				    .local = true,
				    .irq = true,
				    .sets = 128,
				    .pages_max = PAGES_UNKNOWN } };

	assert_int_equal(predict_class(&c, &alt, &recorded, &no_calls).likely.n[COUNT_TLBIEL], 128);
	c = (struct class){ .key = { .shape = SHAPE_PWC } };
	assert_int_equal(predict_class(&c, &alt, &recorded, &no_calls).hi.n[COUNT_TLBIE_PWC], 1);
	c = (struct class){ .key = { .shape = SHAPE_KERNEL } };
	assert_int_equal(predict_class(&c, &alt, &recorded, &no_calls).hi.n[COUNT_TLBIE_KERNEL], 1);
	c = (struct class){ .key = { .shape = SHAPE_FOREIGN, .foreign = TLBIE_HASH, .pages = 9 } };
	assert_int_equal(predict_class(&c, &alt, &recorded, &no_calls).hi.n[COUNT_TLBIE_HASH], 9);
}

/* A trim in the middle took 76 of 128 sets: not what the kernel does, so fidelity must say so. */
static void fidelity_sees_incomplete_flushes(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);
	struct class c = { .key = { .shape = SHAPE_PID,
				    .local = true,
				    .sets = 128,
				    .context = CONTEXT_CALL,
				    .cause = CAUSE_MUNMAP,
				    .pages_max = PAGES_UNKNOWN } };

	assert_true(predict_replays(&c, &recorded, &no_calls));
	c.key.sets = 76;
	assert_false(predict_replays(&c, &recorded, &no_calls));
	c.key.sets = 128;
	recorded.used.v[PARAM_SETS] = 1;
	assert_false(predict_replays(&c, &recorded, &no_calls));
}

/* A trace of two mms and one flush of none, without a file. */
struct small_trace {
	struct trace trace;
	struct fake_source source;
};

static bool no_flush(void *arg, const struct flush *f)
{
	return true;
}

static void add(struct trace *t, struct mm *mm, unsigned shape, uint64_t pages, uint64_t times)
{
	struct flush f = { .mm = mm,
			   .shape = shape,
			   .shift = 16,
			   .addr = 0x7fff80000000,
			   .pages = pages,
			   .fix_erat = 1 };

	for (uint64_t i = 0; i < times; i++)
		assert_true(class_add(t->classes, &f, true));
}

static int setup(void **state)
{
	static struct small_trace small;
	struct join_sink sink = { .flush = no_flush };
	struct run_item item = { .is_run = true,
				 .run = { .kind = TLBIE_VA, .shift = 16, .n = 1, .tid = 7 } };

	fake_source_init(&small.source, NULL, 0);
	small.trace = (struct trace){
		.src = &small.source.src,
		.info = &small.source.info,
		.join = join_new(&small.source.src, 1, 16, &sink),
		.classes = class_table_new(16),
	};
	*state = &small.trace;
	if (!small.trace.join || !small.trace.classes)
		return -1;
	for (uint32_t hw_pid = 1; hw_pid <= 2; hw_pid++) {
		item.run.hw_pid = hw_pid;
		if (!join_item(small.trace.join, &item))
			return -1;
	}
	return join_finish(small.trace.join) ? 0 : -1;
}

static int teardown(void **state)
{
	trace_close(*state);
	return 0;
}

static bool is_of_mm_1(void *arg, const struct class *c)
{
	return c->key.mm == 1;
}

static void sums_by_mm_and_filter(void **state)
{
	struct trace *t = *state;
	struct model recorded = kernel(33, FIXUPS_ERAT);
	struct params alt = with_ceiling(&recorded, 31);
	struct prediction p;

	add(t, mm_by_index(join_mms(t->join), 0), SHAPE_VA, 32, 10);
	add(t, mm_by_index(join_mms(t->join), 1), SHAPE_VA, 31, 100);
	add(t, NULL, SHAPE_KERNEL, 0, 1000);
	assert_int_equal(predict(&p, t, &recorded, &alt, NULL, NULL), 0);
	assert_int_equal(p.n_mms, 3);
	assert_int_equal(p.by_mm[0].likely.n[COUNT_TLBIE], 10 * 2);
	assert_int_equal(p.by_mm[1].likely.n[COUNT_TLBIE], 100 * 32);
	assert_int_equal(p.by_mm[2].likely.n[COUNT_TLBIE], 1000 * 2);
	assert_int_equal(p.total.likely.n[COUNT_TLBIE], 20 + 3200 + 2000);
	assert_int_equal(p.total.lo.n[COUNT_PROMOTED], 10);
	assert_int_equal(p.total.hi.n[COUNT_PROMOTED], 10);
	prediction_free(&p);
	assert_int_equal(predict(&p, t, &recorded, &alt, is_of_mm_1, NULL), 0);
	assert_int_equal(p.total.likely.n[COUNT_TLBIE], 3200);
	prediction_free(&p);
}

/* tlbie_enabled=0 leaves the broadcast of kernel addresses, which also tells the fixups (2.7). */
static void kernel_broadcasts_with_tlbie_off(void **state)
{
	struct trace *t = *state;
	struct flush share = { .shape = SHAPE_VA,
			       .shift = 16,
			       .addr = 0x7fff80000000,
			       .pages = 4,
			       .local = true,
			       .irq = true };
	struct model m;
	struct error err;

	add(t, NULL, SHAPE_KERNEL, 0, 2);
	assert_int_equal(infer_model(&m, t, NULL, &err), 0);
	assert_int_equal(m.used.v[PARAM_TLBIE], 1); /* nothing tells */
	assert_int_equal(m.fact[PARAM_GTSE].evidence, EVIDENCE_TRACE);
	assert_true(class_add(t->classes, &share, true));
	assert_int_equal(infer_model(&m, t, NULL, &err), 0);
	assert_int_equal(m.used.v[PARAM_TLBIE], 0);
	assert_int_equal(m.fact[PARAM_TLBIE].evidence, EVIDENCE_TRACE);
	assert_int_equal(m.used.v[PARAM_GTSE], 1);
	assert_int_equal(m.fact[PARAM_FIXUPS].evidence, EVIDENCE_TRACE);
	add(t, NULL, SHAPE_VA, 4, 1);
	assert_int_equal(infer_model(&m, t, NULL, &err), 0);
	assert_int_equal(m.used.v[PARAM_TLBIE], 1);
}

/* No event tells of INVLPGB, which v6.15 and later may use: open there, and not before. */
static void x86_broadcasts_are_open(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t hi;
	} kernels[] = { { "6.14.2", 0 }, { "6.15.0", INVLPGB_MOST }, { "", INVLPGB_MOST } };
	struct small_trace *small = *state;
	struct model m;
	struct error err;

	(void)snprintf(small->source.info.arch, sizeof(small->source.info.arch), "x86_64");
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		(void)snprintf(small->source.info.kernel, sizeof(small->source.info.kernel), "%s",
			       kernels[i].kernel);
		assert_int_equal(infer_model(&m, &small->trace, NULL, &err), 0);
		assert_int_equal(m.used.v[PARAM_INVLPGB], 0);
		assert_int_equal(m.fact[PARAM_INVLPGB].hi, kernels[i].hi);
		assert_int_equal(m.fact[PARAM_PTI].hi, PTI_NO_INVPCID);
	}
}

static void fidelity_counts_exact_flushes(void **state)
{
	struct trace *t = *state;
	struct model recorded = kernel(33, FIXUPS_ERAT);
	struct fidelity f;

	add(t, NULL, SHAPE_VA, 32, 10);
	add(t, NULL, SHAPE_VA, 40, 3); /* longer than the ceiling in force: impossible */
	predict_fidelity(&f, t, &recorded, NULL, NULL);
	assert_int_equal(f.flushes, 13);
	assert_int_equal(f.exact, 10);
	assert_int_equal(f.recorded.n[COUNT_TLBIE], 10 * 33 + 3 * 41);
	assert_int_equal(f.replayed.n[COUNT_TLBIE], 10 * 33 + 3 * 2);
	assert_int_equal(f.known[KNOWN_SEEN], 13);
}

#define WITH_TRACE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A recorded ceiling that is only bounded from below leaves shorter promoted requests possible. */
static void promoted_under_an_unknown_ceiling(void **state)
{
	struct model m = kernel(33, FIXUPS_NONE);
	struct class c = { .key = { .shape = SHAPE_PID,
				    .context = CONTEXT_CALL,
				    .cause = CAUSE_MUNMAP,
				    .pages_max = PAGES_UNKNOWN } };
	struct params alt = with_ceiling(&m, 20);
	struct counts got;

	m.fact[PARAM_CEILING].lo = 8;
	m.fact[PARAM_CEILING].hi = UINT64_MAX;
	got = predict_class(&c, &alt, &m, &no_calls);
	assert_true(got.open);
	assert_int_equal(got.lo.n[COUNT_TLBIE], 1);
	assert_true(got.hi.n[COUNT_TLBIE] >= 20);
	/* What was recorded is replayed as it was. */
	got = predict_class(&c, &m.used, &m, &no_calls);
	assert_false(got.open);
	assert_int_equal(got.hi.n[COUNT_TLBIE], 1);
	/* The same number, asked for as a number, is perhaps more than was recorded with. */
	alt = m.used;
	params_name(&alt, PARAM_CEILING);
	got = predict_class(&c, &alt, &m, &no_calls);
	assert_true(got.open);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 1);
	assert_int_equal(got.hi.n[COUNT_TLBIE], 35);
	/* Naming the local one says nothing about a global flush. */
	alt = m.used;
	params_name(&alt, PARAM_LOCAL_CEILING);
	got = predict_class(&c, &alt, &m, &no_calls);
	assert_false(got.open);
}

/* With tlbie off: what the recorded kernel's mask says of a flush by tlbiel. */
static struct class of_mask(unsigned shape, uint64_t pages, unsigned scope)
{
	struct class c = { .key = { .shape = (uint8_t)shape,
				    .shift = 16,
				    .pages = pages,
				    .pages_max = PAGES_UNKNOWN,
				    .sets = 128,
				    .local = true },
			   .count = 1 };

	memset(c.key.scope, (int)scope, sizeof(c.key.scope));
	return c;
}

static struct counts under(const struct model *m, const struct class *c, uint64_t ceiling)
{
	struct params alt = with_ceiling(m, ceiling);

	return predict_class(c, &alt, m, &no_calls);
}

/* A multicast flush asks the global ceiling on every CPU, its initiator's own included. */
static void shares_obey_the_global_ceiling(void **state)
{
	struct model m = kernel(33, FIXUPS_NONE);
	struct class share = of_mask(SHAPE_VA, 32, MACHINE_GLOBAL);
	struct class local = of_mask(SHAPE_VA, 32, MACHINE_LOCAL);
	struct class either = of_mask(SHAPE_VA, 32, MACHINE_LOCAL | MACHINE_UNSURE);
	struct class handler = of_mask(SHAPE_PID, 0, MACHINE_UNASKED);
	struct counts got;

	m.used.v[PARAM_TLBIE] = 0;
	handler.key.irq = true;
	got = under(&m, &share, 31);
	assert_int_equal(got.lo.n[COUNT_TLBIEL], 128);
	check_exact(&got);
	got = under(&m, &local, 31);
	assert_int_equal(got.lo.n[COUNT_TLBIEL], 32);
	check_exact(&got);
	got = under(&m, &either, 31);
	assert_int_equal(got.lo.n[COUNT_TLBIEL], 32);
	assert_int_equal(got.hi.n[COUNT_TLBIEL], 128);
	/* A promoted part: under a higher ceiling it may go by page. */
	got = under(&m, &handler, 31);
	assert_int_equal(got.hi.n[COUNT_TLBIEL], 128);
	got = under(&m, &handler, 40);
	assert_int_equal(got.lo.n[COUNT_TLBIEL], 34);
	assert_int_equal(got.hi.n[COUNT_TLBIEL], 128);
	assert_true(got.open);
	m.used.v[PARAM_TLBIE] = 1;
	got = under(&m, &share, 31);
	assert_int_equal(got.hi.n[COUNT_TLBIEL], 32);
}

/* 33 pages of requests of at most 5: as few as 7, and under 3 all of them may be promoted. */
static void fewest_requests_are_in_the_interval(void **state)
{
	struct model m = kernel(5, FIXUPS_NONE);
	struct class c = { .key = { .shape = SHAPE_VA, .shift = 16, .pages = 33, .may_hide = true } };
	struct params alt = with_ceiling(&m, 3);
	struct counts got = predict_class(&c, &alt, &m, &no_calls);

	assert_int_equal(got.lo.n[COUNT_TLBIE_VA], 0);
	assert_int_equal(got.lo.n[COUNT_FLUSHES], 7);
	assert_int_equal(got.hi.n[COUNT_TLBIE_VA], 33);
}

/* With tlbie off each CPU flushes the kernel's PID by itself. */
static void local_kernel_flush(void **state)
{
	struct model m = kernel(33, FIXUPS_ERAT);
	struct class c = { .key = { .shape = SHAPE_KERNEL, .local = true, .sets = 128 } };
	struct counts got = predict_class(&c, &m.used, &m, &no_calls);

	assert_int_equal(got.lo.n[COUNT_TLBIEL], 128);
	assert_int_equal(got.hi.n[COUNT_TLBIE], 0);
}

/*
 * 64 pages that a munmap flushed without a mark between: two PMDs', or one request under a ceiling that
 * somebody raised, unless the ceiling is known. A shmdt flushes each PMD.
 */
static void one_request_under_a_raised_ceiling(void **state)
{
	struct model recorded = kernel(33, FIXUPS_NONE);
	struct params alt = with_ceiling(&recorded, 31);
	struct class c = unmarked(64, 0);
	struct counts got;

	c.key.context = CONTEXT_CALL;
	c.key.cause = CAUSE_MUNMAP;
	c.key.longest = 64;
	got = predict_class(&c, &alt, &recorded, &no_calls);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 2);
	assert_int_equal(got.lo.n[COUNT_TLBIE], 2);
	recorded.fact[PARAM_CEILING].hi = UINT64_MAX;
	got = predict_class(&c, &alt, &recorded, &no_calls);
	assert_int_equal(got.likely.n[COUNT_TLBIE], 2);
	assert_int_equal(got.lo.n[COUNT_TLBIE], 1);
	c.key.cause = CAUSE_SHMDT;
	got = predict_class(&c, &alt, &recorded, &no_calls);
	assert_int_equal(got.lo.n[COUNT_TLBIE], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(promoted_under_an_unknown_ceiling),
		cmocka_unit_test(shares_obey_the_global_ceiling),
		cmocka_unit_test(fewest_requests_are_in_the_interval),
		cmocka_unit_test(local_kernel_flush),
		cmocka_unit_test(interval_contains_all_partitions),
		cmocka_unit_test(one_request_under_a_raised_ceiling),
		cmocka_unit_test(interval_contains_all_local_partitions),
		cmocka_unit_test(both_readings_of_faults),
		cmocka_unit_test(marked_range_is_exact),
		cmocka_unit_test(range_may_be_a_collapse),
		cmocka_unit_test(collapse_is_not_promoted),
		cmocka_unit_test(censored_bounds_contain_all_lengths),
		cmocka_unit_test(censored_is_exact_downward),
		cmocka_unit_test(censored_upward_is_an_open_interval),
		cmocka_unit_test(fixed_flushes_stay),
		cmocka_unit_test(full_mm_gathers_meet_again),
		cmocka_unit_test(short_ranges_of_mprotect_and_others),
		cmocka_unit_test(trims_pwc_kernel_and_foreign_stay),
		cmocka_unit_test(fidelity_sees_incomplete_flushes),
		WITH_TRACE(sums_by_mm_and_filter),
		WITH_TRACE(kernel_broadcasts_with_tlbie_off),
		WITH_TRACE(x86_broadcasts_are_open),
		WITH_TRACE(fidelity_counts_exact_flushes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
