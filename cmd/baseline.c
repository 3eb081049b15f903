/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline.c - comparing with an earlier answer. */
#include "cmd/baseline.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/whatif.h"

#define SCHEMA "tlbtrace-whatif/1"
#define DEFAULT_REGRESS 2000 /* 2 % */

/* More of it is worse; how much is promoted, and into what tlbie divides, is no regression by itself. */
static bool is_cost(enum counter counter)
{
	switch (counter) {
	case COUNT_FLUSHES:
	case COUNT_PROMOTED:
	case COUNT_LAZY_ATOMICS: /* as many as there are switches */
	case COUNT_SHOOT_IPIS_USEFUL:
	case COUNT_VCPU_LOADS:
		return false;
	default:
		return counter < COUNT_TLBIE_VA || counter > COUNT_TLBIE_HASH;
	}
}

struct comparison {
	struct checks *out;
	const struct demands *d;
	const struct policy *policy; /* NULL: the recorded one */
	const json_t *before;	     /* its counters in the baseline; NULL: it has none */
	const char *missing;	     /* why what is counted is not all that happened; NULL: it is */
	uint64_t regress;
};

/* A count, or false where the value is none. */
static bool take_u64(const json_t *value, uint64_t *out)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*out = (uint64_t)json_integer_value(value);
	return true;
}

/* A plain number, or { "lo", "hi" }. */
static bool take_range(const json_t *value, uint64_t *lo, uint64_t *hi)
{
	if (json_is_object(value))
		return take_u64(json_object_get(value, "lo"), lo) &&
		       take_u64(json_object_get(value, "hi"), hi);
	*hi = 0;
	return take_u64(value, lo) && take_u64(value, hi);
}

static void explain(struct check *check, uint64_t lo, uint64_t hi, const struct counts *now,
		    enum counter counter)
{
	uint64_t now_lo = now->lo.n[counter];
	uint64_t now_hi = now->hi.n[counter];

	if (lo == hi && now_lo == now_hi)
		(void)snprintf(check->why, sizeof(check->why), "%s was %" PRIu64 ", is %" PRIu64,
			       counter_keys[counter], lo, now_lo);
	else
		(void)snprintf(
			check->why, sizeof(check->why),
			"%s was %" PRIu64 " to %" PRIu64 ", is %" PRIu64 " to %" PRIu64 "%s",
			counter_keys[counter], lo, hi, now_lo, now_hi,
			check->verdict == VERDICT_UNDECIDED
				? ". To decide it, record probes on the kernel's flush functions"
				: "");
}

/* What is not there cannot have become more. */
static void doubt_missing(struct check *check, const char *missing)
{
	size_t len = strlen(check->why);

	if (check->verdict != VERDICT_HOLDS || !missing)
		return;
	check->verdict = VERDICT_UNDECIDED;
	(void)snprintf(check->why + len, sizeof(check->why) - len, ", but %s", missing);
}

static int compare_counter(const struct comparison *c, const struct counts *now,
			   enum counter counter, struct error *err)
{
	const json_t *before = json_object_get(c->before, counter_keys[counter]);
	struct check *check = checks_add(c->out, err);
	uint64_t lo;
	uint64_t hi;

	if (!check)
		return -1;
	(void)snprintf(check->check, sizeof(check->check), "baseline %s +%g%%",
		       counter_keys[counter], (double)c->regress / 1000);
	check->policy = c->policy ? c->policy->text : NULL;
	if (!take_range(before, &lo, &hi)) {
		check->verdict = VERDICT_UNDECIDED;
		(void)snprintf(check->why, sizeof(check->why),
			       "the baseline has no such counter of this policy: --update-baseline "
			       "writes it");
		return 0;
	}
	check->verdict = regress_decide(lo, hi, now->lo.n[counter], now->hi.n[counter], c->regress);
	explain(check, lo, hi, now, counter);
	doubt_missing(check, c->missing);
	return 0;
}

/* All that the policy costs; of counters that stayed 0 only the first is named. */
static int compare_policy(const struct comparison *c, const struct counts *now,
			  const enum counter *counters, struct error *err)
{
	bool first = true;

	for (; *counters != COUNTERS; counters++) {
		const json_t *before = json_object_get(c->before, counter_keys[*counters]);
		uint64_t lo;
		uint64_t hi;

		if (!is_cost(*counters) ||
		    (!first && take_range(before, &lo, &hi) && !hi && !now->hi.n[*counters]))
			continue;
		first = false;
		if (compare_counter(c, now, *counters, err))
			return -1;
	}
	return 0;
}

static const json_t *find_policy(const json_t *total, const char *text)
{
	const json_t *list = json_object_get(total, "policies");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *policy = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(policy, "policy"));

		if (name && strcmp(name, text) == 0)
			return json_object_get(policy, "counters");
	}
	return NULL;
}

/* What the trace holds, and what else the recorded policy costs. */
static int compare_recorded(struct comparison *c, const json_t *total, const struct whatif *w,
			    struct error *err)
{
	struct counts now = counts_exact(&w->recorded);
	bool x86 = whatif_is_x86(w);

	c->before = json_object_get(total, "recorded");
	if (!whatif_is_computed(w) && compare_policy(c, &now, whatif_recorded_counters(x86), err))
		return -1;
	c->before = json_object_get(total, "derived");
	if (!c->before && !whatif_is_computed(w))
		return 0; /* written before there was any */
	return compare_policy(c, &w->derived,
			      whatif_is_computed(w) ? policy_kind_of_machine(x86)->counters
						    : whatif_derived_counters(x86),
			      err);
}

static int compare_all(struct comparison *c, const json_t *total, const struct whatif *w,
		       struct error *err)
{
	if (w->n_policies == 0)
		return compare_recorded(c, total, w, err);
	for (size_t i = 0; i < w->n_policies; i++) {
		c->policy = &w->policies[i];
		c->before = find_policy(total, w->policies[i].text);
		if (compare_policy(c, &w->totals[i], w->policies[i].kind->counters, err))
			return -1;
	}
	return 0;
}

static json_t *load(const char *path, struct error *err)
{
	json_error_t what;
	json_t *root = json_load_file(path, 0, &what);
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (!root) {
		if (what.line < 0)
			(void)error_set(err, ERROR_INPUT, "--baseline: %s", what.text);
		else
			(void)error_set(err, ERROR_INPUT, "%s: line %d: %s", path, what.line,
					what.text);
		return NULL;
	}
	if (schema && strcmp(schema, SCHEMA) == 0)
		return root;
	(void)error_set(err, ERROR_INPUT, "%s: is no baseline: its schema is not " SCHEMA, path);
	json_decref(root);
	return NULL;
}

int baseline_check(struct checks *out, const struct demands *d, const struct whatif *w,
		   const char *missing, struct error *err)
{
	struct comparison c = {
		.out = out,
		.d = d,
		.missing = missing,
		.regress = d->has_regress ? d->regress : DEFAULT_REGRESS,
	};
	json_t *root = load(d->baseline, err);
	int status;

	if (!root)
		return -1;
	status = compare_all(&c, json_object_get(root, "total"), w, err);
	json_decref(root);
	return status;
}

int baseline_write(const struct demands *d, const struct whatif *w, struct error *err)
{
	struct sink_options opt = { .path = d->baseline };
	struct sink sink;

	if (sink_open(&sink, &opt, err))
		return -1;
	whatif_json(&sink, w);
	return sink_close(&sink, err);
}
