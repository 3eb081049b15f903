/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info_facts.c - what a reading tells: evidence, gaps, open parameters, contradictions. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/info.h"

/* Records whose event's name begins with it. */
static uint64_t events_of(const struct whatif_result *r, const char *prefix)
{
	const struct source_info *info = r->trace.info;
	uint64_t sum = 0;

	for (size_t i = 0; i < info->n_counts; i++)
		if (strncmp(info->counts[i].name, prefix, strlen(prefix)) == 0)
			sum += info->counts[i].count;
	return sum;
}

static bool is_enabled(const struct whatif_result *r, const char *name)
{
	const struct source_info *info = r->trace.info;

	for (size_t i = 0; i < info->n_counts; i++)
		if (strcmp(info->counts[i].name, name) == 0)
			return info->counts[i].enabled;
	return false;
}

static bool is_perf(const struct whatif_result *r)
{
	return strncmp(r->trace.info->format, "perf", 4) == 0;
}

static const char *flush_event(const struct whatif_result *r)
{
	return r->x86 ? "tlb:tlb_flush" : "powerpc:tlbie";
}

static uint64_t ipi_events(const struct whatif_result *r)
{
	return events_of(r, "ipi:ipi_send_") + events_of(r, "irq_vectors:call_function");
}

/* perf.data tells of tasks in records of its own. */
static uint64_t task_events(const struct whatif_result *r)
{
	return events_of(r, "task:") + events_of(r, "sched:sched_process_");
}

static void find_has(struct info_facts *f, const struct whatif_result *r)
{
	const struct info_has has[INFO_HAS] = {
		{ "flush_records", events_of(r, flush_event(r)) },
		{ "switches", r->trace.switches },
		{ "task_events", task_events(r) },
		{ "system_calls", r->trace.syscalls },
		{ "requests", r->trace.requests },
		{ "ipi_events", ipi_events(r) },
		{ "hypervisor_calls", events_of(r, "powerpc:hcall_entry") },
	};

	memcpy(f->has, has, sizeof(has));
	f->n_has = INFO_HAS - (has[INFO_HAS - 1].events == 0);
}

static void lack(struct info_facts *f, const char *what, const char *record, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void lack(struct info_facts *f, const char *what, const char *record, const char *fmt, ...)
{
	struct info_lack *l = &f->lacks[f->n_lacks++];
	va_list ap;

	l->what = what;
	l->record = record;
	va_start(ap, fmt);
	(void)vsnprintf(l->cost, sizeof(l->cost), fmt, ap);
	va_end(ap);
}

static void find_no_flushes(struct info_facts *f, const struct whatif_result *r)
{
	bool enabled = is_enabled(r, flush_event(r));

	if (r->trace.asked && r->trace.requests) {
		lack(f, "flush_records", flush_event(r),
		     "only requests were recorded: counts of instructions are computed, also those of "
		     "the policy that ran, and nothing shows whether they are true");
		return;
	}
	if (events_of(r, flush_event(r)))
		return;
	lack(f, "flush_records", flush_event(r),
	     enabled ? "%s never fired: all counts are 0"
		     : "%s was not recorded: nothing can be predicted",
	     flush_event(r));
}

/* Where no probe said what was asked for. */
static void find_no_requests(struct info_facts *f, const struct whatif_result *r)
{
	uint64_t guessed = r->fidelity.known[KNOWN_AMBIGUOUS];
	uint64_t hidden = r->fidelity.known[KNOWN_CENSORED];

	if (r->trace.requests || guessed + hidden == 0)
		return;
	lack(f, "requests",
	     r->x86 ? "a probe on flush_tlb_mm_range"
		    : "probes on radix__tlb_flush and radix__flush_tlb_range",
	     "for how many pages %" PRIu64 " of %" PRIu64
	     " groups of records were asked is open: where a policy needs it, predictions are intervals",
	     guessed + hidden, r->fidelity.flushes);
}

static void find_lacks(struct info_facts *f, const struct whatif_result *r)
{
	find_no_flushes(f, r);
	if (r->trace.switches == 0)
		lack(f, "switches", "sched:sched_switch",
		     "which CPUs may hold an mm's translations is not known, nor whose tasks ran");
	if (!task_events(r) && !is_perf(r))
		lack(f, "task_events",
		     "task:task_newtask, sched:sched_process_fork, _exec and _exit",
		     "threads and processes look alike, and an mm may be taken for its predecessor");
	if (r->trace.syscalls == 0 && events_of(r, flush_event(r)))
		lack(f, "system_calls",
		     "syscalls:sys_enter_* and sys_exit_* of munmap, mprotect, madvise, mremap, brk, "
		     "shmdt (ipc) and exit_group",
		     r->x86 ? "causes of flushes are not known"
			    : "causes of flushes are not known, and pages in a row may be one request "
			      "or several");
	find_no_requests(f, r);
	if (r->x86 && ipi_events(r) == 0)
		lack(f, "ipi_events", "ipi:ipi_send_cpu and ipi:ipi_send_cpumask (v6.4)",
		     "how many CPUs a flush was sent to is only bounded");
}

static const char *what_tells(enum param id, bool x86)
{
	switch (id) {
	case PARAM_CEILING:
	case PARAM_LOCAL_CEILING:
		return x86 ? "longer flushes by page, or shorter ones of everything, or the file "
			     "tlb_single_page_flush_ceiling of debugfs"
			   : "longer flushes by page, or shorter ones of a whole PID, or the files "
			     "tlb_*single_page_flush_ceiling of debugfs";
	case PARAM_FIXUPS:
		return "one global flush";
	case PARAM_SETS:
		return "one local flush of a whole PID";
	case PARAM_PTI:
		return "/sys/devices/system/cpu/vulnerabilities/meltdown of that machine";
	case PARAM_INVLPGB:
		return "invlpgb among the flags of its /proc/cpuinfo";
	default:
		return "a recording in which it matters";
	}
}

static void find_open(struct info_facts *f, const struct whatif_result *r)
{
	for (size_t i = 0; i < PARAMS; i++) {
		const struct param_fact *fact = &r->model.fact[i];
		enum param id = (enum param)i;

		if (param_applies(id, r->x86) && fact->lo != fact->hi)
			f->open[f->n_open++] = (struct info_open){ id, what_tells(id, r->x86) };
	}
}

static void contradict(struct info_facts *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void contradict(struct info_facts *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(f->contradictions[f->n_contradictions],
			sizeof(f->contradictions[f->n_contradictions]), fmt, ap);
	va_end(ap);
	f->n_contradictions++;
}

/* A ceiling's bounds come from the trace even where its value is the default. */
static bool is_seen(enum param id, const struct param_fact *alone)
{
	return alone->evidence == EVIDENCE_TRACE || id == PARAM_CEILING || id == PARAM_LOCAL_CEILING;
}

/* The user says what the trace excludes. */
static void find_overruled(struct info_facts *f, const struct whatif_result *r, enum param id,
			   const struct param_fact *alone)
{
	uint64_t used = r->model.used.v[id];
	char said[48];

	if (r->model.fact[id].evidence != EVIDENCE_OPTION || !is_seen(id, alone) ||
	    (used >= alone->lo && used <= alone->hi))
		return;
	param_format(id, used, said, sizeof(said));
	contradict(f, "%s=%s is what --recorded says; the trace shows otherwise: %s",
		   param_keys[id], said, alone->why);
}

/* What was noted of the machine when it was recorded, and the records exclude. */
static void find_misnoted(struct info_facts *f, const struct whatif_result *r, enum param id,
			  const struct param_fact *alone)
{
	uint64_t value;
	char noted[48];

	if (alone->evidence != EVIDENCE_TRACE || !metadata_param(&r->trace.metadata, id, &value) ||
	    (value >= alone->lo && value <= alone->hi))
		return;
	param_format(id, value, noted, sizeof(noted));
	contradict(f, "%s=%s was noted when this was recorded; the trace shows otherwise: %s",
		   param_keys[id], noted, alone->why);
}

/* What a kernel release fixes; the rest depends on the machine or can be set. */
static bool follows_from_release(enum param id)
{
	return id == PARAM_RANGE || id == PARAM_TABLES || id == PARAM_BARRIERS || id == PARAM_PWC ||
	       id == PARAM_TRIM || id == PARAM_LAZY;
}

/* The trace shows what the kernel's release has not: a backport, or another configuration. */
static void find_backport(struct info_facts *f, const struct whatif_result *r, enum param id,
			  const struct param_fact *alone)
{
	unsigned era = era_of_release(r->trace.info->kernel);
	struct params preset;
	char seen[48];
	char usual[48];

	if (era == ERAS || !follows_from_release(id) || alone->evidence != EVIDENCE_TRACE)
		return;
	preset = params_of_era(era);
	if (preset.v[id] >= alone->lo && preset.v[id] <= alone->hi)
		return;
	param_format(id, alone->lo, seen, sizeof(seen));
	param_format(id, preset.v[id], usual, sizeof(usual));
	contradict(f, "%s is %s in the trace (%s), and %s in mainline's %s", param_keys[id], seen,
		   alone->why, usual, r->trace.info->kernel);
}

static void find_contradictions(struct info_facts *f, const struct whatif_result *r,
				const struct model *alone)
{
	for (size_t i = 0; i < PARAMS; i++) {
		enum param id = (enum param)i;
		const struct param_fact *fact = &alone->fact[i];

		if (!param_applies(id, r->x86))
			continue;
		if (strncmp(fact->why, "contradictory", 13) == 0)
			contradict(f, "%s is %s", param_keys[i], fact->why);
		find_overruled(f, r, id, fact);
		find_misnoted(f, r, id, fact);
		if (!r->x86)
			find_backport(f, r, id, fact);
	}
}

void info_find(struct info_facts *out, const struct whatif_result *r, const struct model *alone)
{
	*out = (struct info_facts){ .n_has = 0 };
	find_has(out, r);
	find_lacks(out, r);
	find_open(out, r);
	find_contradictions(out, r, alone);
}
