/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy.c - parsing of alternatives. */
#include "replay/policy.h"

#include <stdio.h>
#include <string.h>

#include "analyze/suggest.h"
#include "replay/e500mc.h"
#include "replay/target.h"

static const enum counter radix_counters[] = {
	COUNT_FLUSHES,	    COUNT_PROMOTED,	COUNT_TLBIE,
	COUNT_TLBIE_VA,	    COUNT_TLBIE_PID,	COUNT_TLBIE_PWC,
	COUNT_TLBIE_FIXUP,  COUNT_TLBIE_KERNEL, COUNT_TLBIE_LPID,
	COUNT_TLBIE_HASH,   COUNT_TLBIEL,	COUNT_IPIS,
	COUNT_LAZY_ATOMICS, COUNT_SHOOT_IPIS,	COUNT_SHOOT_IPIS_USEFUL,
	COUNT_PTESYNC,	    COUNT_TLBSYNC,	COUNT_HCALLS,
	COUNTERS,
};

static const enum counter x86_counters[] = {
	COUNT_FLUSHES, COUNT_PROMOTED, COUNT_INVLPG, COUNT_CR3_WRITES,
	COUNT_INVLPGB, COUNT_IPIS,     COUNTERS,
};

static const enum counter arm64_counters[] = { COUNT_FLUSHES, COUNT_PROMOTED, COUNT_TLBI, COUNT_DSB,
					       COUNTERS };
static const enum counter riscv_counters[] = { COUNT_FLUSHES, COUNT_PROMOTED, COUNT_SFENCE,
					       COUNTERS };
static const enum counter e500mc_counters[] = { COUNT_VCPU_LOADS, COUNT_INVALIDATIONS, COUNT_MISSED,
						COUNTERS };

static const enum param arm64_keys[] = { PARAM_CEILING, PARAM_PTI, PARAMS };
static const enum param riscv_keys[] = { PARAM_CEILING, PARAMS };
static const enum param e500mc_keys[] = { PARAM_VARIANT, PARAMS };

static const struct key_text x86_texts[] = {
	{ PARAM_CEILING,
	  "tlb_single_page_flush_ceiling: more pages than this and a CPU flushes everything", NULL },
	{ PARAM_PTI, "page table isolation: the user's half is flushed too, by INVPCID or later",
	  NULL },
	{ PARAM_LAZY_SKIP, "no IPI to lazy CPUs, unless page tables are freed (v4.20)", NULL },
	{ PARAM_INVLPGB, "AMD: pages that one INVLPGB broadcast takes; 0: flushes are sent by IPI",
	  NULL },
	{ PARAMS, NULL, NULL },
};
static const struct key_text arm64_texts[] = {
	{ PARAM_CEILING, "more pages than this and the whole ASID goes (MAX_DVM_OPS - 1)", NULL },
	{ PARAM_PTI, "page table isolation (KPTI): each TLBI goes to the user's ASID too", "off|on" },
	{ PARAMS, NULL, NULL },
};
static const struct key_text arm64_range_texts[] = {
	{ PARAM_CEILING, "more pages than this and the whole ASID goes (MAX_TLBI_RANGE_PAGES)",
	  NULL },
	{ PARAM_PTI, "page table isolation (KPTI): each TLBI goes to the user's ASID too", "off|on" },
	{ PARAMS, NULL, NULL },
};
static const struct key_text riscv_texts[] = {
	{ PARAM_CEILING, "tlb_flush_all_threshold: more pages than this and the whole ASID goes",
	  NULL },
	{ PARAMS, NULL, NULL },
};

#define TARGET_NEEDS                                                                               \
	"powerpc:tlbie of a radix kernel, as for the policy radix. What is counted is what the "   \
	"other kernel would issue for the very requests that a POWER kernel made: page sizes and " \
	"batching stay POWER's. A comparison of instructions, not a forecast for a port."

const struct policy_kind policy_kinds[] = {
	{
		.name = "radix",
		.what = "the radix MMU code of POWER: the recorded kernel, with what the keys change",
		.models = "arch/powerpc/mm/book3s64/radix_tlb.c (mm/tlb-radix.c before v5.2), v4.9 to "
			  "v6.17: radix__tlb_flush(), radix__flush_tlb_range(), "
			  "radix__flush_tlb_range_psize(), radix__flush_tlb_page(), radix__flush_tlb_mm(), "
			  "radix__flush_tlb_collapsed_pmd(), radix__flush_tlb_kernel_range(), the fixups "
			  "of POWER9 errata; flush_type_needed(), exit_flush_lazy_tlbs(), and the lazy TLB "
			  "of kernel/sched/core.c and kernel/fork.c for trim, lazy and tlbie; "
			  "H_RPT_INVALIDATE (v5.9) for gtse. Eras are presets; each key is a switch of its "
			  "own, because distributions backport.",
		.needs = "powerpc:tlbie. Better with sched:sched_switch, task:task_newtask, "
			 "sched:sched_process_exec and _exit, and with entry and exit of the system calls "
			 "that unmap: they say where a request ends and whose it was. Best with probes on "
			 "radix__tlb_flush and radix__flush_tlb_range, which say what was asked for. "
			 "trim, lazy and tlbie change which CPUs are in the mask, and need "
			 "sched:sched_switch; lazy by itself needs nothing else. A guest without GTSE "
			 "needs powerpc:hcall_entry, opcode 0x448.",
		.uncertain = "What went by PID has no number of pages: a higher ceiling gives an interval. "
			     "Requests that touch look like one: an interval where it matters. Barriers are "
			     "computed. Under another mask a flush may be local or global where the mask "
			     "before the trace or the phase of the trim clock (1073 flushes) is unknown; "
			     "IPIs count what is asked for, and some may be sent as one. Spurious faults "
			     "have no key: kernels before v4.18 flush a page after each (the last patch of "
			     "seed 004 made that local), and later ones nothing, so a trace of these has no "
			     "record of such a fault; in one of those its flush looks like any other of one "
			     "page. An era from across v4.18 says in a note how many that may concern. "
			     "Refills after a promoted flush, time, and what the program would do "
			     "differently are not predicted.",
		.x86 = false,
		.counters = radix_counters,
	},
	{
		.name = "x86",
		.what = "x86's flush code: the recorded kernel, with what the keys change",
		.models = "arch/x86/mm/tlb.c, v4.9 to v6.12: flush_tlb_mm_range(), flush_tlb_func(), "
			  "native_flush_tlb_multi() (native_flush_tlb_others() before v5.13), "
			  "arch_tlbbatch_flush(); with invlpgb=N the broadcasts of v6.15 on AMD.",
		.needs = "tlb:tlb_flush. Better with sched:sched_switch, the task events and entry of the "
			 "system calls that unmap; ipi:ipi_send_cpu and ipi:ipi_send_cpumask (v6.4) make "
			 "IPIs exact, irq_vectors:call_function_entry narrows them down. "
			 "A probe on flush_tlb_mm_range says what was asked for.",
		.uncertain = "A flush of everything has no number of pages: a higher ceiling gives an "
			     "interval. A CPU that is generations behind flushes everything, whatever the "
			     "ceiling. Kernel addresses have no event. Whether page tables are isolated "
			     "(pti) is not in a trace.",
		.x86 = true,
		.texts = x86_texts,
		.counters = x86_counters,
	},
	{
		.name = "arm64",
		.what = "the recorded requests by arm64's rules: TLBI broadcasts, one a page",
		.models = "arch/arm64/include/asm/tlbflush.h, v5.17 and v6.17: __flush_tlb_range(), "
			  "flush_tlb_mm() without FEAT_TLBIRANGE: from as many pages on as a page table "
			  "has entries (512 of 4K, 8192 of 64K) the whole ASID goes. No IPI. Two DSB a "
			  "request; with pti each TLBI goes to the user's ASID too.",
		.needs = TARGET_NEEDS,
		.uncertain = "What POWER promoted has no number of pages, and arm64's ceilings are far "
			     "higher: intervals.",
		.target = TARGET_ARM64,
		.keys = arm64_keys,
		.texts = arm64_texts,
		.counters = arm64_counters,
	},
	{
		.name = "arm64-range",
		.what = "the same with FEAT_TLBIRANGE: a TLBI takes a range",
		.models = "arch/arm64/include/asm/tlbflush.h, v5.17 and v6.17: __flush_tlb_range_op(): "
			  "ranges of (num + 1) << (5 * scale + 1) pages, so one TLBI for each digit of "
			  "the number of pages; more than 2^21 pages and the whole ASID goes.",
		.needs = TARGET_NEEDS,
		.uncertain = "As for arm64.",
		.target = TARGET_ARM64_RANGE,
		.keys = arm64_keys,
		.texts = arm64_range_texts,
		.counters = arm64_counters,
	},
	{
		.name = "riscv",
		.what = "the recorded requests by riscv's rules: sfence.vma, one a page",
		.models = "arch/riscv/mm/tlbflush.c, v6.17: __flush_tlb_range(): more than "
			  "tlb_flush_all_threshold (64) pages and everything goes. Counted for one CPU: "
			  "each CPU of the mask does the same, by IPI or SBI call.",
		.needs = TARGET_NEEDS,
		.uncertain = "As for arm64. On how many CPUs is not counted.",
		.target = TARGET_RISCV,
		.keys = riscv_keys,
		.texts = riscv_texts,
		.counters = riscv_counters,
	},
	{
		.name = "e500mc",
		.what = "KVM on e500mc: when putting a vCPU on a CPU invalidates its guest's TLB entries",
		.models = "arch/powerpc/kvm/e500mc.c, kvmppc_core_vcpu_load_e500mc(): old, before the patch "
			  "of 2014: whenever another vCPU ran on the CPU since; v2, that patch: only if "
			  "the last one was of the same VM; final, as mainline has it (v4.9 to v6.17): if "
			  "the VM's last vCPU on this CPU was another. A vCPU that comes from another CPU "
			  "always invalidates.",
		.needs = "sched:sched_switch of a host of any architecture that ran QEMU: threads named "
			 "\"CPU n/KVM\" or \"CPU n/TCG\". Better with the task events, or recorded from before "
			 "QEMU starts: they say which threads are of one VM.",
		.uncertain = "Every switch to such a thread counts as a load; some are not, when the thread "
			     "was in QEMU itself. Loads by other threads' ioctls are not seen.",
		.any_machine = true,
		.keys = e500mc_keys,
		.counters = e500mc_counters,
	},
};
const size_t n_policy_kinds = sizeof(policy_kinds) / sizeof(*policy_kinds);

static const struct policy_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < n_policy_kinds; i++)
		if (strcmp(policy_kinds[i].name, name) == 0)
			return &policy_kinds[i];
	return NULL;
}

bool policy_takes(const struct policy_kind *kind, enum param id)
{
	const enum param *key = kind->keys;

	if (!key)
		return param_applies(id, kind->x86);
	while (*key != PARAMS && *key != id)
		key++;
	return *key != PARAMS;
}

bool policy_is_of_vcpus(const struct policy_kind *kind)
{
	return kind->keys == e500mc_keys;
}

bool policy_is_comparable(const struct policy_kind *kind)
{
	return kind->target == TARGET_RECORDED && !policy_is_of_vcpus(kind);
}

bool policy_needs_flushes(const struct policy *p)
{
	static const char lazy[] = "radix,lazy=";

	if (policy_is_of_vcpus(p->kind))
		return false;
	return strncmp(p->text, lazy, strlen(lazy)) != 0 || strchr(p->text + strlen(lazy), ',');
}

struct params policy_defaults(const struct policy_kind *kind)
{
	struct params p = params_of_era(ERA_V5_14);

	if (kind->x86)
		p.v[PARAM_PAGE_SIZE] = 4096;
	if (kind->target != TARGET_RECORDED)
		target_set(&p, kind->target);
	p.v[PARAM_VARIANT] = E500MC_FINAL;
	return p;
}

static const struct key_text *find_text(const struct policy_kind *kind, enum param id)
{
	const struct key_text *text = kind->texts;

	while (text && text->id != PARAMS && text->id != id)
		text++;
	return text && text->id == id ? text : NULL;
}

const char *policy_key_text(const struct policy_kind *kind, enum param id)
{
	const struct key_text *text = find_text(kind, id);

	return text ? text->what : param_texts[id];
}

const char *policy_key_values(const struct policy_kind *kind, enum param id)
{
	const struct key_text *text = find_text(kind, id);

	return text && text->values ? text->values : param_values[id];
}

static int unknown_kind(const char *name, struct error *err)
{
	struct suggestion near = suggest_for(name);
	char hint[64];
	char list[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < n_policy_kinds && used < sizeof(list); i++) {
		suggest_offer(&near, policy_kinds[i].name);
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 policy_kinds[i].name);
	}
	return error_set(err, ERROR_USAGE, "unknown policy '%s': %smust be one of %s", name,
			 suggest_text(&near, hint, sizeof(hint)), list);
}

const struct policy_kind *policy_kind_of(const char *name, struct error *err)
{
	const struct policy_kind *kind = find_kind(name);

	if (!kind)
		(void)unknown_kind(name, err);
	return kind;
}

static bool is_offered(const void *kind, enum param id)
{
	return policy_takes(kind, id);
}

/* A policy may have fewer names than there are: they are the first. */
static int check_name(const struct policy_kind *kind, enum param id, uint64_t value,
		      struct error *err)
{
	const char *names = policy_key_values(kind, id);
	char given[32];
	uint64_t n = 1;

	if (!*names)
		return 0;
	for (const char *at = names; (at = strchr(at, '|')); at++)
		n++;
	if (value < n)
		return 0;
	param_format(id, value, given, sizeof(given));
	return error_set(err, ERROR_USAGE, "%s=%s: policy '%s' has %s", param_keys[id], given,
			 kind->name, names);
}

/* One change, "key=value", which is cut up. */
static int apply_change(const struct policy_kind *kind, char *change, struct params *p, bool *given,
			struct error *err)
{
	char *value = strchr(change, '=');
	enum param which;

	if (!value)
		return error_set(err, ERROR_USAGE,
				 "'%s': must be key=value, as in radix,ceiling=31", change);
	*value++ = '\0';
	if (param_by_key(change) == PARAMS)
		return params_unknown_key(change, is_offered, kind, err);
	if (!policy_takes(kind, param_by_key(change)))
		return error_set(err, ERROR_USAGE, "key '%s' does not apply to policy '%s'", change,
				 kind->name);
	if (params_set(p, change, value, &which, err) || check_name(kind, which, p->v[which], err))
		return -1;
	if (given[which])
		return error_set(err, ERROR_USAGE,
				 "'%s' is given twice: each --policy is one alternative", change);
	given[which] = true;
	return 0;
}

/* Applies "key=value,…", which is cut up. given[PARAMS] gets those that were named. */
static int apply_changes(const struct policy_kind *kind, char *changes, struct params *p,
			 bool *given, struct error *err)
{
	char *change;

	while ((change = strsep(&changes, ",")))
		if (apply_change(kind, change, p, given, err))
			return -1;
	return 0;
}

/* The changes in a writable copy of the policy's text, NULL where there are none. */
static char *split_name(char *text)
{
	char *rest = text;

	(void)strsep(&rest, ",");
	return rest;
}

int policy_parse(struct policy *p, const char *spec, struct error *err)
{
	struct params scratch = params_of_era(ERA_V5_14);
	bool given[PARAMS] = { false };
	char copy[sizeof(p->text)];
	char *changes;

	if (strlen(spec) >= sizeof(p->text))
		return error_set(err, ERROR_USAGE, "policy '%.40s…': too long", spec);
	p->native = false;
	memcpy(p->text, spec, strlen(spec) + 1);
	memcpy(copy, spec, strlen(spec) + 1);
	changes = split_name(copy);
	p->kind = policy_kind_of(copy, err);
	if (!p->kind)
		return -1;
	return apply_changes(p->kind, changes, &scratch, given, err);
}

const struct policy_kind *policy_kind_of_machine(bool x86)
{
	for (size_t i = 0; i < n_policy_kinds; i++)
		if (policy_kinds[i].x86 == x86)
			return &policy_kinds[i];
	return NULL;
}

int policy_adopt(struct policy *p, bool x86, struct error *err)
{
	const struct policy_kind *kind = policy_kind_of_machine(x86);
	bool native = p->native;
	char spec[2 * sizeof(p->text)];

	p->native = false;
	if (p->kind->x86 == x86 || p->kind->any_machine)
		return 0;
	if (!native)
		return error_set(err, ERROR_USAGE,
				 "policy '%s' is not for the recorded machine: use %s,key=value",
				 p->text, kind->name);
	(void)snprintf(spec, sizeof(spec), "%s%s", kind->name, p->text + strcspn(p->text, ","));
	return policy_parse(p, spec, err);
}

/* Classes do not tell which requests a kernel with other pages would make. */
bool policy_can_change(enum param id)
{
	return id != PARAM_PAGE_SIZE;
}

/* Where such a parameter is only part of an era that was named, it stays as recorded. */
static int check_predictable(const struct policy *p, const struct params *recorded,
			     const bool *given, struct params *out, struct error *err)
{
	for (size_t i = 0; i < PARAMS; i++) {
		enum param id = (enum param)i;
		char was[32];

		if (policy_can_change(id))
			continue;
		if (!given[id])
			out->v[id] = recorded->v[id];
		if (out->v[id] == recorded->v[id])
			continue;
		param_format(id, recorded->v[id], was, sizeof(was));
		return error_set(err, ERROR_USAGE,
				 "policy '%s': %s was %s when this was recorded, and what another "
				 "value does cannot be predicted from it",
				 p->text, param_keys[id], was);
	}
	return 0;
}

/*
 * An era that was named leaves the machine as it was; but a POWER10, known by its lack of fixups,
 * flushes all sets by one tlbiel from v5.11 on. v5.9, an era's first release, does not.
 */
static uint64_t sets_of(const struct params *recorded, const struct params *alt)
{
	bool power10 = recorded->v[PARAM_FIXUPS] == FIXUPS_NONE &&
		       recorded->v[PARAM_ERA] >= ERA_V5_9;

	if (!power10)
		return recorded->v[PARAM_SETS];
	return alt->v[PARAM_ERA] >= ERA_V5_12 ? 1 : 128;
}

int policy_resolve(const struct policy *p, const struct params *recorded, struct params *out,
		   struct error *err)
{
	bool given[PARAMS] = { false };
	char copy[sizeof(p->text)];

	memcpy(copy, p->text, sizeof(copy));
	*out = *recorded;
	if (policy_is_of_vcpus(p->kind))
		out->v[PARAM_VARIANT] = E500MC_FINAL;
	if (p->kind->target != TARGET_RECORDED)
		target_set(out, p->kind->target);
	if (apply_changes(p->kind, split_name(copy), out, given, err))
		return -1;
	if (given[PARAM_ERA] && !given[PARAM_SETS])
		out->v[PARAM_SETS] = sets_of(recorded, out);
	return check_predictable(p, recorded, given, out, err);
}
