/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mask.c - machines that replay mm_cpumask. */
#include "replay/mask.h"

#include <stdlib.h>
#include <string.h>

#include "replay/cpumask.h"
#include "replay/mask_state.h"

static enum trim kind_of(unsigned machine)
{
	return machine < TRIMS ? (enum trim)machine
			       : (enum trim)(machine - MACHINE_EARLY + TRIM_V5_12);
}

static bool make_steady(struct masks *m)
{
	size_t each = MACHINES * m->words;

	m->steady = calloc(m->cpus, sizeof(struct steady));
	m->steady_masks = calloc(m->cpus * each, sizeof(uint64_t));
	if (!m->steady || !m->steady_masks)
		return false;
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		m->steady[cpu].masks = m->steady_masks + cpu * each;
	return true;
}

struct masks *masks_new(uint32_t cpus, enum trim recorded, bool named)
{
	struct masks *m = calloc(1, sizeof(*m));
	bool ok;

	if (!m)
		return NULL;
	m->cpus = cpus ? cpus : 1;
	m->recorded = recorded;
	m->named = named;
	m->words = (m->cpus + 63) / 64;
	m->scratch = calloc(m->words, sizeof(uint64_t));
	m->running = calloc(m->words, sizeof(uint64_t));
	m->since_clock = calloc(m->cpus, sizeof(uint32_t));
	m->clock_seen = calloc(m->cpus, sizeof(bool));
	m->stray = calloc(m->cpus, sizeof(uint32_t));
	m->before = calloc(1, masks_ext_bytes(m));
	ok = m->scratch && m->running && m->since_clock && m->clock_seen && m->stray && m->before &&
	     make_steady(m);
	for (unsigned i = 0; i < MACHINES && ok; i++) {
		struct machine_cpus *s = &m->by_cpu[i];

		s->trims_to = calloc(m->words * 64, sizeof(uint64_t));
		s->global_to = calloc(m->words * 64, sizeof(uint64_t));
		s->ticks = calloc(m->cpus, sizeof(uint16_t));
		ok = s->trims_to && s->global_to && s->ticks;
		for (uint32_t cpu = 0; ok && i >= MACHINE_EARLY && cpu < m->cpus; cpu++)
			s->ticks[cpu] = TRIM_CLOCK - 1;
	}
	if (ok)
		return m;
	masks_free(m);
	return NULL;
}

void masks_free(struct masks *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < MACHINES; i++) {
		free(m->by_cpu[i].trims_to);
		free(m->by_cpu[i].global_to);
		free(m->by_cpu[i].ticks);
	}
	free(m->scratch);
	free(m->running);
	free(m->since_clock);
	free(m->clock_seen);
	free(m->stray);
	free(m->steady);
	free(m->steady_masks);
	free(m->before);
	free(m);
}

size_t masks_ext_bytes(const struct masks *m)
{
	return sizeof(struct mask_mm) + ROWS * m->words * sizeof(uint64_t);
}

void masks_ran(struct masks *m, struct space *space, uint32_t cpu)
{
	struct mask_mm *mm = space->ext;
	bool is_new = false;

	for (unsigned i = 0; i <= ROW_RECORDED; i++) {
		uint64_t *mask = mask_row(m, mm, i);

		is_new |= !cpus_have(mask, cpu);
		cpus_add(mask, cpu);
	}
	if (!is_new)
		return;
	/* Whoever sends the trims that are under way did not know of it. */
	if (mm->trims)
		cpus_add(mask_row(m, mm, ROW_HANDLED), cpu);
	mask_changed(m, mm);
}

void masks_offline(struct masks *m, struct space *space, uint32_t cpu)
{
	for (unsigned i = 0; i <= ROW_RECORDED; i++) {
		enum trim kind = i == ROW_RECORDED ? m->recorded : kind_of(i);

		if (kind >= TRIM_V5_10)
			cpus_drop(mask_row(m, space->ext, i), cpu);
	}
	mask_changed(m, space->ext);
}

/* The recorded kernel has trimmed cpu. */
static void take_trim(struct masks *m, struct mask_mm *mm, uint32_t cpu, bool runs)
{
	mm->trims++;
	mask_changed(m, mm);
	cpus_add(mask_row(m, mm, ROW_HANDLED), cpu);
	if (runs || !cpus_have(mask_row(m, mm, ROW_RECORDED), cpu))
		return;
	cpus_drop(mask_row(m, mm, ROW_RECORDED), cpu);
	cpus_add(mask_row(m, mm, ROW_TRIMMED), cpu);
}

/* The first flush of a mm says which one it is; the trims before it wait for that. */
static void take_strays(struct masks *m, const struct taskstate *ts, struct space *space)
{
	for (uint32_t cpu = 0; m->strays && cpu < m->cpus; cpu++) {
		if (!m->stray[cpu] || m->stray[cpu] != space->hw_pid)
			continue;
		m->stray[cpu] = 0;
		m->strays--;
		take_trim(m, space->ext, cpu, ts_cpu(ts, cpu)->cur == space);
	}
}

/* `times` flushes of GLOBAL scope on self concern the CPUs of mask. */
static void note_targets(const struct masks *m, uint64_t *global_to, const uint64_t *mask,
			 uint32_t self, uint64_t times)
{
	for (size_t word = 0; word < m->words; word++)
		for (uint64_t left = mask[word]; left; left &= left - 1)
			global_to[word * 64 + (unsigned)__builtin_ctzll(left)] += times;
	if (cpus_have(mask, self))
		global_to[self] -= times;
}

/* Adds up what a CPU's steady flushes were, and ends them. */
static void settle_steady(struct masks *m, uint32_t cpu)
{
	struct steady *s = &m->steady[cpu];
	uint64_t *sums = (uint64_t *)&m->counts;
	const uint64_t *each = (const uint64_t *)&s->each;

	for (size_t i = 0; s->kept && i < COUNT_WORDS; i++)
		sums[i] += s->times * each[i];
	for (unsigned i = 0; s->kept && i < MACHINES; i++)
		if (s->each.machine[i].scope[MACHINE_GLOBAL])
			note_targets(m, m->by_cpu[i].global_to, s->masks + i * m->words, cpu,
				     s->times);
	s->space = NULL;
	s->kept = false;
	s->times = 0;
}

void masks_settle(struct masks *m)
{
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		settle_steady(m, cpu);
}

/* What was compared so far were shares of multicast flushes, whose local bits say no scope. */
static void begin_multicast(struct masks *m)
{
	masks_settle(m);
	m->multicast = true;
	memset(m->counts.scope, 0, sizeof(m->counts.scope));
	m->counts.incomplete = 0;
}

void masks_handler(struct masks *m, const struct taskstate *ts, const struct run *run)
{
	struct space *space = ts_space(ts, run->hw_pid);

	if (!m->multicast && (run->kind == TLBIE_VA || run->kind == TLBIE_PID))
		begin_multicast(m);
	if (m->multicast || run->kind != TLBIE_ALL || !run->local)
		return;
	if (!space || space->left) {
		m->strays += !m->stray[run->cpu];
		m->stray[run->cpu] = run->hw_pid;
	} else {
		take_trim(m, space->ext, run->cpu, ts_cpu(ts, run->cpu)->cur == space);
	}
}

static void find_running(struct masks *m, const struct taskstate *ts, const struct space *space)
{
	memset(m->running, 0, m->words * sizeof(uint64_t));
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		if (ts_cpu(ts, cpu)->cur == space)
			cpus_add(m->running, cpu);
}

/*
 * A mask that kernels of this kind trim less than the recorded one has all of its CPUs: what was global
 * is so there too, and what was local is so where they trim more.
 */
static bool is_global_too(const struct masks *m, enum trim kind, const struct mask_question *q)
{
	return q->recorded == MACHINE_GLOBAL && kind <= (m->named ? m->recorded : TRIM_NONE);
}

static bool is_local_too(const struct masks *m, enum trim kind, const struct mask_question *q)
{
	return q->recorded == MACHINE_LOCAL && kind >= (m->named ? m->recorded : TRIM_V6_6) &&
	       q->mine && !q->beside;
}

/* One machine's turn. */
static struct mask_answer run_machine(struct masks *m, unsigned which, struct space *space,
				      const struct mask_question *q)
{
	struct counts_of_machine *counts = &m->counts.machine[which];
	struct machine_cpus *to = &m->by_cpu[which];
	uint64_t *mask = mask_row(m, space->ext, which);
	struct mask_question known = *q;
	struct mask_answer a;

	if (q->against)
		known.users++;
	a = mask_decide(kind_of(which), mask, m->words, &to->ticks[q->cpu], &known, to->trims_to);
	if (is_global_too(m, kind_of(which), q))
		a.scope = MACHINE_GLOBAL;
	if (a.scope == MACHINE_GLOBAL) {
		a.targets = cpus_others(mask, m->words, q->cpu);
		note_targets(m, to->global_to, mask, q->cpu, 1);
	}
	counts->scope[a.scope]++;
	counts->ipis += a.ipis;
	counts->trims += a.trims;
	counts->ticks += a.ticked;
	return a;
}

/*
 * Follows what is known of an mm that was there before the trace: the CPUs in its mask, and its users.
 * Trims without the clock come of a single user; where the kernel has a clock, of two of them one had
 * another cause, as it fires only after many global flushes.
 */
static void learn_of_before(const struct masks *m, struct mask_mm *mm, const struct mask_question *q)
{
	uint8_t proof = m->recorded >= TRIM_V5_12 || !m->named ? 2 : 1;

	if (q->recorded == MACHINE_GLOBAL && q->mine && !q->fullmm) {
		mm->alone = 0;
		memset(mm->complete, 0, sizeof(mm->complete));
	} else if (q->proves && mm->alone < proof) {
		mm->alone++;
	}
	if (m->recorded >= TRIM_V4_18 && mm->alone == proof && q->mine && q->users <= 1)
		for (unsigned kind = TRIM_V4_18; kind < TRIMS; kind++)
			mm->complete[kind] = true;
}

bool masks_open(const struct space *space, enum trim kind)
{
	const struct mask_mm *mm = space->ext;

	return !space->born && !mm->complete[kind];
}

/* Trims that CPUs and users from before the trace may have had. */
static void count_hidden(struct masks *m, enum trim kind, bool open, bool met,
			 const struct mask_question *q)
{
	struct counts_of_machine *counts = &m->counts.machine[kind];

	counts->open += open;
	if (open && kind != TRIM_NONE)
		counts->hidden += met ? q->trims : m->cpus - 1;
}

static void tell(struct masks *m, const struct space *space, enum trim kind,
		 const struct mask_question *q, const struct mask_answer a[MACHINES],
		 struct observation *seen)
{
	const struct mask_answer *late = &a[kind];
	const struct mask_answer *early = kind >= TRIM_V5_12 ? &a[MACHINE_EARLY + kind - TRIM_V5_12]
							     : late;
	bool open = masks_open(space, kind);
	bool hidden = open || q->against || (late->scope == MACHINE_GLOBAL && !late->targets);
	/* However many were in the mask, this kind has trimmed all of them. */
	bool trimmed = kind == TRIM_V6_6 && q->fullmm && !q->beside;
	bool may_differ = late->scope != MACHINE_GLOBAL && hidden && !trimmed &&
			  !is_local_too(m, kind, q);
	bool unsure = late->scope != early->scope || may_differ;

	m->counts.machine[kind].unsure += unsure;
	count_hidden(m, kind, open, ((struct mask_mm *)space->ext)->met, q);
	seen->scope[kind] = (uint8_t)(late->scope | (unsure ? MACHINE_UNSURE : 0) |
				      (may_differ || (hidden && late->ipis) ? MACHINE_OPEN : 0));
	seen->ipis[kind] = late->ipis;
	seen->trims[kind] = late->trims;
	seen->targets[kind] = late->targets;
	seen->targets_most[kind] = late->targets > early->targets ? late->targets : early->targets;
	if (hidden)
		seen->targets_most[kind] = (uint16_t)(m->cpus - 1);
}

/* Every machine's turn, and what all of them say of the flush. */
static void run_machines(struct masks *m, struct space *space, const struct mask_question *q,
			 struct observation *seen, struct mask_answer a[MACHINES])
{
	struct mask_mm *mm = space->ext;

	for (unsigned i = 0; i < MACHINES; i++)
		a[i] = run_machine(m, i, space, q);
	if (!space->born)
		learn_of_before(m, mm, q);
	for (unsigned kind = 0; kind < TRIMS; kind++)
		tell(m, space, (enum trim)kind, q, a, seen);
	mm->met = true;
	if (q->nested && a[TRIM_V6_6].scope == MACHINE_GLOBAL)
		seen->scope[TRIM_V6_6] |= MACHINE_NESTED;
	if (q->beside)
		seen->scope[TRIM_V6_6] |= MACHINE_UNSURE;
}

/* ---- flushes that change nothing ---- */

static bool is_same_question(const struct steady *s, const struct space *space,
			     const struct mask_question *q)
{
	const struct mask_question *last = &s->question;

	return s->space == space && s->version == ((struct mask_mm *)space->ext)->version &&
	       last->cpu == q->cpu && last->users == q->users && last->mine == q->mine &&
	       last->fullmm == q->fullmm && last->beside == q->beside && last->nested == q->nested &&
	       last->against == q->against && last->recorded == q->recorded &&
	       last->proves == q->proves && last->trims == q->trims && last->running == q->running;
}

/* Lets all clocks count; false, and none has, where one would fire. */
static bool tick_all(struct masks *m, uint32_t ticked, uint32_t cpu)
{
	for (uint32_t left = ticked; left; left &= left - 1)
		if (m->by_cpu[__builtin_ctz(left)].ticks[cpu] + 1u >= TRIM_CLOCK)
			return false;
	for (uint32_t left = ticked; left; left &= left - 1)
		m->by_cpu[__builtin_ctz(left)].ticks[cpu]++;
	return true;
}

static bool answer_steady(struct masks *m, struct steady *s, uint32_t cpu, struct flush *f)
{
	if (!s->kept || !tick_all(m, s->ticked, cpu))
		return false;
	m->since_clock[cpu] += s->clock_counts;
	s->times++;
	f->seen = s->seen;
	return true;
}

static bool has_trimmed(const struct mask_answer a[MACHINES])
{
	for (unsigned i = 0; i < MACHINES; i++)
		if (a[i].ipis || a[i].trims || a[i].fired)
			return true;
	return false;
}

static void note_question(struct steady *s, const struct space *space, const struct mask_question *q)
{
	s->space = space;
	s->version = ((struct mask_mm *)space->ext)->version;
	s->question = *q;
}

/* One that asks every machine: its answers. */
struct asked {
	struct mask_answer a[MACHINES];
	bool clock_counts;
};

static struct asked ask_machines(struct masks *m, const struct taskstate *ts, struct space *space,
				 const struct mask_question *q, struct flush *f)
{
	struct asked asked = { .clock_counts = false };

	find_running(m, ts, space);
	if (m->multicast || f->scope_open)
		recorded_follow_rules(m, space->ext, q, m->recorded);
	else
		asked.clock_counts = recorded_compare(m, space, q, q->recorded);
	run_machines(m, space, q, &f->seen, asked.a);
	return asked;
}

/* Keeps what the flush has answered and, against m->counts as it was before, added. */
static void keep_answers(const struct masks *m, struct steady *s, struct mask_mm *mm,
			 const struct observation *seen, const struct asked *asked,
			 const struct mask_counts *before)
{
	uint64_t *each = (uint64_t *)&s->each;

	s->kept = true;
	s->clock_counts = asked->clock_counts;
	s->seen = *seen;
	s->ticked = 0;
	for (unsigned i = 0; i < MACHINES; i++)
		s->ticked |= (uint32_t)asked->a[i].ticked << i;
	for (size_t i = 0; i < COUNT_WORDS; i++)
		each[i] = ((const uint64_t *)&m->counts)[i] - ((const uint64_t *)before)[i];
	memcpy(s->masks, mask_row(m, mm, 0), MACHINES * m->words * sizeof(uint64_t));
}

/* Asks every machine; again: the same as the CPU's last flush did. */
static void decide(struct masks *m, const struct taskstate *ts, struct space *space,
		   const struct mask_question *q, struct flush *f, bool again)
{
	struct steady *s = &m->steady[q->cpu];
	struct mask_counts before;
	struct asked asked;

	settle_steady(m, q->cpu);
	if (again)
		before = m->counts;
	memcpy(m->before, space->ext, masks_ext_bytes(m));
	asked = ask_machines(m, ts, space, q, f);
	if (memcmp(m->before, space->ext, masks_ext_bytes(m)) != 0)
		mask_changed(m, space->ext);
	else if (!has_trimmed(asked.a))
		note_question(s, space, q);
	if (again && s->space)
		keep_answers(m, s, space->ext, &f->seen, &asked, &before);
}

/*
 * A kernel of v6.6 and later trims before a full-mm gather, also where it is one only because another
 * is under way; what its records show of trims tells whether it was. Others' records do not.
 */
static void take_nested(const struct masks *m, const struct mask_mm *mm, enum ts_nested nested,
			const struct flush *f, struct mask_question *q)
{
	bool shows = m->recorded == TRIM_V6_6 && !m->multicast;

	if (shows && f->shape == SHAPE_ALL && mask_trims_of(mm) && (!f->local || q->users > 1))
		nested = TS_NESTED_YES;
	else if (shows && nested == TS_NESTED_MAYBE)
		nested = TS_NESTED_NO;
	q->beside = nested == TS_NESTED_YES;
	q->fullmm |= q->beside;
	q->nested = nested == TS_NESTED_MAYBE;
}

void masks_flush(struct masks *m, const struct taskstate *ts, const struct ts_flush *what,
		 struct flush *f, enum trim kind, struct mask_view *view)
{
	struct space *space = what->space;
	struct mask_question q;
	struct mask_mm *mm;
	bool again;

	if (!space)
		return;
	mm = space->ext;
	take_strays(m, ts, space);
	memset(&q, 0, sizeof(q)); /* compared as a whole */
	q.cpu = f->cpu;
	q.users = space->users;
	q.mine = what->mine;
	q.fullmm = what->fullmm;
	q.running = m->running;
	mm->others_trims = recorded_trims_are_others(m, mm, &q, f);
	q.trims = mask_trims_of(mm);
	take_nested(m, mm, what->nested, f, &q);
	if (view) {
		find_running(m, ts, space);
		recorded_view(m, space, f, &q, kind, view);
	}
	if (!m->multicast && !f->scope_open)
		q.recorded = f->local ? MACHINE_LOCAL : MACHINE_GLOBAL;
	q.proves = q.recorded == MACHINE_LOCAL && q.trims && q.mine && f->shape != SHAPE_ALL;
	q.against = q.recorded == MACHINE_GLOBAL && m->recorded >= TRIM_V4_18 && q.mine &&
		    q.users <= 1 && !q.fullmm;
	again = is_same_question(&m->steady[q.cpu], space, &q);
	if (view || !again || !answer_steady(m, &m->steady[q.cpu], q.cpu, f))
		decide(m, ts, space, &q, f, again);
}

void masks_kernel(struct masks *m, struct flush *f)
{
	memset(m->scratch, 0xff, m->words * sizeof(uint64_t));
	for (unsigned i = 0; i < TRIMS; i++) {
		note_targets(m, m->by_cpu[i].global_to, m->scratch, f->cpu, 1);
		f->seen.scope[i] = MACHINE_GLOBAL;
		f->seen.targets[i] = f->seen.targets_most[i] = (uint16_t)(m->cpus - 1);
	}
}

uint32_t masks_others(const struct masks *m, const struct space *space, enum trim kind,
		      uint32_t cpu, const uint64_t *among, uint32_t *in_among)
{
	const uint64_t *mask = mask_row(m, space->ext, kind);
	uint32_t n = 0;

	*in_among = 0;
	for (uint32_t c = 0; c < m->cpus; c++) {
		if (c == cpu || !cpus_have(mask, c))
			continue;
		n++;
		*in_among += cpus_have(among, c);
	}
	return n;
}

bool masks_has(const struct masks *m, const struct space *space, enum trim kind, uint32_t cpu)
{
	return cpus_have(mask_row(m, space->ext, kind), cpu);
}

const struct mask_scope *masks_scope(const struct masks *m, enum trim kind)
{
	return &m->counts.scope[kind];
}

/* Of flushes that other users may have made global, a clock that started anywhere counts each. */
static uint64_t hidden_ipis(const struct masks *m, enum trim kind)
{
	const struct counts_of_machine *c = &m->counts.machine[kind];
	uint64_t fires = c->open / TRIM_CLOCK + (c->open < m->cpus ? c->open : m->cpus);

	return kind >= TRIM_V5_12 ? c->hidden + fires * (m->cpus - 1) : c->hidden;
}

struct mask_totals masks_totals(const struct masks *m, enum trim kind)
{
	const struct counts_of_machine *c = &m->counts.machine[kind];
	struct mask_totals t = {
		.unsure = c->unsure,
		.ipis = c->ipis,
		.trims = c->trims,
		.ticks = c->ticks,
		.hidden_ipis = hidden_ipis(m, kind),
		.trims_to = m->by_cpu[kind].trims_to,
		.global_to = m->by_cpu[kind].global_to,
	};

	memcpy(t.scope, c->scope, sizeof(t.scope));
	if (kind >= TRIM_V5_12) {
		uint64_t early = m->counts.machine[MACHINE_EARLY + kind - TRIM_V5_12].ipis;

		t.clock_ipis = early > t.ipis ? early - t.ipis : t.ipis - early;
	}
	return t;
}

bool masks_multicast(const struct masks *m)
{
	return m->multicast;
}

uint64_t masks_incomplete(const struct masks *m)
{
	return m->counts.incomplete;
}

uint64_t masks_against(const struct masks *m)
{
	return m->counts.against;
}
