/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_html_head.c - what a report's page says first: the answer in a sentence, and how sure it is. */
#include <inttypes.h>
#include <string.h>

#include "cmd/output/html.h"
#include "cmd/output/report_html.h"

static const char *text_of(uint64_t n, struct number *buf)
{
	*buf = number_of(n, true);
	return buf->text;
}

/* "build.sh/848 made 7.0 %". False where nothing was counted. */
static bool write_largest(FILE *f, const struct report_table *t, const char *what)
{
	const struct report_row *row = t->n ? &t->rows[0] : NULL;
	uint64_t all = t->total.likely.instructions;

	if (!row || all == 0)
		return false;
	(void)fputs("<strong>", f);
	html_text(f, row->label);
	(void)fprintf(f, "</strong> %s %s %%", what,
		      number_percent(row->s.likely.instructions, all).text);
	return true;
}

static int write_largest_of(FILE *f, const struct report *r, enum report_by by, const char *what,
			    const char *end)
{
	struct report_sort usual = report_usual_sort(by);
	struct report_table t;

	if (report_table(&t, r, by, &select_all))
		return -1;
	report_sort(&t, &usual);
	if (write_largest(f, &t, what))
		(void)fputs(end, f);
	report_table_free(&t);
	return 0;
}

/* The answer, as one would say it. */
static int write_lead(FILE *f, const struct report *r, const struct sums *total)
{
	const struct whatif_result *b = &r->base;
	struct whatif_pair pair = whatif_pair(b->x86);
	struct number one;
	struct number other;

	(void)fprintf(f, "<p class=\"lead\">In %s s, <strong>%s%s</strong> requests to flush took ",
		      number_seconds(b->trace.last_ns - b->trace.first_ns).text,
		      field_is_open(field_by_key("flushes"), total) ? "about " : "",
		      number_of(total->likely.t.n[COUNT_FLUSHES], true).text);
	(void)fprintf(f, "<strong>%s %s</strong>%s and <strong>%s %s</strong>%s. ",
		      text_of(total->likely.t.n[pair.one], &one), counter_keys[pair.one],
		      b->x86 ? " (a page each)" : " (all CPUs)",
		      text_of(total->likely.t.n[pair.other], &other), counter_keys[pair.other],
		      b->x86 ? " (everything)" : " (one CPU)");
	if (write_largest_of(f, r, BY_MM, "made", " of these; ") ||
	    write_largest_of(f, r, BY_CAUSE, "is the cause of", "."))
		return -1;
	(void)fputs("</p>\n", f);
	return 0;
}

static void write_machine(FILE *f, const struct report *r)
{
	const struct whatif_result *b = &r->base;
	const struct source_info *info = b->trace.info;

	(void)fputs("<p class=\"dim\">", f);
	html_text(f, *info->kernel ? info->kernel : "unknown kernel");
	(void)fprintf(f, ", %s MMU, %" PRIu32 " CPUs, %s events (", b->mmu ? b->mmu : "unknown",
		      info->cpus, number_of(info->events, true).text);
	html_text(f, info->format);
	(void)fprintf(f, "), ceiling %" PRIu64 "</p>\n", b->model.used.v[PARAM_CEILING]);
}

/* What the number is between, where that is not certain. */
static void write_bounds(FILE *f, const struct field *field, const struct sums *total)
{
	struct field_bounds b = field_bounds(field, total);
	struct number least;
	struct number most;

	if (b.least == b.most)
		return;
	if (b.most == NO_LIMIT)
		(void)fprintf(f, "<small>or any number more</small>");
	else
		(void)fprintf(f, "<small>%s to %s</small>", text_of(b.least, &least),
			      text_of(b.most, &most));
}

static void write_figures(FILE *f, const struct report *r, const struct sums *total)
{
	struct field_list list = fields_usual(r->base.x86);

	(void)fputs("<dl>\n", f);
	for (size_t i = 0; i < list.n; i++) {
		const struct field *field = list.f[i];

		if (field->kind != FIELD_NUMBER)
			continue;
		(void)fputs("<div><dt title=\"", f);
		html_text(f, field->what);
		(void)fprintf(f, "\">%s</dt><dd>", field_head(field));
		html_text(f, field_text(field, total, total, true).text);
		write_bounds(f, field, total);
		(void)fputs("</dd></div>\n", f);
	}
	(void)fputs("</dl>\n", f);
}

static void write_damage(FILE *f, const struct whatif_result *b)
{
	const struct source_info *info = b->trace.info;

	if (b->trace.interrupted)
		(void)fputs("<p class=\"warn\">Reading was interrupted: only what was read is "
			    "counted.</p>\n",
			    f);
	if (info->truncated) {
		(void)fputs("<p class=\"warn\">The file is cut off or damaged: ", f);
		html_text(f, info->truncated_text);
		(void)fputs("</p>\n", f);
	}
	if (info->lost_events || info->lost_unknown)
		(void)fprintf(f,
			      "<p class=\"warn\">Events were lost while recording (%s): all counts "
			      "are too low.</p>\n",
			      info->lost_events ? number_of(info->lost_events, true).text
						: "an unknown number");
}

static void write_trust(FILE *f, const struct whatif_result *b)
{
	const struct fidelity *fi = &b->fidelity;
	struct number n[KNOWNS];

	if (fi->asked) {
		(void)fprintf(f,
			      "<p>No instructions were recorded: all counts are computed from %s "
			      "requests that probes told.</p>\n",
			      number_of(fi->asked, true).text);
		return;
	}
	for (size_t i = 0; i < KNOWNS; i++)
		n[i] = number_of(fi->known[i], true);
	(void)fprintf(
		f,
		"<p>Replaying the recorded kernel's policy gives %s of %s groups of records exactly "
		"(%s %%). The extent of requests: %s told by probes, %s seen between marks, %s by "
		"a rule, %s unknown (promoted).</p>\n",
		number_of(fi->exact, true).text, number_of(fi->flushes, true).text,
		number_percent(fi->exact, fi->flushes).text, n[KNOWN_TOLD].text, n[KNOWN_SEEN].text,
		n[KNOWN_AMBIGUOUS].text, n[KNOWN_CENSORED].text);
	(void)fputs(
		"<p class=\"dim\">Instructions are those recorded; requests, pages, IPIs and "
		"barriers are computed. ~ is likely, &gt;= at least: the trace leaves it open.</p>\n",
		f);
}

int report_html_head(FILE *f, const struct report *r)
{
	struct sums total = report_total(r, &select_all);

	write_machine(f, r);
	if (write_lead(f, r, &total))
		return -1;
	write_damage(f, &r->base);
	write_figures(f, r, &total);
	write_trust(f, &r->base);
	return 0;
}
