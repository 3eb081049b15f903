/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - `tlbtrace report`: which processes flush what, and why. */
#include "cmd/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/tui/tui.h"
#include "replay/summary.h"

#define TEXT_PERIODS 32 /* --by=time without --interval has at most so many rows */

enum {
	OPTION_BY = OPTION_IDS,
	OPTION_INTERVAL,
	OPTION_FIELDS,
	OPTION_SORT,
	OPTION_LIMIT,
	OPTION_STDIO,
	OPTION_KALLSYMS,
};

static const struct option_group report_group = {
	"The table",
	(const struct option_spec[]){
		{ OPTION_BY, 'b', "by", "WHAT",
		  "one row per mm, task, cpu, cause, size, time or\n"
		  "caller (text: a summary of several)" },
		{ OPTION_INTERVAL, 'I', "interval", "MS",
		  "one row per so many milliseconds, as perf stat -I" },
		{ OPTION_FIELDS, 'f', "fields", "FIELD,...",
		  "its columns: flushes, promoted, tlbie, tlbiel, ipis,\n"
		  "pages, share and more; a wrong one lists them all" },
		{ OPTION_SORT, 's', "sort", "FIELD", "largest first; +FIELD: smallest first" },
		{ OPTION_LIMIT, 'n', "limit", "N",
		  "so many rows; the others are summed in the last" },
		{ OPTION_KALLSYMS, 0, "kallsyms", "FILE",
		  "--by=caller: names of kernel functions, as in\n"
		  "/proc/kallsyms of the kernel that was recorded" },
		{ OPTION_STDIO, 0, "stdio", NULL, "text, even on a terminal" },
		{ 0 },
	},
};

static const struct option_group *const groups[] = {
	&report_group,
	&common_input_options,
	&common_output_options,
	NULL,
};

struct options {
	struct common common;
	struct report_request q;
	const char *kallsyms;
	bool stdio;
	bool by;
	bool classes_only; /* as report_read() */
};

static int parse_number(const char *option, const char *text, uint64_t max, uint64_t *out,
			struct error *err)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n == 0 || n > max)
		return error_set(err, ERROR_USAGE, "--%s=%s: must be a number from 1 to %" PRIu64,
				 option, text, max);
	*out = n;
	return 0;
}

static int take_interval(struct options *o, const char *value, struct error *err)
{
	uint64_t ms = 0;

	if (parse_number("interval", value, 86400000, &ms, err))
		return -1;
	o->q.interval_ns = ms * 1000000;
	return 0;
}

static int take_limit(struct options *o, const char *value, struct error *err)
{
	uint64_t n = 0;

	if (parse_number("limit", value, 1000000000, &n, err))
		return -1;
	o->q.limit = n;
	return 0;
}

static int take_sort(struct options *o, const char *value, struct error *err)
{
	struct field_list list;

	o->q.sort.ascending = *value == '+';
	if (fields_parse(&list, "sort", value + o->q.sort.ascending, err))
		return -1;
	if (list.n != 1)
		return error_set(err, ERROR_USAGE, "--sort=%s: must be one field", value);
	o->q.sort.field = list.f[0];
	return 0;
}

static int take_by(struct options *o, const char *value, struct error *err)
{
	size_t at;

	if (value_word("by", value, report_by_keys, &at, err))
		return -1;
	o->q.by = (enum report_by)at;
	o->by = true;
	return 0;
}

static int take_option(void *arg, int id, const char *value, struct error *err)
{
	struct options *o = arg;

	if (id >= OPTION_COMMON)
		return common_option(&o->common, id, value, err);
	switch (id) {
	case OPTION_BY:
		return take_by(o, value, err);
	case OPTION_INTERVAL:
		return take_interval(o, value, err);
	case OPTION_FIELDS:
		return fields_parse(&o->q.fields, "fields", value, err);
	case OPTION_SORT:
		return take_sort(o, value, err);
	case OPTION_LIMIT:
		return take_limit(o, value, err);
	case OPTION_KALLSYMS:
		o->kallsyms = value;
		return 0;
	default:
		o->stdio = true;
		return 0;
	}
}

static int read_inputs(struct options *o, struct error *err)
{
	struct report_request *q = &o->q;
	bool interrupted = false;

	q->reports = calloc(o->common.n_inputs, sizeof(*q->reports));
	if (!q->reports)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	while (q->n_reports < o->common.n_inputs && !interrupted) {
		struct report *r = &q->reports[q->n_reports];
		const char *path = o->common.inputs[q->n_reports++];

		if (report_read(r, &o->common, path, q->interval_ns, o->classes_only, err))
			return -1;
		interrupted = r->base.trace.interrupted;
		if (o->by && q->by == BY_CALLER && report_callers(r, o->kallsyms, err))
			return -1;
	}
	return 0;
}

/* A summary has no CPUs, tasks and moments. */
static int check_kept(const struct options *o, bool html, struct error *err)
{
	for (size_t i = 0; i < o->q.n_reports; i++) {
		const struct report *r = &o->q.reports[i];

		if (html && r->base.trace.kept)
			return error_set(err, ERROR_USAGE,
					 "%s: --format=html shows flushes over time, which a summary "
					 "does not keep: ask the trace",
					 r->base.path);
		if (!o->q.overview && !report_has(r, o->q.by))
			return error_set(
				err, ERROR_USAGE,
				"%s: --by=%s: a summary keeps mm, cause, size and caller: ask "
				"the trace",
				r->base.path, report_by_keys[o->q.by]);
	}
	return 0;
}

static const char *const formats[] = { "text", "json", "csv", "html", NULL };
enum {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_HTML,
};

static int coarsen(struct report_request *q)
{
	for (size_t i = 0; i < q->n_reports; i++)
		if (!profile_coarsen(q->reports[i].profile, TEXT_PERIODS))
			return -1;
	return 0;
}

static int write_report(struct sink *s, struct report_request *q, size_t format)
{
	if (q->by == BY_TIME && format != FORMAT_HTML && coarsen(q))
		return -1;
	switch (format) {
	case FORMAT_JSON:
		return report_json(s, q);
	case FORMAT_CSV:
		return report_csv(s, q);
	case FORMAT_HTML:
		return report_html(s, q);
	default:
		return report_text(s, q);
	}
}

static int write_answer(struct options *o, size_t format, struct error *err)
{
	struct sink sink;

	if (sink_open(&sink, &o->common.sink, err))
		return -1;
	if (write_report(&sink, &o->q, format)) {
		sink_abandon(&sink);
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	}
	return sink_close(&sink, err);
}

static void warn_of_damage(const struct options *o)
{
	for (size_t i = 0; i < o->q.n_reports; i++)
		common_warn_of_damage(&o->common, o->q.reports[i].base.trace.info);
}

static int check_whole(const struct options *o, struct error *err)
{
	for (size_t i = 0; i < o->q.n_reports; i++)
		if (common_check_whole(&o->common, &o->q.reports[i].base.trace, err))
			return -1;
	return 0;
}

/* On a terminal, unless text, a table, another format or a file is asked for. */
static bool wants_tui(const struct options *o)
{
	return !o->stdio && !o->by && !o->q.interval_ns && !o->q.fields.n && !o->q.sort.field &&
	       !o->q.limit && !o->common.format && !o->common.sink.path && o->common.n_inputs == 1 &&
	       !summary_is(o->common.inputs[0]) && tui_possible(&o->common);
}

/* The overview and HTML have other tables as well. */
static bool classes_do(const struct options *o, size_t format)
{
	return o->by && format != FORMAT_HTML &&
	       (o->q.by == BY_MM || o->q.by == BY_CAUSE || o->q.by == BY_SIZE);
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
	if (o->q.interval_ns) {
		if (o->by && o->q.by != BY_TIME)
			return error_set(err, ERROR_USAGE, "--interval needs --by=time, not --by=%s",
					 report_by_keys[o->q.by]);
		o->q.by = BY_TIME;
		o->by = true;
	}
	if (o->kallsyms && !(o->by && o->q.by == BY_CALLER))
		return error_set(err, ERROR_USAGE, "--kallsyms needs --by=caller");
	o->q.overview = !o->by;
	o->classes_only = classes_do(o, format);
	if (common_operands(&o->common, argc - operands, argv + operands, err))
		return -1;
	if (wants_tui(o))
		return tui_run(&o->common, err);
	if (read_inputs(o, err) || check_kept(o, format == FORMAT_HTML, err))
		return -1;
	if (format != FORMAT_TEXT || !o->q.overview)
		warn_of_damage(o);
	if (write_answer(o, format, err))
		return -1;
	return check_whole(o, err);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct options o = { .stdio = false };
	int status, code;

	o.q.common = &o.common;
	status = answer(&o, argc, argv, err);
	code = command_end(self, o.common.help, status, err);
	for (size_t i = 0; i < o.q.n_reports; i++)
		report_free(&o.q.reports[i]);
	free(o.q.reports);
	common_free(&o.common);
	return code;
}

const struct command command_report = {
	.name = "report",
	.summary = "shows which processes flush what, and why",
	.operands = "[OPTION...] [FILE...]",
	.about = "On a terminal, an interactive view of one trace; its ? key tells the keys. Otherwise,\n"
		 "or with --stdio, --by or --format, tables.\n",
	.notes = "Instructions are those recorded. Requests (flushes, promoted, local, global), pages, IPIs\n"
		 "and barriers are computed: ~ is the likely number where the trace leaves it open, >= the\n"
		 "least where there is no upper limit; JSON and CSV have the bounds.\n"
		 "\n"
		 "--by=caller names the kernel functions that led to a flush where their stacks were\n"
		 "recorded (perf record -g, trace-cmd record -T): by the symbols in the trace, by --kallsyms,\n"
		 "or as distances from _text. Functions that only flush are left out where names are known.\n"
		 "Without stacks it tells the kind of request.\n"
		 "\n"
		 "Examples\n"
		 "  tlbtrace report trace.dat\n"
		 "  tlbtrace report --interval=1000 trace.dat\n"
		 "  tlbtrace report --by=mm --sort=flushes --limit=10 --format=json trace.dat\n"
		 "  tlbtrace report --format=html -o report.html trace.dat\n"
		 "\n"
		 "Exit status\n"
		 "  0  done\n"
		 "  2  usage: an unknown option, a bad value\n"
		 "  3  input: no trace, the event was not recorded, nothing readable\n"
		 "  4  environment: the output cannot be written, no memory\n"
		 "  130  interrupted: what was read until then is shown\n",
	.groups = groups,
	.formats = formats,
	.run = run,
};
