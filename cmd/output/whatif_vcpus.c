/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_vcpus.c - loads of vCPUs and what each variant invalidates. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/output/whatif_parts.h"

#define LABEL_COLUMNS 14
#define CELL_COLUMNS 11

static void write_head(struct page *p)
{
	static const char *const heads[] = { "loads", "migration", "pollution" };

	page_left(p, INK_BOLD, LABEL_COLUMNS, "");
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		page_right(p, INK_BOLD, CELL_COLUMNS, heads[i]);
	for (size_t v = 0; v < E500MC_VARIANTS; v++)
		page_right(p, INK_BOLD, CELL_COLUMNS - 3, e500mc_variant_names[v]);
	page_right(p, INK_BOLD, CELL_COLUMNS, "v2 misses");
	page_end_line(p);
}

static void write_row(struct page *p, const char *label, const struct e500mc_counts *c)
{
	page_left(p, INK_PLAIN, LABEL_COLUMNS, label);
	page_right(p, INK_PLAIN, CELL_COLUMNS, page_number(p, c->loads).text);
	page_right(p, INK_PLAIN, CELL_COLUMNS, page_number(p, c->migration).text);
	page_right(p, INK_PLAIN, CELL_COLUMNS, page_number(p, c->pollution).text);
	for (size_t v = 0; v < E500MC_VARIANTS; v++)
		page_right(p, INK_PLAIN, CELL_COLUMNS - 3, page_number(p, c->invalidations[v]).text);
	page_right(p, c->missed[E500MC_V2] ? INK_MORE : INK_PLAIN, CELL_COLUMNS,
		   page_number(p, c->missed[E500MC_V2]).text);
	page_end_line(p);
}

static void write_cpus(struct page *p, const struct e500mc *e, uint32_t cpus)
{
	char label[24];

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		if (e500mc_of_cpu(e, cpu)->loads == 0)
			continue;
		(void)snprintf(label, sizeof(label), "CPU %" PRIu32, cpu);
		write_row(p, label, e500mc_of_cpu(e, cpu));
	}
}

void whatif_part_vcpus(struct page *p, const struct whatif_result *r, bool verbose)
{
	const struct e500mc *e = watch_vcpus(r->watch);
	const struct e500mc_vm *vm = NULL;
	char label[24];

	if (!e)
		return;
	page_heading(p, "vCPUs on e500mc: loads, why they need an invalidation, and who does one");
	write_head(p);
	while ((vm = e500mc_next_vm(e, vm))) {
		(void)snprintf(label, sizeof(label), "VM %" PRIu32, vm->vm);
		write_row(p, label, &vm->counts);
	}
	if (verbose)
		write_cpus(p, e, r->trace.info->cpus);
	write_row(p, "all", e500mc_total(e));
}
