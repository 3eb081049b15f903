/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.c - flushes summed up by the call that made them. */
#include "replay/calls.h"

#include <stdlib.h>
#include <uthash.h>

#include "replay/stateful.h"

#define CPUS_MAX 4096u
#define SHARES_MOST 4096u /* of one mm that wait; then neighbours are added up */

/* The call that a task is in. */
struct open_call {
	int32_t tid;
	uint32_t hw_pid;
	uint32_t cpu; /* of its first flush */
	uint64_t call_ns;
	uint64_t last_ns; /* end of its last flush */
	enum flush_cause cause;
	bool global; /* it has flushes that were recorded so */
	bool local;
	bool moved; /* under the policy it has flushes of several scopes */
	unsigned scope;
	struct counts predicted;
	struct tally recorded;
	struct tally made;	/* predicted for its local flushes */
	struct tally if_global; /* the same, had they been global */
	struct tally if_local;	/* for all of it, had it been local */
	UT_hash_handle hh;
};

/* What a handler flushed, until it is known for whom. */
struct share {
	uint64_t start_ns;
	struct counts predicted;
	struct tally recorded;
};

/* The shares of one mm. */
struct waiting_shares {
	uint32_t hw_pid;
	size_t n;
	size_t room;
	struct share *share;
	struct open_call *call; /* the mm's last one; NULL: none is open */
	uint64_t outside_ns;	/* the first flush outside of calls since then; UINT64_MAX: none */
	UT_hash_handle hh;
};

/* The dearest call on one CPU that stayed global. */
struct cpu_calls {
	bool global;
	uint64_t most_tlbie;
	uint64_t most_tlbiel; /* had it been local from its start */
};

struct calls {
	struct calls_question q;
	unsigned base_shift;
	struct open_call *open;
	struct waiting_shares *waiting;
	struct call_stats stats[FLUSH_CAUSES];
	struct clock_stats clock;
	struct cpu_calls cpus[CPUS_MAX];
};

struct calls *calls_new(const struct calls_question *question)
{
	struct calls *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->q = *question;
	c->base_shift = question->recorded->used.v[PARAM_PAGE_SIZE] == 4096 ? 12 : 16;
	return c;
}

static void widen(struct call_stats *s, const struct tally *one)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		if (s->calls == 1 || one->n[i] < s->least.n[i])
			s->least.n[i] = one->n[i];
		if (one->n[i] > s->most.n[i])
			s->most.n[i] = one->n[i];
	}
}

static void note_clock(struct calls *c, const struct open_call *call)
{
	uint64_t tlbie = call->predicted.hi.n[COUNT_TLBIE];
	uint64_t tlbiel = call->if_local.n[COUNT_TLBIEL];
	struct cpu_calls *cpu = &c->cpus[call->cpu % CPUS_MAX];

	if (call->global && call->local) {
		c->clock.turned++;
		tally_add(&c->clock.made, &call->made, 1);
		tally_add(&c->clock.instead, &call->if_global, 1);
	} else if (call->global) {
		if (tlbie > cpu->most_tlbie)
			cpu->most_tlbie = tlbie;
		if (tlbiel > cpu->most_tlbiel)
			cpu->most_tlbiel = tlbiel;
	}
}

static void account(struct calls *c, const struct open_call *call)
{
	struct call_stats *s = &c->stats[call->cause];

	note_clock(c, call);
	if ((call->global && call->local) || call->moved) {
		s->mixed++;
	} else if (call->global || call->local) {
		s->calls++;
		counts_add(&s->predicted, &call->predicted, 1);
		tally_add(&s->recorded, &call->recorded, 1);
		widen(s, &call->recorded);
	}
}

static struct waiting_shares *shares_of(struct calls *c, uint32_t hw_pid)
{
	struct waiting_shares *w;

	HASH_FIND(hh, c->waiting, &hw_pid, sizeof(hw_pid), w);
	if (w)
		return w;
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->hw_pid = hw_pid;
	w->outside_ns = UINT64_MAX;
	HASH_ADD(hh, c->waiting, hw_pid, sizeof(w->hw_pid), w);
	return w;
}

static void give(struct open_call *call, const struct share *share)
{
	counts_add(&call->predicted, &share->predicted, 1);
	tally_add(&call->recorded, &share->recorded, 1);
}

/*
 * What handlers flushed after the mm's last call began, and before anything else of it did at next_ns,
 * is of that call, or of the next thing where it is nearer to that: a handler may be first to write.
 */
static bool is_of_last(const struct waiting_shares *w, const struct share *share, uint64_t next_ns)
{
	uint64_t end_ns = w->outside_ns < next_ns ? w->outside_ns : next_ns;
	uint64_t at = share->start_ns;

	if (!w->call || at < w->call->call_ns || at >= end_ns)
		return false;
	return at <= w->call->last_ns || at - w->call->last_ns <= end_ns - at;
}

/*
 * Hands out the shares that wait for an mm: to its last call, and to `next`, which began at next_ns.
 * Where it is NULL, what comes from next_ns on goes on waiting.
 */
static void settle_shares(struct waiting_shares *w, struct open_call *next, uint64_t next_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct share *share = &w->share[i];

		if (w->call != next && is_of_last(w, share, next_ns))
			give(w->call, share);
		else if (share->start_ns >= next_ns && next)
			give(next, share);
		else if (share->start_ns >= next_ns)
			w->share[kept++] = *share;
	}
	w->n = kept;
}

static void end_call(struct calls *c, struct open_call *call)
{
	struct waiting_shares *w;

	HASH_FIND(hh, c->waiting, &call->hw_pid, sizeof(call->hw_pid), w);
	if (w && w->call == call)
		w->call = NULL;
	account(c, call);
	free(call);
}

void calls_finish(struct calls *c)
{
	struct open_call *call = c->open;
	struct waiting_shares *w = c->waiting;

	for (; w; w = w->hh.next)
		settle_shares(w, NULL, UINT64_MAX);
	w = c->waiting;
	HASH_CLEAR(hh, c->open);
	while (call) {
		struct open_call *next = call->hh.next;

		end_call(c, call);
		call = next;
	}
	HASH_CLEAR(hh, c->waiting);
	while (w) {
		struct waiting_shares *next = w->hh.next;

		free(w->share);
		free(w);
		w = next;
	}
}

void calls_free(struct calls *c)
{
	if (c)
		calls_finish(c);
	free(c);
}

static struct open_call *new_call(struct calls *c, const struct flush *f)
{
	struct open_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->tid = f->tid;
	call->hw_pid = f->hw_pid;
	call->cpu = f->cpu;
	call->call_ns = f->call_ns;
	call->cause = f->cause;
	HASH_ADD_INT(c->open, tid, call);
	return call;
}

static struct open_call *call_of(struct calls *c, struct waiting_shares *w, const struct flush *f)
{
	struct open_call *call;

	HASH_FIND_INT(c->open, &f->tid, call);
	if (call && call->call_ns == f->call_ns)
		return call;
	settle_shares(w, NULL, f->call_ns);
	if (call) {
		HASH_DEL(c->open, call);
		end_call(c, call);
	}
	return new_call(c, f);
}

/* Of the first pass, whose mms have the same indices. */
static struct counts price(const struct calls *c, const struct class *class)
{
	const struct call_evidence *evidence = class_calls(c->q.first->classes, class->key.mm,
							   (enum flush_cause) class->key.cause);

	return stateful_class(class, c->q.alt, c->q.recorded, evidence);
}

/* What class would cost in the other scope, with tlbie on. */
static struct tally price_as(const struct calls *c, const struct class *class, bool local)
{
	const struct call_evidence *evidence = class_calls(c->q.first->classes, class->key.mm,
							   (enum flush_cause) class->key.cause);
	struct class other = *class;

	other.key.local = local;
	return predict_class(&other, c->q.alt, c->q.recorded, evidence).likely;
}

static void note_scope(struct calls *c, struct open_call *call, const struct class *class)
{
	unsigned scope = stateful_scope(&class->key, c->q.alt, &c->q.recorded->used);

	call->moved |= call->scope && call->scope != scope;
	call->scope = scope;
}

static void add_flush(struct calls *c, struct open_call *call, const struct class *class)
{
	struct tally recorded = class_recorded(class);
	struct counts predicted = price(c, class);
	struct tally other;

	note_scope(c, call, class);
	counts_add(&call->predicted, &predicted, 1);
	tally_add(&call->recorded, &recorded, 1);
	other = price_as(c, class, true);
	tally_add(&call->if_local, &other, 1);
	if (!class->key.local)
		return;
	tally_add(&call->made, &predicted.likely, 1);
	other = price_as(c, class, false);
	tally_add(&call->if_global, &other, 1);
}

/* Adds up neighbours, so that what waits stays small. */
static void halve(struct waiting_shares *w)
{
	for (size_t i = 0; i < w->n / 2; i++) {
		struct share sum = w->share[2 * i];
		const struct share *more = &w->share[2 * i + 1];

		counts_add(&sum.predicted, &more->predicted, 1);
		tally_add(&sum.recorded, &more->recorded, 1);
		w->share[i] = sum;
	}
	w->n /= 2;
}

static bool take_share(struct calls *c, const struct flush *f, const struct class *class)
{
	struct waiting_shares *w = shares_of(c, f->hw_pid);
	struct share *more;

	if (!w)
		return false;
	if (w->n == SHARES_MOST)
		halve(w);
	if (w->n == w->room) {
		more = reallocarray(w->share, w->room ? 2 * w->room : 8, sizeof(*more));
		if (!more)
			return false;
		w->share = more;
		w->room = w->room ? 2 * w->room : 8;
	}
	w->share[w->n++] = (struct share){
		.start_ns = f->start_ns,
		.predicted = price(c, class),
		.recorded = class_recorded(class),
	};
	return true;
}

static bool take_in_call(struct calls *c, const struct flush *f, const struct class *class)
{
	struct waiting_shares *w = shares_of(c, f->hw_pid);
	struct open_call *call = w ? call_of(c, w, f) : NULL;

	if (!call)
		return false;
	settle_shares(w, call, f->call_ns);
	if (call->hw_pid == f->hw_pid && w->call != call) {
		w->call = call;
		w->outside_ns = UINT64_MAX;
	}
	call->last_ns = f->end_ns;
	if (!f->local)
		c->cpus[f->cpu % CPUS_MAX].global = true;
	call->global |= !f->local;
	call->local |= f->local;
	add_flush(c, call, class);
	return true;
}

static bool take_outside(struct calls *c, const struct flush *f)
{
	struct waiting_shares *w = shares_of(c, f->hw_pid);

	if (!w)
		return false;
	settle_shares(w, NULL, f->start_ns);
	if (w->call && f->start_ns > w->call->last_ns && f->start_ns < w->outside_ns)
		w->outside_ns = f->start_ns;
	return true;
}

bool calls_take(void *arg, const struct flush *f)
{
	struct calls *c = arg;
	struct class class;

	if (!f->mm || f->shape == SHAPE_X86)
		return true;
	class_of_flush(&class, f, c->base_shift);
	if (c->q.filter && !c->q.filter(c->q.filter_arg, &class))
		return true;
	if (f->irq)
		return take_share(c, f, &class);
	if (f->context == CONTEXT_CALL)
		return take_in_call(c, f, &class);
	return take_outside(c, f);
}

const struct call_stats *calls_of(const struct calls *c, enum flush_cause cause)
{
	return &c->stats[cause];
}

bool calls_have_clock(const struct params *policy)
{
	return stateful_kind(policy) >= TRIM_V5_12;
}

struct clock_stats calls_clock(const struct calls *c)
{
	struct clock_stats clock = c->clock;
	uint64_t handlers = (c->q.first->info->cpus - 1) * c->q.alt->v[PARAM_SETS];

	if (!calls_have_clock(c->q.alt))
		return clock;
	for (size_t i = 0; i < CPUS_MAX; i++) {
		const struct cpu_calls *cpu = &c->cpus[i];

		if (!cpu->global)
			continue;
		clock.cpus++;
		clock.tlbie += cpu->most_tlbie;
		clock.tlbiel += cpu->most_tlbiel + handlers;
	}
	return clock;
}
