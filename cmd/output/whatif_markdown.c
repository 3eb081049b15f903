/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_markdown.c - the answer as tables for a pull request's comment (GitHub's Markdown). */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/output/number.h"
#include "cmd/output/utf8.h"
#include "cmd/whatif.h"

/* In a table cell neither the end of the cell nor of the line, nor markup. */
static void write_cell(FILE *f, const char *text)
{
	for (struct utf8 c; *text; text += c.took) {
		c = utf8_at(text);
		if (*text == '\n' || *text == '\r')
			(void)fputc(' ', f);
		else if (*text == '<')
			(void)fputs("&lt;", f);
		else if (*text == '&')
			(void)fputs("&amp;", f);
		else {
			if (*text == '|' || *text == '*' || *text == '_' || *text == '`' ||
			    *text == '\\' || *text == '[' || *text == ']')
				(void)fputc('\\', f);
			(void)fwrite(c.bytes, 1, c.len, f);
		}
	}
}

static void write_range(FILE *f, const struct counts *c, enum counter counter, uint64_t was)
{
	uint64_t lo = c->lo.n[counter];
	uint64_t hi = c->hi.n[counter];

	(void)fprintf(f, " %" PRIu64, lo);
	if (lo != hi)
		(void)fprintf(f, " … %" PRIu64, hi);
	else if (was != hi && was)
		(void)fprintf(f, " (%s)", number_change(was, hi).text);
	(void)fputs(" |", f);
}

static void write_head(FILE *f, const struct whatif *w)
{
	(void)fprintf(f, "| counter | %s |", whatif_recorded_head(w));
	for (size_t i = 0; i < w->n_policies; i++) {
		if (!policy_is_comparable(w->policies[i].kind))
			continue;
		(void)fputc(' ', f);
		write_cell(f, w->policies[i].text);
		(void)fputs(" |", f);
	}
	(void)fputs("\n|---|---:|", f);
	for (size_t i = 0; i < w->n_policies; i++)
		if (policy_is_comparable(w->policies[i].kind))
			(void)fputs("---:|", f);
	(void)fputc('\n', f);
}

static bool is_shown(const struct whatif *w, const struct whatif_result *r,
		     const struct counts *was, enum counter counter)
{
	bool any = was->hi.n[counter] != 0;

	for (size_t i = 0; i < w->n_policies; i++)
		any |= r->answers[i].total.hi.n[counter] != 0;
	return any;
}

static void write_rows(FILE *f, const struct whatif *w, const struct whatif_result *r,
		       const struct counts *was, const enum counter *counters)
{
	for (; *counters != COUNTERS; counters++) {
		if (!is_shown(w, r, was, *counters))
			continue;
		(void)fputs("| ", f);
		write_cell(f, counter_keys[*counters]);
		(void)fputs(" |", f);
		write_range(f, was, *counters, 0);
		for (size_t i = 0; i < w->n_policies; i++)
			if (policy_is_comparable(w->policies[i].kind))
				write_range(f, &r->answers[i].total, *counters,
					    was->likely.n[*counters]);
		(void)fputc('\n', f);
	}
}

/* Policies that count something else: each by itself. */
static void write_others(FILE *f, const struct whatif *w, const struct whatif_result *r)
{
	for (size_t i = 0; i < w->n_policies; i++) {
		const struct policy *policy = &w->policies[i];

		if (policy_is_comparable(policy->kind))
			continue;
		(void)fputs("\n| counter | ", f);
		write_cell(f, policy->text);
		(void)fputs(" |\n|---|---:|\n", f);
		for (const enum counter *c = policy->kind->counters; *c != COUNTERS; c++) {
			(void)fputs("| ", f);
			write_cell(f, counter_keys[*c]);
			(void)fputs(" |", f);
			write_range(f, &r->answers[i].total, *c, 0);
			(void)fputc('\n', f);
		}
	}
}

static void write_result(FILE *f, const struct whatif *w, const struct whatif_result *r)
{
	const struct fidelity *fidelity = &r->fidelity;
	struct counts recorded = whatif_recorded_counts(r);

	(void)fputs("### ", f);
	write_cell(f, r->path);
	(void)fputs("\n\n", f);
	write_head(f, w);
	write_rows(f, w, r, &recorded, whatif_recorded_counters(r->x86));
	write_rows(f, w, r, &r->derived, whatif_derived_counters(r->x86));
	write_others(f, w, r);
	if (r->trace.asked) {
		(void)fputs("\nNo instructions were recorded: all counts are computed from the "
			    "requests.\n\n",
			    f);
		return;
	}
	(void)fprintf(f,
		      "\nReplaying the recorded policy gives %" PRIu64 " of %" PRIu64
		      " groups of records exactly",
		      fidelity->exact, fidelity->flushes);
	if (fidelity->flushes)
		(void)fprintf(f, " (%s %%)",
			      number_percent(fidelity->exact, fidelity->flushes).text);
	(void)fputs(".\n\n", f);
}

static void write_checks(FILE *f, const struct checks *checks)
{
	static const char *const marks[VERDICTS] = { "ok", "**exceeded**", "**undecided**" };

	(void)fputs("### Checks\n\n| check | policy | input | result | |\n|---|---|---|---|---|\n",
		    f);
	for (size_t i = 0; i < checks->n; i++) {
		const struct check *c = &checks->list[i];

		(void)fputs("| ", f);
		write_cell(f, c->check);
		(void)fputs(" | ", f);
		write_cell(f, whatif_check_policy(c));
		(void)fputs(" | ", f);
		write_cell(f, c->input ? c->input : "total");
		(void)fprintf(f, " | %s | ", marks[c->verdict]);
		write_cell(f, c->why);
		(void)fputs(" |\n", f);
	}
	(void)fputc('\n', f);
}

void whatif_markdown(struct sink *s, const struct whatif *w)
{
	for (size_t i = 0; i < w->n_results; i++)
		write_result(s->f, w, &w->results[i]);
	if (w->checks.n)
		write_checks(s->f, &w->checks);
}
