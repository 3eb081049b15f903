/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_requests.c - the probes on flush functions, defined, counted and removed. */
#include "cmd/record/record_requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#define MAX_FORMS 3

/* What a probe is for. */
enum {
	TELLS = 1,    /* one of these is enough to tell a flush */
	RETURNS = 2,  /* on the function's return */
	NAMES_MM = 4, /* of use only where another probe cannot tell the mm */
};

struct probe_row {
	enum record_arch arch;
	unsigned bits;
	const char *name;
	const char *function;
	const char *forms[MAX_FORMS]; /* fields, best first */
};

/* Members that tell whose flush it is and whom it concerns, by BTF. */
#define MM_BTF(mm)                                                                                 \
	" pid=" mm "->context.id:u64 act=" mm "->context.active_cpus.counter:s32 users=" mm        \
	"->mm_users.counter:s32"

/*
 * struct mmu_gather: mm 0, start 16, end 24, flags word 32, and behind the first batch page_size 128
 * (v4.20 to v6.17, powerpc64).
 */
#define GATHER                                                                                     \
	"mm=+0(%gpr3):x64 start=+16(%gpr3):x64 end=+24(%gpr3):x64 bits=+32(%gpr3):x16 "            \
	"page_size=+128(%gpr3):u32"
#define VMA_RANGE "start=%gpr4:x64 end=%gpr5:x64"
#define VMA_RANGE_BTF "mm=vma->vm_mm:x64 " VMA_RANGE MM_BTF("vma->vm_mm")

#define VMA_PAGE "addr=%gpr4:x64"
#define VMA_PAGE_BTF "mm=vma->vm_mm:x64 " VMA_PAGE MM_BTF("vma->vm_mm")
#define MM "mm=%gpr3:x64"
#define MM_PAGE MM " addr=%gpr4:x64"
#define X86_RANGE "mm=$arg1:x64 start=$arg2:x64 end=$arg3:x64 stride=$arg4:u32 freed=$arg5:u8"

/* clang-format off */
static const struct probe_row rows[] = {
	{ ARCH_POWERPC, TELLS, "gather", "radix__tlb_flush",
	  { GATHER MM_BTF("tlb->mm"), GATHER } },
	{ ARCH_POWERPC, TELLS, "range", "radix__flush_tlb_range",
	  { VMA_RANGE_BTF, VMA_RANGE } },
	{ ARCH_POWERPC, TELLS, "page", "radix__flush_tlb_page",
	  { VMA_PAGE_BTF, VMA_PAGE } },
	{ ARCH_POWERPC, TELLS, "ppsz", "radix__flush_tlb_page_psize",
	  { MM_PAGE " psize=%gpr5:s32" MM_BTF("mm"), MM_PAGE " psize=%gpr5:s32" } },
	{ ARCH_POWERPC, TELLS, "pmd", "radix__flush_pmd_tlb_range",
	  { VMA_RANGE_BTF, VMA_RANGE } },
	{ ARCH_POWERPC, TELLS, "huge", "radix__flush_hugetlb_tlb_range",
	  { VMA_RANGE_BTF, VMA_RANGE } },
	{ ARCH_POWERPC, TELLS, "coll", "radix__flush_tlb_collapsed_pmd",
	  { MM_PAGE MM_BTF("mm"), MM_PAGE } },
	{ ARCH_POWERPC, TELLS, "mm", "radix__flush_tlb_mm",
	  { MM MM_BTF("mm"), MM } },
	{ ARCH_POWERPC, TELLS, "kern", "radix__flush_tlb_kernel_range",
	  { "start=%gpr3:x64 end=%gpr4:x64" } },
	{ ARCH_POWERPC, NAMES_MM, "flush_type_in", "flush_type_needed",
	  { MM } },
	{ ARCH_POWERPC, RETURNS, "flush_type", "flush_type_needed",
	  { "type=$retval:u32" } },
	{ ARCH_POWERPC, 0, "exitlazy", "exit_lazy_flush_tlb",
	  { MM " always=%gpr4:u8" } },
	{ ARCH_POWERPC, 0, "ser", "serialize_against_pte_lookup",
	  { MM } },
	{ ARCH_X86, TELLS, "mmrange", "flush_tlb_mm_range",
	  { X86_RANGE } },
	{ ARCH_X86, TELLS, "kernrange", "flush_tlb_kernel_range",
	  { "start=$arg1:x64 end=$arg2:x64" } },
	{ ARCH_X86, TELLS, "batch", "arch_tlbbatch_flush",
	  { "batch=$arg1:x64" } },
};
/* clang-format on */
#define ROWS (sizeof(rows) / sizeof(*rows))
_Static_assert(ROWS <= RECORD_PROBES, "every row has room");

int record_probes_possible(struct error *err)
{
	if (!tracefs_tracing_dir())
		return error_set(err, ERROR_ENVIRONMENT, "requests: tracefs is not there");
	if (tracefs_file_exists(NULL, "kprobe_events"))
		return 0;
	return error_set(err, ERROR_ENVIRONMENT,
			 "requests: this kernel has no dynamic probes (CONFIG_KPROBE_EVENTS), or "
			 "lockdown hides them: record with --requests=off");
}

void record_probes_describe(const struct record_machine *m,
			    void (*fn)(void *arg, const char *function, const char *fields),
			    void *arg)
{
	for (size_t i = 0; i < ROWS; i++)
		for (size_t form = 0; form < MAX_FORMS && rows[i].arch == m->arch; form++)
			if (rows[i].forms[form])
				fn(arg, rows[i].function, rows[i].forms[form]);
}

static struct tracefs_dynevent *allocate(const struct record_probes *p, const struct probe_row *row,
					 size_t form)
{
	if (row->bits & RETURNS)
		return tracefs_kretprobe_alloc(p->group, row->name, row->function, row->forms[form],
					       0);
	return tracefs_kprobe_alloc(p->group, row->name, row->function, row->forms[form]);
}

/* Whether a request has been probed without its mm. */
static bool lacks_mm(const struct record_probes *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->list[i].fields, VMA_RANGE) || !strcmp(p->list[i].fields, VMA_PAGE))
			return true;
	return false;
}

/* Whether the kernel accepts one of the row's forms. */
static bool define(struct record_probes *p, const struct probe_row *row)
{
	for (size_t form = 0; form < MAX_FORMS && row->forms[form]; form++) {
		struct tracefs_dynevent *event = allocate(p, row, form);
		struct record_probe *probe = &p->list[p->n];

		if (event && !tracefs_dynevent_create(event)) {
			*probe = (struct record_probe){ .function = row->function,
							.fields = row->forms[form],
							.event = event };
			(void)snprintf(probe->name, sizeof(probe->name), "%s", row->name);
			p->n++;
			return true;
		}
		tracefs_dynevent_free(event);
	}
	return false;
}

int record_probes_define(struct record_probes *p, const struct record_machine *m, const char *group,
			 struct error *err)
{
	bool told = false;

	*p = (struct record_probes){ .n = 0 };
	(void)snprintf(p->group, sizeof(p->group), "%s", group);
	if (record_probes_possible(err))
		return -1;
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].arch != m->arch || ((rows[i].bits & NAMES_MM) && !lacks_mm(p)))
			continue;
		if (define(p, &rows[i]))
			told |= rows[i].bits & TELLS;
		else
			p->refused[p->n_refused++] = rows[i].function;
	}
	if (told)
		return 0;
	(void)record_probes_remove(p);
	return error_set(err, ERROR_ENVIRONMENT,
			 "requests: the kernel accepts no probe on its flush functions: record with "
			 "--requests=off");
}

/* "  NAME  HITS  MISSED", once per probe; names alone, without their group. */
static void take_profile(struct record_probes *p, const char *line)
{
	const char *name = line + strspn(line, " ");
	size_t len = strcspn(name, " ");
	char *rest;

	for (size_t i = 0; i < p->n; i++)
		if (strlen(p->list[i].name) == len && !strncmp(p->list[i].name, name, len)) {
			p->list[i].hits = strtoull(name + len, &rest, 10);
			p->list[i].missed = strtoull(rest, NULL, 10);
		}
}

void record_probes_count(struct record_probes *p)
{
	char *text = p->n ? tracefs_instance_file_read(NULL, "kprobe_profile", NULL) : NULL;
	char *rest = text;
	char *line;

	while (rest && (line = strsep(&rest, "\n")))
		take_profile(p, line);
	free(text);
}

int record_probes_remove(struct record_probes *p)
{
	int status = 0;

	while (p->n) {
		struct tracefs_dynevent *event = p->list[--p->n].event;

		if (tracefs_dynevent_destroy(event, true))
			status = -1;
		tracefs_dynevent_free(event);
	}
	return status;
}
