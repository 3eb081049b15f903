/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_policy.c - alternatives: what parses, what they change, and what is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/observer.h"
#include "replay/policy.h"

/* A recorded kernel whose values are none of the defaults. */
static struct params recorded(void)
{
	struct params p = params_of_era(ERA_V5_14);

	p.v[PARAM_CEILING] = 34;
	p.v[PARAM_LOCAL_CEILING] = 77;
	p.v[PARAM_FIXUPS] = FIXUPS_ERAT_STQ;
	p.v[PARAM_SETS] = 1;
	return p;
}

static struct params resolved(const char *spec)
{
	struct params base = recorded();
	struct params out;
	struct policy p;
	struct error err = { .text = "" };

	assert_int_equal(policy_parse(&p, spec, &err), 0);
	assert_string_equal(p.text, spec);
	assert_int_equal(policy_resolve(&p, &base, &out, &err), 0);
	return out;
}

static void radix_alone_is_the_recorded_policy(void **state)
{
	struct params base = recorded();
	struct params out = resolved("radix");

	assert_memory_equal(&out, &base, sizeof(out));
}

static void a_key_changes_one(void **state)
{
	struct params expected = recorded();
	struct params out = resolved("radix,ceiling=31");

	expected.v[PARAM_CEILING] = 31;
	assert_memory_equal(out.v, expected.v, sizeof(out.v));
	out = resolved("radix,ceiling=32,compare=ge,local-ceiling=1K");
	expected.v[PARAM_CEILING] = 32;
	expected.v[PARAM_COMPARE] = COMPARE_GE;
	expected.v[PARAM_LOCAL_CEILING] = 1024;
	assert_memory_equal(out.v, expected.v, sizeof(out.v));
}

/* An era is a preset, so what stands behind it wins over it, and what stands before does not. */
static void changes_apply_in_their_order(void **state)
{
	struct params out = resolved("radix,era=v4.15,ceiling=50");

	assert_int_equal(out.v[PARAM_CEILING], 50);
	assert_int_equal(out.v[PARAM_PWC], 0);
	assert_int_equal(out.v[PARAM_SETS], 1);
	assert_int_equal(out.v[PARAM_TRIM], TRIM_NONE);
	assert_int_equal(out.v[PARAM_LAZY], LAZY_REFCOUNT);
	out = resolved("radix,ceiling=50,era=v4.15");
	assert_int_equal(out.v[PARAM_CEILING], 33);
}

static uint64_t sets_under(const struct params *recorded, const char *spec)
{
	struct policy policy;
	struct params out;
	struct error err;

	assert_int_equal(policy_parse(&policy, spec, &err), 0);
	assert_int_equal(policy_resolve(&policy, recorded, &out, &err), 0);
	return out.v[PARAM_SETS];
}

/* POWER10 flushes all sets by one tlbiel from v5.11 on; POWER9, which has fixups, has 128 always. */
static void eras_know_the_sets_of_power10(void **state)
{
	struct params p = params_of_era(ERA_V6_3);

	assert_int_equal(sets_under(&p, "radix,era=v5.9"), 128);
	p.v[PARAM_FIXUPS] = FIXUPS_NONE;
	p.v[PARAM_SETS] = 1;
	assert_int_equal(sets_under(&p, "radix,era=v5.9"), 128);
	assert_int_equal(sets_under(&p, "radix,era=v5.9,sets=1"), 1);
	assert_int_equal(sets_under(&p, "radix,era=v5.12"), 1);
	assert_int_equal(sets_under(&p, "radix,pwc=off"), 1);
	p.v[PARAM_ERA] = ERA_V5_9;
	p.v[PARAM_SETS] = 128;
	assert_int_equal(sets_under(&p, "radix,era=v5.14"), 1);
	/* Before v5.9 there was no POWER10: a POWER9 whose kernel works around nothing. */
	p.v[PARAM_ERA] = ERA_V4_15;
	assert_int_equal(sets_under(&p, "radix,era=v5.14"), 128);
}

/* Parsing must fail, as a usage error with this in its text. */
static void refuses(const char *spec, const char *part)
{
	struct policy p;
	struct error err = { .text = "" };

	assert_int_equal(policy_parse(&p, spec, &err), -1);
	assert_int_equal(err.class, ERROR_USAGE);
	if (!strstr(err.text, part))
		fail_msg("'%s' is not in: %s", part, err.text);
}

static void bad_specs_name_what_is_valid(void **state)
{
	refuses("radx,ceiling=31",
		"unknown policy 'radx': did you mean 'radix'? It must be one of radix");
	refuses("", "unknown policy ''");
	refuses("ceiling=31", "unknown policy 'ceiling=31'");
	refuses("radix,ceilng=31", "did you mean 'ceiling'? It must be one of era, ceiling");
	refuses("arm64,trimm=none", "unknown key 'trimm': must be one of ceiling, pti");
	refuses("arm64,pti=no-invpcid", "policy 'arm64' has off|on");
	refuses("radix,lazy=combine", "did you mean 'combined'?");
	refuses("radix,ceiling", "'ceiling': must be key=value");
	refuses("radix,", "must be key=value");
	refuses("radix,ceiling=", "not a number");
	refuses("radix,ceiling=-1", "not a number");
	refuses("radix,ceiling=31x", "not a number");
	refuses("radix,compare=lt", "gt|ge");
	refuses("radix,pti=on", "key 'pti' does not apply to policy 'radix'");
	refuses("radix,ceiling=31,ceiling=32", "'ceiling' is given twice");
}

static void a_long_spec_is_refused(void **state)
{
	char spec[1024] = "radix,ceiling=";

	memset(spec + strlen(spec), '1', sizeof(spec) - strlen(spec) - 1);
	spec[sizeof(spec) - 1] = '\0';
	refuses(spec, "too long");
}

/* Classes do not tell what another page size would be: no number is better. */
static void what_cannot_be_predicted_is_refused(void **state)
{
	static const char *const specs[] = { "radix,page-size=4K", "radix,era=v4.15,page-size=4K" };
	struct params base = recorded();

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct policy p;
		struct params out;
		struct error err = { .text = "" };

		assert_int_equal(policy_parse(&p, specs[i], &err), 0);
		assert_int_equal(policy_resolve(&p, &base, &out, &err), -1);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_non_null(strstr(err.text, specs[i]));
	}
}

static void what_was_recorded_may_be_said_again(void **state)
{
	struct params base = recorded();
	struct params out = resolved("radix,page-size=64K,tlbie=on");

	assert_memory_equal(out.v, base.v, sizeof(out.v));
	assert_int_equal(base.named, 0);
	assert_true(params_is_named(&out, PARAM_TLBIE));
	assert_false(params_is_named(&out, PARAM_CEILING));
}

/* A counter that the replay does not compute would be a 0 that looks like an answer. */
static void the_catalogue_names_its_counters(void **state)
{
	static const enum counter computed[] = {
		COUNT_FLUSHES,	    COUNT_PROMOTED,	COUNT_TLBIE,
		COUNT_TLBIE_VA,	    COUNT_TLBIE_PID,	COUNT_TLBIE_PWC,
		COUNT_TLBIE_FIXUP,  COUNT_TLBIE_KERNEL, COUNT_TLBIE_LPID,
		COUNT_TLBIE_HASH,   COUNT_TLBIEL,	COUNT_IPIS,
		COUNT_LAZY_ATOMICS, COUNT_SHOOT_IPIS,	COUNT_SHOOT_IPIS_USEFUL,
		COUNT_PTESYNC,	    COUNT_TLBSYNC,	COUNT_HCALLS,
		COUNTERS,
	};

	assert_string_equal(policy_kinds[0].name, "radix");
	assert_memory_equal(policy_kinds[0].counters, computed, sizeof(computed));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(radix_alone_is_the_recorded_policy),
		cmocka_unit_test(a_key_changes_one),
		cmocka_unit_test(changes_apply_in_their_order),
		cmocka_unit_test(eras_know_the_sets_of_power10),
		cmocka_unit_test(bad_specs_name_what_is_valid),
		cmocka_unit_test(a_long_spec_is_refused),
		cmocka_unit_test(what_cannot_be_predicted_is_refused),
		cmocka_unit_test(what_was_recorded_may_be_said_again),
		cmocka_unit_test(the_catalogue_names_its_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
