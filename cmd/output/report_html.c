/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_html.c - a report as one page: nothing is fetched, nothing is a script, so it can be
 * attached to a mail or kept by a CI run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/html.h"
#include "cmd/report.h"
#include "config.h"
#include "replay/sweep.h"

#define TABLE_ROWS 50
#define CURVE_LEAST 64u
#define CURVE_MOST 1024u

/* Rules of the style sheet. */
static const char *const style[] = {
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#57606a;--line:#d0d7de;"
	"--global:#b35900;--local:#0a7ea4;--flush:#6e7781;--mark:#a40e6a}",
	"@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#8b949e;"
	"--line:#30363d;--global:#f0883e;--local:#39c5cf;--flush:#8b949e;--mark:#ff7bc0}}",
	"body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;"
	"max-width:60rem;margin:1.5rem auto;padding:0 1rem}",
	"h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:2rem 0 .4rem}",
	"p{margin:.3rem 0}footer,figcaption,.dim{color:var(--dim);font-size:.85rem}",
	"figure{margin:.8rem 0}",
	"svg{width:100%;height:8rem;display:block;border-bottom:1px solid var(--line)}",
	".ends{display:flex;justify-content:space-between;color:var(--dim);font-size:.8rem}",
	".global{fill:var(--global)}.local{fill:var(--local)}.flush{fill:var(--flush)}",
	".pale{opacity:.35}",
	"line.mark{stroke:var(--mark);stroke-dasharray:4 3;vector-effect:non-scaling-stroke}",
	"span.mark{color:var(--mark)}",
	".wide{overflow-x:auto}",
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}",
	"th,td{padding:.15rem .7rem;text-align:right;border-bottom:1px solid var(--line);"
	"white-space:nowrap}",
	"th:first-child,td:first-child{text-align:left}",
	"tfoot td{font-weight:600}",
};

static void write_paragraphs(FILE *f, const struct report *r)
{
	const struct whatif_result *b = &r->base;
	const struct source_info *info = b->trace.info;
	const struct fidelity *fi = &b->fidelity;

	(void)fputs("<p>", f);
	html_text(f, *info->kernel ? info->kernel : "unknown kernel");
	(void)fprintf(f, ", %s MMU, %" PRIu32 " CPUs, %s s, %s events (",
		      b->mmu ? b->mmu : "unknown", info->cpus,
		      number_seconds(b->trace.last_ns - b->trace.first_ns).text,
		      number_of(info->events, true).text);
	html_text(f, info->format);
	(void)fprintf(
		f,
		")</p>\n<p>Replaying the recorded policy gives %s of %s flushes exactly (%s %%). "
		"Requests and barriers are computed; instructions are those recorded.</p>\n",
		number_of(fi->exact, true).text, number_of(fi->flushes, true).text,
		number_percent(fi->exact, fi->flushes).text);
	if (info->truncated) {
		(void)fputs("<p><strong>The file is cut off or damaged:</strong> ", f);
		html_text(f, info->truncated_text);
		(void)fputs("</p>\n", f);
	}
	if (info->lost_events || info->lost_unknown)
		(void)fprintf(f, "<p><strong>Events were lost while recording</strong> (%s).</p>\n",
			      info->lost_events ? number_of(info->lost_events, true).text
						: "an unknown number");
}

/* A chart's values: one field of a table's rows. */
struct series {
	const struct report_table *table;
	const struct field *field;
};

static void label_row(const void *arg, size_t i, char *buf, size_t size)
{
	const struct series *s = arg;
	const struct report_row *row = &s->table->rows[i];

	(void)snprintf(buf, size, "%s: %s", row->label,
		       field_text(s->field, &row->s, &s->table->total, true).text);
}

static int write_series(FILE *f, struct html_chart *c, const struct series *s)
{
	uint64_t *values = calloc(s->table->n + 1, sizeof(*values));

	if (!values)
		return -1;
	for (size_t i = 0; i < s->table->n; i++)
		values[i] = field_value(s->field, &s->table->rows[i].s, &s->table->total);
	c->values = values;
	c->n = s->table->n;
	c->label = label_row;
	c->arg = s;
	html_columns(f, c);
	free(values);
	return 0;
}

static int write_time_line(FILE *f, const struct report *r)
{
	const char *keys[] = { r->base.x86 ? "cr3_writes" : "tlbie",
			       r->base.x86 ? "invlpg" : "tlbiel", "flushes" };
	static const char *const classes[] = { "global", "local", "flush" };
	struct report_table t;
	int status = 0;

	if (report_table(&t, r, BY_TIME, &select_all))
		return -1;
	(void)fprintf(f, "<h2>Over time</h2>\n<p class=\"dim\">in periods of %s ms</p>\n",
		      number_seconds(profile_period_ns(r->profile) * 1000).text);
	for (size_t i = 0; i < 3 && status == 0; i++) {
		struct series s = { &t, field_by_key(keys[i]) };
		struct html_chart c = { .what = keys[i], .class = classes[i], .mark = SIZE_MAX };

		(void)snprintf(c.first, sizeof(c.first), "0 s");
		(void)snprintf(c.last, sizeof(c.last), "%s s", t.n ? t.rows[t.n - 1].label : "0");
		status = write_series(f, &c, &s);
	}
	report_table_free(&t);
	return status;
}

/* The row behind which the ceiling is; SIZE_MAX where all are on one side of it. */
static size_t row_at_ceiling(const struct report *r, const struct report_table *t)
{
	uint64_t ceiling = r->base.model.used.v[PARAM_CEILING];

	for (size_t i = 0; i < t->n; i++) {
		uint32_t key = t->rows[i].key;

		if (key < r->sizes.n && r->sizes.most[key] >= ceiling)
			return i;
	}
	return SIZE_MAX;
}

static int write_sizes(FILE *f, const struct report *r)
{
	struct html_chart c = { .what = "flushes, by pages of the request", .class = "flush" };
	struct series s = { .field = field_by_key("flushes") };
	struct report_table t;
	int status;

	if (report_table(&t, r, BY_SIZE, &select_all))
		return -1;
	s.table = &t;
	c.mark = row_at_ceiling(r, &t);
	(void)snprintf(c.mark_text, sizeof(c.mark_text), "ceiling %" PRIu64,
		       r->base.model.used.v[PARAM_CEILING]);
	if (t.n) {
		(void)snprintf(c.first, sizeof(c.first), "%s", t.rows[0].label);
		(void)snprintf(c.last, sizeof(c.last), "%s", t.rows[t.n - 1].label);
	}
	(void)fputs("<h2>Sizes of requests</h2>\n", f);
	status = write_series(f, &c, &s);
	report_table_free(&t);
	return status;
}

static bool selects(void *arg, const struct class *class)
{
	return report_selects_class(arg, &select_all, class);
}

/* What the tooltips of the curve need. */
struct curve {
	const struct sweep *sweep;
	enum counter counter;
};

static void label_ceiling(const void *arg, size_t i, char *buf, size_t size)
{
	const struct curve *c = arg;
	const struct counts *n = &c->sweep->rows[i];
	uint64_t lo = n->open ? n->lo.n[c->counter] : n->likely.n[c->counter];
	uint64_t hi = n->hi.n[c->counter];

	if (n->open && lo != hi)
		(void)snprintf(buf, size, "ceiling %" PRIu64 ": %s to %s", sweep_value(c->sweep, i),
			       number_of(lo, true).text, number_of(hi, true).text);
	else
		(void)snprintf(buf, size, "ceiling %" PRIu64 ": %s", sweep_value(c->sweep, i),
			       number_of(lo, true).text);
}

/* values[n_rows]: what is likely, or certain where nothing is likely; behind them the most. */
static void curve_values(const struct curve *c, uint64_t *values)
{
	for (size_t i = 0; i < c->sweep->n_rows; i++) {
		const struct counts *n = &c->sweep->rows[i];

		values[i] = n->open ? n->lo.n[c->counter] : n->likely.n[c->counter];
		values[c->sweep->n_rows + i] = n->hi.n[c->counter];
	}
}

static int draw_curve(FILE *f, const struct report *r, const struct sweep *sweep)
{
	struct curve curve = { sweep, r->base.x86 ? COUNT_INVLPG : COUNT_TLBIE };
	uint64_t ceiling = r->base.model.used.v[PARAM_CEILING];
	uint64_t *values = calloc(2 * sweep->n_rows + 1, sizeof(*values));
	struct html_chart c = { .class = "global", .label = label_ceiling, .arg = &curve };
	char what[64];

	if (!values)
		return -1;
	curve_values(&curve, values);
	(void)snprintf(what, sizeof(what), "%s, predicted over the ceiling",
		       counter_keys[curve.counter]);
	(void)snprintf(c.first, sizeof(c.first), "ceiling 1");
	(void)snprintf(c.last, sizeof(c.last), "%zu", sweep->n_rows);
	(void)snprintf(c.mark_text, sizeof(c.mark_text), "recorded with %" PRIu64, ceiling);
	c.what = what;
	c.values = values;
	c.most = values + sweep->n_rows;
	c.n = sweep->n_rows;
	c.mark = ceiling ? ceiling - 1 : SIZE_MAX;
	html_columns(f, &c);
	free(values);
	return 0;
}

static int write_curve(FILE *f, const struct report *r)
{
	uint64_t wide = 2 * r->base.model.used.v[PARAM_CEILING];
	struct sweep_range range = { PARAM_CEILING, 1, CURVE_LEAST, 1 };
	struct sweep sweep;
	int status;

	if (wide > range.to)
		range.to = wide < CURVE_MOST ? wide : CURVE_MOST;
	if (sweep_run(&sweep, &r->base.trace, &r->base.model, &r->base.model.used, &range, selects,
		      (void *)r))
		return -1;
	(void)fputs("<h2>What if the ceiling were another</h2>\n", f);
	status = draw_curve(f, r, &sweep);
	sweep_free(&sweep);
	return status;
}

static void write_cells(FILE *f, const char *label, const struct sums *s, const struct sums *total,
			const struct field_list *list)
{
	(void)fputs("<tr><td>", f);
	html_text(f, label);
	(void)fputs("</td>", f);
	for (size_t i = 0; i < list->n; i++)
		(void)fprintf(f, "<td data-value=\"%" PRIu64 "\">%s</td>",
			      field_value(list->f[i], s, total),
			      field_text(list->f[i], s, total, true).text);
	(void)fputs("</tr>\n", f);
}

static void write_table(FILE *f, const struct report_table *t, const struct field_list *list)
{
	(void)fprintf(f, "<div class=\"wide\"><table id=\"%s\">\n<thead><tr><th>%s</th>",
		      report_by_keys[t->by], report_by_keys[t->by]);
	for (size_t i = 0; i < list->n; i++) {
		(void)fputs("<th title=\"", f);
		html_text(f, list->f[i]->what);
		(void)fprintf(f, "\">%s</th>", field_head(list->f[i]));
	}
	(void)fputs("</tr></thead>\n<tbody>\n", f);
	for (size_t i = 0; i < t->n; i++)
		write_cells(f, t->rows[i].label, &t->rows[i].s, &t->total, list);
	(void)fputs("</tbody><tfoot>\n", f);
	write_cells(f, "total", &t->total, &t->total, list);
	(void)fputs("</tfoot></table></div>\n", f);
}

static int write_tables(FILE *f, const struct report *r, const struct report_request *q)
{
	static const enum report_by shown[] = { BY_MM, BY_CAUSE, BY_SIZE, BY_TASK, BY_CPU, BY_CALLER };

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		struct report_request one = *q;
		struct report_table t;

		one.by = shown[i];
		one.limit = q->limit ? q->limit : TABLE_ROWS;
		if (report_asked(&t, r, &one))
			return -1;
		if (!one.fields.n)
			one.fields = fields_usual(r->base.x86);
		(void)fprintf(f, "<h2>By %s</h2>\n", report_by_texts[shown[i]]);
		write_table(f, &t, &one.fields);
		report_table_free(&t);
	}
	return 0;
}

static int write_report(FILE *f, const struct report *r, const struct report_request *q)
{
	(void)fputs("<section>\n<h1>", f);
	html_text(f, r->base.path);
	(void)fputs("</h1>\n", f);
	write_paragraphs(f, r);
	if (write_time_line(f, r) || write_sizes(f, r) || write_curve(f, r))
		return -1;
	if (write_tables(f, r, q))
		return -1;
	(void)fputs("</section>\n", f);
	return 0;
}

int report_html(struct sink *s, const struct report_request *q)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<title>TLB flushes: ",
		    s->f);
	html_text(s->f, q->reports[0].base.path);
	(void)fputs("</title>\n<style>\n", s->f);
	for (size_t i = 0; i < sizeof(style) / sizeof(*style); i++)
		(void)fprintf(s->f, "%s\n", style[i]);
	(void)fputs("</style>\n</head>\n<body>\n", s->f);
	for (size_t i = 0; i < q->n_reports; i++)
		if (write_report(s->f, &q->reports[i], q))
			return -1;
	(void)fputs("<footer><p>made by tlbtrace " TLBTRACE_VERSION
		    "</p></footer>\n</body>\n</html>\n",
		    s->f);
	return 0;
}
