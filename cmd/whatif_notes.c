/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_notes.c - what stands at an edge, what is missing and what is uncertain, in plain words. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/number.h"
#include "cmd/whatif.h"

/* A mass of flushes: shares of the recorded instructions, in percent. */
#define EDGE_PERCENT 10
#define ABOVE_PERCENT 50

struct noter {
	const struct whatif_result *r;
	const struct whatif *w;
	bool thousands;
	void (*fn)(void *arg, enum note_kind kind, const char *text);
	void *arg;
};

static void note(const struct noter *n, enum note_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void note(const struct noter *n, enum note_kind kind, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n->fn(n->arg, kind, text);
}

static struct number num(const struct noter *n, uint64_t value)
{
	return number_of(value, n->thousands);
}

/* Whether the alternative changes anything about this ceiling. */
static bool touches(const struct noter *n, const struct whatif_answer *a, bool local)
{
	enum param id = local ? PARAM_LOCAL_CEILING : PARAM_CEILING;
	const struct params *was = &n->r->model.used;

	return a->params.v[id] != was->v[id] || a->params.v[PARAM_COMPARE] != was->v[PARAM_COMPARE];
}

static bool is_mass(const struct noter *n, const struct edge *e, bool local, unsigned percent)
{
	uint64_t all = n->r->recorded.n[local ? COUNT_TLBIEL : COUNT_TLBIE];

	return e->flushes && e->records >= all / 100 * percent;
}

/* What both notes about an edge begin with. */
struct edge_text {
	char text[400];
};

/* "radix,ceiling=32: 1,269 global flushes have exactly 32 pages of 64K". */
static struct edge_text edge_text(const struct noter *n, const struct whatif_answer *a,
				  const struct edge *e, bool local)
{
	struct edge_text out;

	(void)snprintf(out.text, sizeof(out.text), "%s: %s %s flushes have exactly %s page%s of %s",
		       a->policy->text, num(n, e->flushes).text, local ? "local" : "global",
		       num(n, e->pages).text, e->pages == 1 ? "" : "s", number_size(e->shift).text);
	return out;
}

static void note_at_edge(const struct noter *n, const struct whatif_answer *a, bool local)
{
	const struct edge *e = &a->edges[local];
	struct edge_text begin = edge_text(n, a, e, local);
	const char *option = local ? "local-ceiling" : "ceiling";
	bool is_seed = !local && e->pages == 32 && e->shift == 16;

	if (a->params.v[PARAM_COMPARE] == COMPARE_GE)
		note(n, NOTE_EDGE,
		     "%s: %" PRIu64 " >= %" PRIu64 " holds, so they take the whole PID. With the "
		     "kernel's own comparison (gt) they would stay page by page.",
		     begin.text, e->pages, e->pages);
	else
		note(n, NOTE_EDGE,
		     "%s: %" PRIu64 " > %" PRIu64 " does not hold, so they stay page by page. "
		     "--%s=%" PRIu64 ", or --%s=%" PRIu64 " --compare=ge%s, promotes them.",
		     begin.text, e->pages, e->pages, option, e->pages - 1, option, e->pages,
		     is_seed ? " as in the patch of August 2021" : "");
}

static void note_above_edge(const struct noter *n, const struct whatif_answer *a, bool local)
{
	const struct edge *e = &a->above[local];

	note(n, NOTE_EDGE,
	     "%s, one more than the ceiling: they take the whole PID; a ceiling of %" PRIu64
	     " leaves them page by page.",
	     edge_text(n, a, e, local).text, e->pages);
}

static void note_edges(const struct noter *n, const struct whatif_answer *a)
{
	for (int local = 0; local < 2; local++) {
		if (!touches(n, a, local))
			continue;
		if (a->edges[local].pages && is_mass(n, &a->edges[local], local, EDGE_PERCENT))
			note_at_edge(n, a, local);
		if (a->params.v[PARAM_COMPARE] == COMPARE_GT &&
		    is_mass(n, &a->above[local], local, ABOVE_PERCENT))
			note_above_edge(n, a, local);
	}
}

/* A summary of many traces, or of a part of one. */
static void note_summary(const struct noter *n)
{
	const struct trace_kept *kept = n->r->trace.kept;

	if (!kept)
		return;
	if (kept->inputs > 1)
		note(n, NOTE_DOUBT,
		     "These are the sums of %s traces of one recorded kernel; rates are those of one "
		     "trace, on average.",
		     num(n, kept->inputs).text);
	if (*kept->selection)
		note(n, NOTE_DOUBT, "The summary was made with %s: only that is counted.",
		     kept->selection);
}

static void note_damage(const struct noter *n)
{
	const struct source_info *info = n->r->trace.info;
	bool summed = n->r->trace.kept && n->r->trace.kept->inputs > 1;

	if (n->r->trace.interrupted)
		note(n, NOTE_DOUBT, "Reading was interrupted: only what was read is counted.");
	if (info->truncated)
		note(n, NOTE_DOUBT, "The file is cut off or damaged: %s. The rest of it is counted.",
		     info->truncated_text);
	if (info->lost_events || info->lost_unknown) {
		char places[96] = "";

		if (info->lost_unknown)
			(void)snprintf(places, sizeof(places), "%sin %s place%s an unknown number",
				       info->lost_events ? ", and " : "",
				       num(n, info->lost_unknown).text,
				       info->lost_unknown == 1 ? "" : "s");
		note(n, NOTE_DOUBT,
		     "Events were lost while recording: %s%s. Flushes are missing there, and what a "
		     "gap cuts is counted as it stands. Larger buffers help (trace-cmd record -b).",
		     info->lost_events ? num(n, info->lost_events).text : "", places);
	}
	if (info->unknown_records && summed)
		note(n, NOTE_DOUBT, "%s records have an unknown format: left out.",
		     num(n, info->unknown_records).text);
	else if (info->unknown_records)
		note(n, NOTE_DOUBT,
		     "%s records have an unknown format (the first at offset 0x%" PRIx64
		     "): left out.",
		     num(n, info->unknown_records).text, info->unknown_offset);
	if (n->r->trace.orphan_fixups)
		note(n, NOTE_DOUBT,
		     "%s fixup records stand alone: the flush before them was not recorded.",
		     num(n, n->r->trace.orphan_fixups).text);
}

/* What a trace leaves open about masks, where a policy depends on them. */
static void note_masks(const struct noter *n, const struct params *alt, const char *policy)
{
	const struct follower *f = watch_follower(n->r->watch);
	struct stateful_doubts d;

	if (!f || !stateful_differs(alt, &n->r->model.used))
		return;
	d = stateful_doubts(f, alt);
	if (d.no_switches)
		note(n, NOTE_DOUBT,
		     "%s: no switches of tasks were recorded, so which CPUs an mm was on is known only "
		     "from its flushes and calls. sched:sched_switch tells.",
		     policy);
	if (d.multicast)
		note(n, NOTE_DOUBT,
		     "%s: this kernel flushed by IPI (tlbie off), so no record says which flush would "
		     "have been local: masks follow from switches alone.",
		     policy);
	if (d.clock_ipis)
		note(n, NOTE_DOUBT,
		     "%s: the trim clock fires every %u counted flushes of a CPU, and when it began "
		     "is not known: up to %s more IPIs.",
		     policy, TRIM_CLOCK, num(n, d.clock_ipis).text);
	if (d.against)
		note(n, NOTE_DOUBT,
		     "%s: %s flushes were global though their mm had one user, as far as seen: a "
		     "co-processor, or a user that no event tells of (procfs, ptrace, io_uring).",
		     policy, num(n, d.against).text);
}

static void note_lazy(const struct noter *n, const struct whatif_answer *a)
{
	const struct follower *f = watch_follower(n->r->watch);

	if (f && a->params.v[PARAM_LAZY] != n->r->model.used.v[PARAM_LAZY] &&
	    follower_switches(f) == 0)
		note(n, NOTE_DOUBT,
		     "%s: lazy TLB is a matter of switches, and none were recorded: "
		     "sched:sched_switch tells.",
		     a->policy->text);
}

/* Seed 002's sequence: A1's entries are still there under A's LPID, and A2 would use them. */
static void note_vcpus(const struct noter *n, const struct whatif_answer *a)
{
	if (a->total.hi.n[COUNT_MISSED])
		note(n, NOTE_DOUBT,
		     "%s: %s loads needed an invalidation and got none. In the sequence A1 B1 A2 (vCPUs "
		     "of VMs A and B on one CPU) A2 then runs with A1's translations: this variant is "
		     "unsafe.",
		     a->policy->text, num(n, a->total.hi.n[COUNT_MISSED]).text);
	if (watch_guessed(n->r->watch))
		note(n, NOTE_DOUBT,
		     "%s: of %s vCPU threads no record says which VM they are of; taken from the order of "
		     "their thread ids. The task events, or a recording from before QEMU starts, tell.",
		     a->policy->text, num(n, watch_guessed(n->r->watch)).text);
	if (a->total.hi.n[COUNT_VCPU_LOADS] == 0)
		note(n, NOTE_DOUBT,
		     "%s: no thread is named as QEMU names its vCPUs (CPU n/KVM, CPU n/TCG).",
		     a->policy->text);
}

static void note_policy(const struct noter *n, const struct whatif_answer *a)
{
	if (policy_is_of_vcpus(a->policy->kind)) {
		note_vcpus(n, a);
		return;
	}
	note_masks(n, &a->params, a->policy->text);
	note_lazy(n, a);
}

/* Single pages outside of calls that unmap: what flush_tlb_fix_spurious_fault() wrote looks so too. */
static uint64_t flushes_of_faults(const struct class_table *classes)
{
	const struct class *c = NULL;
	uint64_t n = 0;

	while ((c = class_next_counted(classes, c))) {
		const struct class_key *k = &c->key;

		if (k->shape == SHAPE_VA && k->pages == 1 && !k->irq && k->context != CONTEXT_CALL &&
		    k->cause != CAUSE_EXEC && k->cause != CAUSE_KTHREAD)
			n += c->count;
	}
	return n;
}

static bool has_era_beyond(const struct noter *n, bool before_v4_18)
{
	for (size_t i = 0; i < n->w->n_policies; i++) {
		const struct params *alt = &n->r->answers[i].params;

		if (policy_is_comparable(n->w->policies[i].kind) &&
		    (alt->v[PARAM_ERA] < ERA_V4_18) == before_v4_18)
			return true;
	}
	return false;
}

/* Seed 004's patch 7: from v4.18 on a spurious fault flushes nothing. */
static void note_spurious(const struct noter *n)
{
	bool recorded_before = n->r->model.used.v[PARAM_ERA] < ERA_V4_18;
	uint64_t faults = flushes_of_faults(n->r->trace.classes);

	if (n->r->x86 || !has_era_beyond(n, !recorded_before))
		return;
	if (!recorded_before)
		note(n, NOTE_DOUBT,
		     "Kernels before v4.18 also flush a page after each spurious fault. The recorded "
		     "kernel does not, so no trace of it has these, and what such an era is given here "
		     "is without them.");
	else if (faults)
		note(n, NOTE_DOUBT,
		     "Kernels from v4.18 on flush nothing after spurious faults. The recorded one did, and "
		     "any of %s flushes of one page outside of system calls may be such a flush: with "
		     "a later era they may be as many fewer.",
		     num(n, faults).text);
}

static void note_no_flushes(const struct noter *n)
{
	if (!whatif_has_flushes(n->r) && !watch_vcpus(n->r->watch))
		note(n, NOTE_DOUBT,
		     "powerpc:tlbie was not recorded: nothing is known of flushes, and what is 0 here is "
		     "not counted.");
}

static void note_hash(const struct noter *n)
{
	if (whatif_is_hash(n->r))
		note(n, NOTE_DOUBT,
		     "This kernel used the hash MMU, which is not modelled: its records name neither "
		     "process nor address. They are counted, and no policy says anything of them.");
}

/* What instructions would have shown of the machine. */
static void note_computed(const struct noter *n)
{
	const struct model *m = &n->r->model;
	enum evidence fixups = m->fact[PARAM_FIXUPS].evidence;
	enum evidence ceiling = m->fact[PARAM_CEILING].evidence;
	char value[48];

	if (!n->r->trace.asked)
		return;
	param_format(PARAM_FIXUPS, m->used.v[PARAM_FIXUPS], value, sizeof(value));
	if (!n->r->x86 && (fixups == EVIDENCE_DEFAULT || fixups == EVIDENCE_UNAME))
		note(n, NOTE_DOUBT,
		     "Which processor it was is not noted: taken for one with fixups %s and %" PRIu64
		     " sets. --recorded=fixups=erat+stq,sets=128 (POWER9) or fixups=none,sets=1 "
		     "(POWER10) says it; one flush of a page is 3 tlbie or 1.",
		     value, m->used.v[PARAM_SETS]);
	if (ceiling == EVIDENCE_DEFAULT || ceiling == EVIDENCE_UNAME)
		note(n, NOTE_DOUBT,
		     "The ceiling that was in force is not noted: taken for %" PRIu64
		     ". --recorded=ceiling=N says it; policies with a ceiling of their own do not "
		     "depend on it.",
		     m->used.v[PARAM_CEILING]);
	if (!n->r->x86)
		note(n, NOTE_DOUBT,
		     "A probe that is hit while another runs on the same CPU is missed: mostly those of "
		     "handlers that trim a mask, %" PRIu64 " tlbiel each.",
		     m->used.v[PARAM_SETS]);
}

/* The widest doubt of this reason over all alternatives, or that of the recorded policy. */
static struct doubt widest(const struct noter *n, enum doubt_reason reason, const char **policy)
{
	struct doubt best = { .flushes = 0 };

	*policy = "recorded policy";
	if (n->w->n_policies == 0)
		return n->r->doubts[reason];
	for (size_t i = 0; i < n->w->n_policies; i++) {
		const struct doubt *d = &n->r->answers[i].doubts[reason];

		if (d->width < best.width || d->flushes == 0)
			continue;
		best = *d;
		*policy = n->w->policies[i].text;
	}
	return best;
}

/* What only x86 leaves open. */
static void note_x86(const struct noter *n)
{
	const struct x86_strays *strays = trace_x86_strays(&n->r->trace);
	const struct tally *lo = &n->r->derived.lo;
	const struct tally *hi = &n->r->derived.hi;

	if (!n->r->x86 || !strays)
		return;
	if (lo->n[COUNT_IPIS] != hi->n[COUNT_IPIS] && n->r->trace.asked)
		note(n, NOTE_DOUBT,
		     "Which CPUs flushed is not recorded: those that ran the mm for certain, others "
		     "that may have had it perhaps.");
	else if (lo->n[COUNT_IPIS] != hi->n[COUNT_IPIS])
		note(n, NOTE_DOUBT,
		     "Which CPUs got an IPI is not recorded. The events ipi:ipi_send_cpu and "
		     "ipi:ipi_send_cpumask (v6.4) tell; sched:sched_switch and "
		     "irq_vectors:call_function_entry narrow it down.");
	if (n->r->model.fact[PARAM_PTI].evidence == EVIDENCE_DEFAULT)
		note(n, NOTE_DOUBT,
		     "Whether the kernel isolated page tables (PTI) is not in a trace: taken as off. "
		     "--recorded=pti=on says otherwise.");
	if (strays->orphans)
		note(n, NOTE_DOUBT,
		     "%s flushes by IPI have no request in the trace, or one with a clock that "
		     "differs too much: each is counted as what it did.",
		     num(n, strays->orphans).text);
	if (strays->switch_flushes)
		note(n, NOTE_DOUBT,
		     "%s flushes at a switch of tasks are left out: the switch writes CR3 under every "
		     "policy.",
		     num(n, strays->switch_flushes).text);
	if (strays->unknown)
		note(n, NOTE_DOUBT, "%s tlb_flush events have a reason that is not known: left out.",
		     num(n, strays->unknown).text);
}

static void note_doubts(const struct noter *n)
{
	static const char *const texts[DOUBTS] = {
		[DOUBT_NO_CALLS] = "may be one request or several each: no system calls of these tasks were "
				   "recorded. Record the entry and exit of munmap, mprotect, madvise, mremap, brk "
				   "and shmdt (ipc) too",
		[DOUBT_CALL] = "inside of system calls may be one request or several each: nothing stands "
			       "between the records. Probes on radix__tlb_flush and radix__flush_tlb_range "
			       "tell",
		[DOUBT_OUTSIDE] = "outside of system calls that unmap may be one request or several each. Probes "
				  "on radix__flush_tlb_range and radix__flush_tlb_page tell",
		[DOUBT_CENSORED] = "of the whole PID would perhaps go page by page, and how many pages they were "
				   "is not recorded. A recording with a higher ceiling tells, and so do probes on "
				   "radix__tlb_flush and radix__flush_tlb_range",
		[DOUBT_HCALL] = "by hypervisor call may be of any size: the call's record does not tell. "
				"Probes on radix__tlb_flush and radix__flush_tlb_range tell; which fixups a "
				"broadcast would have had only --recorded=fixups=",
		[DOUBT_SCOPE] = "may be local or global, for want of what was before the trace: who was in "
				"the mask, and the phase of the trim clock. A recording that begins before "
				"the program does leaves only the clock",
		[DOUBT_NESTED] = "may have become flushes of the whole mm because two threads unmapped at "
				 "once, and not by the ceiling: before those this policy trims the mask by "
				 "IPI. A probe on radix__tlb_flush tells",
	};

	static const char x86[] = "of everything would perhaps go page by page, and how many pages they "
				  "were is not recorded. A recording with a higher ceiling tells, and so "
				  "does a probe on flush_tlb_mm_range";

	for (size_t i = 0; i < DOUBTS; i++) {
		const char *policy;
		struct doubt d = widest(n, (enum doubt_reason)i, &policy);

		if (d.flushes)
			note(n, NOTE_DOUBT,
			     "%s: %s flush%s %s. They make %s instructions uncertain.", policy,
			     num(n, d.flushes).text, d.flushes == 1 ? "" : "es",
			     n->r->x86 ? x86 : texts[i], num(n, d.width).text);
	}
}

void whatif_notes(const struct whatif_result *r, const struct whatif *w, bool thousands,
		  void (*fn)(void *arg, enum note_kind kind, const char *text), void *arg)
{
	struct noter n = { r, w, thousands, fn, arg };

	for (size_t i = 0; i < w->n_policies; i++)
		if (policy_is_comparable(w->policies[i].kind))
			note_edges(&n, &r->answers[i]);
	for (size_t i = 0; i < w->n_policies; i++)
		note_policy(&n, &r->answers[i]);
	note_summary(&n);
	note_damage(&n);
	if (whatif_is_of_vcpus(w))
		return;
	note_no_flushes(&n);
	note_computed(&n);
	note_hash(&n);
	note_spurious(&n);
	note_doubts(&n);
	note_x86(&n);
}
