/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.c - prints, for each trace, what masks and lazy TLB come to: one "key=value …" line per
 * file, which the scripts beside it judge.
 *
 * The first line of keys is what is reported (probes ignored); those from "probed" on hold the
 * masks against what probes on flush_type_needed() saw: mm_cpumask at its entry, its answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyze/infer.h"
#include "analyze/params.h"
#include "analyze/trace.h"
#include "replay/follow.h"
#include "replay/stateful.h"

/* What the probes said of the flush that a task is about to write. */
struct probed {
	int32_t tid;
	bool fresh;
	bool fullmm;
	bool unlike;
	uint32_t hw_pid;
	uint64_t cpus;
	uint32_t type; /* 0 none, 1 local, 2 global; 3: not probed */
	UT_hash_handle hh;
};

struct judge {
	struct observer inner;
	struct probed *by_tid;
	enum trim kind;
	uint64_t probed;
	uint64_t unlike;    /* mm_cpumask has another number of CPUs than active_cpus beside it */
	uint64_t masks;	    /* of them: mm_cpumask as seen by the probe */
	uint64_t scopes;    /* the rules' scope, with the evidence of trims */
	uint64_t predicted; /* and before it */
	bool verbose;
};

static struct probed *probed_of(struct judge *j, int32_t tid)
{
	struct probed *p;

	HASH_FIND_INT(j->by_tid, &tid, p);
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		exit(2);
	p->tid = tid;
	HASH_ADD_INT(j->by_tid, tid, p);
	return p;
}

static bool take_item(void *arg, const struct run_item *item)
{
	struct judge *j = arg;
	const struct request_record *r = &item->event.request;
	struct probed *p;

	if (!item->is_run && item->event.kind == EVENT_REQUEST) {
		p = probed_of(j, item->event.tid);
		if (r->fn == REQUEST_SCOPE_IN && (r->has & REQUEST_HAS_CPUS)) {
			p->fresh = true;
			p->fullmm = r->fullmm;
			p->hw_pid = r->hw_pid;
			p->cpus = r->cpus;
			p->unlike = (r->has & REQUEST_HAS_ACTIVE) &&
				    __builtin_popcountll(r->cpus) != r->active_cpus;
			p->type = 3;
		} else if (r->fn == REQUEST_SCOPE) {
			p->type = r->type;
		}
	}
	return j->inner.item(j->inner.arg, item);
}

static bool begin(void *arg, const struct source *src)
{
	struct judge *j = arg;

	return j->inner.begin(j->inner.arg, src);
}

static bool take_flush(void *arg, struct flush *f)
{
	struct judge *j = arg;

	return j->inner.flush(j->inner.arg, f);
}

static void end(void *arg)
{
	struct judge *j = arg;

	j->inner.end(j->inner.arg);
}

static uint8_t scope_of_type(uint32_t type, bool local)
{
	static const uint8_t scopes[] = { MACHINE_NONE, MACHINE_LOCAL, MACHINE_GLOBAL };

	if (type < 3)
		return scopes[type];
	return local ? MACHINE_LOCAL : MACHINE_GLOBAL;
}

static void watch(void *arg, const struct flush *f, const struct ts_flush *what,
		  const struct mask_view *view)
{
	struct judge *j = arg;
	struct probed *p = probed_of(j, f->tid);
	/* From v6.6 on a full-mm flush has trimmed before it asks. */
	bool trimmed = p->fullmm && j->kind == TRIM_V6_6;
	uint64_t mask = trimmed ? view->mask : view->before;
	uint8_t scope = scope_of_type(p->type, f->local);

	if (!p->fresh || p->hw_pid != f->hw_pid)
		return;
	p->fresh = false;
	j->probed++;
	j->unlike += p->unlike;
	j->masks += mask == p->cpus;
	j->scopes += view->settled == scope;
	j->predicted += view->predicted == scope;
	if (j->verbose && (mask != p->cpus || view->settled != scope || view->predicted != scope))
		printf("# %" PRIu64 " tid %d cpu %u pid %u users %u: mask %" PRIx64
		       " probed %" PRIx64 ", scope %u settled %u probed %u\n",
		       f->start_ns, f->tid, f->cpu, f->hw_pid, what->space->users, mask, p->cpus,
		       view->predicted, view->settled, scope);
}

static enum trim kind_of(const struct trace *t)
{
	unsigned era = era_of_release(t->info->kernel);

	return (enum trim)params_of_era(era < ERAS ? era : ERA_V5_14).v[PARAM_TRIM];
}

static int read_trace(struct trace *t, struct follower *f, const struct observer *observer,
		      const char *path, uint32_t ignore)
{
	struct trace_options opt = { .ignore = ignore, .observer = observer };
	struct error err;

	if (f && trace_read(t, path, &opt, &err) == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", path, f ? err.text : "out of memory");
	follower_free(f);
	return -1;
}

static void print_scope(const struct follower *f, enum trim kind)
{
	const struct mask_scope *s = masks_scope(follower_masks(f), kind);
	struct mask_totals t = masks_totals(follower_masks(f), kind);

	printf(" trim=%d multicast=%d flushes=%" PRIu64 " agree=%" PRIu64 " same=%" PRIu64
	       " changes=%" PRIu64 " changes_predicted=%" PRIu64 " changes_false=%" PRIu64
	       " clock_trims=%" PRIu64 " trims_recorded=%" PRIu64 " trims_predicted=%" PRIu64
	       " free_ipis=%" PRIu64 " clock_ipis=%" PRIu64,
	       kind, masks_multicast(follower_masks(f)), s->flushes, s->agree, s->same, s->changes,
	       s->changes_predicted, s->changes_false, s->clock_trims, s->trims_recorded,
	       s->trims_predicted, t.ipis, t.clock_ipis);
}

static void print_lazy(const struct follower *f, enum trim kind)
{
	struct lazy_totals l = follower_lazy_totals(f);
	const struct lazy_shots *s = &l.shots[kind];

	printf(" enter=%" PRIu64 " leave=%" PRIu64 " exits=%" PRIu64 " atomics=%" PRIu64
	       " atomics_lo=%" PRIu64 " atomics_hi=%" PRIu64 " deaths=%" PRIu64 " shots_lo=%" PRIu64
	       " shots_hi=%" PRIu64 " useful=%" PRIu64,
	       l.enter, l.leave, l.exits, l.atomics, l.atomics_lo, l.atomics_hi, l.deaths,
	       s->ipis_lo, s->ipis_hi, s->useful_lo);
}

/* Flushes at the end of an mm: recorded globally, and under the combined scheme of v6.6. */
static void print_exits(const struct trace *t)
{
	uint64_t all = 0;
	uint64_t recorded = 0;
	uint64_t combined = 0;
	const struct class *c = NULL;

	while ((c = class_next(t->classes, c))) {
		const struct class_key *k = &c->key;

		if (k->irq || k->shape != SHAPE_ALL ||
		    (k->cause != CAUSE_EXIT && k->cause != CAUSE_EXEC))
			continue;
		all += c->count;
		recorded += k->local ? 0 : c->count;
		if ((k->scope[TRIM_V6_6] & MACHINE_SCOPE) == MACHINE_GLOBAL)
			combined += c->count;
	}
	printf(" ends=%" PRIu64 " ends_global=%" PRIu64 " ends_global_combined=%" PRIu64, all,
	       recorded, combined);
}

/* The whole trace under the recorded policy with one parameter changed. */
static struct counts under(const struct trace *t, const struct follower *f, const struct model *m,
			   enum param id, uint64_t value)
{
	struct params alt = m->used;
	struct counts sum;
	const struct class *c = NULL;

	alt.v[id] = value;
	sum = stateful_rest(f, &alt, &m->used);
	while ((c = class_next(t->classes, c))) {
		struct counts one = stateful_class(
			c, &alt, m, class_calls(t->classes, c->key.mm, c->key.cause));

		counts_add(&sum, &one, 1);
	}
	return sum;
}

static void print_counter(const char *policy, const struct counts *c, enum counter id)
{
	printf(" %s_%s_lo=%" PRIu64 " %s_%s=%" PRIu64 " %s_%s_hi=%" PRIu64, policy,
	       counter_keys[id], c->lo.n[id], policy, counter_keys[id], c->likely.n[id], policy,
	       counter_keys[id], c->hi.n[id]);
}

static void print_policies(const struct trace *t, const struct follower *f)
{
	static const struct {
		const char *name;
		enum param id;
		uint64_t value;
	} policies[] = {
		{ "none", PARAM_TRIM, TRIM_NONE },
		{ "combined", PARAM_LAZY, LAZY_COMBINED },
		{ "multicast", PARAM_TLBIE, 0 },
	};
	struct model m;
	struct error err;

	if (infer_model(&m, t, NULL, &err))
		return;
	stateful_infer(&m, f);
	printf(" inferred=%" PRIu64, m.used.v[PARAM_TRIM]);
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		struct counts c = under(t, f, &m, policies[i].id, policies[i].value);

		print_counter(policies[i].name, &c, COUNT_TLBIE);
		print_counter(policies[i].name, &c, COUNT_TLBIEL);
		print_counter(policies[i].name, &c, COUNT_IPIS);
	}
}

static void print_recorded(const struct trace *t)
{
	struct tally sum = { .n = { 0 } };
	const struct class *c = NULL;

	while ((c = class_next(t->classes, c))) {
		struct tally one = class_recorded(c);

		tally_add(&sum, &one, c->count);
	}
	printf(" tlbie=%" PRIu64 " tlbiel=%" PRIu64, sum.n[COUNT_TLBIE], sum.n[COUNT_TLBIEL]);
}

static int print_reported(const char *path, enum trim *kind)
{
	struct follower *f = follower_new(TRIM_V5_12, NULL, NULL);
	struct observer observer = f ? follower_observer(f) : (struct observer){ 0 };
	struct trace t;

	if (read_trace(&t, f, &observer, path, IGNORE_REQUESTS))
		return -1;
	*kind = kind_of(&t);
	printf("file=%s", path);
	print_scope(f, *kind);
	print_lazy(f, *kind);
	print_exits(&t);
	print_recorded(&t);
	print_policies(&t, f);
	trace_close(&t);
	follower_free(f);
	return 0;
}

static void free_probed(struct judge *j)
{
	struct probed *p = j->by_tid;

	HASH_CLEAR(hh, j->by_tid);
	while (p) {
		struct probed *next = p->hh.next;

		free(p);
		p = next;
	}
}

static int print_probed(const char *path, enum trim kind, bool verbose)
{
	struct judge j = { .kind = kind, .verbose = verbose };
	struct observer observer = { &j, begin, take_item, take_flush, end };
	struct follower *f = follower_new(kind, watch, &j);
	struct trace t;

	if (f)
		j.inner = follower_observer(f);
	if (read_trace(&t, f, &observer, path, 0))
		return -1;
	/* A probe that read something else for the mask disagrees with the number beside it. */
	printf(" probed=%" PRIu64 " read=%" PRIu64 " masks=%" PRIu64 " scopes=%" PRIu64
	       " predicted=%" PRIu64 "\n",
	       j.probed, j.unlike < j.probed / 2 ? j.probed : 0, j.masks, j.scopes, j.predicted);
	free_probed(&j);
	trace_close(&t);
	follower_free(f);
	return 0;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
	int status = 0;

	for (int i = 1 + verbose; i < argc; i++) {
		enum trim kind;

		status |= print_reported(argv[i], &kind) || print_probed(argv[i], kind, verbose);
	}
	return status ? 1 : 0;
}
