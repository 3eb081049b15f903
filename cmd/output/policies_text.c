/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policies_text.c - the catalogue of policies for people. */
#include <stdio.h>
#include <string.h>

#include "cmd/output/page.h"
#include "cmd/policies.h"

/* "gt|ge, default gt", "a number, default 33". */
static void values_text(const struct policy_kind *kind, enum param id,
			const struct params *defaults, char *buf, size_t size)
{
	const char *values = policy_key_values(kind, id);
	char value[48];

	param_format(id, defaults->v[id], value, sizeof(value));
	(void)snprintf(buf, size, "%s; default %s", *values ? values : "N", value);
}

static void write_key(struct page *p, const struct policy_kind *kind, enum param id,
		      const struct params *defaults)
{
	char values[160];
	char mark[24];

	values_text(kind, id, defaults, values, sizeof(values));
	(void)snprintf(mark, sizeof(mark), "  %-13s ", param_keys[id]);
	page_paragraph(p, mark, "%s. %s.%s", values, policy_key_text(kind, id),
		       policy_can_change(id) ? "" : " Only as recorded.");
}

static void write_keys(struct page *p, const struct policy_kind *kind)
{
	struct params defaults = policy_defaults(kind);

	page_heading(p, "Keys (each stays as recorded unless it is given)");
	for (size_t i = 0; i < PARAMS; i++)
		if (policy_takes(kind, (enum param)i))
			write_key(p, kind, (enum param)i, &defaults);
}

static void write_counters(struct page *p, const struct policy_kind *kind)
{
	size_t width = 13;
	char mark[40];

	for (const enum counter *c = kind->counters; *c != COUNTERS; c++)
		if (strlen(counter_keys[*c]) > width)
			width = strlen(counter_keys[*c]);
	page_heading(p, "Counters");
	for (const enum counter *c = kind->counters; *c != COUNTERS; c++) {
		(void)snprintf(mark, sizeof(mark), "  %-*s ", (int)width, counter_keys[*c]);
		page_paragraph(p, mark, "%s", counter_texts[*c]);
	}
}

static void write_section(struct page *p, const char *heading, const char *text)
{
	page_heading(p, "%s", heading);
	page_paragraph(p, "  ", "%s", text);
}

static void write_one(struct page *p, const struct policy_kind *kind)
{
	char mark[24];

	(void)snprintf(mark, sizeof(mark), "%-11s ", kind->name);
	page_paragraph(p, mark, "%s", kind->what);
	write_section(p, "What it models", kind->models);
	write_section(p, "What it needs", kind->needs);
	write_section(p, "What makes it uncertain", kind->uncertain);
	write_keys(p, kind);
	write_counters(p, kind);
}

/* A line or two each: what it is, and its keys. */
static void write_brief(struct page *p, const struct policy_kind *kind)
{
	char keys[512] = "";
	char mark[16];
	int used = 0;

	for (size_t i = 0; i < PARAMS && used < (int)sizeof(keys) - 1; i++)
		if (policy_takes(kind, (enum param)i))
			used += snprintf(keys + used, sizeof(keys) - (size_t)used, "%s%s",
					 used ? ", " : "", param_keys[i]);
	(void)snprintf(mark, sizeof(mark), "%-11s ", kind->name);
	page_paragraph(p, mark, "%s", kind->what);
	page_paragraph(p, "            ", "keys: %s", keys);
}

void policies_text(struct sink *s, const struct policy_kind *one)
{
	struct page p = page_on(s);

	if (one) {
		write_one(&p, one);
		return;
	}
	for (size_t i = 0; i < n_policy_kinds; i++)
		write_brief(&p, &policy_kinds[i]);
	page_end_line(&p);
	page_paragraph(&p, "",
		       "Given as --policy=NAME,key=value,...; tlbtrace policies NAME tells more.");
}
