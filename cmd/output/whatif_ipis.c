/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_ipis.c - IPIs by the CPU that gets them. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/output/whatif_parts.h"

#define LABEL_COLUMNS 34
#define CELL_COLUMNS 11

static void write_row(struct page *p, const char *label, const struct ipi_target *t)
{
	const uint64_t cells[] = { t->trims, t->flushes, t->shoots };

	page_left(p, INK_PLAIN, LABEL_COLUMNS, label);
	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++)
		page_right(p, INK_PLAIN, CELL_COLUMNS, page_number(p, cells[i]).text);
	page_end_line(p);
}

static void write_policy(struct page *p, const struct whatif *w, const struct whatif_result *r,
			 const char *name, const struct whatif_targets *t, bool verbose)
{
	char label[24];

	if (!t->cpus)
		return;
	page_left(p, INK_PLAIN, 0, name);
	page_end_line(p);
	for (uint32_t cpu = 0; verbose && cpu < r->trace.info->cpus; cpu++) {
		(void)snprintf(label, sizeof(label), "  to CPU %" PRIu32, cpu);
		write_row(p, label, &t->cpus[cpu]);
	}
	if (w->isolated.by_cpu)
		write_row(p, "  to the CPUs of --isolated", &t->isolated);
}

void whatif_part_ipis(struct page *p, const struct whatif *w, const struct whatif_result *r,
		      bool verbose)
{
	static const char *const heads[] = { "trims", "flushes", "lazy" };

	if (!r->ipis.cpus || !(verbose || w->isolated.by_cpu))
		return;
	page_heading(p, "IPIs by target, over the whole trace");
	page_left(p, INK_BOLD, LABEL_COLUMNS, "");
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		page_right(p, INK_BOLD, CELL_COLUMNS, heads[i]);
	page_end_line(p);
	write_policy(p, w, r, "recorded policy", &r->ipis, verbose);
	for (size_t i = 0; i < w->n_policies; i++)
		write_policy(p, w, r, w->policies[i].text, &r->answers[i].ipis, verbose);
}
