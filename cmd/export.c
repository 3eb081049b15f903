/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export.c - `tlbtrace export`: the reconstructed requests, one a row. */
#include "cmd/export.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/asked.h"
#include "analyze/split.h"
#include "cmd/command.h"
#include "cmd/export_ctf.h"
#include "cmd/export_perfetto.h"
#include "cmd/export_sqlite.h"
#include "cmd/whatif.h"

static const struct option_group *const groups[] = {
	&common_input_options,
	&common_output_options,
	NULL,
};

/* What a flush of the second pass needs to become rows. */
struct export
{
	struct common common; /* of the command line */
	struct whatif none;   /* no alternatives */
	struct whatif_result first;
	struct row_context ctx;
	struct export_window window;
	uint64_t from_ns; /* added to the rows' times: 0, or the trace's first */
	bool no_memory;
};

static int take_option(void *arg, int id, const char *value, struct error *err)
{
	struct export *e = arg;

	return common_option(&e->common, id, value, err);
}

static enum flush_scope scope_of(const struct flush *f)
{
	if (f->shape == SHAPE_X86)
		return f->x86.ipis_usual || f->x86.orphan ? SCOPE_MULTICAST : SCOPE_LOCAL;
	/* Handlers flush pages, or a PID with ric 0, only as a share of a multicast. */
	if (f->irq && f->shape != SHAPE_ALL)
		return SCOPE_MULTICAST;
	return f->local ? SCOPE_LOCAL : SCOPE_GLOBAL;
}

static void take_x86(struct export_row *out, const struct row *row, const struct params *recorded)
{
	const struct x86_share *x86 = &row->flush->x86;

	out->x86 = true;
	out->has_range = x86->pages > 0;
	out->page_bytes = UINT64_C(1) << x86->shift;
	out->pages = x86->pages;
	out->pages_min = recorded->v[PARAM_CEILING] + 1;
	out->pages_max = x86->pages_max;
}

static bool take_row(void *arg, const struct row *row)
{
	struct export *e = arg;
	const struct flush *f = row->flush;
	const struct trace *t = &e->first.trace;
	struct export_row out = {
		.time_ns = row->time_ns - t->first_ns + e->from_ns,
		.end_ns = row->end_ns - t->first_ns + e->from_ns,
		.has_time = t->info->has_time,
		.cpu = f->cpu,
		.tid = f->tid,
		.tgid = f->tgid > 0 ? f->tgid : -1,
		.hw_pid = f->hw_pid,
		.has_hw_pid = f->shape != SHAPE_X86 && !(f->hw_pid & ASKED_PID),
		.asked = f->asked,
		.mm = f->mm ? mm_by_index(trace_mms(t), f->mm->index) : NULL,
		.entry = f->entry,
		.cause = f->cause,
		.scope = scope_of(f),
		.irq = f->irq,
		.known = row->known,
		.ended_by = row->ended_by,
		.has_range = row->has_range,
		.start = row->start,
		.end = row->end,
		.page_bytes = UINT64_C(1) << row->shift,
		.pages = row->pages,
		.pages_min = row->pages_min,
		.pages_max = row->pages_max,
		.gaps = row->gaps,
		.recorded = row->recorded,
	};

	memcpy(out.comm, f->comm, sizeof(out.comm));
	if (f->shape == SHAPE_X86)
		take_x86(&out, row, &e->first.model.used);
	e->no_memory = !export_window_add(&e->window, &out);
	return !e->no_memory;
}

static bool selects(const struct export *e, const struct flush *f)
{
	struct class class = { .key.mm = f->mm ? f->mm->index : CLASS_NO_MM };

	return common_selects(&e->common, &e->first.trace, &class);
}

static bool take_flush(void *arg, const struct flush *f)
{
	struct export *e = arg;

	return !selects(e, f) || rows_of(f, &e->ctx, take_row, e);
}

/* What decides on cuts is known only when all of a trace was read: then it is read again. */
static int check_readable_twice(const char *path, struct error *err)
{
	struct stat st;

	if (strcmp(path, "-") != 0 && (stat(path, &st) || !S_ISFIFO(st.st_mode)))
		return 0;
	return error_set(err, ERROR_USAGE,
			 "export reads its input twice: '%s' is a pipe; save it to a file first",
			 path);
}

static int read_first(struct export *e, const char *path, struct error *err)
{
	uint64_t page_bytes;

	if (check_readable_twice(path, err) ||
	    whatif_answer(&e->first, &e->none, &e->common, path, err))
		return -1;
	page_bytes = e->first.model.used.v[PARAM_PAGE_SIZE];
	e->ctx.classes = e->first.trace.classes;
	e->ctx.gaps = e->first.trace.info->has_time ? e->first.trace.gaps : NULL;
	e->ctx.recorded = &e->first.model.used;
	e->ctx.base_shift = page_bytes == 4096 ? 12 : 16;
	return 0;
}

static int write_rows(struct export *e, const char *path, const struct observer *observer,
		      struct error *err)
{
	struct common again = e->common;
	struct trace second;
	int status;

	again.trace.flush = take_flush;
	again.trace.flush_arg = e;
	again.trace.observer = observer;
	status = common_read(&again, path, &second, err);
	export_window_finish(&e->window);
	if (status && err->class == ERROR_INTERRUPTED && !again.sink.path)
		return error_set(err, ERROR_INTERRUPTED,
				 "%s: interrupted: these are not all of its requests", path);
	if (status)
		return -1;
	trace_close(&second);
	if (e->window.late)
		common_warn(&e->common,
			    "%s: %llu rows are out of order: they waited for a call that took "
			    "longer than %u other requests",
			    path, (unsigned long long)e->window.late, EXPORT_WINDOW);
	return common_check_whole(&e->common, &e->first.trace, err);
}

static int write_plain(struct export *e, FILE *f, const struct export_format *format,
		       struct error *err)
{
	e->window.row = format->row;
	e->window.to = f;
	if (format->begin)
		format->begin(f);
	return write_rows(e, e->common.inputs[0], NULL, err);
}

static int write_jsonl(struct export *e, FILE *f, struct error *err)
{
	return write_plain(e, f, &export_jsonl, err);
}

static int write_csv(struct export *e, FILE *f, struct error *err)
{
	return write_plain(e, f, &export_csv, err);
}

static int write_perfetto(struct export *e, FILE *f, struct error *err)
{
	struct perfetto p;
	int status = perfetto_begin(&p, f, &e->first, err);

	e->window.row = perfetto_row;
	e->window.to = &p;
	if (!status)
		status = write_rows(e, e->common.inputs[0], NULL, err);
	if (!status)
		perfetto_end(&p);
	perfetto_free(&p);
	return status;
}

static int export_file(struct export *e, int (*write)(struct export *, FILE *, struct error *),
		       struct error *err)
{
	struct sink_options options = e->common.sink;
	struct sink sink;

	if (read_first(e, e->common.inputs[0], err))
		return -1;
	options.no_pager = true; /* it would take all rows into memory */
	if (sink_open(&sink, &options, err))
		return -1;
	if (write(e, sink.f, err)) {
		sink_abandon(&sink);
		return -1;
	}
	common_warn_of_damage(&e->common, e->first.trace.info);
	return sink_close(&sink, err);
}

static int export_jsonl_file(struct export *e, struct error *err)
{
	return export_file(e, write_jsonl, err);
}

static int export_csv_file(struct export *e, struct error *err)
{
	return export_file(e, write_csv, err);
}

static int export_perfetto_file(struct export *e, struct error *err)
{
	return export_file(e, write_perfetto, err);
}

static int export_directory(struct export *e, struct error *err)
{
	const char *path = e->common.inputs[0], *dir = e->common.sink.path;
	struct export_ctf x = { .rows = NULL };
	int status = -1;

	if (export_ctf_check(dir, err) || read_first(e, path, err))
		return -1;
	if (export_ctf_begin(&x, err))
		goto out;
	e->from_ns = e->first.trace.first_ns;
	e->window.row = export_ctf.row;
	e->window.to = x.rows;
	status = write_rows(e, path, &x.observer, err);
	if (!status)
		status = export_ctf_write(&x, dir, path, &e->first.trace, err);
	if (!status)
		common_warn_of_damage(&e->common, e->first.trace.info);
out:
	export_ctf_free(&x);
	return status;
}

static int export_database(struct export *e, struct error *err)
{
	const char *path = e->common.inputs[0], *to = e->common.sink.path;
	struct sqlite_export x = { .flush = NULL };
	int status = -1;

	if (!to)
		return error_set(err, ERROR_USAGE, "--format=sqlite: needs --output=FILE");
	if (sqlite_export_begin(&x, to, err) || read_first(e, path, err))
		goto out;
	e->window.row = sqlite_export_row;
	e->window.to = &x;
	status = write_rows(e, path, NULL, err);
	if (!status)
		status = sqlite_export_end(&x, &e->first, &e->common, err);
	if (!status)
		common_warn_of_damage(&e->common, e->first.trace.info);
out:
	sqlite_export_abandon(&x);
	return status;
}

/* In the order of format_names. */
static int (*const writers[])(struct export *e, struct error *err) = {
	export_jsonl_file, export_csv_file, export_directory, export_database, export_perfetto_file,
};
static const char *const format_names[] = { "jsonl", "csv", "ctf", "sqlite", "perfetto", NULL };

static int export(struct export *e, int argc, char **argv, struct error *err)
{
	size_t format = 0;
	int operands;

	if (options_parse(groups, argc, argv, take_option, e, &operands, err))
		return -1;
	if (e->common.help)
		return 0;
	if (!e->common.format)
		return error_set(err, ERROR_USAGE,
				 "--format: must be jsonl, csv, ctf, sqlite or perfetto");
	if (value_word("format", e->common.format, format_names, &format, err) ||
	    common_operands(&e->common, argc - operands, argv + operands, err))
		return -1;
	if (e->common.n_inputs > 1)
		return error_set(err, ERROR_USAGE, "export takes one trace");
	return writers[format](e, err);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	/* mms are kept for the second reading */
	struct export e = { .common = { .trace.keep_mms = true, .whole = true } };
	int status = export(&e, argc, argv, err);
	int code = command_end(self, e.common.help, status, err);

	whatif_result_free(&e.first, &e.none);
	common_free(&e.common);
	return code;
}

const struct command command_export = {
	.name = "export",
	.summary = "writes the requests to flush, one a row",
	.operands = "--format=jsonl|csv|ctf|sqlite|perfetto [OPTION...] [FILE]",
	.formats = format_names,
	.about = "Puts the flushes of a trace together and writes each request as a row, in order\n"
		 "of time, with how well it is known: told by a probe, seen between marks, ambiguous\n"
		 "where a rule cut it, or censored where only bounds are known. Every recorded\n"
		 "instruction belongs to exactly one row. The trace is read twice.\n"
		 "\n"
		 "With --format=ctf, --output is a directory: a CTF trace with the rows as events\n"
		 "(tlbtrace:flush) and beside them all that tlbtrace needs to read it again, to the\n"
		 "same numbers. Filters select rows only. The trace is read three times.\n"
		 "\n"
		 "With --format=sqlite, --output is a new SQLite database: the rows in the table\n"
		 "flushes, beside it mms, tasks, classes, model and meta, and views of what is asked\n"
		 "most. See tlbtrace-formats(5).\n"
		 "\n"
		 "With --format=perfetto the rows are slices on a track for each CPU, with a counter\n"
		 "of instructions beside it: open the file in https://ui.perfetto.dev or\n"
		 "chrome://tracing. It is JSON in the Trace Event Format; nothing is uploaded.\n",
	.notes = "Examples\n"
		 "  tlbtrace export --format=jsonl trace.dat | jq -c 'select(.pages == 32)'\n"
		 "  tlbtrace export --format=csv --comm=shm -o flushes.csv trace.dat\n"
		 "  tlbtrace export --format=ctf -o flushes.ctf trace.dat && babeltrace2 flushes.ctf\n"
		 "  tlbtrace export --format=sqlite -o flushes.db trace.dat\n"
		 "  sqlite3 -box flushes.db 'SELECT * FROM flushes_by_mm LIMIT 10'\n"
		 "  tlbtrace export --format=perfetto -o flushes.json trace.dat\n"
		 "\n"
		 "Exit status\n"
		 "  0  done\n"
		 "  2  usage: an unknown option, a bad value, an input that cannot be read twice\n"
		 "  3  input: no trace, the event was not recorded, nothing readable; with --strict\n"
		 "     also lost events or a truncated trace\n"
		 "  4  environment: the output cannot be written, no memory\n"
		 "  130  interrupted: no file is written, and what standard output has is not all\n",
	.groups = groups,
	.run = run,
};
