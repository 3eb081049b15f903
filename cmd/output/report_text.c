/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_text.c - the tables of a report as text. */
#include <inttypes.h>
#include <string.h>

#include "cmd/output/page.h"
#include "cmd/report.h"

#define OVERVIEW_ROWS 10
#define USUAL_ROWS 40

static bool is_numbered(enum report_by by)
{
	return by == BY_TIME || by == BY_CPU || by == BY_SIZE;
}

static int label_columns(const struct report_table *t)
{
	int columns = (int)strlen(report_by_keys[t->by]);

	for (size_t i = 0; i < t->n; i++)
		if (page_columns(t->rows[i].label) > columns)
			columns = page_columns(t->rows[i].label);
	return columns > (int)strlen("total") ? columns : (int)strlen("total");
}

static int field_columns(const struct page *p, const struct report_table *t, const struct field *f)
{
	int columns = (int)strlen(field_head(f));

	for (size_t i = 0; i <= t->n; i++) {
		const struct sums *s = i < t->n ? &t->rows[i].s : &t->total;
		int n = (int)strlen(field_text(f, s, &t->total, p->thousands).text);

		if (n > columns)
			columns = n;
	}
	return columns + 2;
}

/* How wide each column is. */
struct layout {
	int label;
	int field[FIELDS];
};

static void write_label(struct page *p, const struct report_table *t, const struct layout *l,
			const char *text)
{
	if (is_numbered(t->by))
		page_right(p, INK_PLAIN, l->label, text);
	else
		page_left(p, INK_PLAIN, l->label, text);
}

static void write_row(struct page *p, const struct report_table *t, const struct field_list *list,
		      const struct layout *l, const struct report_row *row)
{
	write_label(p, t, l, row ? row->label : "total");
	for (size_t i = 0; i < list->n; i++)
		page_right(p, INK_PLAIN, l->field[i],
			   field_text(list->f[i], row ? &row->s : &t->total, &t->total, p->thousands)
				   .text);
	page_end_line(p);
}

/* "flushes 12 to 34", "pages 56 or more": what the total is between. */
static void bounds_text(const struct page *p, const struct field *f, const struct sums *total,
			char *buf, size_t size)
{
	struct field_bounds b = field_bounds(f, total);

	if (b.most == NO_LIMIT)
		(void)snprintf(buf, size, "%s %s or more", f->key, page_number(p, b.least).text);
	else
		(void)snprintf(buf, size, "%s %s to %s", f->key, page_number(p, b.least).text,
			       page_number(p, b.most).text);
}

/* What the marks mean, and how far the totals can be off. */
static void explain_marks(struct page *p, const struct sums *total, const struct field_list *list)
{
	char text[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < list->n && used < sizeof(text); i++) {
		const struct field *f = list->f[i];
		char one[96];

		if (f->kind != FIELD_NUMBER || !field_is_open(f, total))
			continue;
		bounds_text(p, f, total, one, sizeof(one));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
					 one);
	}
	if (used)
		page_paragraph(p, "  ",
			       "~ is likely, >= at least: the trace leaves it open. In all: %s.",
			       text);
}

static void write_table(struct page *p, const struct report_table *t, const struct field_list *list)
{
	struct layout l = { .label = label_columns(t) };

	for (size_t i = 0; i < list->n; i++)
		l.field[i] = field_columns(p, t, list->f[i]);
	write_label(p, t, &l, report_by_keys[t->by]);
	for (size_t i = 0; i < list->n; i++)
		page_right(p, INK_BOLD, l.field[i], field_head(list->f[i]));
	page_end_line(p);
	for (size_t i = 0; i < t->n; i++)
		write_row(p, t, list, &l, &t->rows[i]);
	write_row(p, t, list, &l, NULL);
}

void report_text_table(struct sink *s, const struct report_table *t, const struct field_list *list)
{
	struct page p = page_on(s);

	write_table(&p, t, list);
	explain_marks(&p, &t->total, list);
}

static void write_quality(struct page *p, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;

	if (r->trace.interrupted)
		page_paragraph(p, "  ", "Reading was interrupted: only what was read is counted.");
	if (info->truncated)
		page_paragraph(p, "  ", "The file is cut off or damaged: %s.", info->truncated_text);
	if (info->lost_events)
		page_paragraph(p, "  ", "%s events were lost while recording.",
			       page_number(p, info->lost_events).text);
	else if (info->lost_unknown)
		page_paragraph(p, "  ", "Events were lost while recording in %s places.",
			       page_number(p, info->lost_unknown).text);
}

/* How far requests reach is what all that is computed depends on. */
static void write_extents(struct page *p, const struct fidelity *f)
{
	page_paragraph(
		p, "  ",
		"Extent of requests: %s told by probes, %s seen between marks, %s by a rule, %s "
		"unknown (promoted)",
		page_number(p, f->known[KNOWN_TOLD]).text, page_number(p, f->known[KNOWN_SEEN]).text,
		page_number(p, f->known[KNOWN_AMBIGUOUS]).text,
		page_number(p, f->known[KNOWN_CENSORED]).text);
}

static void write_summary(struct page *p, const struct report *r, const struct field_list *list)
{
	struct sums total = report_total(r, &select_all);
	const struct whatif_result *b = &r->base;
	const struct source_info *info = b->trace.info;
	const struct fidelity *f = &b->fidelity;

	page_left(p, INK_BOLD, 0, b->path);
	page_end_line(p);
	page_paragraph(p, "  ", "%s, %s MMU, %" PRIu32 " CPUs, %s s, %s events (%s)",
		       *info->kernel ? info->kernel : "unknown kernel", b->mmu ? b->mmu : "unknown",
		       info->cpus, number_seconds(b->trace.last_ns - b->trace.first_ns).text,
		       page_number(p, info->events).text, info->format);
	if (f->asked)
		page_paragraph(p, "  ",
			       "%s requests that probes told; their instructions are computed, not "
			       "recorded",
			       page_number(p, f->asked).text);
	else
		page_paragraph(p, "  ", "%s groups of records, of which %s replay exactly (%s %%)",
			       page_number(p, f->flushes).text, page_number(p, f->exact).text,
			       number_percent(f->exact, f->flushes).text);
	write_extents(p, f);
	write_quality(p, b);
	explain_marks(p, &total, list);
}

static int write_overview(struct page *p, const struct report *r, const struct report_request *q)
{
	static const enum report_by shown[] = { BY_MM, BY_CAUSE, BY_SIZE, BY_CPU };

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		struct report_request one = *q;
		struct report_table t;

		if (!report_has(r, shown[i]))
			continue;
		one.by = shown[i];
		one.limit = q->limit ? q->limit : OVERVIEW_ROWS;
		if (shown[i] == BY_SIZE || shown[i] == BY_CPU)
			one.limit = q->limit;
		if (report_asked(&t, r, &one))
			return -1;
		page_heading(p, "By %s", report_by_texts[shown[i]]);
		if (!one.fields.n)
			one.fields = fields_usual(r->base.x86);
		write_table(p, &t, &one.fields);
		report_table_free(&t);
	}
	return 0;
}

static int write_by(struct page *p, const struct report *r, const struct report_request *q)
{
	struct report_request one = *q;
	struct report_table t;

	if (!one.limit && !is_numbered(q->by))
		one.limit = USUAL_ROWS;
	if (report_asked(&t, r, &one))
		return -1;
	if (!one.fields.n)
		one.fields = fields_usual(r->base.x86);
	write_table(p, &t, &one.fields);
	if (q->n_reports == 1) /* else the summary has said it */
		explain_marks(p, &t.total, &one.fields);
	report_table_free(&t);
	return 0;
}

int report_text(struct sink *s, const struct report_request *q)
{
	struct page p = page_on(s);

	for (size_t i = 0; i < q->n_reports; i++) {
		const struct report *r = &q->reports[i];
		struct field_list list = q->fields.n ? q->fields : fields_usual(r->base.x86);

		if (i)
			page_end_line(&p);
		if (q->overview || q->n_reports > 1)
			write_summary(&p, r, &list);
		if (q->overview ? write_overview(&p, r, q) : write_by(&p, r, q))
			return -1;
	}
	return 0;
}
