/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_html.c - a report as one page: nothing is fetched, nothing is a script, so it can be
 * attached to a mail or kept by a CI run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/html.h"
#include "cmd/output/report_html.h"
#include "config.h"

#define TABLE_ROWS 25

/* Rules of the style sheet. */
static const char *const style[] = {
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#57606a;--line:#d8dee4;"
	"--card:#f6f8fa;--global:#b35900;--local:#0a7ea4;--flush:#6e7781;--mark:#a40e6a;"
	"--warn:#b42318}",
	"@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;"
	"--line:#30363d;--card:#161b22;--global:#f0883e;--local:#39c5cf;--flush:#8b949e;"
	"--mark:#ff7bc0;--warn:#ff8a80}}",
	"body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;"
	"max-width:60rem;margin:1.5rem auto;padding:0 1rem}",
	"h1{font-size:1.3rem;line-height:1.3;margin:0 0 .2rem;overflow-wrap:anywhere}",
	"h2{font-size:1.05rem;margin:2.2rem 0 .4rem}p{margin:.4rem 0}",
	".lead{font-size:1.15rem;line-height:1.45;margin:.9rem 0}",
	"footer,figcaption,.dim,dt{color:var(--dim);font-size:.85rem}.warn{color:var(--warn)}",
	"dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.6rem;"
	"margin:1rem 0}",
	"dl div{background:var(--card);border:1px solid var(--line);border-radius:6px;"
	"padding:.4rem .7rem}",
	"dd{margin:0;font-size:1.25rem;font-weight:600;font-variant-numeric:tabular-nums}",
	"dd small{display:block;font-size:.75rem;font-weight:400;color:var(--dim)}",
	"figure{margin:.8rem 0 1.1rem;break-inside:avoid}",
	".plot{display:grid;grid-template-columns:4.2rem 1fr;gap:.5rem;margin-top:.3rem}",
	".axis{display:flex;flex-direction:column;justify-content:space-between;text-align:right;"
	"line-height:1;color:var(--dim);font-size:.75rem;font-variant-numeric:tabular-nums}",
	".plot svg{width:100%;height:7rem;display:block;border-bottom:1px solid var(--line)}",
	".grid{stroke:var(--line);fill:none}",
	".ends{display:flex;justify-content:space-between;color:var(--dim);font-size:.8rem;"
	"margin-left:4.7rem}",
	".global{fill:var(--global)}.local{fill:var(--local)}.flush{fill:var(--flush)}",
	".pale{opacity:.35}.tip{fill:transparent}",
	".bars{margin-top:.3rem}.bar{display:grid;grid-template-columns:8rem 1fr 5rem;gap:.6rem;"
	"align-items:center;font-size:.88rem;line-height:1.45;font-variant-numeric:tabular-nums}",
	".bar span{text-align:right}.bar svg{width:100%;height:.85rem;display:block}",
	".edge{border-top:1px dashed var(--mark);margin:.25rem 0;line-height:1}",
	".edge span{color:var(--mark);font-size:.75rem}",
	".key{display:inline-block;width:.7rem;height:.7rem}.key.global{background:var(--global)}"
	".key.local{background:var(--local)}",
	"line.mark{stroke:var(--mark);stroke-width:1.5;stroke-dasharray:4 3;"
	"vector-effect:non-scaling-stroke}",
	"span.mark{color:var(--mark)}",
	".wide{overflow-x:auto}",
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}",
	"th,td{padding:.15rem .7rem;text-align:right;border-bottom:1px solid var(--line);"
	"white-space:nowrap}",
	"th:first-child,td:first-child{text-align:left;padding-left:0}",
	"tbody tr:hover{background:var(--card)}tfoot td{font-weight:600}",
	"@media print{body{max-width:none;margin:0;font-size:10pt}.wide{overflow:visible}"
	"tr{break-inside:avoid}h2{break-after:avoid}svg,.key{print-color-adjust:exact;"
	"-webkit-print-color-adjust:exact}}",
};

static void write_cell(FILE *f, const struct field *field, const struct sums *s,
		       const struct sums *total)
{
	struct field_bounds b = field_bounds(field, s);

	(void)fprintf(f, "<td data-value=\"%" PRIu64 "\"", field_value(field, s, total));
	if (field->kind == FIELD_NUMBER && b.least != b.most && b.most != NO_LIMIT)
		(void)fprintf(f, " title=\"%" PRIu64 " to %" PRIu64 "\"", b.least, b.most);
	(void)fputc('>', f);
	html_text(f, field_text(field, s, total, true).text);
	(void)fputs("</td>", f);
}

static void write_cells(FILE *f, const char *label, const struct sums *s, const struct sums *total,
			const struct field_list *list)
{
	(void)fputs("<tr><td>", f);
	html_text(f, label);
	(void)fputs("</td>", f);
	for (size_t i = 0; i < list->n; i++)
		write_cell(f, list->f[i], s, total);
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
	if (report_html_head(f, r) || report_html_charts(f, r) || write_tables(f, r, q))
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
