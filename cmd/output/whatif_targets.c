/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_targets.c - the recorded requests by other architectures' rules. */
#include <stdio.h>
#include <string.h>

#include "cmd/output/whatif_parts.h"

static void append_count(struct page *p, char *text, size_t size, const struct counts *c,
			 enum counter id)
{
	size_t used = strlen(text);

	if (c->lo.n[id] == c->hi.n[id])
		(void)snprintf(text + used, size - used, "%s%s %s", used ? ", " : "",
			       page_number(p, c->hi.n[id]).text, counter_keys[id]);
	else
		(void)snprintf(text + used, size - used, "%s%s %s %s %s", used ? ", " : "",
			       page_number(p, c->lo.n[id]).text, p->dots,
			       page_number(p, c->hi.n[id]).text, counter_keys[id]);
}

static void write_one(struct page *p, const struct policy *policy, const struct counts *c)
{
	char text[256] = "";
	char mark[sizeof(policy->text) + 4];

	for (const enum counter *id = policy->kind->counters; *id != COUNTERS; id++)
		if (c->hi.n[*id] || *id != COUNT_PROMOTED)
			append_count(p, text, sizeof(text), c, *id);
	(void)snprintf(mark, sizeof(mark), "  %-13s ", policy->text);
	page_paragraph(p, mark, "%s", text);
}

void whatif_part_targets(struct page *p, const struct whatif *w, const struct whatif_result *r)
{
	bool any = false;

	for (size_t i = 0; i < w->n_policies; i++) {
		const struct policy *policy = &w->policies[i];

		if (policy_is_comparable(policy->kind) || policy_is_of_vcpus(policy->kind))
			continue;
		if (!any)
			page_heading(p, "The same requests by another architecture's rules "
					"(instructions, not a forecast for a port)");
		any = true;
		write_one(p, policy, r ? &r->answers[i].total : &w->totals[i]);
	}
}
