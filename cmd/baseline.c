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

/* Counters of which more is worse; how they divide into kinds of instruction is no regression. */
static const enum counter power_costs[] = { COUNT_TLBIE, COUNT_TLBIEL, COUNT_PTESYNC, COUNT_TLBSYNC,
					    COUNTERS };
static const enum counter x86_costs[] = { COUNT_INVLPG, COUNT_CR3_WRITES, COUNT_IPIS, COUNTERS };

struct comparison {
	struct checks *out;
	const struct demands *d;
	const struct policy *policy; /* NULL: the recorded one */
	const json_t *before;	     /* its counters in the baseline; NULL: it has none */
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
	return 0;
}

static int compare_policy(const struct comparison *c, const struct counts *now,
			  const enum counter *costs, struct error *err)
{
	for (; *costs != COUNTERS; costs++)
		if (compare_counter(c, now, *costs, err))
			return -1;
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

/* The recorded policy's counters that a trace holds: the first two costs. */
static int compare_recorded(struct comparison *c, const json_t *total, const struct whatif *w,
			    struct error *err)
{
	struct counts now = counts_exact(&w->recorded);
	struct whatif_pair pair = whatif_pair(whatif_is_x86(w));

	c->before = json_object_get(total, "recorded");
	return compare_counter(c, &now, pair.one, err) || compare_counter(c, &now, pair.other, err)
		       ? -1
		       : 0;
}

static int compare_all(struct comparison *c, const json_t *total, const struct whatif *w,
		       struct error *err)
{
	const enum counter *costs = whatif_is_x86(w) ? x86_costs : power_costs;

	if (w->n_policies == 0)
		return compare_recorded(c, total, w, err);
	for (size_t i = 0; i < w->n_policies; i++) {
		c->policy = &w->policies[i];
		c->before = find_policy(total, w->policies[i].text);
		if (compare_policy(c, &w->totals[i], costs, err))
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
		   struct error *err)
{
	struct comparison c = {
		.out = out,
		.d = d,
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
