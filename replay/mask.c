/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mask.c - machines that replay mm_cpumask. */
#include "replay/mask.h"

#include <stdlib.h>
#include <string.h>

/*
 * The machines. The clock's phase is unknown: for kinds that have one, a second machine has the
 * other end of what it can be, and where both differ nobody knows. Where the recorded kernel had the
 * clock too, the first machine's fires when its records show that it did.
 */
enum {
	MACHINE_LATE = 0,      /* [TRIMS]: the clock has just fired, or fires as recorded */
	MACHINE_EARLY = TRIMS, /* [2]: it fires at once, TRIM_V5_12 and TRIM_V6_6 */
	MACHINES = TRIMS + 2,
	ROW_RECORDED = MACHINES, /* the recorded kernel's mask */
	ROW_TRIMMED,		 /* CPUs that left it by trims since the mm's last flush */
	ROW_HANDLED,		 /* all that handled such trims, or came only after the first */
	ROWS
};

/* What a space has at ext. */
struct mask_mm {
	uint64_t version; /* another one whenever anything below changes */
	uint8_t last;	  /* MACHINE_*: recorded scope of its last flush */
	bool hidden;	  /* flushed globally where no other CPU is known: one is, or a copro */
	bool crowded; /* flushed globally where a single user would have trimmed: there are more */
	bool complete[MACHINES];
	bool complete_recorded;
	uint32_t trims;	   /* recorded since its last flush, or since the one before if others' */
	bool others_trims; /* the flush in question has not sent them */
	uint64_t rows[];
};

/* By CPU. */
struct machine_cpus {
	uint64_t *trims_to;
	uint64_t *global_to;
	uint16_t *ticks;
};

/* All that flushes add up. Nothing but numbers of 64 bits: differences are taken word by word. */
struct counts_of_machine {
	uint64_t scope[MACHINE_SCOPES];
	uint64_t unsure;
	uint64_t ipis;
	uint64_t trims;
	uint64_t ticks;
};

struct mask_counts {
	struct counts_of_machine machine[MACHINES];
	struct mask_scope scope[TRIMS];
	uint64_t incomplete;
	uint64_t against;
};

#define COUNT_WORDS (sizeof(struct mask_counts) / sizeof(uint64_t))

/*
 * A CPU's last flush, if it left its mm as it was: the next one that asks the same of the same mm,
 * still unchanged, gets the same answers. It is only counted, and added up when that ends.
 */
struct steady {
	const struct space *space; /* NULL: none */
	uint64_t version;	   /* mask_mm.version */
	uint32_t users;
	bool mine;
	bool fullmm;
	bool beside;
	bool nested;
	bool local;
	bool kept;	   /* what follows is known: the same was asked twice */
	uint32_t ticked;   /* a bit for each machine whose clock counts it */
	bool clock_counts; /* the recorded kernel's does */
	uint64_t times;	   /* not yet in the sums */
	struct observation seen;
	struct mask_counts each; /* what one flush adds */
	uint64_t *masks;	 /* the machines' rows */
};

struct masks {
	uint32_t cpus;
	size_t words;
	uint64_t *scratch;
	uint64_t *running;
	struct machine_cpus by_cpu[MACHINES];
	struct mask_counts counts;
	uint32_t *since_clock; /* by CPU: counted flushes since a recorded clock trim */
	bool *clock_seen;      /* by CPU */
	uint32_t *stray; /* by CPU: hardware PID of a trim whose mm was not known then, or 0 */
	uint32_t strays; /* at most so many are not 0 */
	struct steady *steady; /* by CPU */
	uint64_t *steady_masks;
	struct mask_mm *before;
	uint64_t versions; /* given out */
	bool multicast;
	enum trim recorded; /* as the recorded kernel's release says */
};

static enum trim kind_of(unsigned machine)
{
	return machine < TRIMS ? (enum trim)machine
			       : (enum trim)(machine - MACHINE_EARLY + TRIM_V5_12);
}

static bool is_in(const uint64_t *mask, uint32_t cpu)
{
	return mask[cpu / 64] >> (cpu % 64) & 1;
}

static void add_cpu(uint64_t *mask, uint32_t cpu)
{
	mask[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static void drop_cpu(uint64_t *mask, uint32_t cpu)
{
	mask[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

static uint16_t weight(const uint64_t *mask, size_t words)
{
	unsigned n = 0;

	for (size_t i = 0; i < words; i++)
		n += (unsigned)__builtin_popcountll(mask[i]);
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

static uint16_t others(const uint64_t *mask, size_t words, uint32_t cpu)
{
	return (uint16_t)(weight(mask, words) - is_in(mask, cpu));
}

/*
 * exit_flush_lazy_tlbs(): an IPI to each CPU of the mask but the own. Each flushes, and leaves the
 * mask unless it runs a task of the mm; before a665eec0a22e the sender set the mask to itself.
 */
static void trim_others(enum trim kind, uint64_t *mask, size_t words, const struct mask_question *q,
			uint64_t *sent, struct mask_answer *a)
{
	for (size_t word = 0; word < words; word++) {
		for (uint64_t left = mask[word]; left; left &= left - 1) {
			uint32_t cpu = (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(left);

			if (cpu == q->cpu)
				continue;
			a->ipis++;
			a->trims++;
			if (sent)
				sent[cpu]++;
			if (kind == TRIM_V4_18 || !is_in(q->running, cpu))
				drop_cpu(mask, cpu);
		}
	}
	if (kind == TRIM_V4_18)
		add_cpu(mask, q->cpu);
}

static void trim_self(uint64_t *mask, const struct mask_question *q, struct mask_answer *a)
{
	drop_cpu(mask, q->cpu);
	a->trims++;
}

static bool clock_fires(uint16_t *tick, struct mask_answer *a)
{
	a->ticked = true;
	if (!tick || ++*tick < TRIM_CLOCK)
		return false;
	*tick = 0;
	a->fired = true;
	return true;
}

/* Rows 7 to 11 of policies 2.3, and 1 to 4 before them. */
static uint8_t flush_type_needed(enum trim kind, uint64_t *mask, size_t words, uint16_t *tick,
				 const struct mask_question *q, uint64_t *sent,
				 struct mask_answer *a)
{
	uint16_t active = weight(mask, words);
	bool self = is_in(mask, q->cpu);

	if (active == 0)
		return MACHINE_NONE;
	if (active == 1 && self) {
		if (q->mine || !clock_fires(tick, a))
			return MACHINE_LOCAL;
		trim_self(mask, q, a);
		return MACHINE_NONE;
	}
	if (q->fullmm && kind != TRIM_V6_6)
		return MACHINE_GLOBAL;
	if (!(q->users <= 1 && q->mine) && !clock_fires(tick, a))
		return MACHINE_GLOBAL;
	trim_others(kind, mask, words, q, sent, a);
	if (q->mine)
		return MACHINE_LOCAL;
	if (self)
		trim_self(mask, q, a);
	return MACHINE_NONE;
}

/* v4.15 to v5.11: mm_is_thread_local(), and from v4.18 mm_is_singlethreaded(). */
static uint8_t thread_local_rule(enum trim kind, uint64_t *mask, size_t words,
				 const struct mask_question *q, uint64_t *sent,
				 struct mask_answer *a)
{
	if (weight(mask, words) <= 1 && is_in(mask, q->cpu))
		return MACHINE_LOCAL;
	if (kind == TRIM_NONE || q->fullmm || !q->mine || q->users > 1)
		return MACHINE_GLOBAL;
	trim_others(kind, mask, words, q, sent, a);
	return MACHINE_LOCAL;
}

struct mask_answer mask_decide(enum trim kind, uint64_t *mask, size_t words, uint16_t *tick,
			       const struct mask_question *q, uint64_t *sent)
{
	struct mask_answer a = { .scope = MACHINE_NONE };

	if (kind < TRIM_V5_12) {
		a.scope = thread_local_rule(kind, mask, words, q, sent, &a);
	} else {
		if (kind == TRIM_V6_6 && q->fullmm)
			trim_others(kind, mask, words, q, sent, &a);
		a.scope = flush_type_needed(kind, mask, words, tick, q, sent, &a);
		/* The other thread mostly runs, or is back on its CPU before the mask is asked. */
		if (q->beside && a.scope == MACHINE_LOCAL && a.ipis) {
			a.scope = MACHINE_GLOBAL;
			a.targets = a.ipis;
			return a;
		}
	}
	a.targets = a.scope == MACHINE_GLOBAL ? others(mask, words, q->cpu) : 0;
	return a;
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

struct masks *masks_new(uint32_t cpus, enum trim recorded)
{
	struct masks *m = calloc(1, sizeof(*m));
	bool ok;

	if (!m)
		return NULL;
	m->cpus = cpus ? cpus : 1;
	m->recorded = recorded;
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

static uint64_t *row(const struct masks *m, struct mask_mm *mm, unsigned which)
{
	return mm->rows + which * m->words;
}

static void changed(struct masks *m, struct mask_mm *mm)
{
	mm->version = ++m->versions;
}

void masks_ran(struct masks *m, struct space *space, uint32_t cpu)
{
	struct mask_mm *mm = space->ext;
	bool is_new = false;

	for (unsigned i = 0; i <= ROW_RECORDED; i++) {
		uint64_t *mask = row(m, mm, i);

		is_new |= !is_in(mask, cpu);
		add_cpu(mask, cpu);
	}
	if (!is_new)
		return;
	/* Whoever sends the trims that are under way did not know of it. */
	if (mm->trims)
		add_cpu(row(m, mm, ROW_HANDLED), cpu);
	changed(m, mm);
}

void masks_offline(struct masks *m, struct space *space, uint32_t cpu)
{
	for (unsigned i = 0; i <= ROW_RECORDED; i++) {
		enum trim kind = i == ROW_RECORDED ? m->recorded : kind_of(i);

		if (kind >= TRIM_V5_10)
			drop_cpu(row(m, space->ext, i), cpu);
	}
	changed(m, space->ext);
}

/* The recorded kernel has trimmed cpu. */
static void take_trim(struct masks *m, struct mask_mm *mm, uint32_t cpu, bool runs)
{
	mm->trims++;
	changed(m, mm);
	add_cpu(row(m, mm, ROW_HANDLED), cpu);
	if (runs || !is_in(row(m, mm, ROW_RECORDED), cpu))
		return;
	drop_cpu(row(m, mm, ROW_RECORDED), cpu);
	add_cpu(row(m, mm, ROW_TRIMMED), cpu);
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
	if (is_in(mask, self))
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
			add_cpu(m->running, cpu);
}

/* One machine's turn. complete becomes true where a trim has reached every CPU of the mask. */
static struct mask_answer run_machine(struct masks *m, unsigned which, struct space *space,
				      const struct mask_question *q)
{
	struct counts_of_machine *counts = &m->counts.machine[which];
	struct machine_cpus *to = &m->by_cpu[which];
	uint64_t *mask = row(m, space->ext, which);
	struct mask_answer a = mask_decide(kind_of(which), mask, m->words, &to->ticks[q->cpu], q,
					   to->trims_to);

	if (a.scope == MACHINE_GLOBAL)
		note_targets(m, to->global_to, mask, q->cpu, 1);
	counts->scope[a.scope]++;
	counts->ipis += a.ipis;
	counts->trims += a.trims;
	counts->ticks += a.ticked;
	return a;
}

/* A mask from before the trace may have had more CPUs: then the flush was not local. */
static bool may_be_incomplete(const struct space *space, const struct mask_mm *mm, unsigned which,
			      const struct mask_answer *a)
{
	return !space->born && !mm->complete[which] && a->scope != MACHINE_GLOBAL && a->ipis == 0;
}

/* The clock of the recorded kernel has fired at this flush, or has not. */
static void set_clocks(struct masks *m, uint32_t cpu, bool fired)
{
	for (unsigned i = TRIM_V5_12; i < TRIMS; i++)
		m->by_cpu[MACHINE_LATE + i].ticks[cpu] = fired ? TRIM_CLOCK - 1 : 0;
}

static void run_machines(struct masks *m, struct space *space, const struct mask_question *q,
			 struct observation *seen, struct mask_answer a[MACHINES])
{
	struct mask_mm *mm = space->ext;

	for (unsigned i = 0; i < MACHINES; i++) {
		a[i] = run_machine(m, i, space, q);
		mm->complete[i] |= a[i].ipis > 0;
	}
	for (unsigned i = 0; i < TRIMS; i++) {
		unsigned early = i >= TRIM_V5_12 ? MACHINE_EARLY + i - TRIM_V5_12 : i;
		bool unsure = may_be_incomplete(space, mm, i, &a[i]) ||
			      a[i].scope != a[early].scope ||
			      (q->against && a[i].scope == MACHINE_LOCAL);

		m->counts.machine[i].unsure += unsure;
		seen->scope[i] = (uint8_t)(a[i].scope | (unsure ? MACHINE_UNSURE : 0));
		seen->ipis[i] = a[i].ipis;
		seen->trims[i] = a[i].trims;
		seen->targets[i] = a[i].targets;
	}
	if (q->nested && a[TRIM_V6_6].scope == MACHINE_GLOBAL)
		seen->scope[TRIM_V6_6] |= MACHINE_NESTED;
	if (q->beside)
		seen->scope[TRIM_V6_6] |= MACHINE_UNSURE;
}

/* Trims that this flush may have sent. */
static uint32_t trims_of(const struct mask_mm *mm)
{
	return mm->others_trims ? 0 : mm->trims;
}

/*
 * Whether another thread has sent the trims, whose flush comes later: the sender handles none, and
 * sends one to every other CPU of the mask. Where gathers beside each other trim too, those of two
 * can mix; a flush of the whole mm then takes them all.
 */
static bool are_others_trims(const struct masks *m, struct mask_mm *mm,
			     const struct mask_question *q, const struct flush *f)
{
	const uint64_t *handled = row(m, mm, ROW_HANDLED);
	const uint64_t *mask = row(m, mm, ROW_RECORDED);

	if (!mm->trims || q->users <= 1 || (m->recorded == TRIM_V6_6 && f->shape == SHAPE_ALL))
		return false;
	for (size_t i = 0; i < m->words; i++) {
		uint64_t self = i == q->cpu / 64 ? UINT64_C(1) << (q->cpu % 64) : 0;

		if ((handled[i] & self) || (mask[i] & ~handled[i] & ~self))
			return true;
	}
	return false;
}

/* The recorded kernel's mask as it was before the trims since the mm's last flush. */
static void mask_before(struct masks *m, struct mask_mm *mm)
{
	const uint64_t *mask = row(m, mm, ROW_RECORDED);
	const uint64_t *trimmed = row(m, mm, ROW_TRIMMED);

	for (size_t i = 0; i < m->words; i++)
		m->scratch[i] = mm->others_trims ? mask[i] : mask[i] | trimmed[i];
}

/*
 * Takes what the recording shows against the rules: users and CPUs that no event tells of, and that
 * there is a flush at all, which is none where the own CPU is not in the mask.
 */
static struct mask_answer predict(struct masks *m, enum trim kind, const struct mask_mm *mm,
				  const struct mask_question *q)
{
	struct mask_question known = *q;
	struct mask_answer a;

	if (mm->crowded && known.users < 2)
		known.users = 2;
	a = mask_decide(kind, m->scratch, m->words, NULL, &known, NULL);
	if (a.scope == MACHINE_NONE)
		a.scope = MACHINE_LOCAL;
	if (mm->hidden && a.scope == MACHINE_LOCAL && a.ipis == 0 &&
	    !(known.users <= 1 && known.mine))
		a.scope = MACHINE_GLOBAL;
	return a;
}

/*
 * Only the clock explains a trim of a mm that the rules would flush globally; and the clock counts:
 * the first one on a CPU can come at any time, the next after about TRIM_CLOCK counted flushes.
 */
static bool is_clock_trim(struct masks *m, const struct mask_question *q, const struct mask_mm *mm,
			  uint8_t recorded, const struct mask_answer *a)
{
	bool possible = !m->clock_seen[q->cpu] ||
			m->since_clock[q->cpu] + TRIM_CLOCK / 16 >= TRIM_CLOCK;

	return trims_of(mm) && recorded == MACHINE_LOCAL && a->ticked &&
	       a->scope == MACHINE_GLOBAL && possible;
}

static void judge(struct masks *m, enum trim kind, const struct mask_mm *mm,
		  const struct mask_question *q, uint8_t recorded, const struct mask_answer *a)
{
	struct mask_scope *s = &m->counts.scope[kind];
	bool changed = trims_of(mm) || (mm->last && mm->last != recorded);
	bool predicted = a->ipis || (mm->last && mm->last != a->scope);

	s->flushes++;
	s->agree += a->scope == recorded;
	s->same += !mm->last || mm->last == recorded;
	s->trims_recorded += trims_of(mm);
	s->trims_predicted += a->ipis;
	if (kind >= TRIM_V5_12 && is_clock_trim(m, q, mm, recorded, a)) {
		s->clock_trims++;
		return;
	}
	s->changes += changed;
	s->changes_predicted += changed && a->scope == recorded && !a->ipis == !trims_of(mm);
	s->changes_false += predicted && !changed;
}

/* Lets the clock of the recorded kernel run, as far as its trims show it: true where it fired. */
static bool follow_clock(struct masks *m, const struct mask_question *q, const struct mask_mm *mm,
			 uint8_t recorded, const struct mask_answer *a)
{
	m->since_clock[q->cpu] += a->ticked;
	if (!is_clock_trim(m, q, mm, recorded, a))
		return false;
	m->clock_seen[q->cpu] = true;
	m->since_clock[q->cpu] = 0;
	return true;
}

/*
 * The local bit corrects what the mask was thought to be. In a single-threaded mm a local flush
 * shows that nobody else is in it; in others CPUs that run it stay, though the flush is local.
 */
static void take_evidence(struct masks *m, struct mask_mm *mm, const struct mask_question *q,
			  uint8_t recorded)
{
	uint64_t *mask = row(m, mm, ROW_RECORDED);

	if (recorded == MACHINE_LOCAL && q->users <= 1) {
		memset(mask, 0, m->words * sizeof(uint64_t));
		add_cpu(mask, q->cpu);
	}
	if (recorded == MACHINE_LOCAL && (trims_of(mm) || q->users <= 1)) {
		mm->crowded = false;
	} else if (recorded == MACHINE_GLOBAL && q->mine && q->users <= 1) {
		m->counts.against += q->against;
		mm->crowded = true;
	}
	if (recorded == MACHINE_LOCAL)
		mm->hidden = false;
	else if (others(mask, m->words, q->cpu) == 0 && is_in(mask, q->cpu))
		mm->hidden = true;
	mm->complete_recorded |= recorded == MACHINE_LOCAL;
	mm->last = recorded;
	if (mm->others_trims)
		return;
	memset(row(m, mm, ROW_TRIMMED), 0, m->words * sizeof(uint64_t));
	memset(row(m, mm, ROW_HANDLED), 0, m->words * sizeof(uint64_t));
	mm->trims = 0;
}

/* tlbie_enabled=0: neither local bits nor handlers tell anything, the rules do alone. */
static void follow_rules(struct masks *m, struct mask_mm *mm, const struct mask_question *q,
			 enum trim kind)
{
	(void)mask_decide(kind, row(m, mm, ROW_RECORDED), m->words, NULL, q, NULL);
}

/* What the rules say of a mask that the recorded trims have made. */
static uint8_t settle(struct masks *m, const struct flush *f, const struct mask_mm *mm,
		      const struct mask_question *q, enum trim kind)
{
	uint8_t scope = predict(m, kind, mm, q).scope;
	/* From v6.6 on a gather beside another one trims too, and is global if others run the mm. */
	bool nested = kind == TRIM_V6_6 && f->shape == SHAPE_ALL;

	if (q->beside && trims_of(mm))
		return others(row(m, (struct mask_mm *)mm, ROW_RECORDED), m->words, q->cpu)
			       ? MACHINE_GLOBAL
			       : MACHINE_LOCAL;
	return trims_of(mm) && scope == MACHINE_GLOBAL && !q->fullmm && !nested ? MACHINE_LOCAL
										: scope;
}

static void fill_view(struct masks *m, struct space *space, const struct flush *f,
		      const struct mask_question *q, enum trim kind, struct mask_view *view)
{
	struct mask_mm *mm = space->ext;

	mask_before(m, mm);
	view->before = m->scratch[0];
	view->predicted = predict(m, kind, mm, q).scope;
	view->mask = *row(m, mm, ROW_RECORDED);
	memcpy(m->scratch, row(m, mm, ROW_RECORDED), m->words * sizeof(uint64_t));
	view->settled = settle(m, f, mm, q, kind);
	view->complete = space->born || mm->complete_recorded;
}

/* What the recorded kernel did beside what the rules say; true where the clock counted the flush. */
static bool compare_recorded(struct masks *m, struct space *space, const struct mask_question *q,
			     uint8_t recorded)
{
	struct mask_mm *mm = space->ext;
	struct mask_answer a[TRIMS];
	bool fired;

	if (!space->born && !mm->complete_recorded)
		m->counts.incomplete++;
	for (unsigned kind = 0; kind < TRIMS; kind++) {
		mask_before(m, mm);
		a[kind] = predict(m, (enum trim)kind, mm, q);
		judge(m, (enum trim)kind, mm, q, recorded, &a[kind]);
	}
	fired = follow_clock(m, q, mm, recorded, &a[TRIM_V5_12]);
	if (m->recorded >= TRIM_V5_12)
		set_clocks(m, q->cpu, fired);
	take_evidence(m, mm, q, recorded);
	return a[TRIM_V5_12].ticked;
}

/* ---- flushes that change nothing ---- */

static bool is_same_question(const struct steady *s, const struct space *space,
			     const struct mask_question *q, bool local)
{
	return s->space == space && s->version == ((struct mask_mm *)space->ext)->version &&
	       s->users == q->users && s->mine == q->mine && s->fullmm == q->fullmm &&
	       s->beside == q->beside && s->nested == q->nested && s->local == local;
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

static void note_question(struct steady *s, const struct space *space,
			  const struct mask_question *q, bool local)
{
	s->space = space;
	s->version = ((struct mask_mm *)space->ext)->version;
	s->users = q->users;
	s->mine = q->mine;
	s->fullmm = q->fullmm;
	s->beside = q->beside;
	s->nested = q->nested;
	s->local = local;
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
	if (m->multicast)
		follow_rules(m, space->ext, q, TRIM_V5_12);
	else if (f->scope_open)
		follow_rules(m, space->ext, q, m->recorded);
	else
		asked.clock_counts = compare_recorded(m, space, q,
						      f->local ? MACHINE_LOCAL : MACHINE_GLOBAL);
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
	memcpy(s->masks, row(m, mm, 0), MACHINES * m->words * sizeof(uint64_t));
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
		changed(m, space->ext);
	else if (!has_trimmed(asked.a))
		note_question(s, space, q, f->local);
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

	if (shows && f->shape == SHAPE_ALL && trims_of(mm) && (!f->local || q->users > 1))
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
	struct mask_question q = {
		.cpu = f->cpu,
		.mine = what->mine,
		.fullmm = what->fullmm,
	};
	struct mask_mm *mm;
	bool again;

	if (!space)
		return;
	mm = space->ext;
	q.users = space->users;
	q.running = m->running;
	take_strays(m, ts, space);
	mm->others_trims = are_others_trims(m, mm, &q, f);
	take_nested(m, mm, what->nested, f, &q);
	if (view) {
		find_running(m, ts, space);
		fill_view(m, space, f, &q, kind, view);
	}
	q.against = !f->local && !f->scope_open && !m->multicast && q.mine && q.users <= 1 &&
		    !q.fullmm;
	again = is_same_question(&m->steady[q.cpu], space, &q, f->local);
	if (view || !again || !answer_steady(m, &m->steady[q.cpu], q.cpu, f))
		decide(m, ts, space, &q, f, again);
}

void masks_kernel(struct masks *m, struct flush *f)
{
	memset(m->scratch, 0xff, m->words * sizeof(uint64_t));
	for (unsigned i = 0; i < TRIMS; i++) {
		note_targets(m, m->by_cpu[i].global_to, m->scratch, f->cpu, 1);
		f->seen.scope[i] = MACHINE_GLOBAL;
		f->seen.targets[i] = (uint16_t)(m->cpus - 1);
	}
}

uint32_t masks_others(const struct masks *m, const struct space *space, enum trim kind,
		      uint32_t cpu, const uint64_t *among, uint32_t *in_among)
{
	const uint64_t *mask = row(m, space->ext, kind);
	uint32_t n = 0;

	*in_among = 0;
	for (uint32_t c = 0; c < m->cpus; c++) {
		if (c == cpu || !is_in(mask, c))
			continue;
		n++;
		*in_among += is_in(among, c);
	}
	return n;
}

bool masks_has(const struct masks *m, const struct space *space, enum trim kind, uint32_t cpu)
{
	return is_in(row(m, space->ext, kind), cpu);
}

const struct mask_scope *masks_scope(const struct masks *m, enum trim kind)
{
	return &m->counts.scope[kind];
}

struct mask_totals masks_totals(const struct masks *m, enum trim kind)
{
	const struct counts_of_machine *c = &m->counts.machine[kind];
	struct mask_totals t = {
		.unsure = c->unsure,
		.ipis = c->ipis,
		.trims = c->trims,
		.ticks = c->ticks,
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
