/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stateful.c - classes under another mask. */
#include "replay/stateful.h"

#include <inttypes.h>
#include <stdio.h>

#include "analyze/split.h"

enum trim stateful_kind(const struct params *p)
{
	return (enum trim)params_trim_kind(p);
}

bool stateful_decides(const struct params *alt, const struct model *recorded)
{
	return recorded->open_scopes || stateful_differs(alt, &recorded->used);
}

bool stateful_differs(const struct params *alt, const struct params *recorded)
{
	return stateful_kind(alt) != stateful_kind(recorded) ||
	       alt->v[PARAM_TLBIE] != recorded->v[PARAM_TLBIE];
}

static bool is_trim(const struct class_key *k)
{
	return k->irq && k->entry == ENTRY_TRIM;
}

/* What another CPU did of a flush by IPI, in a recording with tlbie off. */
static bool is_share(const struct class_key *k, const struct params *recorded)
{
	return k->irq && !is_trim(k) && !recorded->v[PARAM_TLBIE];
}

/* One flush of the class, had it the scope `local`; the recorded ceiling stays that of its own. */
static struct counts with_scope(const struct class *c, bool local, const struct params *alt,
				const struct model *recorded, const struct call_evidence *calls)
{
	enum param own = split_ceiling(&c->key, &recorded->used);
	struct model was = *recorded;
	struct class other = *c;

	if (c->key.local == local && own == (local ? PARAM_LOCAL_CEILING : PARAM_CEILING))
		return predict_class(c, alt, recorded, calls);
	other.key.local = local;
	was.used.v[PARAM_CEILING] = was.used.v[PARAM_LOCAL_CEILING] = recorded->used.v[own];
	was.fact[PARAM_CEILING] = was.fact[PARAM_LOCAL_CEILING] = recorded->fact[own];
	return predict_class(&other, alt, &was, calls);
}

static void forget_request(struct tally *t)
{
	t->n[COUNT_FLUSHES] = 0;
	t->n[COUNT_PROMOTED] = 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Kernel addresses are broadcast all the same, where the machine could (tlbie_capable). */
static void add_broadcast(struct counts *sum, const struct class *c, const struct params *alt,
			  const struct model *recorded, const struct call_evidence *calls)
{
	struct counts one = with_scope(c, false, alt, recorded, calls);

	forget_request(&one.lo);
	forget_request(&one.likely);
	forget_request(&one.hi);
	counts_add(sum, &one, 1);
}

/*
 * tlbie off: the global ceiling decides, then every CPU of the mask runs the local code, in one round
 * of IPIs or two; a target whose queue was not empty shares an IPI.
 */
static struct scope_cost multicast(const struct class *c, const struct params *alt,
				   const struct model *recorded, const struct call_evidence *calls)
{
	struct params share = *alt;
	struct scope_cost cost = { .reaches = true };

	share.v[PARAM_LOCAL_CEILING] = alt->v[PARAM_CEILING];
	share.by_ipi = true;
	cost.flush = with_scope(c, true, &share, recorded, calls);
	cost.target = cost.flush;
	forget_request(&cost.target.lo);
	forget_request(&cost.target.likely);
	forget_request(&cost.target.hi);
	cost.least_ipis = cost.flush.lo.n[COUNT_IPIS];
	cost.target.lo.n[COUNT_IPIS] = 0;
	cost.flush.lo.n[COUNT_IPIS] = 0;
	cost.flush.likely.n[COUNT_IPIS] = 0;
	cost.flush.hi.n[COUNT_IPIS] = 0;
	if (c->key.shape == SHAPE_KERNEL)
		add_broadcast(&cost.flush, c, alt, recorded, calls);
	return cost;
}

/* Flushes of the class, had they this scope. */
static struct scope_cost in_scope(const struct class *c, unsigned scope, const struct params *alt,
				  const struct model *recorded, const struct call_evidence *calls)
{
	static const struct tally avoided = { .n[COUNT_FLUSHES] = 1 };

	if (scope == MACHINE_GLOBAL && !alt->v[PARAM_TLBIE] && alt->v[PARAM_GTSE])
		return multicast(c, alt, recorded, calls);
	if (scope == MACHINE_NONE)
		return (struct scope_cost){ .flush = counts_exact(&avoided) };
	return (struct scope_cost){
		.flush = with_scope(c, scope == MACHINE_LOCAL, alt, recorded, calls),
	};
}

/* Values that one parameter of the recorded kernel may have had, as far as alt leaves it at that. */
struct open_values {
	enum param id;
	unsigned n;
	uint64_t v[FIXUPS_OLD + 1];
};

/* A trace without a broadcast does not tell which fixups one would have had; what a CPU does for itself
 * has none. */
static struct open_values open_fixups(const struct class_key *k, unsigned scope,
				      const struct params *alt, const struct model *recorded)
{
	const struct param_fact *fact = &recorded->fact[PARAM_FIXUPS];
	struct open_values open = { .id = PARAM_FIXUPS };

	if (scope != MACHINE_GLOBAL || !k->local || fact->lo == fact->hi ||
	    alt->v[PARAM_FIXUPS] != recorded->used.v[PARAM_FIXUPS])
		return open;
	for (uint64_t fixups = fact->lo; fixups <= fact->hi && fixups <= FIXUPS_OLD; fixups++)
		open.v[open.n++] = fixups;
	return open;
}

/*
 * A flush in the other scope asks the other ceiling: if only bounds of it are known, it may be by
 * address or promoted. What has no number of pages stays under the ceiling that is assumed: above it
 * there is no end.
 */
static struct open_values open_ceiling(const struct class_key *k, unsigned scope,
				       const struct params *alt, const struct model *recorded)
{
	enum param asked = scope == MACHINE_LOCAL ? PARAM_LOCAL_CEILING : PARAM_CEILING;
	const struct param_fact *fact = &recorded->fact[asked];
	struct open_values open = { .id = asked };

	if (asked == split_ceiling(k, &recorded->used) || params_is_named(alt, asked) ||
	    fact->lo == fact->hi)
		return open;
	open.v[open.n++] = fact->lo;
	if (k->shape == SHAPE_VA || k->pages_max != PAGES_UNKNOWN)
		open.v[open.n++] = fact->hi;
	return open;
}

static void include_scope(struct scope_cost *sum, const struct scope_cost *other)
{
	counts_include_both(&sum->flush, &other->flush);
	counts_include_both(&sum->target, &other->target);
	sum->least_ipis = least(sum->least_ipis, other->least_ipis);
}

/* The same over all that is open. */
static struct scope_cost in_scope_unseen(const struct class *c, unsigned scope,
					 const struct params *alt, const struct model *recorded,
					 const struct call_evidence *calls)
{
	struct open_values fixups = open_fixups(&c->key, scope, alt, recorded);
	struct open_values ceiling = open_ceiling(&c->key, scope, alt, recorded);
	struct scope_cost cost = in_scope(c, scope, alt, recorded, calls);
	struct params other = *alt;
	struct scope_cost n;

	if (!fixups.n && !ceiling.n)
		return cost;
	for (unsigned i = 0; i < fixups.n || i == 0; i++) {
		if (fixups.n)
			other.v[fixups.id] = fixups.v[i];
		for (unsigned j = 0; j < ceiling.n || j == 0; j++) {
			if (ceiling.n)
				other.v[ceiling.id] = ceiling.v[j];
			n = in_scope(c, scope, &other, recorded, calls);
			include_scope(&cost, &n);
		}
	}
	return cost;
}

/* The other scope is possible, too. Where neither reaches other CPUs, a flush costs between the least
 * and the most of both, however many there are. */
static void add_possible(struct stateful_cost *cost, const struct scope_cost *other)
{
	if (cost->in[0].reaches || other->reaches)
		cost->in[cost->n++] = *other;
	else
		counts_include_both(&cost->in[0].flush, &other->flush);
}

/* lazy=combined trims as the kernel before it did, and before final flushes too. */
static bool adds_final_trims(const struct params *alt, const struct params *recorded)
{
	return stateful_kind(alt) == TRIM_V6_6 && stateful_kind(recorded) == TRIM_V5_12;
}

/* The trims that were recorded are those that alt makes. */
static bool keeps_trims(const struct params *alt, const struct params *recorded)
{
	return stateful_kind(alt) == stateful_kind(recorded) && recorded->v[PARAM_TLBIE];
}

static uint64_t more(uint64_t a, uint64_t than)
{
	return a > than ? a - than : 0;
}

/*
 * What the class's scope is under alt. Kinds with the same clock differ from the recording by its
 * unknown phase, so there the recorded scope stands wherever both machines say the same.
 */
static unsigned scope_under(const struct class_key *k, const struct params *alt,
			    const struct params *recorded)
{
	unsigned there = k->scope[stateful_kind(alt)];
	unsigned here = k->scope[stateful_kind(recorded)];
	bool clocks = stateful_kind(alt) >= TRIM_V5_12 && stateful_kind(recorded) >= TRIM_V5_12;
	unsigned both = MACHINE_SCOPE;

	/* No probe told it, and nobody saw whose flush it was. */
	if (k->scope_open && there == MACHINE_UNASKED)
		return MACHINE_GLOBAL | MACHINE_UNSURE;
	if (k->scope_open)
		return there;
	/* With tlbie off all was recorded as local. */
	if (stateful_kind(alt) == stateful_kind(recorded) && (k->asked || recorded->v[PARAM_TLBIE]))
		return k->local ? MACHINE_LOCAL : MACHINE_GLOBAL;
	if (clocks && recorded->v[PARAM_TLBIE] && (there & both) == (here & both) &&
	    !(there & MACHINE_OPEN))
		return k->local ? MACHINE_LOCAL : MACHINE_GLOBAL;
	return there;
}

/* Whether the mask has no say in what the class costs under alt. */
static bool stays_as_recorded(const struct class *c, const struct params *alt,
			      const struct params *recorded)
{
	/* Only instructions that were recorded can stay so. */
	bool unwritten = c->key.asked || c->key.shape == SHAPE_HCALL;

	if (c->key.scope_open || (unwritten && !c->key.local && !alt->v[PARAM_TLBIE]))
		return false;
	if (!stateful_differs(alt, recorded))
		return true;
	if (is_trim(&c->key))
		return keeps_trims(alt, recorded) || adds_final_trims(alt, recorded);
	return c->key.scope[0] == MACHINE_UNASKED && !is_share(&c->key, recorded);
}

unsigned stateful_scope(const struct class_key *k, const struct params *alt,
			const struct params *recorded)
{
	if (!k->scope_open && (!stateful_differs(alt, recorded) || k->scope[0] == MACHINE_UNASKED))
		return k->local ? MACHINE_LOCAL : MACHINE_GLOBAL;
	return scope_under(k, alt, recorded) & MACHINE_SCOPE;
}

bool stateful_unsure(const struct class *c, const struct params *alt, const struct params *recorded)
{
	return !stays_as_recorded(c, alt, recorded) && !is_trim(&c->key) &&
	       (scope_under(&c->key, alt, recorded) & MACHINE_UNSURE);
}

bool stateful_nested(const struct class *c, const struct params *alt, const struct params *recorded)
{
	enum trim kind = stateful_kind(alt);

	return !stays_as_recorded(c, alt, recorded) && kind == TRIM_V6_6 &&
	       (c->key.scope[kind] & MACHINE_NESTED);
}

struct stateful_cost stateful_cost(const struct class *c, const struct params *alt,
				   const struct model *recorded, const struct call_evidence *calls)
{
	unsigned seen = scope_under(&c->key, alt, &recorded->used);
	unsigned scope = seen & MACHINE_SCOPE;
	struct stateful_cost cost = { .sets = alt->v[PARAM_SETS] };
	struct scope_cost other;

	if (stays_as_recorded(c, alt, &recorded->used)) {
		cost.in[cost.n++].flush = predict_class(c, alt, recorded, calls);
		return cost;
	}
	if (is_trim(&c->key) || is_share(&c->key, &recorded->used))
		return cost;
	cost.trims = true;
	cost.in[cost.n++] = in_scope_unseen(c, scope, alt, recorded, calls);
	cost.unsure = (seen & MACHINE_UNSURE) || (c->key.scope[stateful_kind(alt)] & MACHINE_OPEN);
	if (seen & MACHINE_UNSURE) {
		other = in_scope_unseen(c, scope == MACHINE_GLOBAL ? MACHINE_LOCAL : MACHINE_GLOBAL,
					alt, recorded, calls);
		add_possible(&cost, &other);
	}
	cost.nested = stateful_nested(c, alt, &recorded->used);
	if (cost.nested)
		cost.unmet = with_scope(c, true, alt, recorded, calls);
	return cost;
}

bool stateful_adds_up(const struct stateful_cost *cost)
{
	return cost->n < 2 && !cost->nested;
}

struct stateful_units stateful_units(const struct class *c, const struct params *alt,
				     const struct params *recorded)
{
	enum trim kind = stateful_kind(alt);
	bool adds = adds_final_trims(alt, recorded);
	struct stateful_units units = {
		.flushes = c->count,
		.targets = c->targets[kind],
		.targets_most = c->targets_most[kind],
		.reached = c->reached[kind],
		.trims = more(c->trims[kind], adds ? c->trims[TRIM_V5_12] : 0),
		.trim_ipis = more(c->ipis[kind], adds ? c->ipis[TRIM_V5_12] : 0),
	};

	units.targets_likely = least(units.targets + more(c->count, units.reached),
				     units.targets_most);
	if (keeps_trims(alt, recorded))
		units.trims = units.trim_ipis = 0;
	return units;
}

static void add_in_scope(struct counts *sum, const struct scope_cost *scope,
			 const struct stateful_units *u)
{
	counts_add(sum, &scope->flush, u->flushes);
	if (!scope->reaches)
		return;
	tally_add(&sum->lo, &scope->target.lo, u->targets);
	tally_add(&sum->likely, &scope->target.likely, u->targets_likely);
	tally_add(&sum->hi, &scope->target.hi, u->targets_most);
	sum->open |= scope->target.open;
	sum->lo.n[COUNT_IPIS] += u->reached * scope->least_ipis;
}

/* Handlers that flushed the whole PID on the CPUs that trims reached; perhaps, in an unsure scope. */
static void add_trims(struct counts *sum, const struct stateful_cost *cost,
		      const struct stateful_units *u)
{
	struct tally trim = { .n = { [COUNT_TLBIEL] = cost->sets, [COUNT_PTESYNC] = 2 } };
	struct tally ipi = { .n[COUNT_IPIS] = 1 };
	struct tally *const ends[] = { &sum->likely, &sum->hi, &sum->lo };

	for (unsigned i = 0; i < (cost->unsure ? 2 : 3); i++) {
		tally_add(ends[i], &trim, u->trims);
		tally_add(ends[i], &ipi, u->trim_ipis);
	}
}

/* Had they been full-mm gathers: an IPI and a trim for each other CPU, then often local. */
static void include_nested(struct counts *sum, const struct stateful_cost *cost,
			   const struct stateful_units *u)
{
	struct counts local = { .open = false };

	counts_add(&local, &cost->unmet, u->flushes);
	counts_include_both(sum, &local);
	sum->hi.n[COUNT_IPIS] += u->targets_most;
	sum->hi.n[COUNT_TLBIEL] += u->targets_most * cost->sets;
	sum->hi.n[COUNT_PTESYNC] += 2 * u->targets_most;
}

/* What they are in the likely scope or in any other that is possible, and their trims. */
static struct counts sum_scopes(const struct stateful_cost *cost, const struct stateful_units *u)
{
	struct counts sum = { .open = false };
	struct counts other = { .open = false };

	add_in_scope(&sum, &cost->in[0], u);
	if (cost->n > 1) {
		add_in_scope(&other, &cost->in[1], u);
		counts_include_both(&sum, &other);
	}
	add_trims(&sum, cost, u);
	if (cost->nested)
		include_nested(&sum, cost, u);
	return sum;
}

void stateful_add(struct counts *sum, const struct stateful_cost *cost,
		  const struct stateful_units *u)
{
	struct counts all;

	if (!cost->n)
		return;
	if (!stateful_adds_up(cost)) {
		all = sum_scopes(cost, u);
		counts_add(sum, &all, 1);
		return;
	}
	add_in_scope(sum, &cost->in[0], u);
	if (cost->trims)
		add_trims(sum, cost, u);
}

struct counts stateful_class(const struct class *c, const struct params *alt,
			     const struct model *recorded, const struct call_evidence *calls)
{
	struct stateful_cost cost = stateful_cost(c, alt, recorded, calls);
	struct stateful_units units = stateful_units(c, alt, &recorded->used);
	struct counts sum = { .open = false };

	stateful_add(&sum, &cost, &units);
	return sum;
}

struct tally stateful_recorded(const struct class *c, const struct model *recorded,
			       const struct call_evidence *calls)
{
	struct tally one = class_recorded(c);
	struct tally sum = { .n = { 0 } };

	if (c->key.asked)
		return stateful_class(c, &recorded->used, recorded, calls).likely;
	tally_add(&sum, &one, c->count);
	return sum;
}

static void add_shoots(struct counts *c, const struct lazy_totals *t, const struct params *alt)
{
	const struct lazy_shots *s = &t->shots[stateful_kind(alt)];

	c->lo.n[COUNT_SHOOT_IPIS] = s->ipis_lo;
	c->likely.n[COUNT_SHOOT_IPIS] = s->ipis_lo;
	c->hi.n[COUNT_SHOOT_IPIS] = s->ipis_hi;
	c->lo.n[COUNT_SHOOT_IPIS_USEFUL] = s->useful_lo;
	c->likely.n[COUNT_SHOOT_IPIS_USEFUL] = s->useful_lo;
	c->hi.n[COUNT_SHOOT_IPIS_USEFUL] = s->useful_hi;
}

/* Trims that the clock's phase, and what was before the trace, can add. */
static void add_unknown_trims(struct counts *c, const struct follow_sums *s,
			      const struct params *alt)
{
	const struct mask_totals *t = &s->totals[stateful_kind(alt)];
	uint64_t ipis = t->clock_ipis + t->hidden_ipis;

	c->hi.n[COUNT_IPIS] = ipis;
	c->hi.n[COUNT_TLBIEL] = ipis * alt->v[PARAM_SETS];
	c->hi.n[COUNT_PTESYNC] = 2 * ipis;
}

struct counts stateful_rest(const struct follower *f, const struct params *alt,
			    const struct params *recorded)
{
	const struct follow_sums *s = follower_sums(f);
	const struct lazy_totals *t = &s->lazy;
	struct counts c = { .open = false };

	if (alt->v[PARAM_LAZY] == LAZY_REFCOUNT) {
		c.lo.n[COUNT_LAZY_ATOMICS] = t->atomics_lo;
		c.likely.n[COUNT_LAZY_ATOMICS] = t->atomics;
		c.hi.n[COUNT_LAZY_ATOMICS] = t->atomics_hi;
	} else {
		add_shoots(&c, t, alt);
	}
	if (stateful_differs(alt, recorded) && !keeps_trims(alt, recorded))
		add_unknown_trims(&c, s, alt);
	return c;
}

struct ipi_target stateful_ipis_to(const struct follower *f, const struct params *alt, uint32_t cpu)
{
	enum trim kind = stateful_kind(alt);
	const struct follow_sums *s = follower_sums(f);
	struct ipi_target to = { .trims = s->totals[kind].trims_to[cpu] };

	if (!alt->v[PARAM_TLBIE] && alt->v[PARAM_GTSE])
		to.flushes = s->totals[kind].global_to[cpu];
	if (alt->v[PARAM_LAZY] != LAZY_REFCOUNT)
		to.shoots = s->shots_to[kind][cpu];
	return to;
}

struct stateful_doubts stateful_doubts(const struct follower *f, const struct params *alt)
{
	const struct follow_sums *s = follower_sums(f);
	const struct mask_totals *t = &s->totals[stateful_kind(alt)];

	return (struct stateful_doubts){
		.no_switches = s->switches == 0,
		.multicast = s->multicast,
		.incomplete = s->incomplete,
		.unsure = t->unsure,
		.clock_ipis = t->clock_ipis,
		.against = s->against,
	};
}

/* Only kernels that trim so end lazy TLB with the final flush. */
static void infer_lazy(struct model *m, enum trim kind)
{
	struct param_fact *fact = &m->fact[PARAM_LAZY];
	uint64_t lazy = m->used.v[PARAM_LAZY];

	if (kind == TRIM_V6_6)
		lazy = LAZY_COMBINED;
	else if (lazy == LAZY_COMBINED)
		lazy = LAZY_SHOOTDOWN;
	if (lazy == m->used.v[PARAM_LAZY])
		return;
	fact->lo = fact->hi = m->used.v[PARAM_LAZY] = lazy;
	fact->evidence = EVIDENCE_TRACE;
	(void)snprintf(fact->why, sizeof(fact->why), "what kernels that trim so do");
}

void stateful_infer(struct model *m, const struct follower *f)
{
	const struct follow_sums *s = follower_sums(f);
	enum trim best = stateful_kind(&m->used);
	struct param_fact *fact = &m->fact[PARAM_TRIM];
	bool lazy_given = m->fact[PARAM_LAZY].evidence == EVIDENCE_OPTION;

	if (s->scope[best].flushes == 0 || fact->evidence == EVIDENCE_OPTION)
		return;
	best = (enum trim)s->fits[best];
	if (lazy_given && best >= TRIM_V5_12)
		best = m->used.v[PARAM_LAZY] == LAZY_COMBINED ? TRIM_V6_6 : TRIM_V5_12;
	fact->lo = fact->hi = m->used.v[PARAM_TRIM] = best;
	fact->evidence = EVIDENCE_TRACE;
	if (!lazy_given)
		infer_lazy(m, best);
	(void)snprintf(fact->why, sizeof(fact->why),
		       "%" PRIu64 " of %" PRIu64 " local bits agree with its rules",
		       s->scope[best].agree, s->scope[best].flushes);
}
