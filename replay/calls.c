/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.c - flushes summed up by the call that made them. */
#include "replay/calls.h"

#include <stdlib.h>
#include <uthash.h>

#define CPUS_MAX 4096u

/* The call that a task is in. */
struct open_call {
	int32_t tid;
	uint64_t call_ns;
	enum flush_cause cause;
	bool global;
	bool local;
	struct counts predicted;
	struct tally recorded;
	struct tally made;	/* predicted for its local flushes */
	struct tally if_global; /* the same, had they been global */
	struct tally if_local;	/* for all of it, had it been local */
	UT_hash_handle hh;
};

struct calls {
	const struct trace *first;
	const struct model *recorded;
	const struct params *alt;
	struct open_call *open;
	struct call_stats stats[FLUSH_CAUSES];
	struct clock_stats clock;
	uint64_t cpus[CPUS_MAX / 64];
};

struct calls *calls_new(const struct trace *first, const struct model *recorded,
			const struct params *alt)
{
	struct calls *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->first = first;
	c->recorded = recorded;
	c->alt = alt;
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

static void note_clock(struct clock_stats *clock, const struct open_call *call)
{
	uint64_t tlbie = call->predicted.hi.n[COUNT_TLBIE];
	uint64_t tlbiel = call->if_local.n[COUNT_TLBIEL];

	if (call->global && call->local) {
		clock->turned++;
		tally_add(&clock->made, &call->made, 1);
		tally_add(&clock->instead, &call->if_global, 1);
	} else if (call->global) {
		if (tlbie > clock->most_tlbie)
			clock->most_tlbie = tlbie;
		if (tlbiel > clock->most_tlbiel)
			clock->most_tlbiel = tlbiel;
	}
}

static void account(struct calls *c, const struct open_call *call)
{
	struct call_stats *s = &c->stats[call->cause];

	note_clock(&c->clock, call);
	if (call->global && call->local) {
		s->mixed++;
	} else if (call->global || call->local) {
		s->calls++;
		counts_add(&s->predicted, &call->predicted, 1);
		tally_add(&s->recorded, &call->recorded, 1);
		widen(s, &call->recorded);
	}
}

void calls_finish(struct calls *c)
{
	struct open_call *call = c->open;

	HASH_CLEAR(hh, c->open);
	while (call) {
		struct open_call *next = call->hh.next;

		account(c, call);
		free(call);
		call = next;
	}
}

void calls_free(struct calls *c)
{
	if (c)
		calls_finish(c);
	free(c);
}

static struct open_call *call_of(struct calls *c, const struct flush *f)
{
	struct open_call *call;

	HASH_FIND_INT(c->open, &f->tid, call);
	if (call && call->call_ns != f->call_ns) {
		HASH_DEL(c->open, call);
		account(c, call);
		free(call);
		call = NULL;
	}
	if (call)
		return call;
	call = calloc(1, sizeof(*call));
	if (!call)
		return NULL;
	call->tid = f->tid;
	call->call_ns = f->call_ns;
	call->cause = f->cause;
	HASH_ADD_INT(c->open, tid, call);
	return call;
}

static struct counts price(const struct calls *c, const struct class *class)
{
	const struct call_evidence *evidence = class_calls(c->first->classes, class->key.mm,
							   (enum flush_cause) class->key.cause);

	return predict_class(class, c->alt, c->recorded, evidence);
}

/* What class would cost in the other scope. */
static struct tally price_as(const struct calls *c, const struct class *class, bool local)
{
	struct class other = *class;

	other.key.local = local;
	return price(c, &other).likely;
}

static void add_flush(const struct calls *c, struct open_call *call, const struct flush *f,
		      unsigned base_shift)
{
	struct class class = { .count = 1 };
	struct tally recorded = flush_recorded(f);
	struct counts predicted;
	struct tally other;

	class_key_of(&class.key, f, base_shift);
	predicted = price(c, &class);
	counts_add(&call->predicted, &predicted, 1);
	tally_add(&call->recorded, &recorded, 1);
	other = price_as(c, &class, true);
	tally_add(&call->if_local, &other, 1);
	if (!f->local)
		return;
	tally_add(&call->made, &predicted.likely, 1);
	other = price_as(c, &class, false);
	tally_add(&call->if_global, &other, 1);
}

bool calls_take(void *arg, const struct flush *f)
{
	struct calls *c = arg;
	unsigned base_shift = c->recorded->used.v[PARAM_PAGE_SIZE] == 4096 ? 12 : 16;
	struct open_call *call;

	if (f->irq || f->context != CONTEXT_CALL || !f->mm || f->shape == SHAPE_X86)
		return true;
	call = call_of(c, f);
	if (!call)
		return false;
	if (!f->local && f->cpu < CPUS_MAX)
		c->cpus[f->cpu / 64] |= UINT64_C(1) << f->cpu % 64;
	call->global |= !f->local;
	call->local |= f->local;
	add_flush(c, call, f, base_shift);
	return true;
}

const struct call_stats *calls_of(const struct calls *c, enum flush_cause cause)
{
	return &c->stats[cause];
}

struct clock_stats calls_clock(const struct calls *c)
{
	struct clock_stats clock = c->clock;

	clock.handlers = (c->first->info->cpus - 1) * c->alt->v[PARAM_SETS];
	for (size_t i = 0; i < CPUS_MAX / 64; i++)
		clock.cpus += (uint64_t)__builtin_popcountll(c->cpus[i]);
	return clock;
}
