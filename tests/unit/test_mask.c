/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_mask.c - local, global or none: policies 2.2 and each row of 2.3, and the IPIs of 3.3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/mask.h"

/* CPU 2 flushes; the tick that fires is the 1073rd. */
#define SELF 2u
#define TICK_FIRES (TRIM_CLOCK - 1)

struct example {
	enum trim kind;
	uint64_t mask;
	uint64_t running; /* CPUs whose current->mm is the mm */
	uint32_t users;
	bool mine;
	bool fullmm;
	uint16_t tick;
	/* expected */
	uint8_t scope; /* MACHINE_* */
	uint16_t ipis;
	uint16_t trims;
	uint16_t tick_after;
	uint64_t after;
};

static void check(const struct example *e)
{
	struct mask_question q = { .cpu = SELF,
				   .users = e->users,
				   .mine = e->mine,
				   .fullmm = e->fullmm,
				   .running = &e->running };
	uint64_t mask = e->mask;
	uint64_t sent[64] = { 0 };
	uint64_t sum = 0;
	uint16_t tick = e->tick;
	struct mask_answer a = mask_decide(e->kind, &mask, 1, &tick, &q, sent);

	assert_int_equal(a.scope, e->scope);
	assert_int_equal(a.ipis, e->ipis);
	assert_int_equal(a.trims, e->trims);
	assert_int_equal(mask, e->after);
	assert_int_equal(tick, e->tick_after);
	for (size_t i = 0; i < 64; i++)
		sum += sent[i];
	assert_int_equal(sum, e->ipis);
	assert_int_equal(sent[SELF], 0);
}

static void check_all(const struct example *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(&e[i]);
}

#define CHECK(list) check_all(list, sizeof(list) / sizeof(*(list)))

/* 2.2, E0 and E1: never trimmed. */
static void before_v4_18(void **state)
{
	static const struct example list[] = {
		{ TRIM_NONE, 0x4, 0x4, 1, true, false, 0, MACHINE_LOCAL, 0, 0, 0, 0x4 },
		{ TRIM_NONE, 0x5, 0x4, 1, true, false, 0, MACHINE_GLOBAL, 0, 0, 0, 0x5 },
		/* alone in the mask, but flushed from elsewhere */
		{ TRIM_NONE, 0x1, 0x1, 1, false, false, 0, MACHINE_GLOBAL, 0, 0, 0, 0x1 },
		/* no clock, whoever flushes */
		{ TRIM_NONE, 0x5, 0x4, 2, true, false, TICK_FIRES, MACHINE_GLOBAL, 0, 0, TICK_FIRES,
		  0x5 },
	};

	CHECK(list);
}

/* 2.2, E2 to E4 */
static void v4_18_to_v5_11(void **state)
{
	static const struct example list[] = {
		{ TRIM_V4_18, 0x4, 0x4, 1, true, false, 0, MACHINE_LOCAL, 0, 0, 0, 0x4 },
		/* single-threaded: one IPI for each CPU left behind, then local */
		{ TRIM_V4_18, 0xf, 0x4, 1, true, false, 0, MACHINE_LOCAL, 3, 3, 0, 0x4 },
		{ TRIM_V5_10, 0xf, 0x4, 1, true, false, 0, MACHINE_LOCAL, 3, 3, 0, 0x4 },
		/* a kernel thread that borrowed the mm runs on CPU 0: only the fix leaves it in */
		{ TRIM_V4_18, 0x7, 0x5, 1, true, false, 0, MACHINE_LOCAL, 2, 2, 0, 0x4 },
		{ TRIM_V5_10, 0x7, 0x5, 1, true, false, 0, MACHINE_LOCAL, 2, 2, 0, 0x5 },
		/* threads, a full-mm gather, a foreign context: no attempt */
		{ TRIM_V4_18, 0xf, 0x4, 2, true, false, 0, MACHINE_GLOBAL, 0, 0, 0, 0xf },
		{ TRIM_V4_18, 0xf, 0x4, 1, true, true, 0, MACHINE_GLOBAL, 0, 0, 0, 0xf },
		{ TRIM_V5_10, 0xf, 0x0, 1, false, false, 0, MACHINE_GLOBAL, 0, 0, 0, 0xf },
		/* no clock: a foreign flush of one's own CPU is not counted */
		{ TRIM_V5_10, 0x4, 0x0, 1, false, false, TICK_FIRES, MACHINE_LOCAL, 0, 0,
		  TICK_FIRES, 0x4 },
	};

	CHECK(list);
}

/* 2.3, row by row */
static void flush_type_needed_v5_12(void **state)
{
	static const struct example list[] = {
		/* 1 */
		{ TRIM_V5_12, 0x0, 0x0, 0, false, true, 0, MACHINE_NONE, 0, 0, 0, 0x0 },
		/* 2: not counted by the clock */
		{ TRIM_V5_12, 0x4, 0x4, 1, true, false, TICK_FIRES, MACHINE_LOCAL, 0, 0, TICK_FIRES,
		  0x4 },
		{ TRIM_V5_12, 0x4, 0x4, 8, true, false, 0, MACHINE_LOCAL, 0, 0, 0, 0x4 },
		/* 3: exit and exec of a process that never left its CPU */
		{ TRIM_V5_12, 0x4, 0x0, 0, false, true, 7, MACHINE_LOCAL, 0, 0, 8, 0x4 },
		/* 4 */
		{ TRIM_V5_12, 0x4, 0x0, 1, false, false, TICK_FIRES, MACHINE_NONE, 0, 1, 0, 0x0 },
		/* 6: before row 7, and not counted */
		{ TRIM_V5_12, 0xd, 0x0, 0, false, true, 7, MACHINE_GLOBAL, 0, 0, 7, 0xd },
		{ TRIM_V5_12, 0xd, 0x4, 1, true, true, 7, MACHINE_GLOBAL, 0, 0, 7, 0xd },
		/* 7 */
		{ TRIM_V5_12, 0xd, 0x4, 1, true, false, 7, MACHINE_LOCAL, 2, 2, 7, 0x4 },
		{ TRIM_V5_12, 0xd, 0x5, 1, true, false, 7, MACHINE_LOCAL, 2, 2, 7, 0x5 },
		/* 7, with its own CPU not in the mask: remark (c) */
		{ TRIM_V5_12, 0x1, 0x0, 1, true, false, 7, MACHINE_LOCAL, 1, 1, 7, 0x0 },
		/* 8: threads; those that run stay, but were flushed by the IPI */
		{ TRIM_V5_12, 0xf, 0x6, 4, true, false, TICK_FIRES, MACHINE_LOCAL, 3, 3, 0, 0x6 },
		/* 9 */
		{ TRIM_V5_12, 0xf, 0x2, 1, false, false, TICK_FIRES, MACHINE_NONE, 3, 4, 0, 0x2 },
		/* 10 */
		{ TRIM_V5_12, 0xb, 0x2, 1, false, false, TICK_FIRES, MACHINE_NONE, 3, 3, 0, 0x2 },
		/* 11 */
		{ TRIM_V5_12, 0xf, 0x6, 4, true, false, 7, MACHINE_GLOBAL, 0, 0, 8, 0xf },
		{ TRIM_V5_12, 0xf, 0x2, 1, false, false, TICK_FIRES - 1, MACHINE_GLOBAL, 0, 0,
		  TICK_FIRES, 0xf },
	};

	CHECK(list);
}

/* 4.4: the final flush has no row 6; what it trims, it flushes by IPI */
static void full_mm_flush_of_v6_6(void **state)
{
	static const struct example list[] = {
		/* k = 0, k = 3 */
		{ TRIM_V6_6, 0x4, 0x0, 0, false, true, 0, MACHINE_LOCAL, 0, 0, 1, 0x4 },
		{ TRIM_V6_6, 0xf, 0x0, 0, false, true, 0, MACHINE_LOCAL, 3, 3, 1, 0x4 },
		/* from a CPU outside the mask nothing is left to do (14, 3) */
		{ TRIM_V6_6, 0xb, 0x0, 0, false, true, 0, MACHINE_NONE, 3, 3, 0, 0x0 },
		/* a gather beside another one: CPUs that run the mm stay (14, 9) */
		{ TRIM_V6_6, 0xf, 0x6, 4, true, true, 0, MACHINE_GLOBAL, 3, 3, 1, 0x6 },
		{ TRIM_V6_6, 0xf, 0x4, 4, true, true, 0, MACHINE_LOCAL, 3, 3, 0, 0x4 },
		/* others as v5.12 */
		{ TRIM_V6_6, 0xf, 0x6, 4, true, false, 7, MACHINE_GLOBAL, 0, 0, 8, 0xf },
		{ TRIM_V6_6, 0xd, 0x4, 1, true, false, 7, MACHINE_LOCAL, 2, 2, 7, 0x4 },
	};

	CHECK(list);
}

/* Whom a global flush concerns beside the own CPU: what it costs by IPI. */
static void targets_of_a_global_flush(void **state)
{
	static const uint64_t running = 0x4;
	struct mask_question q = { .cpu = SELF, .users = 2, .mine = true, .running = &running };
	uint64_t mask = 0xf;

	assert_int_equal(mask_decide(TRIM_NONE, &mask, 1, NULL, &q, NULL).targets, 3);
	mask = 0xb; /* own CPU not in it */
	assert_int_equal(mask_decide(TRIM_NONE, &mask, 1, NULL, &q, NULL).targets, 3);
	mask = 0x4;
	assert_int_equal(mask_decide(TRIM_NONE, &mask, 1, NULL, &q, NULL).targets, 0);
}

/* Masks of more than one word. */
static void many_cpus(void **state)
{
	static const uint64_t running[2] = { 0, 0 };
	struct mask_question q = { .cpu = 70, .users = 1, .mine = true, .running = running };
	uint64_t mask[2] = { 0x8000000000000001, 0x41 };
	uint64_t sent[128] = { 0 };
	struct mask_answer a = mask_decide(TRIM_V5_12, mask, 2, NULL, &q, sent);

	assert_int_equal(a.scope, MACHINE_LOCAL);
	assert_int_equal(a.ipis, 3);
	assert_int_equal(mask[0], 0);
	assert_int_equal(mask[1], 0x40);
	assert_int_equal(sent[0] + sent[63] + sent[64], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_v4_18),
		cmocka_unit_test(v4_18_to_v5_11),
		cmocka_unit_test(flush_type_needed_v5_12),
		cmocka_unit_test(full_mm_flush_of_v6_6),
		cmocka_unit_test(targets_of_a_global_flush),
		cmocka_unit_test(many_cpus),
	};

	return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
