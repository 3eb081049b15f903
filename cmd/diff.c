/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff.c - `tlbtrace diff`: what changed between two recordings. */
#include "cmd/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"

#define TEXT_ROWS 10

enum {
	OPTION_BY = OPTION_IDS,
	OPTION_FIELDS,
	OPTION_LIMIT,
};

static const struct option_group diff_group = {
	"The tables",
	(const struct option_spec[]){
		{ OPTION_BY, 'b', "by", "WHAT",
		  "mm, task, cpu, cause, size or caller; repeatable\n"
		  "(default: mm and cause)" },
		{ OPTION_FIELDS, 'f', "fields", "FIELD,...", "what is compared, as in report" },
		{ OPTION_LIMIT, 'n', "limit", "N",
		  "so many rows of each table in text (default: 10)" },
		{ 0 },
	},
};

static const struct option_group *const groups[] = {
	&diff_group,
	&common_input_options,
	&common_output_options,
	NULL,
};

struct options {
	struct common common;
	struct diff d;
	bool by[REPORT_BYS];
	struct report reports[2];
	size_t n_reports;
};

int64_t diff_change(const struct field *f, const struct sums *a, const struct sums *b)
{
	return (int64_t)(field_value(f, b, b) - field_value(f, a, a));
}

static int take_by(struct options *o, const char *value, struct error *err)
{
	size_t at;

	if (value_word("by", value, report_by_keys, &at, err))
		return -1;
	if (at == BY_TIME)
		return error_set(err, ERROR_USAGE,
				 "--by=time: periods of two recordings have nothing in common");
	o->by[at] = true;
	return 0;
}

static int take_limit(struct options *o, const char *value, struct error *err)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || n == 0)
		return error_set(err, ERROR_USAGE, "--limit=%s: must be a number from 1 on", value);
	o->d.limit = n;
	return 0;
}

static int take_option(void *arg, int id, const char *value, struct error *err)
{
	struct options *o = arg;

	if (id >= OPTION_COMMON)
		return common_option(&o->common, id, value, err);
	if (id == OPTION_BY)
		return take_by(o, value, err);
	if (id == OPTION_FIELDS)
		return fields_parse(&o->d.fields, "fields", value, err);
	return take_limit(o, value, err);
}

/* Process numbers differ from one recording to the next: the program names the row. */
static const char *name_of_row(const struct report *r, enum report_by by,
			       const struct report_row *row)
{
	const struct profile_task *task = by == BY_TASK ? profile_task(r->profile, row->key) : NULL;

	if (by == BY_MM && *r->mms[row->key].name)
		return r->mms[row->key].name;
	if (task && task->tid >= 0 && *task->comm)
		return task->comm;
	return row->label;
}

static int by_label(const void *a, const void *b)
{
	return strcmp(((const struct diff_row *)a)->label, ((const struct diff_row *)b)->label);
}

static uint64_t size_of_change(const struct diff_row *row)
{
	uint64_t a = row->a.likely.instructions;
	uint64_t b = row->b.likely.instructions;

	return a < b ? b - a : a - b;
}

static int by_change(const void *a, const void *b)
{
	uint64_t n = size_of_change(a);
	uint64_t m = size_of_change(b);

	return n != m ? (n < m) - (n > m) : by_label(a, b);
}

/* Neighbours of the same label become one row. */
static void fold(struct diff_table *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (kept && by_label(&t->rows[kept - 1], &t->rows[i]) == 0) {
			sums_add(&t->rows[kept - 1].a, &t->rows[i].a, 1);
			sums_add(&t->rows[kept - 1].b, &t->rows[i].b, 1);
		} else {
			t->rows[kept++] = t->rows[i];
		}
	}
	t->n = kept;
}

static void take_rows(struct diff_table *t, const struct report *r, const struct report_table *from,
		      bool second)
{
	for (size_t i = 0; i < from->n; i++) {
		struct diff_row *row = &t->rows[t->n++];

		*row = (struct diff_row){ .label = "" };
		(void)snprintf(row->label, sizeof(row->label), "%s",
			       name_of_row(r, t->by, &from->rows[i]));
		*(second ? &row->b : &row->a) = from->rows[i].s;
	}
}

static int fill_table(struct diff_table *t, const struct options *o)
{
	struct report_table side[2] = { { .n = 0 }, { .n = 0 } };
	int status = -1;

	for (size_t i = 0; i < 2; i++)
		if (report_table(&side[i], &o->reports[i], t->by, &select_all))
			goto out;
	t->rows = calloc(side[0].n + side[1].n + 1, sizeof(*t->rows));
	if (!t->rows)
		goto out;
	take_rows(t, &o->reports[0], &side[0], false);
	take_rows(t, &o->reports[1], &side[1], true);
	qsort(t->rows, t->n, sizeof(*t->rows), by_label);
	fold(t);
	qsort(t->rows, t->n, sizeof(*t->rows), by_change);
	status = 0;
out:
	report_table_free(&side[0]);
	report_table_free(&side[1]);
	return status;
}

static void choose_tables(struct options *o)
{
	bool chosen = false;

	for (size_t by = 0; by < REPORT_BYS; by++)
		chosen |= o->by[by];
	if (!chosen)
		o->by[BY_MM] = o->by[BY_CAUSE] = true;
}

static int check_kept(const struct options *o, struct error *err)
{
	for (size_t by = 0; by < REPORT_BYS; by++)
		for (size_t i = 0; i < 2; i++)
			if (o->by[by] && !report_has(&o->reports[i], (enum report_by)by))
				return error_set(err, ERROR_USAGE,
						 "%s: --by=%s: a summary keeps mm, cause, size and "
						 "caller: ask the trace",
						 o->d.paths[i], report_by_keys[by]);
	return 0;
}

static int compare(struct options *o, struct error *err)
{
	struct diff *d = &o->d;
	bool classes_do;

	choose_tables(o);
	classes_do = !o->by[BY_TASK] && !o->by[BY_CPU];
	for (size_t i = 0; i < 2; i++) {
		d->paths[i] = o->common.inputs[i];
		o->n_reports = i + 1;
		if (report_read(&o->reports[i], &o->common, d->paths[i], 0, classes_do, err))
			return -1;
		if (o->reports[i].base.x86 != o->reports[0].base.x86)
			return error_set(
				err, ERROR_USAGE,
				"%s and %s are of different architectures: their counters have "
				"nothing in common",
				d->paths[0], d->paths[1]);
		d->total[i] = report_total(&o->reports[i], &select_all);
	}
	if (check_kept(o, err))
		return -1;
	d->tables = calloc(REPORT_BYS, sizeof(*d->tables));
	if (!d->tables)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	for (size_t by = 0; by < REPORT_BYS; by++) {
		if (!o->by[by])
			continue;
		d->tables[d->n_tables].by = (enum report_by)by;
		if (fill_table(&d->tables[d->n_tables++], o))
			return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	}
	return 0;
}

/* Counts, not shares: those have no change in %. */
static struct field_list usual_fields(bool x86)
{
	struct field_list all = fields_usual(x86);
	struct field_list out = { .n = 0 };

	for (size_t i = 0; i < all.n; i++)
		if (all.f[i]->kind == FIELD_NUMBER)
			out.f[out.n++] = all.f[i];
	return out;
}

static const char *const formats[] = { "text", "json", "csv", NULL };
enum {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
};

static int write_answer(struct options *o, size_t format, struct error *err)
{
	struct sink sink;

	if (!o->d.fields.n)
		o->d.fields = usual_fields(o->reports[0].base.x86);
	if (sink_open(&sink, &o->common.sink, err))
		return -1;
	switch (format) {
	case FORMAT_JSON:
		diff_json(&sink, &o->d);
		break;
	case FORMAT_CSV:
		diff_csv(&sink, &o->d);
		break;
	default:
		diff_text(&sink, &o->d);
		break;
	}
	for (size_t i = 0; i < o->n_reports; i++)
		common_warn_of_damage(&o->common, o->reports[i].base.trace.info);
	return sink_close(&sink, err);
}

static int check_whole(const struct options *o, struct error *err)
{
	for (size_t i = 0; i < o->n_reports; i++)
		if (common_check_whole(&o->common, &o->reports[i].base.trace, err))
			return -1;
	return 0;
}

static int answer(struct options *o, int argc, char **argv, struct error *err)
{
	size_t format = FORMAT_TEXT;
	int operands;

	if (options_parse(groups, argc, argv, take_option, o, &operands, err))
		return -1;
	if (o->common.help)
		return 0;
	if (o->common.format && value_word("format", o->common.format, formats, &format, err))
		return -1;
	if (common_operands(&o->common, argc - operands, argv + operands, err))
		return -1;
	if (o->common.n_inputs != 2)
		return error_set(err, ERROR_USAGE, "diff needs two traces: tlbtrace diff A B%s",
				 o->common.n_owned
					 ? "; a summary of several recorded kernels stands for one "
					   "trace of each: name one, as A#1"
					 : "");
	if (compare(o, err) || write_answer(o, format, err))
		return -1;
	return check_whole(o, err);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct options o = { .common.whole = true, .d.limit = TEXT_ROWS };
	int status = answer(&o, argc, argv, err);
	int code = command_end(self, o.common.help, status, err);

	for (size_t i = 0; i < o.n_reports; i++)
		report_free(&o.reports[i]);
	for (size_t i = 0; i < o.d.n_tables; i++)
		free(o.d.tables[i].rows);
	free(o.d.tables);
	common_free(&o.common);
	return code;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "puts two traces side by side: what changed, per program and cause",
	.operands = "[OPTION...] A B",
	.about = "What was recorded in A and in B, and how much more or less it was in B: in all, per\n"
		 "program (whatever its process numbers) and per cause, the largest change first.\n",
	.notes = "Examples\n"
		 "  tlbtrace diff before.dat after.dat\n"
		 "  tlbtrace diff --by=size --fields=flushes,tlbie --format=csv before.dat after.dat\n"
		 "\n"
		 "Exit status\n"
		 "  0  done, whether they differ or not\n"
		 "  2  usage: an unknown option, a bad value, not two traces\n"
		 "  3  input: no trace, the event was not recorded, nothing readable\n"
		 "  4  environment: the output cannot be written, no memory\n"
		 "  130  interrupted: nothing is written\n",
	.groups = groups,
	.formats = formats,
	.run = run,
};
