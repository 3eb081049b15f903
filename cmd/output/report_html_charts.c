/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_html_charts.c - the pictures of a report's page: time line, sizes, cost over the ceiling. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/html.h"
#include "cmd/output/report_html.h"
#include "replay/sweep.h"

#define CURVE_LEAST 64u
#define CURVE_MOST 1024u

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
		(void)snprintf(c.last, sizeof(c.last), "%s s",
			       number_seconds(t.n * profile_period_ns(r->profile)).text);
		status = write_series(f, &c, &s);
	}
	report_table_free(&t);
	return status;
}

/* The ceilings between the sizes up to `from` and those up to `to`. */
static void write_ceilings(FILE *f, const struct report *r, uint64_t from, uint64_t to)
{
	static const enum param ceilings[] = { PARAM_CEILING, PARAM_LOCAL_CEILING };

	for (size_t i = 0; i < 2; i++) {
		uint64_t ceiling = r->base.model.used.v[ceilings[i]];

		if (ceiling && ceiling >= from && ceiling < to)
			(void)fprintf(f, "<div class=\"edge\"><span>%s %" PRIu64 "</span></div>\n",
				      param_keys[ceilings[i]], ceiling);
	}
}

static void write_size(FILE *f, const struct report *r, const struct report_table *t, size_t row,
		       uint64_t max)
{
	const struct field *flushes = field_by_key("flushes");
	const struct sums *s = &t->rows[row].s;
	bool pages = t->rows[row].key < r->sizes.n;
	char label[160];

	(void)snprintf(label, sizeof(label), "%s%s", t->rows[row].label,
		       !pages				      ? ""
		       : strcmp(t->rows[row].label, "1") == 0 ? " page"
							      : " pages");
	html_bar(f, &(struct html_bar){ .label = label,
					.text = field_text(flushes, s, &t->total, true).text,
					.class = s->likely.local > s->likely.global ? "local"
										    : "global",
					.value = s->likely.t.n[COUNT_FLUSHES],
					.max = max });
}

static int write_sizes(FILE *f, const struct report *r)
{
	struct report_table t;
	uint64_t max = 0;
	uint64_t from = 0;

	if (report_table(&t, r, BY_SIZE, &select_all))
		return -1;
	for (size_t i = 0; i < t.n; i++)
		if (t.rows[i].s.likely.t.n[COUNT_FLUSHES] > max)
			max = t.rows[i].s.likely.t.n[COUNT_FLUSHES];
	(void)fputs("<h2>Sizes of requests</h2>\n<figure><figcaption>requests by the pages that they "
		    "asked for; <span class=\"key global\"></span> mostly global, "
		    "<span class=\"key local\"></span> mostly local; more pages than a ceiling take "
		    "everything</figcaption>\n<div class=\"bars\">\n",
		    f);
	for (size_t i = 0; i < t.n; i++) {
		uint32_t key = t.rows[i].key;
		uint64_t to = key < r->sizes.n ? r->sizes.most[key] : UINT64_MAX;

		write_ceilings(f, r, from, to);
		from = to;
		write_size(f, r, &t, i, max);
	}
	(void)fputs("</div></figure>\n", f);
	report_table_free(&t);
	return 0;
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
	const struct sweep_piece *piece = sweep_piece(c->sweep, i);
	struct sweep_cell cell = sweep_cell(piece, i, c->counter);
	uint64_t lo = piece->open ? cell.lo : cell.likely;

	if (piece->open && lo != cell.hi)
		(void)snprintf(buf, size, "ceiling %" PRIu64 ": %s to %s", sweep_value(c->sweep, i),
			       number_of(lo, true).text, number_of(cell.hi, true).text);
	else
		(void)snprintf(buf, size, "ceiling %" PRIu64 ": %s", sweep_value(c->sweep, i),
			       number_of(lo, true).text);
}

/* values[n_rows]: what is likely, or certain where nothing is likely; behind them the most. */
static void curve_values(const struct curve *c, uint64_t *values)
{
	for (size_t i = 0; i < c->sweep->n_rows; i++) {
		const struct sweep_piece *piece = sweep_piece(c->sweep, i);
		struct sweep_cell cell = sweep_cell(piece, i, c->counter);

		values[i] = piece->open ? cell.lo : cell.likely;
		values[c->sweep->n_rows + i] = cell.hi;
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
	html_steps(f, &c);
	free(values);
	return 0;
}

/* Where the curve moves most. */
static void write_knee(FILE *f, const struct report *r, const struct sweep *sweep)
{
	enum counter counter = r->base.x86 ? COUNT_INVLPG : COUNT_TLBIE;
	struct curve curve = { sweep, counter };
	char before[96];
	char there[96];
	size_t row;

	if (sweep_knees(sweep, counter, &row, 1) == 0) {
		(void)fprintf(f, "<p>No ceiling up to %" PRIu64 " changes the number of %s.</p>\n",
			      sweep_value(sweep, sweep->n_rows - 1), counter_keys[counter]);
		return;
	}
	label_ceiling(&curve, row - 1, before, sizeof(before));
	label_ceiling(&curve, row, there, sizeof(there));
	(void)fprintf(
		f,
		"<p>%s changes most from <strong>%s</strong> to <strong>%s</strong>. What a flush of everything "
		"costs afterwards, a trace does not tell.</p>\n",
		counter_keys[counter], before, there);
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
	write_knee(f, r, &sweep);
	status = draw_curve(f, r, &sweep);
	sweep_free(&sweep);
	return status;
}

int report_html_charts(FILE *f, const struct report *r)
{
	return write_time_line(f, r) || write_sizes(f, r) || write_curve(f, r) ? -1 : 0;
}
