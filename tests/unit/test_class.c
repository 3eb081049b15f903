/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_class.c - which flushes share a class, what a class says was recorded, evidence of calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/class.h"
#include "analyze/geometry.h"
#include "records.h"

#define A UINT64_C(0x7fff80000000)

static int setup(void **state)
{
	*state = class_table_new(16);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	class_table_free(*state);
	return 0;
}

/* 32 pages of 64K from a PMD edge, global, on POWER10, in a munmap. */
static struct flush munmap_batch(struct mm *mm)
{
	return (struct flush){
		.mm = mm,
		.shape = SHAPE_VA,
		.entry = ENTRY_GATHER,
		.cause = CAUSE_MUNMAP,
		.context = CONTEXT_CALL,
		.ended_by = RUN_END_SYSCALL,
		.shift = 16,
		.addr = A,
		.pages = 32,
		.call_longest = 32,
	};
}

static void add(struct class_table *t, struct flush f)
{
	assert_true(class_add(t, &f, true));
}

static const struct class_key *only_class(const struct class_table *t)
{
	assert_int_equal(class_count(t), 1);
	return &class_next(t, NULL)->key;
}

/* Time, CPU, task and PMD are nothing that a policy could tell apart. */
static void alike_flushes_share_a_class(void **state)
{
	struct mm mm = { .index = 7 };
	struct flush f = munmap_batch(&mm);

	add(*state, f);
	f.start_ns = 99;
	f.cpu = 3;
	f.tid = 12;
	f.addr += 5 * PMD_BYTES;
	f.ended_by = RUN_END_SWITCH;
	add(*state, f);
	assert_int_equal(only_class(*state)->mm, 7);
	assert_int_equal(class_next(*state, NULL)->count, 2);
	assert_int_equal(class_ends(*state)[RUN_END_SYSCALL], 1);
	assert_int_equal(class_ends(*state)[RUN_END_SWITCH], 1);
}

/* Everything that can change a count makes a class of its own. */
static void different_flushes_do_not(void **state)
{
	struct class_table *t = *state;
	struct mm mms[2] = { { .index = 0 }, { .index = 1 } };
	struct flush base = munmap_batch(&mms[0]);
	size_t n = 0;

#define DIFFERS(change)                                                                            \
	do {                                                                                       \
		struct flush f = base;                                                             \
		change;                                                                            \
		add(t, f);                                                                         \
		assert_int_equal(class_count(t), ++n);                                             \
	} while (0)

	DIFFERS((void)f);
	DIFFERS(f.mm = &mms[1]);
	DIFFERS(f.mm = NULL);
	DIFFERS(f.pages = 31);
	DIFFERS(f.pages_2m = 1);
	DIFFERS(f.addr += PAGE_64K);
	DIFFERS(f.shift = 12);
	DIFFERS(f.local = true);
	DIFFERS(f.irq = true);
	DIFFERS(f.pwc = true);
	DIFFERS(f.fix_erat = 1);
	DIFFERS(f.fix_stq = 1);
	DIFFERS(f.fix_old = 1);
	DIFFERS(f.entry = ENTRY_RANGE);
	DIFFERS(f.cause = CAUSE_MADVISE);
	DIFFERS(f.context = CONTEXT_UNKNOWN);
	DIFFERS(f.call_longest = 64);
	DIFFERS(f.is_told = true);
	DIFFERS(f.shape = SHAPE_PID);
	DIFFERS(f.shape = SHAPE_ALL);
#undef DIFFERS
}

/* The offset of one page in its PMD matters to nothing; that of several says what they cross. */
static void first_page_of_one_is_no_matter(void **state)
{
	struct flush f = munmap_batch(NULL);

	f.pages = 1;
	add(*state, f);
	f.addr += 5 * PAGE_64K;
	add(*state, f);
	assert_int_equal(only_class(*state)->first, 0);
	f.pages = 2;
	add(*state, f);
	assert_int_equal(class_count(*state), 2);
	assert_int_equal(class_next(*state, class_next(*state, NULL))->key.first, 5);
}

/* The longest run of the call matters only where boundaries may hide. */
static void longest_only_where_requests_hide(void **state)
{
	struct flush f = munmap_batch(NULL);

	f.fix_erat = 1;
	f.call_longest = 40;
	add(*state, f);
	f.call_longest = 50;
	add(*state, f);
	assert_false(only_class(*state)->may_hide);
	assert_int_equal(only_class(*state)->longest, 0);
}

/* A gather asks for what it cleared, which lies in its call's range (policies 9.4). */
static void call_bounds_a_promoted_gather(void **state)
{
	struct flush f = {
		.shape = SHAPE_PID,
		.cause = CAUSE_MUNMAP,
		.context = CONTEXT_CALL,
		.call_start = A,
		.call_len = 100 * PAGE_64K,
	};

	add(*state, f);
	assert_int_equal(only_class(*state)->pages_max, 100);
	f.call_len--; /* a part of a page is a page */
	add(*state, f);
	assert_int_equal(only_class(*state)->pages_max, 100);
}

/* Freed page tables widen the range beyond the call's; no length, no bound. */
static void no_bound_without_evidence(void **state)
{
	struct flush f = { .shape = SHAPE_ALL, .context = CONTEXT_CALL, .call_len = PAGE_64K };
	const struct class *c = NULL;

	add(*state, f);
	f.shape = SHAPE_PID;
	f.call_len = 0;
	add(*state, f);
	f.context = CONTEXT_OUTSIDE;
	f.call_len = PAGE_64K;
	add(*state, f);
	assert_int_equal(class_count(*state), 3);
	while ((c = class_next(*state, c)))
		assert_true(c->key.pages_max == PAGES_UNKNOWN);
}

static void sets_of_local_pid_flushes(void **state)
{
	struct flush f = { .shape = SHAPE_PID, .local = true, .sets = 128 };

	add(*state, f);
	assert_int_equal(only_class(*state)->sets, 128);
	assert_int_equal(class_recorded(class_next(*state, NULL)).n[COUNT_TLBIEL], 128);
	assert_int_equal(class_recorded(class_next(*state, NULL)).n[COUNT_TLBIE], 0);
}

/* A flush, one counter of what it recorded, and its tlbie and tlbiel. */
static const struct recorded {
	struct flush f;
	enum counter counter;
	uint64_t n;
	uint64_t tlbie;
	uint64_t tlbiel;
} recorded[] = {
	{ { .shape = SHAPE_VA,
	    .shift = 16,
	    .pages = 32,
	    .pages_2m = 1,
	    .pwc = true,
	    .fix_erat = 2,
	    .fix_stq = 2 },
	  COUNT_TLBIE_FIXUP,
	  4,
	  38,
	  0 },
	{ { .shape = SHAPE_VA, .shift = 16, .pages = 32, .pages_2m = 1, .pwc = true },
	  COUNT_TLBIE_VA,
	  33,
	  34,
	  0 },
	{ { .shape = SHAPE_VA, .shift = 16, .pages = 32, .pages_2m = 1, .pwc = true, .local = true },
	  COUNT_TLBIE_VA,
	  0,
	  0,
	  34 },
	{ { .shape = SHAPE_PID, .fix_erat = 1, .fix_stq = 1 }, COUNT_TLBIE_PID, 1, 3, 0 },
	{ { .shape = SHAPE_ALL, .fix_old = 1 }, COUNT_TLBIE_FIXUP, 1, 2, 0 },
	{ { .shape = SHAPE_PWC }, COUNT_TLBIE_PWC, 1, 1, 0 },
	{ { .shape = SHAPE_PWC, .local = true, .sets = 1 }, COUNT_TLBIE_PWC, 0, 0, 1 },
	{ { .shape = SHAPE_KERNEL, .fix_erat = 1 }, COUNT_TLBIE_KERNEL, 1, 2, 0 },
	{ { .shape = SHAPE_FOREIGN, .foreign = TLBIE_HASH, .pages = 17 }, COUNT_TLBIE_HASH, 17, 17, 0 },
	{ { .shape = SHAPE_FOREIGN, .foreign = TLBIE_LPID, .pages = 3 }, COUNT_TLBIE_LPID, 3, 3, 0 },
	{ { .shape = SHAPE_FOREIGN, .foreign = TLBIE_HASH, .pages = 5, .local = true },
	  COUNT_TLBIE_HASH,
	  0,
	  0,
	  5 },
};

/* A class gives back what its flushes recorded. */
static void recorded_instructions_survive(void **state)
{
	const struct class *c = NULL;

	for (size_t i = 0; i < sizeof(recorded) / sizeof(*recorded); i++) {
		const struct recorded *want = &recorded[i];
		struct tally t;

		add(*state, want->f);
		c = class_next(*state, c);
		t = class_recorded(c);
		assert_int_equal(t.n[want->counter], want->n);
		assert_int_equal(t.n[COUNT_TLBIE], want->tlbie);
		assert_int_equal(t.n[COUNT_TLBIEL], want->tlbiel);
		assert_int_equal(t.n[COUNT_FLUSHES], 1);
	}
}

static void classes_come_in_order_of_appearance(void **state)
{
	struct flush f = munmap_batch(NULL);
	const struct class *c = NULL;

	for (f.pages = 1000; f.pages > 0; f.pages--)
		add(*state, f);
	assert_int_equal(class_count(*state), 1000);
	for (uint64_t pages = 1000; pages > 0; pages--) {
		c = class_next(*state, c);
		assert_int_equal(c->key.pages, pages);
	}
	assert_null(class_next(*state, c));
}

/* Evidence is kept per mm and kind of call. */
static void evidence_of_calls(void **state)
{
	struct mm mm = { .index = 3 };
	const struct call_evidence *calls;

	assert_true(class_add_call(*state, &mm, CAUSE_MUNMAP, 1));
	assert_true(class_add_call(*state, &mm, CAUSE_MUNMAP, 1));
	assert_true(class_add_call(*state, &mm, CAUSE_MUNMAP, 5));
	assert_true(class_add_call(*state, NULL, CAUSE_MADVISE, 2));
	calls = class_calls(*state, 3, CAUSE_MUNMAP);
	assert_int_equal(calls->promoted_once, 2);
	assert_int_equal(calls->promoted_many, 1);
	calls = class_calls(*state, CLASS_NO_MM, CAUSE_MADVISE);
	assert_int_equal(calls->promoted_once, 0);
	assert_int_equal(calls->promoted_many, 1);
	calls = class_calls(*state, 3, CAUSE_MADVISE);
	assert_int_equal(calls->promoted_once + calls->promoted_many, 0);
	calls = class_calls(*state, 4, CAUSE_MUNMAP);
	assert_int_equal(calls->promoted_once + calls->promoted_many, 0);
}

/* What a batch is a part of, where that is more than itself; up to a limit. */
static void the_gather_of_a_batch(void **state)
{
	struct flush f = munmap_batch(NULL);
	struct class_key key;

	f.call_span = 32;
	class_key_of(&key, &f, 16);
	assert_int_equal(key.call_pages, 0);
	assert_true(key.call_open); /* shmdt has no length */
	f.call_span = 64;
	class_key_of(&key, &f, 16);
	assert_int_equal(key.call_pages, 64);
	f.call_len = 100 << 16;
	class_key_of(&key, &f, 16);
	assert_int_equal(key.call_pages, 100);
	assert_false(key.call_open);
	f.call_len = 0;
	f.call_done = true;
	f.call_span = 4096;
	class_key_of(&key, &f, 16);
	assert_int_equal(key.call_pages, CALL_PAGES_MOST);
	assert_false(key.call_open);
	f.cause = CAUSE_MREMAP; /* flush_tlb_range: no gather */
	class_key_of(&key, &f, 16);
	assert_int_equal(key.call_pages, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(alike_flushes_share_a_class),
		TEST(different_flushes_do_not),
		TEST(first_page_of_one_is_no_matter),
		TEST(longest_only_where_requests_hide),
		TEST(call_bounds_a_promoted_gather),
		TEST(no_bound_without_evidence),
		TEST(sets_of_local_pid_flushes),
		TEST(recorded_instructions_survive),
		TEST(classes_come_in_order_of_appearance),
		TEST(evidence_of_calls),
		TEST(the_gather_of_a_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
