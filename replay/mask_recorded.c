/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mask_recorded.c - the recorded kernel's mask, corrected by the evidence of its records. */
#include <string.h>

#include "replay/cpumask.h"
#include "replay/mask_state.h"

/* The clock of the recorded kernel has fired at this flush, or has not. */
static void set_clocks(struct masks *m, uint32_t cpu, bool fired)
{
	for (unsigned i = TRIM_V5_12; i < TRIMS; i++)
		m->by_cpu[MACHINE_LATE + i].ticks[cpu] = fired ? TRIM_CLOCK - 1 : 0;
}

/*
 * Whether another thread has sent the trims, whose flush comes later: the sender handles none, and
 * sends one to every other CPU of the mask. Where gathers beside each other trim too, those of two
 * can mix; a flush of the whole mm then takes them all.
 */
bool recorded_trims_are_others(const struct masks *m, struct mask_mm *mm,
			       const struct mask_question *q, const struct flush *f)
{
	const uint64_t *handled = mask_row(m, mm, ROW_HANDLED);
	const uint64_t *mask = mask_row(m, mm, ROW_RECORDED);

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
	const uint64_t *mask = mask_row(m, mm, ROW_RECORDED);
	const uint64_t *trimmed = mask_row(m, mm, ROW_TRIMMED);

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

	return mask_trims_of(mm) && recorded == MACHINE_LOCAL && a->ticked &&
	       a->scope == MACHINE_GLOBAL && possible;
}

static void judge(struct masks *m, enum trim kind, const struct mask_mm *mm,
		  const struct mask_question *q, uint8_t recorded, const struct mask_answer *a)
{
	struct mask_scope *s = &m->counts.scope[kind];
	bool changed = mask_trims_of(mm) || (mm->last && mm->last != recorded);
	bool predicted = a->ipis || (mm->last && mm->last != a->scope);

	s->flushes++;
	s->agree += a->scope == recorded;
	s->same += !mm->last || mm->last == recorded;
	s->trims_recorded += mask_trims_of(mm);
	s->trims_predicted += a->ipis;
	if (kind >= TRIM_V5_12 && is_clock_trim(m, q, mm, recorded, a)) {
		s->clock_trims++;
		return;
	}
	s->changes += changed;
	s->changes_predicted += changed && a->scope == recorded && !a->ipis == !mask_trims_of(mm);
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
	uint64_t *mask = mask_row(m, mm, ROW_RECORDED);

	if (recorded == MACHINE_LOCAL && q->users <= 1) {
		memset(mask, 0, m->words * sizeof(uint64_t));
		cpus_add(mask, q->cpu);
	}
	if (recorded == MACHINE_LOCAL && (mask_trims_of(mm) || q->users <= 1)) {
		mm->crowded = false;
	} else if (recorded == MACHINE_GLOBAL && q->mine && q->users <= 1) {
		m->counts.against += q->against;
		mm->crowded = true;
	}
	if (recorded == MACHINE_LOCAL)
		mm->hidden = false;
	else if (cpus_others(mask, m->words, q->cpu) == 0 && cpus_have(mask, q->cpu))
		mm->hidden = true;
	mm->complete_recorded |= recorded == MACHINE_LOCAL;
	mm->last = recorded;
	if (mm->others_trims)
		return;
	memset(mask_row(m, mm, ROW_TRIMMED), 0, m->words * sizeof(uint64_t));
	memset(mask_row(m, mm, ROW_HANDLED), 0, m->words * sizeof(uint64_t));
	mm->trims = 0;
}

void recorded_follow_rules(struct masks *m, struct mask_mm *mm, const struct mask_question *q,
			   enum trim kind)
{
	(void)mask_decide(kind, mask_row(m, mm, ROW_RECORDED), m->words, NULL, q, NULL);
}

/* What the rules say of a mask that the recorded trims have made. */
static uint8_t settle(struct masks *m, const struct flush *f, const struct mask_mm *mm,
		      const struct mask_question *q, enum trim kind)
{
	uint8_t scope = predict(m, kind, mm, q).scope;
	/* From v6.6 on a gather beside another one trims too, and is global if others run the mm. */
	bool nested = kind == TRIM_V6_6 && f->shape == SHAPE_ALL;

	if (q->beside && mask_trims_of(mm))
		return cpus_others(mask_row(m, (struct mask_mm *)mm, ROW_RECORDED), m->words, q->cpu)
			       ? MACHINE_GLOBAL
			       : MACHINE_LOCAL;
	return mask_trims_of(mm) && scope == MACHINE_GLOBAL && !q->fullmm && !nested ? MACHINE_LOCAL
										     : scope;
}

void recorded_view(struct masks *m, struct space *space, const struct flush *f,
		   const struct mask_question *q, enum trim kind, struct mask_view *view)
{
	struct mask_mm *mm = space->ext;

	mask_before(m, mm);
	view->before = m->scratch[0];
	view->predicted = predict(m, kind, mm, q).scope;
	view->mask = *mask_row(m, mm, ROW_RECORDED);
	memcpy(m->scratch, mask_row(m, mm, ROW_RECORDED), m->words * sizeof(uint64_t));
	view->settled = settle(m, f, mm, q, kind);
	view->complete = space->born || mm->complete_recorded;
}

bool recorded_compare(struct masks *m, struct space *space, const struct mask_question *q,
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
