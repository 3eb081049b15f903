/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_answer.c - from one input and the alternatives to the answer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/x86_infer.h"
#include "cmd/input.h"
#include "cmd/whatif.h"

#define MMS_SHOWN 100 /* address spaces listed one by one; the others are summed */

static const enum counter power_recorded[] = {
	COUNT_TLBIE,	    COUNT_TLBIE_VA,   COUNT_TLBIE_PID,	COUNT_TLBIE_PWC, COUNT_TLBIE_FIXUP,
	COUNT_TLBIE_KERNEL, COUNT_TLBIE_LPID, COUNT_TLBIE_HASH, COUNT_TLBIEL,	 COUNTERS,
};
static const enum counter power_derived[] = {
	COUNT_FLUSHES,	    COUNT_PROMOTED,   COUNT_IPIS,
	COUNT_LAZY_ATOMICS, COUNT_SHOOT_IPIS, COUNT_SHOOT_IPIS_USEFUL,
	COUNT_PTESYNC,	    COUNT_TLBSYNC,    COUNT_HCALLS,
	COUNTERS,
};
static const enum counter x86_recorded_counters[] = { COUNT_INVLPG, COUNT_CR3_WRITES, COUNTERS };
/* IPIs are exact where their own events were recorded. */
static const enum counter x86_derived_counters[] = { COUNT_FLUSHES, COUNT_PROMOTED, COUNT_IPIS,
						     COUNTERS };

const enum counter *whatif_recorded_counters(bool x86)
{
	return x86 ? x86_recorded_counters : power_recorded;
}

const enum counter *whatif_derived_counters(bool x86)
{
	return x86 ? x86_derived_counters : power_derived;
}

struct counts whatif_recorded_counts(const struct whatif_result *r)
{
	struct counts c = r->derived;

	if (r->trace.asked)
		return c;
	for (const enum counter *id = whatif_recorded_counters(r->x86); *id != COUNTERS; id++)
		c.lo.n[*id] = c.likely.n[*id] = c.hi.n[*id] = r->recorded.n[*id];
	return c;
}

const enum counter *whatif_swept_counters(bool x86)
{
	static const enum counter power[] = { COUNT_TLBIE, COUNT_TLBIEL, COUNT_PROMOTED, COUNTERS };
	static const enum counter other[] = { COUNT_INVLPG, COUNT_CR3_WRITES, COUNT_PROMOTED,
					      COUNTERS };

	return x86 ? other : power;
}

struct whatif_pair whatif_pair(bool x86)
{
	if (x86)
		return (struct whatif_pair){ COUNT_INVLPG, COUNT_CR3_WRITES };
	return (struct whatif_pair){ COUNT_TLBIE, COUNT_TLBIEL };
}

static int out_of_memory(const char *path, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
}

static bool has_event(const struct source_info *info, const char *name)
{
	for (size_t i = 0; i < info->n_counts; i++)
		if (strcmp(info->counts[i].name, name) == 0)
			return info->counts[i].enabled || info->counts[i].count;
	return false;
}

/* Some questions are answered by switches alone. */
static bool needs_flushes(const struct whatif *w)
{
	bool needs = w->n_policies == 0 || w->sweep.step;

	for (size_t i = 0; i < w->n_policies; i++)
		needs |= policy_needs_flushes(&w->policies[i]);
	return needs;
}

bool whatif_has_flushes(const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;

	if (r->trace.asked)
		return r->trace.requests > 0;
	return has_event(info, "powerpc:tlbie") || has_event(info, "tlb:tlb_flush");
}

/* The event may have been enabled and never have fired: then all counts are 0, which is a result. */
static int check_event(const struct whatif_result *r, const struct whatif *w, struct error *err)
{
	const struct source_info *info = r->trace.info;

	if (whatif_has_flushes(r))
		return 0;
	if (!needs_flushes(w) && r->trace.switches)
		return 0;
	if (!needs_flushes(w))
		return error_set(err, ERROR_INPUT,
				 "%s: sched:sched_switch was not recorded; it is, with: trace-cmd "
				 "record -e sched:sched_switch",
				 info->path);
	if (strncmp(info->arch, "x86", 3) == 0)
		return error_set(err, ERROR_INPUT,
				 "%s: tlb:tlb_flush was not recorded; it is, with: trace-cmd record "
				 "-e tlb:tlb_flush",
				 info->path);
	return error_set(err, ERROR_INPUT,
			 "%s: powerpc:tlbie was not recorded; it is, with: trace-cmd record -e "
			 "powerpc:tlbie",
			 info->path);
}

static bool is_hash(const struct class_key *k)
{
	return k->shape == SHAPE_FOREIGN &&
	       (k->foreign == TLBIE_HASH || k->foreign == TLBIE_HASH_PARTITION);
}

static const char *find_mmu(const struct class_table *classes)
{
	const struct class *c = class_next(classes, NULL);

	if (!c)
		return NULL;
	for (; c; c = class_next(classes, c))
		if (!is_hash(&c->key))
			return "radix";
	return "hash";
}

bool whatif_is_computed(const struct whatif *w)
{
	return w->n_results && w->results[0].trace.asked;
}

const char *whatif_recorded_head(const struct whatif *w)
{
	return whatif_is_computed(w) ? "computed" : "recorded";
}

/* Nor have what was recorded and what is computed from requests. */
static int check_computed(const struct whatif_result *r, const struct whatif *w, struct error *err)
{
	if (w->n_results == 0 || whatif_is_computed(w) == r->trace.asked)
		return 0;
	return error_set(err, ERROR_USAGE,
			 "%s has only requests and %s has instructions: ask about them one by one",
			 r->trace.asked ? r->path : w->results[0].path,
			 r->trace.asked ? w->results[0].path : r->path);
}

/* Counts of different machines have no sum. */
static int check_machine(const struct whatif_result *r, const struct whatif *w, struct error *err)
{
	if (w->n_results == 0 || whatif_is_x86(w) == r->x86)
		return 0;
	return error_set(
		err, ERROR_USAGE, "%s is of an x86 and %s is not: ask about them one by one",
		r->x86 ? r->path : w->results[0].path, r->x86 ? w->results[0].path : r->path);
}

/* A machine has either pair of counters. */
static uint64_t instructions(const struct counts *c)
{
	return c->likely.n[COUNT_TLBIE] + c->likely.n[COUNT_TLBIEL] + c->likely.n[COUNT_INVLPG] +
	       c->likely.n[COUNT_CR3_WRITES];
}

/* An address space while it is sorted; counts are the prediction's. */
struct mm_ref {
	const char *name;
	struct counts *counts;
	uint64_t ended;
	uint64_t size; /* instructions */
	int32_t tgid;
};

static int by_name(const void *a, const void *b)
{
	const struct mm_ref *x = a;
	const struct mm_ref *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = (x->ended > 0) - (y->ended > 0);
	return order ? order : (x->tgid > y->tgid) - (x->tgid < y->tgid);
}

static int by_size(const void *a, const void *b)
{
	const struct mm_ref *x = a;
	const struct mm_ref *y = b;

	return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : by_name(a, b);
}

/* The address spaces that flush; returns how many. */
static size_t find_mms(struct mm_ref *refs, const struct trace *t, const struct prediction *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_mms; i++) {
		const struct mm *mm = mm_by_index(trace_mms(t), (uint32_t)i);

		if (p->by_mm[i].hi.n[COUNT_FLUSHES] == 0)
			continue;
		refs[n++] = (struct mm_ref){
			.name = mm ? mm->name : "",
			.tgid = mm ? mm->tgid : -1,
			.ended = mm ? mm->members : 0,
			.counts = &p->by_mm[i],
		};
	}
	return n;
}

/* Adds up neighbours of the same name and thread group; returns how many are left. */
static size_t fold_same(struct mm_ref *refs, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && by_name(&refs[kept - 1], &refs[i]) == 0) {
			counts_add(refs[kept - 1].counts, refs[i].counts, 1);
			refs[kept - 1].ended += refs[i].ended;
		} else {
			refs[kept++] = refs[i];
		}
	}
	for (size_t i = 0; i < kept; i++)
		refs[i].size = instructions(refs[i].counts);
	return kept;
}

/* The first MMS_SHOWN one by one, the others as a sum where they are more than one. */
static int show_mms(struct whatif_answer *a, const struct mm_ref *refs, size_t n)
{
	size_t shown = n <= MMS_SHOWN + 1 ? n : MMS_SHOWN;

	a->mms = calloc(shown + 1, sizeof(*a->mms));
	if (!a->mms)
		return -1;
	for (size_t i = 0; i < shown; i++) {
		struct whatif_mm *mm = &a->mms[i];

		(void)snprintf(mm->name, sizeof(mm->name), "%s", refs[i].name);
		mm->tgid = refs[i].tgid;
		mm->ended = refs[i].ended;
		mm->counts = *refs[i].counts;
	}
	a->n_mms = shown + (shown < n);
	if (shown < n)
		a->mms[shown] = (struct whatif_mm){ .tgid = -1, .folded = n - shown };
	for (size_t i = shown; i < n; i++)
		counts_add(&a->mms[shown].counts, refs[i].counts, 1);
	return 0;
}

static int list_mms(struct whatif_answer *a, const struct trace *t, const struct prediction *p)
{
	struct mm_ref *refs = calloc(p->n_mms + 1, sizeof(*refs));
	size_t n;
	int status;

	if (!refs)
		return -1;
	n = find_mms(refs, t, p);
	qsort(refs, n, sizeof(*refs), by_name);
	n = fold_same(refs, n);
	qsort(refs, n, sizeof(*refs), by_size);
	status = show_mms(a, refs, n);
	free(refs);
	return status;
}

/* The pair's one, unless all that changes is the other. */
static enum counter most_changed(bool x86, const struct tally *was, const struct tally *now)
{
	struct whatif_pair pair = whatif_pair(x86);

	if (was->n[pair.one] == now->n[pair.one] && was->n[pair.other] != now->n[pair.other])
		return pair.other;
	return pair.one;
}

/* What the whole trace costs beside its flushes. */
static void add_rest(struct counts *total, const struct whatif_result *r, const struct params *alt)
{
	const struct follower *f = watch_follower(r->watch);
	struct counts rest;

	if (!f || alt->v[PARAM_TARGET] != TARGET_RECORDED)
		return;
	rest = stateful_rest(f, alt, &r->model.used);
	counts_add(total, &rest, 1);
}

static int find_targets(struct whatif_targets *t, const struct whatif_result *r,
			const struct whatif *w, const struct params *alt, bool comparable)
{
	const struct follower *f = watch_follower(r->watch);

	if (!f || !comparable)
		return 0;
	t->cpus = calloc(follower_cpus(f) + 1, sizeof(*t->cpus));
	if (!t->cpus)
		return -1;
	for (uint32_t cpu = 0; cpu < follower_cpus(f); cpu++) {
		t->cpus[cpu] = stateful_ipis_to(f, alt, cpu);
		if (!w->isolated.by_cpu || !(w->isolated.cpus[cpu / 64 % 64] >> (cpu % 64) & 1))
			continue;
		t->isolated.trims += t->cpus[cpu].trims;
		t->isolated.flushes += t->cpus[cpu].flushes;
		t->isolated.shoots += t->cpus[cpu].shoots;
	}
	return 0;
}

/* Loads of vCPUs under the variant that is asked for. */
static struct counts count_vcpus(const struct whatif_result *r, const struct params *alt)
{
	const struct e500mc_counts *c = e500mc_total(watch_vcpus(r->watch));
	size_t variant = alt->v[PARAM_VARIANT];
	struct tally t = { .n = {
				   [COUNT_VCPU_LOADS] = c->loads,
				   [COUNT_INVALIDATIONS] = c->invalidations[variant],
				   [COUNT_MISSED] = c->missed[variant],
			   } };

	return counts_exact(&t);
}

static int explain_answer(struct whatif_answer *a, const struct question *q, bool explains)
{
	if (explains && explain_changes(&a->changes, q, a->changed))
		return -1;
	for (int local = 0; local < 2; local++) {
		uint64_t ceiling = a->params.v[local ? PARAM_LOCAL_CEILING : PARAM_CEILING];

		a->edges[local] = explain_edge(q, local, ceiling);
		a->above[local] = explain_edge(q, local, ceiling + 1);
	}
	explain_doubts(a->doubts, q);
	return 0;
}

/* Returns -1 where memory is short. */
static int answer_flushes(struct whatif_answer *a, const struct whatif_result *r,
			  const struct question *q, bool explains)
{
	struct prediction p;
	int status;

	if (priced_sum(&p, q->priced))
		return -1;
	a->total = p.total;
	add_rest(&a->total, r, &a->params);
	status = list_mms(a, &r->trace, &p);
	prediction_free(&p);
	if (status || !policy_is_comparable(a->policy->kind))
		return status;
	a->changed = most_changed(r->x86, &r->recorded, &a->total.likely);
	return explain_answer(a, q, explains);
}

static int answer_one(struct whatif_answer *a, const struct whatif_result *r,
		      const struct policy *policy, bool explains, struct error *err)
{
	struct priced priced;
	struct question q = { &r->trace, &priced };
	int status;

	a->policy = policy;
	if (policy_resolve(policy, &r->model.used, &a->params, err))
		return -1;
	if (policy_is_of_vcpus(policy->kind)) {
		a->total = count_vcpus(r, &a->params);
		return 0;
	}
	status = priced_find(&priced, &r->kinds, &r->model, &a->params);
	if (status == 0)
		status = answer_flushes(a, r, &q, explains);
	priced_free(&priced);
	return status ? out_of_memory(r->path, err) : 0;
}

static int explain_recorded(struct whatif_result *r, const struct priced *priced)
{
	struct question q = { &r->trace, priced };
	struct prediction p;

	if (priced_sum(&p, priced))
		return -1;
	r->derived = p.total;
	prediction_free(&p);
	add_rest(&r->derived, r, &r->model.used);
	explain_doubts(r->doubts, &q);
	r->pmd_cuts = explain_pmd_cuts(&q);
	return explain_misses(&r->misses, &q);
}

/* Everything that does not depend on an alternative. */
static int answer_recorded(struct whatif_result *r, struct common_selection *s)
{
	struct priced priced;
	int status;

	predict_fidelity(&r->fidelity, &r->trace, &r->model, common_filter, s);
	r->recorded = r->fidelity.recorded;
	r->mmu = r->x86 ? "x86" : find_mmu(r->trace.classes);
	if (kinds_find(&r->kinds, &r->trace, &r->model, common_filter, s))
		return -1;
	status = priced_find(&priced, &r->kinds, &r->model, &r->model.used);
	if (status == 0)
		status = explain_recorded(r, &priced);
	priced_free(&priced);
	return status;
}

static int read_result(struct whatif_result *r, const struct common *c, const char *path,
		       bool vcpus, struct error *err)
{
	struct common_selection s = { c, &r->trace };

	*r = (struct whatif_result){ .path = path };
	if (input_read(c, path, vcpus, &r->trace, &r->watch, err))
		return -1;
	r->duration_ns = common_duration(c, &r->trace);
	r->x86 = trace_is_x86(&r->trace);
	if (infer_model(&r->model, &r->trace, c->recorded, err))
		return -1;
	if (watch_follower(r->watch))
		stateful_infer(&r->model, watch_follower(r->watch));
	return answer_recorded(r, &s) ? out_of_memory(path, err) : 0;
}

int whatif_read(struct whatif_result *r, const struct common *c, const char *path, struct error *err)
{
	return read_result(r, c, path, false, err);
}

static bool asks_for_vcpus(const struct whatif *w)
{
	for (size_t i = 0; i < w->n_policies; i++)
		if (policy_is_of_vcpus(w->policies[i].kind))
			return true;
	return false;
}

static int answer_sweep(struct whatif_result *r, const struct whatif *w, struct error *err)
{
	const struct params *base = &r->model.used;
	struct counts rest = { .open = false };

	if (!w->sweep.step)
		return 0;
	if (!param_applies(w->sweep.which, r->x86))
		return error_set(err, ERROR_USAGE, "--sweep: %s has no %s", r->path,
				 param_keys[w->sweep.which]);
	if (whatif_swept(w) && !policy_takes(w->policies[0].kind, w->sweep.which))
		return error_set(err, ERROR_USAGE, "--sweep: policy '%s' has no %s",
				 w->policies[0].text, param_keys[w->sweep.which]);
	if (whatif_swept(w))
		base = &r->answers[0].params;
	if (sweep_kinds(&r->sweep, &r->kinds, &r->model, base, &w->sweep))
		return out_of_memory(r->path, err);
	add_rest(&rest, r, base);
	sweep_add(&r->sweep, &rest);
	return 0;
}

void whatif_row_policy(const struct whatif *w, const struct whatif_result *r, size_t row, char *buf,
		       size_t size)
{
	const struct policy *swept = whatif_swept(w);

	(void)snprintf(buf, size, "%s,%s=%" PRIu64,
		       swept	? swept->text
		       : r->x86 ? "x86"
				: "radix",
		       param_keys[r->sweep.range.which], sweep_value(&r->sweep, row));
}

int whatif_answer(struct whatif_result *r, const struct whatif *w, const struct common *c,
		  const char *path, struct error *err)
{
	if (read_result(r, c, path, asks_for_vcpus(w), err) || check_event(r, w, err) ||
	    check_machine(r, w, err) || check_computed(r, w, err) ||
	    common_check_cpus("isolated", &w->isolated, path, r->trace.info->cpus, err))
		return -1;
	r->answers = calloc(w->n_policies + 1, sizeof(*r->answers));
	if (!r->answers)
		return out_of_memory(path, err);
	for (size_t i = 0; i < w->n_policies; i++)
		if (policy_adopt(&w->policies[i], r->x86, err) ||
		    answer_one(&r->answers[i], r, &w->policies[i], w->explains, err))
			return -1;
	for (size_t i = 0; i < w->n_policies; i++)
		if (find_targets(&r->answers[i].ipis, r, w, &r->answers[i].params,
				 policy_is_comparable(w->policies[i].kind)))
			return out_of_memory(path, err);
	if (find_targets(&r->ipis, r, w, &r->model.used, true))
		return out_of_memory(path, err);
	return answer_sweep(r, w, err);
}

static void free_answer(struct whatif_answer *a)
{
	free(a->mms);
	free(a->ipis.cpus);
	explanation_free(&a->changes);
}

void whatif_result_free(struct whatif_result *r, const struct whatif *w)
{
	for (size_t i = 0; r->answers && i < w->n_policies; i++)
		free_answer(&r->answers[i]);
	free(r->answers);
	explanation_free(&r->misses);
	kinds_free(&r->kinds);
	sweep_free(&r->sweep);
	free(r->ipis.cpus);
	watch_free(r->watch);
	trace_close(&r->trace);
}
