/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stateful.c - classes priced under other masks: policies 2.7, 3.3, 4.4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/stateful.h"

static const struct call_evidence no_calls;

/* v6.1 on a POWER9 with both fixups. */
static struct model recorded_model(void)
{
	struct model m;

	memset(&m, 0, sizeof(m));
	m.used = params_of_era(ERA_V5_14);
	m.used.v[PARAM_FIXUPS] = FIXUPS_ERAT_STQ;
	return m;
}

/* `count` single pages, recorded as local or global, of the same scope under every kind. */
static struct class pages(uint64_t count, bool local)
{
	struct class c;

	memset(&c, 0, sizeof(c));
	c.count = count;
	c.key.shape = SHAPE_VA;
	c.key.entry = ENTRY_PAGE;
	c.key.shift = 16;
	c.key.pages = 1;
	c.key.local = local;
	memset(c.key.scope, local ? MACHINE_LOCAL : MACHINE_GLOBAL, sizeof(c.key.scope));
	return c;
}

/* Trims as their handlers recorded them. */
static struct class trims(uint64_t count)
{
	struct class c;

	memset(&c, 0, sizeof(c));
	c.count = count;
	c.key.shape = SHAPE_ALL;
	c.key.entry = ENTRY_TRIM;
	c.key.local = c.key.irq = true;
	c.key.sets = 128;
	return c;
}

/* Final flushes, global as v5.12 to v6.5 make them where the mask has others. */
static struct class ends(uint64_t count)
{
	struct class c;

	memset(&c, 0, sizeof(c));
	c.count = count;
	c.key.shape = SHAPE_ALL;
	c.key.entry = ENTRY_ALL;
	c.key.cause = CAUSE_EXIT;
	memset(c.key.scope, MACHINE_GLOBAL, sizeof(c.key.scope));
	c.key.scope[TRIM_V6_6] = MACHINE_LOCAL;
	c.ipis[TRIM_V6_6] = c.trims[TRIM_V6_6] = 2 * count;
	return c;
}

/* Flushes of the class, were they global, concern so many other CPUs. */
static void reach(struct class *c, enum trim kind, uint64_t targets)
{
	c->targets[kind] = c->targets_most[kind] = targets;
	c->reached[kind] = c->count;
}

static struct counts under(const struct class *c, enum param id, uint64_t value)
{
	struct model m = recorded_model();
	struct params alt = m.used;

	alt.v[id] = value;
	return stateful_class(c, &alt, &m, &no_calls);
}

static void assert_exact(const struct counts *c, enum counter id, uint64_t n)
{
	assert_int_equal(c->lo.n[id], n);
	assert_int_equal(c->likely.n[id], n);
	assert_int_equal(c->hi.n[id], n);
}

static void kinds(void **state)
{
	struct params p = params_of_era(ERA_V6_3);

	assert_int_equal(stateful_kind(&p), TRIM_V5_12);
	p = params_of_era(ERA_V6_4);
	assert_int_equal(stateful_kind(&p), TRIM_V5_12);
	p = params_of_era(ERA_V6_6);
	assert_int_equal(stateful_kind(&p), TRIM_V6_6);
	p.v[PARAM_LAZY] = LAZY_SHOOTDOWN;
	assert_int_equal(stateful_kind(&p), TRIM_V5_12);
	p = params_of_era(ERA_V5_9);
	p.v[PARAM_LAZY] = LAZY_COMBINED; /* needs flush_type_needed() */
	assert_int_equal(stateful_kind(&p), TRIM_V5_10);
}

/* The recorded policy: as recorded, and each trim was an IPI. */
static void as_recorded(void **state)
{
	struct class c = pages(10, false);
	struct counts n = under(&c, PARAM_TRIM, TRIM_V5_12);

	assert_exact(&n, COUNT_TLBIE, 30);
	c = trims(4);
	n = under(&c, PARAM_TRIM, TRIM_V5_12);
	assert_exact(&n, COUNT_TLBIEL, 512);
	assert_exact(&n, COUNT_IPIS, 4);
}

/* Without trims what was local by them is global: 3.3. */
static void without_trims(void **state)
{
	struct class c = pages(10, true);
	struct counts n;

	c.key.scope[TRIM_NONE] = MACHINE_GLOBAL;
	n = under(&c, PARAM_TRIM, TRIM_NONE);
	assert_exact(&n, COUNT_FLUSHES, 10);
	assert_exact(&n, COUNT_TLBIE, 30);
	assert_exact(&n, COUNT_TLBIEL, 0);
	c = trims(4);
	n = under(&c, PARAM_TRIM, TRIM_NONE);
	assert_exact(&n, COUNT_TLBIEL, 0);
	assert_exact(&n, COUNT_IPIS, 0);
}

/* A machine's own trims come on top of its flushes. */
static void other_trims(void **state)
{
	struct class c = pages(10, true);
	struct counts n;

	c.ipis[TRIM_V5_10] = 3;
	c.trims[TRIM_V5_10] = 3;
	n = under(&c, PARAM_TRIM, TRIM_V5_10);
	assert_exact(&n, COUNT_TLBIEL, 10 + 3 * 128);
	assert_exact(&n, COUNT_IPIS, 3);
}

static void unsure_scopes_widen(void **state)
{
	struct class c = pages(10, true);
	struct counts n;

	c.key.scope[TRIM_NONE] = MACHINE_LOCAL | MACHINE_UNSURE;
	n = under(&c, PARAM_TRIM, TRIM_NONE);
	assert_int_equal(n.lo.n[COUNT_TLBIE], 0);
	assert_int_equal(n.likely.n[COUNT_TLBIE], 0);
	assert_int_equal(n.hi.n[COUNT_TLBIE], 30);
	assert_int_equal(n.lo.n[COUNT_TLBIEL], 0);
	assert_int_equal(n.likely.n[COUNT_TLBIEL], 10);
}

/* 4.4: -(1+e+q) tlbie, +(k+1) SETS tlbiel, +k IPIs for each end with k > 0. */
static void combined_with_the_final_flush(void **state)
{
	struct class c = ends(5);
	struct counts n = under(&c, PARAM_LAZY, LAZY_REFCOUNT);

	assert_exact(&n, COUNT_TLBIE, 15);
	n = under(&c, PARAM_LAZY, LAZY_COMBINED);
	assert_exact(&n, COUNT_TLBIE, 0);
	assert_exact(&n, COUNT_TLBIEL, UINT64_C(5) * 3 * 128);
	assert_exact(&n, COUNT_IPIS, 10);
	c.key.scope[TRIM_V6_6] = MACHINE_NONE; /* ended outside its mask */
	n = under(&c, PARAM_LAZY, LAZY_COMBINED);
	assert_exact(&n, COUNT_TLBIEL, UINT64_C(5) * 2 * 128);
	assert_exact(&n, COUNT_FLUSHES, 5);
	/* what was trimmed before is still trimmed */
	c = trims(4);
	n = under(&c, PARAM_LAZY, LAZY_COMBINED);
	assert_exact(&n, COUNT_TLBIEL, 512);
}

/* The recorded clock had another phase than the machines': what it made local stays so. */
static void the_recorded_clock_stands(void **state)
{
	struct class c = pages(10, true);
	struct counts n;

	memset(c.key.scope, MACHINE_GLOBAL, sizeof(c.key.scope));
	n = under(&c, PARAM_LAZY, LAZY_COMBINED);
	assert_exact(&n, COUNT_TLBIE, 0);
	n = under(&c, PARAM_TRIM, TRIM_NONE);
	assert_exact(&n, COUNT_TLBIE, 30);
}

/* 2.7: W times the local sequence, by the global ceiling; W - 1 IPIs. */
static void tlbie_off(void **state)
{
	struct class c = pages(10, false);
	struct counts n;

	reach(&c, TRIM_V5_12, 30);
	n = under(&c, PARAM_TLBIE, 0);
	assert_exact(&n, COUNT_TLBIE, 0);
	assert_exact(&n, COUNT_TLBIEL, 40);
	assert_exact(&n, COUNT_FLUSHES, 10);
	assert_int_equal(n.lo.n[COUNT_IPIS], 10); /* coalesced */
	assert_int_equal(n.likely.n[COUNT_IPIS], 30);
	/* 34 pages are above the global ceiling */
	c.key.pages = 34;
	n = under(&c, PARAM_TLBIE, 0);
	assert_int_equal(n.likely.n[COUNT_TLBIEL], 40 * 128);
	/* local flushes stay what they are */
	c = pages(10, true);
	n = under(&c, PARAM_TLBIE, 0);
	assert_exact(&n, COUNT_TLBIEL, 10);
	assert_exact(&n, COUNT_IPIS, 0);
}

/* Of masks from before the trace nothing shows the other CPUs: each broadcast likely had one. */
static void tlbie_off_where_masks_are_open(void **state)
{
	struct class c = pages(10, false);
	struct counts n;

	reach(&c, TRIM_V5_12, 3);
	c.reached[TRIM_V5_12] = 1;
	c.targets_most[TRIM_V5_12] = 30;
	n = under(&c, PARAM_TLBIE, 0);
	assert_int_equal(n.lo.n[COUNT_IPIS], 1);
	assert_int_equal(n.likely.n[COUNT_IPIS], 12);
	assert_int_equal(n.hi.n[COUNT_IPIS], 30);
	assert_int_equal(n.lo.n[COUNT_TLBIEL], 13);
	assert_int_equal(n.hi.n[COUNT_TLBIEL], 40);
}

/* A run of 4 PMDs in a call above the ceiling is four requests at least, each with its own IPIs. */
static void tlbie_off_sends_ipis_for_each_request(void **state)
{
	struct class c = pages(1, false);
	struct counts n;

	c.key.pages = 128;
	c.key.may_hide = true;
	c.key.context = CONTEXT_CALL;
	c.key.cause = CAUSE_SHMDT;
	c.key.longest = 128;
	reach(&c, TRIM_V5_12, 3);
	n = under(&c, PARAM_TLBIE, 0);
	assert_exact(&n, COUNT_TLBIEL, UINT64_C(4) * 128);
	assert_int_equal(n.likely.n[COUNT_FLUSHES], 4);
	assert_int_equal(n.likely.n[COUNT_IPIS], 4 * 3);
	assert_int_equal(n.lo.n[COUNT_IPIS], 4);
	assert_int_equal(n.hi.n[COUNT_IPIS], 5 * 3); /* one may have been interrupted */
}

/* A local flush made global asks a ceiling that perhaps no record bounds: by address, or promoted. */
static void the_other_ceiling_may_be_unknown(void **state)
{
	struct model m = recorded_model();
	struct params alt = m.used;
	struct class c = pages(1, true);
	struct counts n;

	c.key.entry = ENTRY_GATHER;
	c.key.told = true;
	c.key.pages = 32;
	c.key.scope[TRIM_NONE] = MACHINE_GLOBAL;
	alt.v[PARAM_TRIM] = TRIM_NONE;
	n = stateful_class(&c, &alt, &m, &no_calls);
	assert_exact(&n, COUNT_TLBIE, 34);
	m.fact[PARAM_CEILING] = (struct param_fact){ .lo = 0, .hi = UINT64_MAX };
	n = stateful_class(&c, &alt, &m, &no_calls);
	assert_int_equal(n.lo.n[COUNT_TLBIE], 3);
	assert_int_equal(n.hi.n[COUNT_TLBIE], 34);
	params_name(&alt, PARAM_CEILING);
	n = stateful_class(&c, &alt, &m, &no_calls);
	assert_exact(&n, COUNT_TLBIE, 34);
}

/* 2.7: a range with a 2 MiB pass takes two rounds of IPIs, each with the page walk cache; promoted it
 * is one. */
static void tlbie_off_takes_two_rounds_for_two_passes(void **state)
{
	struct model m = recorded_model();
	struct params alt = m.used;
	struct class c = pages(1, false);
	struct counts n;

	c.key.entry = ENTRY_RANGE;
	c.key.told = true;
	c.key.pages = 32;
	c.key.pages_2m = 1;
	c.key.pwc = true;
	reach(&c, TRIM_V5_12, 3);
	n = under(&c, PARAM_TLBIE, 0);
	assert_int_equal(n.likely.n[COUNT_IPIS], 6);
	assert_exact(&n, COUNT_TLBIEL, UINT64_C(4) * (32 + 1 + 1 + 1));
	assert_exact(&n, COUNT_PTESYNC, UINT64_C(4) * 4);
	alt.v[PARAM_TLBIE] = 0;
	alt.v[PARAM_CEILING] = 31;
	n = stateful_class(&c, &alt, &m, &no_calls);
	assert_int_equal(n.likely.n[COUNT_IPIS], 3);
	assert_exact(&n, COUNT_TLBIEL, UINT64_C(4) * 128);
}

/* 2.7: kernel addresses are flushed on every CPU, and broadcast besides. */
static void tlbie_off_flushes_kernel_addresses_everywhere(void **state)
{
	struct class c = pages(1, false);
	struct counts n;

	c.key.shape = SHAPE_KERNEL;
	c.key.entry = ENTRY_KERNEL;
	c.key.pages = 0;
	reach(&c, TRIM_V5_12, 3);
	n = under(&c, PARAM_TLBIE, 0);
	assert_exact(&n, COUNT_TLBIEL, UINT64_C(4) * 128);
	assert_exact(&n, COUNT_TLBIE, 3);
	assert_exact(&n, COUNT_FLUSHES, 1);
	assert_int_equal(n.likely.n[COUNT_IPIS], 3);
}

/* A recording with tlbie off: the handlers' shares go, and the task's flush is broadcast. */
static void tlbie_on_again(void **state)
{
	struct model m = recorded_model();
	struct params alt = m.used;
	struct class own = pages(10, true);
	struct class share = pages(30, true);
	struct counts n;

	m.used.v[PARAM_TLBIE] = 0;
	memset(own.key.scope, MACHINE_GLOBAL, sizeof(own.key.scope));
	memset(share.key.scope, MACHINE_UNASKED, sizeof(share.key.scope));
	share.key.irq = true;
	n = stateful_class(&own, &alt, &m, &no_calls);
	assert_exact(&n, COUNT_TLBIE, 30);
	assert_exact(&n, COUNT_TLBIEL, 0);
	n = stateful_class(&share, &alt, &m, &no_calls);
	assert_exact(&n, COUNT_TLBIEL, 0);
	assert_exact(&n, COUNT_FLUSHES, 0);
	assert_exact(&n, COUNT_IPIS, 0);
	/* Of a trace without a broadcast nobody knows the fixups. */
	m.fact[PARAM_FIXUPS] = (struct param_fact){ .lo = FIXUPS_ERAT, .hi = FIXUPS_ERAT_STQ };
	n = stateful_class(&own, &alt, &m, &no_calls);
	assert_int_equal(n.lo.n[COUNT_TLBIE], 20);
	assert_int_equal(n.hi.n[COUNT_TLBIE], 30);
}

/* Classes that nobody observed keep their scope. */
static void not_observed(void **state)
{
	struct class c = pages(10, false);
	struct counts n;

	memset(c.key.scope, MACHINE_UNASKED, sizeof(c.key.scope));
	n = under(&c, PARAM_TRIM, TRIM_NONE);
	assert_exact(&n, COUNT_TLBIE, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(as_recorded),
		cmocka_unit_test(without_trims),
		cmocka_unit_test(other_trims),
		cmocka_unit_test(unsure_scopes_widen),
		cmocka_unit_test(combined_with_the_final_flush),
		cmocka_unit_test(the_recorded_clock_stands),
		cmocka_unit_test(tlbie_off),
		cmocka_unit_test(tlbie_off_where_masks_are_open),
		cmocka_unit_test(tlbie_off_sends_ipis_for_each_request),
		cmocka_unit_test(the_other_ceiling_may_be_unknown),
		cmocka_unit_test(tlbie_off_takes_two_rounds_for_two_passes),
		cmocka_unit_test(tlbie_off_flushes_kernel_addresses_everywhere),
		cmocka_unit_test(tlbie_on_again),
		cmocka_unit_test(not_observed),
	};

	return cmocka_run_group_tests_name("stateful", tests, NULL, NULL);
}
