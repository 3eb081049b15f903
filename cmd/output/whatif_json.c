/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_json.c - the answer as JSON, schema tlbtrace-whatif/1: keys only grow. */
#include "cmd/output/blocks.h"
#include "cmd/whatif.h"

static void write_mm(struct json_writer *j, const struct whatif_mm *mm, const enum counter *which)
{
	jw_object(j);
	if (mm->folded) {
		jw_key_string(j, "name", "other");
		jw_key_u64(j, "mms", mm->folded);
	} else {
		block_text(j, "name", mm->name);
		if (mm->ended)
			jw_key_u64(j, "mms", mm->ended);
	}
	if (mm->tgid >= 0)
		jw_key_u64(j, "tgid", (uint64_t)mm->tgid);
	jw_key(j, "counters");
	block_counts(j, &mm->counts, which);
	jw_object_end(j);
}

static void write_target(struct json_writer *j, const struct ipi_target *t)
{
	jw_key_u64(j, "trims", t->trims);
	jw_key_u64(j, "flushes", t->flushes);
	jw_key_u64(j, "shoots", t->shoots);
}

/* CPUs that get none are left out. */
static void write_targets(struct json_writer *j, const struct whatif_targets *t, uint32_t cpus,
			  bool isolated)
{
	if (!t->cpus)
		return;
	jw_key(j, "ipis_to");
	jw_array(j);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		const struct ipi_target *to = &t->cpus[cpu];

		if (to->trims + to->flushes + to->shoots == 0)
			continue;
		jw_object_inline(j);
		jw_key_u64(j, "cpu", cpu);
		write_target(j, to);
		jw_object_end(j);
	}
	jw_array_end(j);
	if (!isolated)
		return;
	jw_key(j, "isolated");
	jw_object_inline(j);
	write_target(j, &t->isolated);
	jw_object_end(j);
}

static void write_loads(struct json_writer *j, const char *key, uint32_t number,
			const struct e500mc_counts *c, size_t variant)
{
	jw_object_inline(j);
	jw_key_u64(j, key, number);
	jw_key_u64(j, "loads", c->loads);
	jw_key_u64(j, "migration", c->migration);
	jw_key_u64(j, "pollution", c->pollution);
	jw_key_u64(j, "invalidations", c->invalidations[variant]);
	jw_key_u64(j, "missed", c->missed[variant]);
	jw_object_end(j);
}

static void write_vcpus(struct json_writer *j, const struct e500mc *e, uint32_t cpus, size_t variant)
{
	const struct e500mc_vm *vm = NULL;

	jw_key(j, "vms");
	jw_array(j);
	while ((vm = e500mc_next_vm(e, vm)))
		write_loads(j, "tgid", vm->vm, &vm->counts, variant);
	jw_array_end(j);
	jw_key(j, "cpus");
	jw_array(j);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		if (e500mc_of_cpu(e, cpu)->loads)
			write_loads(j, "cpu", cpu, e500mc_of_cpu(e, cpu), variant);
	jw_array_end(j);
}

#define LAZY_ROWS 100 /* names with the most atomics */

static void write_lazy(struct json_writer *j, const struct whatif_result *r)
{
	const struct follower *f = watch_follower(r->watch);
	const struct lazy_row *rows;
	size_t n;

	if (!f)
		return;
	rows = follower_sums(f)->rows;
	n = follower_sums(f)->n_rows;
	jw_key(j, "lazy");
	jw_array(j);
	for (size_t i = 0; i < n && i < LAZY_ROWS; i++) {
		jw_object_inline(j);
		block_text(j, "name", rows[i].name);
		jw_key_u64(j, "mms", rows[i].mms);
		jw_key_u64(j, "atomics", rows[i].atomics);
		jw_key_u64(j, "cpus", rows[i].cpus);
		jw_key_u64(j, "peak", rows[i].peak);
		jw_key_u64(j, "ends", rows[i].deaths);
		jw_object_end(j);
	}
	jw_array_end(j);
}

static void write_time(struct json_writer *j, const struct cost *cost, const struct counts *c)
{
	if (!cost->given)
		return;
	jw_key(j, "cost_ns");
	jw_object_inline(j);
	jw_key_u64(j, "lo", cost_of(cost, &c->lo));
	if (!c->open)
		jw_key_u64(j, "likely", cost_of(cost, &c->likely));
	jw_key_u64(j, "hi", cost_of(cost, &c->hi));
	jw_object_end(j);
}

/* What the estimate rests on, and the recorded policy's. */
static void write_cost(struct json_writer *j, const struct whatif *w, const struct whatif_result *r)
{
	struct counts was;

	if (!w->cost.given)
		return;
	was = whatif_recorded_counts(r);
	jw_key(j, "cost");
	jw_object(j);
	jw_key_string(j, "source", w->cost.seed ? "seed 000" : "option");
	jw_key(j, "ps");
	jw_object(j);
	for (size_t i = 0; i < COUNTERS; i++)
		if (w->cost.ps[i])
			jw_key_u64(j, counter_keys[i], w->cost.ps[i]);
	jw_object_end(j);
	write_time(j, &w->cost, &was);
	jw_object_end(j);
}

static void write_answer(struct json_writer *j, const struct whatif *w,
			 const struct whatif_result *r, const struct whatif_answer *a)
{
	jw_object(j);
	jw_key_string(j, "policy", a->policy->text);
	jw_key(j, "counters");
	block_counts(j, &a->total, a->policy->kind->counters);
	jw_key(j, "mms");
	jw_array(j);
	for (size_t i = 0; i < a->n_mms; i++)
		write_mm(j, &a->mms[i], a->policy->kind->counters);
	jw_array_end(j);
	write_time(j, &w->cost, &a->total);
	if (a->policy->kind->target != TARGET_RECORDED)
		jw_key_string(j, "rules_of", "another architecture");
	write_targets(j, &a->ipis, r->trace.info->cpus, w->isolated.by_cpu);
	if (policy_is_of_vcpus(a->policy->kind))
		write_vcpus(j, watch_vcpus(r->watch), r->trace.info->cpus,
			    a->params.v[PARAM_VARIANT]);
	jw_object_end(j);
}

static void write_best(struct json_writer *j, const struct sweep *s, enum counter counter)
{
	size_t first;
	size_t last;

	sweep_best(s, counter, &first, &last);
	jw_key(j, counter_keys[counter]);
	jw_object_inline(j);
	jw_key_u64(j, "from", sweep_value(s, first));
	jw_key_u64(j, "to", sweep_value(s, last));
	jw_object_end(j);
}

static void write_knees(struct json_writer *j, const struct sweep *s, enum counter counter)
{
	size_t rows[WHATIF_KNEES];
	size_t n = sweep_knees(s, counter, rows, WHATIF_KNEES);

	jw_key(j, counter_keys[counter]);
	jw_array(j);
	for (size_t i = 0; i < n; i++)
		jw_u64(j, sweep_value(s, rows[i]));
	jw_array_end(j);
}

static void write_row(struct json_writer *j, const struct whatif *w, const struct whatif_result *r,
		      size_t row)
{
	struct counts counts = sweep_row(&r->sweep, row);
	char policy[320];

	whatif_row_policy(w, r, row, policy, sizeof(policy));
	jw_object(j);
	jw_key_string(j, "policy", policy);
	jw_key_u64(j, "value", sweep_value(&r->sweep, row));
	jw_key(j, "counters");
	block_counts(j, &counts, policy_kind_of_machine(r->x86)->counters);
	jw_object_end(j);
}

static void write_sweep(struct json_writer *j, const struct whatif *w, const struct whatif_result *r)
{
	const enum counter *counters = whatif_swept_counters(r->x86);

	jw_object(j);
	jw_key_string(j, "key", param_keys[r->sweep.range.which]);
	jw_key(j, "best");
	jw_object(j);
	for (const enum counter *c = counters; *c != COUNTERS; c++)
		write_best(j, &r->sweep, *c);
	jw_object_end(j);
	jw_key(j, "knees");
	jw_object(j);
	for (const enum counter *c = counters; *c != COUNTERS; c++)
		write_knees(j, &r->sweep, *c);
	jw_object_end(j);
	jw_key(j, "rows");
	jw_array(j);
	for (size_t row = 0; row < r->sweep.n_rows; row++)
		write_row(j, w, r, row);
	jw_array_end(j);
	jw_object_end(j);
}

static void write_result(struct json_writer *j, const struct whatif *w,
			 const struct whatif_result *r)
{
	jw_object(j);
	jw_key(j, "input");
	block_input(j, r);
	jw_key(j, "model");
	block_model(j, &r->model, r->x86);
	block_base(j, r);
	jw_key(j, "boundaries");
	block_boundaries(j, r);
	block_scope(j, r);
	write_cost(j, w, r);
	jw_key(j, "policies");
	jw_array(j);
	for (size_t i = 0; i < w->n_policies; i++)
		write_answer(j, w, r, &r->answers[i]);
	jw_array_end(j);
	jw_key(j, "quality");
	block_quality(j, w, r);
	write_lazy(j, r);
	if (r->sweep.n_rows) {
		jw_key(j, "sweep");
		write_sweep(j, w, r);
	}
	jw_object_end(j);
}

static void write_total(struct json_writer *j, const struct whatif *w)
{
	bool x86 = whatif_is_x86(w);
	bool computed = whatif_is_computed(w);

	jw_object(j);
	if (!computed) {
		jw_key(j, "recorded");
		block_tally(j, &w->recorded, whatif_recorded_counters(x86));
	}
	jw_key(j, "derived");
	block_counts(j, &w->derived,
		     computed ? policy_kind_of_machine(x86)->counters
			      : whatif_derived_counters(x86));
	jw_key(j, "policies");
	jw_array(j);
	for (size_t i = 0; i < w->n_policies; i++) {
		jw_object(j);
		jw_key_string(j, "policy", w->policies[i].text);
		jw_key(j, "counters");
		block_counts(j, &w->totals[i], w->policies[i].kind->counters);
		jw_object_end(j);
	}
	jw_array_end(j);
	jw_object_end(j);
}

static void write_check(struct json_writer *j, const struct check *check)
{
	jw_object(j);
	jw_key_string(j, "check", check->check);
	jw_key_bool(j, "ok", check->verdict == VERDICT_HOLDS);
	jw_key_string(j, "why", check->why);
	jw_key_string(j, "verdict", verdict_names[check->verdict]);
	block_text(j, "input", check->input);
	block_text(j, "policy", check->policy);
	jw_object_end(j);
}

void whatif_json(struct sink *s, const struct whatif *w)
{
	struct json_writer j;

	jw_begin(&j, s->f);
	jw_object(&j);
	jw_key_string(&j, "schema", "tlbtrace-whatif/1");
	jw_key(&j, "results");
	jw_array(&j);
	for (size_t i = 0; i < w->n_results; i++)
		write_result(&j, w, &w->results[i]);
	jw_array_end(&j);
	jw_key(&j, "total");
	write_total(&j, w);
	if (w->checks.n) {
		jw_key(&j, "checks");
		jw_array(&j);
		for (size_t i = 0; i < w->checks.n; i++)
			write_check(&j, &w->checks.list[i]);
		jw_array_end(&j);
	}
	jw_object_end(&j);
	jw_end(&j);
}
